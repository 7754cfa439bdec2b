//! The same stories on a folder, in memory and over S3, and what only a folder can show.

use std::os::unix::fs::PermissionsExt;

use bucket::Bucket;
use bytes::Bytes;
use tempfile::TempDir;

use super::{Media, MediaError, MediaUrl};

const SELFIE: &str = "sessions/AbC-1/selfie_1.jpg";

fn in_folder() -> (Media, TempDir) {
    let temp = tempfile::tempdir().unwrap();
    let url = MediaUrl::parse(&format!("file://{}", temp.path().join("data").display())).unwrap();
    (Media::open(&url, []).unwrap(), temp)
}

/// Runs a story on every kind of store.
async fn on_each(story: impl AsyncFn(Media)) {
    let (media, _temp) = in_folder();
    story(media).await;
    story(Media::in_memory()).await;
    let bucket = Bucket::start().await;
    let vars = bucket.vars().map(|(name, value)| (name.to_owned(), value));
    story(Media::open(&MediaUrl::parse(&bucket.url("2026/tashkent")).unwrap(), vars).unwrap()).await;
}

async fn keys(media: &Media, prefix: &str) -> Vec<String> {
    media.list(prefix).await.unwrap().into_iter().map(|file| file.key).collect()
}

fn photo() -> Bytes {
    Bytes::from_static(b"photo")
}

#[tokio::test]
async fn a_file_is_read_as_it_was_written() {
    on_each(async |media| {
        assert!(!media.exists(SELFIE).await.unwrap());
        media.put(SELFIE, photo()).await.unwrap();
        assert!(media.exists(SELFIE).await.unwrap());
        assert_eq!(media.get(SELFIE).await.unwrap(), photo());
        media.put(SELFIE, Bytes::from_static(b"retake")).await.unwrap();
        assert_eq!(media.get(SELFIE).await.unwrap(), "retake");
    })
    .await;
}

#[tokio::test]
async fn a_missing_file_is_named() {
    on_each(async |media| match media.get(SELFIE).await {
        Err(MediaError::NotFound { key }) => assert_eq!(key, SELFIE),
        other => panic!("{other:?}"),
    })
    .await;
}

#[tokio::test]
async fn deleting_twice_is_success() {
    on_each(async |media| {
        media.put(SELFIE, photo()).await.unwrap();
        media.delete(SELFIE).await.unwrap();
        media.delete(SELFIE).await.unwrap();
        assert!(!media.exists(SELFIE).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_prefix_is_whole_segments() {
    on_each(async |media| {
        for key in ["sessions/a/1.jpg", "sessions/a/b/2.jpg", "sessions/ab/3.jpg", "debug_sheets/job1_x"] {
            media.put(key, photo()).await.unwrap();
        }
        assert_eq!(keys(&media, "sessions/a").await, ["sessions/a/1.jpg", "sessions/a/b/2.jpg"]);
        assert_eq!(media.delete_prefix("sessions/a").await.unwrap(), 2);
        assert_eq!(keys(&media, "sessions").await, ["sessions/ab/3.jpg"]);
        assert_eq!(media.delete_prefix("sessions/a").await.unwrap(), 0);
        assert_eq!(keys(&media, "debug_sheets").await, ["debug_sheets/job1_x"]);
    })
    .await;
}

#[tokio::test]
async fn a_listing_says_size_and_time() {
    on_each(async |media| {
        media.put(SELFIE, photo()).await.unwrap();
        let files = media.list("sessions").await.unwrap();
        assert_eq!((files[0].key.as_str(), files[0].size), (SELFIE, 5));
        // Milliseconds, not seconds or micros: between 2020 and 2100.
        assert!((1_577_836_800_000..4_102_444_800_000).contains(&files[0].last_modified_ms));
    })
    .await;
}

#[tokio::test]
async fn an_empty_prefix_and_a_way_out_are_refused() {
    on_each(async |media| {
        for key in ["", "/", "..", "sessions/../app.db", "sessions//x"] {
            assert!(matches!(media.put(key, photo()).await, Err(MediaError::BadKey { .. })), "{key}");
            assert!(matches!(media.get(key).await, Err(MediaError::BadKey { .. })), "{key}");
            assert!(matches!(media.exists(key).await, Err(MediaError::BadKey { .. })), "{key}");
            assert!(matches!(media.delete(key).await, Err(MediaError::BadKey { .. })), "{key}");
            assert!(matches!(media.list(key).await, Err(MediaError::BadKey { .. })), "{key}");
            assert!(matches!(media.delete_prefix(key).await, Err(MediaError::BadKey { .. })), "{key}");
            assert!(matches!(media.delete_unfinished(key, 0).await, Err(MediaError::BadKey { .. })), "{key}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_large_file_from_the_disk_is_written_whole_and_all_files_are_listed() {
    let temp = tempfile::tempdir().unwrap();
    let from = temp.path().join("app.db.gz");
    // More than two parts of eight mebibytes, no two bytes of a part in the same place.
    let large: Vec<u8> = (0..20_000_003_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
    std::fs::write(&from, &large).unwrap();
    on_each(async |media| {
        assert_eq!(media.list_all().await.unwrap(), []);
        media.put_file("app-2.db.gz", &from).await.unwrap();
        assert!(media.get("app-2.db.gz").await.unwrap() == large, "not the bytes of the disk");
        media.put("app-1.db.gz", photo()).await.unwrap();
        media.put_file("app-1.db.gz", &from).await.unwrap();
        let sizes: Vec<_> =
            media.list_all().await.unwrap().into_iter().map(|file| (file.key, file.size)).collect();
        assert_eq!(sizes, [("app-1.db.gz".to_owned(), 20_000_003), ("app-2.db.gz".to_owned(), 20_000_003)]);
        assert!(media.put_file("app-3.db.gz", &temp.path().join("nowhere")).await.is_err());
        assert!(!media.exists("app-3.db.gz").await.unwrap());
        media.probe(&["sessions"]).await.unwrap();
        assert_eq!(media.list_all().await.unwrap().len(), 2, "a probe leaves nothing");
    })
    .await;
}

#[tokio::test]
async fn only_a_folder_has_files_that_a_killed_write_left() {
    on_each(async |media| {
        media.put(SELFIE, photo()).await.unwrap();
        assert_eq!(media.count_unfinished("sessions", i64::MAX).await.unwrap(), 0);
        assert_eq!(media.delete_unfinished("sessions", i64::MAX).await.unwrap(), 0);
        assert_eq!(keys(&media, "sessions").await, [SELFIE]);
    })
    .await;
}

#[tokio::test]
async fn a_folder_holds_exactly_the_keys_as_paths() {
    let (media, temp) = in_folder();
    media.put(SELFIE, photo()).await.unwrap();
    assert_eq!(std::fs::read(temp.path().join("data").join(SELFIE)).unwrap(), b"photo");
    assert_eq!(std::fs::read_dir(temp.path().join("data/sessions/AbC-1")).unwrap().count(), 1);
}

#[tokio::test]
async fn deleting_the_last_file_leaves_no_folder_but_the_root() {
    let (media, temp) = in_folder();
    media.put(SELFIE, photo()).await.unwrap();
    media.delete(SELFIE).await.unwrap();
    assert!(!temp.path().join("data/sessions").exists());
    assert!(temp.path().join("data").exists());
    media.put(SELFIE, photo()).await.unwrap();
}

#[tokio::test]
async fn a_new_folder_is_for_this_user_only() {
    let (_media, temp) = in_folder();
    let mode = std::fs::metadata(temp.path().join("data")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn the_folder_is_told_and_absolute() {
    let (media, temp) = in_folder();
    assert_eq!(media.folder(), Some(temp.path().join("data").canonicalize().unwrap().as_path()));
    assert_eq!(Media::in_memory().folder(), None);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let url = MediaUrl::Folder(file.path().join("data"));
    match Media::open(&url, []) {
        Err(MediaError::Folder { folder, .. }) => assert_eq!(folder, file.path().join("data")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_a_killed_write_left_is_found_and_deleted() {
    let (media, temp) = in_folder();
    media.put(SELFIE, photo()).await.unwrap();
    let left = temp.path().join("data").join(format!("{SELFIE}#1"));
    let alone = temp.path().join("data/sessions/gone/selfie_1.jpg#12");
    std::fs::create_dir(alone.parent().unwrap()).unwrap();
    for file in [&left, &alone] {
        std::fs::write(file, b"half a photo").unwrap();
    }
    assert_eq!(keys(&media, "sessions").await, [SELFIE], "a listing hides them");
    assert_eq!(media.delete_unfinished("sessions", 0).await.unwrap(), 0, "younger than asked for");
    assert_eq!(media.delete_unfinished("debug_sheets", i64::MAX).await.unwrap(), 0, "another prefix");
    assert_eq!(media.count_unfinished("sessions", i64::MAX).await.unwrap(), 2);
    assert!(left.exists() && alone.exists(), "counting deletes nothing");
    assert_eq!(media.delete_unfinished("sessions", i64::MAX).await.unwrap(), 2);
    assert!(!left.exists() && !alone.parent().unwrap().exists());
    assert_eq!(media.get(SELFIE).await.unwrap(), photo());
}

#[tokio::test]
async fn deleting_a_guest_also_deletes_what_a_killed_write_left() {
    let (media, temp) = in_folder();
    let left = temp.path().join("data").join(format!("{SELFIE}#3"));
    std::fs::create_dir_all(left.parent().unwrap()).unwrap();
    std::fs::write(&left, b"half a photo").unwrap();
    assert_eq!(media.delete_prefix("sessions/AbC-1").await.unwrap(), 1);
    assert!(!left.parent().unwrap().exists());
}

#[tokio::test]
async fn many_files_of_one_session_are_written_and_deleted_at_once() {
    let (media, temp) = in_folder();
    let work = (0..40).map(|number| {
        let media = media.clone();
        tokio::spawn(async move {
            let key = format!("sessions/busy/sticker_{number}.webp");
            media.put(&key, photo()).await.unwrap();
            assert_eq!(media.get(&key).await.unwrap(), photo());
            media.delete(&key).await.unwrap();
        })
    });
    for task in work.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert!(keys(&media, "sessions").await.is_empty());
    assert!(!temp.path().join("data/sessions/busy").exists());
}
