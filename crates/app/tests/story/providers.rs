//! Jobs drawn by image providers: the stand-ins over a socket, with what goes wrong there.

use crate::stage::{OPERATOR, Stage};
use app::providers::{Catalogue, Provider, Providers};
use clients::images::{Gemini, GeminiSettings, ImageProvider, OpenAi, OpenAiSettings, TimeOuts};
use domain::job::{Job, JobState, JobStatus};
use domain::{Clock, Timestamp, names};
use secrecy::SecretString;
use serde_json::{Value, json};
use simulator::VirtualClock;
use simulator::images::{
    Call, Defect, GEMINI_KEY, ImageFault, ImageWorld, OPENAI_KEY, Scripted, Service, Task,
};
use std::sync::Arc;
use std::time::Duration;
use store::{ai_usage, settings};
use tokio::net::TcpListener;

/// A stage with both providers and their stand-ins.
struct Studio {
    stage: Stage,
    world: ImageWorld,
    /// The time of the stand-ins.
    time: Arc<VirtualClock>,
}

/// `PROVIDERS` and `JOB_COST_LIMIT_USD` of a story.
struct Setup {
    gemini: bool,
    openai: bool,
    local: bool,
    limit: f64,
    /// Set aside for a judgement.
    judge: f64,
}

const GEMINI: Setup = Setup { gemini: true, openai: false, local: false, limit: 1.0, judge: 0.01 };

impl Studio {
    async fn new(setup: Setup) -> Studio {
        let time = Arc::new(VirtualClock::at(0));
        let world = ImageWorld::new(Arc::clone(&time) as Arc<_>).expect("the built-in figures");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(simulator::images::serve(listener, world.clone()));
        let mut list = Vec::new();
        if setup.gemini {
            list.push(Provider::new(gemini(&url)));
        }
        if setup.openai {
            list.push(Provider::new(openai(&url)));
        }
        let mut catalogue = Catalogue::built_in().expect("the built-in file");
        catalogue.reserve_usd.judge = setup.judge;
        let catalogue = Some(catalogue);
        let mut stage = Stage::new().await;
        let providers = Providers { list, local: setup.local, job_limit_usd: setup.limit, catalogue };
        stage.outside.providers = Arc::new(providers);
        Studio { stage, world, time }
    }

    /// A job whose stickers nobody has drawn yet.
    async fn job(&self, guest: i64) -> Job {
        let token = self.stage.at_the_camera(guest).await;
        let id = self.stage.upload(&token).await.expect("a job");
        self.stage.job(id).await
    }

    async fn made(&self, job: &Job) -> String {
        let key = names::made_key(&job.session_token, &job.pack_key);
        let bytes = self.stage.ctx.media.get(&key).await.expect("a note");
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    /// Service and task of each call, and how many cells were asked for.
    fn calls(&self) -> Vec<(Service, Task, usize)> {
        let cells = |call: &Call| {
            call.prompt.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count()
        };
        let calls = self.world.calls();
        calls.iter().map(|call| (call.service, call.task.expect("a good request"), cells(call))).collect()
    }

    async fn spent(&self, job: &Job) -> f64 {
        let since = Timestamp::from_millis(0);
        ai_usage::spent_on_job(&mut self.stage.ctx.store.reader(), job.id, since).await.expect("readable")
    }

    async fn debug_files(&self) -> usize {
        self.stage.ctx.media.list("debug_sheets").await.expect("readable").len()
    }

    /// The consistency report.
    async fn report(&self) -> Value {
        let files = self.stage.ctx.media.list("debug_sheets").await.expect("readable");
        let report = files.iter().find(|file| file.key.ends_with("_report.json")).expect("a report");
        let bytes = self.stage.ctx.media.get(&report.key).await.expect("readable");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    fn asked(&self, wanted: Task) -> usize {
        self.calls().iter().filter(|(_, task, _)| *task == wanted).count()
    }

    async fn maintenance(&self) -> Option<String> {
        settings::get(&mut self.stage.ctx.store.reader(), "maintenance").await.expect("readable")
    }
}

fn gemini(url: &str) -> Arc<dyn ImageProvider> {
    let settings = GeminiSettings {
        base_url: url.to_owned(),
        api_key: SecretString::from(GEMINI_KEY.to_owned()),
        image_model: "gemini-nano-banana-2.1".to_owned(),
        vision_model: Some("gemini-3.5-flash-lite".to_owned()),
        portrait_size: Some("1K".to_owned()),
        sheet_size: Some("1K".to_owned()),
        thinking: Some("minimal".to_owned()),
        time_outs: TimeOuts::default(),
    };
    Arc::new(Gemini::new(settings).expect("good settings"))
}

fn openai(url: &str) -> Arc<dyn ImageProvider> {
    let settings = OpenAiSettings {
        base_url: url.to_owned(),
        api_key: Some(SecretString::from(OPENAI_KEY.to_owned())),
        image_model: "gpt-image-2.5-flare".to_owned(),
        vision_model: Some("gpt-6-luna".to_owned()),
        portrait_size: "1024x1024".to_owned(),
        sheet_size: "1024x1024".to_owned(),
        quality: Some("low".to_owned()),
        time_outs: TimeOuts::default(),
    };
    Arc::new(OpenAi::new(settings).expect("good settings"))
}

use Service::Gemini as AtGemini;
use Task::{Describe, Draw, Judge};

#[tokio::test]
async fn a_job_is_described_anchored_drawn_on_one_sheet_judged_and_delivered() {
    let studio = Studio::new(GEMINI).await;
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    assert_eq!(studio.made(&job).await, r#"{"provider":"gemini","mode":"figure"}"#);
    let calls = [(Describe, 0), (Draw, 0), (Draw, 9), (Judge, 0)];
    assert_eq!(studio.calls(), calls.map(|(task, cells)| (AtGemini, task, cells)));
    let mut calls = studio.world.calls();
    assert_eq!(calls.pop().expect("a judgement").pictures, 3, "the selfie, the anchor and the sheet");
    let sheet = calls.pop().expect("a sheet");
    assert_eq!(sheet.pictures, 2, "the selfie and the anchor");
    assert!(sheet.prompt.contains("short wavy light brown hair"), "the likeness is told");
    // 615 and 1,120 tokens in, 210 of thinking and the picture out, at the prices of the file.
    let look = (1_735.0 * 0.3 + 390.0 * 2.5) / 1e6;
    let picture = (1_735.0 * 1.5 + 210.0 * 7.5 + 1_120.0 * 30.0) / 1e6;
    let spent = studio.spent(&job).await;
    assert!((spent - 2.0 * look - 2.0 * picture).abs() < 1e-9, "{spent}");
    assert_eq!(studio.debug_files().await, 3, "anchor, sheet, report");
    app::guest::forget(&studio.stage.ctx, job.guest).await.expect("erased");
    assert_eq!(studio.debug_files().await, 0, "they show the guest");
}

#[tokio::test]
async fn only_bad_cells_are_drawn_again() {
    let studio = Studio::new(GEMINI).await;
    // The anchor is the first drawing, the sheet the second.
    for defect in [Defect::Empty(4), Defect::Cut(8)] {
        studio.world.order(Scripted::drawn(defect).after(1));
    }
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    let cells: Vec<usize> = studio.calls().iter().map(|(_, _, cells)| *cells).collect();
    assert_eq!(cells, [0, 0, 9, 0, 4, 0], "two bad cells on a sheet of four, and each sheet is judged");
}

#[tokio::test]
async fn no_funds_fails_the_job_pauses_the_product_and_tells_everybody() {
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::once(ImageFault::OutOfFunds).on(Draw).times(0));
    let job = studio.job(1).await;
    studio.stage.work().await;
    let failed = studio.stage.job(job.id).await;
    assert_eq!((failed.status(), failed.attempts), (JobStatus::Failed, 1), "permanent on any attempt");
    assert!(failed.error.is_some_and(|error| error.starts_with("BillingExhausted")));
    assert_eq!(studio.maintenance().await.as_deref(), Some("auto"));
    assert!(studio.spent(&job).await < 0.01, "what was refused is not billed");
    studio.stage.send_all().await;
    assert_eq!(studio.stage.told(1, "Не получилось нарисовать набор"), 1);
    assert_eq!(studio.stage.told(OPERATOR, "/resume"), 1);
}

#[tokio::test]
async fn with_local_allowed_no_funds_ends_in_a_composite_and_no_pause() {
    let studio = Studio::new(Setup { local: true, ..GEMINI }).await;
    studio.world.order(Scripted::once(ImageFault::OutOfFunds).times(0));
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    assert_eq!(studio.made(&job).await, r#"{"provider":"local","mode":"composite_fallback"}"#);
    assert_eq!(studio.maintenance().await, None);
    studio.stage.send_all().await;
    assert_eq!(studio.stage.told(OPERATOR, "без нейросети"), 1);
    let calls = studio.calls().len();
    let second = studio.job(2).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(second.id).await.status(), JobStatus::Delivering);
    assert_eq!(studio.calls().len(), calls, "a provider without money rests");
}

#[tokio::test]
async fn a_child_and_a_refusal_get_kind_words_and_nobody_else_is_asked() {
    let studio = Studio::new(Setup { openai: true, ..GEMINI }).await;
    studio.world.person(&json!({"age_group": "child"}));
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Failed);
    assert_eq!(studio.calls(), [(AtGemini, Describe, 0)], "nothing was drawn");
    studio.world.person(&json!({"age_group": "adult"}));
    studio.world.order(Scripted::once(ImageFault::Safety).on(Draw));
    let second = studio.job(2).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(second.id).await.status(), JobStatus::Failed);
    assert!(studio.calls().iter().all(|(service, _, _)| *service == AtGemini), "no shopping for a yes");
    studio.stage.send_all().await;
    for guest in [1, 2] {
        assert_eq!(studio.stage.told(guest, "С этим фото нарисовать набор не получилось"), 1);
    }
}

#[tokio::test]
async fn a_provider_in_trouble_is_followed_by_the_next() {
    let studio = Studio::new(Setup { openai: true, ..GEMINI }).await;
    studio
        .world
        .order(Scripted::once(ImageFault::ServerError { status: 503 }).of(AtGemini).on(Draw).times(0));
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.made(&job).await, r#"{"provider":"openai","mode":"figure"}"#);
    let tried =
        studio.calls().iter().filter(|(service, task, _)| (*service, *task) == (AtGemini, Draw)).count();
    assert_eq!(tried, 3, "a call is tried three times at most");
    assert_eq!(studio.calls().iter().filter(|(_, task, _)| *task == Describe).count(), 1, "described once");
}

#[tokio::test]
async fn the_ceiling_stops_a_job_before_the_call_that_would_pass_it() {
    let studio = Studio::new(Setup { limit: 0.05, ..GEMINI }).await;
    let job = studio.job(1).await;
    studio.stage.work().await;
    let failed = studio.stage.job(job.id).await;
    assert_eq!((failed.status(), failed.attempts), (JobStatus::Failed, 1));
    assert!(failed.error.is_some_and(|error| error.starts_with("JobCostExceeded")));
    assert_eq!(studio.calls(), [(AtGemini, Describe, 0)]);
}

#[tokio::test]
async fn a_second_attempt_pays_neither_for_the_description_nor_for_the_anchor_again() {
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::once(ImageFault::ServerError { status: 500 }).on(Draw).after(1).times(3));
    let job = studio.job(1).await;
    studio.stage.work().await;
    let waiting = studio.stage.job(job.id).await;
    assert_eq!((waiting.status(), waiting.attempts), (JobStatus::Queued, 1));
    studio.stage.clock.advance(Duration::from_secs(11));
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    let calls = studio.calls();
    assert_eq!(calls[5..], [(AtGemini, Draw, 9), (AtGemini, Judge, 0)], "{calls:?}");
}

#[tokio::test]
async fn prose_instead_of_a_sheet_is_kept_for_operators_and_the_guest_gets_a_composite() {
    let studio = Studio::new(Setup { local: true, ..GEMINI }).await;
    studio.world.order(Scripted::once(ImageFault::Prose).on(Draw).times(0));
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.made(&job).await, r#"{"provider":"local","mode":"composite_fallback"}"#);
    let files = studio.stage.ctx.media.list("debug_sheets").await.expect("readable");
    assert!(files.iter().any(|file| file.key.ends_with("_anchor_answer.txt")), "{files:?}");
    assert!(studio.stage.clock.now() > job.created_at, "it was tried again after a pause");
}

#[tokio::test]
async fn a_cell_that_shows_somebody_else_is_drawn_again() {
    for openai in [false, true] {
        let studio = Studio::new(Setup { gemini: !openai, openai, ..GEMINI }).await;
        // The anchor is the first drawing, the sheet the second.
        studio.world.order(Scripted::drawn(Defect::Stranger(3)).after(1));
        let job = studio.job(1).await;
        studio.stage.work().await;
        assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
        let cells: Vec<usize> = studio.calls().iter().map(|(_, _, cells)| *cells).collect();
        assert_eq!(cells, [0, 0, 9, 0, 1, 0], "the stranger alone on the second sheet");
        let report = studio.report().await;
        let same =
            |round: usize, cell: usize| report["rounds"][round]["cells"][cell]["same_person"].as_bool();
        assert_eq!((same(0, 2), same(0, 3), same(1, 0)), (Some(true), Some(false), Some(true)), "{report}");
        assert_eq!(report["rounds"][1]["cells"][0]["slot"], report["rounds"][0]["cells"][3]["slot"]);
        assert_eq!(report["in_doubt"], json!([]));
        let since = Timestamp::from_millis(0);
        let hours = ai_usage::by_hour(&mut studio.stage.ctx.store.reader(), since).await.expect("readable");
        let judged = hours.iter().find(|hour| hour.stage == "judge").expect("its own stage");
        assert!(judged.calls == 2 && judged.cost_usd > 0.0, "{judged:?}");
    }
}

#[tokio::test]
async fn of_a_cell_that_is_doubted_twice_the_better_drawing_is_kept() {
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::drawn(Defect::Stranger(3)).after(1));
    studio.world.order(Scripted::drawn(Defect::Stranger(0)).after(2));
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    assert_eq!((studio.asked(Draw), studio.asked(Judge)), (3, 2), "no third sheet for a doubt");
    let report = studio.report().await;
    assert_eq!(report["in_doubt"], json!([report["rounds"][0]["cells"][3]["slot"]]), "{report}");
}

#[tokio::test]
async fn a_judge_that_doubts_every_cell_does_not_loop_and_the_next_attempt_has_a_new_anchor() {
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::once(ImageFault::Doubts).on(Judge).times(2));
    let job = studio.job(1).await;
    studio.stage.work().await;
    let waiting = studio.stage.job(job.id).await;
    assert_eq!((waiting.status(), waiting.attempts), (JobStatus::Queued, 1));
    assert!(waiting.error.is_some_and(|error| error.contains("9 cells show somebody else")));
    assert_eq!((studio.asked(Draw), studio.asked(Judge)), (3, 2), "anchor, sheet, one sheet more");
    studio.stage.clock.advance(Duration::from_secs(11));
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    assert_eq!((studio.asked(Draw), studio.asked(Judge)), (5, 3), "an anchor and a sheet");
}

#[tokio::test]
async fn a_pack_of_somebody_else_becomes_a_composite_of_the_guest() {
    let studio = Studio::new(Setup { local: true, ..GEMINI }).await;
    studio.world.order(Scripted::once(ImageFault::Doubts).on(Judge).times(0));
    let job = studio.job(1).await;
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    assert_eq!(studio.made(&job).await, r#"{"provider":"local","mode":"composite_fallback"}"#);
}

#[tokio::test]
async fn a_sheet_is_taken_as_it_is_when_nobody_can_judge_it() {
    let trouble = |studio: &Studio, fault| studio.world.order(Scripted::once(fault).on(Judge).times(0));
    let busy = Studio::new(GEMINI).await;
    trouble(&busy, ImageFault::ServerError { status: 503 });
    let prose = Studio::new(GEMINI).await;
    trouble(&prose, ImageFault::Prose);
    let dear = Studio::new(Setup { judge: 5.0, ..GEMINI }).await;
    for (studio, asked, why) in
        [(busy, 1, "high demand"), (prose, 1, "schema"), (dear, 0, "judge may take 5.000")]
    {
        let job = studio.job(1).await;
        studio.stage.work().await;
        assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering, "{why}");
        assert_eq!((studio.asked(Draw), studio.asked(Judge)), (2, asked), "{why}");
        let told = studio.report().await["rounds"][0]["not_judged"].as_str().map(str::to_owned);
        assert!(told.as_ref().is_some_and(|told| told.contains(why)), "{told:?}");
    }
}

#[tokio::test]
async fn a_short_wait_that_a_provider_asks_for_holds_the_slot_and_a_longer_one_goes_back_to_the_queue() {
    // Up to twenty seconds are waited in the slot, and the same call succeeds.
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::once(ImageFault::RateLimited { retry_after_s: 15 }).on(Draw));
    let job = studio.job(1).await;
    let began = studio.stage.clock.now();
    studio.stage.work().await;
    assert_eq!(studio.stage.job(job.id).await.status(), JobStatus::Delivering);
    let waited = studio.stage.clock.now().since(began).as_secs();
    assert!((15..=20).contains(&waited), "{waited} s");
    // Longer is not: nobody else should wait with this guest.
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::once(ImageFault::RateLimited { retry_after_s: 30 }).on(Draw));
    let job = studio.job(1).await;
    let began = studio.stage.clock.now();
    studio.stage.work().await;
    let JobState::Queued { not_before: Some(not_before) } = studio.stage.job(job.id).await.state else {
        panic!("not in the queue")
    };
    assert!(not_before.since(began).as_secs() >= 30, "it comes back when it may");
    assert_eq!(studio.stage.clock.now(), began, "the slot was free at once");
}

#[tokio::test]
async fn after_eight_minutes_an_attempt_begins_no_further_call() {
    let studio = Studio::new(GEMINI).await;
    studio.world.order(Scripted::once(ImageFault::Slow { seconds: 1 }).on(Describe));
    let job = studio.job(1).await;
    let time_passes = async {
        while studio.calls().is_empty() {
            tokio::task::yield_now().await;
        }
        studio.stage.clock.advance(Duration::from_secs(8 * 60));
        simulator::Clock::advance(&*studio.time, Duration::from_secs(1));
    };
    let both = async { tokio::join!(studio.stage.work(), time_passes) };
    tokio::time::timeout(Duration::from_secs(120), both).await.expect("the attempt ends");
    let waiting = studio.stage.job(job.id).await;
    assert_eq!((waiting.status(), waiting.attempts), (JobStatus::Queued, 1));
    assert!(waiting.error.is_some_and(|error| error.contains("no time is left for another call")));
    assert_eq!(studio.calls(), [(AtGemini, Describe, 0)], "nothing was drawn");
}
