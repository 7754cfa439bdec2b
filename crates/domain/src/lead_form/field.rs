//! Which field, and what is wrong with it.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// A field that has a rule, in the order of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// `request_id`
    RequestId,
    /// `name`
    Name,
    /// `telegram`
    Telegram,
    /// `phone`
    Phone,
    /// `date`
    Date,
    /// `guests`
    Guests,
    /// `comment`
    Comment,
}

impl Field {
    /// Every field that has a rule.
    pub const ALL: [Field; 7] = [
        Field::RequestId,
        Field::Name,
        Field::Telegram,
        Field::Phone,
        Field::Date,
        Field::Guests,
        Field::Comment,
    ];

    /// Its name in requests, answers and columns.
    pub fn word(self) -> &'static str {
        match self {
            Field::RequestId => "request_id",
            Field::Name => "name",
            Field::Telegram => "telegram",
            Field::Phone => "phone",
            Field::Date => "date",
            Field::Guests => "guests",
            Field::Comment => "comment",
        }
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Nothing was given.
    Required,
    /// Shorter than allowed.
    TooShort,
    /// Longer than allowed.
    TooLong,
    /// Not of the form that is wanted.
    Invalid,
}

impl Code {
    /// The code in answers.
    pub fn word(self) -> &'static str {
        match self {
            Code::Required => "required",
            Code::TooShort => "too_short",
            Code::TooLong => "too_long",
            Code::Invalid => "invalid",
        }
    }
}

/// What is wrong with a request: at least one field, one code each, in the order of the form. Serialises as the `errors` of an
/// answer: `{"name": "too_short"}`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldErrors(Vec<(Field, Code)>);

impl FieldErrors {
    /// What is wrong with this field.
    pub fn of(&self, field: Field) -> Option<Code> {
        self.0.iter().find(|(found, _)| *found == field).map(|(_, code)| *code)
    }

    /// Each field with its code, in the order of the form.
    pub fn iter(&self) -> impl Iterator<Item = (Field, Code)> + '_ {
        self.0.iter().copied()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the next field of the form.
    pub(super) fn push(&mut self, field: Field, code: Code) {
        self.0.push((field, code));
    }
}

impl Serialize for FieldErrors {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (field, code) in self.iter() {
            map.serialize_entry(field.word(), code.word())?;
        }
        map.end()
    }
}
