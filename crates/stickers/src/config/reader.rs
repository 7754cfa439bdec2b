//! Reads variables one by one, says what is wrong with each, and remembers what was read for `stickers config`.

use super::env::{Env, Source};
use secrecy::SecretString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// One variable as `stickers config` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Name of the variable.
    pub name: &'static str,
    /// The effective value; none when it has none. A secret is masked.
    pub value: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// What is allowed, in words; none when any text is.
    pub allowed: Option<String>,
}

/// What a secret is shown as.
const MASK: &str = "********";

/// Reads from an [`Env`] and gathers refusals, so that a start tells all of them at once.
pub struct Reader<'e> {
    env: &'e Env,
    /// What was read, in order.
    pub shown: Vec<Shown>,
    /// One line each: variable, value, what is allowed.
    pub problems: Vec<String>,
}

impl<'e> Reader<'e> {
    /// A reader of `env`.
    pub fn new(env: &'e Env) -> Self {
        Self { env, shown: Vec::new(), problems: Vec::new() }
    }

    /// The environment behind this reader.
    pub fn env(&self) -> &'e Env {
        self.env
    }

    fn show(&mut self, name: &'static str, value: Option<String>, source: Source, allowed: Option<&str>) {
        self.shown.push(Shown { name, value, source, allowed: allowed.map(str::to_owned) });
    }

    fn refuse(&mut self, name: &str, value: &str, allowed: &str) {
        self.problems.push(format!("{name} is \"{value}\": allowed is {allowed}"));
    }

    /// A text with a default.
    pub fn text(&mut self, name: &'static str, default: &str) -> String {
        let (value, source) = self.env.get(name).unwrap_or((default, Source::Default));
        self.show(name, Some(mask_password(value)), source, None);
        value.to_owned()
    }

    /// A text that may be absent.
    pub fn optional(&mut self, name: &'static str) -> Option<String> {
        let found = self.env.get(name);
        self.show(
            name,
            found.map(|(value, _)| mask_password(value)),
            found.map_or(Source::Default, |(_, source)| source),
            None,
        );
        found.map(|(value, _)| value.to_owned())
    }

    /// A secret that may be absent. Its value appears in no message.
    pub fn secret(
        &mut self,
        name: &'static str,
        is_allowed: fn(&str) -> bool,
        allowed: &str,
    ) -> Option<SecretString> {
        let Some((value, source)) = self.env.get(name) else {
            self.show(name, None, Source::Default, Some(allowed));
            return None;
        };
        self.show(name, Some(MASK.to_owned()), source, Some(allowed));
        if !is_allowed(value) {
            self.problems.push(format!("{name} has a value that is not shown: allowed is {allowed}"));
            return None;
        }
        Some(SecretString::from(value.to_owned()))
    }

    /// Anything that is read from text by `parse`; `default` must be readable and holds after a refusal too.
    pub fn parsed<T>(
        &mut self,
        name: &'static str,
        default: &str,
        allowed: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let (value, source) = self.env.get(name).unwrap_or((default, Source::Default));
        // An address may carry a password, whoever reads it and whatever it is for.
        self.show(name, (!value.is_empty()).then(|| mask_password(value)), source, Some(allowed));
        let read = parse(value);
        if read.is_none() {
            self.refuse(name, &mask_password(value), allowed);
        }
        read
    }

    /// A whole number within `range`.
    pub fn number<T>(&mut self, name: &'static str, default: T, range: RangeInclusive<T>) -> T
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let allowed = format!("a whole number from {} to {}", range.start(), range.end());
        let read = |value: &str| value.parse::<T>().ok().filter(|number| range.contains(number));
        self.parsed(name, &default.to_string(), &allowed, read).unwrap_or(default)
    }

    /// A switch: 1 or 0.
    pub fn switch(&mut self, name: &'static str, default: bool) -> bool {
        let read = |value: &str| match value.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        };
        self.parsed(name, if default { "1" } else { "0" }, "1 or 0", read).unwrap_or(default)
    }

    /// An `http://` or `https://` address, without the slash at its end.
    pub fn http_url(&mut self, name: &'static str, default: &str) -> String {
        self.parsed(name, default, "an address that begins with http:// or https://", http_url)
            .unwrap_or_else(|| default.to_owned())
    }

    /// A value that is made from others; shown like a default.
    pub fn derived(&mut self, name: &'static str, value: String) {
        self.show(name, Some(value), Source::Default, None);
    }
}

/// An address with a host, without the slash at its end.
pub fn http_url(value: &str) -> Option<String> {
    let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = !host.is_empty() && !value.chars().any(|c| c.is_whitespace() || c.is_control());
    plain.then(|| value.trim_end_matches('/').to_owned())
}

/// An address with the password between `:` and `@`, and secrets in its query, masked; any other text as it is.
pub fn mask_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    // The last @ ends the user part, for a password may hold one.
    let masked = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{name}:{MASK}@{host}"),
            None => format!("{user}@{host}"),
        },
        None => authority.to_owned(),
    };
    let path = match path.split_once('?') {
        Some((path, query)) => {
            format!("{path}?{}", query.split('&').map(masked_pair).collect::<Vec<_>>().join("&"))
        }
        None => path.to_owned(),
    };
    format!("{scheme}://{masked}{path}")
}

/// Parts of a query whose value is a secret, by what their names hold.
const SECRET_NAMES: [&str; 6] = ["pass", "pwd", "secret", "token", "key", "signature"];

fn masked_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, _)) if SECRET_NAMES.iter().any(|part| name.to_ascii_lowercase().contains(part)) => {
            format!("{name}={MASK}")
        }
        _ => pair.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_inside_a_connection_address_is_masked() {
        let cases = [
            ("postgres://kiosk:pa@ss@db:5432/app", "postgres://kiosk:********@db:5432/app"),
            (
                "postgres://db/app?user=k&password=secret&sslmode=require",
                "postgres://db/app?user=k&password=********&sslmode=require",
            ),
            ("postgres://kiosk@db/app", "postgres://kiosk@db/app"),
            ("https://u:SEKRET@host/leads?key=SEKRET&x=1", "https://u:********@host/leads?key=********&x=1"),
            ("ftp://u:SEKRET@host", "ftp://u:********@host"),
            ("sqlite://data/app.db", "sqlite://data/app.db"),
        ];
        for (url, shown) in cases {
            assert_eq!(mask_password(url), shown);
        }
    }

    #[test]
    fn an_address_needs_a_scheme_and_a_host() {
        assert_eq!(http_url("https://t.me/").as_deref(), Some("https://t.me"));
        for bad in ["t.me", "ftp://t.me", "http://", "http:///x", "https://a b"] {
            assert_eq!(http_url(bad), None, "{bad}");
        }
    }
}
