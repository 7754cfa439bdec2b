//! Settings, tablets, leases, the audit log, what was spent, erasures: the small tables.

use crate::harness::{Db, at};
use domain::job::JobId;
use store::ai_usage::{self, Usage};
use store::audit_log::{self, Audit};
use store::kiosks::{self, Heartbeat, Kiosk};
use store::{Change, Engine, erasures, leases, settings};

on_both_engines! {
    a_setting_is_set_changed_and_removed
    a_tablet_is_listed_with_its_last_word
    a_lease_is_one_owners_until_its_time_is_over
    the_audit_log_is_read_newest_first
    spending_is_summed_for_a_job_and_a_time
    what_was_set_aside_for_a_call_is_settled_and_added_up_by_hour
    packs_of_erased_guests_add_up_until_the_event_is_closed
    leases_run_on_the_databases_clock_where_machines_share_it
}

async fn a_setting_is_set_changed_and_removed(db: Db) {
    let get = async || settings::get(&mut db.store.reader(), "maintenance").await.expect("reads");
    assert_eq!(get().await, None);
    db.write(|tx| Box::pin(settings::set(tx, "maintenance", "auto", at(1)))).await;
    db.write(|tx| Box::pin(settings::set(tx, "maintenance", "admin", at(2)))).await;
    assert_eq!(get().await.as_deref(), Some("admin"));
    let updated = settings::updated_at(&mut db.store.reader(), "maintenance").await.expect("reads");
    assert_eq!(updated, Some(at(2)));
    let removed = db.write(|tx| Box::pin(settings::delete(tx, "maintenance"))).await;
    let again = db.write(|tx| Box::pin(settings::delete(tx, "maintenance"))).await;
    assert_eq!((removed, again), (Change::Changed, Change::Stale));
    assert_eq!(get().await, None);
}

async fn a_tablet_is_listed_with_its_last_word(db: Db) {
    for (name, camera, battery, second) in
        [("right", "ok", Some(80), 1), ("left", "ok", None, 2), ("right", "lost", Some(79), 31)]
    {
        db.write(move |tx| {
            Box::pin(async move {
                let beat = Heartbeat {
                    kiosk: name.to_owned(),
                    camera: camera.to_owned(),
                    battery,
                    version: "1.0".to_owned(),
                    now: at(second),
                };
                kiosks::heartbeat(tx, &beat).await
            })
        })
        .await;
    }
    let kiosk = |name: &str, camera: &str, battery, first, last| Kiosk {
        kiosk: name.to_owned(),
        camera: camera.to_owned(),
        battery,
        version: "1.0".to_owned(),
        first_seen_at: at(first),
        seen_at: at(last),
    };
    let expected = [kiosk("left", "ok", None, 2, 2), kiosk("right", "lost", Some(79), 1, 31)];
    assert_eq!(kiosks::list(&mut db.store.reader()).await.expect("reads"), expected);
}

async fn a_lease_is_one_owners_until_its_time_is_over(db: Db) {
    let acquire = async |owner: &'static str, until, now| {
        db.write(move |tx| Box::pin(leases::acquire(tx, "sweeper", owner, at(until), at(now)))).await
    };
    assert!(acquire("a", 10, 0).await);
    assert!(!acquire("b", 11, 1).await, "it is taken");
    assert!(acquire("a", 15, 5).await, "its owner keeps it");
    assert!(!acquire("b", 24, 14).await);
    let holder = async |now| leases::holder(&mut db.store.reader(), "sweeper", at(now)).await.expect("reads");
    assert_eq!(holder(14).await.as_deref(), Some("a"));
    assert_eq!(holder(15).await, None);
    assert!(acquire("b", 25, 15).await, "its time is over");
    let foreign = db.write(|tx| Box::pin(leases::release(tx, "sweeper", "a"))).await;
    assert_eq!(foreign, Change::Stale, "it is somebody else's now");
    let own = db.write(|tx| Box::pin(leases::release(tx, "sweeper", "b"))).await;
    assert_eq!(own, Change::Changed);
    assert!(acquire("a", 30, 16).await);
    let pass_on = async |dead: &'static str, owner: &'static str, until| {
        db.write(move |tx| Box::pin(leases::pass_on(tx, "sweeper", dead, owner, at(until)))).await
    };
    assert_eq!(pass_on("b", "c", 40).await, Change::Stale, "it is not the dead one's");
    assert_eq!(pass_on("a", "c", 40).await, Change::Changed, "the dead need not be waited for");
    assert_eq!((holder(39).await.as_deref(), holder(40).await), (Some("c"), None));
    assert_eq!(pass_on("a", "d", 50).await, Change::Stale, "somebody was faster");
    assert!(db.write(|tx| Box::pin(leases::acquire(tx, "leads", "b", at(30), at(16)))).await, "another role");
}

async fn the_audit_log_is_read_newest_first(db: Db) {
    let entry = |second, action: &str, details: Option<&str>| Audit {
        at: at(second),
        actor: "operator:1".to_owned(),
        action: action.to_owned(),
        subject: "job:1".to_owned(),
        details: details.map(str::to_owned),
    };
    let entries = [entry(1, "pause", None), entry(2, "retry", Some("again")), entry(2, "resume", None)];
    let stored = entries.clone();
    db.write(move |tx| {
        Box::pin(async move {
            for entry in &stored {
                audit_log::insert(tx, entry).await?;
            }
            Ok(())
        })
    })
    .await;
    let latest = audit_log::latest(&mut db.store.reader(), 2).await.expect("reads");
    assert_eq!(latest, [entries[2].clone(), entries[1].clone()]);
}

async fn spending_is_summed_for_a_job_and_a_time(db: Db) {
    let on_job = async |job, second| {
        ai_usage::spent_on_job(&mut db.store.reader(), JobId(job), at(second)).await.expect("reads")
    };
    assert_eq!(on_job(1, 0).await, 0.0);
    for (job, cost_usd, second) in [(1, 0.25, 1), (1, 0.5, 10), (2, 1.0, 10)] {
        db.write(move |tx| {
            Box::pin(async move {
                let usage = Usage {
                    job: JobId(job),
                    stage: "sheet".to_owned(),
                    provider: "gemini".to_owned(),
                    model: "m".to_owned(),
                    input_tokens: 100,
                    output_tokens: 200,
                    images: 1,
                    cost_usd,
                    at: at(second),
                };
                ai_usage::insert(tx, &usage).await
            })
        })
        .await;
    }
    assert_eq!(on_job(1, 0).await, 0.75);
    assert_eq!(on_job(1, 2).await, 0.5, "an admin retry starts the ceiling anew");
    let since = ai_usage::spent_since(&mut db.store.reader(), at(10)).await.expect("reads");
    assert_eq!(since, 1.5);
}

async fn packs_of_erased_guests_add_up_until_the_event_is_closed(db: Db) {
    let packs = async |hash| erasures::packs(&mut db.store.reader(), hash).await.expect("reads");
    assert_eq!(packs("h1").await, 0);
    db.write(|tx| Box::pin(erasures::record(tx, "h1", 1, at(1)))).await;
    db.write(|tx| Box::pin(erasures::record(tx, "h1", 2, at(2)))).await;
    db.write(|tx| Box::pin(erasures::record(tx, "h2", 1, at(2)))).await;
    assert_eq!((packs("h1").await, packs("h2").await), (3, 1));
    assert_eq!(db.write(|tx| Box::pin(erasures::clear(tx))).await, 2);
    assert_eq!(packs("h1").await, 0);
}

async fn leases_run_on_the_databases_clock_where_machines_share_it(db: Db) {
    // A machine whose clock stands in 1970.
    let wrong = domain::Timestamp::from_millis(5);
    let clock = db.store.lease_clock(wrong).await.expect("reads");
    match db.store.engine() {
        Engine::Sqlite => assert_eq!(clock, wrong, "one machine, one clock"),
        Engine::Postgres => assert!(clock > at(-1_000_000_000), "{clock}"),
    }
}

async fn what_was_set_aside_for_a_call_is_settled_and_added_up_by_hour(db: Db) {
    let hour = |count: i64| domain::Timestamp::from_millis(count * 3_600_000 + 5);
    let begin = async |job, stage: &'static str, hours| {
        db.write(move |tx| {
            Box::pin(async move {
                let usage = Usage {
                    job: JobId(job),
                    stage: stage.to_owned(),
                    provider: "gemini".to_owned(),
                    model: "m".to_owned(),
                    input_tokens: 0,
                    output_tokens: 0,
                    images: 0,
                    cost_usd: 0.5,
                    at: hour(hours),
                };
                ai_usage::begin(tx, &usage).await
            })
        })
        .await
    };
    let settled = ai_usage::Settled { input_tokens: 10, output_tokens: 20, images: 1, cost_usd: 0.25 };
    let settle = async |id| {
        db.write(move |tx| Box::pin(async move { ai_usage::settle(tx, id, &settled).await })).await
    };
    let first = begin(1, "sheet", 100).await;
    let second = begin(2, "sheet", 100).await;
    begin(2, "anchor", 101).await;
    begin(3, "sheet", 90).await;
    assert_ne!(first, second);
    assert_eq!((settle(first).await, settle(second).await), (Change::Changed, Change::Changed));
    assert_eq!(settle(second + 1_000).await, Change::Stale);
    let hours = ai_usage::by_hour(&mut db.store.reader(), hour(100)).await.expect("reads");
    let row = |hour, stage: &str, calls, tokens: (i64, i64), images, cost_usd| ai_usage::Hour {
        hour,
        stage: stage.to_owned(),
        provider: "gemini".to_owned(),
        model: "m".to_owned(),
        calls,
        input_tokens: tokens.0,
        output_tokens: tokens.1,
        images,
        cost_usd,
    };
    assert_eq!(hours, [row(100, "sheet", 2, (20, 40), 2, 0.5), row(101, "anchor", 1, (0, 0), 0, 0.5)]);
}
