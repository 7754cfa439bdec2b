//! What was written down, a page at a time.

use crate::{AppError, Ctx};
use domain::Timestamp;
pub use store::panel::AuditLine;

/// Lines of a page.
const PAGE: usize = 50;

/// A page of the audit log, newest first, behind the entry with this time and number; and whether there are more.
///
/// # Errors
/// When the database fails.
pub async fn audit(ctx: &Ctx, before: Option<(Timestamp, i64)>) -> Result<(Vec<AuditLine>, bool), AppError> {
    let before = before.unwrap_or((Timestamp::from_millis(i64::MAX), i64::MAX));
    let lines = store::panel::audit(&mut ctx.store.reader(), before, one_more(PAGE)).await?;
    Ok(cut(lines, PAGE))
}

/// One line more than a page has tells whether there is another one.
pub(super) fn one_more(page: usize) -> u32 {
    u32::try_from(page + 1).unwrap_or(u32::MAX)
}

/// A page, and whether there are more.
pub(super) fn cut<T>(mut lines: Vec<T>, page: usize) -> (Vec<T>, bool) {
    let has_more = lines.len() > page;
    lines.truncate(page);
    (lines, has_more)
}
