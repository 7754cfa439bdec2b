//! The description of an event, the same for the one inside a process and the one of real processes: how many come, how fast they are, what
//! fails, and what becomes of whom.

use crate::dice::Dice;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Guests who tap Start.
    pub guests: usize,
    /// Tablets.
    pub kiosks: usize,
    /// Packs drawn at once.
    pub slots: u32,
    /// Of a hundred calls to the image provider so many fail.
    pub failing: u64,
    /// Of everything drawn by chance.
    pub seed: u64,
}

/// Ways in which a call to an image provider fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// 429.
    TooMany,
    /// 500.
    Trouble,
    /// 503.
    Overloaded,
    /// No answer within the time.
    Hangs,
    /// The connection breaks.
    Lost,
    /// A text instead of a picture.
    Prose,
}

impl Failing {
    /// One of them.
    pub fn drawn(dice: &mut Dice) -> Failing {
        // A hanging call costs minutes, as it does outside, and is as rare.
        match dice.below(20) {
            0 => Failing::Hangs,
            1..=4 => Failing::Lost,
            5..=6 => Failing::Prose,
            7..=10 => Failing::Overloaded,
            11..=14 => Failing::Trouble,
            _ => Failing::TooMany,
        }
    }

    /// For the figures.
    pub fn word(self) -> &'static str {
        match self {
            Failing::TooMany => "429",
            Failing::Trouble => "500",
            Failing::Overloaded => "503",
            Failing::Hangs => "no answer in time",
            Failing::Lost => "connection lost",
            Failing::Prose => "prose",
        }
    }
}

/// What sort of guest somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Does what the tablet asks.
    Usual,
    /// Scans the code when it has ended.
    Late,
    /// Telegram takes no sticker set of theirs.
    Unlucky,
}

impl Event {
    /// The sort of the guest of this number: one of 25 is late, one of 50 unlucky.
    pub fn sort(&self, number: usize) -> Sort {
        match number % 50 {
            7 | 32 => Sort::Late,
            11 => Sort::Unlucky,
            _ => Sort::Usual,
        }
    }

    /// Their language.
    pub fn language(&self, number: usize) -> &'static str {
        ["ru", "uz", "en"][number % 3]
    }
}

/// The honest messages, typed again: no pack will come, and what to do.
pub const HONEST: [&str; 12] = [
    "Сессия закрыта, нажми «СТАРТ» на планшете.",
    "Seans yopilgan, planshetda «BOSHLASH»ni bosing.",
    "This session is closed, tap START on the tablet.",
    "Не получилось нарисовать набор, прости! Можно попробовать ещё раз: нажми «СТАРТ» на планшете.",
    "Toʻplamni chizib boʻlmadi, uzr! Yana urinib koʻring: planshetda «BOSHLASH»ni bosing.",
    "We could not draw your pack, sorry! You can try again: tap START on the tablet.",
    "Набор задерживается, прости! Мы уже знаем и поможем вручную. Или попробуй ещё раз: нажми «СТАРТ» на планшете.",
    "Toʻplam kechikyapti, uzr! Bilamiz va oʻzimiz yordam beramiz. Yoki yana urinib koʻring: planshetda «BOSHLASH»ni bosing.",
    "Your pack is late, sorry! We know about it and will help by hand. Or try again: tap START on the tablet.",
    "С этим фото нарисовать набор не получилось: не всё можно рисовать. Попробуй другое фото — подойди к планшету ещё раз 🙂",
    "Bu suratdan toʻplam chizib boʻlmadi: hamma narsani ham chizib boʻlmaydi. Boshqa surat bilan urinib koʻring — planshetga yana bir keling 🙂",
    "We could not draw a pack from this photo: some pictures are against the rules. Try another one — come to the tablet again 🙂",
];

/// A number that the environment of the test run asks for.
#[expect(clippy::disallowed_methods, reason = "the length of a test run is told by its environment")]
pub fn asked(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}
