//! What a verb can answer instead of doing what was asked.

use domain::Language;
use domain::session::{Notice, SessionStatus};
use thiserror::Error;

/// A fault that the caller cannot do anything about. The chain is logged once, where it is handled; none of it reaches a client.
#[derive(Debug, Error)]
pub enum AppError {
    /// The database failed.
    #[error("the database failed")]
    Store(#[from] store::StoreError),
    /// The media store failed.
    #[error("the media store failed")]
    Media(#[from] clients::media::MediaError),
    /// The copy that has to come before a deletion could not be made; nothing was deleted.
    #[error("the database cannot be copied before the deletion, so nothing was deleted")]
    Copy(#[from] store::backup::BackupError),
    /// Telegram refused, or did not answer.
    #[error("Telegram did not take it")]
    Telegram(#[from] clients::telegram::TelegramError),
    /// The renderer failed in a way that is no refusal of the photo.
    #[error("rendering failed: {0}")]
    Render(String),
    /// A task of ours panicked or was cancelled.
    #[error("an internal task ended: {0}")]
    Task(#[from] tokio::task::JoinError),
    /// Something stored by us cannot be read back.
    #[error("cannot read what was stored in {what}")]
    Stored {
        /// Table, column and id.
        what: String,
        /// Why.
        source: serde_json::Error,
    },
}

/// Why a session call of the kiosk was refused (interfaces.md, HTTP table).
#[derive(Debug, Error)]
pub enum Refusal {
    /// No session has this token.
    #[error("unknown session")]
    UnknownSession,
    /// The product is paused.
    #[error("maintenance")]
    Maintenance,
    /// The bot has not told its username yet.
    #[error("the bot is not ready")]
    BotNotReady,
    /// The session is not where this call is allowed.
    #[error("the session is in status {status}")]
    WrongStatus {
        /// Where it is.
        status: SessionStatus,
    },
    /// No such outfit.
    #[error("unknown template")]
    UnknownTemplate,
    /// The guest has had their packs.
    #[error("pack limit")]
    PackLimit {
        /// Where the session is now.
        status: SessionStatus,
        /// Why.
        notice: Notice,
    },
    /// The photo cannot be used.
    #[error("the photo was refused: {}", .0.code())]
    Photo(render::Refusal),
    /// No place for this work now.
    #[error("busy")]
    Busy,
    /// Our fault.
    #[error(transparent)]
    Internal(#[from] AppError),
}

impl From<store::StoreError> for Refusal {
    fn from(error: store::StoreError) -> Self {
        Refusal::Internal(error.into())
    }
}

impl Refusal {
    /// The code in `error` of the answer.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::UnknownSession => "unknown_session",
            Refusal::Maintenance => "maintenance",
            Refusal::BotNotReady => "bot_not_ready",
            Refusal::WrongStatus { .. } => "wrong_status",
            Refusal::UnknownTemplate => "unknown_template",
            Refusal::PackLimit { .. } => "pack_limit",
            Refusal::Photo(refusal) => refusal.code(),
            Refusal::Busy => "busy",
            Refusal::Internal(_) => "internal",
        }
    }

    /// What a person reads. The kiosk has its own words for each code; these are for whoever calls the API by hand.
    pub fn message(&self, language: Language) -> &'static str {
        let (ru, uz, en) = self.messages();
        match language {
            Language::Ru => ru,
            Language::Uz => uz,
            Language::En => en,
        }
    }

    fn messages(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            Refusal::UnknownSession => (
                "Такой сессии нет. Начни сначала: нажми «СТАРТ»",
                "Bunday seans yoʻq. Boshidan: «BOSHLASH»ni bosing",
                "There is no such session. Start over: tap START",
            ),
            Refusal::Maintenance => (
                "Небольшой перерыв. Скоро продолжим",
                "Kichik tanaffus. Tez orada davom etamiz",
                "A short break. Back soon",
            ),
            Refusal::BotNotReady => {
                ("Запускаемся. Минутку", "Ishga tushyapmiz. Bir daqiqa", "Starting up. One minute")
            }
            Refusal::WrongStatus { .. } => (
                "Этот шаг уже пройден или ещё не настал",
                "Bu qadam oʻtilgan yoki hali kelmagan",
                "That step is done or has not come yet",
            ),
            Refusal::UnknownTemplate => (
                "Этого наряда уже нет. Выбери другой",
                "Bu libos endi yoʻq. Boshqasini tanlang",
                "That outfit is gone. Pick another one",
            ),
            Refusal::PackLimit { notice: Notice::PackReady, .. } => {
                ("Твой набор уже у тебя", "Toʻplamingiz allaqachon bor", "You already have your pack")
            }
            Refusal::PackLimit { notice: Notice::PackInProgress, .. } => {
                ("Твой набор уже рисуется", "Toʻplamingiz chizilmoqda", "Your pack is being drawn")
            }
            Refusal::Photo(refusal) => photo_messages(refusal),
            Refusal::Busy => ("Много запросов сразу", "Soʻrovlar juda koʻp", "Too many requests at once"),
            Refusal::Internal(_) => ("Ошибка на нашей стороне", "Bizda xatolik", "An error on our side"),
        }
    }
}

fn photo_messages(refusal: &render::Refusal) -> (&'static str, &'static str, &'static str) {
    match refusal {
        render::Refusal::NotAnImage => (
            "Это не фото. Сними ещё раз",
            "Bu rasm emas. Qayta oling",
            "That is not a photo. Take another one",
        ),
        render::Refusal::Heic => (
            "Формат HEIC не открыть. Сними здесь, на планшете",
            "HEIC formati ochilmaydi. Shu planshetda oling",
            "We cannot open HEIC. Take it here on the tablet",
        ),
        render::Refusal::TooLarge { .. } => (
            "Фото слишком большое. Сними здесь, на планшете",
            "Rasm juda katta. Shu planshetda oling",
            "The photo is too large. Take it here on the tablet",
        ),
        render::Refusal::TooSmall { .. } => (
            "Лицо далеко. Подойди ближе",
            "Yuz uzoqda. Yaqinroq keling",
            "Your face is far away. Come closer",
        ),
        render::Refusal::NoFace => (
            "Не видим лица. Посмотри в камеру",
            "Yuz koʻrinmayapti. Kameraga qarang",
            "We cannot see a face. Look at the camera",
        ),
        render::Refusal::SeveralFaces => (
            "Двое в кадре. По одному, пожалуйста",
            "Kadrda bir necha kishi. Iltimos, bir kishidan",
            "More than one face. One at a time, please",
        ),
    }
}
