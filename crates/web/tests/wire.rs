//! The server over a real socket: what only shows on the wire.

mod harness;

use harness::Kiosk;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Nothing here takes longer unless it never ends.
const NEVER: Duration = Duration::from_secs(60);

async fn serve(kiosk: &Kiosk) -> (TcpStream, JoinHandle<std::io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = tokio::spawn(web::serve::serve(listener, kiosk.router(), kiosk.stop.clone()));
    (TcpStream::connect(address).await.expect("a connection"), server)
}

/// Reads until the answer holds `part`.
async fn until(stream: &mut TcpStream, part: &str) -> String {
    let mut seen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&seen).contains(part) {
            let mut piece = [0; 4096];
            let count = stream.read(&mut piece).await.expect("no reset");
            assert!(count > 0, "the connection ended after: {}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&piece[..count]);
        }
    };
    tokio::time::timeout(NEVER, reading).await.expect("an answer");
    String::from_utf8_lossy(&seen).into_owned()
}

#[tokio::test]
async fn a_refusal_reaches_a_tablet_that_is_still_sending_and_the_connection_goes_on() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let (mut stream, _server) = serve(&kiosk).await;
    let length = 11 * 1024 * 1024;
    let head = format!(
        "POST /session/{token}/photo HTTP/1.1\r\nHost: kiosk\r\nContent-Type: multipart/form-data; boundary=x\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("a head");
    // The whole body is sent before the answer is read, as a browser does it.
    let sending = async { stream.write_all(&vec![b'x'; length]).await.expect("no reset while sending") };
    tokio::time::timeout(NEVER, sending).await.expect("a server that reads");
    let answer = until(&mut stream, "body_too_large").await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: kiosk\r\n\r\n").await.expect("the same connection");
    assert!(until(&mut stream, "active_jobs").await.contains("200 OK"));
}

#[tokio::test]
async fn shutdown_ends_open_event_streams_and_then_the_server() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.start().await;
    let (mut stream, server) = serve(&kiosk).await;
    let request = format!("GET /session/{token}/events HTTP/1.1\r\nHost: kiosk\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request");
    until(&mut stream, "\"status\":\"idle\"").await;
    kiosk.stop.cancel();
    let ended = tokio::time::timeout(NEVER, server).await.expect("an end").expect("no panic");
    assert!(ended.is_ok());
}
