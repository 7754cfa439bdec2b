//! Table `sessions`: the handshake between a tablet and a guest. Moves are the rows of "Session transitions", seed 001; the
//! statuses they start from come from `domain::session`.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::guest::TelegramId;
use domain::session::{
    ClosedReason, Expiry, Notice, Session, SessionMove, SessionOutcome, SessionState, SessionStatus,
};
use domain::{Language, Timestamp};

const COLUMNS: &str = "session_token, status, telegram_user_id, template_id, closed_reason, notice, kiosk, language, \
    created_at, updated_at";

#[derive(sqlx::FromRow)]
struct SessionRow {
    session_token: String,
    status: String,
    telegram_user_id: Option<i64>,
    template_id: Option<String>,
    closed_reason: Option<String>,
    notice: Option<String>,
    kiosk: Option<String>,
    language: String,
    created_at: i64,
    updated_at: i64,
}

impl SessionRow {
    fn bad(&self, column: &'static str, value: Option<&str>) -> StoreError {
        // The token opens the session, so an error that may be logged carries only its beginning.
        let key = self.session_token.chars().take(6).collect();
        StoreError::BadRow { table: "sessions", column, key, value: value.unwrap_or("NULL").to_owned() }
    }

    fn guest(&self) -> Result<TelegramId, StoreError> {
        self.telegram_user_id.map(TelegramId).ok_or_else(|| self.bad("telegram_user_id", None))
    }

    fn template(&self) -> Result<String, StoreError> {
        self.template_id.clone().ok_or_else(|| self.bad("template_id", None))
    }

    fn expiry(&self) -> Result<Expiry, StoreError> {
        if let Some(word) = self.notice.as_deref() {
            let notice = Notice::from_word(word).ok_or_else(|| self.bad("notice", Some(word)))?;
            return Ok(Expiry::Limit(notice));
        }
        let word = self.closed_reason.as_deref().ok_or_else(|| self.bad("closed_reason", None))?;
        Ok(Expiry::Closed(ClosedReason::from_code(word)))
    }

    fn into_session(self) -> Result<Session, StoreError> {
        let status =
            SessionStatus::from_word(&self.status).ok_or_else(|| self.bad("status", Some(&self.status)))?;
        let state = match status {
            SessionStatus::Idle => SessionState::Idle,
            SessionStatus::Linked => SessionState::Linked { guest: self.guest()? },
            SessionStatus::Consented => SessionState::Consented { guest: self.guest()? },
            SessionStatus::TemplateChosen => {
                SessionState::TemplateChosen { guest: self.guest()?, template_id: self.template()? }
            }
            SessionStatus::PhotoTaken => {
                SessionState::PhotoTaken { guest: self.guest()?, template_id: self.template()? }
            }
            SessionStatus::Expired => SessionState::Expired {
                guest: self.telegram_user_id.map(TelegramId),
                template_id: self.template_id.clone(),
                why: self.expiry()?,
            },
        };
        let language =
            Language::from_code(&self.language).ok_or_else(|| self.bad("language", Some(&self.language)))?;
        Ok(Session {
            token: self.session_token,
            state,
            kiosk: self.kiosk,
            language,
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

/// Words of the statuses from which `by` is legal.
fn from(by: SessionMove) -> impl Iterator<Item = &'static str> {
    by.from().iter().map(|status| status.word())
}

/// Words of the statuses that are not final: those that can expire.
pub(crate) fn open() -> impl Iterator<Item = &'static str> {
    from(SessionMove::Expire)
}

/// The session with this token.
pub async fn find(on: &mut impl Read, token: &str) -> Result<Option<Session>, StoreError> {
    Query::new("SELECT {columns} FROM sessions WHERE session_token = $1")
        .columns(COLUMNS)
        .bind(token)
        .first::<SessionRow>(on)
        .await?
        .map(SessionRow::into_session)
        .transpose()
}

/// The session of this guest that is not final and changed last.
pub async fn latest_open_of_guest(
    on: &mut impl Read,
    guest: TelegramId,
) -> Result<Option<Session>, StoreError> {
    Query::new(
        "SELECT {columns} FROM sessions WHERE telegram_user_id = $1 AND status IN ({open}) \
         ORDER BY updated_at DESC, session_token LIMIT 1",
    )
    .columns(COLUMNS)
    .words("{open}", open())
    .bind(guest)
    .first::<SessionRow>(on)
    .await?
    .map(SessionRow::into_session)
    .transpose()
}

/// Since when nobody must have been at a session for it to count as abandoned.
#[derive(Clone, Copy, Debug)]
pub struct AbandonedSince {
    /// For an `idle` session.
    pub idle: Timestamp,
    /// For a later one that is not final.
    pub later: Timestamp,
}

/// Sessions that are not final, did not change and whose tablet was not heard of since the given times; oldest first.
pub async fn abandoned(
    on: &mut impl Read,
    since: AbandonedSince,
    limit: u32,
) -> Result<Vec<Session>, StoreError> {
    Query::new(
        "SELECT {columns} FROM sessions WHERE status IN ({open}) \
         AND updated_at <= CASE WHEN status = 'idle' THEN $1 ELSE $2 END \
         AND COALESCE(kiosk_seen_at, created_at) <= CASE WHEN status = 'idle' THEN $1 ELSE $2 END \
         ORDER BY updated_at, session_token LIMIT $3",
    )
    .columns(COLUMNS)
    .words("{open}", open())
    .bind(since.idle)
    .bind(since.later)
    .bind(limit)
    .all::<SessionRow>(on)
    .await?
    .into_iter()
    .map(SessionRow::into_session)
    .collect()
}

/// Closes every session that [`abandoned`] finds: the server does what the tablet would have done (row `Expire`). The condition is repeated,
/// so that a guest who was faster goes on. How many.
pub async fn close_abandoned(tx: &mut Tx, since: AbandonedSince, now: Timestamp) -> Result<u64, StoreError> {
    Query::new(
        "UPDATE sessions SET status = 'expired', \
         closed_reason = CASE WHEN status = 'idle' THEN $3 ELSE $4 END, updated_at = $5 \
         WHERE status IN ({open}) \
         AND updated_at <= CASE WHEN status = 'idle' THEN $1 ELSE $2 END \
         AND COALESCE(kiosk_seen_at, created_at) <= CASE WHEN status = 'idle' THEN $1 ELSE $2 END",
    )
    .words("{open}", open())
    .bind(since.idle)
    .bind(since.later)
    .bind(ClosedReason::QrTimeout.word())
    .bind(ClosedReason::IdleTimeout.word())
    .bind(now)
    .run(tx)
    .await
}

/// When the tablet of this session was last heard of.
pub async fn kiosk_seen_at(on: &mut impl Read, token: &str) -> Result<Option<Timestamp>, StoreError> {
    Ok(Query::new("SELECT kiosk_seen_at AS value FROM sessions WHERE session_token = $1")
        .bind(token)
        .number(on)
        .await?
        .map(Timestamp::from_millis))
}

/// Whether the session is open and its tablet was not heard of since `since`: only then [`seen_by_kiosk`] is worth a commit, which wakes all.
pub async fn kiosk_unheard(on: &mut impl Read, token: &str, since: Timestamp) -> Result<bool, StoreError> {
    let row = Query::new(
        "SELECT created_at AS value FROM sessions WHERE session_token = $1 AND status IN ({open}) \
         AND (kiosk_seen_at IS NULL OR kiosk_seen_at < $2)",
    )
    .words("{open}", open())
    .bind(token)
    .bind(since)
    .number(on)
    .await?;
    Ok(row.is_some())
}

/// A session to begin.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Its secret.
    pub token: String,
    /// Name of the tablet.
    pub kiosk: Option<String>,
    /// Language of the tablet's screen.
    pub language: Language,
    /// When Start was tapped.
    pub now: Timestamp,
}

/// Begins a session in `idle` (row `Create`). The tablet was heard of: it asked.
pub async fn insert(tx: &mut Tx, new: &NewSession) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO sessions (session_token, status, kiosk, language, kiosk_seen_at, created_at, updated_at) \
         VALUES ($1, 'idle', $2, $3, $4, $4, $4)",
    )
    .bind(new.token.as_str())
    .bind(new.kiosk.as_deref())
    .bind(new.language)
    .bind(new.now)
    .run(tx)
    .await
    .map(drop)
}

/// The guest's phone opened the link: `idle` of nobody, or `linked` and `consented` of the same guest, become `linked` (rows
/// `Link` and `LinkAgain`). The guest must be in `users`.
pub async fn link(
    tx: &mut Tx,
    token: &str,
    guest: TelegramId,
    language: Language,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE sessions SET status = 'linked', telegram_user_id = $2, language = $3, updated_at = $4 \
         WHERE session_token = $1 \
         AND (status IN ({first}) OR (status IN ({again}) AND telegram_user_id = $2))",
    )
    .words("{first}", from(SessionMove::Link))
    .words("{again}", from(SessionMove::LinkAgain))
    .bind(token)
    .bind(guest)
    .bind(language)
    .bind(now)
    .change(tx)
    .await
}

/// The same guest agreed (row `Consent`). Write the consent to `users` in the same transaction.
pub async fn consent(
    tx: &mut Tx,
    token: &str,
    guest: TelegramId,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE sessions SET status = 'consented', updated_at = $3 \
         WHERE session_token = $1 AND telegram_user_id = $2 AND status IN ({from})",
    )
    .words("{from}", from(SessionMove::Consent))
    .bind(token)
    .bind(guest)
    .bind(now)
    .change(tx)
    .await
}

/// An outfit was tapped (row `ChooseTemplate`).
pub async fn choose_template(
    tx: &mut Tx,
    token: &str,
    template_id: &str,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE sessions SET status = 'template_chosen', template_id = $2, updated_at = $3 \
         WHERE session_token = $1 AND status IN ({from})",
    )
    .words("{from}", from(SessionMove::ChooseTemplate))
    .bind(token)
    .bind(template_id)
    .bind(now)
    .change(tx)
    .await
}

/// The photo was accepted (row `TakePhoto`). Insert the job in the same transaction.
pub async fn take_photo(tx: &mut Tx, token: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE sessions SET status = 'photo_taken', updated_at = $2 \
         WHERE session_token = $1 AND status IN ({from})",
    )
    .words("{from}", from(SessionMove::TakePhoto))
    .bind(token)
    .bind(now)
    .change(tx)
    .await
}

/// The tablet gave up (row `Expire`).
pub async fn expire(
    tx: &mut Tx,
    token: &str,
    reason: ClosedReason,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE sessions SET status = 'expired', closed_reason = $2, updated_at = $3 \
         WHERE session_token = $1 AND status IN ({from})",
    )
    .words("{from}", from(SessionMove::Expire))
    .bind(token)
    .bind(reason.word())
    .bind(now)
    .change(tx)
    .await
}

/// The pack limit stopped it. `by` is the row that saw it: [`SessionMove::Block`] or [`SessionMove::BlockInPhoto`].
///
/// # Panics
/// With any other row.
pub async fn block(
    tx: &mut Tx,
    token: &str,
    notice: Notice,
    by: SessionMove,
    now: Timestamp,
) -> Result<Change, StoreError> {
    assert!(
        matches!(by, SessionMove::Block | SessionMove::BlockInPhoto)
            && by.row().to == SessionOutcome::Becomes(SessionStatus::Expired),
        "{by:?} does not block a session"
    );
    Query::new(
        "UPDATE sessions SET status = 'expired', notice = $2, updated_at = $3 \
         WHERE session_token = $1 AND status IN ({from})",
    )
    .words("{from}", from(by))
    .bind(token)
    .bind(notice.word())
    .bind(now)
    .change(tx)
    .await
}

/// The tablet of this session was heard of. Every commit wakes whoever waits, so ask [`kiosk_unheard`] first. Changes nothing that anyone sees, hence not `updated_at`.
pub async fn seen_by_kiosk(tx: &mut Tx, token: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new("UPDATE sessions SET kiosk_seen_at = $2 WHERE session_token = $1 AND status IN ({open})")
        .words("{open}", open())
        .bind(token)
        .bind(now)
        .change(tx)
        .await
}
