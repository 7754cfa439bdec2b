//! The HTTP server: `API_BIND`, `PUBLIC_URL`, `TRUSTED_PROXIES`, `KIOSK_KEY`.

use super::reader::Reader;
use secrecy::SecretString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// How the API is reached.
#[derive(Clone)]
pub struct Http {
    /// `API_BIND`, default `127.0.0.1:8000`.
    pub bind: SocketAddr,
    /// `PUBLIC_URL`, default `http://localhost:8000`, without a slash at its end.
    pub public_url: String,
    /// `TRUSTED_PROXIES`, default `127.0.0.1,::1`: only from these is `X-Forwarded-For` believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// `KIOSK_KEY`: when set, tablets must show it.
    pub kiosk_key: Option<SecretString>,
}

impl Http {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Http {
        let bind = r.parsed("API_BIND", "127.0.0.1:8000", "ADDRESS:PORT, such as 127.0.0.1:8000", |value| {
            value.parse::<SocketAddr>().ok()
        });
        let public_url = r.http_url("PUBLIC_URL", "http://localhost:8000");
        let trusted_proxies =
            r.parsed("TRUSTED_PROXIES", "127.0.0.1,::1", "IP addresses separated by commas", |value| {
                value.split(',').map(|part| part.trim().parse::<IpAddr>().ok()).collect()
            });
        let kiosk_key = r.secret("KIOSK_KEY", visible_ascii, "8 to 200 visible ASCII characters");
        Http {
            bind: bind.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 8000))),
            public_url,
            trusted_proxies: trusted_proxies.unwrap_or_default(),
            kiosk_key,
        }
    }
}

/// What fits a header and the fragment of an address without being encoded.
fn visible_ascii(key: &str) -> bool {
    (8..=200).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic())
}
