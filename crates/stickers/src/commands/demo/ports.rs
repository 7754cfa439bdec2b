//! The three ports of a demo: kiosk and API on the first, the simulator on the next, the landing site on the last. All are fixed,
//! because links are kept.

use crate::failure::Failure;
use std::io;
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// How many rows of ports are tried to offer one that is free.
const TRIED: u16 = 200;

/// The three ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Start page, kiosk, API.
    pub api: u16,
    /// The simulator.
    pub telegram: u16,
    /// The landing site.
    pub landing: u16,
}

impl Ports {
    /// `first` and the two after it; `first` is at most 65,533.
    pub fn from_first(first: u16) -> Ports {
        Ports { api: first, telegram: first.saturating_add(1), landing: first.saturating_add(2) }
    }

    /// Where the kiosk and the start page are.
    pub fn api_url(self) -> String {
        format!("http://localhost:{}", self.api)
    }

    /// Where the simulator's pages are.
    pub fn telegram_url(self) -> String {
        format!("http://localhost:{}", self.telegram)
    }

    /// Where the landing site is.
    pub fn landing_url(self) -> String {
        format!("http://localhost:{}", self.landing)
    }

    /// Takes all, in the order of the fields.
    ///
    /// # Errors
    /// One line that says which is taken and offers the next free row.
    pub async fn listen(self) -> Result<[TcpListener; 3], Failure> {
        let (port, error) = match self.take().await {
            Ok(listeners) => return Ok(listeners),
            Err(taken) => taken,
        };
        if error.kind() != io::ErrorKind::AddrInUse {
            return Err(Failure::of(&format!("port {port} cannot be used"), &error));
        }
        let offer = match self.next_free().await {
            Some(free) => format!("; free is: stickers demo --port {}", free.api),
            None => String::new(),
        };
        Err(Failure::Failed(format!("port {port} is taken{offer}")))
    }

    /// All of them, or the first that cannot be had.
    async fn take(self) -> Result<[TcpListener; 3], (u16, io::Error)> {
        let one = async |port| listen(port).await.map_err(|error| (port, error));
        Ok([one(self.api).await?, one(self.telegram).await?, one(self.landing).await?])
    }

    async fn next_free(self) -> Option<Ports> {
        let firsts =
            (1..=TRIED).filter_map(|step| self.api.checked_add(step)).filter(|first| *first < u16::MAX - 1);
        for first in firsts {
            let ports = Ports::from_first(first);
            if ports.take().await.is_ok() {
                return Some(ports);
            }
        }
        None
    }
}

async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_said_and_a_free_row_offered() {
        let taken = listen(0).await.expect("a free port");
        let port = taken.local_addr().expect("an address").port();
        for (api, telegram, landing) in [(port, 0, 0), (0, port, 0), (0, 0, port)] {
            match (Ports { api, telegram, landing }).listen().await {
                Err(Failure::Failed(line)) => {
                    assert!(line.contains(&format!("port {port} is taken")), "{line}");
                    assert!(line.contains("stickers demo --port "), "{line}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
