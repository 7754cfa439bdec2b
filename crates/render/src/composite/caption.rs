//! Captions: the letters of the rig's font as one path, set on a gentle arc, kerned, in three passes (white, ink, colour).

use std::collections::HashMap;
use std::fmt::Write as _;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::draw::INK;
use crate::RenderError;
use crate::raster::sample::Affine;

/// Size of the letters in figure px, when they fit.
pub(crate) const SIZE: f32 = 58.0;
/// Widest caption in figure px.
pub(crate) const WIDTH_MAX: f32 = 250.0;
const ARC_DEGREES: f32 = 10.0;
const TURN_DEGREES: f32 = -4.0;
const WHITE_WIDTH: f32 = 17.0;
const INK_WIDTH: f32 = 8.5;
/// Letters stand a little closer than the font says.
const TRACKING: f32 = 0.97;

/// Outlines and distances of the letters that a caption may use.
pub(crate) struct Typeface {
    glyphs: HashMap<char, Glyph>,
    kerning: HashMap<(GlyphId, GlyphId), f32>,
    units: f32,
}

struct Glyph {
    id: GlyphId,
    advance: f32,
    outline: Vec<Step>,
}

#[derive(Clone, Copy)]
enum Step {
    Move([f32; 2]),
    Line([f32; 2]),
    Quad([f32; 2], [f32; 2]),
    Cubic([f32; 2], [f32; 2], [f32; 2]),
    Close,
}

impl Typeface {
    /// Reads a TrueType font with a `kern` table.
    pub fn new(bytes: &[u8]) -> Result<Typeface, RenderError> {
        let face = Face::parse(bytes, 0).map_err(|e| RenderError::Drawing(format!("caption font: {e}")))?;
        let mut glyphs = HashMap::new();
        for subtable in face.tables().cmap.iter().flat_map(|c| c.subtables).filter(|s| s.is_unicode()) {
            subtable.codepoints(|code| {
                let (Some(letter), Some(id)) = (char::from_u32(code), subtable.glyph_index(code)) else {
                    return;
                };
                let mut pen = Pen(Vec::new());
                face.outline_glyph(id, &mut pen);
                let advance = f32::from(face.glyph_hor_advance(id).unwrap_or(0)) * TRACKING;
                glyphs.insert(letter, Glyph { id, advance, outline: pen.0 });
            });
        }
        let ids: Vec<GlyphId> = glyphs.values().map(|g| g.id).collect();
        let mut kerning = HashMap::new();
        for subtable in face.tables().kern.iter().flat_map(|k| k.subtables) {
            for a in &ids {
                for b in &ids {
                    if let Some(k) = subtable.glyphs_kerning(*a, *b).filter(|k| *k != 0) {
                        kerning.insert((*a, *b), f32::from(k));
                    }
                }
            }
        }
        Ok(Typeface { glyphs, kerning, units: f32::from(face.units_per_em()) })
    }

    /// The letters of `words` that the font has not.
    pub fn missing(&self, words: &str) -> Vec<char> {
        words.chars().filter(|c| !self.glyphs.contains_key(c)).collect()
    }

    /// The caption as SVG about the origin (middle of its base line), at most `width_max` wide.
    pub fn caption(&self, words: &str, colour: &str, size: f32, width_max: f32) -> String {
        let (letters, width) = self.set(words);
        let width = width / self.units;
        let size = if width > 0.0 { size.min(width_max / width) } else { size };
        let path = self.on_arc(&letters, width * size, size / self.units);
        let k = size / SIZE;
        let pass = |paint: &str, line: f32| {
            format!(
                r#"<path d="{path}" fill="{paint}" stroke="{paint}" stroke-width="{:.1}" stroke-linejoin="round"/>"#,
                line * k
            )
        };
        let (white, ink) = (pass("#ffffff", WHITE_WIDTH), pass(INK, INK_WIDTH));
        format!(r#"<g transform="rotate({TURN_DEGREES})">{white}{ink}<path d="{path}" fill="{colour}"/></g>"#)
    }

    /// Letters with the middle of each from the left, and the whole width, in font units.
    fn set(&self, words: &str) -> (Vec<(&Glyph, f32)>, f32) {
        let (mut out, mut x, mut before) = (Vec::new(), 0.0, None);
        for glyph in words.chars().filter_map(|c| self.glyphs.get(&c)) {
            x += before.and_then(|b| self.kerning.get(&(b, glyph.id))).copied().unwrap_or(0.0);
            out.push((glyph, x + glyph.advance / 2.0));
            x += glyph.advance;
            before = Some(glyph.id);
        }
        (out, x)
    }

    fn on_arc(&self, letters: &[(&Glyph, f32)], width: f32, k: f32) -> String {
        let radius = width / ARC_DEGREES.to_radians();
        let mut path = String::new();
        for (glyph, middle) in letters {
            let angle = (middle * k - width / 2.0) / radius;
            let at = [radius * angle.sin(), radius - radius * angle.cos()];
            // font units have y up
            let flip = Affine([k, 0.0, -glyph.advance / 2.0 * k, 0.0, -k, 0.0]);
            let map =
                flip.then(&Affine::turn_scale(angle, 1.0)).then(&Affine([1.0, 0.0, at[0], 0.0, 1.0, at[1]]));
            glyph.outline.iter().for_each(|step| write_step(&mut path, step, &map));
        }
        path
    }
}

fn write_step(path: &mut String, step: &Step, map: &Affine) {
    let p = |p: &[f32; 2]| {
        let q = map.apply(*p);
        format!("{:.2} {:.2}", q[0], q[1])
    };
    // writing to a String cannot fail
    let _ = match step {
        Step::Move(a) => write!(path, "M{}", p(a)),
        Step::Line(a) => write!(path, "L{}", p(a)),
        Step::Quad(a, b) => write!(path, "Q{} {}", p(a), p(b)),
        Step::Cubic(a, b, c) => write!(path, "C{} {} {}", p(a), p(b), p(c)),
        Step::Close => write!(path, "Z"),
    };
}

struct Pen(Vec<Step>);

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.push(Step::Move([x, y]));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.push(Step::Line([x, y]));
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.push(Step::Quad([x1, y1], [x, y]));
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.push(Step::Cubic([x1, y1], [x2, y2], [x, y]));
    }
    fn close(&mut self) {
        self.0.push(Step::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composite::draw::Drawing;
    use crate::template::Templates;

    fn typeface() -> Typeface {
        Typeface::new(&Templates::built_in().font).unwrap()
    }

    fn width(typeface: &Typeface, words: &str) -> f32 {
        let b = Drawing::new(&typeface.caption(words, "#ff0000", SIZE, WIDTH_MAX)).unwrap().bounds().unwrap();
        b[2] - b[0]
    }

    #[test]
    fn the_font_has_the_letters_of_all_three_languages() {
        let font = typeface();
        assert_eq!(font.missing("Съешь ещё этих мягких французских булок, да выпей чаю!"), []);
        assert_eq!(font.missing("Oʻzbekiston gʻoyasi, maʼno… Zoʻr! — “Yaxshi”"), []);
        assert_eq!(font.missing("Привет你"), ['你']);
    }

    #[test]
    fn a_long_caption_is_set_smaller_and_a_short_one_is_not() {
        let font = typeface();
        assert!(width(&font, "Ха-ха-ха-ха-ха-ха-ха!") <= WIDTH_MAX + 2.0 * WHITE_WIDTH);
        assert!(width(&font, "Хм") < 130.0);
    }

    #[test]
    fn letters_are_kerned() {
        let font = typeface();
        let (pair, apart) = (font.set("То").1, font.set("Т").1 + font.set("о").1);
        assert!(pair < apart - 10.0, "{pair} and {apart} units");
    }
}
