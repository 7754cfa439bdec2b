//! The site's own address as a QR code: the picture of the first step can be scanned from the screen.

use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write;

/// Light modules around the code, as the standard wants.
const QUIET: usize = 4;

/// The code as SVG without a declaration; none when the text is too long.
pub fn svg(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = code.width();
    let side = width + 2 * QUIET;
    let mut path = String::new();
    for (number, color) in code.to_colors().into_iter().enumerate() {
        if color == Color::Dark {
            // Writing to a String cannot fail.
            let _ = write!(path, "M{} {}h1v1h-1z", number % width + QUIET, number / width + QUIET);
        }
    }
    Some(format!(
        r#"<svg viewBox="0 0 {side} {side}" aria-hidden="true" shape-rendering="crispEdges"><path d="{path}"/></svg>"#
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_drawn_inside_its_quiet_zone_and_a_novel_is_refused() {
        let drawn = svg("https://example.org").expect("short enough");
        // The first finder pattern begins at the quiet zone.
        assert!(drawn.contains("M4 4h1v1h-1z") && !drawn.contains("M3 "), "{drawn}");
        assert_eq!(svg(&"x".repeat(4_000)), None);
    }
}
