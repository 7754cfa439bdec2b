//! Groups: made, joined, left; where a bot stands in them.

use std::collections::BTreeMap;

use serde_json::json;

use super::control::NewGroup;
use super::state::{
    ANONYMOUS_ADMIN, Author, Chat, ChatKey, ChatKind, Group, Message, Service, Standing, State,
};
use super::{Trouble, World};
use crate::entity;
use crate::updates::DAY_MS;
use crate::wire::show;

/// Persons and bots in one group.
const MOST_MEMBERS: usize = 10_000;
/// Ids of supergroups begin here.
const SUPERGROUPS: i64 = -1_000_000_000_000;

impl World {
    /// Makes a group; the first member is its creator. Answers the chat's id.
    ///
    /// # Errors
    /// When the title is empty or somebody is unknown.
    pub fn add_group(&self, new: NewGroup) -> Result<i64, Trouble> {
        self.change(|state, now| state.make_group(new, now))
    }

    /// Changes where somebody stands: added, promoted, muted, removed. `by` is who does it, the creator when None.
    ///
    /// # Errors
    /// When there is no such group, person or bot.
    pub fn set_standing(&self, chat: i64, who: i64, to: Standing, by: Option<i64>) -> Result<(), Trouble> {
        self.change(|state, now| state.set_standing(chat, who, to, by, now))
    }

    /// The group goes without a successor.
    ///
    /// # Errors
    /// When there is no such group.
    pub fn delete_group(&self, chat: i64) -> Result<(), Trouble> {
        self.change(|state, _| {
            state.open_group(chat)?.deleted = true;
            state.touch(ChatKey::Group(chat));
            Ok(())
        })
    }

    /// The group becomes a supergroup with a new id and new message numbers. `told`: the two messages that say so
    /// are sent; outside they get lost at times. Answers the new id.
    ///
    /// # Errors
    /// When there is no such basic group.
    pub fn upgrade_group(&self, chat: i64, told: bool) -> Result<i64, Trouble> {
        self.change(|state, now| state.upgrade(chat, told, now))
    }

    /// An administrator who stays hidden writes.
    ///
    /// # Errors
    /// When there is no such group.
    pub fn send_anonymously(&self, chat: i64, text: &str) -> Result<i64, Trouble> {
        self.change(|state, now| {
            state.open_group(chat)?;
            let from = Message::from(Author::Anonymous, now);
            let message = Message { entities: entity::find(text), text: text.to_owned(), ..from };
            Ok(state.post_and_tell(ChatKey::Group(chat), message, now))
        })
    }
}

impl State {
    fn make_group(&mut self, new: NewGroup, now: i64) -> Result<i64, Trouble> {
        let title = new.title.trim().to_owned();
        if title.is_empty() || new.members.is_empty() {
            return Err(Trouble::invalid("A group has a title and at least one member."));
        }
        let bots = new.bots.unwrap_or_else(|| self.bots.keys().copied().collect());
        if new.members.len() + bots.len() > MOST_MEMBERS {
            return Err(Trouble::invalid("A group has at most 10000 members."));
        }
        for person in &new.members {
            self.living(*person)?;
        }
        for bot in &bots {
            self.bots.get(bot).ok_or_else(|| Trouble::no_bot(*bot))?;
        }
        let creator = new.members[0];
        let mut members: BTreeMap<i64, Standing> =
            new.members.iter().chain(&bots).map(|id| (*id, Standing::Member)).collect();
        for id in &new.admins {
            if let Some(standing) = members.get_mut(id) {
                *standing = Standing::Administrator;
            }
        }
        members.insert(creator, Standing::Creator);
        let number = self.next_group;
        self.next_group += 1 + i64::try_from(self.chance.below(1_000)).unwrap_or(0);
        let id = if new.supergroup { SUPERGROUPS - number } else { -number };
        let key = ChatKey::Group(id);
        let group = Group {
            title: title.clone(),
            supergroup: new.supergroup,
            members,
            next_message: 1,
            upgraded_to: None,
            deleted: false,
        };
        self.chats.insert(key, Chat::new(ChatKind::Group(group)));
        let created = Message::service(Author::Person(creator), Service::Created(title), now);
        self.post_and_tell(key, created, now);
        for bot in bots {
            let to = self.standing(key, bot).unwrap_or(Standing::Member);
            self.tell_standing(key, bot, creator, Standing::Left, to, now);
        }
        Ok(id)
    }

    /// A group that people can still write in.
    fn open_group(&mut self, chat: i64) -> Result<&mut Group, Trouble> {
        let group = self.chats.get_mut(&ChatKey::Group(chat)).and_then(Chat::group_mut);
        let group = group.filter(|group| !group.deleted && group.upgraded_to.is_none());
        group.ok_or_else(|| Trouble::no_chat(chat))
    }

    fn set_standing(
        &mut self,
        chat: i64,
        who: i64,
        to: Standing,
        by: Option<i64>,
        now: i64,
    ) -> Result<(), Trouble> {
        let is_bot = self.bots.contains_key(&who);
        if !is_bot {
            self.living(who)?;
        }
        let group = self.open_group(chat)?;
        let by = by.unwrap_or_else(|| group.creator());
        let from = group.members.insert(who, to).unwrap_or(Standing::Left);
        let key = ChatKey::Group(chat);
        let said = match (from.inside(), to.inside()) {
            (true, false) => Some(Service::Left(who)),
            (false, true) => Some(Service::Joined(vec![who])),
            _ => None,
        };
        if let Some(service) = said {
            self.post_and_tell(key, Message::service(Author::Person(by), service, now), now);
        }
        if is_bot {
            self.tell_standing(key, who, by, from, to, now);
        }
        self.touch(key);
        Ok(())
    }

    fn upgrade(&mut self, chat: i64, told: bool, now: i64) -> Result<i64, Trouble> {
        let number = self.next_group;
        self.next_group += 1 + i64::try_from(self.chance.below(1_000)).unwrap_or(0);
        let to = SUPERGROUPS - number;
        let group = self.open_group(chat)?;
        if group.supergroup {
            return Err(Trouble::no_chat(chat));
        }
        let creator = Author::Person(group.creator());
        let successor = Group { supergroup: true, next_message: 1, ..group.clone() };
        group.upgraded_to = Some(to);
        self.chats.insert(ChatKey::Group(to), Chat::new(ChatKind::Group(successor)));
        for (key, service) in [
            (ChatKey::Group(chat), Service::UpgradedTo(to)),
            (ChatKey::Group(to), Service::UpgradedFrom(chat)),
        ] {
            let id = self.post(key, Message::service(creator, service, now));
            if told {
                self.tell(key, id, "message", now);
            }
        }
        Ok(to)
    }

    /// Tells a bot that its place in a group changed.
    pub(crate) fn tell_standing(
        &mut self,
        key: ChatKey,
        bot: i64,
        by: i64,
        from: Standing,
        to: Standing,
        now: i64,
    ) {
        let body = json!({
            "chat": show::chat(self, key),
            "from": show::user(self, by),
            "date": now / 1_000,
            "old_chat_member": show::member(self, bot, from),
            "new_chat_member": show::member(self, bot, to),
        });
        self.met.entry(bot).or_default().insert(by);
        self.push_update(bot, "my_chat_member", body, DAY_MS, now);
    }
}

impl Group {
    fn creator(&self) -> i64 {
        let creator = self.members.iter().find(|(_, standing)| **standing == Standing::Creator);
        creator.map_or(ANONYMOUS_ADMIN, |(id, _)| *id)
    }
}
