//! The two ports of a demo: kiosk and API on the first, the simulator on the next. Both are fixed, because links are kept.

use crate::failure::Failure;
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// How many pairs are tried to offer one that is free.
const TRIED: u16 = 200;

/// The two ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Start page, kiosk, API.
    pub api: u16,
    /// The simulator.
    pub telegram: u16,
}

impl Ports {
    /// `first` and the one after it; `first` is at most 65,534.
    pub fn from_first(first: u16) -> Ports {
        Ports { api: first, telegram: first.saturating_add(1) }
    }

    /// Where the kiosk and the start page are.
    pub fn api_url(self) -> String {
        format!("http://localhost:{}", self.api)
    }

    /// Where the simulator's pages are.
    pub fn telegram_url(self) -> String {
        format!("http://localhost:{}", self.telegram)
    }

    /// Takes both.
    ///
    /// # Errors
    /// One line that says which is taken and offers the next free pair.
    pub async fn listen(self) -> Result<(TcpListener, TcpListener), Failure> {
        let taken = match (listen(self.api).await, listen(self.telegram).await) {
            (Ok(api), Ok(telegram)) => return Ok((api, telegram)),
            (Err(error), _) => (self.api, error),
            (_, Err(error)) => (self.telegram, error),
        };
        let (port, error) = taken;
        if error.kind() != std::io::ErrorKind::AddrInUse {
            return Err(Failure::of(&format!("port {port} cannot be used"), &error));
        }
        let offer = match self.next_free().await {
            Some(free) => format!("; free is: stickers demo --port {}", free.api),
            None => String::new(),
        };
        Err(Failure::Failed(format!("port {port} is taken{offer}")))
    }

    async fn next_free(self) -> Option<Ports> {
        let firsts =
            (1..=TRIED).filter_map(|step| self.api.checked_add(step)).filter(|first| *first < u16::MAX);
        for first in firsts {
            let ports = Ports::from_first(first);
            if listen(ports.api).await.is_ok() && listen(ports.telegram).await.is_ok() {
                return Some(ports);
            }
        }
        None
    }
}

async fn listen(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_said_and_a_free_pair_offered() {
        let taken = listen(0).await.expect("a free port");
        let port = taken.local_addr().expect("an address").port();
        for ports in [Ports { api: port, telegram: 0 }, Ports { api: 0, telegram: port }] {
            match ports.listen().await {
                Err(Failure::Failed(line)) => {
                    assert!(line.contains(&format!("port {port} is taken")), "{line}");
                    assert!(line.contains("stickers demo --port "), "{line}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
