//! Where a request goes: to the server, to Telegram when the server does not take it, or to the console of a developer (seed 003, "Status
//! code mapping").

use crate::message::{Channel, message};
use clients::leads::{LeadAnswer, LeadsServer};
use clients::telegram::{ErrorKind, SendMessage, Telegram};
use domain::lead_form::LeadRequest;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Where requests go.
pub struct Delivery {
    /// `LEADS_ENDPOINT` with `LEADS_SECRET`.
    pub server: Option<LeadsServer>,
    /// `FALLBACK_BOT_TOKEN` with `FALLBACK_CHAT_ID`.
    pub fallback: Option<Fallback>,
    /// Prints a request when neither is configured.
    pub console: Arc<dyn Fn(&str) + Send + Sync>,
    /// How long each way may take.
    pub waits: Waits,
}

/// The backup channel.
#[derive(Clone)]
pub struct Fallback {
    /// The bot that writes.
    pub telegram: Arc<dyn Telegram>,
    /// The group it writes to.
    pub chat_id: i64,
}

/// How long each way may take, from beginning to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// `POST /leads`.
    pub server: Duration,
    /// `sendMessage`.
    pub telegram: Duration,
}

impl Default for Waits {
    /// Those of the seed.
    fn default() -> Self {
        Self { server: Duration::from_secs(5), telegram: Duration::from_secs(10) }
    }
}

/// Which way a request took, or which way it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The server stored it, or knows it.
    Server,
    /// The server said "too many". Never the backup channel: that would go round its limit.
    ServerThrottled,
    /// The server's rules differ from ours. Never the backup channel: that is a bug to mend, not to hide.
    ServerRejected,
    /// The server did not take it, Telegram did.
    Fallback,
    /// Nobody took it.
    Lost,
    /// No server is configured: Telegram took it.
    Telegram,
    /// Nothing is configured: it was printed.
    Console,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Server => "server",
            Route::ServerThrottled => "server-throttled",
            Route::ServerRejected => "server-rejected",
            Route::Fallback => "fallback",
            Route::Lost => "lost",
            Route::Telegram => "telegram",
            Route::Console => "console",
        })
    }
}

/// Delivers a request and logs one line about it, without a word of the visitor.
pub async fn deliver(delivery: &Delivery, lead: &LeadRequest) -> Route {
    let (route, reason) = choose(delivery, lead).await;
    let line = format!("[request] {} → {route}", lead.request_id);
    match route {
        Route::Server | Route::Telegram | Route::Console => tracing::info!("{line}"),
        Route::ServerThrottled | Route::Fallback => tracing::warn!(reason, "{line}"),
        Route::ServerRejected | Route::Lost => tracing::error!(reason, "{line}"),
    }
    route
}

async fn choose(delivery: &Delivery, lead: &LeadRequest) -> (Route, String) {
    let Some(server) = &delivery.server else { return without_server(delivery, lead).await };
    let why = match ask(server, lead, delivery.waits.server).await {
        LeadAnswer::Stored | LeadAnswer::Known => return (Route::Server, String::new()),
        LeadAnswer::Throttled => return (Route::ServerThrottled, String::new()),
        LeadAnswer::Rejected { errors } => return (Route::ServerRejected, errors),
        LeadAnswer::Refused { status } => format!("the server answered {status}"),
        LeadAnswer::Unreachable { reason } => format!("the server did not answer: {reason}"),
    };
    let Some(fallback) = &delivery.fallback else { return (Route::Lost, why) };
    match send(fallback, message(lead, Channel::Backup, fallback.chat_id), delivery.waits.telegram).await {
        Ok(()) => (Route::Fallback, why),
        Err(trouble) => (Route::Lost, format!("{why}; {trouble}")),
    }
}

async fn without_server(delivery: &Delivery, lead: &LeadRequest) -> (Route, String) {
    let Some(fallback) = &delivery.fallback else {
        (delivery.console)(&message(lead, Channel::Direct, 0).text);
        return (Route::Console, String::new());
    };
    match send(fallback, message(lead, Channel::Direct, fallback.chat_id), delivery.waits.telegram).await {
        Ok(()) => (Route::Telegram, String::new()),
        Err(trouble) => (Route::Lost, trouble),
    }
}

async fn ask(server: &LeadsServer, lead: &LeadRequest, wait: Duration) -> LeadAnswer {
    timeout(wait, server.submit(lead))
        .await
        .unwrap_or_else(|_| LeadAnswer::Unreachable { reason: "timed out".to_owned() })
}

/// Sends a message; a group that became a supergroup is followed once, within the same time.
async fn send(fallback: &Fallback, message: SendMessage, wait: Duration) -> Result<(), String> {
    let telegram = &fallback.telegram;
    let sent = timeout(wait, async {
        match telegram.send_message(message.clone()).await {
            Err(error) => match error.kind {
                ErrorKind::Migrated { to } => {
                    tracing::warn!(to, "the group became a supergroup: set FALLBACK_CHAT_ID to this number");
                    telegram.send_message(SendMessage { chat_id: to, ..message }).await
                }
                _ => Err(error),
            },
            sent => sent,
        }
    });
    match sent.await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(format!("telegram: {error}")),
        Err(_) => Err("telegram: timed out".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_has_five_seconds_and_telegram_ten() {
        assert_eq!(
            Waits::default(),
            Waits { server: Duration::from_secs(5), telegram: Duration::from_secs(10) }
        );
    }
}
