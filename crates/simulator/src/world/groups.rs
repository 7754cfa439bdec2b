//! Groups: made, joined, left; where a bot stands in them.

use std::collections::BTreeMap;

use serde_json::json;

use super::control::NewGroup;
use super::state::{Author, Chat, ChatKey, ChatKind, Group, Message, Service, Standing, State};
use super::{Trouble, World};
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
