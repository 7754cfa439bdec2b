//! Topics of a forum: made and deleted by people, and where a message belongs.

use super::state::{Author, Chat, ChatKey, Message, Service, State};
use super::{Trouble, World};

/// Topics of one forum.
const MOST_TOPICS: usize = 1_000;
/// Longest name of a topic.
const MOST_NAME: usize = 128;

impl World {
    /// The creator of a forum makes a topic. Answers its number, which is the `message_thread_id` of its messages.
    ///
    /// # Errors
    /// When there is no such group with topics, or the name is empty or too long.
    pub fn add_topic(&self, chat: i64, name: &str) -> Result<i64, Trouble> {
        let name = name.trim().to_owned();
        if name.is_empty() || name.chars().count() > MOST_NAME {
            return Err(Trouble::invalid("A topic's name has 1 to 128 letters."));
        }
        self.change(|state, now| {
            let group = state.open_group(chat)?;
            if !group.forum || group.topics.len() >= MOST_TOPICS {
                return Err(Trouble::invalid("This group has no topics, or too many."));
            }
            let creator = Author::Person(group.creator());
            let key = ChatKey::Group(chat);
            let made = Message {
                topic: Some(group.next_message),
                ..Message::service(creator, Service::TopicCreated(name.clone()), now)
            };
            let id = state.post(key, made);
            if let Some(group) = state.chats.get_mut(&key).and_then(Chat::group_mut) {
                group.topics.insert(id, name);
            }
            state.tell(key, id, "message", now);
            Ok(id)
        })
    }

    /// A topic goes with all its messages.
    ///
    /// # Errors
    /// When there is no such topic.
    pub fn delete_topic(&self, chat: i64, topic: i64) -> Result<(), Trouble> {
        self.change(|state, now| {
            let gone = state.open_group(chat)?.topics.remove(&topic);
            gone.ok_or_else(|| Trouble::no_message(topic))?;
            let key = ChatKey::Group(chat);
            let chat = state.chats.get(&key);
            let inside = chat.into_iter().flat_map(|chat| chat.messages.values());
            let inside: Vec<i64> = inside.filter(|m| m.topic == Some(topic)).map(|m| m.id).collect();
            for id in inside {
                state.erase(key, id, now);
            }
            state.touch(key);
            Ok(())
        })
    }
}

impl State {
    /// Whether a chat has this topic. The general one of a forum is named by leaving the number out.
    pub(crate) fn has_topic(&self, key: ChatKey, topic: i64) -> bool {
        let group = self.chats.get(&key).and_then(Chat::group);
        group.is_some_and(|group| group.forum && group.topics.contains_key(&topic))
    }
}
