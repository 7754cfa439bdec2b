//! A small Telegram for stories inside one process: it keeps sets and messages, and fails as it is told. The whole simulator is met by the
//! black-box tests of the binary.

use clients::telegram::{
    BotCommand, Buttons, Call, ChatInfo, CommandScope, CreateStickerSet, EditMessage, InputSticker, Me,
    MessageRef, RawUpdate, SendDocument, SendMessage, Sticker, StickerSet, Telegram, TelegramError,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// What happens to the next call of a method.
pub enum Fault {
    /// Refused; nothing is done.
    Refused(TelegramError),
    /// Done, and the answer is lost.
    Lost,
    /// Neither done nor answered.
    Hang,
    /// Done at once, and answered when the test says so.
    Held(Arc<Notify>),
}

#[derive(Default)]
struct State {
    sets: BTreeMap<String, Vec<String>>,
    said: Vec<(i64, String)>,
    stickers_sent: Vec<(i64, String)>,
    faults: BTreeMap<&'static str, VecDeque<Fault>>,
    calls: BTreeMap<&'static str, usize>,
    /// How many stickers of a set are shown, when not all of them.
    shown: Option<usize>,
}

/// The fake.
#[derive(Default)]
pub struct FakeTelegram(Mutex<State>);

impl FakeTelegram {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().expect("no test panicked while it held the lock")
    }

    /// The next call of `method` meets this fault.
    pub fn fault(&self, method: &'static str, fault: Fault) {
        self.state().faults.entry(method).or_default().push_back(fault);
    }

    /// Shows only so many stickers of each set; `None`: all.
    pub fn show(&self, count: Option<usize>) {
        self.state().shown = count;
    }

    /// Calls of a method so far.
    pub fn calls(&self, method: &'static str) -> usize {
        self.state().calls.get(method).copied().unwrap_or(0)
    }

    /// Texts that reached a chat.
    pub fn told(&self, chat: i64) -> Vec<String> {
        self.state().said.iter().filter(|(to, _)| *to == chat).map(|(_, text)| text.clone()).collect()
    }

    /// Stickers that reached a chat.
    pub fn stickers_sent(&self, chat: i64) -> usize {
        self.state().stickers_sent.iter().filter(|(to, _)| *to == chat).count()
    }

    /// Names of the sets that exist.
    pub fn sets(&self) -> Vec<String> {
        self.state().sets.keys().cloned().collect()
    }

    /// Puts a half-made set there.
    pub fn put_set(&self, name: &str, stickers: usize) {
        self.state().sets.insert(name.to_owned(), (0..stickers).map(|place| format!("old{place}")).collect());
    }

    /// Stickers in a set.
    pub fn set_size(&self, name: &str) -> usize {
        self.state().sets.get(name).map_or(0, Vec::len)
    }

    /// Counts the call, plays its fault, and does it.
    fn run<T: Send + 'static>(
        &self,
        method: &'static str,
        act: impl FnOnce(&mut State) -> Result<T, TelegramError>,
    ) -> Call<'_, T> {
        let mut state = self.state();
        *state.calls.entry(method).or_default() += 1;
        let fault = state.faults.get_mut(method).and_then(VecDeque::pop_front);
        let answer = match fault {
            Some(Fault::Held(release)) => {
                let answer = act(&mut state);
                return Box::pin(async move {
                    release.notified().await;
                    answer
                });
            }
            Some(Fault::Hang) => return Box::pin(std::future::pending()),
            Some(Fault::Refused(error)) => Err(error),
            Some(Fault::Lost) => {
                act(&mut state).and_then(|_| Err(TelegramError::unknown("the connection closed")))
            }
            None => act(&mut state),
        };
        Box::pin(async move { answer })
    }
}

fn refused(description: &str) -> TelegramError {
    TelegramError::refused(400, description, Default::default())
}

impl Telegram for FakeTelegram {
    fn get_me(&self) -> Call<'_, Me> {
        self.run("get_me", |_| {
            Ok(Me {
                id: 1,
                username: "our_bot".into(),
                first_name: "Bot".into(),
                can_read_all_group_messages: false,
            })
        })
    }
    fn get_updates(&self, _: i64, _: u32, _: &[&str]) -> Call<'_, Vec<RawUpdate>> {
        self.run("get_updates", |_| Ok(Vec::new()))
    }
    fn send_message(&self, message: SendMessage) -> Call<'_, MessageRef> {
        self.run("send_message", move |state| {
            state.said.push((message.chat_id, message.text));
            Ok(MessageRef {
                chat_id: message.chat_id,
                message_id: i64::try_from(state.said.len()).unwrap_or(0),
            })
        })
    }
    fn edit_message_text(&self, _: EditMessage) -> Call<'_, ()> {
        self.run("edit_message_text", |_| Ok(()))
    }
    fn edit_reply_markup(&self, _: MessageRef, _: Option<Buttons>) -> Call<'_, ()> {
        self.run("edit_reply_markup", |_| Ok(()))
    }
    fn delete_message(&self, _: MessageRef) -> Call<'_, ()> {
        self.run("delete_message", |_| Ok(()))
    }
    fn answer_callback(&self, _: &str, _: Option<&str>, _: bool) -> Call<'_, ()> {
        self.run("answer_callback", |_| Ok(()))
    }
    fn send_sticker(&self, chat_id: i64, file_id: &str) -> Call<'_, MessageRef> {
        let file_id = file_id.to_owned();
        self.run("send_sticker", move |state| {
            state.stickers_sent.push((chat_id, file_id));
            Ok(MessageRef { chat_id, message_id: 1 })
        })
    }
    fn send_document(&self, document: SendDocument) -> Call<'_, MessageRef> {
        self.run("send_document", move |_| Ok(MessageRef { chat_id: document.chat_id, message_id: 1 }))
    }
    fn create_sticker_set(&self, set: CreateStickerSet) -> Call<'_, ()> {
        self.run("create_sticker_set", move |state| {
            if state.sets.contains_key(&set.name) {
                return Err(refused("Bad Request: sticker set name is already occupied"));
            }
            let files = set.stickers.iter().enumerate().map(|(place, _)| format!("file{place}")).collect();
            state.sets.insert(set.name, files);
            Ok(())
        })
    }
    fn get_sticker_set(&self, name: &str) -> Call<'_, Option<StickerSet>> {
        let name = name.to_owned();
        self.run("get_sticker_set", move |state| {
            let shown = state.shown.unwrap_or(usize::MAX);
            Ok(state.sets.get(&name).map(|files| StickerSet {
                name: name.clone(),
                title: "Pack".into(),
                stickers: files
                    .iter()
                    .take(shown)
                    .map(|file| Sticker { file_id: file.clone(), emoji: Some("👋".into()) })
                    .collect(),
            }))
        })
    }
    fn add_sticker_to_set(&self, _: i64, name: &str, _: InputSticker) -> Call<'_, ()> {
        let name = name.to_owned();
        self.run("add_sticker_to_set", move |state| {
            let files =
                state.sets.get_mut(&name).ok_or_else(|| refused("Bad Request: STICKERSET_INVALID"))?;
            files.push(format!("added{}", files.len()));
            Ok(())
        })
    }
    fn delete_sticker_set(&self, name: &str) -> Call<'_, ()> {
        let name = name.to_owned();
        self.run("delete_sticker_set", move |state| {
            state.sets.remove(&name);
            Ok(())
        })
    }
    fn set_my_commands(&self, _: &[BotCommand], _: CommandScope, _: Option<&str>) -> Call<'_, ()> {
        self.run("set_my_commands", |_| Ok(()))
    }
    fn delete_webhook(&self) -> Call<'_, ()> {
        self.run("delete_webhook", |_| Ok(()))
    }
    fn get_chat(&self, _: i64) -> Call<'_, ChatInfo> {
        self.run("get_chat", |_| Err(refused("Bad Request: chat not found")))
    }
}
