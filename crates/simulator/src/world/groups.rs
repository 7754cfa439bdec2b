//! Groups: made, joined, left; where a bot stands in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::control::{NewGroup, Telling};
use super::state::{Author, Chat, ChatKey, ChatKind, Group, Message, Service, Standing, State};
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
        self.upgrade_group_telling(chat, if told { Telling::default() } else { Telling::NOTHING })
    }

    /// The same, with a choice of what its bots hear of it.
    ///
    /// # Errors
    /// When there is no such basic group.
    pub fn upgrade_group_telling(&self, chat: i64, telling: Telling) -> Result<i64, Trouble> {
        self.change(|state, now| state.upgrade(chat, telling, now))
    }

    /// An administrator begins or ends to write as the group. Buttons are still pressed under the own name.
    ///
    /// # Errors
    /// When there is no such group, or the person has no rights in it.
    pub fn set_hidden(&self, chat: i64, person: i64, hidden: bool) -> Result<(), Trouble> {
        self.change(|state, _| {
            let group = state.open_group(chat)?;
            if !group.members.get(&person).is_some_and(|standing| standing.admin()) {
                return Err(Trouble::invalid("Only an administrator may hide behind the group."));
            }
            if hidden {
                group.hidden.insert(person);
            } else {
                group.hidden.remove(&person);
            }
            state.touch(ChatKey::Group(chat));
            Ok(())
        })
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
        let supergroup = new.supergroup || new.forum;
        let id = if supergroup { SUPERGROUPS - number } else { -number };
        let key = ChatKey::Group(id);
        let group = Group {
            title: title.clone(),
            supergroup,
            members,
            next_message: 1,
            upgraded_to: None,
            deleted: false,
            forum: new.forum,
            topics: BTreeMap::new(),
            hidden: BTreeSet::new(),
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
    pub(super) fn open_group(&mut self, chat: i64) -> Result<&mut Group, Trouble> {
        let group = self.chats.get_mut(&ChatKey::Group(chat)).and_then(Chat::group_mut);
        let group = group.filter(|group| group.open());
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

    pub(crate) fn upgrade(&mut self, chat: i64, telling: Telling, now: i64) -> Result<i64, Trouble> {
        let number = self.next_group;
        self.next_group += 1 + i64::try_from(self.chance.below(1_000)).unwrap_or(0);
        let to = SUPERGROUPS - number;
        let group = self.open_group(chat)?;
        if group.supergroup {
            return Err(Trouble::no_chat(chat));
        }
        let creator = group.creator();
        let successor = Group { supergroup: true, next_message: 1, ..group.clone() };
        group.upgraded_to = Some(to);
        self.chats.insert(ChatKey::Group(to), Chat::new(ChatKind::Group(successor)));
        let said = |service| Message::service(Author::Person(creator), service, now);
        let mut news = vec![
            (
                telling.old,
                ChatKey::Group(chat),
                self.post(ChatKey::Group(chat), said(Service::UpgradedTo(to))),
            ),
            (
                telling.new,
                ChatKey::Group(to),
                self.post(ChatKey::Group(to), said(Service::UpgradedFrom(chat))),
            ),
        ];
        if telling.new_first {
            news.reverse();
        }
        for (told, key, id) in news {
            if told {
                self.tell(key, id, "message", now);
            }
        }
        if telling.standing {
            for bot in self.bots_of(ChatKey::Group(to)) {
                let standing = self.standing(ChatKey::Group(to), bot).unwrap_or(Standing::Member);
                self.tell_standing(ChatKey::Group(chat), bot, creator, standing, Standing::Left, now);
                self.tell_standing(ChatKey::Group(to), bot, creator, Standing::Left, standing, now);
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
