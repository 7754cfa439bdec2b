//! The main job with its files in a real S3 store: nothing lies beside it, the clean-up goes by the age that the store tells, and an hour without the
//! store is an hour without photos and no more.

use crate::stage::{Stage, astronaut};
use bucket::Bucket;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

/// A stage whose files go to a bucket.
async fn stage(bucket: &Bucket) -> Stage {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = format!("sqlite://{}/app.db", folder.path().display());
    let mut more = vec![("MEDIA_URL", bucket.url("media"))];
    more.extend(bucket.vars());
    Stage::with(folder, database, more).await
}

#[tokio::test(flavor = "multi_thread")]
async fn with_files_in_an_s3_store_a_selfie_becomes_a_pack_and_the_clean_up_takes_what_is_left_by_its_age() {
    let bucket = Bucket::start().await;
    let mut stage = stage(&bucket).await;
    stage.start_bot("updates");
    let guest = stage.person("Lola", "ru");
    let token = stage.at_the_camera(guest, "chapan").await;
    assert_eq!(stage.upload(&token, astronaut()).await.0, 202);
    assert_eq!(bucket.keys("selfie_").len(), 1, "{:?}", bucket.keys(""));
    stage.kill_bot().await;
    stage.start_bot("");
    stage.pack_arrives_once(guest).await;
    assert!(bucket.keys("selfie_").is_empty(), "deleted right after the pack: {:?}", bucket.keys(""));
    let stickers = bucket.keys("/sticker_");
    assert_eq!(stickers.len(), 9);
    assert!(stickers.iter().all(|key| key.starts_with(&format!("media/sessions/{token}/"))), "{stickers:?}");
    assert!(stage.files("sessions/").is_empty(), "nothing lies beside the store");

    // The store tells how old a file is. Seventy-two hours less the margin: one is just past them, the others are just not.
    assert_eq!(stage.stop_bot().await, Some(0));
    let all = bucket.keys("");
    bucket.age("", HOUR * 71 - Duration::from_secs(1_200));
    bucket.age("_0.webp", Duration::from_secs(1_260));
    let audit = stage.run(&["privacy-audit"]).await;
    assert!(audit.status.success(), "none is past its time: {}", String::from_utf8_lossy(&audit.stdout));
    stage.start_bot("");
    stage
        .until("the first pass took one", async || {
            (stage.logged("storage cleanup: удалено 1 файлов старше 71.0ч") == 1).then_some(())
        })
        .await;
    let left: Vec<String> = all.into_iter().filter(|key| !key.ends_with("_0.webp")).collect();
    assert_eq!(bucket.keys(""), left);
    assert_eq!(stage.stop_bot().await, Some(0));
    assert_eq!(stage.logged(bucket::SECRET_KEY), 0, "no key in any log");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_s3_store_that_is_away_ends_nothing_and_the_guest_can_try_again() {
    let bucket = Bucket::start().await;
    let mut stage = stage(&bucket).await;
    stage.start_bot("");
    let guest = stage.person("Lola", "ru");
    let token = stage.at_the_camera(guest, "chapan").await;
    bucket.refuse(Some(""));
    let (status, told) = stage.upload(&token, astronaut()).await;
    assert!((500..600).contains(&status), "{status} {told}");
    assert_eq!(stage.session(&token).await["status"], "template_chosen", "the camera is still there");
    bucket.refuse(None);
    assert_eq!(stage.upload(&token, astronaut()).await.0, 202);
    stage.pack_arrives_once(guest).await;
    // Gone again while a guest asks to be forgotten: the answer comes, the rows are gone, and so are the files once it is back.
    assert_eq!(stage.stop_bot().await, Some(0), "it never ended");
}
