//! The pace of the bot, by a clock of our own.

use super::{LANES_MAX, Lane, SendBuckets};

const GUEST: Lane = Lane::Chat(7);
const GROUP: Lane = Lane::Chat(-100);

/// How many go out on a lane in `span_ms` when the caller always asks at the moment it was told.
fn sent_within(buckets: &mut SendBuckets, lane: Lane, from_ms: i64, span_ms: i64) -> usize {
    let mut now_ms = from_ms;
    let mut sent = 0;
    while now_ms < from_ms + span_ms {
        match buckets.try_take(lane, now_ms) {
            Ok(()) => sent += 1,
            Err(later_ms) => {
                assert!(later_ms > now_ms, "told to ask again in the past");
                now_ms = later_ms;
            }
        }
    }
    sent
}

#[test]
fn a_guest_gets_three_at_once_and_then_one_a_second() {
    let mut buckets = SendBuckets::new();
    for _ in 0..3 {
        assert_eq!(buckets.try_take(GUEST, 1_000), Ok(()));
    }
    assert_eq!(buckets.try_take(GUEST, 1_000), Err(2_000));
    assert_eq!(buckets.try_take(GUEST, 1_999), Err(2_000));
    assert_eq!(buckets.try_take(GUEST, 2_000), Ok(()));
    assert_eq!(buckets.try_take(GUEST, 2_000), Err(3_000));
}

#[test]
fn a_group_gets_five_at_once_and_then_one_in_three_seconds() {
    let mut buckets = SendBuckets::new();
    for _ in 0..5 {
        assert_eq!(buckets.try_take(GROUP, 0), Ok(()));
    }
    assert_eq!(buckets.try_take(GROUP, 0), Err(3_000));
    // Two minutes later on: 20 a minute, as Telegram wants it.
    assert_eq!(sent_within(&mut buckets, GROUP, 3_000, 120_000), 40);
}

#[test]
fn a_group_fills_up_again_only_when_its_message_is_done() {
    let mut buckets = SendBuckets::new();
    for _ in 0..5 {
        assert_eq!(buckets.try_take(GROUP, 0), Ok(()));
    }
    buckets.done(GROUP, 800);
    assert_eq!(buckets.try_take(GROUP, 3_000), Err(3_800));
    assert_eq!(buckets.try_take(GROUP, 3_800), Ok(()));
    // A message that hangs counts once, and nothing has filled up meanwhile.
    buckets.done(GROUP, 90_000);
    assert_eq!(buckets.try_take(GROUP, 90_000), Err(93_000));
    // Of a chat in which nothing was sent nothing is done.
    buckets.done(GUEST, 90_000);
    assert_eq!(buckets.try_take(GUEST, 90_000), Ok(()));
}

#[test]
fn an_idle_chat_saves_no_more_than_its_burst() {
    let mut buckets = SendBuckets::new();
    assert_eq!(buckets.try_take(GUEST, 0), Ok(()));
    assert_eq!(sent_within(&mut buckets, GUEST, 1_000_000, 1), 3);
}

#[test]
fn twenty_five_a_second_over_all_chats() {
    let mut buckets = SendBuckets::new();
    let at_once = (1..=100).filter(|id| buckets.try_take(Lane::Chat(*id), 0).is_ok()).count();
    assert_eq!(at_once, 25);
    assert_eq!(buckets.try_take(Lane::Chat(200), 0), Err(40));
    let later = (201..=300).filter(|id| buckets.try_take(Lane::Chat(*id), 1_000).is_ok()).count();
    assert_eq!(later, 25);
}

#[test]
fn a_refused_take_costs_nothing() {
    let mut buckets = SendBuckets::new();
    for _ in 0..3 {
        assert_eq!(buckets.try_take(GUEST, 0), Ok(()));
    }
    for _ in 0..100 {
        assert_eq!(buckets.try_take(GUEST, 0), Err(1_000));
    }
    assert_eq!(buckets.try_take(Lane::Chat(8), 0), Ok(()));
    assert_eq!(buckets.try_take(GUEST, 1_000), Ok(()));
}

#[test]
fn a_flood_wait_holds_its_chat_and_no_other() {
    let mut buckets = SendBuckets::new();
    buckets.block(GROUP, 35, 10_000);
    assert_eq!(buckets.try_take(GROUP, 10_000), Err(45_000));
    assert_eq!(buckets.try_take(GUEST, 10_000), Ok(()));
    // A shorter one said meanwhile does not end it.
    buckets.block(GROUP, 1, 20_000);
    assert_eq!(buckets.try_take(GROUP, 44_999), Err(45_000));
    assert_eq!(buckets.try_take(GROUP, 45_000), Ok(()));
}

#[test]
fn an_owner_waits_for_sticker_sets_and_still_gets_messages() {
    let mut buckets = SendBuckets::new();
    for _ in 0..10 {
        assert_eq!(buckets.try_take(Lane::StickerOwner(7), 0), Ok(()));
    }
    buckets.block(Lane::StickerOwner(7), 86_400, 0);
    assert_eq!(buckets.try_take(Lane::StickerOwner(7), 0), Err(86_400_000));
    assert_eq!(buckets.try_take(GUEST, 0), Ok(()));
}

#[test]
fn a_clock_set_back_delays_by_no_more_than_was_asked() {
    let mut buckets = SendBuckets::new();
    for _ in 0..3 {
        assert_eq!(buckets.try_take(GUEST, 10_000_000), Ok(()));
    }
    assert_eq!(buckets.try_take(GUEST, 0), Err(1_000));
    buckets.block(GROUP, 10, 10_000_000);
    assert_eq!(buckets.try_take(GROUP, 5_000), Err(15_000));
}

#[test]
fn memory_is_bounded_and_the_busiest_chats_are_kept() {
    let mut buckets = SendBuckets::new();
    buckets.block(GROUP, 3_600, 0);
    let mut now_ms = 0;
    for id in 1..=2 * LANES_MAX as i64 {
        while let Err(later_ms) = buckets.try_take(Lane::Chat(id), now_ms) {
            now_ms = later_ms;
        }
        assert!(buckets.lanes.len() <= LANES_MAX);
    }
    assert_eq!(buckets.try_take(GROUP, now_ms), Err(3_600_000));
}

#[test]
fn memory_stays_bounded_when_every_chat_is_blocked() {
    let mut buckets = SendBuckets::new();
    for id in 1..=LANES_MAX as i64 + 10 {
        buckets.block(Lane::Chat(id), 60, id);
    }
    assert_eq!(buckets.lanes.len(), LANES_MAX);
    assert!(buckets.try_take(Lane::Chat(LANES_MAX as i64 + 10), 20_000).is_err());
}

#[test]
fn two_that_belong_together_go_together_or_wait_together() {
    let mut buckets = SendBuckets::new();
    let group = Lane::Chat(-5);
    assert_eq!(buckets.try_take_many(group, 2, 0), Ok(()));
    assert_eq!(buckets.try_take_many(group, 2, 0), Ok(()));
    // One is left of five: not enough for two, and asking takes nothing.
    assert_eq!(buckets.try_take_many(group, 2, 0), Err(3_000));
    assert_eq!(buckets.try_take(group, 0), Ok(()));
    assert_eq!(buckets.try_take_many(group, 2, 3_000), Err(6_000));
    assert_eq!(buckets.try_take_many(group, 2, 6_000), Ok(()));
}
