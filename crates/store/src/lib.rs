//! All SQL of the product, on SQLite and PostgreSQL with one text. It does not decide: a write repeats what it expects and
//! reports whether it found it so ([`Change`]); what that means is the caller's.
//!
//! One module a table, reads above, writes below. Reads take `&mut impl Read`, which is a [`Reader`] or a running [`Tx`];
//! writes take `&mut Tx`, which only [`Store::write`] hands out:
//!
//! ```no_run
//! # async fn example(store: store::Store, token: String, now: domain::Timestamp) -> Result<(), store::StoreError> {
//! let session = store::sessions::find(&mut store.reader(), &token).await?;
//! let change: store::Change = store
//!     .write(move |tx| Box::pin(async move { store::sessions::take_photo(tx, &token, now).await }))
//!     .await?;
//! # let _ = (session, change);
//! # Ok(())
//! # }
//! ```
//!
//! **Invariant:** no statement changes a status without saying which status it expects, and the statuses come from the
//! transition tables in `domain`.
//! **Invariant:** what differs between the engines stands in `dialect.rs` and `migrations/`, and nowhere else; whole databases are
//! copied by each engine's own means, in `backup/`.
//! **Invariant:** whoever writes to several tables of a guest locks the guest first ([`Tx::lock_guest`]), so that no two
//! writes wait for each other.

mod changes;
mod dialect;
mod engines;
mod error;
mod migrate;
mod opening;
mod options;
mod query;
mod store;
mod trouble;
mod tx;
mod work;

pub mod admin_sessions;
pub mod ai_usage;
pub mod ask;
pub mod audit_log;
pub mod backup;
pub mod erasures;
pub mod event;
pub mod guests;
pub mod jobs;
pub mod kiosks;
pub mod leads;
pub mod leases;
pub mod news;
pub mod outbox;
pub mod panel;
pub mod privacy;
pub mod sessions;
pub mod settings;
pub mod updates;
pub mod users;
pub mod waits;

pub use changes::Changes;
pub use dialect::Engine;
pub use error::{OpenError, StoreError};
pub use migrate::{Rehearsal, Rows};
pub use opening::Opening;
pub use options::{SQLITE_OLDEST, StoreOptions};
pub use store::Store;
pub use trouble::Trouble;
pub use tx::{Change, Read, Reader, Tx};
