//! However many old rows there are, what runs again and again must not read them: every statement of a pass of each loop, of a guest's way and of the panel's pages
//! is recorded, and the engine is asked how it finds its rows. `STICKERS_OLD_ROWS=1000000` also measures (`make bench-rows`).

mod postgres;

use crate::stage::Stage;
use app::loops::leads::Desk;
use app::loops::{Worker, clean_up, handle_pending, recover_jobs, rescue_jobs};
use app::operator::{self, ClockWatch};
use app::outbox::Sender;
use app::{Ctx, LeadsGroup, LeadsSettings, job, panel, session};
use domain::guest::TelegramId;
use domain::job::{JobId, JobStatus};
use domain::lead::{LeadId, LeadStatus};
use sqlx::{Connection, Row, SqliteConnection};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Old rows of each large table in `make test`.
const OLD_ROWS: u32 = 2_000;
/// The variable that asks for another number.
const OLD_ROWS_VARIABLE: &str = "STICKERS_OLD_ROWS";
/// From so many rows on the time of each statement counts too.
const MEASURED_FROM: u32 = 100_000;
/// The longest that a statement may take then (issue "Operations").
const LONGEST: Duration = Duration::from_millis(10);

/// Tables that grow with every guest or request.
const LARGE: [&str; 10] = [
    "users",
    "sessions",
    "jobs",
    "outbox",
    "updates",
    "leads",
    "lead_repeats",
    "lead_cards",
    "lead_status_history",
    "ai_usage",
];
/// Indexes that hold only what is still to be done: reading one from end to end is reading the work.
const OF_OPEN_ROWS: [&str; 13] = [
    "sessions_open",
    "jobs_queued",
    "jobs_processing",
    "jobs_delivering",
    "outbox_open",
    "outbox_due",
    "updates_pending",
    "jobs_described",
    "jobs_active",
    "leads_unpublished",
    "leads_new",
    "leads_dirty",
    "lead_repeats_unnotified",
];

/// Each statement that the driver ran, with the shortest time it took: what else the machine does is no cost of the statement.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<BTreeMap<String, Duration>>>);

#[derive(Default)]
struct Fields {
    summary: String,
    statement: String,
    seconds: f64,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => self.summary = value.to_owned(),
            "db.statement" => self.statement = value.trim().to_owned(),
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.seconds = value;
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn Debug) {}
}

impl Subscriber for Statements {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let text = if fields.statement.is_empty() { fields.summary } else { fields.statement };
        let took = Duration::from_secs_f64(fields.seconds);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shortest = known.entry(text).or_insert(took);
        *shortest = took.min(*shortest);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

impl Statements {
    /// Those that read or change rows.
    fn of_rows(&self) -> BTreeMap<String, Duration> {
        let begins = |text: &str| {
            ["SELECT", "UPDATE", "DELETE", "INSERT", "WITH"].iter().any(|word| text.starts_with(word))
        };
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter(|(text, _)| begins(text)).map(|(text, took)| (text.clone(), *took)).collect()
    }
}

/// Guests, packs and requests of a month ago, all done with.
const OLD: [&str; 10] = [
    "INSERT INTO users (telegram_user_id, first_name, language, created_at) \
     SELECT 1000000 + i, 'Old', 'ru', {then} + i FROM n",
    "INSERT INTO sessions (session_token, status, telegram_user_id, template_id, language, kiosk_seen_at, created_at, updated_at) \
     SELECT 'old0000000000000000000' || (1000000000 + i), 'photo_taken', 1000000 + i, 'chapan', 'ru', {then} + i, {then} + i, {then} + i FROM n",
    "INSERT INTO jobs (session_token, telegram_user_id, template_id, status, attempts, pack_key, pack_name, pack_created_at, \
     provider_used, render_mode, link_sent_at, processing_started_at, created_at, updated_at) \
     SELECT 'old0000000000000000000' || (1000000000 + i), 1000000 + i, 'chapan', CASE i % 4 WHEN 0 THEN 'failed' ELSE 'done' END, 1, 'k', \
     'old_' || i, {then} + i, 'local', 'composite', CASE i % 4 WHEN 0 THEN NULL ELSE {then} + i END, {then} + i, {then} + i, {then} + i FROM n",
    "INSERT INTO outbox (key, chat_id, kind, body, job_id, state, not_before, created_at, updated_at, sent_at) \
     SELECT 'old:' || i, 1000000 + i, 'link', '', i, 'sent', {then} + i, {then} + i, {then} + i, {then} + i FROM n",
    "INSERT INTO leads (request_id, status, status_at, name, phone, locale, ip_hash, created_at, published_at, chat_id, message_id, reminded_at) \
     SELECT 'old-' || i, CASE i % 3 WHEN 0 THEN 'deal' WHEN 1 THEN 'refused' ELSE 'contacted' END, {then} + i, 'Old', '+998' || i, 'ru', \
     'h' || i, {then} + i, {then} + i, -500, i, {then} + i FROM n",
    "INSERT INTO updates (update_id, from_id, body, state, received_at, ended_at) \
     SELECT 1000000 + i, 1000000 + i, '', 'handled', {then} + i, {then} + i FROM n",
    "INSERT INTO lead_repeats (lead_id, request_id, ip_hash, created_at, notified_at) \
     SELECT i, 'again-' || i, 'h' || i, {then} + i, {then} + i FROM n",
    "INSERT INTO lead_status_history (lead_id, from_status, to_status, user_id, at) SELECT i, 'new', 'contacted', 7, {then} + i FROM n",
    "INSERT INTO lead_cards (lead_id, chat_id, message_id, posted_at) SELECT i, -500, i, {then} + i FROM n",
    "INSERT INTO ai_usage (job_id, stage, provider, model, input_tokens, output_tokens, images, cost_usd, at) \
     SELECT i, 'sheet', 'gemini', 'm', 1, 1, 1, 0.01, {then} + i FROM n",
];

async fn connect(stage: &Stage) -> SqliteConnection {
    let url = format!("sqlite://{}", stage.database().display());
    SqliteConnection::connect(&url).await.expect("connects")
}

async fn fill(stage: &Stage, rows: u32) {
    let month = Duration::from_secs(20 * 24 * 3_600);
    let then = stage.ctx.clock.now().minus(month).as_millis().to_string();
    for insert in OLD {
        let insert = insert.replace("{then}", &then);
        let (into, select) = insert.split_at(insert.find("SELECT").expect("a select"));
        let numbers =
            format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})");
        stage.raw(format!("{numbers} {into} {select}")).await;
    }
}

async fn every_page_of_the_panel(ctx: &Ctx, job: JobId) {
    let server = panel::Server::new(Box::new(|| None));
    panel::now(ctx, &server).await.expect("the first page");
    for status in [None, Some(JobStatus::Done), Some(JobStatus::Failed)] {
        panel::job_list(ctx, status, None).await.expect("jobs");
    }
    for typed in ["1", "1000001", "@nobody", "old_7", "Old"] {
        panel::find_jobs(ctx, typed).await.expect("a search");
        panel::find_leads(ctx, typed).await.expect("a search");
    }
    panel::job_details(ctx, job).await.expect("a job");
    panel::guest_list(ctx, None).await.expect("guests");
    panel::guest_details(ctx, TelegramId(1)).await.expect("a guest");
    panel::lead_board(ctx).await.expect("the board");
    panel::lead_column(ctx, LeadStatus::Deal, None).await.expect("a column");
    panel::lead_details(ctx, LeadId(1)).await.expect("a lead");
    panel::costs(ctx, 7).await.expect("costs");
    panel::audit(ctx, None).await.expect("the audit log");
}

/// What runs as long as the program runs, once.
async fn one_pass_of_everything(stage: &Stage, ctx: &Ctx, group: LeadsGroup) {
    let job = stage.queued_job(1).await;
    recover_jobs(ctx, &*stage.outside.neighbours).await.expect("recovered");
    let mut worker = Worker::new(ctx.clone(), stage.outside.clone());
    worker.tick().await.expect("claimed");
    worker.drain().await;
    let mut sender = Sender::new(ctx.clone(), stage.outside.clone());
    sender.recover().await.expect("recovered");
    for _ in 0..10 {
        job::verify(ctx, &stage.outside).await.expect("verified");
        sender.tick().await.expect("sent");
        sender.drain().await;
        stage.clock.advance(Duration::from_secs(1));
    }
    session::view(ctx, &job.session_token).await.expect("a view");
    stage.commands_of(1, "mypack").await;
    handle_pending(ctx, &stage.outside, "our_bot", &Arc::new(Semaphore::new(4))).await.expect("handled");
    rescue_jobs(ctx).await.expect("rescued");
    ClockWatch::default().look(ctx).await.expect("looked");
    job::sweep(ctx).await.expect("swept");
    session::close_abandoned(ctx).await.expect("closed");
    operator::watch(ctx).await.expect("watched");
    clean_up(ctx).await.expect("cleaned");
    for _ in 0..3 {
        every_page_of_the_panel(ctx, job.id).await;
    }
    let mut desk = Desk::new(ctx.clone(), stage.outside.clone(), group);
    desk.recover().await;
    for _ in 0..10 {
        desk.tick().await;
        stage.clock.advance(Duration::from_secs(61));
    }
}

/// Every statement of one pass over a database with so many old rows of each kind.
async fn recorded(stage: &Stage, rows: u32, group: LeadsGroup) -> BTreeMap<String, Duration> {
    fill(stage, rows).await;
    stage
        .raw(
            "INSERT INTO leads (request_id, status, name, locale, created_at) VALUES ('new-1', 'new', 'A', 'ru', 1795958000000); \
             INSERT INTO lead_repeats (lead_id, request_id, created_at) SELECT id, 'new-2', 1795958000000 FROM leads WHERE request_id = 'new-1';",
        )
        .await;
    let statements = Statements::default();
    // Other tests of this process may have installed theirs under another runner than ours; each test has a process here.
    tracing::subscriber::set_global_default(statements.clone()).expect("the first subscriber");
    one_pass_of_everything(stage, &stage.ctx, group).await;
    let recorded = statements.of_rows();
    assert!(recorded.len() > 50, "only {} statements were recorded", recorded.len());
    recorded
}

/// Where requests go to in this story.
fn team() -> LeadsGroup {
    LeadsGroup { chat_id: -500, topic_id: None, admin_ids: vec![7], card_pii: true }
}

/// The settings of a kiosk with this group.
fn with_leads(group: &LeadsGroup) -> LeadsSettings {
    LeadsSettings { intake: None, group: Some(group.clone()) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_runs_again_and_again_reads_what_is_long_done() {
    #[expect(clippy::disallowed_methods, reason = "how large the test is to be is asked of the environment")]
    let asked = std::env::var(OLD_ROWS_VARIABLE).ok();
    let rows = asked.map_or(OLD_ROWS, |asked| asked.parse().expect("STICKERS_OLD_ROWS is a number"));
    let stage = Stage::with(|settings| settings.leads = with_leads(&team())).await;
    let recorded = recorded(&stage, rows, team()).await;

    let mut connection = connect(&stage).await;
    let mut wrong = String::new();
    for (text, took) in &recorded {
        let explain = format!("EXPLAIN QUERY PLAN {text}");
        let steps =
            sqlx::raw_sql(sqlx::AssertSqlSafe(explain)).fetch_all(&mut connection).await.expect("a plan");
        for step in steps {
            let detail: String = step.get("detail");
            // The newest in the order of the table or of an index: it stops at the limit.
            let newest = text.contains("ORDER BY id DESC LIMIT") && detail == "SCAN leads"
                || text.contains("ORDER BY link_sent_at DESC, job_id DESC LIMIT")
                    && detail.ends_with("jobs_done");
            if reads_everything(&detail) && !newest {
                let _ = writeln!(wrong, "{detail}\n    of {text}");
            }
        }
        if rows >= MEASURED_FROM && *took > LONGEST {
            let _ = writeln!(wrong, "{took:?}\n    for {text}");
        }
    }
    connection.close().await.expect("closes");
    assert!(wrong.is_empty(), "{wrong}");
    if rows >= MEASURED_FROM {
        let mut slowest: Vec<_> = recorded.iter().collect();
        slowest.sort_by_key(|(_, took)| std::cmp::Reverse(**took));
        for (text, took) in slowest.iter().take(5) {
            println!("{took:?} {text}");
        }
    }
}

/// Whether a step of a plan goes through a large table, or through a whole index of one.
fn reads_everything(detail: &str) -> bool {
    let Some(rest) = detail.trim_start().strip_prefix("SCAN ") else { return false };
    let table = rest.split_whitespace().next().unwrap_or_default();
    let open = OF_OPEN_ROWS.iter().any(|index| rest.ends_with(index));
    LARGE.contains(&table) && !open
}

#[test]
fn a_plan_that_reads_a_large_table_is_known() {
    assert!(reads_everything("SCAN jobs"));
    assert!(reads_everything("SCAN jobs USING INDEX jobs_by_change"));
    assert!(!reads_everything("SCAN jobs USING COVERING INDEX jobs_queued"));
    assert!(!reads_everything("SEARCH jobs USING INDEX jobs_of_guest (telegram_user_id=?)"));
    assert!(!reads_everything("SCAN kiosks"));
}
