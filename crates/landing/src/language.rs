//! The browser's language: the first one of `Accept-Language` that we speak, else Russian.

use domain::Language;
use http::HeaderMap;
use http::header::ACCEPT_LANGUAGE;

/// Entries of the header that are looked at.
const ENTRIES_MAX: usize = 16;

/// Reads `Accept-Language`, the highest weight first, and of equal ones the first.
pub fn of(headers: &HeaderMap) -> Language {
    let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut known: Vec<(Language, f32)> = header.split(',').take(ENTRIES_MAX).filter_map(entry).collect();
    // A stable order: what stands first stays first.
    known.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    known.first().map(|(language, _)| *language).unwrap_or_default()
}

/// A language that we speak, and its weight; one of weight zero is not wanted.
fn entry(text: &str) -> Option<(Language, f32)> {
    let (tag, parameters) = text.split_once(';').unwrap_or((text, ""));
    let primary = tag.trim().split('-').next().unwrap_or_default();
    let language = Language::from_code(&primary.to_ascii_lowercase())?;
    let weight =
        parameters.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse().ok())?;
    (weight > 0.0).then_some((language, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_browsers_favourite_language_of_ours_is_taken() {
        let cases = [
            ("de-DE,de;q=0.9,uz;q=0.8,en;q=0.7", Language::Uz),
            ("en;q=0.5, uz-Latn-UZ;q=0.9", Language::Uz),
            ("EN-gb", Language::En),
            ("uz;q=0, en;q=0.1", Language::En),
            ("en;q=nonsense, uz", Language::Uz),
            ("de", Language::Ru),
            ("", Language::Ru),
        ];
        for (header, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(header));
            assert_eq!(of(&headers), expected, "{header}");
        }
        assert_eq!(of(&HeaderMap::new()), Language::Ru);
    }
}
