//! What stands in the database about leads, read past the product by plain SQL.

use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::collections::BTreeMap;
use std::str::FromStr;

/// A lead as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Row {
    pub id: i64,
    pub request_id: String,
    pub status: String,
    pub published_at: Option<i64>,
    pub publish_error: Option<String>,
    pub card_dirty_at: Option<i64>,
    pub erased_at: Option<i64>,
}

impl Row {
    /// A send of its card was cut off: whether it arrived is unknown, and the next one says so.
    pub fn unknown(&self) -> bool {
        self.publish_error.as_deref() == Some("unknown")
    }

    /// Nothing more will be sent for it within the next minutes.
    pub fn settled(&self) -> bool {
        (self.published_at.is_some() || self.unknown()) && self.card_dirty_at.is_none()
    }
}

/// Everything that was stored.
#[derive(Clone, Debug)]
pub struct Books {
    /// Leads by number.
    pub leads: Vec<Row>,
    /// `request_id` of each repeat, with the number of its lead.
    pub repeats: BTreeMap<String, i64>,
}

const LEADS: &str = "SELECT id, request_id, status, published_at, publish_error, card_dirty_at, erased_at FROM leads ORDER BY id";
const REPEATS: &str = "SELECT request_id, lead_id FROM lead_repeats";

impl Books {
    /// Reads the database of this address, which other processes may be writing to.
    pub async fn read(database: &str) -> Books {
        let (leads, repeats): (Vec<Row>, Vec<(String, i64)>) = if database.starts_with("sqlite:") {
            let options = SqliteConnectOptions::from_str(database).expect("an address").read_only(true);
            let mut file: SqliteConnection = options.connect().await.expect("the file opens");
            let leads = sqlx::query_as(LEADS).fetch_all(&mut file).await.expect("leads");
            let repeats = sqlx::query_as(REPEATS).fetch_all(&mut file).await.expect("repeats");
            file.close().await.expect("closed");
            (leads, repeats)
        } else {
            let mut server = PgConnection::connect(database).await.expect("the server answers");
            let leads = sqlx::query_as(LEADS).fetch_all(&mut server).await.expect("leads");
            let repeats = sqlx::query_as(REPEATS).fetch_all(&mut server).await.expect("repeats");
            server.close().await.expect("closed");
            (leads, repeats)
        };
        Books { leads, repeats: repeats.into_iter().collect() }
    }

    /// The lead of a request, whether it made the lead or repeated it.
    pub fn lead_of(&self, request_id: &str) -> Option<i64> {
        let own = self.leads.iter().find(|lead| lead.request_id == request_id).map(|lead| lead.id);
        own.or_else(|| self.repeats.get(request_id).copied())
    }

    /// The row of a request that made a lead.
    pub fn row(&self, request_id: &str) -> &Row {
        let found = self.leads.iter().find(|lead| lead.request_id == request_id);
        found.unwrap_or_else(|| panic!("{request_id} is not stored"))
    }
}
