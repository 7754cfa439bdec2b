//! A visitor who hangs up, and a site that is asked to end, lose nothing.

use crate::harness::{ACCEPTED, Answer, Stand, World};
use std::time::Duration;

#[tokio::test]
async fn a_visitor_who_hangs_up_changes_nothing() {
    let (server, telegram) = (Stand::start(Answer::Never).await, Stand::start(ACCEPTED).await);
    let world = World::new(Some(&server.url), Some(&telegram.url));
    let form = world.open("ru").await;
    let hung_up = tokio::time::timeout(Duration::from_millis(200), world.send(&form)).await;
    assert!(hung_up.is_err(), "the server never answers, so the visitor waits");
    // What the command does at shutdown; here it is also the signal that the delivery is over.
    world.site.finish().await;
    assert_eq!((server.asked().len(), telegram.asked().len()), (1, 1));
}
