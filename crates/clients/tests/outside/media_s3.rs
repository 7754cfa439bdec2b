//! The S3 store as seen from the other side: paths, prefix and signature. The rest is `object_store`'s own business.

use crate::support::{Reply, Server};
use bytes::Bytes;
use clients::media::{Media, MediaError, MediaUrl};

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
