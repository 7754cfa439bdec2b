//! The address of a caller, as seen behind a trusted proxy only (engineering.md, "Client address").

use crate::WebState;
use axum::extract::{ConnectInfo, FromRequestParts};
use domain::address;
use http::HeaderMap;
use http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Who calls: an IPv4 address, or the first half of an IPv6 one, because a household or an attacker owns a whole /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller(pub IpAddr);

impl FromRequestParts<WebState> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        // Without a socket the call comes from a test of ours.
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
        Ok(caller(peer, &parts.headers, &state.options.trusted_proxies))
    }
}

fn caller(peer: IpAddr, headers: &HeaderMap, trusted: &[IpAddr]) -> Caller {
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or_default()).collect();
    Caller(address::caller(peer, &lines, trusted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn seen(peer: &str, lines: &[&'static str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_static(line));
        }
        let trusted = ["127.0.0.1", "::1", "10.0.0.2"].map(|text| text.parse().expect("an address"));
        caller(peer.parse().expect("an address"), &headers, &trusted).0.to_string()
    }

    #[test]
    fn every_line_of_the_header_is_joined_in_its_order() {
        assert_eq!(seen("127.0.0.1", &["6.6.6.6", " 203.0.113.9"]), "203.0.113.9");
        assert_eq!(seen("127.0.0.1", &["6.6.6.6,203.0.113.9 , 10.0.0.2"]), "203.0.113.9");
        assert_eq!(seen("198.51.100.1", &["203.0.113.9"]), "198.51.100.1");
        assert_eq!(seen("127.0.0.1", &[]), "127.0.0.1");
    }
}
