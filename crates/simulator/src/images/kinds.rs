//! The words of this stand-in: services, tasks, and what a call was.

use std::hash::{DefaultHasher, Hasher};

use serde_json::Value;

/// Which service was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Gemini.
    Gemini,
    /// OpenAI, or a server that speaks like it.
    OpenAi,
}

/// What for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// A picture.
    Draw,
    /// A description.
    Describe,
    /// Whether a sheet shows one person.
    Judge,
}

/// File format of drawn pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// JPEG, as Gemini's current models send.
    Jpeg,
    /// PNG.
    Png,
}

impl PictureFormat {
    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

/// One call as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Who was asked.
    pub service: Service,
    /// What for; none when the request was refused before that was clear.
    pub task: Option<Task>,
    /// Which model.
    pub model: String,
    /// The words.
    pub prompt: String,
    /// How many pictures came with them.
    pub pictures: usize,
    /// The refusal of a wrong request.
    pub refused: Option<String>,
}

impl Call {
    pub(super) fn taken(asked: &Asked) -> Self {
        Self {
            service: asked.service,
            task: Some(asked.task),
            model: asked.model.clone(),
            prompt: asked.prompt.clone(),
            pictures: asked.pictures,
            refused: None,
        }
    }

    pub(super) fn refused(service: Service, why: String) -> Self {
        let (model, prompt) = (String::new(), String::new());
        Self { service, task: None, model, prompt, pictures: 0, refused: Some(why) }
    }
}

/// A request that was understood.
#[derive(Debug)]
pub(super) struct Asked {
    pub service: Service,
    pub task: Task,
    pub model: String,
    pub prompt: String,
    pub pictures: usize,
    /// Fingerprint of the last of them.
    pub last: Option<u64>,
    /// Width and height of the picture, px.
    pub size: (u32, u32),
    /// The format that was asked for.
    pub format: Option<PictureFormat>,
}

/// A request that was not.
#[derive(Debug)]
pub(super) struct Wrong {
    pub service: Service,
    pub status: u16,
    pub body: Value,
}

/// What an answer by this schema is for.
pub(super) fn task_of(schema: &Value) -> Task {
    if schema["properties"]["cells"].is_object() { Task::Judge } else { Task::Describe }
}

/// Tells one file from another.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// What the first bytes of a picture say.
pub(super) fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
