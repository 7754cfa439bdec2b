//! The address of a caller, as seen behind a trusted proxy only (engineering.md, "Client address").

use crate::WebState;
use axum::extract::{ConnectInfo, FromRequestParts};
use http::HeaderMap;
use http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The most entries of `X-Forwarded-For` that are looked at, from the right.
const HOPS_MAX: usize = 32;

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

/// Goes from the socket leftwards through `X-Forwarded-For` for as long as the hop is trusted. What is left of the first stranger may be
/// forged and is not looked at.
fn caller(peer: IpAddr, headers: &HeaderMap, trusted: &[IpAddr]) -> Caller {
    let trusted: Vec<IpAddr> = trusted.iter().map(|address| plain(*address)).collect();
    let mut hop = plain(peer);
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or_default()).collect();
    let joined = lines.join(",");
    for entry in joined.rsplit(',').take(HOPS_MAX) {
        if !trusted.contains(&hop) {
            break;
        }
        // An entry that is no address was written by somebody who is not our proxy: the hop before it is as far as we know.
        match entry.trim().parse::<IpAddr>() {
            Ok(address) => hop = plain(address),
            Err(_) => break,
        }
    }
    Caller(grouped(hop))
}

/// An IPv4 address inside an IPv6 one, taken out.
fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn grouped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX))),
    }
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
    fn forwarded_addresses_are_believed_only_from_trusted_hops_from_the_right() {
        let cases: [(&str, &[&'static str], &str); 8] = [
            ("198.51.100.1", &["203.0.113.9"], "198.51.100.1"),
            ("127.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", &["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", &["6.6.6.6,203.0.113.9 , 10.0.0.2"], "203.0.113.9"),
            ("127.0.0.1", &["6.6.6.6", " 203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", &["nonsense"], "127.0.0.1"),
            ("::ffff:127.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9"),
            ("::1", &["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
        ];
        for (peer, lines, expected) in cases {
            assert_eq!(seen(peer, lines), expected, "{peer} {lines:?}");
        }
    }
}
