//! Parameters of a call. The server keeps each as text; an object is the JSON text of it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

use crate::methods::picture::{self, Seen};
use crate::refusal::Refusal;

/// A file that came with a call.
#[derive(Debug, Clone)]
pub struct Upload {
    /// The name the client gave it; may be empty.
    pub name: String,
    /// What is in it.
    pub bytes: Bytes,
    /// What a look at it showed, once somebody looked.
    seen: Arc<OnceLock<Seen>>,
}

impl Upload {
    /// A file with a name and a content.
    #[must_use]
    pub fn new(name: &str, bytes: impl Into<Bytes>) -> Self {
        Self { name: name.to_owned(), bytes: bytes.into(), seen: Arc::default() }
    }

    /// What is in the picture; decoded when asked for the first time.
    pub(crate) fn seen(&self) -> &Seen {
        self.seen.get_or_init(|| picture::look(&self.bytes))
    }
}

impl PartialEq for Upload {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.bytes == other.bytes
    }
}

impl Eq for Upload {}

/// The parameters and files of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    values: BTreeMap<String, String>,
    files: BTreeMap<String, Upload>,
}

impl Params {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more parameter. A text stays as it is, everything else becomes JSON text. The first value of a name wins.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.put(name, &value.into());
        self
    }

    /// With a file under this part name.
    #[must_use]
    pub fn file(mut self, part: &str, name: &str, bytes: impl Into<Bytes>) -> Self {
        self.put_file(part, Upload::new(name, bytes));
        self
    }

    pub(crate) fn put(&mut self, name: &str, value: &Value) {
        let text = match value {
            Value::Null => return,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.values.entry(name.to_owned()).or_insert(text);
    }

    pub(crate) fn put_file(&mut self, part: &str, upload: Upload) {
        self.files.entry(part.to_owned()).or_insert(upload);
    }

    /// A parameter's text; empty counts as absent.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// A parameter's text, or an empty one.
    #[must_use]
    pub fn text_or_empty(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// True when the parameter was given at all.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.files.contains_key(name)
    }

    /// A number; what cannot be read is 0, as the server has it.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        self.text(name).and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// A flag: `true`, `yes` or `1` in any case.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(is_true)
    }

    /// The file of a part.
    #[must_use]
    pub fn upload(&self, part: &str) -> Option<&Upload> {
        self.files.get(part)
    }

    /// Looks at the pictures that came along, so that it is not done while the world is locked.
    pub(crate) fn look_at_uploads(&self) {
        for upload in self.files.values() {
            upload.seen();
        }
    }

    /// True when files came along.
    pub(crate) fn has_uploads(&self) -> bool {
        !self.files.is_empty()
    }

    /// A parameter that holds JSON, or the refusal with these words when it cannot be read.
    pub(crate) fn json(&self, name: &str, words: &str) -> Result<Option<Value>, Refusal> {
        match self.text(name) {
            None => Ok(None),
            Some(text) => serde_json::from_str(text).map(Some).map_err(|_| Refusal::bad(words)),
        }
    }
}

fn is_true(text: &str) -> bool {
    ["true", "yes", "1"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

impl From<Value> for Params {
    fn from(value: Value) -> Self {
        let mut params = Self::new();
        if let Value::Object(fields) = value {
            for (name, value) in &fields {
                params.put(name, value);
            }
        }
        params
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_becomes_its_json_text_and_a_text_stays() {
        let params = Params::from(
            json!({"text": "a\"b", "reply_markup": {"x": [1]}, "n": 5, "f": true, "gone": null}),
        );
        assert_eq!(params.text("text"), Some("a\"b"));
        assert_eq!(params.text("reply_markup"), Some(r#"{"x":[1]}"#));
        assert_eq!(params.integer("n"), 5);
        assert!(params.flag("f"));
        assert!(!params.has("gone"));
    }

    #[test]
    fn the_first_value_of_a_name_wins() {
        assert_eq!(Params::new().with("a", "1").with("a", "2").text("a"), Some("1"));
    }
}
