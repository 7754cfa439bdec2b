//! The address of a visitor behind proxies (engineering.md, "Client address"): only what a trusted hop wrote is believed.

use std::net::{IpAddr, Ipv6Addr};

/// The most entries of `X-Forwarded-For` that are looked at, from the right.
const HOPS_MAX: usize = 32;

/// Who calls: an IPv4 address, or the first half of an IPv6 one, because a household or an attacker owns a whole /64.
///
/// Goes from the socket's `peer` leftwards through the `X-Forwarded-For` lines (in the order in which they came) for as long as the hop is one
/// of `trusted`. What is left of the first stranger may be forged and is not looked at.
pub fn caller(peer: IpAddr, forwarded: &[&str], trusted: &[IpAddr]) -> IpAddr {
    let trusted: Vec<IpAddr> = trusted.iter().map(IpAddr::to_canonical).collect();
    let mut hop = peer.to_canonical();
    let joined = forwarded.join(",");
    for entry in joined.rsplit(',').take(HOPS_MAX) {
        if !trusted.contains(&hop) {
            break;
        }
        // An entry that is no address was written by somebody who is not our proxy: the hop before it is as far as we know.
        match entry.trim().parse::<IpAddr>() {
            Ok(address) => hop = address.to_canonical(),
            Err(_) => break,
        }
    }
    grouped(hop)
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

    #[test]
    fn forwarded_addresses_are_believed_only_from_trusted_hops_from_the_right() {
        let trusted = ["127.0.0.1", "::1", "10.0.0.2"].map(|text| text.parse().expect("an address"));
        let cases: [(&str, &[&str], &str); 10] = [
            ("198.51.100.1", &["203.0.113.9"], "198.51.100.1"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("127.0.0.1", &[""], "127.0.0.1"),
            ("127.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", &["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", &["6.6.6.6,203.0.113.9 , 10.0.0.2"], "203.0.113.9"),
            ("127.0.0.1", &["6.6.6.6", " 203.0.113.9"], "203.0.113.9"),
            ("127.0.0.1", &["nonsense"], "127.0.0.1"),
            ("::ffff:127.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9"),
            ("::1", &["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
        ];
        for (peer, lines, expected) in cases {
            let seen = caller(peer.parse().expect("an address"), lines, &trusted);
            assert_eq!(seen.to_string(), expected, "{peer} {lines:?}");
        }
    }
}
