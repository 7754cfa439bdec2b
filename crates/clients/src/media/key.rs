//! What a media key may look like: the same on a disk and in an object store, and never outside the store.

/// The longest key, in bytes.
const KEY_MAX: usize = 512;

/// Segments of `A-Za-z0-9._-` joined by `/`, none of them empty or beginning with a dot.
pub(super) fn is_key(text: &str) -> bool {
    text.len() <= KEY_MAX && text.split('/').all(is_segment)
}

fn is_segment(segment: &str) -> bool {
    let good = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'_' | b'-');
    !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(good)
}

#[cfg(test)]
mod tests {
    use super::is_key;

    #[test]
    fn the_keys_of_the_seeds_are_keys() {
        for key in ["sessions/AbC_-9/selfie_1.jpg", "debug_sheets/job12_sheet.png", "sessions", "a.b-c_d"] {
            assert!(is_key(key), "{key}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_no_key() {
        for key in [
            "",
            "/",
            "/etc",
            "a/",
            "a//b",
            "../x",
            "a/../b",
            "a/.",
            ".env",
            "a/.hidden",
            "a b",
            "a#1",
            "a\\b",
            "я",
            "a\0",
        ] {
            assert!(!is_key(key), "{key:?}");
        }
        assert!(!is_key(&"a".repeat(513)));
    }
}
