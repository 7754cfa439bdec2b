//! The rules of `getUpdates`, one by one.

use serde_json::json;

use super::*;

const FIRST: i64 = 500;

fn queue(updates: i64) -> Queue {
    let mut queue = Queue::starting_at(FIRST, 0);
    for number in 0..updates {
        queue.push("message", json!(number), DAY_MS, 0, 0);
    }
    queue
}

/// Polls without waiting, long after the last poll; answers the ids.
fn poll(queue: &mut Queue, params: Value, now: i64) -> Vec<i64> {
    let poll = queue.begin(&Params::from(params), now, false);
    ids(queue.look(&poll, poll.until_ms.max(now)))
}

fn ids(look: Look) -> Vec<i64> {
    match look {
        Look::Found(found) => {
            found.as_array().unwrap().iter().map(|update| update["update_id"].as_i64().unwrap()).collect()
        }
        other => panic!("no updates but {other:?}"),
    }
}

#[test]
fn an_offset_confirms_everything_below_it_for_good() {
    let mut queue = queue(3);
    assert_eq!(poll(&mut queue, json!({}), 0), [500, 501, 502]);
    assert_eq!(poll(&mut queue, json!({"offset": 501}), 0), [501, 502]);
    assert_eq!(poll(&mut queue, json!({"offset": 0}), 0), [501, 502]);
    assert_eq!(poll(&mut queue, json!({"offset": 503}), 0), Vec::<i64>::new());
    assert_eq!(queue.len(), 0);
}

#[test]
fn a_negative_offset_keeps_only_the_last_ones() {
    let mut queue = queue(5);
    assert_eq!(poll(&mut queue, json!({"offset": -2}), 0), [503, 504]);
    assert_eq!(poll(&mut queue, json!({}), 0), [503, 504]);
}

#[test]
fn an_offset_far_away_is_not_believed() {
    assert_eq!(poll(&mut queue(2), json!({"offset": 512}), 0), [500, 501]);
    assert_eq!(poll(&mut queue(2), json!({"offset": 511}), 0), Vec::<i64>::new());
    let mut high = Queue::starting_at(300_000, 0);
    high.push("message", json!(1), DAY_MS, 0, 0);
    assert_eq!(poll(&mut high, json!({"offset": 5}), 0), [300_000]);
}

#[test]
fn the_limit_is_clamped_to_one_and_a_hundred() {
    let mut queue = queue(150);
    assert_eq!(poll(&mut queue, json!({}), 0).len(), 100);
    assert_eq!(poll(&mut queue, json!({"limit": 1000}), 0).len(), 100);
    assert_eq!(poll(&mut queue, json!({"limit": 0}), 0).len(), 1);
    assert_eq!(poll(&mut queue, json!({"limit": 7}), 0).len(), 7);
}

#[test]
fn an_answer_stops_at_four_megabytes() {
    let mut queue = Queue::starting_at(FIRST, 0);
    for _ in 0..10 {
        queue.push("message", json!("x".repeat(1 << 20)), DAY_MS, 0, 0);
    }
    assert_eq!(poll(&mut queue, json!({}), 0).len(), 3);
}

#[test]
fn the_timeout_is_clamped_to_fifty_seconds() {
    let mut queue = queue(0);
    assert_eq!(queue.begin(&Params::from(json!({"timeout": 90})), 0, true).until_ms, 50_000);
    assert_eq!(queue.begin(&Params::from(json!({"timeout": -5, "offset": 1})), 0, true).until_ms, 0);
}

#[test]
fn the_same_offset_at_once_waits_three_seconds_and_gets_single_updates() {
    let mut queue = queue(3);
    let first = queue.begin(&Params::from(json!({"offset": 500})), 10_000, true);
    assert_eq!((first.until_ms, first.limit), (10_000, 100));
    let spinning = queue.begin(&Params::from(json!({"offset": 500})), 10_400, true);
    assert_eq!((spinning.until_ms, spinning.limit), (13_400, 1));
    let later = queue.begin(&Params::from(json!({"offset": 500})), 13_000, true);
    assert_eq!((later.until_ms, later.limit), (16_000, 100));
    let calm = queue.begin(&Params::from(json!({"offset": 500})), 16_000, true);
    assert_eq!((calm.until_ms, calm.limit), (16_000, 100));
    let other = queue.begin(&Params::from(json!({"offset": 501})), 16_001, true);
    assert_eq!(other.until_ms, 16_001);
}

#[test]
fn the_older_of_two_polls_ends_and_conflicts_are_three_seconds_apart() {
    let mut queue = queue(0);
    let wait = json!({"timeout": 30});
    let first = queue.begin(&Params::from(wait.clone()), 0, true);
    let second = queue.begin(&Params::from(wait.clone()), 0, true);
    let third = queue.begin(&Params::from(wait), 0, true);
    assert!(matches!(queue.look(&first, 100), Look::Ended(OTHER_POLL, 100)));
    assert!(matches!(queue.look(&second, 100), Look::Ended(OTHER_POLL, 3_100)));
    assert!(matches!(queue.look(&third, 100), Look::Wait));
}

#[test]
fn kinds_are_remembered_until_others_are_asked_for() {
    let mut queue = queue(0);
    let push = |queue: &mut Queue, kind: &str| queue.push(kind, json!(1), DAY_MS, 0, 0);
    poll(&mut queue, json!({"allowed_updates": ["callback_query", "nonsense"]}), 0);
    push(&mut queue, "message");
    assert_eq!(queue.len(), 0);
    poll(&mut queue, json!({}), 0);
    push(&mut queue, "message");
    poll(&mut queue, json!({"allowed_updates": "[broken"}), 0);
    push(&mut queue, "message");
    assert_eq!(queue.len(), 0);
    push(&mut queue, "callback_query");
    assert_eq!(queue.len(), 1);
    poll(&mut queue, json!({"allowed_updates": []}), 0);
    push(&mut queue, "message");
    push(&mut queue, "chat_member");
    assert_eq!(queue.len(), 2);
    poll(&mut queue, json!({"allowed_updates": ["chat_member"]}), 0);
    push(&mut queue, "chat_member");
    assert_eq!(queue.len(), 3);
}

#[test]
fn updates_queued_before_the_kinds_changed_still_arrive() {
    let mut queue = queue(1);
    assert_eq!(poll(&mut queue, json!({"allowed_updates": ["callback_query"]}), 0), [500]);
}

#[test]
fn a_press_vanishes_after_150_seconds_and_a_message_after_a_day() {
    let mut queue = queue(1);
    queue.push("callback_query", json!(1), PRESS_MS, 0, 0);
    assert_eq!(poll(&mut queue, json!({}), 149_999), [500, 501]);
    assert_eq!(poll(&mut queue, json!({}), 150_000), [500]);
    assert_eq!(poll(&mut queue, json!({}), DAY_MS), Vec::<i64>::new());
}

#[test]
fn after_a_week_of_silence_numbers_begin_elsewhere() {
    let mut queue = queue(1);
    let week = 7 * DAY_MS;
    queue.push("message", json!(1), week + DAY_MS, week, 77);
    queue.push("message", json!(1), 2 * week + DAY_MS, week + 1, 99);
    assert_eq!(poll(&mut queue, json!({}), week), [501, 502]);
    queue.push("message", json!(1), 3 * week, 2 * week + 2, 99);
    assert_eq!(queue.waiting.back().unwrap().id, 99);
}

#[test]
fn a_jump_leaves_a_gap_and_a_repeat_brings_confirmed_updates_back_once() {
    let mut queue = queue(2);
    poll(&mut queue, json!({"offset": 502}), 0);
    queue.jump(40);
    queue.push("message", json!(1), DAY_MS, 0, 0);
    assert_eq!(queue.repeat_confirmed(5), 2);
    assert_eq!(poll(&mut queue, json!({"offset": 502}), 0), [500, 501, 542]);
    assert_eq!(poll(&mut queue, json!({"offset": 502}), 0), [542]);
}

#[test]
fn a_poll_waits_while_nothing_is_there_and_ends_empty() {
    let mut queue = queue(0);
    let poll = queue.begin(&Params::from(json!({"timeout": 5})), 0, true);
    assert!(matches!(queue.look(&poll, 4_999), Look::Wait));
    assert_eq!(ids(queue.look(&poll, 5_000)), Vec::<i64>::new());
}
