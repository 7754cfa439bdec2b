//! The outbox: once for an occasion, in order for a chat, through its states and no other way.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, must};
use domain::guest::TelegramId;
use domain::job::JobId;
use std::future::Future;
use std::pin::Pin;
use store::outbox::{self, Chats, MessageState, NewMessage, OutboxMessage};
use store::{Change, StoreError, Tx};

on_both_engines! {
    a_message_is_queued_once_for_its_key
    a_chat_gives_its_oldest_message_only
    every_move_of_a_message_is_tried_from_every_state
    what_ended_keeps_no_text
    a_dead_senders_messages_are_sent_again_later
    the_last_of_a_kind_is_known_and_old_ones_are_deleted
}

fn message(key: &str, chat: TelegramId, second: i64) -> NewMessage {
    NewMessage {
        key: key.to_owned(),
        chat,
        kind: key.split(':').next().unwrap_or_default().to_owned(),
        body: format!("{{\"text\":\"{key}\"}}"),
        job: Some(JobId(7)),
        now: at(second),
    }
}

impl Db {
    async fn enqueue(&self, key: &'static str, chat: TelegramId, second: i64) -> i64 {
        self.write(move |tx| {
            Box::pin(async move { outbox::enqueue(tx, &message(key, chat, second)).await.map(must) })
        })
        .await;
        self.message(key).await.id
    }

    async fn message(&self, key: &str) -> OutboxMessage {
        outbox::find(&mut self.store.reader(), key).await.expect("reads").expect("is there")
    }

    async fn due(&self, second: i64) -> Vec<String> {
        let due = outbox::due(&mut self.store.reader(), Chats::Private, at(second), 10).await.expect("reads");
        due.into_iter().map(|message| message.key).collect()
    }

    async fn next_due(&self) -> Option<domain::Timestamp> {
        outbox::next_due(&mut self.store.reader()).await.expect("reads")
    }

    /// A message brought to `state`.
    async fn message_in(&self, key: &'static str, state: MessageState) -> i64 {
        let id = self.enqueue(key, MADINA, 0).await;
        self.write(move |tx| {
            Box::pin(async move {
                if matches!(state, MessageState::Sending | MessageState::Sent | MessageState::Failed) {
                    must(outbox::begin_send(tx, id, at(1)).await?);
                }
                match state {
                    MessageState::Pending | MessageState::Sending => {}
                    MessageState::Sent => must(outbox::sent(tx, id, at(2)).await?),
                    MessageState::Failed => must(outbox::give_up(tx, id, "blocked", at(2)).await?),
                    MessageState::Dropped => must(outbox::drop_pending(tx, key, at(2)).await?),
                }
                Ok(())
            })
        })
        .await;
        id
    }
}

async fn a_message_is_queued_once_for_its_key(db: Db) {
    assert_eq!(db.next_due().await, None);
    let id = db.enqueue("link:7:abc", MADINA, 5).await;
    let again =
        db.write(|tx| Box::pin(async { outbox::enqueue(tx, &message("link:7:abc", TIMUR, 6)).await })).await;
    assert_eq!(again, Change::Stale);
    let expected = OutboxMessage {
        id,
        key: "link:7:abc".to_owned(),
        chat: MADINA,
        kind: "link".to_owned(),
        body: "{\"text\":\"link:7:abc\"}".to_owned(),
        job: Some(JobId(7)),
        state: MessageState::Pending,
        attempts: 0,
        not_before: at(5),
        error: None,
        created_at: at(5),
        sent_at: None,
    };
    assert_eq!(db.message("link:7:abc").await, expected);
    assert!(!format!("{expected:?}").contains("text"), "the body is personal");
    db.write(move |tx| {
        Box::pin(async move {
            must(outbox::begin_send(tx, id, at(6)).await?);
            must(outbox::sent(tx, id, at(7)).await?);
            Ok(())
        })
    })
    .await;
    let after =
        db.write(|tx| Box::pin(async { outbox::enqueue(tx, &message("link:7:abc", MADINA, 8)).await })).await;
    assert_eq!(after, Change::Stale, "also after it was sent");
}

async fn a_chat_gives_its_oldest_message_only(db: Db) {
    let first = db.enqueue("delay:1", MADINA, 10).await;
    db.enqueue("link:1", MADINA, 11).await;
    db.enqueue("link:2", TIMUR, 12).await;
    assert_eq!(db.due(9).await, [""; 0]);
    assert_eq!(db.next_due().await, Some(at(10)));
    assert_eq!(db.due(11).await, ["delay:1"]);
    assert_eq!(db.due(12).await, ["delay:1", "link:2"]);
    let at_most_one = outbox::due(&mut db.store.reader(), Chats::Private, at(12), 1).await.expect("reads");
    assert_eq!(at_most_one.len(), 1);
    db.write(move |tx| Box::pin(async move { outbox::begin_send(tx, first, at(12)).await.map(must) })).await;
    assert_eq!(db.due(12).await, ["link:2"], "the first is on its way");
    db.write(move |tx| {
        Box::pin(async move { outbox::retry(tx, first, "502", at(20), at(13)).await.map(must) })
    })
    .await;
    assert_eq!(db.due(19).await, ["link:2"], "the second does not overtake the first");
    let early =
        db.write(move |tx| Box::pin(async move { outbox::begin_send(tx, first, at(19)).await })).await;
    assert_eq!(early, Change::Stale, "whoever still lists it as due does not send it early");
    assert_eq!(db.next_due().await, Some(at(12)));
    assert_eq!(db.due(20).await, ["link:2", "delay:1"], "longest due first");
    db.write(move |tx| Box::pin(async move { outbox::begin_send(tx, first, at(20)).await.map(must) })).await;
    db.write(move |tx| Box::pin(async move { outbox::give_up(tx, first, "403", at(21)).await.map(must) }))
        .await;
    assert_eq!(db.due(21).await, ["link:1", "link:2"], "what was given up holds up nobody");
}

type Moved<'t> = Pin<Box<dyn Future<Output = Result<Change, StoreError>> + Send + 't>>;

async fn try_from_every_state(
    db: &Db,
    keys: [&'static str; 5],
    legal: MessageState,
    to: MessageState,
    mv: impl for<'t> Fn(&'t mut Tx, i64, &'static str) -> Moved<'t> + Send + Copy + 'static,
) {
    for (key, state) in keys.into_iter().zip(MessageState::ALL) {
        let id = db.message_in(key, state).await;
        let before = db.message(key).await;
        assert_eq!(before.state, state);
        let change = db.write(move |tx| mv(tx, id, key)).await;
        let after = db.message(key).await;
        if state == legal {
            assert_eq!((change, after.state), (Change::Changed, to), "from {state:?}");
        } else {
            assert_eq!((change, after), (Change::Stale, before), "from {state:?}");
        }
    }
}

async fn every_move_of_a_message_is_tried_from_every_state(db: Db) {
    use MessageState as S;
    let db = &db;
    try_from_every_state(db, ["a0", "a1", "a2", "a3", "a4"], S::Pending, S::Sending, |tx, id, _| {
        Box::pin(outbox::begin_send(tx, id, at(50)))
    })
    .await;
    try_from_every_state(db, ["b0", "b1", "b2", "b3", "b4"], S::Sending, S::Sent, |tx, id, _| {
        Box::pin(outbox::sent(tx, id, at(50)))
    })
    .await;
    try_from_every_state(db, ["c0", "c1", "c2", "c3", "c4"], S::Sending, S::Pending, |tx, id, _| {
        Box::pin(outbox::retry(tx, id, "429", at(60), at(50)))
    })
    .await;
    try_from_every_state(db, ["d0", "d1", "d2", "d3", "d4"], S::Sending, S::Failed, |tx, id, _| {
        Box::pin(outbox::give_up(tx, id, "403", at(50)))
    })
    .await;
    try_from_every_state(db, ["e0", "e1", "e2", "e3", "e4"], S::Pending, S::Dropped, |tx, _, key| {
        Box::pin(outbox::drop_pending(tx, key, at(50)))
    })
    .await;
    let retried = db.message("c1").await;
    assert_eq!((retried.attempts, retried.not_before), (1, at(60)));
    assert_eq!(retried.error.as_deref(), Some("429"));
    assert_eq!(retried.body, "{\"text\":\"c1\"}", "the text is needed again");
    assert_eq!(db.message("b1").await.sent_at, Some(at(50)));
}

async fn what_ended_keeps_no_text(db: Db) {
    for (key, state) in ["a", "b", "c", "d", "e"].into_iter().zip(MessageState::ALL) {
        db.message_in(key, state).await;
        let open = matches!(state, MessageState::Pending | MessageState::Sending);
        assert_eq!(db.message(key).await.body.is_empty(), !open, "{state:?}");
    }
    assert_eq!(outbox::count_open(&mut db.store.reader()).await.expect("reads"), 2);
}

async fn a_dead_senders_messages_are_sent_again_later(db: Db) {
    db.message_in("a", MessageState::Sending).await;
    db.message_in("b", MessageState::Pending).await;
    db.message_in("c", MessageState::Sent).await;
    let recovered =
        db.write(|tx| Box::pin(outbox::recover_sending(tx, Chats::Private, at(90), at(30)))).await;
    assert_eq!(recovered, 1);
    let message = db.message("a").await;
    assert_eq!((message.state, message.not_before, message.attempts), (MessageState::Pending, at(90), 1));
    assert_eq!(message.error.as_deref(), Some("unknown"));
    assert_eq!(db.message("c").await.state, MessageState::Sent);
    assert_eq!(db.write(|tx| Box::pin(outbox::recover_sending(tx, Chats::Private, at(90), at(31)))).await, 0);
}

async fn the_last_of_a_kind_is_known_and_old_ones_are_deleted(db: Db) {
    let last =
        async |chat, kind| outbox::last_of_kind(&mut db.store.reader(), chat, kind).await.expect("reads");
    assert_eq!(last(MADINA, "alert").await, None);
    db.enqueue("alert:1", MADINA, 10).await;
    db.enqueue("alert:2", MADINA, 20).await;
    db.enqueue("alert:3", TIMUR, 30).await;
    assert_eq!(last(MADINA, "alert").await, Some(at(20)));
    assert_eq!(last(TIMUR, "alert").await, Some(at(30)));
    assert_eq!(last(MADINA, "link").await, None);
    db.message_in("old", MessageState::Sent).await;
    assert_eq!(db.write(|tx| Box::pin(outbox::delete_ended_before(tx, at(2), 10))).await, 0, "it ended at 2");
    assert_eq!(
        db.write(|tx| Box::pin(outbox::delete_ended_before(tx, at(1_000), 10))).await,
        1,
        "open ones stay"
    );
}
