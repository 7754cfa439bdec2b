//! Messages in chats: how they get there, who hears of them, how they go.

use std::collections::BTreeMap;

use super::state::{Author, Chat, ChatKey, ChatKind, Group, Message, Service, Standing, State};
use crate::updates::DAY_MS;
use crate::wire::show;

/// Messages that one chat keeps.
const MOST_MESSAGES: usize = 10_000;

impl Chat {
    pub(crate) fn new(kind: ChatKind) -> Self {
        Self {
            kind,
            messages: BTreeMap::new(),
            erased: BTreeMap::new(),
            revision: 1,
            typing_until: 0,
            notices: BTreeMap::new(),
        }
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        match &self.kind {
            ChatKind::Group(group) => Some(group),
            ChatKind::Private { .. } => None,
        }
    }

    pub(crate) fn group_mut(&mut self) -> Option<&mut Group> {
        match &mut self.kind {
            ChatKind::Group(group) => Some(group),
            ChatKind::Private { .. } => None,
        }
    }
}

impl Message {
    /// A message with nothing in it.
    pub(crate) fn from(author: Author, now: i64) -> Self {
        Self {
            id: 0,
            from: author,
            date: now / 1_000,
            edit_date: None,
            text: String::new(),
            entities: Vec::new(),
            media: None,
            reply_to: None,
            topic: None,
            keyboard: None,
            reply_keyboard: false,
            service: None,
            protected: false,
        }
    }

    /// A message that the chat itself says.
    pub(crate) fn service(author: Author, service: Service, now: i64) -> Self {
        Self { service: Some(service), ..Self::from(author, now) }
    }
}

impl State {
    /// Puts a message into a chat; answers its number.
    pub(crate) fn post(&mut self, key: ChatKey, mut message: Message) -> i64 {
        let Some(chat) = self.chats.get_mut(&key) else { return 0 };
        // Private chats and basic groups share one row of numbers, a supergroup has its own.
        let counter = match &mut chat.kind {
            ChatKind::Group(group) if group.supergroup => &mut group.next_message,
            ChatKind::Group(_) | ChatKind::Private { .. } => &mut self.next_message,
        };
        let id = *counter;
        *counter += 1;
        message.id = id;
        if matches!(message.from, Author::Bot(_)) {
            chat.typing_until = 0;
        }
        if chat.messages.len() >= MOST_MESSAGES {
            chat.messages.pop_first();
        }
        chat.messages.insert(id, message);
        chat.revision += 1;
        id
    }

    /// Puts a person's message into a chat and tells the bots that may hear it.
    pub(crate) fn post_and_tell(&mut self, key: ChatKey, message: Message, now: i64) -> i64 {
        let id = self.post(key, message);
        self.tell(key, id, "message", now);
        id
    }

    /// Tells the bots of a chat about a message.
    pub(crate) fn tell(&mut self, key: ChatKey, id: i64, kind: &str, now: i64) {
        let Some(message) = self.chats.get(&key).and_then(|chat| chat.messages.get(&id)) else { return };
        let person = message.from;
        let lives_ms = message.date * 1_000 + DAY_MS - now;
        let listeners: Vec<i64> =
            self.bots_of(key).into_iter().filter(|bot| self.hears(*bot, key, message)).collect();
        let body = show::message(self, key, message);
        for bot in listeners {
            if let Author::Person(person) = person {
                self.met.entry(bot).or_default().insert(person);
            }
            self.push_update(bot, kind, body.clone(), lives_ms, now);
        }
    }

    /// The bots in a chat.
    pub(crate) fn bots_of(&self, key: ChatKey) -> Vec<i64> {
        match (key, self.chats.get(&key).and_then(Chat::group)) {
            (ChatKey::Private { bot, .. }, _) => vec![bot],
            (ChatKey::Group(_), Some(group)) => {
                let inside = group.members.iter().filter(|(_, standing)| standing.inside());
                inside.map(|(id, _)| *id).filter(|id| self.bots.contains_key(id)).collect()
            }
            (ChatKey::Group(_), None) => Vec::new(),
        }
    }

    /// Privacy mode: in a group a bot hears commands, answers to itself and what the chat says; an administrator hears all.
    fn hears(&self, bot: i64, key: ChatKey, message: &Message) -> bool {
        let Some(account) = self.bots.get(&bot) else { return false };
        if message.from == Author::Bot(bot) && message.service.is_none() {
            return false;
        }
        let Some(chat) = self.chats.get(&key) else { return false };
        let Some(group) = chat.group() else { return true };
        let admin = group.members.get(&bot).is_some_and(|standing| standing.admin());
        if account.reads_all || admin || message.service.is_some() {
            return true;
        }
        let answered = message.reply_to.and_then(|id| chat.messages.get(&id));
        if answered.is_some_and(|target| target.from == Author::Bot(bot)) {
            return true;
        }
        is_command_for(message, &account.username)
    }

    /// Changes something in a chat that its watchers should see.
    pub(crate) fn touch(&mut self, key: ChatKey) {
        if let Some(chat) = self.chats.get_mut(&key) {
            chat.revision += 1;
        }
    }

    /// Takes a message away; false when it was not there.
    pub(crate) fn erase(&mut self, key: ChatKey, id: i64, now: i64) -> bool {
        let Some(chat) = self.chats.get_mut(&key) else { return false };
        let gone = chat.messages.remove(&id).is_some();
        if gone {
            chat.erased.insert(id, now);
            if chat.erased.len() > MOST_MESSAGES {
                chat.erased.pop_first();
            }
            chat.revision += 1;
        }
        gone
    }

    /// Where somebody stands in a group.
    pub(crate) fn standing(&self, key: ChatKey, id: i64) -> Option<Standing> {
        self.chats.get(&key)?.group()?.members.get(&id).copied()
    }
}

/// A command at the start, for everybody or for this bot.
fn is_command_for(message: &Message, username: &str) -> bool {
    let first = message.entities.iter().find(|entity| entity.kind == "bot_command" && entity.offset == 0);
    // A command is ASCII, so units are bytes here.
    let Some(command) = first.and_then(|entity| message.text.get(..entity.length)) else { return false };
    command.split_once('@').is_none_or(|(_, name)| name.eq_ignore_ascii_case(username))
}
