//! A session: one tablet interaction and one guest. The transition table of seed 001 as data, and the record as an enum
//! that carries what exists in each status.

use crate::clock::Timestamp;
use crate::guest::TelegramId;
use crate::language::Language;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The word in `sessions.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// Start was tapped; the QR is shown.
    Idle,
    /// A guest opened the bot with the token.
    Linked,
    /// The guest agreed.
    Consented,
    /// An outfit was tapped.
    TemplateChosen,
    /// The photo was accepted and a job queued. Final.
    PhotoTaken,
    /// Closed before a photo. Final.
    Expired,
}

impl SessionStatus {
    /// Every status.
    pub const ALL: [SessionStatus; 6] = [
        SessionStatus::Idle,
        SessionStatus::Linked,
        SessionStatus::Consented,
        SessionStatus::TemplateChosen,
        SessionStatus::PhotoTaken,
        SessionStatus::Expired,
    ];

    /// The word that is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            SessionStatus::Idle => "idle",
            SessionStatus::Linked => "linked",
            SessionStatus::Consented => "consented",
            SessionStatus::TemplateChosen => "template_chosen",
            SessionStatus::PhotoTaken => "photo_taken",
            SessionStatus::Expired => "expired",
        }
    }

    /// The status with this word.
    pub fn from_word(word: &str) -> Option<SessionStatus> {
        SessionStatus::ALL.into_iter().find(|status| status.word() == word)
    }
}

impl fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Why the kiosk abandoned a session (seed 001, `closed_reason`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedReason {
    /// The idle prompt on the outfit screen ran out.
    IdleTimeout,
    /// The QR was not scanned in 90 s.
    QrTimeout,
    /// Cancel was tapped.
    Cancel,
    /// Staff held the hidden reset zone.
    StaffReset,
    /// The camera could not be opened.
    CameraError,
    /// Any other return to the start screen, and the fallback for an unknown code.
    KioskReset,
}

impl ClosedReason {
    /// Every reason.
    pub const ALL: [ClosedReason; 6] = [
        ClosedReason::IdleTimeout,
        ClosedReason::QrTimeout,
        ClosedReason::Cancel,
        ClosedReason::StaffReset,
        ClosedReason::CameraError,
        ClosedReason::KioskReset,
    ];

    /// The word that is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            ClosedReason::IdleTimeout => "idle_timeout",
            ClosedReason::QrTimeout => "qr_timeout",
            ClosedReason::Cancel => "cancel",
            ClosedReason::StaffReset => "staff_reset",
            ClosedReason::CameraError => "camera_error",
            ClosedReason::KioskReset => "kiosk_reset",
        }
    }

    /// The reason for a code from the kiosk; unknown codes are [`ClosedReason::KioskReset`].
    pub fn from_code(code: &str) -> ClosedReason {
        ClosedReason::ALL.into_iter().find(|reason| reason.word() == code).unwrap_or(ClosedReason::KioskReset)
    }
}

/// Without a listening tablet an `idle` session is closed after this, as [`ClosedReason::QrTimeout`] (product.md, "Guest flow").
pub const IDLE_ABANDONED_AFTER: Duration = Duration::from_secs(5 * 60);
/// A later one after this, as [`ClosedReason::IdleTimeout`].
pub const LATER_ABANDONED_AFTER: Duration = Duration::from_secs(15 * 60);

/// Why the pack limit stopped a session (seed 001, `notice`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// The guest already has a pack.
    PackReady,
    /// The guest's pack is still being generated.
    PackInProgress,
}

impl Notice {
    /// The word that is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            Notice::PackReady => "pack_ready",
            Notice::PackInProgress => "pack_in_progress",
        }
    }

    /// The notice with this word.
    pub fn from_word(word: &str) -> Option<Notice> {
        [Notice::PackReady, Notice::PackInProgress].into_iter().find(|notice| notice.word() == word)
    }
}

/// What moves a session: one variant a row of the table "Session transitions" of seed 001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionMove {
    /// Guest taps Start.
    Create,
    /// Guest sends `/start <token>`.
    Link,
    /// The same guest sends `/start <token>` again.
    LinkAgain,
    /// Guest presses the consent button.
    Consent,
    /// Guest taps an outfit card.
    ChooseTemplate,
    /// Kiosk uploads a photo that is accepted.
    TakePhoto,
    /// Kiosk gives up.
    Expire,
    /// Pack limit, seen at `/start` or at the outfit choice.
    Block,
    /// Pack limit, seen inside the photo transaction.
    BlockInPhoto,
    /// Operator resets the guest.
    Reset,
}

/// What a move leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOutcome {
    /// The session stands in this status.
    Becomes(SessionStatus),
    /// The row is gone.
    Deleted,
}

/// One row of the table: from any of `from` (empty: there is no row yet) a move leads to `to`.
#[derive(Clone, Copy, Debug)]
pub struct SessionTransition {
    /// The trigger.
    pub by: SessionMove,
    /// Statuses in which it is legal; any other refuses and changes nothing.
    pub from: &'static [SessionStatus],
    /// What it leads to.
    pub to: SessionOutcome,
}

/// Statuses that are not final: what can still expire.
const OPEN: &[SessionStatus] =
    &[SessionStatus::Idle, SessionStatus::Linked, SessionStatus::Consented, SessionStatus::TemplateChosen];

/// The table "Session transitions" of seed 001, in its order.
pub const SESSION_TRANSITIONS: [SessionTransition; 10] = {
    use SessionMove as M;
    use SessionOutcome::{Becomes, Deleted};
    use SessionStatus as S;
    [
        SessionTransition { by: M::Create, from: &[], to: Becomes(S::Idle) },
        SessionTransition { by: M::Link, from: &[S::Idle], to: Becomes(S::Linked) },
        SessionTransition { by: M::LinkAgain, from: &[S::Linked, S::Consented], to: Becomes(S::Linked) },
        SessionTransition { by: M::Consent, from: &[S::Linked, S::Consented], to: Becomes(S::Consented) },
        SessionTransition {
            by: M::ChooseTemplate,
            from: &[S::Consented, S::TemplateChosen],
            to: Becomes(S::TemplateChosen),
        },
        SessionTransition { by: M::TakePhoto, from: &[S::TemplateChosen], to: Becomes(S::PhotoTaken) },
        SessionTransition { by: M::Expire, from: OPEN, to: Becomes(S::Expired) },
        SessionTransition { by: M::Block, from: OPEN, to: Becomes(S::Expired) },
        SessionTransition { by: M::BlockInPhoto, from: &[S::TemplateChosen], to: Becomes(S::Expired) },
        SessionTransition { by: M::Reset, from: &SessionStatus::ALL, to: Deleted },
    ]
};

impl SessionMove {
    /// The row of the table for this move.
    pub fn row(self) -> &'static SessionTransition {
        // The index is the variant's place: the table lists the moves in the order in which they are declared, which
        // `the_table_lists_each_move_at_its_place` checks.
        &SESSION_TRANSITIONS[self as usize]
    }

    /// Statuses in which the move is legal.
    pub fn from(self) -> &'static [SessionStatus] {
        self.row().from
    }
}

/// A session with what exists in its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Secret of this interaction, at least 128 random bits.
    pub token: String,
    /// Where it stands.
    pub state: SessionState,
    /// Name of the tablet, if it told one.
    pub kiosk: Option<String>,
    /// Language of the screen: the tablet's choice until a guest is linked, then the guest's.
    pub language: Language,
    /// When Start was tapped.
    pub created_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}

/// Where a session stands, with the data of that status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// Waiting for a phone.
    Idle,
    /// Waiting for consent.
    Linked {
        /// The guest whose phone opened the link.
        guest: TelegramId,
    },
    /// Waiting for an outfit.
    Consented {
        /// The guest who agreed.
        guest: TelegramId,
    },
    /// Waiting for a photo.
    TemplateChosen {
        /// The guest who agreed.
        guest: TelegramId,
        /// The outfit.
        template_id: String,
    },
    /// The photo is in; the job says the rest.
    PhotoTaken {
        /// The guest in the photo.
        guest: TelegramId,
        /// The outfit.
        template_id: String,
    },
    /// Closed.
    Expired {
        /// The guest, when one was linked.
        guest: Option<TelegramId>,
        /// The outfit, when one was chosen.
        template_id: Option<String>,
        /// Why.
        why: Expiry,
    },
}

/// Why a session is expired: at most one of the two columns is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// The kiosk gave up.
    Closed(ClosedReason),
    /// The pack limit stopped it.
    Limit(Notice),
}

impl Session {
    /// The word for the state.
    pub fn status(&self) -> SessionStatus {
        match self.state {
            SessionState::Idle => SessionStatus::Idle,
            SessionState::Linked { .. } => SessionStatus::Linked,
            SessionState::Consented { .. } => SessionStatus::Consented,
            SessionState::TemplateChosen { .. } => SessionStatus::TemplateChosen,
            SessionState::PhotoTaken { .. } => SessionStatus::PhotoTaken,
            SessionState::Expired { .. } => SessionStatus::Expired,
        }
    }

    /// The linked guest.
    pub fn guest(&self) -> Option<TelegramId> {
        match &self.state {
            SessionState::Idle => None,
            SessionState::Linked { guest }
            | SessionState::Consented { guest }
            | SessionState::TemplateChosen { guest, .. }
            | SessionState::PhotoTaken { guest, .. } => Some(*guest),
            SessionState::Expired { guest, .. } => *guest,
        }
    }

    /// The chosen outfit.
    pub fn template_id(&self) -> Option<&str> {
        match &self.state {
            SessionState::Idle | SessionState::Linked { .. } | SessionState::Consented { .. } => None,
            SessionState::TemplateChosen { template_id, .. }
            | SessionState::PhotoTaken { template_id, .. } => Some(template_id),
            SessionState::Expired { template_id, .. } => template_id.as_deref(),
        }
    }

    /// Why the kiosk closed it, if it did.
    pub fn closed_reason(&self) -> Option<ClosedReason> {
        match self.state {
            SessionState::Expired { why: Expiry::Closed(reason), .. } => Some(reason),
            _ => None,
        }
    }

    /// Why the pack limit closed it, if it did.
    pub fn notice(&self) -> Option<Notice> {
        match self.state {
            SessionState::Expired { why: Expiry::Limit(notice), .. } => Some(notice),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_each_move_at_its_place() {
        for (place, row) in SESSION_TRANSITIONS.iter().enumerate() {
            assert_eq!(row.by as usize, place);
        }
    }

    /// Typed again from seed 001, table "Session transitions": from, trigger, to.
    #[test]
    fn the_table_is_the_one_of_the_seed() {
        let seed: [(&str, &str); 10] = [
            ("", "idle"),
            ("idle", "linked"),
            ("linked, consented", "linked"),
            ("linked, consented", "consented"),
            ("consented, template_chosen", "template_chosen"),
            ("template_chosen", "photo_taken"),
            ("idle, linked, consented, template_chosen", "expired"),
            ("idle, linked, consented, template_chosen", "expired"),
            ("template_chosen", "expired"),
            ("idle, linked, consented, template_chosen, photo_taken, expired", "(deleted)"),
        ];
        for ((from, to), row) in seed.into_iter().zip(SESSION_TRANSITIONS) {
            let words: Vec<_> = row.from.iter().map(|status| status.word()).collect();
            assert_eq!(words.join(", "), from, "{:?}", row.by);
            let ours = match row.to {
                SessionOutcome::Becomes(status) => status.word(),
                SessionOutcome::Deleted => "(deleted)",
            };
            assert_eq!(ours, to, "{:?}", row.by);
        }
    }

    #[test]
    fn words_lead_back_to_their_status_and_unknown_codes_to_kiosk_reset() {
        for status in SessionStatus::ALL {
            assert_eq!(SessionStatus::from_word(status.word()), Some(status));
        }
        assert_eq!(SessionStatus::from_word("Idle"), None);
        for reason in ClosedReason::ALL {
            assert_eq!(ClosedReason::from_code(reason.word()), reason);
        }
        assert_eq!(ClosedReason::from_code("coffee"), ClosedReason::KioskReset);
    }
}
