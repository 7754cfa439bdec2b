//! Jobs and guests: lists, search, a job's page and pictures, the retry and the reset with their refusals.

use crate::browser::{Browser, audit, open};
use crate::harness::{Kiosk, LOLA, PORTRAIT};
use bytes::Bytes;
use domain::job::JobId;
use domain::names;
use http::StatusCode;
use sqlx::Connection;
use store::jobs;

/// Lola sent her photo; answers the token of her session.
async fn photographed(kiosk: &Kiosk) -> String {
    let token = kiosk.dressed().await;
    let (status, answer) = kiosk.post_photo(&token, PORTRAIT).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    token
}

/// Changes rows beside the product.
async fn raw(kiosk: &Kiosk, text: &'static str) {
    let file = kiosk.ctx.store.file().expect("a file").display().to_string();
    let mut connection =
        sqlx::SqliteConnection::connect(&format!("sqlite://{file}")).await.expect("connects");
    sqlx::raw_sql(text).execute(&mut connection).await.expect("runs");
    connection.close().await.expect("closes");
}

async fn fail(kiosk: &Kiosk) {
    raw(kiosk, "UPDATE jobs SET status = 'failed', attempts = 2, error = 'Провайдер <не> ответил'").await;
}

#[tokio::test]
async fn an_empty_evening_says_so_and_every_filter_has_its_count() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin/jobs").await;
    assert!(page.text.contains("Заданий ещё нет") && page.text.contains("Упал 0"), "{}", page.text);
    let failed = browser.get("/admin/jobs?status=failed").await;
    assert!(failed.text.contains("Упавших нет") && failed.text.contains("Показать все задания"));
    assert!(browser.get("/admin/guests").await.text.contains("Гостей ещё нет"));
    for odd in ["status=dance", "before=x", "before=-1", "status=%00"] {
        assert_eq!(browser.get(&format!("/admin/jobs?{odd}")).await.status, StatusCode::OK, "{odd}");
    }
}

#[tokio::test]
async fn a_job_is_found_by_its_number_its_guest_and_its_pack() {
    let kiosk = open().await;
    photographed(&kiosk).await;
    raw(
        &kiosk,
        "UPDATE users SET username = 'LolaK'; \
         UPDATE jobs SET pack_name = 's1_' || pack_key || '_by_stickers_test_bot', pack_created_at = 1795959000000",
    )
    .await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let list = browser.get("/admin/jobs").await;
    assert!(list.text.contains("Все 1") && list.text.contains("<bdi>Lola</bdi>"), "{}", list.text);
    for typed in ["1", "%231", "4201", "%40lolak", "LOLAK", "https%3A%2F%2Ft.me%2Faddstickers%2Fs1_x_by_b"] {
        let found = browser.get(&format!("/admin/jobs?q={typed}")).await;
        assert!(found.text.contains("href=\"/admin/jobs/1\""), "{typed}: {}", found.text);
    }
    for typed in ["2", "nobody", "s2_x_by_b", "%3Cscript%3E", "%27+OR+1%3D1"] {
        let found = browser.get(&format!("/admin/jobs?q={typed}")).await;
        assert!(found.text.contains("Ничего не нашлось") && !found.text.contains("<script>"), "{typed}");
    }
    assert!(browser.get("/admin/jobs?q=4201").await.text.contains("href=\"/admin/guests/4201\""));
}

#[tokio::test]
async fn a_jobs_page_tells_how_it_went_and_shows_its_pictures_to_whoever_is_signed_in_only() {
    let kiosk = open().await;
    let token = photographed(&kiosk).await;
    let job = jobs::find(&mut kiosk.ctx.store.reader(), JobId(1)).await.expect("reads").expect("a job");
    let sticker = names::sticker_key(&token, &job.pack_key, 4);
    kiosk.ctx.media.put(&sticker, Bytes::from_static(b"RIFF")).await.expect("writes");
    fail(&kiosk).await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin/jobs/1").await;
    assert!(page.text.contains("Фото принято") && page.text.contains("планшет «left»"), "{}", page.text);
    assert!(page.text.contains("Упало") && page.text.contains("Провайдер &#60;не&#62; ответил"));
    assert!(page.text.contains("1 из 9") && page.text.contains("src=\"/admin/jobs/1/stickers/4\""));
    assert!(page.text.contains("action=\"/admin/jobs/1/retry\""));
    let picture = browser.get("/admin/jobs/1/stickers/4").await;
    assert_eq!((picture.status, picture.text.as_str()), (StatusCode::OK, "RIFF"));
    assert_eq!(picture.headers["content-type"], "image/webp");
    assert_eq!(picture.headers["cache-control"], "no-store");
    for missing in ["stickers/3", "stickers/9", "stickers/-1", "stickers/x", "dance"] {
        let answer = browser.get(&format!("/admin/jobs/1/{missing}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{missing}");
    }
    for missing in
        ["/admin/jobs/2", "/admin/jobs/x", "/admin/jobs/2/photo", "/admin/guests/7", "/admin/guests/x"]
    {
        assert_eq!(browser.get(missing).await.status, StatusCode::NOT_FOUND, "{missing}");
    }
    let mut stranger = Browser::new(&kiosk);
    for path in ["/admin/jobs/1/photo", "/admin/jobs/1/stickers/4", "/admin/jobs/1", "/admin/guests/4201"] {
        assert_eq!(stranger.get(path).await.to(), "/admin/login", "{path}");
    }
}

#[tokio::test]
async fn row_002_event_2_a_failed_job_is_retried_once_and_each_refusal_is_told_in_words() {
    let kiosk = open().await;
    photographed(&kiosk).await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    browser.get("/admin/account").await;
    let early = browser.post("/admin/jobs/1/retry", &[]).await;
    assert_eq!(early.status, StatusCode::CONFLICT);
    assert_eq!(early.alert(), "Повторяют только упавшее, а это задание: «в очереди».");
    fail(&kiosk).await;
    let list = browser.get("/admin/jobs?status=failed").await;
    assert!(
        list.text.contains("Повторить") && list.text.contains("aria-current=\"page\">Упал 1"),
        "{}",
        list.text
    );
    let done = browser.post("/admin/jobs/1/retry", &[]).await;
    assert_eq!((done.status, done.to()), (StatusCode::SEE_OTHER, "/admin/jobs/1?said=retried"));
    let page = browser.get("/admin/jobs/1?said=retried").await;
    assert!(
        page.text.contains("Задание снова в очереди") && page.text.contains("Повторено: dilnoza"),
        "{}",
        page.text
    );
    let (actor, action, subject, _) = audit(&kiosk).await.pop().expect("an entry");
    assert_eq!((actor.as_str(), action.as_str(), subject.as_str()), ("dilnoza", "retry_job", "job:1"));

    fail(&kiosk).await;
    let job = jobs::find(&mut kiosk.ctx.store.reader(), JobId(1)).await.expect("reads").expect("a job");
    kiosk.ctx.media.delete(&job.photo_path.expect("a photo")).await.expect("deletes");
    let gone = browser.post("/admin/jobs/1/retry", &[]).await;
    assert_eq!(gone.status, StatusCode::CONFLICT);
    assert!(gone.alert().starts_with("Фото уже удалено"), "{}", gone.alert());
    assert!(browser.get("/admin/jobs/1").await.text.contains("Повторить нельзя: фото уже удалено"));
    assert_eq!(browser.post("/admin/jobs/9/retry", &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_retry_over_the_pack_limit_is_refused_in_words() {
    let kiosk = open().await;
    photographed(&kiosk).await;
    fail(&kiosk).await;
    raw(
        &kiosk,
        "INSERT INTO sessions (session_token, status, telegram_user_id, template_id, language, created_at, updated_at) \
         VALUES ('other', 'photo_taken', 4201, 'chef', 'ru', 1, 1); \
         INSERT INTO jobs (session_token, telegram_user_id, template_id, status, pack_key, created_at, updated_at) \
         VALUES ('other', 4201, 'chef', 'queued', 'k', 1, 1)",
    )
    .await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    browser.get("/admin/account").await;
    let busy = browser.post("/admin/jobs/1/retry", &[]).await;
    assert_eq!(busy.status, StatusCode::CONFLICT);
    assert!(busy.alert().starts_with("Другой набор этого гостя уже рисуется"), "{}", busy.alert());
    raw(
        &kiosk,
        "UPDATE jobs SET status = 'done', pack_name = 's2_k_by_b', pack_created_at = 1, link_sent_at = 1 WHERE job_id = 2",
    )
    .await;
    let ready = browser.post("/admin/jobs/1/retry", &[]).await;
    assert!(ready.alert().starts_with("У гостя уже есть набор"), "{}", ready.alert());
}

#[tokio::test]
async fn row_002_guest_1_a_reset_lists_what_goes_and_what_stays_and_wants_its_word() {
    let kiosk = open().await;
    let token = photographed(&kiosk).await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let guest = browser.get("/admin/guests/4201").await;
    assert!(
        guest.text.contains("<dt>Файлов</dt><dd>1</dd>") && guest.text.contains("узбекский"),
        "{}",
        guest.text
    );
    let ask = browser.get("/admin/guests/4201/reset").await;
    for part in [
        "Уйдёт сразу",
        "1 сессия, 1 задание, 1 файл",
        "Останется",
        "удалится сама через 24 часа",
        "до 14 дней",
    ] {
        assert!(ask.text.contains(part), "{part}: {}", ask.text);
    }
    for word in ["", "да", "сбросить гостя"] {
        let refused = browser.post("/admin/guests/4201/reset", &[("confirm", word)]).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{word}");
        assert!(refused.text.contains("Ничего не сделано: слово не совпало."));
    }
    assert!(jobs::find(&mut kiosk.ctx.store.reader(), JobId(1)).await.expect("reads").is_some());
    let done = browser.post("/admin/guests/4201/reset", &[("confirm", " Сбросить ")]).await;
    assert_eq!((done.status, done.to()), (StatusCode::SEE_OTHER, "/admin/guests?said=reset"));
    assert!(browser.get("/admin/guests?said=reset").await.text.contains("Гость сброшен"));
    assert_eq!(browser.get("/admin/guests/4201").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/admin/jobs/1").await.status, StatusCode::NOT_FOUND);
    let left = kiosk.ctx.media.list(&names::session_folder(&token)).await.expect("lists");
    assert_eq!(left, []);
    let again = browser.post("/admin/guests/4201/reset", &[("confirm", "сбросить")]).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    let entries = audit(&kiosk).await;
    let (actor, action, subject, _) = entries.last().expect("an entry");
    assert_eq!((actor.as_str(), action.as_str(), subject.as_str()), ("dilnoza", "reset_user", "guest:4201"));
    assert_eq!(LOLA.0, 4201);
}

#[tokio::test]
async fn lists_go_on_where_the_page_before_ended() {
    let kiosk = open().await;
    photographed(&kiosk).await;
    raw(
        &kiosk,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) \
         INSERT INTO sessions (session_token, status, telegram_user_id, template_id, language, created_at, updated_at) \
         SELECT 's' || i, 'photo_taken', 4201, 'chef', 'ru', 1, 1 FROM n; \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) \
         INSERT INTO jobs (session_token, telegram_user_id, template_id, status, error, pack_key, created_at, updated_at) \
         SELECT 's' || i, 4201, 'chef', 'failed', 'x', 'k', 1795959000000 + i, 1795959000000 + i FROM n; \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) \
         INSERT INTO users (telegram_user_id, first_name, language, created_at) SELECT 5000 + i, 'Guest', 'ru', 1795959000000 + i FROM n",
    )
    .await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let first = browser.get("/admin/jobs?status=failed").await;
    assert!(
        first.text.contains("Упал 40") && first.text.contains("href=\"/admin/jobs/41\""),
        "{}",
        first.text
    );
    assert!(first.text.contains("href=\"/admin/jobs?status=failed&#38;before=12\""), "{}", first.text);
    let second = browser.get("/admin/jobs?status=failed&before=12").await;
    assert!(
        second.text.contains("href=\"/admin/jobs/11\"") && second.text.contains("href=\"/admin/jobs/2\"")
    );
    assert!(!second.text.contains("href=\"/admin/jobs/12\"") && !second.text.contains("Раньше"));
    let guests = browser.get("/admin/guests").await;
    assert!(guests.text.contains("/admin/guests/5040\"") && !guests.text.contains("/admin/guests/5010\""));
    let (_, rest) = guests.text.split_once("href=\"/admin/guests?before=").expect("a next page");
    let next = rest.split('"').next().expect("its end");
    let rest = browser.get(&format!("/admin/guests?before={next}")).await;
    assert!(rest.text.contains("/admin/guests/5010\"") && rest.text.contains("/admin/guests/4201\""));
}
