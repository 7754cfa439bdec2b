//! Guests: the list, one of them, and what a reset would take.

use super::books::{cut, one_more};
use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use domain::{Timestamp, names};
use store::panel::{self, GuestLine, JobLine};

/// Lines of a page.
const PAGE: usize = 30;
/// Jobs and sessions of one guest that are looked at.
const OF_GUEST_MAX: u32 = 50;

/// A page of guests first seen before `before`, newest first; and whether there are more.
///
/// # Errors
/// When the database fails.
pub async fn guest_list(
    ctx: &Ctx,
    before: Option<(Timestamp, TelegramId)>,
) -> Result<(Vec<GuestLine>, bool), AppError> {
    let before = before.unwrap_or((Timestamp::from_millis(i64::MAX), TelegramId(i64::MAX)));
    Ok(cut(panel::guests(&mut ctx.store.reader(), before, one_more(PAGE)).await?, PAGE))
}

/// A guest, and what a reset would take.
#[derive(Clone, Debug)]
pub struct GuestDetails {
    /// Their line.
    pub guest: GuestLine,
    /// Their jobs, newest first.
    pub jobs: Vec<JobLine>,
    /// How many sessions they have.
    pub sessions: usize,
    /// How many files lie in the folders of these.
    pub files: usize,
}

/// Reads it; none: there is no such guest.
///
/// # Errors
/// When the database or the media store fails.
pub async fn guest_details(ctx: &Ctx, id: TelegramId) -> Result<Option<GuestDetails>, AppError> {
    let mut reader = ctx.store.reader();
    let Some(guest) = panel::guest(&mut reader, id).await? else { return Ok(None) };
    let sessions = panel::sessions_of_guest(&mut reader, id, OF_GUEST_MAX).await?;
    let mut files = 0;
    for token in &sessions {
        files += ctx.media.list(&names::session_folder(token)).await?.len();
    }
    let jobs = panel::jobs_of_guest(&mut reader, id, OF_GUEST_MAX).await?;
    Ok(Some(GuestDetails { guest, jobs, sessions: sessions.len(), files }))
}
