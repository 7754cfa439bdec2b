//! The language of messages for people: the first one of `Accept-Language` that we speak, else Russian.

use domain::Language;
use http::HeaderMap;
use http::header::ACCEPT_LANGUAGE;

/// Reads `Accept-Language`. Weights are not looked at: browsers list the best one first.
pub fn of(headers: &HeaderMap) -> Language {
    let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    header.split(',').take(16).find_map(known).unwrap_or_default()
}

fn known(part: &str) -> Option<Language> {
    let tag = part.split(';').next().unwrap_or_default().trim();
    let primary = tag.split('-').next().unwrap_or_default();
    Language::from_code(&primary.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_first_language_that_we_speak_is_taken() {
        let cases = [
            ("de-DE,de;q=0.9,uz;q=0.8,en;q=0.7", Language::Uz),
            ("EN-gb", Language::En),
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
