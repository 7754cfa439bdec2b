//! The S3 store: what is sent, as a script of answers sees it, and what comes of it on a real server.

use crate::support::{Reply, Server};
use bucket::Bucket;
use bytes::Bytes;
use clients::media::{Media, MediaError, MediaUrl};
use std::time::Duration;

fn media(server: &Server) -> Media {
    let url = MediaUrl::parse("s3://event-media/2026/tashkent").expect("a good address");
    let vars = [
        ("AWS_ACCESS_KEY_ID", "key-1"),
        ("AWS_SECRET_ACCESS_KEY", "secret-1"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ENDPOINT_URL", server.url.as_str()),
        ("AWS_SOMETHING_ELSE", "ignored"),
    ];
    let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Media::open(&url, vars).expect("good settings")
}

#[tokio::test]
async fn a_file_is_put_signed_below_bucket_and_prefix() {
    let server = Server::start([Reply::Raw(200, "etag: \"1\"\r\n", String::new())]).await;
    media(&server).put("sessions/a/selfie_1.jpg", Bytes::from_static(b"photo")).await.unwrap();
    let asked = server.only();
    assert_eq!(asked.line, "PUT /event-media/2026/tashkent/sessions/a/selfie_1.jpg");
    assert_eq!(asked.body, b"photo");
    assert!(asked.head.contains("authorization: aws4-hmac-sha256 credential=key-1/"), "{}", asked.head);
    assert!(asked.head.contains("/eu-central-1/s3/aws4_request"), "{}", asked.head);
    assert!(!asked.head.contains("secret-1"));
}

#[tokio::test]
async fn keys_come_back_without_the_prefix() {
    let listing = "<ListBucketResult><Contents><Key>2026/tashkent/sessions/a/1.jpg</Key><Size>5</Size>\
                   <LastModified>2026-11-29T08:00:00.000Z</LastModified></Contents></ListBucketResult>";
    let server = Server::start([Reply::Raw(200, "", listing.to_owned())]).await;
    let files = media(&server).list("sessions").await.unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!(
        (files[0].key.as_str(), files[0].size, files[0].last_modified_ms),
        ("sessions/a/1.jpg", 5, 1_795_939_200_000)
    );
    assert!(server.only().line.contains("prefix=2026%2Ftashkent%2Fsessions%2F"), "{}", server.only().line);
}

#[tokio::test]
async fn a_missing_file_is_named_by_its_key() {
    let missing = || Reply::Raw(404, "", "<Error><Code>NoSuchKey</Code></Error>".into());
    let server = Server::start([missing(), missing()]).await;
    let media = media(&server);
    match media.get("sessions/a/1.jpg").await {
        Err(MediaError::NotFound { key }) => assert_eq!(key, "sessions/a/1.jpg"),
        other => panic!("{other:?}"),
    }
    assert!(!media.exists("sessions/a/1.jpg").await.unwrap());
}

#[test]
fn wrong_settings_stop_at_the_start() {
    let url = MediaUrl::parse("s3://event-media").unwrap();
    let vars = [("AWS_ALLOW_HTTP".to_owned(), "perhaps".to_owned())];
    assert!(matches!(Media::open(&url, vars), Err(MediaError::Store { .. })));
}

/// A media store on the real server.
fn on(bucket: &Bucket, url: &str, secret: Option<&str>) -> Media {
    let url = MediaUrl::parse(url).expect("a good address");
    let vars = bucket.vars().map(|(name, value)| match (name, secret) {
        ("AWS_SECRET_ACCESS_KEY", Some(other)) => (name.to_owned(), other.to_owned()),
        _ => (name.to_owned(), value),
    });
    Media::open(&url, vars).expect("good settings")
}

#[tokio::test]
async fn an_object_is_where_its_address_says_and_as_old_as_the_store_says() {
    let bucket = Bucket::start().await;
    let media = on(&bucket, &bucket.url("2026/tashkent"), None);
    media.put("sessions/a/selfie_1.jpg", Bytes::from_static(b"photo")).await.unwrap();
    assert_eq!(bucket.keys(""), ["2026/tashkent/sessions/a/selfie_1.jpg"]);
    let elsewhere = on(&bucket, &bucket.url("2026/samarkand"), None);
    assert_eq!(elsewhere.list_all().await.unwrap(), [], "another prefix is another store");
    let young = media.list("sessions").await.unwrap().remove(0);
    assert_eq!(bucket.age("selfie_1", Duration::from_secs(71 * 3_600)), 1);
    let old = media.list("sessions").await.unwrap().remove(0);
    assert_eq!(young.last_modified_ms - old.last_modified_ms, 71 * 3_600_000);
}

#[tokio::test]
async fn a_listing_of_several_pages_is_whole() {
    let bucket = Bucket::start().await;
    let folder = bucket.folder().join(bucket::NAME).join("sessions/a");
    std::fs::create_dir_all(&folder).unwrap();
    // The server gives a thousand keys at once.
    for number in 0..1_205 {
        std::fs::write(folder.join(format!("sticker_{number:04}.webp")), b"webp").unwrap();
    }
    let media = on(&bucket, &bucket.url(""), None);
    let files = media.list("sessions/a").await.unwrap();
    assert_eq!(files.len(), 1_205);
    assert_eq!(files[1_204].key, "sessions/a/sticker_1204.webp");
    assert_eq!(media.delete_prefix("sessions").await.unwrap(), 1_205);
    assert_eq!(bucket.keys(""), Vec::<String>::new());
}

#[tokio::test]
async fn a_wrong_key_and_a_bucket_that_is_not_there_are_failures_and_no_missing_files() {
    let bucket = Bucket::start().await;
    let photo = || Bytes::from_static(b"photo");
    let key = "sessions/a/selfie_1.jpg";
    on(&bucket, &bucket.url(""), None).put(key, photo()).await.unwrap();
    let wrong_key = on(&bucket, &bucket.url(""), Some("another-secret"));
    let no_bucket = on(&bucket, "s3://another-bucket/media", None);
    for (media, reason) in [(wrong_key, "SignatureDoesNotMatch"), (no_bucket, "NoSuchBucket")] {
        for refused in [media.put(key, photo()).await, media.list("sessions").await.map(drop)] {
            let Err(MediaError::Store { source, .. }) = refused else { panic!("{reason}: {refused:?}") };
            let told = source.to_string();
            assert!(told.contains(reason), "{told}");
            assert!(!told.contains("secret"), "{told}");
        }
        assert!(
            media.delete_prefix("sessions").await.is_err(),
            "{reason}: nothing was deleted, and it says so"
        );
    }
    assert_eq!(bucket.keys(""), [key]);
}

#[tokio::test]
async fn a_server_that_gives_no_answer_is_a_failure_and_is_over_by_itself() {
    let bucket = Bucket::start().await;
    let media = on(&bucket, &bucket.url(""), None);
    bucket.refuse(Some(""));
    let refused = media.put("sessions/a/1.webp", Bytes::from_static(b"webp")).await;
    assert!(matches!(refused, Err(MediaError::Store { action: "put", .. })), "{refused:?}");
    assert!(media.list("sessions").await.is_err());
    bucket.refuse(None);
    media.put("sessions/a/1.webp", Bytes::from_static(b"webp")).await.unwrap();
    assert_eq!(bucket.keys(""), ["sessions/a/1.webp"]);
}

#[tokio::test]
async fn a_copy_that_could_not_be_sent_whole_is_not_there_and_leaves_no_parts() {
    let bucket = Bucket::start().await;
    let media = on(&bucket, &bucket.url("copies"), None);
    let temp = tempfile::tempdir().unwrap();
    // A folder opens as a file and cannot be read.
    let unreadable = media.put_file("app-1.db.gz", temp.path()).await;
    assert!(matches!(unreadable, Err(MediaError::Store { .. })), "{unreadable:?}");
    let from = temp.path().join("app.db.gz");
    std::fs::write(&from, vec![7; 20 << 20]).unwrap();
    // The second of three parts does not get through: not the first time, and not when it is tried again.
    bucket.refuse(Some("partNumber=2"));
    let broken = media.put_file("app-2.db.gz", &from).await;
    assert!(matches!(broken, Err(MediaError::Store { .. })), "{broken:?}");
    assert_eq!(bucket.keys(""), Vec::<String>::new(), "half a copy");
    assert_eq!(parts(&bucket), Vec::<String>::new());
    bucket.refuse(None);
    media.put_file("app-2.db.gz", &from).await.unwrap();
    assert_eq!(media.get("app-2.db.gz").await.unwrap().len(), 20 << 20);
    assert_eq!(parts(&bucket), Vec::<String>::new());
}

/// What the server keeps of uploads that have not ended.
fn parts(bucket: &Bucket) -> Vec<String> {
    let names = std::fs::read_dir(bucket.folder())
        .expect("its folder")
        .map(|entry| entry.expect("a file").file_name());
    names.map(|name| name.to_string_lossy().into_owned()).filter(|name| name.contains(".part-")).collect()
}
