//! Telegram as a group sees it, inside one process: messages that stand in chats, and faults as they are told.

use clients::telegram::{
    BotCommand, Buttons, Call, ChatInfo, CommandScope, CreateStickerSet, EditMessage, InputSticker, Me,
    MessageRef, Parameters, RawUpdate, SendDocument, SendMessage, StickerSet, Telegram, TelegramError,
};
use domain::Clock;
use domain::clock::ManualClock;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// What happens to a call.
#[derive(Clone)]
pub enum Fault {
    /// Refused; nothing is done.
    Refused(TelegramError),
    /// Done, and the answer is lost.
    Lost,
    /// Neither done nor answered.
    Hang,
}

/// A message that stands in a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub place: (i64, i64),
    pub text: String,
    pub buttons: Vec<String>,
    pub reply_to: Option<i64>,
    pub thread: Option<i64>,
    pub edits: usize,
}

#[derive(Default)]
struct State {
    messages: BTreeMap<(i64, i64), Standing>,
    /// Every call with its time, in order: `send`, `edit`, `delete`, `document`.
    calls: Vec<(i64, &'static str)>,
    documents: Vec<(i64, String, Vec<u8>)>,
    toasts: Vec<Option<String>>,
    faults: BTreeMap<&'static str, VecDeque<Fault>>,
    /// Refuses every call of this kind until it is taken away.
    always: BTreeMap<&'static str, TelegramError>,
    /// Refuses a send or edit whose text holds these words.
    poison: Option<(String, TelegramError)>,
    last: i64,
}

pub struct FakeTelegram {
    state: Mutex<State>,
    clock: Arc<ManualClock>,
    /// Told when a call hangs.
    pub hanging: Notify,
}

impl FakeTelegram {
    pub fn new(clock: Arc<ManualClock>) -> Self {
        Self { state: Mutex::default(), clock, hanging: Notify::new() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no test panicked while it held the lock")
    }

    /// The next call of this kind meets this fault.
    pub fn fault(&self, kind: &'static str, fault: Fault) {
        self.state().faults.entry(kind).or_default().push_back(fault);
    }

    /// Every call of this kind is refused, until `None`.
    pub fn always(&self, kind: &'static str, error: Option<TelegramError>) {
        match error {
            Some(error) => self.state().always.insert(kind, error),
            None => self.state().always.remove(kind),
        };
    }

    /// Texts with these words are refused.
    pub fn poison(&self, words: &str, error: TelegramError) {
        self.state().poison = Some((words.to_owned(), error));
    }

    /// What stands in a chat, oldest first.
    pub fn chat(&self, chat: i64) -> Vec<Standing> {
        let state = self.state();
        state.messages.values().filter(|message| message.place.0 == chat).cloned().collect()
    }

    /// The texts that stand in a chat.
    pub fn texts(&self, chat: i64) -> Vec<String> {
        self.chat(chat).into_iter().map(|message| message.text).collect()
    }

    /// Somebody deletes a message.
    pub fn remove(&self, place: (i64, i64)) {
        self.state().messages.remove(&place);
    }

    /// Times of the calls of a kind, in milliseconds.
    pub fn times(&self, kind: &'static str) -> Vec<i64> {
        self.state().calls.iter().filter(|(_, called)| *called == kind).map(|(at, _)| *at).collect()
    }

    /// Times of everything that counts against the limits of a group.
    pub fn all_times(&self) -> Vec<i64> {
        self.state().calls.iter().map(|(at, _)| *at).collect()
    }

    pub fn documents(&self) -> Vec<(i64, String, Vec<u8>)> {
        self.state().documents.clone()
    }

    /// What presses were answered with.
    pub fn toasts(&self) -> Vec<Option<String>> {
        self.state().toasts.clone()
    }

    fn run<T: Send + 'static>(
        &self,
        kind: &'static str,
        text: &str,
        act: impl FnOnce(&mut State) -> Result<T, TelegramError>,
    ) -> Call<'_, T> {
        let now = self.clock.now().as_millis();
        let mut state = self.state();
        state.calls.push((now, kind));
        let poisoned = state.poison.as_ref().filter(|(words, _)| text.contains(words.as_str()));
        if let Some(error) =
            poisoned.map(|(_, error)| error.clone()).or_else(|| state.always.get(kind).cloned())
        {
            return Box::pin(std::future::ready(Err(error)));
        }
        let answer = match state.faults.get_mut(kind).and_then(VecDeque::pop_front) {
            Some(Fault::Hang) => {
                self.hanging.notify_one();
                return Box::pin(std::future::pending());
            }
            Some(Fault::Refused(error)) => Err(error),
            Some(Fault::Lost) => {
                act(&mut state).and_then(|_| Err(TelegramError::unknown("the connection closed")))
            }
            None => act(&mut state),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// A refusal in Telegram's words.
pub fn refused(status: u16, description: &str) -> TelegramError {
    TelegramError::refused(status, description, Parameters::default())
}

/// Flood control.
pub fn flood(seconds: i64) -> TelegramError {
    let parameters = Parameters { retry_after_s: Some(seconds), migrate_to_chat_id: None };
    TelegramError::refused(429, format!("Too Many Requests: retry after {seconds}"), parameters)
}

/// The group became a supergroup.
pub fn migrated(to: i64) -> TelegramError {
    let parameters = Parameters { retry_after_s: None, migrate_to_chat_id: Some(to) };
    TelegramError::refused(400, "Bad Request: group chat was upgraded to a supergroup chat", parameters)
}

fn labels(buttons: &Option<Buttons>) -> Vec<String> {
    use clients::telegram::ButtonAction;
    let rows = buttons.iter().flat_map(|buttons| &buttons.0).flatten();
    rows.map(|button| match &button.action {
        ButtonAction::Callback(data) => data.clone(),
        ButtonAction::Url(url) => url.clone(),
    })
    .collect()
}

impl Telegram for FakeTelegram {
    fn get_me(&self) -> Call<'_, Me> {
        let me = Me {
            id: 1,
            username: "our_bot".into(),
            first_name: "Bot".into(),
            can_read_all_group_messages: false,
        };
        Box::pin(std::future::ready(Ok(me)))
    }
    fn get_updates(&self, _: i64, _: u32, _: &[&str]) -> Call<'_, Vec<RawUpdate>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
    fn send_message(&self, message: SendMessage) -> Call<'_, MessageRef> {
        let text = message.text.clone();
        self.run("send", &text, move |state| {
            state.last += 1;
            let place = (message.chat_id, state.last);
            let standing = Standing {
                place,
                text: message.text,
                buttons: labels(&message.buttons),
                reply_to: message.reply_to,
                thread: message.thread,
                edits: 0,
            };
            state.messages.insert(place, standing);
            Ok(MessageRef { chat_id: place.0, message_id: place.1 })
        })
    }
    fn edit_message_text(&self, edit: EditMessage) -> Call<'_, ()> {
        let text = edit.text.clone();
        self.run("edit", &text, move |state| {
            let place = (edit.message.chat_id, edit.message.message_id);
            let Some(standing) = state.messages.get_mut(&place) else {
                return Err(refused(400, "Bad Request: message to edit not found"));
            };
            standing.text = edit.text;
            standing.buttons = labels(&edit.buttons);
            standing.edits += 1;
            Ok(())
        })
    }
    fn edit_reply_markup(&self, _: MessageRef, _: Option<Buttons>) -> Call<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn delete_message(&self, message: MessageRef) -> Call<'_, ()> {
        self.run("delete", "", move |state| {
            state.messages.remove(&(message.chat_id, message.message_id));
            Ok(())
        })
    }
    fn answer_callback(&self, _: &str, text: Option<&str>, _: bool) -> Call<'_, ()> {
        self.state().toasts.push(text.map(str::to_owned));
        Box::pin(std::future::ready(Ok(())))
    }
    fn send_sticker(&self, chat_id: i64, _: &str) -> Call<'_, MessageRef> {
        Box::pin(std::future::ready(Ok(MessageRef { chat_id, message_id: 1 })))
    }
    fn send_document(&self, document: SendDocument) -> Call<'_, MessageRef> {
        self.run("document", "", move |state| {
            let chat_id = document.chat_id;
            state.documents.push((chat_id, document.file_name, document.bytes.to_vec()));
            Ok(MessageRef { chat_id, message_id: 1 })
        })
    }
    fn create_sticker_set(&self, _: CreateStickerSet) -> Call<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn get_sticker_set(&self, _: &str) -> Call<'_, Option<StickerSet>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    fn add_sticker_to_set(&self, _: i64, _: &str, _: InputSticker) -> Call<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn delete_sticker_set(&self, _: &str) -> Call<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn set_my_commands(&self, _: &[BotCommand], _: CommandScope, _: Option<&str>) -> Call<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn delete_webhook(&self) -> Call<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn get_chat(&self, _: i64) -> Call<'_, ChatInfo> {
        Box::pin(std::future::ready(Err(refused(400, "Bad Request: chat not found"))))
    }
}
