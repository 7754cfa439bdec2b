//! A lead and what belongs to it, as they are stored. What a visitor typed is [`Personal`]: no log shows it.

use super::{LeadId, LeadStatus};
use crate::clock::Timestamp;
use crate::guest::Personal;

/// `publish_error` of a lead whose card was sent without a readable answer, or was about to be when the process died.
pub const UNKNOWN: &str = "unknown";

/// A message of ours in the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CardPlace {
    /// The group.
    pub chat_id: i64,
    /// Its number there.
    pub message_id: i64,
}

/// One request from the landing form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Its number.
    pub id: LeadId,
    /// UUID that the form made.
    pub request_id: String,
    /// Where it stands.
    pub status: LeadStatus,
    /// Last change of the status; none while it never changed.
    pub status_at: Option<Timestamp>,
    /// What the visitor typed; the personal part is gone once the lead is erased.
    pub contact: Contact,
    /// Language of the form.
    pub locale: String,
    /// `utm_source, utm_medium, utm_campaign, utm_term, utm_content`.
    pub utm: [Option<String>; 5],
    /// When it was stored.
    pub created_at: Timestamp,
    /// When its card reached the group.
    pub published_at: Option<Timestamp>,
    /// Its card now; none before it was published, and while it is being posted anew.
    pub card: Option<CardPlace>,
    /// Sends of the card that failed.
    pub publish_attempts: i64,
    /// The card is not sent earlier than this.
    pub next_publish_at: Option<Timestamp>,
    /// Why the last send failed, or [`UNKNOWN`].
    pub publish_error: Option<String>,
    /// Since when the card in the group is older than the row.
    pub card_dirty_at: Option<Timestamp>,
    /// The one ping.
    pub reminded_at: Option<Timestamp>,
    /// When the personal data went.
    pub erased_at: Option<Timestamp>,
}

impl Lead {
    /// Whether a card may stand in the group that nobody knows of, so that the next one says `возможно, повтор`.
    pub fn may_be_posted_twice(&self) -> bool {
        self.publish_error.as_deref() == Some(UNKNOWN)
    }
}

/// The fields of the form, in a lead or, where they changed, in a repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// Name.
    pub name: Option<Personal>,
    /// Username with `@`.
    pub telegram: Option<Personal>,
    /// `+` and digits.
    pub phone: Option<Personal>,
    /// Date of the event, as typed.
    pub date: Option<Personal>,
    /// Number of guests, as typed.
    pub guests: Option<Personal>,
    /// Free text.
    pub comment: Option<Personal>,
}

/// The same person wrote again within 24 hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Its number.
    pub id: i64,
    /// The lead it belongs to.
    pub lead: LeadId,
    /// Only what changed.
    pub contact: Contact,
    /// When it came.
    pub created_at: Timestamp,
    /// When the group was told, or the repeat was given up.
    pub notified_at: Option<Timestamp>,
    /// Notices that failed.
    pub notify_attempts: i64,
}

/// Who changed the status last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Name or username of the admin.
    pub by: Option<Personal>,
    /// When.
    pub at: Timestamp,
}
