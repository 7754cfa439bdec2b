//! Groups as data: who is inside and with which rights, which topics there are.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::state::ANONYMOUS_ADMIN;

/// A basic group or a supergroup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Group {
    pub title: String,
    pub supergroup: bool,
    pub members: BTreeMap<i64, Standing>,
    /// Counts messages of a supergroup, which has its own numbers.
    pub next_message: i64,
    /// The supergroup this group became.
    pub upgraded_to: Option<i64>,
    pub deleted: bool,
    /// A supergroup whose messages are sorted by topics.
    #[serde(default)]
    pub forum: bool,
    /// Topics by the number of the message that made them; the general one has none.
    #[serde(default)]
    pub topics: BTreeMap<i64, String>,
    /// Administrators who write as the group.
    #[serde(default)]
    pub hidden: BTreeSet<i64>,
}

/// Where a person or a bot stands in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Made the group.
    Creator,
    /// Has all rights but those of the creator.
    Administrator,
    /// Inside without rights.
    Member,
    /// A member who may not write.
    Restricted,
    /// Went, or never was there.
    Left,
    /// Was removed.
    Kicked,
}

impl Standing {
    /// Is inside.
    pub(crate) fn inside(self) -> bool {
        match self {
            Self::Creator | Self::Administrator | Self::Member | Self::Restricted => true,
            Self::Left | Self::Kicked => false,
        }
    }

    /// Has the rights of an administrator.
    pub(crate) fn admin(self) -> bool {
        matches!(self, Self::Creator | Self::Administrator)
    }

    /// The word of a `ChatMember`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Creator => "creator",
            Self::Administrator => "administrator",
            Self::Member => "member",
            Self::Restricted => "restricted",
            Self::Left => "left",
            Self::Kicked => "kicked",
        }
    }
}

impl Group {
    /// Who made it.
    pub(crate) fn creator(&self) -> i64 {
        let creator = self.members.iter().find(|(_, standing)| **standing == Standing::Creator);
        creator.map_or(ANONYMOUS_ADMIN, |(id, _)| *id)
    }

    /// Whether this person writes as the group.
    pub(crate) fn hides(&self, person: i64) -> bool {
        self.hidden.contains(&person) && self.members.get(&person).is_some_and(|standing| standing.admin())
    }

    /// People can write in it.
    pub(crate) fn open(&self) -> bool {
        !self.deleted && self.upgraded_to.is_none()
    }
}
