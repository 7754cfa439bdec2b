//! PostgreSQL: each write is a transaction in a task of its own; other processes are told by `NOTIFY`.

use crate::changes::{Changes, Signal};
use crate::dialect::{POSTGRES_CHANNEL, POSTGRES_NOTIFY, POSTGRES_ROLLBACK, POSTGRES_SENDER};
use crate::error::{OpenError, StoreError};
use crate::options::StoreOptions;
use crate::trouble::{Health, Trouble};
use crate::tx::{Open, Tx};
use crate::work::{Keep, Work};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgPool};
use std::str::FromStr;
use std::time::Duration;

/// Pause before the listener is connected again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(500);

/// Opens the pool. Whatever a cancelled caller left open on a connection is rolled back before the connection is used again.
pub(crate) async fn open(url: &str, options: &StoreOptions) -> Result<PgPool, OpenError> {
    let limit_ms = options.write_limit.as_millis().to_string();
    let connect = PgConnectOptions::from_str(url)
        .map_err(OpenError::Address)?
        .application_name("stickers")
        // The rollback below warns when there is nothing to roll back; that is the usual case and no news.
        .options([
            ("client_min_messages", "error"),
            ("idle_in_transaction_session_timeout", limit_ms.as_str()),
        ]);
    // A pool tries again until its time is over and then tells only that; a first connection of its own tells what is wrong.
    let first = tokio::time::timeout(options.write_limit, connect.connect()).await;
    first.map_err(|_| OpenError::Database(sqlx::Error::PoolTimedOut))??.close().await?;
    let pool = PgPoolOptions::new()
        // One more for the listener, which keeps its own.
        .max_connections(options.readers.max(2) + 1)
        .acquire_timeout(options.write_limit)
        .test_before_acquire(false)
        .before_acquire(|connection, _| {
            Box::pin(async move {
                sqlx::raw_sql(POSTGRES_ROLLBACK).execute(connection).await?;
                Ok(true)
            })
        })
        .connect_with(connect)
        .await?;
    Ok(pool)
}

/// Where a commit of this process is announced: to whoever waits here, and to the task that tells other processes. A notice
/// from outside must not reach the latter, or two processes would tell each other for ever.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    pub(crate) all: Signal,
    pub(crate) own: Signal,
}

/// Runs one write to its end, whoever still waits for it, and answers.
pub(crate) async fn write(pool: PgPool, mut work: Box<dyn Work>, signals: Signals, health: Health) {
    let limit = work.limit();
    // The closure has its own bound; this one also covers waiting for a connection and the commit.
    let failure = match tokio::time::timeout(limit * 2, transaction(&pool, work.as_mut(), &health)).await {
        Ok(Ok(Keep::Commit)) => {
            health.well();
            signals.all.announce();
            signals.own.announce();
            None
        }
        Ok(Ok(Keep::Rollback)) => None,
        Ok(Err(error)) => {
            health.failed(&error);
            Some(error)
        }
        Err(_) => Some(StoreError::TimedOut),
    };
    work.answer(failure);
}

async fn transaction(pool: &PgPool, work: &mut dyn Work, health: &Health) -> Result<Keep, StoreError> {
    let begun = pool.begin().await;
    if matches!(begun, Err(sqlx::Error::PoolTimedOut)) {
        // A pool tries again for as long as a server does not answer, and then tells only that.
        health.set(Some(Trouble::Unreachable));
    }
    let mut tx = Tx::new(Open::Postgres(begun?), health.clone());
    if let Some(opening) = work.take_opening()
        && let Some(number) = opening.run(&mut tx).await?
    {
        tx.commit().await?;
        work.opened(number);
        return Ok(Keep::Commit);
    }
    let keep = work.run(&mut tx).await;
    match keep {
        Keep::Commit => tx.commit().await?,
        Keep::Rollback => tx.rollback().await?,
    }
    Ok(keep)
}

/// Tells other processes about commits of this one. Several commits while one notice is under way become one notice: a
/// notice in every transaction would make commits wait for each other.
pub(crate) async fn tell_others(pool: PgPool, mut own: Changes, sender: String) {
    loop {
        own.changed().await;
        if let Err(error) = sqlx::query(POSTGRES_NOTIFY).bind(&sender).execute(&pool).await {
            tracing::debug!(%error, "other processes could not be told of a change");
        }
    }
}

/// The name under which this process notifies.
pub(crate) async fn sender_name(pool: &PgPool) -> Result<String, sqlx::Error> {
    sqlx::query_scalar(POSTGRES_SENDER).fetch_one(pool).await
}

/// Connects a listener to the channel.
pub(crate) async fn listener(pool: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(POSTGRES_CHANNEL).await?;
    Ok(listener)
}

/// Announces the commits of other processes. After a lost connection something may have been missed, so that counts as news.
pub(crate) async fn listen_to_others(pool: PgPool, first: PgListener, others: Signal, sender: String) {
    let mut listener = first;
    loop {
        match listener.try_recv().await {
            Ok(Some(notice)) if notice.payload() == sender => {}
            Ok(_) => others.announce(),
            Err(error) => {
                tracing::debug!(%error, "the listener lost its connection");
                listener = reconnect(&pool).await;
                others.announce();
            }
        }
    }
}

async fn reconnect(pool: &PgPool) -> PgListener {
    loop {
        tokio::time::sleep(RECONNECT_PAUSE).await;
        match listener(pool).await {
            Ok(listener) => return listener,
            Err(error) => tracing::debug!(%error, "the listener cannot connect yet"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the server of the test run is told by its environment")]
    fn told(name: &str) -> String {
        std::env::var(name).expect(
            "no PostgreSQL for the tests: run them with `make test`, or through tests/with-postgres.sh",
        )
    }

    #[tokio::test]
    async fn a_remote_server_is_reached_over_tls_and_its_certificate_is_checked() {
        let (url, authority) = (told("STICKERS_TEST_POSTGRES_URL"), told("STICKERS_TEST_POSTGRES_CA"));
        let trusted = format!("{url}?sslmode=verify-full&sslrootcert={authority}");
        let pool = open(&trusted, &StoreOptions::new("")).await.expect("opens");
        let encrypted: bool = sqlx::query_scalar("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            .fetch_one(&pool)
            .await
            .expect("answers");
        assert!(encrypted);
        let stranger = format!("{url}?sslmode=verify-full");
        assert!(open(&stranger, &StoreOptions::new("")).await.is_err(), "nobody vouches for this server");
    }

    #[tokio::test]
    async fn a_transaction_that_a_cancelled_caller_left_open_is_rolled_back_before_the_next_use() {
        let url = told("STICKERS_TEST_POSTGRES_URL");
        let pool = open(&url, &StoreOptions::new("")).await.expect("opens");
        let mut left_open = pool.acquire().await.expect("connects");
        let process: i32 =
            sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *left_open).await.expect("answers");
        sqlx::raw_sql("BEGIN; CREATE TEMPORARY TABLE left_open (x BIGINT)")
            .execute(&mut *left_open)
            .await
            .expect("begins behind the driver's back");
        drop(left_open);
        // A task takes it back to the pool.
        let given_back = async {
            while pool.num_idle() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), given_back).await.expect("is given back");
        // The same connection comes back, without the table of the open transaction.
        let mut next = pool.acquire().await.expect("connects");
        let (again, table): (i32, Option<String>) =
            sqlx::query_as("SELECT pg_backend_pid(), CAST(to_regclass('left_open') AS TEXT)")
                .fetch_one(&mut *next)
                .await
                .expect("answers");
        assert_eq!((again, table), (process, None));
    }
}
