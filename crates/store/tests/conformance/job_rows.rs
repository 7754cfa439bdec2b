//! "Job transitions" of seed 001, row by row: each move is tried from every status, and does what the table says or nothing.

use crate::harness::{Db, at};
use crate::stories::{MADINA, delivery, new_job};
use domain::job::{Claim, Job, JobId, JobMove, JobState, JobStatus, Pack};
use domain::session::SessionStatus;
use std::future::Future;
use std::pin::Pin;
use store::jobs::{self, Shutdown, Stale};
use store::{Change, StoreError, Tx, guests};

on_both_engines! {
    job_row_01_a_photo_queues_one_job_a_session
    job_row_02_a_slot_claims_a_queued_job
    job_row_03_a_created_set_is_delivered
    job_row_04_a_verified_set_is_done
    job_row_05_a_failed_attempt_goes_back_to_the_queue
    job_row_06_the_last_attempt_fails_the_job
    job_row_07_a_stopping_bot_gives_the_job_back
    job_row_08_a_job_of_a_dead_process_goes_back_to_the_queue
    job_row_09_a_job_of_a_dead_process_fails_at_its_last_attempt
    job_row_10_fifteen_minutes_fail_any_active_job
    job_row_11_an_admin_queues_a_failed_job_again
    job_row_12_a_reset_deletes_whatever_the_status
    an_older_claim_changes_nothing
    a_retry_by_an_admin_needs_the_photo
    an_ended_job_keeps_no_appearance
    an_appearance_left_over_is_found_and_cleared_when_its_job_has_ended
}

type Moved<'t> = Pin<Box<dyn Future<Output = Result<Change, StoreError>> + Send + 't>>;

async fn find(db: &Db, id: JobId) -> Job {
    jobs::find(&mut db.store.reader(), id).await.expect("reads").expect("is there")
}

/// Tries `mv`, with the right claim, on a job in each status and compares with the row `by`.
async fn try_from_every_status(
    db: &Db,
    by: JobMove,
    mv: impl for<'t> Fn(&'t mut Tx, JobId) -> Moved<'t> + Send + Copy + 'static,
    expected: impl Fn(Job) -> Job,
) {
    for (token, status) in ["t0", "t1", "t2", "t3", "t4"].into_iter().zip(FROM_LAST) {
        let id = db.job_in(token, status).await;
        let before = find(db, id).await;
        assert_eq!(before.status(), status);
        let change = db.write(move |tx| mv(tx, id)).await;
        let after = find(db, id).await;
        if by.from().contains(&status) {
            assert_eq!(change, Change::Changed, "{by:?} from {status}");
            assert_eq!(after, expected(before), "{by:?} from {status}");
        } else {
            assert_eq!(change, Change::Stale, "{by:?} from {status}");
            assert_eq!(after, before, "{by:?} from {status}");
        }
        // Out of the way of the next one, which must be the only job that can be claimed.
        db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    }
}

/// Every status.
const FROM_LAST: [JobStatus; 5] = JobStatus::ALL;

async fn job_row_01_a_photo_queues_one_job_a_session(db: Db) {
    db.session_in("tok", SessionStatus::PhotoTaken).await;
    let id = db.write(|tx| Box::pin(async { jobs::insert(tx, &new_job("tok", MADINA, 4)).await })).await;
    let job = find(&db, id).await;
    assert_eq!(job.state, JobState::Queued { not_before: None });
    assert_eq!((job.attempts, job.shutdown_returns, job.error), (0, 0, None));
    assert_eq!(job.photo_path.as_deref(), Some("sessions/tok/selfie_1.jpg"));
    assert_eq!((job.created_at, job.updated_at), (at(4), at(4)));
    let twice: Result<JobId, StoreError> =
        db.store.write(|tx| Box::pin(async { jobs::insert(tx, &new_job("tok", MADINA, 5)).await })).await;
    assert!(twice.expect_err("one photo, one job").is_unique_violation());
}

async fn job_row_02_a_slot_claims_a_queued_job(db: Db) {
    try_from_every_status(
        &db,
        JobMove::Claim,
        |tx, id| {
            Box::pin(async move {
                let claimed = jobs::claim_next(tx, "me", at(200), at(50)).await?;
                assert!(claimed.as_ref().is_none_or(|job| job.id == id));
                Ok(if claimed.is_some() { Change::Changed } else { Change::Stale })
            })
        },
        |before| Job {
            state: JobState::Processing(Claim { claim_no: 1, owner: "me".to_owned(), until: at(200) }),
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn job_row_03_a_created_set_is_delivered(db: Db) {
    try_from_every_status(
        &db,
        JobMove::StartDelivery,
        |tx, id| Box::pin(async move { jobs::start_delivery(tx, id, 1, &delivery(50)).await }),
        |before| Job {
            state: JobState::Delivering(Pack { name: "s1_abcdefghij_by_bot".to_owned(), created_at: at(50) }),
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn job_row_04_a_verified_set_is_done(db: Db) {
    try_from_every_status(
        &db,
        JobMove::Finish,
        |tx, id| Box::pin(jobs::finish(tx, id, at(50))),
        |before| {
            let JobState::Delivering(pack) = before.state.clone() else { unreachable!("the only legal one") };
            Job { state: JobState::Done { pack, link_sent_at: at(50) }, updated_at: at(50), ..before }
        },
    )
    .await;
}

async fn job_row_05_a_failed_attempt_goes_back_to_the_queue(db: Db) {
    try_from_every_status(
        &db,
        JobMove::RetryLater,
        |tx, id| Box::pin(jobs::retry_later(tx, id, 1, "timeout", at(60), at(50))),
        |before| Job {
            state: JobState::Queued { not_before: Some(at(60)) },
            attempts: 1,
            error: Some("timeout".to_owned()),
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn job_row_06_the_last_attempt_fails_the_job(db: Db) {
    try_from_every_status(
        &db,
        JobMove::Fail,
        |tx, id| Box::pin(jobs::fail(tx, id, 1, "no photo", at(50))),
        |before| Job {
            state: JobState::Failed,
            attempts: 1,
            error: Some("no photo".to_owned()),
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn job_row_07_a_stopping_bot_gives_the_job_back(db: Db) {
    for (counts, attempts) in [(Shutdown::Free, 0), (Shutdown::CountsAsAttempt, 1)] {
        try_from_every_status(
            &db,
            JobMove::ReturnOnShutdown,
            move |tx, id| Box::pin(jobs::return_on_shutdown(tx, id, 1, counts, at(50))),
            |before| Job {
                state: JobState::Queued { not_before: None },
                attempts,
                shutdown_returns: 1,
                error: Some("[requeued on shutdown]".to_owned()),
                updated_at: at(50),
                ..before
            },
        )
        .await;
    }
}

async fn job_row_08_a_job_of_a_dead_process_goes_back_to_the_queue(db: Db) {
    // The lease of a job that was claimed ends at second 100.
    for stale in [Stale::All, Stale::LeaseEndedBy(at(100))] {
        try_from_every_status(
            &db,
            JobMove::RequeueAfterRestart,
            move |tx, id| {
                Box::pin(async move {
                    let ids = jobs::requeue_stale(tx, stale, 2, at(150)).await?;
                    assert!(ids.is_empty() || ids == [id]);
                    Ok(if ids.is_empty() { Change::Stale } else { Change::Changed })
                })
            },
            |before| Job {
                state: JobState::Queued { not_before: None },
                attempts: 1,
                error: Some("[requeued after restart]".to_owned()),
                updated_at: at(150),
                ..before
            },
        )
        .await;
    }
    db.job_in("tok", JobStatus::Processing).await;
    let early = Stale::LeaseEndedBy(at(99));
    let ids = db.write(move |tx| Box::pin(jobs::requeue_stale(tx, early, 2, at(150)))).await;
    assert_eq!(ids, [], "its lease holds: another machine is at work");
    let ids = db.write(|tx| Box::pin(jobs::requeue_stale(tx, Stale::All, 1, at(150)))).await;
    assert_eq!(ids, [], "no attempt is left");
}

async fn job_row_09_a_job_of_a_dead_process_fails_at_its_last_attempt(db: Db) {
    try_from_every_status(
        &db,
        JobMove::FailAfterRestart,
        |tx, id| {
            Box::pin(async move {
                let failed = jobs::fail_stale_over_limit(tx, Stale::All, 1, "killed twice", at(150)).await?;
                assert!(failed.iter().all(|job| job.id == id && job.status() == JobStatus::Failed));
                Ok(if failed.is_empty() { Change::Stale } else { Change::Changed })
            })
        },
        |before| Job {
            state: JobState::Failed,
            attempts: 1,
            error: Some("killed twice".to_owned()),
            updated_at: at(150),
            ..before
        },
    )
    .await;
    db.job_in("tok", JobStatus::Processing).await;
    let failed = db.write(|tx| Box::pin(jobs::fail_stale_over_limit(tx, Stale::All, 2, "x", at(150)))).await;
    assert_eq!(failed, [], "an attempt is left");
    let early = Stale::LeaseEndedBy(at(99));
    let failed = db.write(move |tx| Box::pin(jobs::fail_stale_over_limit(tx, early, 1, "x", at(150)))).await;
    assert_eq!(failed, [], "its lease holds");
}

async fn job_row_10_fifteen_minutes_fail_any_active_job(db: Db) {
    try_from_every_status(
        &db,
        JobMove::FailUndelivered,
        |tx, id| Box::pin(jobs::fail_undelivered(tx, id, "STICKERSET_DELIVERY_FAILED", at(900))),
        |before| Job {
            state: JobState::Failed,
            error: Some("STICKERSET_DELIVERY_FAILED".to_owned()),
            updated_at: at(900),
            ..before
        },
    )
    .await;
}

async fn job_row_11_an_admin_queues_a_failed_job_again(db: Db) {
    try_from_every_status(
        &db,
        JobMove::AdminRetry,
        |tx, id| Box::pin(jobs::admin_retry(tx, id, "klmnopqrst", at(1_000))),
        |before| Job {
            state: JobState::Queued { not_before: None },
            attempts: 0,
            error: None,
            pack_key: "klmnopqrst".to_owned(),
            created_at: at(1_000),
            updated_at: at(1_000),
            ..before
        },
    )
    .await;
    let id = db.job_in("late", JobStatus::Queued).await;
    db.write(move |tx| {
        Box::pin(async move {
            assert_eq!(jobs::claim_delay_notice(tx, id, at(300)).await?, Change::Changed);
            assert_eq!(jobs::fail_undelivered(tx, id, "late", at(900)).await?, Change::Changed);
            assert_eq!(jobs::admin_retry(tx, id, "klmnopqrst", at(1_000)).await?, Change::Changed);
            assert_eq!(jobs::claim_delay_notice(tx, id, at(1_300)).await?, Change::Changed);
            Ok(())
        })
    })
    .await;
}

async fn job_row_12_a_reset_deletes_whatever_the_status(db: Db) {
    for (token, status) in ["t0", "t1", "t2", "t3", "t4"].into_iter().zip(JobStatus::ALL) {
        let id = db.job_in(token, status).await;
        let erased = db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
        assert_eq!(erased.jobs.iter().map(|job| (job.id, job.status())).collect::<Vec<_>>(), [(id, status)]);
        assert_eq!(jobs::find(&mut db.store.reader(), id).await.expect("reads"), None, "{status}");
    }
}

async fn an_older_claim_changes_nothing(db: Db) {
    let id = db.job_in("tok", JobStatus::Processing).await;
    db.write(move |tx| {
        Box::pin(async move {
            assert_eq!(jobs::requeue_stale(tx, Stale::All, 2, at(120)).await?, [id]);
            let again = jobs::claim_next(tx, "second", at(300), at(130)).await?.expect("waits");
            assert_eq!(again.status(), JobStatus::Processing);
            Ok(())
        })
    })
    .await;
    let before = find(&db, id).await;
    let late = db
        .write(move |tx| {
            Box::pin(async move {
                Ok([
                    jobs::renew(tx, id, 1, at(999), at(140)).await?,
                    jobs::set_appearance(tx, id, 1, "{}", at(140)).await?,
                    jobs::start_delivery(tx, id, 1, &delivery(140)).await?,
                    jobs::retry_later(tx, id, 1, "x", at(150), at(140)).await?,
                    jobs::fail(tx, id, 1, "x", at(140)).await?,
                    jobs::return_on_shutdown(tx, id, 1, Shutdown::Free, at(140)).await?,
                ])
            })
        })
        .await;
    assert_eq!(late, [Change::Stale; 6]);
    assert_eq!(find(&db, id).await, before);
    let renewed =
        db.write(move |tx| Box::pin(async move { jobs::renew(tx, id, 2, at(999), at(140)).await })).await;
    assert_eq!(renewed, Change::Changed);
    let claim = Claim { claim_no: 2, owner: "second".to_owned(), until: at(999) };
    assert_eq!(find(&db, id).await.state, JobState::Processing(claim));
}

async fn a_retry_by_an_admin_needs_the_photo(db: Db) {
    let id = db.job_in("tok", JobStatus::Failed).await;
    let changes = db
        .write(move |tx| {
            Box::pin(async move {
                let cleared = jobs::clear_photo(tx, id, at(60)).await?;
                let again = jobs::clear_photo(tx, id, at(61)).await?;
                Ok([cleared, again, jobs::admin_retry(tx, id, "klmnopqrst", at(70)).await?])
            })
        })
        .await;
    assert_eq!(changes, [Change::Changed, Change::Stale, Change::Stale]);
    assert_eq!(find(&db, id).await.photo_path, None);
}

async fn an_ended_job_keeps_no_appearance(db: Db) {
    for (token, end) in ["t0", "t1", "t2", "t3"].into_iter().zip(0..) {
        let id = db.job_in(token, JobStatus::Processing).await;
        db.write(move |tx| {
            Box::pin(async move {
                let kept = jobs::set_appearance(tx, id, 1, r#"{"hair":"dark"}"#, at(20)).await?;
                assert_eq!(kept, Change::Changed);
                let ended = match end {
                    0 => jobs::fail(tx, id, 1, "x", at(30)).await?,
                    1 => jobs::fail_undelivered(tx, id, "x", at(30)).await?,
                    2 => {
                        let failed = jobs::fail_stale_over_limit(tx, Stale::All, 1, "x", at(30)).await?;
                        if failed.is_empty() { Change::Stale } else { Change::Changed }
                    }
                    _ => {
                        assert_eq!(jobs::start_delivery(tx, id, 1, &delivery(25)).await?, Change::Changed);
                        jobs::finish(tx, id, at(30)).await?
                    }
                };
                assert_eq!(ended, Change::Changed);
                Ok(())
            })
        })
        .await;
    }
    let left = db.text("SELECT CAST(COUNT(appearance_json) AS TEXT) FROM jobs").await;
    assert_eq!(left.as_deref(), Some("0"));
}

async fn an_appearance_left_over_is_found_and_cleared_when_its_job_has_ended(db: Db) {
    let mut ids = Vec::new();
    for (token, status) in ["t0", "t1", "t2", "t3", "t4"].into_iter().zip(FROM_LAST.into_iter().rev()) {
        ids.push((db.job_in(token, status).await, status));
    }
    db.raw("UPDATE jobs SET appearance_json = '{}'").await;
    let ended = |status: JobStatus| matches!(status, JobStatus::Done | JobStatus::Failed);
    let left: Vec<_> = ids.iter().filter(|(_, status)| ended(*status)).map(|(id, _)| *id).collect();
    let reader = &mut db.store.reader();
    assert_eq!(jobs::with_appearance_left(reader, 9).await.expect("reads"), left);
    for (id, status) in ids {
        let change = db.write(move |tx| Box::pin(jobs::clear_appearance(tx, id))).await;
        assert_eq!(change == Change::Changed, ended(status), "{status}");
    }
    assert_eq!(jobs::with_appearance_left(reader, 9).await.expect("reads"), []);
}
