//! Signing in and out. The token of a session is 256 random bits and stands nowhere but in the cookie; the database has its hash. The token of
//! forms is made from it, and what is stored of that also depends on the password: a changed one ends the sessions that it began.

use super::accounts::Accounts;
use super::lockout::Lockout;
use super::password;
use crate::{AppError, Ctx};
use domain::{Rng, Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::admin_sessions::{self, AdminSession};
use store::audit_log::{self, Audit};
use subtle::ConstantTimeEq;
use thiserror::Error;
use tokio::sync::Semaphore;

/// A session in which nobody does anything ends after this; a page that only updates itself does nothing.
pub const IDLE_MAX: Duration = Duration::from_secs(4 * 3_600);
/// A session ends after this whatever is done: a night and the way home.
pub const AGE_MAX: Duration = Duration::from_secs(16 * 3_600);
/// How exactly the last use is noted; less often than every request writes.
const NOTED_EVERY: Duration = Duration::from_secs(60);
/// Passwords that are checked at once: each takes 19 MiB and a core.
const CHECKS_MAX: usize = 2;
/// How long a sign-in waits for a place.
const PLACE_WAIT: Duration = Duration::from_secs(10);
/// Characters of a token: 32 bytes as hex.
const TOKEN_LENGTH: usize = 64;

/// The door of the panel.
#[derive(Debug)]
pub struct Entrance {
    accounts: Accounts,
    lockout: Lockout,
    places: Arc<Semaphore>,
}

/// Somebody wants in.
pub struct Attempt {
    /// Where they call from, behind trusted proxies.
    pub address: IpAddr,
    /// The typed name.
    pub login: String,
    /// The typed password.
    pub password: SecretString,
}

/// Why somebody is not let in.
#[derive(Debug, Error)]
pub enum SignInRefusal {
    /// Name or password is wrong; which one is not told.
    #[error("name or password is wrong")]
    Wrong,
    /// Too many wrong ones; this one was not looked at.
    #[error("locked out")]
    LockedOut {
        /// When the next one is looked at.
        retry_after: Duration,
    },
    /// Others are being checked.
    #[error("too many at once")]
    Busy,
    /// Our fault.
    #[error(transparent)]
    Internal(#[from] AppError),
}

/// Somebody who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admin {
    /// Their name, as the audit log writes it.
    pub login: String,
    /// What their forms carry.
    pub csrf: String,
    token_hash: String,
}

impl Admin {
    /// Whether a form came from one of our pages.
    pub fn sent(&self, csrf: &str) -> bool {
        same(&self.csrf, csrf)
    }
}

impl Entrance {
    /// A door for these accounts.
    pub fn new(accounts: Accounts) -> Entrance {
        Entrance { accounts, lockout: Lockout::default(), places: Arc::new(Semaphore::new(CHECKS_MAX)) }
    }

    /// Checks a password and begins a session; the token for the cookie.
    ///
    /// # Errors
    /// As [`SignInRefusal`] says. Refusals are in the audit log.
    pub async fn sign_in(&self, ctx: &Ctx, attempt: Attempt) -> Result<String, SignInRefusal> {
        let now = ctx.clock.now();
        let tried = self.lockout.begin(attempt.address, &attempt.login, now);
        let tried = tried.map_err(|retry_after| SignInRefusal::LockedOut { retry_after })?;
        let known = self.accounts.hash_of(&attempt.login).map(str::to_owned);
        let Some(right) = self.check(&attempt, known.as_deref()).await? else {
            self.lockout.withdraw(tried);
            return Err(SignInRefusal::Busy);
        };
        let Some(hash) = known.filter(|_| right) else {
            self.lockout.wrong(tried, ctx.clock.now());
            self.note_refusal(ctx, &attempt).await?;
            return Err(SignInRefusal::Wrong);
        };
        self.lockout.right(tried);
        Ok(begin_session(ctx, &attempt, &hash).await?)
    }

    /// None: no place came free in time.
    async fn check(&self, attempt: &Attempt, hash: Option<&str>) -> Result<Option<bool>, AppError> {
        let place = tokio::time::timeout(PLACE_WAIT, Arc::clone(&self.places).acquire_owned()).await;
        let Ok(Ok(place)) = place else { return Ok(None) };
        let hash = hash.unwrap_or(self.accounts.any_hash()).to_owned();
        let password = attempt.password.clone();
        let checked = tokio::task::spawn_blocking(move || {
            let right = password::verify(password.expose_secret(), &hash);
            // Held until the work is done, also when the caller hung up.
            drop(place);
            right
        });
        Ok(Some(checked.await?))
    }

    /// What was typed as a name is written down only when it is one: people type passwords into the wrong field.
    async fn note_refusal(&self, ctx: &Ctx, attempt: &Attempt) -> Result<(), AppError> {
        let known = self.accounts.hash_of(&attempt.login).is_some();
        let actor = if known { attempt.login.clone() } else { "panel".to_owned() };
        let entry = entry(ctx.clock.now(), actor, "login_refused", Some(attempt.address));
        ctx.store.write(move |tx| Box::pin(async move { Ok(audit_log::insert(tx, &entry).await?) })).await
    }

    /// Who shows this token. `uses` says whether somebody does something, or a page only updates itself.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look(&self, ctx: &Ctx, token: &str, uses: bool) -> Result<Option<Admin>, AppError> {
        if token.len() != TOKEN_LENGTH || !token.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let (token_hash, now) = (hex(&Sha256::digest(token)), ctx.clock.now());
        let Some(session) = admin_sessions::find(&mut ctx.store.reader(), &token_hash).await? else {
            return Ok(None);
        };
        let lives =
            session.revoked_at.is_none() && now < session.expires_at && now.since(session.seen_at) < IDLE_MAX;
        let Some(hash) = self.accounts.hash_of(&session.login).filter(|_| lives) else { return Ok(None) };
        let csrf = csrf_of(token);
        if !same(&session.csrf_hash, &csrf_hash(&csrf, hash)) {
            return Ok(None);
        }
        if uses && now.since(session.seen_at) >= NOTED_EVERY {
            let token_hash = token_hash.clone();
            // Stale: it was ended at this moment, which the next request finds.
            let _ = ctx
                .store
                .write::<_, AppError, _>(move |tx| {
                    Box::pin(async move { Ok(admin_sessions::seen(tx, &token_hash, now).await?) })
                })
                .await?;
        }
        Ok(Some(Admin { login: session.login, csrf, token_hash }))
    }
}

async fn begin_session(ctx: &Ctx, attempt: &Attempt, hash: &str) -> Result<String, AppError> {
    let (token, now) = (new_token(&*ctx.rng), ctx.clock.now());
    let session = AdminSession {
        token_hash: hex(&Sha256::digest(&token)),
        login: attempt.login.clone(),
        csrf_hash: csrf_hash(&csrf_of(&token), hash),
        created_at: now,
        seen_at: now,
        expires_at: now.plus(AGE_MAX),
        revoked_at: None,
    };
    let entry = entry(now, attempt.login.clone(), "login", Some(attempt.address));
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                admin_sessions::delete_ended(tx, now).await?;
                admin_sessions::insert(tx, &session).await?;
                Ok::<_, AppError>(audit_log::insert(tx, &entry).await?)
            })
        })
        .await?;
    Ok(token)
}

/// Ends this session.
///
/// # Errors
/// When the database fails.
pub async fn sign_out(ctx: &Ctx, admin: &Admin) -> Result<(), AppError> {
    let (token_hash, now) = (admin.token_hash.clone(), ctx.clock.now());
    let entry = entry(now, admin.login.clone(), "logout", None);
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if admin_sessions::revoke(tx, &token_hash, now).await?.happened() {
                    audit_log::insert(tx, &entry).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Ends every session of this login, this one too.
///
/// # Errors
/// When the database fails.
pub async fn sign_out_everywhere(ctx: &Ctx, admin: &Admin) -> Result<(), AppError> {
    let (login, now) = (admin.login.clone(), ctx.clock.now());
    let mut entry = entry(now, admin.login.clone(), "logout_everywhere", None);
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let ended = admin_sessions::revoke_all(tx, &login, now).await?;
                entry.details = Some(format!("sessions={ended}"));
                Ok(audit_log::insert(tx, &entry).await?)
            })
        })
        .await
}

fn entry(at: Timestamp, actor: String, action: &str, address: Option<IpAddr>) -> Audit {
    let details = address.map(|address| format!("address={address}"));
    Audit { at, actor, action: action.to_owned(), subject: "panel".to_owned(), details }
}

/// A token nobody guesses; also for the cookie that the form of the sign-in is compared with.
pub fn new_token(rng: &dyn Rng) -> String {
    let mut bytes = [0u8; TOKEN_LENGTH / 2];
    rng.fill(&mut bytes);
    hex(&bytes)
}

/// What the forms of a cookie's owner carry.
pub fn csrf_of(token: &str) -> String {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(token.as_bytes()) else { return String::new() };
    mac.update(b"forms of the panel");
    hex(&mac.finalize().into_bytes())
}

fn csrf_hash(csrf: &str, password_hash: &str) -> String {
    hex(&Sha256::new().chain_update(csrf).chain_update(password_hash).finalize())
}

/// Compares in constant time; both sides are hashed first, so that their lengths tell nothing.
pub fn same(one: &str, other: &str) -> bool {
    bool::from(Sha256::digest(one).ct_eq(&Sha256::digest(other))) && !one.is_empty()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
