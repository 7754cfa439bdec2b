//! The renderer's word for a language: `render` knows nothing of `domain`.

use domain::Language;

/// The language of captions for people who speak `language`.
pub(crate) fn caption_language(language: Language) -> render::Language {
    match language {
        Language::Ru => render::Language::Ru,
        Language::Uz => render::Language::Uz,
        Language::En => render::Language::En,
    }
}
