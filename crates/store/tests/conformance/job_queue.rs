//! The queue: order, places, counts, deadlines.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, delivery, must, new_job};
use domain::job::{JobId, JobStatus};
use domain::session::SessionStatus;
use std::time::Duration;
use store::{Change, guests, jobs};

on_both_engines! {
    the_oldest_job_is_claimed_first_and_a_paused_one_waits
    places_count_from_one_and_work_is_place_zero
    counts_of_statuses_and_of_the_limit
    recent_durations_run_from_the_claim_to_the_link
    deadlines_and_delay_notices_are_due_by_age
    the_delay_notice_is_claimed_once
    looks_at_a_set_are_scheduled
    an_unknown_job_finds_and_changes_nothing
    job_numbers_are_never_used_again
    the_readable_view_of_jobs_shows_times_as_text
}

/// Queues a job of Madina that was accepted at `second`.
async fn queue(db: &Db, token: &'static str, second: i64) -> JobId {
    db.session_in(token, SessionStatus::PhotoTaken).await;
    db.write(move |tx| Box::pin(async move { jobs::insert(tx, &new_job(token, MADINA, second)).await })).await
}

async fn claim(db: &Db, second: i64) -> Option<JobId> {
    let claimed =
        db.write(move |tx| Box::pin(jobs::claim_next(tx, "worker", at(second + 60), at(second)))).await;
    claimed.map(|job| job.id)
}

async fn the_oldest_job_is_claimed_first_and_a_paused_one_waits(db: Db) {
    let newer = queue(&db, "newer", 20).await;
    let older = queue(&db, "older", 10).await;
    assert_eq!(claim(&db, 30).await, Some(older), "by age and not by number");
    let back = db
        .write(move |tx| Box::pin(async move { jobs::retry_later(tx, older, 1, "x", at(45), at(35)).await }))
        .await;
    assert_eq!(back, Change::Changed);
    let next = jobs::next_not_before(&mut db.store.reader()).await.expect("reads");
    assert_eq!(next, Some(at(20)), "one can be claimed at once");
    assert_eq!(claim(&db, 44).await, Some(newer), "the older one is paused");
    assert_eq!(claim(&db, 44).await, None);
    let next = jobs::next_not_before(&mut db.store.reader()).await.expect("reads");
    assert_eq!(next, Some(at(45)));
    assert_eq!(claim(&db, 45).await, Some(older));
    assert_eq!(jobs::next_not_before(&mut db.store.reader()).await.expect("reads"), None);
}

async fn places_count_from_one_and_work_is_place_zero(db: Db) {
    let place = async |id| jobs::position(&mut db.store.reader(), id).await.expect("reads");
    let worked_on = queue(&db, "a", 1).await;
    assert_eq!(claim(&db, 2).await, Some(worked_on));
    let second = queue(&db, "b", 20).await;
    let first = queue(&db, "c", 10).await;
    let equal = queue(&db, "d", 20).await;
    assert_eq!(place(worked_on).await, Some(0));
    assert_eq!(place(first).await, Some(1));
    assert_eq!(place(second).await, Some(2));
    assert_eq!(place(equal).await, Some(3), "of two of one moment the earlier number is first");
    db.write(move |tx| {
        Box::pin(async move { jobs::start_delivery(tx, worked_on, 1, &delivery(30)).await.map(must) })
    })
    .await;
    assert_eq!(place(worked_on).await, Some(0));
    db.write(move |tx| Box::pin(async move { jobs::finish(tx, worked_on, at(40)).await.map(must) })).await;
    assert_eq!(place(worked_on).await, None);
    assert_eq!(place(JobId(999)).await, None);
}

async fn counts_of_statuses_and_of_the_limit(db: Db) {
    let limit = async |guest| db.write(move |tx| Box::pin(jobs::count_against_limit(tx, guest))).await;
    let active = async |guest| jobs::has_active(&mut db.store.reader(), guest).await.expect("reads");
    for (token, status, counted, is_active) in [
        ("t0", JobStatus::Failed, 0, false),
        ("t1", JobStatus::Done, 1, false),
        ("t2", JobStatus::Delivering, 2, true),
        ("t3", JobStatus::Processing, 3, true),
        ("t4", JobStatus::Queued, 4, true),
    ] {
        db.job_in(token, status).await;
        assert_eq!(limit(MADINA).await, counted, "with {status}");
        assert_eq!(active(MADINA).await, is_active, "with {status}");
    }
    db.job_of(TIMUR, "other", JobStatus::Queued).await;
    assert_eq!(limit(MADINA).await, 4, "another guest's do not count");
    assert_eq!(limit(TIMUR).await, 1);
    let reader = &mut db.store.reader();
    assert_eq!(jobs::count_active(reader).await.expect("reads"), 4);
    let expected = JobStatus::ALL.map(|status| (status, if status == JobStatus::Queued { 2 } else { 1 }));
    assert_eq!(jobs::count_by_status(reader).await.expect("reads"), expected);
    assert_eq!(jobs::packs_since(reader, at(20)).await.expect("reads"), 1, "one is done");
    assert_eq!(jobs::packs_since(reader, at(21)).await.expect("reads"), 0);
    let failed = jobs::failed_since(reader, at(0), 9).await.expect("reads");
    assert_eq!(failed.iter().map(|(_, error)| error.as_str()).collect::<Vec<_>>(), ["boom"]);
    assert_eq!(jobs::failed_since(reader, at(0), 0).await.expect("reads"), []);
    assert_eq!(jobs::count_failed_since(reader, at(0)).await.expect("reads"), 1);
    assert_eq!(jobs::count_failed_since(reader, at(1_000_000)).await.expect("reads"), 0);
    let of_session = jobs::of_session(reader, "t1").await.expect("reads").expect("is there");
    assert_eq!(of_session.status(), JobStatus::Done);
    assert_eq!(jobs::of_guest(reader, MADINA).await.expect("reads").len(), 5);
}

async fn recent_durations_run_from_the_claim_to_the_link(db: Db) {
    for (token, queued, claimed, linked) in [("a", 0, 100, 110), ("b", 0, 200, 230), ("c", 0, 300, 320)] {
        let id = queue(&db, token, queued).await;
        assert_eq!(claim(&db, claimed).await, Some(id));
        db.write(move |tx| {
            Box::pin(async move {
                must(jobs::start_delivery(tx, id, 1, &delivery(claimed + 5)).await?);
                must(jobs::finish(tx, id, at(linked)).await?);
                Ok(())
            })
        })
        .await;
    }
    db.job_in("failed", JobStatus::Failed).await;
    let recent = async |limit| jobs::recent_durations(&mut db.store.reader(), limit).await.expect("reads");
    assert_eq!(recent(20).await, [20, 30, 10].map(Duration::from_secs), "newest first");
    assert_eq!(recent(2).await, [20, 30].map(Duration::from_secs));
}

async fn deadlines_and_delay_notices_are_due_by_age(db: Db) {
    let reader = &mut db.store.reader();
    for (token, status) in ["t0", "t1", "t2", "t3", "t4"].into_iter().zip([
        JobStatus::Done,
        JobStatus::Failed,
        JobStatus::Delivering,
        JobStatus::Processing,
        JobStatus::Queued,
    ]) {
        db.job_in(token, status).await;
    }
    let young = queue(&db, "young", 50).await;
    let late = jobs::due_for_deadline(reader, at(49), 10).await.expect("reads");
    let statuses: Vec<_> = late.iter().map(domain::job::Job::status).collect();
    assert_eq!(statuses, [JobStatus::Delivering, JobStatus::Processing, JobStatus::Queued]);
    let notices = jobs::due_for_delay_notice(reader, at(49), 10).await.expect("reads");
    assert_eq!(notices, late);
    let told = late[0].id;
    db.write(move |tx| Box::pin(async move { jobs::claim_delay_notice(tx, told, at(60)).await.map(must) }))
        .await;
    let notices = jobs::due_for_delay_notice(reader, at(50), 2).await.expect("reads");
    assert_eq!(notices.iter().map(|job| job.id).collect::<Vec<_>>(), [late[1].id, late[2].id], "two at most");
    let late = jobs::due_for_deadline(reader, at(50), 10).await.expect("reads");
    assert_eq!(late.last().map(|job| job.id), Some(young), "exactly at its time");
}

async fn the_delay_notice_is_claimed_once(db: Db) {
    for (token, status) in ["t0", "t1", "t2", "t3", "t4"].into_iter().zip(JobStatus::ALL) {
        let id = db.job_in(token, status).await;
        let claims = db
            .write(move |tx| {
                Box::pin(async move {
                    let first = jobs::claim_delay_notice(tx, id, at(300)).await?;
                    Ok([first, jobs::claim_delay_notice(tx, id, at(301)).await?])
                })
            })
            .await;
        let active = domain::job::ACTIVE_JOB_STATUSES.contains(&status);
        let first = if active { Change::Changed } else { Change::Stale };
        assert_eq!(claims, [first, Change::Stale], "{status}");
        db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    }
}

async fn looks_at_a_set_are_scheduled(db: Db) {
    let reader = &mut db.store.reader();
    assert_eq!(jobs::next_verify(reader).await.expect("reads"), None);
    let id = db.job_in("tok", JobStatus::Delivering).await;
    assert_eq!(jobs::next_verify(reader).await.expect("reads"), Some(at(20)), "at once");
    assert_eq!(jobs::due_for_verify(reader, at(19), 10).await.expect("reads"), []);
    let due = jobs::due_for_verify(reader, at(20), 10).await.expect("reads");
    assert_eq!(due.iter().map(|job| (job.id, job.verify_looks)).collect::<Vec<_>>(), [(id, 0)]);
    db.write(move |tx| Box::pin(async move { jobs::looked(tx, id, at(25), at(21)).await.map(must) })).await;
    assert_eq!(jobs::due_for_verify(reader, at(24), 10).await.expect("reads"), []);
    let due = jobs::due_for_verify(reader, at(25), 10).await.expect("reads");
    assert_eq!(due[0].verify_looks, 1);
    assert_eq!(jobs::delivering(reader, 10).await.expect("reads"), due);
    db.write(move |tx| Box::pin(async move { jobs::finish(tx, id, at(30)).await.map(must) })).await;
    let late = db.write(move |tx| Box::pin(async move { jobs::looked(tx, id, at(40), at(31)).await })).await;
    assert_eq!(late, Change::Stale);
    assert_eq!(jobs::next_verify(reader).await.expect("reads"), None);
}

async fn an_unknown_job_finds_and_changes_nothing(db: Db) {
    const NOWHERE: JobId = JobId(999);
    let changes = db
        .write(|tx| {
            Box::pin(async {
                assert_eq!(jobs::find(tx, NOWHERE).await?, None);
                assert_eq!(jobs::claim_next(tx, "w", at(9), at(1)).await?, None);
                Ok([
                    jobs::finish(tx, NOWHERE, at(1)).await?,
                    jobs::fail_undelivered(tx, NOWHERE, "x", at(1)).await?,
                    jobs::claim_delay_notice(tx, NOWHERE, at(1)).await?,
                    jobs::admin_retry(tx, NOWHERE, "k", at(1)).await?,
                    jobs::clear_photo(tx, NOWHERE, at(1)).await?,
                    jobs::looked(tx, NOWHERE, at(2), at(1)).await?,
                ])
            })
        })
        .await;
    assert_eq!(changes, [Change::Stale; 6]);
}

async fn job_numbers_are_never_used_again(db: Db) {
    let first = queue(&db, "a", 1).await;
    db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    let second = queue(&db, "b", 2).await;
    assert!(second > first, "{second} after {first}");
}

async fn the_readable_view_of_jobs_shows_times_as_text(db: Db) {
    db.job_in("tok", JobStatus::Done).await;
    assert_eq!(
        db.text("SELECT created_at || ' ' || link_sent_at FROM jobs_readable").await.as_deref(),
        Some("2026-11-29 18:30:00+05:00 2026-11-29 18:30:30+05:00")
    );
    assert_eq!(db.text("SELECT not_before FROM jobs_readable").await, None);
}
