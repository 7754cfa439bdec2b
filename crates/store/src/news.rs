//! What changed lately in the sessions and jobs that tablets look at: one look for all event streams of a process.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::Read;
use domain::Timestamp;

/// A session, or its job, as it stood after its last change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct News {
    /// The session.
    pub session_token: String,
    /// Whether its job changed: then the places in the queue may have moved for everybody.
    pub of_job: bool,
    /// When.
    pub at: Timestamp,
    /// Status and details: two changes within one millisecond differ here.
    pub mark: String,
}

#[derive(sqlx::FromRow)]
struct NewsRow {
    session_token: String,
    of_job: i64,
    at: i64,
    mark: String,
}

/// What changed at `since` or later, oldest first, at most `limit`.
pub async fn since(on: &mut impl Read, since: Timestamp, limit: u32) -> Result<Vec<News>, StoreError> {
    let rows = Query::new(
        "SELECT session_token, CAST(0 AS BIGINT) AS of_job, updated_at AS at, \
         status || ' ' || COALESCE(template_id, '') || ' ' || language AS mark \
         FROM sessions WHERE updated_at >= $1 \
         UNION ALL \
         SELECT session_token, CAST(1 AS BIGINT) AS of_job, updated_at AS at, status || ' ' || CAST(claim_no AS TEXT) AS mark \
         FROM jobs WHERE updated_at >= $1 \
         ORDER BY at, session_token, of_job LIMIT $2",
    )
    .bind(since)
    .bind(limit)
    .all::<NewsRow>(on)
    .await?;
    let news = |row: NewsRow| News {
        session_token: row.session_token,
        of_job: row.of_job == 1,
        at: Timestamp::from_millis(row.at),
        mark: row.mark,
    };
    Ok(rows.into_iter().map(news).collect())
}
