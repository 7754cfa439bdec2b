//! Updates: batches and waiting.

use super::*;

#[tokio::test]
async fn a_strange_update_hides_none_of_its_neighbours() {
    let batch = json!([
        {"update_id": 10, "message": {"from": "the future"}},
        {"update_id": 11, "quantum_message": {}},
        "not even an object",
        {"update_id": 12},
    ]);
    let updates = once(ok(batch), |api| api.get_updates(10, 0, &["message"])).await.2.unwrap();
    let ids: Vec<i64> = updates.iter().map(|update| update.update_id).collect();
    assert_eq!(ids, [10, 11, 12]);
    assert_eq!(updates[1].json, json!({"update_id": 11, "quantum_message": {}}));
}

#[tokio::test]
async fn a_poll_waits_as_long_as_it_asked_the_server_to_and_a_little_more() {
    let go = Arc::new(Notify::new());
    let body = json!({"ok": true, "result": []}).to_string();
    let server = Server::start([Reply::Held(go.clone(), body), Reply::Never]).await;
    let api = hasty(&server.url);
    // With a time of the server's, an answer that comes late is still taken…
    let arrived = server.arrived.clone();
    let (updates, ()) = tokio::join!(api.get_updates(0, 50, &[]), async {
        arrived.notified().await;
        go.notify_one();
    });
    assert_eq!(updates.unwrap(), []);
    // …and one that never comes is given up.
    assert_eq!(api.get_updates(0, 0, &[]).await.unwrap_err().kind, ErrorKind::Unknown);
}

#[tokio::test]
async fn a_result_that_is_no_list_is_no_success() {
    assert_eq!(once(ok(json!({})), |api| api.get_updates(0, 0, &[])).await.2, Err(ErrorKind::Unknown));
}
