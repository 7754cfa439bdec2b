//! What `{{name}}` in a part stands for.

use std::collections::BTreeMap;

use super::draw::INK;
use super::guest::Guest;
use crate::template::Outfit;

/// The ink of a hand does not scale with it: `{{o:W}}` is a stroke of W with the ink at both sides.
const OUTLINE: f32 = 10.4;

/// Names and what they become.
#[derive(Clone, Debug)]
pub(crate) struct Tokens(BTreeMap<String, String>);

impl Tokens {
    /// Those of an outfit on a guest.
    pub fn of(outfit: &Outfit, guest: &Guest) -> Tokens {
        let mut map = outfit.tokens.clone();
        let own = [
            ("ink", INK),
            ("skin", &guest.skin),
            ("skin_line", &guest.skin_line),
            ("skin_shade", &guest.skin_shade),
            ("neck", &guest.neck),
            ("neck_shade", &guest.neck_shade),
        ];
        map.extend(own.map(|(k, v)| (k.to_owned(), v.to_owned())));
        Tokens(map)
    }

    /// With stand-ins for a guest's colours, for checks.
    pub fn sample(outfit: &Outfit) -> Tokens {
        let mut map = outfit.tokens.clone();
        let colours = [
            ("ink", INK),
            ("skin", "#f5cfae"),
            ("skin_line", "#a97c5c"),
            ("skin_shade", "#c99a78"),
            ("neck", "#f5cfae"),
            ("neck_shade", "#c99a78"),
            ("fx", "#ffd23f"),
        ];
        map.extend(colours.map(|(k, v)| (k.to_owned(), v.to_owned())));
        Tokens(map)
    }

    /// The same with one more name.
    pub fn with(&self, name: &str, value: &str) -> Tokens {
        let mut out = self.clone();
        out.0.insert(name.to_owned(), value.to_owned());
        out
    }

    /// Skin replaced by the outfit's gloves, where it has some.
    pub fn with_gloves(&self, outfit: &Outfit) -> Tokens {
        let mut out = self.clone();
        let gloves =
            [("skin", &outfit.glove), ("skin_line", &outfit.glove_line), ("skin_shade", &outfit.glove_shade)];
        for (name, colour) in gloves {
            if let Some(colour) = colour {
                out.0.insert(name.to_owned(), colour.clone());
            }
        }
        out
    }

    /// The value of a name, or the name itself (the check of templates reports unknown ones).
    pub fn get<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.get(name).map_or(name, String::as_str)
    }

    /// Fills a part that is drawn at a scale. Values may hold tokens themselves, one level deep.
    pub fn fill(&self, text: &str, scale: f32) -> String {
        let once = self.fill_once(text, scale);
        if once.contains("{{") { self.fill_once(&once, scale) } else { once }
    }

    fn fill_once(&self, text: &str, scale: f32) -> String {
        let mut out = String::with_capacity(text.len() + 64);
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            out.push_str(&rest[..start]);
            let Some(end) = rest[start..].find("}}") else {
                out.push_str(&rest[start..]);
                return out;
            };
            let name = rest[start + 2..start + end].trim();
            match name.strip_prefix("o:").and_then(|w| w.parse::<f32>().ok()) {
                Some(width) => out.push_str(&format!("{:.1}", width + OUTLINE / scale)),
                None => out.push_str(self.get(name)),
            }
            rest = &rest[start + end + 2..];
        }
        out.push_str(rest);
        out
    }

    /// Whether a token is known.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name) || name.strip_prefix("o:").is_some_and(|w| w.parse::<f32>().is_ok())
    }
}
