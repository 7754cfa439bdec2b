//! A lead: one request from the landing form. Statuses, buttons and the three tables of seed 001 as data; the record itself, its
//! card, and what is said about it.

pub mod card;
mod record;
pub mod texts;

pub use record::{CardPlace, Contact, Lead, Repeat, Taken, UNKNOWN};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Number of a lead; never used again. The group sees it as `#stickers_<id>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeadId(pub i64);

impl fmt::Display for LeadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The word in `leads.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeadStatus {
    /// Stored, nobody took it yet. No way back here.
    New,
    /// Somebody works on it.
    InWork,
    /// The visitor was reached.
    Contacted,
    /// Sold.
    Deal,
    /// The visitor declined.
    Refused,
    /// Not a request: erased after 30 days, ignored when repeats are looked for.
    Spam,
}

impl LeadStatus {
    /// Every status.
    pub const ALL: [LeadStatus; 6] = [
        LeadStatus::New,
        LeadStatus::InWork,
        LeadStatus::Contacted,
        LeadStatus::Deal,
        LeadStatus::Refused,
        LeadStatus::Spam,
    ];

    /// The five that a button can set, in the order of the buttons.
    pub const HANDLED: [LeadStatus; 5] =
        [LeadStatus::InWork, LeadStatus::Contacted, LeadStatus::Deal, LeadStatus::Refused, LeadStatus::Spam];

    /// The word that is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            LeadStatus::New => "new",
            LeadStatus::InWork => "in_work",
            LeadStatus::Contacted => "contacted",
            LeadStatus::Deal => "deal",
            LeadStatus::Refused => "refused",
            LeadStatus::Spam => "spam",
        }
    }

    /// The status with this word.
    pub fn from_word(word: &str) -> Option<LeadStatus> {
        LeadStatus::ALL.into_iter().find(|status| status.word() == word)
    }

    /// The status that a button asks for; `new` is no target (`parse_callback`, seed 001).
    pub fn target(word: &str) -> Option<LeadStatus> {
        LeadStatus::from_word(word).filter(|status| *status != LeadStatus::New)
    }

    /// Icon and label on cards and buttons (interfaces.md, "Statuses everywhere").
    pub fn label(self) -> &'static str {
        match self {
            LeadStatus::New => "🆕 Новая",
            LeadStatus::InWork => "🛠 В работе",
            LeadStatus::Contacted => "📞 Связались",
            LeadStatus::Deal => "🤝 Сделка",
            LeadStatus::Refused => "✖️ Отказ",
            LeadStatus::Spam => "🗑 Спам",
        }
    }
}

impl fmt::Display for LeadStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What moves the status of a lead: the rows of the lead's status table in seed 001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeadMove {
    /// `POST /leads` with a new `request_id` and no matching recent contact.
    Submit,
    /// A button: any status to another of the five.
    SetStatus,
    /// The same button again: nothing is written.
    SetSameStatus,
}

/// One row of the status table.
#[derive(Clone, Copy, Debug)]
pub struct LeadTransition {
    /// The trigger.
    pub by: LeadMove,
    /// Statuses in which it is legal (empty: there is no row yet).
    pub from: &'static [LeadStatus],
    /// Statuses it can lead to; empty where nothing is written.
    pub to: &'static [LeadStatus],
}

/// The lead's status table of seed 001, in its order.
pub const LEAD_TRANSITIONS: [LeadTransition; 3] = [
    LeadTransition { by: LeadMove::Submit, from: &[], to: &[LeadStatus::New] },
    LeadTransition { by: LeadMove::SetStatus, from: &LeadStatus::ALL, to: &LeadStatus::HANDLED },
    LeadTransition { by: LeadMove::SetSameStatus, from: &LeadStatus::HANDLED, to: &[] },
];

/// The timestamps that run beside the status: rows of "Publication, reminder and erasure" of seed 001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeadAspect {
    /// A card is sent to the group.
    Publish,
    /// A send failed.
    PublishFailed,
    /// `/stickers_lead <id>` posts the card again.
    MoveCard,
    /// Still `new` two hours after creation.
    Remind,
    /// `/stickers_forget <id>`.
    EraseOnRequest,
    /// The retention period is over.
    EraseByRetention,
    /// `/stickers_forget <id> тест`.
    Delete,
}

/// One row of that table: the columns it writes and the columns that must be empty before.
#[derive(Clone, Copy, Debug)]
pub struct LeadAspectRow {
    /// The aspect.
    pub aspect: LeadAspect,
    /// Columns of `leads` that it writes; empty where the row is removed.
    pub writes: &'static [&'static str],
    /// Columns of `leads` that must be NULL for it to happen.
    pub needs_empty: &'static [&'static str],
}

/// What erasure sets to NULL, in `leads` and, where they have it, in `lead_repeats` (seed 000, `db.lead_erase`).
pub const PERSONAL_COLUMNS: [&str; 5] = ["name", "telegram", "phone", "comment", "ip_hash"];

const ERASE: &[&str] = &["erased_at", "name", "telegram", "phone", "comment", "ip_hash"];

/// "Publication, reminder and erasure" of seed 001, in its order.
pub const LEAD_ASPECTS: [LeadAspectRow; 7] = [
    LeadAspectRow {
        aspect: LeadAspect::Publish,
        writes: &["published_at", "chat_id", "message_id"],
        needs_empty: &["published_at", "erased_at"],
    },
    LeadAspectRow {
        aspect: LeadAspect::PublishFailed,
        writes: &["publish_attempts", "next_publish_at", "publish_error"],
        needs_empty: &["published_at"],
    },
    LeadAspectRow {
        aspect: LeadAspect::MoveCard,
        writes: &["chat_id", "message_id"],
        needs_empty: &["erased_at"],
    },
    LeadAspectRow {
        aspect: LeadAspect::Remind,
        writes: &["reminded_at"],
        needs_empty: &["reminded_at", "erased_at"],
    },
    LeadAspectRow { aspect: LeadAspect::EraseOnRequest, writes: ERASE, needs_empty: &["erased_at"] },
    LeadAspectRow { aspect: LeadAspect::EraseByRetention, writes: ERASE, needs_empty: &["erased_at"] },
    LeadAspectRow { aspect: LeadAspect::Delete, writes: &[], needs_empty: &[] },
];

/// The outbox of a repeat contact: rows of "Repeat contacts" of seed 001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepeatMove {
    /// The card was rewritten and pinged.
    Notified,
    /// The notice failed; after five failures it is given up.
    Failed,
    /// It was already in the first version of the card.
    Absorbed,
}

/// One row of that table: the columns of `lead_repeats` it writes.
#[derive(Clone, Copy, Debug)]
pub struct RepeatRow {
    /// The trigger.
    pub by: RepeatMove,
    /// Columns of `lead_repeats` that it writes.
    pub writes: &'static [&'static str],
}

/// "Repeat contacts" of seed 001, in its order.
pub const REPEAT_TRANSITIONS: [RepeatRow; 3] = [
    RepeatRow { by: RepeatMove::Notified, writes: &["notified_at"] },
    RepeatRow { by: RepeatMove::Failed, writes: &["notify_attempts", "next_notify_at", "notify_error"] },
    RepeatRow { by: RepeatMove::Absorbed, writes: &["notified_at"] },
];

/// Failures after which a repeat is marked notified with the error text (seed 001).
pub const REPEAT_GIVES_UP_AFTER: i64 = 5;

/// Pause before the next try of a card or a repeat notice after `failures` failures (seed 003): 5 s, 15 s, 60 s, 5 min, then 15 min.
pub fn publish_pause(failures: i64) -> Duration {
    crate::delivery::outbox_pause(failures)
}

/// What answers a press on a card (seed 001, "Rules that the diagram cannot show").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// The status changes; a history row is written.
    Change,
    /// `Уже так`: nothing is written.
    Same,
    /// The request is erased: its status does not change.
    Frozen,
}

/// Decides a press of the button `to` on a lead in `status`.
pub fn press(status: LeadStatus, erased: bool, to: LeadStatus) -> Press {
    if erased {
        Press::Frozen
    } else if status == to {
        Press::Same
    } else {
        Press::Change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Typed again from seed 001: every status to every target of a button.
    #[test]
    fn a_button_leads_from_any_status_to_any_of_the_five_and_never_to_new() {
        let statuses = ["new", "in_work", "contacted", "deal", "refused", "spam"];
        assert_eq!(LeadStatus::ALL.map(LeadStatus::word), statuses);
        assert_eq!(LeadStatus::target("new"), None);
        assert_eq!(LeadStatus::target("NEW"), None);
        for from in LeadStatus::ALL {
            for word in &statuses[1..] {
                let to = LeadStatus::target(word).expect("one of the five");
                let expected = if from.word() == *word { Press::Same } else { Press::Change };
                assert_eq!(press(from, false, to), expected, "{from} to {word}");
                assert_eq!(press(from, true, to), Press::Frozen, "{from} to {word}, erased");
            }
        }
    }

    #[test]
    fn pauses_are_those_of_the_seed() {
        let seconds = [5, 15, 60, 300, 900, 900, 900];
        for (failures, expected) in (1..).zip(seconds) {
            assert_eq!(publish_pause(failures).as_secs(), expected, "after failure {failures}");
        }
    }

    #[test]
    fn labels_are_those_of_the_interface_page() {
        let labels = ["🆕 Новая", "🛠 В работе", "📞 Связались", "🤝 Сделка", "✖️ Отказ", "🗑 Спам"];
        assert_eq!(LeadStatus::ALL.map(LeadStatus::label), labels);
    }

    /// Typed again from seed 001, tables "Publication, reminder and erasure" and "Repeat contacts": the columns.
    #[test]
    fn aspects_write_the_columns_of_the_seed() {
        let seed = [
            "published_at chat_id message_id",
            "publish_attempts next_publish_at publish_error",
            "chat_id message_id",
            "reminded_at",
            "erased_at name telegram phone comment ip_hash",
            "erased_at name telegram phone comment ip_hash",
            "",
        ];
        for (row, expected) in LEAD_ASPECTS.iter().zip(seed) {
            assert_eq!(row.writes.join(" "), expected, "{:?}", row.aspect);
        }
        let repeats = ["notified_at", "notify_attempts next_notify_at notify_error", "notified_at"];
        for (row, expected) in REPEAT_TRANSITIONS.iter().zip(repeats) {
            assert_eq!(row.writes.join(" "), expected, "{:?}", row.by);
        }
    }
}
