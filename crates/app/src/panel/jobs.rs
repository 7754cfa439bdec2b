//! Jobs: lists, looking one up, and everything that is known of one.

use super::books::{cut, one_more};
use crate::{AppError, Ctx};
use bytes::Bytes;
use clients::media::MediaError;
use domain::guest::TelegramId;
use domain::job::{JobId, JobStatus};
use domain::names;
use store::panel::{self, AuditLine, JobCall, JobLine, JobMessage};
use store::{Reader, jobs, sessions};

/// Lines of a page.
const PAGE: usize = 30;
/// Jobs of one guest that are listed; nobody has more.
const OF_GUEST_MAX: u32 = 50;
/// Calls and messages of one job that are listed.
const BOOKED_MAX: u32 = 100;

/// A page of a list.
#[derive(Clone, Debug)]
pub struct JobList {
    /// How many stand in each status, [`panel::COUNT_MAX`] being so many or more.
    pub counts: Vec<(JobStatus, i64)>,
    /// The lines, newest first.
    pub lines: Vec<JobLine>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// A page of jobs with a number below `before`, of one status or of all.
///
/// # Errors
/// When the database fails.
pub async fn job_list(
    ctx: &Ctx,
    status: Option<JobStatus>,
    before: Option<JobId>,
) -> Result<JobList, AppError> {
    let mut reader = ctx.store.reader();
    let mut counts = Vec::new();
    for one in JobStatus::ALL {
        counts.push((one, panel::count_jobs(&mut reader, one).await?));
    }
    let before = before.unwrap_or(JobId(i64::MAX));
    let (lines, has_more) = cut(panel::jobs(&mut reader, status, before, one_more(PAGE)).await?, PAGE);
    Ok(JobList { counts, lines, has_more })
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Jobs, newest first.
    pub jobs: Vec<JobLine>,
    /// Guests that fit.
    pub guests: Vec<TelegramId>,
}

/// Looks for what an operator typed: a job's number, a guest's number or username, the name or the link of a pack.
///
/// # Errors
/// When the database fails.
pub async fn find_jobs(ctx: &Ctx, typed: &str) -> Result<Found, AppError> {
    let mut reader = ctx.store.reader();
    let mut found = Found::default();
    let typed = typed.trim();
    if let Some(id) = job_of_pack(typed) {
        found.jobs.extend(panel::job(&mut reader, id).await?);
        return Ok(found);
    }
    let guest = match typed.trim_start_matches('#').parse::<i64>() {
        Ok(number) => {
            found.jobs.extend(panel::job(&mut reader, JobId(number)).await?);
            panel::guest(&mut reader, TelegramId(number)).await?.map(|guest| guest.id)
        }
        Err(_) => panel::guest_by_username(&mut reader, bare_username(typed)).await?,
    };
    if let Some(guest) = guest {
        found.guests.push(guest);
        let own = panel::jobs_of_guest(&mut reader, guest, OF_GUEST_MAX).await?;
        found.jobs.extend(
            own.into_iter()
                .filter(|job| found.jobs.iter().all(|known| known.id != job.id))
                .collect::<Vec<_>>(),
        );
    }
    Ok(found)
}

/// A username as people copy it: `@name`, `t.me/name`, `https://t.me/name`.
fn bare_username(typed: &str) -> &str {
    typed.rsplit('/').next().unwrap_or(typed).trim_start_matches('@')
}

/// The job that a pack's name belongs to, also when it is an older set of that job: `s<job_id>_<letters>_by_<bot>`, or a link that ends so.
fn job_of_pack(typed: &str) -> Option<JobId> {
    let name = typed.rsplit('/').next()?;
    let (number, rest) = name.strip_prefix('s')?.split_once('_')?;
    rest.contains("_by_").then(|| number.parse().ok().map(JobId)).flatten()
}

/// Everything that is known of a job.
#[derive(Clone, Debug)]
pub struct JobDetails {
    /// Its line.
    pub job: JobLine,
    /// The tablet.
    pub kiosk: Option<String>,
    /// Place in the queue; none when it has ended.
    pub position: Option<u32>,
    /// Link of its set, while one is named.
    pub pack_link: Option<String>,
    /// Whether the selfie is there.
    pub selfie: bool,
    /// Places of the stickers that are there.
    pub stickers: Vec<usize>,
    /// Calls to image providers, the oldest first.
    pub calls: Vec<JobCall>,
    /// Messages about it, the oldest first.
    pub messages: Vec<JobMessage>,
    /// What operators did with it, newest first.
    pub audit: Vec<AuditLine>,
}

/// Reads it; none: there is no such job.
///
/// # Errors
/// When the database or the media store fails.
pub async fn job_details(ctx: &Ctx, id: JobId) -> Result<Option<JobDetails>, AppError> {
    let mut reader = ctx.store.reader();
    let (Some(job), Some(row)) = (panel::job(&mut reader, id).await?, jobs::find(&mut reader, id).await?)
    else {
        return Ok(None);
    };
    let selfie = match &row.photo_path {
        Some(key) => ctx.media.exists(key).await?,
        None => false,
    };
    let files = ctx.media.list(&names::session_folder(&row.session_token)).await?;
    let key = |place| names::sticker_key(&row.session_token, &row.pack_key, place);
    let is_there = |place: &usize| files.iter().any(|file| file.key == key(*place));
    Ok(Some(JobDetails {
        kiosk: kiosk(&mut reader, &row.session_token).await?,
        position: jobs::position(&mut reader, id).await?,
        pack_link: job.pack_name.as_ref().map(|name| names::pack_link(&ctx.settings.link_url, name)),
        selfie,
        stickers: (0..stickers_of(ctx, &job.template_id)).filter(is_there).collect(),
        calls: panel::calls_of_job(&mut reader, id, BOOKED_MAX).await?,
        messages: panel::messages_of_job(&mut reader, id, BOOKED_MAX).await?,
        audit: panel::audit_of(&mut reader, &format!("job:{id}"), BOOKED_MAX).await?,
        job,
    }))
}

async fn kiosk(reader: &mut Reader, token: &str) -> Result<Option<String>, AppError> {
    Ok(sessions::find(reader, token).await?.and_then(|session| session.kiosk))
}

/// Stickers of a pack; nine where the outfit is gone.
pub fn stickers_of(ctx: &Ctx, template_id: &str) -> usize {
    ctx.renderer.templates().get(template_id).map_or(9, |template| template.slots.len())
}

/// Name of an outfit in Russian; its id where it is gone.
pub fn outfit(ctx: &Ctx, template_id: &str) -> String {
    let template = ctx.renderer.templates().get(template_id);
    template.map_or_else(|| template_id.to_owned(), |template| template.titles.ru.clone())
}

/// A picture of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// What the tablet took.
    Selfie,
    /// The sticker at this place.
    Sticker(usize),
}

/// The picture's bytes, while it exists: a selfie is JPEG, a sticker WEBP.
///
/// # Errors
/// When the database or the media store fails.
pub async fn picture(ctx: &Ctx, id: JobId, which: Picture) -> Result<Option<Bytes>, AppError> {
    let Some(job) = jobs::find(&mut ctx.store.reader(), id).await? else { return Ok(None) };
    let key = match which {
        Picture::Selfie => job.photo_path,
        Picture::Sticker(place) if place < stickers_of(ctx, &job.template_id) => {
            Some(names::sticker_key(&job.session_token, &job.pack_key, place))
        }
        Picture::Sticker(_) => None,
    };
    let Some(key) = key else { return Ok(None) };
    match ctx.media.get(&key).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(MediaError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_is_looked_up_by_its_name_or_its_link_and_nothing_else_is_taken_for_one() {
        for pack in [
            "s42_abcdefghij_by_stickers_bot",
            "https://t.me/addstickers/s42_abcdefghij_by_stickers_bot",
            "t.me/addstickers/s42_abcdefghij_2_by_stickers_bot",
        ] {
            assert_eq!(job_of_pack(pack), Some(JobId(42)), "{pack}");
        }
        for other in
            ["42", "s42", "s42_abc", "@s42_lola", "sam_by_night", "", "/", "s99999999999999999999_a_by_b"]
        {
            assert_eq!(job_of_pack(other), None, "{other}");
        }
        for name in ["@Lola", "Lola", "https://t.me/Lola", "t.me/Lola"] {
            assert_eq!(bare_username(name), "Lola", "{name}");
        }
    }
}
