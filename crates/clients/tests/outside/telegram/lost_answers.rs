//! Answers that never came, came in half, or came from somebody else.

use super::*;

async fn kind(reply: Reply) -> ErrorKind {
    kind_by(api, reply).await
}

async fn kind_by(client: fn(&str) -> BotApi, reply: Reply) -> ErrorKind {
    let server = Server::start([reply, ok(message(7, 1))]).await;
    let sent = client(&server.url).send_message(SendMessage::plain(7, "x")).await;
    let error = sent.expect_err("no success");
    assert_eq!(server.asked().len(), 1, "nothing is sent twice");
    assert!(!error.to_string().contains("SECRET"), "{error}");
    error.kind
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_leaves_the_outcome_unknown() {
    assert_eq!(kind(Reply::Lost).await, ErrorKind::Unknown);
}

#[tokio::test]
async fn a_body_cut_in_half_leaves_the_outcome_unknown() {
    assert_eq!(kind(Reply::CutBody(200)).await, ErrorKind::Unknown);
}

#[tokio::test]
async fn no_answer_in_time_leaves_the_outcome_unknown() {
    assert_eq!(kind_by(hasty, Reply::Never).await, ErrorKind::Unknown);
}

#[tokio::test]
async fn a_success_that_cannot_be_read_leaves_the_outcome_unknown() {
    assert_eq!(kind(Reply::Raw(200, "", "<html>welcome</html>".into())).await, ErrorKind::Unknown);
    assert_eq!(kind(ok(json!({"no": "message_id"}))).await, ErrorKind::Unknown);
}

#[tokio::test]
async fn an_answer_without_end_is_given_up() {
    let server = Server::start([Reply::Endless]).await;
    let error = api(&server.url).send_message(SendMessage::plain(7, "x")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unknown);
    assert!(error.description.contains("over"), "{error}");
}

#[tokio::test]
async fn server_trouble_is_an_answer_whatever_its_body() {
    assert_eq!(kind(Reply::Raw(502, "", "<html>Bad Gateway</html>".into())).await, ErrorKind::ServerTrouble);
    assert_eq!(kind(Reply::CutBody(503)).await, ErrorKind::ServerTrouble);
    assert_eq!(kind(refusal(500, "Internal Server Error: restart")).await, ErrorKind::ServerTrouble);
}

#[tokio::test]
async fn too_large_is_final_whatever_its_body() {
    assert_eq!(kind(Reply::Raw(413, "", "<html>413</html>".into())).await, ErrorKind::Permanent);
}

#[tokio::test]
async fn a_front_proxy_can_ask_to_wait_by_header() {
    let proxy = Reply::Raw(429, "retry-after: 11\r\n", "<html>slow down</html>".into());
    assert_eq!(kind(proxy).await, ErrorKind::Flood { retry_after_s: 11 });
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    assert_eq!(kind(Reply::Raw(302, "location: /login\r\n", String::new())).await, ErrorKind::Retryable);
}

#[tokio::test]
async fn a_refused_connection_was_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = api(&url).send_message(SendMessage::plain(7, "x")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotSent);
    assert!(!error.to_string().contains("SECRET"), "{error}");
}

#[tokio::test]
async fn a_failed_tls_handshake_was_not_sent() {
    let server = Server::start([]).await;
    let url = server.url.replace("http://", "https://");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        // Plain text where a handshake was expected.
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ =
                tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let url = format!("{}:{port}", url.rsplit_once(':').unwrap().0);
    let error = api(&url).send_message(SendMessage::plain(7, "x")).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotSent);
}

#[tokio::test]
async fn an_answer_that_is_held_and_then_comes_is_a_success() {
    let go = Arc::new(Notify::new());
    let body = json!({"ok": true, "result": message(7, 6)}).to_string();
    let server = Server::start([Reply::Held(go.clone(), body)]).await;
    let arrived = server.arrived.clone();
    let api = api(&server.url);
    let (sent, ()) = tokio::join!(api.send_message(SendMessage::plain(7, "x")), async {
        arrived.notified().await;
        go.notify_one();
    });
    assert_eq!(sent.unwrap().message_id, 6);
}
