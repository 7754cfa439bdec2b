//! The description of a guest: visible traits only, flat, no names, no guess at origin. One schema for all providers.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The longest text of one trait that is kept, in characters.
const TRAIT_MAX: usize = 120;
/// Most colours that are kept.
const COLOURS_MAX: usize = 8;

/// How old a person looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgeGroup {
    /// A child.
    Child,
    /// A teenager.
    Teen,
    /// Of age.
    Adult,
    /// Cannot be told.
    Unknown,
}

/// Whether the photo shows enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhotoQuality {
    /// Yes.
    Good,
    /// Too little light.
    Dark,
    /// Not sharp.
    Blurred,
    /// The person is far away.
    TooSmall,
    /// Something is in front of the face.
    Occluded,
}

/// What a photo shows of a person. Personal: `Debug` prints nothing of it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Appearance {
    /// People in the picture.
    pub people_count: u32,
    /// Whether the main person's face can be seen.
    pub face_visible: bool,
    /// How old they look.
    pub age_group: AgeGroup,
    /// How sure that is, 0 to 1.
    pub age_confidence: f64,
    /// Colour, length, cut.
    pub hair: String,
    /// Beard and moustache.
    pub facial_hair: String,
    /// Colour of the eyes.
    pub eyes: String,
    /// Shape and colour of glasses.
    pub glasses: String,
    /// Hat, scarf.
    pub headwear: String,
    /// What they wear.
    pub clothing: String,
    /// Moles, freckles, scars.
    pub marks: String,
    /// Colours that catch the eye, for the choice of the key colour.
    pub dominant_colors: Vec<String>,
    /// Whether the photo shows enough.
    pub photo_quality: PhotoQuality,
}

impl fmt::Debug for Appearance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Appearance(personal)")
    }
}

impl Appearance {
    /// The JSON schema of the answer: every member required, nothing else allowed (strict mode asks for both).
    pub fn schema() -> Value {
        let text = json!({"type": "string"});
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": [
                "people_count", "face_visible", "age_group", "age_confidence", "hair", "facial_hair", "eyes", "glasses",
                "headwear", "clothing", "marks", "dominant_colors", "photo_quality"
            ],
            "properties": {
                "people_count": {"type": "integer"},
                "face_visible": {"type": "boolean"},
                "age_group": {"type": "string", "enum": ["child", "teen", "adult", "unknown"]},
                "age_confidence": {"type": "number"},
                "hair": text, "facial_hair": text, "eyes": text, "glasses": text, "headwear": text, "clothing": text,
                "marks": text,
                "dominant_colors": {"type": "array", "items": text},
                "photo_quality": {"type": "string", "enum": ["good", "dark", "blurred", "too_small", "occluded"]}
            }
        })
    }

    /// Reads the JSON text of an answer; none when it is cut off or does not follow the schema. Texts are cut and cleaned,
    /// because they go into prompts.
    pub(super) fn read(text: &str) -> Option<Appearance> {
        let mut read: Appearance = serde_json::from_str(text.trim()).ok()?;
        let texts = [
            &mut read.hair,
            &mut read.facial_hair,
            &mut read.eyes,
            &mut read.glasses,
            &mut read.headwear,
            &mut read.clothing,
            &mut read.marks,
        ];
        texts.into_iter().for_each(tidy);
        read.dominant_colors.truncate(COLOURS_MAX);
        read.dominant_colors.iter_mut().for_each(tidy);
        read.age_confidence = read.age_confidence.clamp(0.0, 1.0);
        Some(read)
    }
}

fn tidy(text: &mut String) {
    let clean = |letter: &char| !letter.is_control() && !matches!(letter, '<' | '>' | '{' | '}');
    *text = text.chars().filter(clean).take(TRAIT_MAX).collect::<String>().trim().to_owned();
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"people_count":1,"face_visible":true,"age_group":"adult","age_confidence":0.93,"hair":"short <b>black</b>",
        "facial_hair":"none","eyes":"brown","glasses":"none","headwear":"none","clothing":"orange suit\nand more","marks":"none",
        "dominant_colors":["orange","white"],"photo_quality":"good"}"#;

    #[test]
    fn a_description_is_read_and_its_texts_cannot_steer_a_prompt() {
        let read = Appearance::read(TEXT).expect("follows the schema");
        assert_eq!(read.hair, "short bblack/b");
        assert_eq!(read.clothing, "orange suitand more");
        assert_eq!((read.age_group, read.people_count), (AgeGroup::Adult, 1));
    }

    #[test]
    fn a_description_that_is_cut_off_or_of_another_shape_is_none() {
        assert_eq!(Appearance::read(&TEXT[..TEXT.len() - 8]).map(drop), None);
        assert_eq!(Appearance::read("{\"hair\":\"black\"}").map(drop), None);
        assert_eq!(Appearance::read("I cannot help with that").map(drop), None);
    }

    #[test]
    fn the_schema_requires_exactly_the_members_that_are_read() {
        let schema = Appearance::schema();
        let named = |value: &Value| -> std::collections::BTreeSet<String> {
            value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        let read =
            serde_json::to_value(Appearance::read(TEXT).expect("follows the schema")).expect("serialises");
        let required: std::collections::BTreeSet<String> = schema["required"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|v| v.as_str().expect("a name").to_owned())
            .collect();
        assert_eq!(named(&schema["properties"]), required);
        assert_eq!(named(&read), required);
    }

    #[test]
    fn a_description_is_never_printed() {
        let read = Appearance::read(TEXT).expect("follows the schema");
        assert!(!format!("{read:?}").contains("orange"));
    }
}
