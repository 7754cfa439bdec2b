//! An image provider that draws figures in its guest's colours, takes its time, and fails as often and in as many ways as it is told.

use crate::dice::Dice;
use crate::faces::Face;
use crate::plan::Failing;
use app::timer::Timer;
use bytes::Bytes;
use clients::images::{
    AgeGroup, Answered, Appearance, Call, DescribeOrder, DrawOrder, ErrorKind, ImageError, ImageProvider,
    JudgeOrder, Judgement, Likeness, Paid, PhotoQuality, Picture, PictureType,
};
use domain::cost::Tokens;
use domain::guest::Personal;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The provider. Its calls wait on the clock of the event.
pub struct Artist {
    pub timer: Arc<dyn Timer>,
    pub state: Mutex<State>,
}

/// What it has been asked.
#[derive(Debug)]
pub struct State {
    pub dice: Dice,
    pub failing: u64,
    /// Calls, by how they ended.
    pub calls: BTreeMap<&'static str, usize>,
}

impl Artist {
    /// An artist who fails so many of a hundred calls.
    pub fn new(timer: Arc<dyn Timer>, seed: u64, failing: u64) -> Arc<Artist> {
        let state = State { dice: Dice::new(seed, 7), failing, calls: BTreeMap::new() };
        Arc::new(Artist { timer, state: Mutex::new(state) })
    }

    /// How many calls there were, by how they ended.
    pub fn calls(&self) -> BTreeMap<&'static str, usize> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).calls.clone()
    }

    /// Begins a call: decides how it will end, and how long it takes.
    fn begin(&self, usual_s: (u64, u64)) -> (Option<Failing>, Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let took = Duration::from_millis(state.dice.between(usual_s.0 * 1_000, usual_s.1 * 1_000));
        let failing = state.failing;
        let failed = (state.dice.below(100) < failing).then(|| Failing::drawn(&mut state.dice));
        *state.calls.entry(failed.map_or("well", Failing::word)).or_default() += 1;
        (failed, took)
    }

    /// Takes its time and fails, when that was decided.
    async fn act(&self, usual_s: (u64, u64), time_out: Duration) -> Result<(), ImageError> {
        let (failed, took) = self.begin(usual_s);
        let Some(failed) = failed else {
            self.timer.sleep(took).await;
            return Ok(());
        };
        self.timer.sleep(if failed == Failing::Hangs { time_out } else { took }).await;
        let error = |kind, status| ImageError::new(kind, status, failed.word());
        Err(match failed {
            Failing::TooMany => {
                error(ErrorKind::RateLimited { retry_after: Some(Duration::from_secs(4)) }, Some(429))
            }
            Failing::Trouble => error(ErrorKind::ServerTrouble, Some(500)),
            Failing::Overloaded => error(ErrorKind::Overloaded, Some(503)),
            Failing::Hangs => error(ErrorKind::TooSlow, None),
            Failing::Lost => error(ErrorKind::Lost, None),
            Failing::Prose => ImageError {
                prose: Some(Personal("I would rather write a poem about it.".to_owned())),
                paid: paid(0),
                ..error(ErrorKind::Declined, Some(200))
            },
        })
    }
}

fn paid(images: u32) -> Paid {
    let tokens = Tokens { text_in: 500, image_in: 1_000, text_out: 200, image_out: 1_000 * images };
    Paid { tokens: Some(tokens), images }
}

impl ImageProvider for Artist {
    fn name(&self) -> &'static str {
        "gemini"
    }
    fn image_model(&self) -> &str {
        "gemini-nano-banana-2.1"
    }
    fn vision_model(&self) -> Option<&str> {
        Some("gemini-3.5-flash-lite")
    }
    fn draw(&self, order: DrawOrder) -> Call<'_, Picture> {
        Box::pin(async move {
            self.act((4, 12), Duration::from_secs(180)).await?;
            let face = Face::of_selfie(order.pictures.first().expect("a selfie").bytes());
            let key = if order.prompt.contains("#FF00FF") { [255, 0, 255] } else { [0, 255, 0] };
            let cells = order.prompt.lines().filter(|line| is_pose(line)).count().max(1);
            let bytes = Bytes::from(face.sheet(cells, key));
            let value = Picture { kind: PictureType::Png, bytes };
            Ok(Answered { value, paid: paid(1), request_id: None })
        })
    }
    fn describe(&self, _: DescribeOrder) -> Call<'_, Appearance> {
        Box::pin(async move {
            self.act((1, 4), Duration::from_secs(60)).await?;
            Ok(Answered { value: somebody(), paid: paid(0), request_id: None })
        })
    }
    /// Knows its own drawings: they show the guest.
    fn judge(&self, order: JudgeOrder) -> Call<'_, Judgement> {
        Box::pin(async move {
            self.act((1, 4), Duration::from_secs(60)).await?;
            let value = Judgement(vec![Some(Likeness { same_person: true, score: 9 }); order.cells]);
            Ok(Answered { value, paid: paid(0), request_id: None })
        })
    }
}

/// `3. waving`.
fn is_pose(line: &str) -> bool {
    line.split_once(". ").is_some_and(|(number, _)| number.trim().parse::<u32>().is_ok())
}

fn somebody() -> Appearance {
    let none = || "none".to_owned();
    Appearance {
        people_count: 1,
        face_visible: true,
        age_group: AgeGroup::Adult,
        age_confidence: 0.9,
        hair: "short brown hair".to_owned(),
        facial_hair: none(),
        eyes: none(),
        glasses: none(),
        headwear: none(),
        clothing: "an orange suit".to_owned(),
        marks: none(),
        dominant_colors: Vec::new(),
        photo_quality: PhotoQuality::Good,
    }
}
