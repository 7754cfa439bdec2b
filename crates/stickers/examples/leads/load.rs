//! 64 connections that are kept, each sending one request after the other. The client is as small as can be: it shares the processors
//! with the server that it measures.

use super::figures::Round;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What both servers are told as `LEADS_SECRET`.
pub const SECRET: &str = "bench-secret";
const WARM_UP: Duration = Duration::from_millis(500);

/// The `request_id` of a numbered request.
pub fn request_id(number: u64) -> String {
    // As spread out as the random ones of a form.
    let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!("{:08x}-{:04x}-4000-8000-{number:012x}", spread >> 32, spread >> 16 & 0xffff)
}

/// One round against a server.
pub async fn run(server: SocketAddr, measured: Duration) -> Round {
    let numbers = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let visitors: Vec<_> = (0..super::AT_ONCE)
        .map(|_| tokio::spawn(visit(server, Arc::clone(&numbers), start, measured)))
        .collect();
    let (mut times, mut answered) = (Vec::new(), 0);
    for visitor in visitors {
        let (measured, all) = visitor.await.expect("visits");
        times.extend(measured);
        answered += all;
    }
    Round::new(times, measured, answered)
}

async fn visit(
    server: SocketAddr,
    numbers: Arc<AtomicU64>,
    start: Instant,
    measured: Duration,
) -> (Vec<Duration>, u64) {
    let mut stream = TcpStream::connect(server).await.expect("connects");
    stream.set_nodelay(true).expect("sets");
    let (mut request, mut answer) = (Vec::with_capacity(1_024), vec![0; 4_096]);
    let (mut times, mut all) = (Vec::new(), 0);
    while start.elapsed() < WARM_UP + measured {
        write_request(&mut request, numbers.fetch_add(1, Ordering::Relaxed));
        let sent = Instant::now();
        exchange(&mut stream, &request, &mut answer).await;
        all += 1;
        if sent.duration_since(start) >= WARM_UP {
            times.push(sent.elapsed());
        }
    }
    (times, all)
}

/// A new person from an address of its own.
pub fn write_request(request: &mut Vec<u8>, number: u64) {
    let [_, a, b, c] = u32::try_from(number & 0x00ff_ffff).unwrap_or_default().to_be_bytes();
    let body = format!(
        r#"{{"request_id":"{}","name":"Мадина","telegram":"@person_{number}","phone":"+{number:012}","date":"12 декабря","guests":"50","comment":"Хотим стикеры на корпоратив","locale":"ru","utm_source":"instagram","client_ip":"10.{a}.{b}.{c}"}}"#,
        request_id(number)
    );
    request.clear();
    write!(
        request,
        "POST /leads HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nX-Stickers-Leads-Secret: {SECRET}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("memory");
}

/// Sends one request and waits for its answer.
pub async fn exchange(stream: &mut TcpStream, request: &[u8], answer: &mut [u8]) {
    stream.write_all(request).await.expect("sends");
    read_created(stream, answer).await;
}

/// Reads one answer to its end; it must be a 201.
async fn read_created(stream: &mut TcpStream, answer: &mut [u8]) {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut answer[filled..]).await.expect("answers");
        assert!(read > 0, "the server hung up: {}", String::from_utf8_lossy(&answer[..filled]));
        filled += read;
        let Some(head) = answer[..filled].windows(4).position(|end| end == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(&answer[..head]).expect("a head");
        assert!(text.starts_with("HTTP/1.1 201"), "{}", String::from_utf8_lossy(&answer[..filled]));
        let length = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .and_then(|(_, value)| value.trim().parse::<usize>().ok())
            .expect("a length");
        if filled >= head + 4 + length {
            return;
        }
    }
}
