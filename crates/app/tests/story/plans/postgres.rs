//! The same on PostgreSQL. Its planner reads a small table from end to end whatever indexes there are, so that is made impossibly dear: what still
//! reads everything then has no index that serves it.

use super::{LARGE, OF_OPEN_ROWS, OLD_ROWS, fill, recorded, team, with_leads};
use crate::stage::Stage;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Two databases that are dropped when the story has ended.
async fn on_two_databases<F: Future<Output = ()>>(story: impl FnOnce([String; 2]) -> F) {
    let server = server_url();
    let base = server.rsplit_once('/').expect("an address with a database").0;
    let names = ["a", "b"].map(|which| format!("plans_{}_{which}", std::process::id()));
    let drops = names.each_ref().map(|name| format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
    let creates = names.each_ref().map(|name| format!("CREATE DATABASE {name}"));
    let mut admin = PgConnection::connect(&server).await.expect("the server answers");
    for text in drops.clone().into_iter().chain(creates) {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut admin).await.expect("the server obeys");
    }
    let story = std::panic::AssertUnwindSafe(story(names.each_ref().map(|name| format!("{base}/{name}"))));
    let outcome = futures::FutureExt::catch_unwind(story).await;
    for text in drops {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut admin).await.expect("the server obeys");
    }
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[expect(clippy::disallowed_methods, reason = "the server of the test run is told by its environment")]
fn server_url() -> String {
    std::env::var("STICKERS_TEST_POSTGRES_URL")
        .expect("no PostgreSQL for the tests: run them with `make test`, or through tests/with-postgres.sh")
}

/// The first column of each index, as the server writes it in a plan.
async fn first_columns(connection: &mut PgConnection) -> BTreeMap<String, String> {
    let rows = sqlx::query(
        "SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid, 1, true) AS first \
         FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = 'public'::regnamespace",
    );
    let rows = rows.fetch_all(connection).await.expect("the indexes");
    rows.iter().map(|row| (row.get("name"), row.get("first"))).collect()
}

/// Prepares the statement as `asked`. The driver names the types of its values; here the server finds them out, and where it takes a number
/// for a text (behind a CASE), it is told.
async fn prepare(connection: &mut PgConnection, text: &str, values: usize) {
    let mut refused = String::new();
    for numbers in 0..1_u32 << values.min(8) {
        let types = (0..values).map(|value| if numbers >> value & 1 == 1 { "bigint" } else { "unknown" });
        let types =
            if numbers == 0 { String::new() } else { format!("({})", types.collect::<Vec<_>>().join(", ")) };
        let text = AssertSqlSafe(format!("PREPARE asked {types} AS {text}"));
        match sqlx::raw_sql(text).execute(&mut *connection).await {
            Ok(_) => return,
            Err(error) => refused = error.to_string(),
        }
    }
    panic!("{refused}: {text}");
}

/// How the server would run the statement whatever its values are.
async fn plan(connection: &mut PgConnection, text: &str) -> Value {
    let values = (1..).take_while(|number| text.contains(&format!("${number}"))).count();
    prepare(connection, text, values).await;
    let nothing = if values == 0 { String::new() } else { format!("({})", vec!["NULL"; values].join(", ")) };
    let explain = sqlx::raw_sql(AssertSqlSafe(format!("EXPLAIN (FORMAT JSON) EXECUTE asked {nothing}")));
    let row = explain.fetch_one(&mut *connection).await.unwrap_or_else(|error| panic!("{error}: {text}"));
    sqlx::raw_sql("DEALLOCATE asked").execute(connection).await.expect("forgotten");
    serde_json::from_str(row.get_unchecked(0)).expect("a plan")
}

/// The newest in the order of an index: it stops at the limit.
const NEWEST: [(&str, &str); 2] = [
    ("ORDER BY id DESC LIMIT", "leads_pkey"),
    ("ORDER BY link_sent_at DESC, job_id DESC LIMIT", "jobs_done"),
];

/// The steps that go through a large table, or through an index of one from end to end: by no condition, or by one that leaves its first column
/// open.
fn reading_everything(
    step: &Value,
    text: &str,
    first_columns: &BTreeMap<String, String>,
    found: &mut Vec<String>,
) {
    let word = |name: &str| step[name].as_str().unwrap_or_default();
    let (kind, table, index, condition) =
        (word("Node Type"), word("Relation Name"), word("Index Name"), word("Index Cond"));
    let of_index = kind.contains("Index");
    // A bitmap names its table one step above.
    let table = if kind == "Bitmap Index Scan" { index } else { table };
    let large = LARGE.iter().any(|large| table.starts_with(large.trim_end_matches('s')));
    let newest = NEWEST.iter().any(|(order, of_order)| text.contains(order) && index == *of_order);
    let open = OF_OPEN_ROWS.contains(&index) || newest;
    let narrowed = first_columns.get(index).is_some_and(|first| condition.contains(first));
    if (kind == "Seq Scan" || of_index && !open && !narrowed) && large {
        found.push(format!("{kind} {table} {index} {condition}"));
    }
    for below in step["Plans"].as_array().into_iter().flatten() {
        reading_everything(below, text, first_columns, found);
    }
}

/// What the planner is told: no shape that reads whole tables, and no look at the values.
const SETTINGS: [&str; 5] = [
    "ANALYZE",
    "SET enable_seqscan = off",
    "SET enable_hashjoin = off",
    "SET enable_mergejoin = off",
    "SET plan_cache_mode = force_generic_plan",
];

/// A stage on this database.
async fn stage(url: &str) -> Stage {
    let folder = tempfile::tempdir().expect("a folder");
    Stage::on(url.to_owned(), folder, |settings| settings.leads = with_leads(&team())).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_runs_again_and_again_reads_what_is_long_done_on_postgresql_either() {
    on_two_databases(async |[of_the_pass, of_the_plans]| {
        let passed = stage(&of_the_pass).await;
        let recorded = recorded(&passed, OLD_ROWS, team()).await;
        passed.ctx.store.close().await;
        // The pass has deleted what was past its time, so the planner is asked where everything is still there.
        let full = stage(&of_the_plans).await;
        fill(&full, OLD_ROWS).await;
        full.ctx.store.close().await;
        let mut connection = PgConnection::connect(&of_the_plans).await.expect("connects");
        for setting in SETTINGS {
            sqlx::raw_sql(setting).execute(&mut connection).await.expect("set");
        }
        let first_columns = first_columns(&mut connection).await;
        let mut wrong = String::new();
        for text in recorded.keys() {
            let mut found = Vec::new();
            let plan = plan(&mut connection, text).await;
            reading_everything(&plan[0]["Plan"], text, &first_columns, &mut found);
            for step in found {
                let _ = writeln!(wrong, "{step}\n    of {text}");
            }
        }
        connection.close().await.expect("closes");
        assert!(wrong.is_empty(), "{wrong}");
    })
    .await;
}

#[test]
fn a_plan_of_postgresql_that_reads_a_large_table_is_known() {
    let first_columns =
        [("jobs_of_guest", "telegram_user_id"), ("jobs_queued", "created_at"), ("leads_pkey", "id")];
    let first_columns = first_columns.map(|(index, column)| (index.to_owned(), column.to_owned())).into();
    let found = |step: Value, text: &str| {
        let mut found = Vec::new();
        let above = serde_json::json!({"Node Type": "Limit", "Plans": [step]});
        reading_everything(&above, text, &first_columns, &mut found);
        !found.is_empty()
    };
    let step = |kind: &str, table: &str, index: &str, condition: &str| serde_json::json!({"Node Type": kind, "Relation Name": table, "Index Name": index, "Index Cond": condition});
    for (kind, table, index, condition, expected) in [
        ("Seq Scan", "jobs", "", "", true),
        ("Seq Scan", "kiosks", "", "", false),
        ("Index Scan", "jobs", "jobs_of_guest", "(telegram_user_id = $1)", false),
        ("Index Only Scan", "jobs", "jobs_of_guest", "(status = $1)", true),
        ("Bitmap Index Scan", "", "jobs_of_guest", "", true),
        ("Index Scan", "jobs", "jobs_queued", "", false),
        ("Index Scan", "leads", "leads_pkey", "", true),
    ] {
        assert_eq!(
            found(step(kind, table, index, condition), "SELECT 1"),
            expected,
            "{kind} {table} {index}"
        );
    }
    assert!(!found(step("Index Scan", "leads", "leads_pkey", ""), "SELECT 1 ORDER BY id DESC LIMIT $1"));
}
