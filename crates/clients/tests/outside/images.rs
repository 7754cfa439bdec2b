//! The image clients against the stand-ins of both services, over a socket.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::images::{
    AgeGroup, Answered, Class, DescribeOrder, DrawOrder, ErrorKind, Gemini, GeminiSettings, ImageError,
    ImageProvider, JudgeOrder, OpenAi, OpenAiSettings, Paid, Picture, PictureType, ReferencePicture, Refusal,
    Resolution, TimeOuts,
};
use domain::cost::Tokens;
use secrecy::SecretString;
use serde_json::json;
use simulator::VirtualClock;
use simulator::images::{Defect, GEMINI_KEY, ImageFault, ImageWorld, OPENAI_KEY, Scripted, Service, Task};
use tokio::net::TcpListener;

use crate::support::{Reply, Server};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 a selfie";
const PROMPT: &str = "One square image, exactly 2 columns x 2 rows, flat #00FF00.\n1. a\n2. b\n3. c\n4. d";

/// Both services, and a client of each.
struct Stage {
    world: ImageWorld,
    url: String,
}

impl Stage {
    async fn new() -> Stage {
        let world = ImageWorld::new(Arc::new(VirtualClock::at(0))).expect("the built-in figures");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(simulator::images::serve(listener, world.clone()));
        Stage { world, url }
    }

    fn gemini(&self) -> Gemini {
        Gemini::new(gemini_settings(&self.url)).expect("good settings")
    }

    fn openai(&self) -> OpenAi {
        OpenAi::new(openai_settings(&self.url)).expect("good settings")
    }

    /// What each client makes of one failure.
    async fn both(&self, fault: ImageFault) -> [ImageError; 2] {
        self.world.order(Scripted::once(fault.clone()));
        let gemini = self.gemini().draw(order()).await.expect_err("fails");
        self.world.order(Scripted::once(fault));
        [gemini, self.openai().draw(order()).await.expect_err("fails")]
    }
}

fn gemini_settings(url: &str) -> GeminiSettings {
    GeminiSettings {
        base_url: url.to_owned(),
        api_key: SecretString::from(GEMINI_KEY.to_owned()),
        image_model: "gemini-nano-banana-2.1".to_owned(),
        vision_model: Some("gemini-3.5-flash-lite".to_owned()),
        portrait_size: Some("1K".to_owned()),
        sheet_size: Some("1K".to_owned()),
        thinking: Some("minimal".to_owned()),
        time_outs: TimeOuts::default(),
    }
}

fn openai_settings(url: &str) -> OpenAiSettings {
    OpenAiSettings {
        base_url: url.to_owned(),
        api_key: Some(SecretString::from(OPENAI_KEY.to_owned())),
        image_model: "gpt-image-2.5-flare".to_owned(),
        vision_model: Some("gpt-6-luna".to_owned()),
        portrait_size: "1024x1024".to_owned(),
        sheet_size: "1024x1024".to_owned(),
        quality: Some("low".to_owned()),
        time_outs: TimeOuts::default(),
    }
}

fn reference() -> ReferencePicture {
    ReferencePicture::new(Bytes::from_static(JPEG)).expect("a JPEG")
}

fn order() -> DrawOrder {
    DrawOrder {
        prompt: PROMPT.to_owned(),
        pictures: vec![reference(), reference()],
        resolution: Resolution::Sheet,
    }
}

/// About the first three of the four cells.
fn judge(sheet: Bytes) -> JudgeOrder {
    let sheet = ReferencePicture::new(sheet).expect("a picture");
    let prompt = "A sheet, 2 columns x 2 rows. Who is in each cell?".to_owned();
    JudgeOrder { prompt, references: vec![reference()], sheet, cells: 3 }
}

fn describe() -> DescribeOrder {
    DescribeOrder { prompt: "Who is this?".to_owned(), picture: reference() }
}

#[tokio::test]
async fn a_sheet_is_drawn_by_each_service_and_its_tokens_are_counted() {
    let stage = Stage::new().await;
    let Answered { value, paid, request_id } = stage.gemini().draw(order()).await.expect("a sheet");
    assert_eq!(value.kind, PictureType::Jpeg);
    assert_eq!(request_id.as_deref(), Some("stand-in-1"));
    let tokens = Tokens { text_in: 615, image_in: 1_120, text_out: 210, image_out: 1_120 };
    assert_eq!(paid, Paid { tokens: Some(tokens), images: 1 });
    let Answered { value, paid, .. } = stage.openai().draw(order()).await.expect("a sheet");
    assert_eq!(value.kind, PictureType::Png);
    let tokens = Tokens { text_in: 616, image_in: 1_024, text_out: 0, image_out: 397 };
    assert_eq!(paid, Paid { tokens: Some(tokens), images: 1 });
    let calls = stage.world.calls();
    assert!(calls.iter().all(|call| call.pictures == 2 && call.prompt == PROMPT && call.refused.is_none()));
}

#[tokio::test]
async fn a_person_is_described_by_each_service() {
    let stage = Stage::new().await;
    stage.world.person(&json!({"age_group": "child", "age_confidence": 0.9}));
    for seen in [stage.gemini().describe(describe()).await, stage.openai().describe(describe()).await] {
        let seen = seen.expect("a description");
        assert_eq!((seen.value.age_group, seen.value.people_count), (AgeGroup::Child, 1));
        assert!(seen.paid.tokens.is_some_and(|tokens| tokens.image_out == 0 && tokens.text_out > 0));
    }
}

#[tokio::test]
async fn out_of_funds_is_told_from_too_many_requests() {
    let stage = Stage::new().await;
    for error in stage.both(ImageFault::OutOfFunds).await {
        assert_eq!(
            (error.kind, error.class(), error.retries()),
            (ErrorKind::OutOfFunds, Class::OutOfFunds, 0)
        );
    }
    let [gemini, openai] = stage.both(ImageFault::RateLimited { retry_after_s: 7 }).await;
    let wait =
        |milliseconds| ErrorKind::RateLimited { retry_after: Some(Duration::from_millis(milliseconds)) };
    assert_eq!((gemini.kind, openai.kind), (wait(7_500), wait(7_000)));
    assert_eq!(gemini.class(), Class::Retryable);
    assert_eq!(stage.both(ImageFault::DailyQuota).await[0].kind, ErrorKind::DailyQuota);
}

#[tokio::test]
async fn servers_in_trouble_are_retryable() {
    let stage = Stage::new().await;
    let rows = [
        (ImageFault::ServerError { status: 500 }, ErrorKind::ServerTrouble),
        (ImageFault::ServerError { status: 503 }, ErrorKind::Overloaded),
        (ImageFault::ServerError { status: 504 }, ErrorKind::TooSlow),
        (ImageFault::Html { status: 502 }, ErrorKind::ServerTrouble),
        (ImageFault::Drop, ErrorKind::Lost),
        (ImageFault::Half, ErrorKind::Lost),
    ];
    for (fault, kind) in rows {
        for error in stage.both(fault.clone()).await {
            assert_eq!((error.kind, error.class()), (kind, Class::Retryable), "{fault:?}");
            assert!(error.retries() > 0, "{fault:?}");
        }
    }
}

#[tokio::test]
async fn safety_and_age_are_answers_and_only_a_judged_drawing_is_tried_again() {
    let stage = Stage::new().await;
    let rows = [
        (ImageFault::Safety, Refusal::Safety, false),
        (ImageFault::Child, Refusal::Age, false),
        (ImageFault::UnsafeDrawing, Refusal::Safety, true),
    ];
    for (fault, why, again) in rows {
        for error in stage.both(fault.clone()).await {
            assert_eq!(error.kind, ErrorKind::Refused { why, again }, "{fault:?}");
            assert_eq!(
                (error.class(), error.retries()),
                (Class::RefusedBySafety, u32::from(again)),
                "{fault:?}"
            );
        }
    }
    let [gemini, _] = stage.both(ImageFault::Safety).await;
    assert!(gemini.paid.tokens.is_some_and(|tokens| tokens.text_out == 240), "thinking is billed");
}

#[tokio::test]
async fn prose_and_an_empty_answer_are_no_pictures() {
    let stage = Stage::new().await;
    let [gemini, openai] = stage.both(ImageFault::Prose).await;
    assert_eq!((gemini.kind, openai.kind), (ErrorKind::Declined, ErrorKind::NoImage));
    assert!(gemini.prose.is_some() && gemini.class() == Class::RefusedBySafety && gemini.retries() == 1);
    for error in stage.both(ImageFault::NoImage).await {
        assert_eq!((error.kind, error.class()), (ErrorKind::NoImage, Class::Retryable));
    }
}

#[tokio::test]
async fn what_only_the_operator_can_mend_is_permanent() {
    let stage = Stage::new().await;
    for (fault, kind) in
        [(ImageFault::ModelGone, ErrorKind::ModelGone), (ImageFault::KeyBlocked, ErrorKind::Forbidden)]
    {
        for error in stage.both(fault).await {
            assert_eq!((error.kind, error.class(), error.needs_operator()), (kind, Class::Permanent, true));
        }
    }
}

#[tokio::test]
async fn a_wrong_key_is_named_and_never_shown() {
    let stage = Stage::new().await;
    let key = || SecretString::from("sk-wrong-and-secret".to_owned());
    let gemini =
        Gemini::new(GeminiSettings { api_key: key(), ..gemini_settings(&stage.url) }).expect("good settings");
    let openai = OpenAi::new(OpenAiSettings { api_key: Some(key()), ..openai_settings(&stage.url) })
        .expect("good settings");
    let errors = [gemini.draw(order()).await, openai.draw(order()).await];
    for error in errors.map(|answer: Result<Answered<Picture>, ImageError>| answer.expect_err("a wrong key"))
    {
        assert_eq!(error.kind, ErrorKind::InvalidKey);
        let shown = format!("{error} {error:?} {gemini:?} {openai:?}");
        assert!(!shown.contains("sk-wron"), "{shown}");
    }
}

#[tokio::test]
async fn a_slow_provider_is_given_up_after_its_time() {
    let short = TimeOuts {
        draw: Duration::from_millis(200),
        describe: Duration::from_millis(200),
        ..TimeOuts::default()
    };
    let server = Server::start([Reply::Never, Reply::Never, Reply::Never]).await;
    let gemini = Gemini::new(GeminiSettings { time_outs: short, ..gemini_settings(&server.url) })
        .expect("good settings");
    let openai = OpenAi::new(OpenAiSettings { time_outs: short, ..openai_settings(&server.url) })
        .expect("good settings");
    let errors =
        [gemini.draw(order()).await.expect_err("slow"), openai.draw(order()).await.expect_err("slow")];
    for error in errors {
        assert_eq!((error.kind, error.retries(), error.maybe_billed()), (ErrorKind::TooSlow, 1, true));
    }
    assert_eq!(gemini.describe(describe()).await.expect_err("slow").kind, ErrorKind::TooSlow);
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_read_for_ever() {
    let server = Server::start([Reply::Endless]).await;
    let gemini = Gemini::new(gemini_settings(&server.url)).expect("good settings");
    assert_eq!(gemini.draw(order()).await.expect_err("too long").kind, ErrorKind::Unreadable);
}

#[tokio::test]
async fn a_provider_that_cannot_be_reached_was_asked_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let error = Gemini::new(gemini_settings(&url))
        .expect("good settings")
        .draw(order())
        .await
        .expect_err("nobody there");
    assert_eq!((error.kind, error.maybe_billed()), (ErrorKind::NotSent, false));
    assert!(!error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn the_key_goes_in_a_header_and_the_size_as_configured() {
    let answer = || Reply::Json(503, String::new());
    let server = Server::start([answer(), answer()]).await;
    let _ = Gemini::new(gemini_settings(&server.url)).expect("good settings").draw(order()).await;
    let no_key = OpenAiSettings { api_key: None, ..openai_settings(&server.url) };
    let _ = OpenAi::new(no_key).expect("good settings").draw(order()).await;
    let [gemini, openai] = server.asked().try_into().expect("two calls");
    assert_eq!(gemini.line, "POST /v1beta/models/gemini-nano-banana-2.1:generateContent");
    assert!(gemini.head.contains(&format!("x-goog-api-key: {GEMINI_KEY}")));
    assert_eq!(
        gemini.json()["generationConfig"],
        json!({"responseModalities": ["TEXT", "IMAGE"], "imageConfig": {"aspectRatio": "1:1", "imageSize": "1K"},
            "thinkingConfig": {"thinkingLevel": "minimal"}})
    );
    assert_eq!(openai.line, "POST /v1/images/edits");
    assert!(!openai.head.contains("authorization"), "a local server wants no key");
    assert!(!openai.text().contains("response_format") && !openai.text().contains("input_fidelity"));
}

#[tokio::test]
async fn a_local_server_that_counts_nothing_is_served_by_the_same_client() {
    let stage = Stage::new().await;
    stage.world.count_tokens(false);
    let drawn = stage.openai().draw(order()).await.expect("a sheet");
    assert_eq!(drawn.paid, Paid { tokens: None, images: 1 });
}

#[tokio::test]
async fn the_stand_ins_refuse_what_the_services_refuse() {
    let stage = Stage::new().await;
    let wrong_size = GeminiSettings { sheet_size: Some("2k".to_owned()), ..gemini_settings(&stage.url) };
    let gone =
        GeminiSettings { image_model: "gemini-3-dead-image".to_owned(), ..gemini_settings(&stage.url) };
    let odd_size = OpenAiSettings { sheet_size: "1000x1000".to_owned(), ..openai_settings(&stage.url) };
    let wrong_quality = OpenAiSettings { quality: Some("best".to_owned()), ..openai_settings(&stage.url) };
    let gemini =
        async |settings| Gemini::new(settings).expect("good").draw(order()).await.expect_err("refused").kind;
    let openai =
        async |settings| OpenAi::new(settings).expect("good").draw(order()).await.expect_err("refused").kind;
    assert_eq!(gemini(wrong_size).await, ErrorKind::BadRequest);
    assert_eq!(gemini(gone).await, ErrorKind::ModelGone);
    assert_eq!(openai(odd_size).await, ErrorKind::BadRequest);
    assert_eq!(openai(wrong_quality).await, ErrorKind::BadRequest);
    let refused = stage.world.calls().iter().filter(|call| call.refused.is_some()).count();
    assert_eq!((refused, stage.world.calls().len()), (4, 4));
}

#[tokio::test]
async fn a_failure_hits_only_the_service_and_task_it_was_ordered_for() {
    let stage = Stage::new().await;
    stage.world.order(Scripted::once(ImageFault::OutOfFunds).of(Service::Gemini).on(Task::Draw).times(0));
    assert!(stage.openai().draw(order()).await.is_ok());
    assert!(stage.gemini().describe(describe()).await.is_ok());
    for _ in 0..2 {
        assert_eq!(stage.gemini().draw(order()).await.expect_err("empty").kind, ErrorKind::OutOfFunds);
    }
    stage.world.all_well();
    assert!(stage.gemini().draw(order()).await.is_ok());
}

#[tokio::test]
async fn a_sheet_is_judged_by_each_service_and_a_stranger_is_seen() {
    let stage = Stage::new().await;
    let providers: [Box<dyn ImageProvider>; 2] = [Box::new(stage.gemini()), Box::new(stage.openai())];
    for provider in providers {
        stage.world.order(Scripted::drawn(Defect::Stranger(1)));
        let sheet = provider.draw(order()).await.expect("a sheet").value;
        let judgement = provider.judge(judge(sheet.bytes)).await.expect("a judgement");
        let same: Vec<Option<bool>> =
            judgement.value.0.iter().map(|cell| cell.map(|likeness| likeness.same_person)).collect();
        assert_eq!(same, [Some(true), Some(false), Some(true)], "{}", provider.name());
        assert!(judgement.paid.tokens.is_some_and(|tokens| tokens.text_out > 0));
    }
    let calls = stage.world.calls();
    let judged = calls.iter().filter(|call| call.task == Some(Task::Judge) && call.pictures == 2);
    assert_eq!(judged.count(), 2, "the photo and the sheet");
}
