//! The clean-up of files, by age and without a row (seed 002, "Photo TTL"; product.md, "Decided once").

use crate::stage::{PORTRAIT, Stage};
use app::loops;
use bucket::Bucket;
use bytes::Bytes;
use clients::media::{Media, MediaUrl};
use domain::job::{JobId, JobStatus};
use domain::session::SessionStatus;
use domain::{Clock, Timestamp, names};
use std::time::Duration;
use store::jobs;

impl Stage {
    /// Moves the clock to `after` the youngest of all files: the media store stamps them with the machine's time.
    pub async fn after_the_youngest_file(&self, after: Duration) {
        let mut youngest = 0;
        for folder in ["sessions", "debug_sheets"] {
            let files = self.ctx.media.list(folder).await.expect("a list");
            youngest = files.iter().map(|file| file.last_modified_ms).max().unwrap_or(0).max(youngest);
        }
        self.clock.set(Timestamp::from_millis(youngest).plus(after));
    }

    async fn keys(&self, folder: &str) -> Vec<String> {
        self.ctx.media.list(folder).await.expect("a list").into_iter().map(|file| file.key).collect()
    }
}

#[tokio::test]
async fn the_clean_up_takes_files_by_age_with_an_hours_margin_and_keeps_younger_ones() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    // The media store stamps files with the machine's time; the manual clock is moved relative to it.
    let files = stage.ctx.media.list("sessions").await.expect("a list");
    let youngest = files.iter().map(|file| file.last_modified_ms).max().expect("files");
    let oldest = files.iter().map(|file| file.last_modified_ms).min().expect("files");
    let at = |ms: i64| {
        let now = stage.clock.now().as_millis();
        stage.clock.advance(Duration::from_millis(u64::try_from(ms - now).expect("forward")));
    };
    let kept = 71 * 3600 * 1000;
    at(oldest + kept - 1000);
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 0);
    at(youngest + kept + 1000);
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), files.len());
    assert!(
        stage.ctx.media.list(&names::session_folder(&job.session_token)).await.expect("a list").is_empty()
    );
}

#[tokio::test]
async fn the_clean_up_clears_descriptions_left_in_ended_jobs() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    let (id, now) = (job.id, stage.clock.now());
    let kept = stage
        .ctx
        .store
        .write(move |tx| Box::pin(jobs::set_appearance(tx, id, 1, r#"{"hair":"dark"}"#, now)))
        .await
        .expect("stored");
    assert_eq!(kept, store::Change::Changed);
    loops::clean_up(&stage.ctx).await.expect("a pass");
    let mut reader = stage.ctx.store.reader();
    let left = jobs::with_appearance_left(&mut reader, 9).await.expect("reads");
    assert_eq!(left, [], "an active job needs it, and is none of them");
    // An older program ended the job and left the description behind.
    stage.raw("UPDATE jobs SET status = 'failed', lease_owner = NULL, lease_until = NULL").await;
    assert_eq!(jobs::with_appearance_left(&mut reader, 9).await.expect("reads"), [id]);
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert_eq!(jobs::with_appearance_left(&mut reader, 9).await.expect("reads"), []);
}

/// Debug sheets, anchor portraits and reports: the same time to live (seed 002, row 3).
#[tokio::test]
async fn row_002_data_3_debug_sheets_go_by_their_age_too() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    for name in ["anchor.png", "a1_sheet0.png", "a1_report.json"] {
        let key = names::debug_key(job.id, name);
        assert!(key.starts_with(&format!("debug_sheets/job{}_", job.id)), "the seed's name: {key}");
        stage.ctx.media.put(&key, Bytes::from_static(b"a face")).await.expect("stored");
    }
    stage.after_the_youngest_file(Duration::from_secs(70 * 3_600)).await;
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 0);
    assert_eq!(stage.keys("debug_sheets").await.len(), 3);
    stage.after_the_youngest_file(Duration::from_secs(71 * 3_600 + 1)).await;
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert!(stage.keys("debug_sheets").await.is_empty());
}

/// Leaves files without a row on this media store and cleans up. What a process killed while it wrote left comes first in `more`.
async fn files_without_a_row_go_after_an_hour(mut stage: Stage, media: Media) {
    stage.ctx.media = media;
    let job = stage.queued_job(1).await;
    let photo = job.photo_path.clone().expect("a selfie");
    let kept = [photo, names::debug_key(job.id, "anchor.png")];
    let rowless = [
        // A session and a job that are gone.
        names::selfie_key("gone", "abc"),
        names::sticker_key("gone", "abcdefghij", 0),
        names::debug_key(JobId(job.id.0 + 1_000), "a1_sheet0.png"),
        // A photo whose transaction never ended: the session is there, and its job names another one.
        names::selfie_key(&job.session_token, "killed"),
        // Nothing of ours.
        "debug_sheets/notes.txt".to_owned(),
    ];
    for key in kept.iter().chain(&rowless) {
        stage.ctx.media.put(key, Bytes::from_static(b"a face")).await.expect("stored");
    }
    let all = stage.keys("sessions").await.len() + stage.keys("debug_sheets").await.len();
    stage.after_the_youngest_file(Duration::from_secs(3_000)).await;
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 0, "they may belong to work under way");
    stage.after_the_youngest_file(Duration::from_secs(4_200)).await;
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), rowless.len());
    let left = [stage.keys("sessions").await, stage.keys("debug_sheets").await].concat();
    assert_eq!(left.len(), all - rowless.len());
    for key in kept {
        assert!(left.contains(&key), "{key}");
    }
    for place in 0..9 {
        assert!(left.contains(&names::sticker_key(&job.session_token, &job.pack_key, place)));
    }
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 0);
}

#[tokio::test]
async fn files_without_a_row_go_after_an_hour_from_an_object_store() {
    files_without_a_row_go_after_an_hour(Stage::new().await, Media::in_memory()).await;
}

#[tokio::test]
async fn files_without_a_row_go_after_an_hour_from_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = MediaUrl::Folder(folder.path().join("data"));
    let media = Media::open(&url, []).expect("a media store");
    files_without_a_row_go_after_an_hour(Stage::new().await, media).await;
}

/// A media store on a real S3 server.
fn on(bucket: &Bucket) -> Media {
    let url = MediaUrl::parse(&bucket.url("media")).expect("a good address");
    Media::open(&url, bucket.vars().map(|(name, value)| (name.to_owned(), value))).expect("good settings")
}

#[tokio::test]
async fn files_without_a_row_go_after_an_hour_from_an_s3_store() {
    let bucket = Bucket::start().await;
    files_without_a_row_go_after_an_hour(Stage::new().await, on(&bucket)).await;
}

#[tokio::test]
async fn the_clean_up_goes_by_the_age_that_an_s3_store_tells_with_an_hours_margin() {
    let bucket = Bucket::start().await;
    let mut stage = Stage::new().await;
    stage.ctx.media = on(&bucket);
    let job = stage.queued_job(1).await;
    let debug = names::debug_key(job.id, "anchor.png");
    stage.ctx.media.put(&debug, Bytes::from_static(b"a face")).await.expect("stored");
    stage.after_the_youngest_file(Duration::from_secs(1)).await;
    let all = bucket.keys("").len();
    let hour = Duration::from_secs(3_600);
    // Both are 70 hours old, the others are new.
    for part in ["selfie_", "anchor"] {
        assert_eq!(bucket.age(part, hour * 70), 1);
    }
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 0);
    assert_eq!(bucket.keys("").len(), all);
    for part in ["selfie_", "anchor"] {
        bucket.age(part, hour);
    }
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 2);
    assert_eq!(
        (bucket.keys("").len(), bucket.keys("selfie_"), bucket.keys("anchor")),
        (all - 2, vec![], vec![])
    );
    // A store that is away is a failed pass, and the next one does its work.
    bucket.age("", hour * 71);
    bucket.refuse(Some(""));
    assert!(loops::clean_up(&stage.ctx).await.is_err());
    bucket.refuse(None);
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), all - 2);
}

#[tokio::test]
async fn what_a_killed_process_left_half_written_goes_after_an_hour() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = MediaUrl::Folder(folder.path().to_owned());
    let mut stage = Stage::new().await;
    stage.ctx.media = Media::open(&url, []).expect("a media store");
    let token = stage.at_the_camera(1).await;
    let id = stage.upload(&token).await.expect("a job");
    let half = folder.path().join(format!("sessions/{token}/sticker_abcdefghij_3.webp#1"));
    std::fs::write(&half, &PORTRAIT[..100]).expect("written");
    stage.after_the_youngest_file(Duration::from_secs(3_000)).await;
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert!(half.is_file());
    stage.after_the_youngest_file(Duration::from_secs(4_200)).await;
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 1);
    assert!(!half.exists());
    let job = stage.job(id).await;
    assert_eq!(job.status(), JobStatus::Queued);
    assert!(
        stage.ctx.media.exists(&job.photo_path.expect("a selfie")).await.expect("readable"),
        "its selfie stays"
    );
    let view = app::session::view(&stage.ctx, &token).await.expect("a view");
    assert_eq!(view.status, SessionStatus::PhotoTaken);
}

#[tokio::test]
async fn what_was_said_is_forgotten_a_week_after_it_was_said() {
    let stage = Stage::new().await;
    stage.commands_of(5, "help").await;
    stage.send_all().await;
    stage.commands_of(6, "help").await;
    let there = async |key| {
        store::outbox::find(&mut stage.ctx.store.reader(), key).await.expect("readable").is_some()
    };
    stage.clock.advance(Duration::from_secs(6 * 24 * 3_600));
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert!(there("reply:1").await);
    stage.clock.advance(Duration::from_secs(24 * 3_600 + 60));
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert!(!there("reply:1").await, "its row holds the number of whoever asked");
    assert!(there("reply:2").await, "it was not sent yet");
}
