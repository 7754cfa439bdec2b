//! What persons do in their app: press Start, write, press buttons, block a bot.

use serde_json::json;

use super::control::{NewPerson, NewPress};
use super::state::{Author, Chat, ChatKey, ChatKind, Media, Message, Person, Press, State};
use super::{Trouble, World};
use crate::entity;
use crate::updates::{DAY_MS, PRESS_MS};
use crate::wire::keyboard::Action;
use crate::wire::show;

/// Longest text that an app sends.
const MOST_TEXT: usize = 4_096;
/// Longest name.
const MOST_NAME: usize = 64;
/// Persons in one world.
const MOST_PERSONS: usize = 100_000;
/// Presses that are remembered.
const MOST_PRESSES: usize = 20_000;
/// How long an app shows that a press waits for its answer.
pub(crate) const PRESS_SHOWN_MS: i64 = 30_000;

impl World {
    /// Adds a person.
    ///
    /// # Errors
    /// When the name is empty or too long.
    pub fn add_person(&self, new: NewPerson) -> Result<Person, Trouble> {
        let first_name = new.first_name.trim().to_owned();
        if first_name.is_empty() || first_name.chars().count() > MOST_NAME {
            return Err(Trouble::invalid("A first name has 1 to 64 letters."));
        }
        self.change(|state, _| {
            if state.people.len() >= MOST_PERSONS {
                return Err(Trouble::invalid("There are too many persons."));
            }
            let person = Person {
                id: state.next_person,
                first_name,
                last_name: new.last_name.filter(|name| !name.trim().is_empty()),
                username: new.username.map(|name| name.trim_start_matches('@').to_owned()),
                language_code: new.language_code.or_else(|| Some("ru".to_owned())),
                deleted: false,
            };
            // Account ids are not neighbours, and they grow.
            state.next_person += 1 + i64::try_from(state.chance.below(9_000)).unwrap_or(0);
            state.people.insert(person.id, person.clone());
            Ok(person)
        })
    }

    /// The person presses Start, in a new chat or again. Answers the number of the message `/start payload`.
    ///
    /// # Errors
    /// When there is no such person or bot, or the payload has other letters than a start link may carry.
    pub fn start(&self, person: i64, bot: i64, payload: Option<&str>) -> Result<i64, Trouble> {
        let payload = payload.filter(|payload| !payload.is_empty());
        if payload.is_some_and(|payload| !is_payload(payload)) {
            return Err(Trouble::invalid("A payload has 1 to 64 of A-Z a-z 0-9 _ -."));
        }
        let text = payload.map_or_else(|| "/start".to_owned(), |payload| format!("/start {payload}"));
        self.change(|state, now| {
            state.living(person)?;
            state.bots.get(&bot).ok_or_else(|| Trouble::no_bot(bot))?;
            if state.is_blocked(bot, person) {
                state.set_blocked(person, bot, false, now)?;
            }
            state.say(ChatKey::Private { bot, person }, person, &text, (None, None), now)
        })
    }

    /// The person writes. `chat` is a bot's id for the private chat with it, or a group's id.
    ///
    /// # Errors
    /// When there is no such person or chat, the text is empty or too long, or the person has blocked the bot.
    pub fn send_text(
        &self,
        person: i64,
        chat: i64,
        text: &str,
        reply_to: Option<i64>,
    ) -> Result<i64, Trouble> {
        self.change(|state, now| {
            state.living(person)?;
            let key = state.key_for(person, chat)?;
            state.say(key, person, text, (reply_to, None), now)
        })
    }

    /// The person writes into a topic of a forum.
    ///
    /// # Errors
    /// As for [`World::send_text`], and when there is no such topic.
    pub fn send_in_topic(&self, person: i64, chat: i64, topic: i64, text: &str) -> Result<i64, Trouble> {
        self.change(|state, now| {
            state.living(person)?;
            let key = state.key_for(person, chat)?;
            if !state.has_topic(key, topic) {
                return Err(Trouble::new(404, "unknown_topic", format!("There is no topic {topic} here.")));
            }
            state.say(key, person, text, (None, Some(topic)), now)
        })
    }

    /// The person sends a sticker of a set.
    ///
    /// # Errors
    /// When there is no such person, chat, set or sticker.
    pub fn send_sticker(&self, person: i64, chat: i64, set: &str, index: usize) -> Result<i64, Trouble> {
        self.change(|state, now| {
            state.living(person)?;
            let key = state.key_for(person, chat)?;
            let found = state.sets.get(&set.to_lowercase());
            let found = found.and_then(|set| Some((set.name.clone(), set.stickers.get(index)?)));
            let (name, sticker) =
                found.ok_or_else(|| Trouble::new(404, "unknown_sticker", "There is no such sticker."))?;
            let media = Media::Sticker {
                file: sticker.file.clone(),
                emoji: sticker.emoji.first().cloned().unwrap_or_default(),
                set: Some(name),
            };
            state.may_write(key)?;
            state.mark_started(key);
            let message = Message { media: Some(media), ..Message::from(state.author(key, person), now) };
            Ok(state.post_and_tell(key, message, now))
        })
    }

    /// The person presses a button. Answers the id of the callback query.
    ///
    /// # Errors
    /// When there is no such button, or it is a link.
    pub fn press(&self, press: NewPress) -> Result<String, Trouble> {
        self.change(|state, now| {
            state.living(press.person)?;
            let key = state.key_for(press.person, press.chat)?;
            state.press(key, &press, now)
        })
    }

    /// The person blocks or unblocks a bot.
    ///
    /// # Errors
    /// When there is no such person, bot or chat between them.
    pub fn block(&self, person: i64, bot: i64, blocked: bool) -> Result<(), Trouble> {
        self.change(|state, now| {
            state.living(person)?;
            state.bots.get(&bot).ok_or_else(|| Trouble::no_bot(bot))?;
            state.set_blocked(person, bot, blocked, now)
        })
    }

    /// The person deletes the account.
    ///
    /// # Errors
    /// When there is no such person.
    pub fn delete_account(&self, person: i64) -> Result<(), Trouble> {
        self.change(|state, _| {
            state.living(person)?;
            if let Some(person) = state.people.get_mut(&person) {
                person.deleted = true;
            }
            Ok(())
        })
    }

    /// The person deletes a message for everybody.
    ///
    /// # Errors
    /// When there is no such message, or it is another's and the person has no right to delete it.
    pub fn delete_message(&self, person: i64, chat: i64, message: i64) -> Result<(), Trouble> {
        self.change(|state, now| {
            state.living(person)?;
            let key = state.key_for(person, chat)?;
            let found = state.chats.get(&key).and_then(|chat| chat.messages.get(&message));
            let from = found.ok_or_else(|| Trouble::no_message(message))?.from;
            let admin = state.standing(key, person).is_none_or(|standing| standing.admin());
            if from != Author::Person(person) && !admin {
                return Err(Trouble::new(403, "forbidden", "Only an administrator may delete this message."));
            }
            state.erase(key, message, now);
            Ok(())
        })
    }

    /// The person changes the text of an own message.
    ///
    /// # Errors
    /// When there is no such message, it is another's, or the text is empty or too long.
    pub fn edit_text(&self, person: i64, chat: i64, message: i64, text: &str) -> Result<(), Trouble> {
        self.change(|state, now| {
            state.living(person)?;
            let key = state.key_for(person, chat)?;
            let text = sendable(text)?;
            let authors = [Author::Person(person), state.author(key, person)];
            let found = state.chats.get_mut(&key).and_then(|chat| chat.messages.get_mut(&message));
            let found = found.filter(|found| authors.contains(&found.from) && found.service.is_none());
            let found = found.ok_or_else(|| Trouble::no_message(message))?;
            found.entities = entity::find(&text);
            found.text = text;
            found.edit_date = Some(now / 1_000);
            state.touch(key);
            state.tell(key, message, "edited_message", now);
            Ok(())
        })
    }
}

fn is_payload(payload: &str) -> bool {
    payload.len() <= 64 && payload.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn sendable(text: &str) -> Result<String, Trouble> {
    let text = text.trim();
    match entity::units(text) {
        0 => Err(Trouble::invalid("A message has some text.")),
        1..=MOST_TEXT => Ok(text.to_owned()),
        _ => Err(Trouble::invalid("A message has at most 4096 letters.")),
    }
}

impl State {
    /// The person, if the account is there.
    pub(crate) fn living(&self, id: i64) -> Result<&Person, Trouble> {
        self.people.get(&id).filter(|person| !person.deleted).ok_or_else(|| Trouble::no_person(id))
    }

    /// Which chat a person means: a bot's id is the private chat with it.
    pub(crate) fn key_for(&self, person: i64, chat: i64) -> Result<ChatKey, Trouble> {
        if self.bots.contains_key(&chat) {
            return Ok(ChatKey::Private { bot: chat, person });
        }
        let key = ChatKey::Group(chat);
        let inside = self.standing(key, person).is_some_and(|standing| standing.inside());
        if inside { Ok(key) } else { Err(Trouble::no_chat(chat)) }
    }

    pub(crate) fn is_blocked(&self, bot: i64, person: i64) -> bool {
        let chat = self.chats.get(&ChatKey::Private { bot, person });
        chat.is_some_and(|chat| matches!(chat.kind, ChatKind::Private { blocked: true, .. }))
    }

    fn may_write(&self, key: ChatKey) -> Result<(), Trouble> {
        match (key, self.chats.get(&key).map(|chat| &chat.kind)) {
            (_, Some(ChatKind::Private { blocked: true, .. })) => {
                Err(Trouble::new(409, "blocked", "Press Start to unblock the bot first."))
            }
            (ChatKey::Group(id), Some(ChatKind::Group(group))) if !group.open() => Err(Trouble::no_chat(id)),
            _ => Ok(()),
        }
    }

    fn mark_started(&mut self, key: ChatKey) {
        if matches!(key, ChatKey::Private { .. }) {
            let chat = self.chats.entry(key);
            let chat = chat.or_insert_with(|| Chat::new(ChatKind::Private { started: true, blocked: false }));
            if let ChatKind::Private { started, .. } = &mut chat.kind {
                *started = true;
            }
        }
    }

    fn say(
        &mut self,
        key: ChatKey,
        person: i64,
        text: &str,
        (reply_to, topic): (Option<i64>, Option<i64>),
        now: i64,
    ) -> Result<i64, Trouble> {
        let text = sendable(text)?;
        self.may_write(key)?;
        self.mark_started(key);
        let target = reply_to.and_then(|id| self.chats.get(&key)?.messages.get(&id));
        let message = Message {
            entities: entity::find(&text),
            text,
            reply_to: target.map(|target| target.id),
            // An answer stands where its question stands.
            topic: target.map_or(topic, |target| target.topic),
            ..Message::from(self.author(key, person), now)
        };
        Ok(self.post_and_tell(key, message, now))
    }

    /// As whom this person writes.
    fn author(&self, key: ChatKey, person: i64) -> Author {
        let group = self.chats.get(&key).and_then(Chat::group);
        if group.is_some_and(|group| group.hides(person)) {
            Author::Anonymous
        } else {
            Author::Person(person)
        }
    }

    fn press(&mut self, key: ChatKey, press: &NewPress, now: i64) -> Result<String, Trouble> {
        let chat = self.chats.get(&key).ok_or_else(|| Trouble::no_chat(press.chat))?;
        let message = chat.messages.get(&press.message_id);
        let button = message.and_then(|m| m.keyboard.as_ref()?.get(press.row)?.get(press.col));
        let data = match (&press.data, button.map(|button| &button.action)) {
            // A changed app may send any bytes, also for a message that is gone.
            (Some(forged), _) => forged.clone(),
            (None, Some(Action::Callback(data))) => data.clone(),
            (None, Some(_)) => return Err(Trouble::invalid("This button does not ask the bot.")),
            (None, None) if message.is_none() => return Err(Trouble::no_message(press.message_id)),
            (None, None) => return Err(Trouble::invalid("There is no such button.")),
        };
        let from = message.map(|message| message.from);
        let bot = match (key, from) {
            (ChatKey::Private { bot, .. }, _) | (ChatKey::Group(_), Some(Author::Bot(bot))) => bot,
            (ChatKey::Group(_), _) => {
                let bots = self.bots_of(key);
                *bots.first().ok_or_else(|| Trouble::invalid("There is no bot in this chat."))?
            }
        };
        let shown = match message.filter(|_| !press.inaccessible) {
            Some(message) => show::message(self, key, message),
            None => json!({"chat": show::chat(self, key), "message_id": press.message_id, "date": 0}),
        };
        let id = format!("{}{:010}", bot, self.chance.below(10_000_000_000));
        let body = json!({
            "id": id,
            "from": show::user(self, press.person),
            "message": shown,
            "chat_instance": format!("{}", show::chat_id(key).wrapping_mul(7_919)),
            "data": data,
        });
        self.remember_press(&id, key, bot, press, now);
        self.met.entry(bot).or_default().insert(press.person);
        self.push_update(bot, "callback_query", body, PRESS_MS, now);
        self.touch(key);
        Ok(id)
    }

    fn remember_press(&mut self, id: &str, key: ChatKey, bot: i64, press: &NewPress, now: i64) {
        if self.presses.len() >= MOST_PRESSES {
            self.presses.retain(|_, press| now - press.at_ms < PRESS_SHOWN_MS);
        }
        let press = Press {
            bot,
            person: press.person,
            chat: key,
            message: press.message_id,
            row: press.row,
            col: press.col,
            at_ms: now,
            answered: false,
        };
        self.presses.insert(id.to_owned(), press);
    }

    fn set_blocked(&mut self, person: i64, bot: i64, to: bool, now: i64) -> Result<(), Trouble> {
        let key = ChatKey::Private { bot, person };
        let chat = self.chats.get_mut(&key).ok_or_else(|| Trouble::no_chat(bot))?;
        let ChatKind::Private { blocked, .. } = &mut chat.kind else { return Err(Trouble::no_chat(bot)) };
        if *blocked == to {
            return Ok(());
        }
        *blocked = to;
        chat.revision += 1;
        let as_member = |kicked: bool| {
            let mut member =
                json!({"user": show::user(self, bot), "status": if kicked { "kicked" } else { "member" }});
            if kicked {
                member["until_date"] = 0.into();
            }
            member
        };
        let body = json!({
            "chat": show::chat(self, key),
            "from": show::user(self, person),
            "date": now / 1_000,
            "old_chat_member": as_member(!to),
            "new_chat_member": as_member(to),
        });
        self.push_update(bot, "my_chat_member", body, DAY_MS, now);
        Ok(())
    }
}
