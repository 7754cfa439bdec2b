//! From the stored request to the card in the group: API and bot as two processes, the Bot API simulator in this one. The requests come
//! a little slower than the group's send bucket fills, so that no card waits for its turn.

use super::load;
use super::servers::Server;
use simulator::{NewGroup, NewPerson, SystemClock, World};
use sqlx::Connection;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// A message every 3 s is what a group takes.
const PAUSE: Duration = Duration::from_millis(3_100);
/// How long the last card may take.
const LAST_WAIT: Duration = Duration::from_secs(10);
const TOKEN: &str = "123456:BENCH";

/// Times from `created_at` to `published_at` of this many leads, sorted, in milliseconds.
pub async fn run(program: &Path, folder: &Path, leads: usize) -> Vec<i64> {
    let world = World::new(Arc::new(SystemClock), 1);
    world.add_bot(TOKEN, "bench_bot", "Bench");
    let person = world.add_person(NewPerson::named("Камила", "ru")).expect("a person");
    let group = NewGroup { title: "Leads".to_owned(), members: vec![person.id], ..NewGroup::default() };
    let chat = world.add_group(group).expect("a group");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let telegram = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(simulator::serve(listener, world));
    let api = Server::ours(program, folder).await;
    let settings = [
        ("BOT_TOKEN", TOKEN.to_owned()),
        ("TELEGRAM_API_URL", telegram),
        ("LEADS_CHAT_ID", chat.to_string()),
    ];
    let bot = Server::bot(program, folder, &settings);
    let file = folder.join("app.db");
    send(api.address, leads).await;
    let times = published(&file, leads).await;
    bot.stop().await;
    api.stop().await;
    times
}

async fn send(api: std::net::SocketAddr, leads: usize) {
    let mut stream = TcpStream::connect(api).await.expect("connects");
    let (mut request, mut answer) = (Vec::new(), vec![0; 4_096]);
    for number in 0..leads {
        tokio::time::sleep(PAUSE).await;
        load::write_request(&mut request, u64::try_from(number).expect("a small number"));
        load::exchange(&mut stream, &request, &mut answer).await;
    }
}

/// Waits until every lead has its card.
async fn published(file: &Path, leads: usize) -> Vec<i64> {
    let mut connection = super::floor::connect(file).await;
    let start = Instant::now();
    loop {
        let mut times: Vec<i64> =
            sqlx::query_scalar("SELECT published_at - created_at FROM leads WHERE published_at IS NOT NULL")
                .fetch_all(&mut connection)
                .await
                .expect("reads");
        if times.len() == leads {
            connection.close().await.expect("closes");
            times.sort_unstable();
            return times;
        }
        assert!(start.elapsed() < LAST_WAIT, "{} of {leads} cards were sent", times.len());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
