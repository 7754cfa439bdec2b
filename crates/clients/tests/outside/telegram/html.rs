//! HTML that Telegram refuses.

use super::*;

fn refused() -> Reply {
    refusal(400, "Bad Request: can't parse entities: Unsupported start tag \"3\" at byte offset 3")
}

#[tokio::test]
async fn refused_html_goes_once_more_as_plain_text() {
    let server = Server::start([refused(), ok(message(7, 5))]).await;
    let buttons = Buttons::row([Button::callback("a", "b")]);
    let text = SendMessage::html(7, "<b>Tom &amp; Co</b> <3").with_buttons(buttons);
    let sent = api(&server.url).send_message(text).await.unwrap();
    assert_eq!(sent.message_id, 5);
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    let second = asked[1].json();
    assert_eq!(second["text"], "Tom & Co <3");
    assert_eq!(second.get("parse_mode"), None);
    assert_eq!(second["reply_markup"], asked[0].json()["reply_markup"]);
}

#[tokio::test]
async fn a_second_refusal_is_told_and_nothing_else_is_sent_twice() {
    let server = Server::start([refused(), refused()]).await;
    let error = api(&server.url).send_message(SendMessage::html(7, "<b")).await.unwrap_err();
    assert_eq!((error.kind, server.asked().len()), (ErrorKind::BadHtml, 2));

    for (status, text) in [(400, "Bad Request: chat not found"), (429, "x"), (500, "x")] {
        let server = Server::start([refusal(status, text), ok(message(7, 5))]).await;
        api(&server.url).send_message(SendMessage::html(7, "x")).await.unwrap_err();
        assert_eq!(server.asked().len(), 1, "{text}");
    }
}

#[tokio::test]
async fn an_edit_with_refused_html_that_then_changes_nothing_is_done() {
    let same = refusal(400, "Bad Request: message is not modified");
    let server = Server::start([refused(), same]).await;
    let edit = EditMessage {
        message: CARD,
        text: "<3".into(),
        parse_mode_html: true,
        buttons: None,
        link_preview: true,
    };
    api(&server.url).edit_message_text(edit).await.unwrap();
    assert_eq!(server.asked().len(), 2);
}
