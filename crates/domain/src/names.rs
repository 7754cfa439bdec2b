//! Names and links that leave the house: pack names, deep links, file keys.

use crate::job::JobId;

/// Longest sticker set name that Telegram takes.
pub const SET_NAME_MAX: usize = 64;

/// Name of the sticker set of a job: `s<job_id>_<10 random letters>_by_<bot>` (product.md, Jobs). The letters keep a restored
/// or fresh database from meeting another guest's set.
pub fn pack_name(job: JobId, pack_key: &str, bot_username: &str) -> String {
    format!("s{}_{pack_key}_by_{bot_username}", job.0)
}

/// The name to use when Telegram contradicts itself about [`pack_name`] (telegram.md section 7, step 3).
pub fn second_pack_name(job: JobId, pack_key: &str, bot_username: &str) -> String {
    format!("s{}_{pack_key}_2_by_{bot_username}", job.0)
}

/// The link behind the QR code: opens the bot with the session token as start payload.
pub fn deep_link(link_base: &str, bot_username: &str, token: &str) -> String {
    format!("{}/{bot_username}?start={token}", link_base.trim_end_matches('/'))
}

/// The public link of a sticker set.
pub fn pack_link(link_base: &str, pack_name: &str) -> String {
    format!("{}/addstickers/{pack_name}", link_base.trim_end_matches('/'))
}

/// Folder of everything that belongs to a session.
pub fn session_folder(token: &str) -> String {
    format!("{SESSIONS_FOLDER}/{token}")
}

/// Folder of the folders of sessions (seed 002).
pub const SESSIONS_FOLDER: &str = "sessions";

/// Key of the selfie of a session: `sessions/<session_token>/selfie_*.jpg`; the letters keep two uploads apart.
pub fn selfie_key(token: &str, upload: &str) -> String {
    format!("{SESSIONS_FOLDER}/{token}/selfie_{upload}.jpg")
}

/// Key of a finished sticker of a job, by its place in the pack (0 to 8). The pack key is part of it, so that a retry by an
/// admin never mixes its pictures with old ones.
pub fn sticker_key(token: &str, pack_key: &str, place: usize) -> String {
    format!("{SESSIONS_FOLDER}/{token}/sticker_{pack_key}_{place}.webp")
}

/// Key of the note beside the stickers of a job that says how they were made.
pub fn made_key(token: &str, pack_key: &str) -> String {
    format!("{SESSIONS_FOLDER}/{token}/made_{pack_key}.json")
}

/// Folder of debug sheets, anchor portraits and consistency reports (seed 002).
pub const DEBUG_FOLDER: &str = "debug_sheets";

/// Key of such a file: `debug_sheets/job<N>_*`.
pub fn debug_key(job: JobId, name: &str) -> String {
    format!("{DEBUG_FOLDER}/job{job}_{name}")
}

/// Whose a media file is: the row without which it has no business here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'k> {
    /// The session with this token.
    Session(&'k str),
    /// This job.
    Job(JobId),
    /// Nobody: no name of ours.
    Nobody,
}

/// The owner of a key of [`session_folder`] or [`debug_key`].
pub fn owner(key: &str) -> Owner<'_> {
    let job = |name: &str| name.strip_prefix("job")?.split_once('_')?.0.parse().ok().map(JobId);
    match key.split_once('/') {
        Some((SESSIONS_FOLDER, rest)) => {
            rest.split_once('/').map_or(Owner::Nobody, |(token, _)| Owner::Session(token))
        }
        Some((DEBUG_FOLDER, name)) => job(name).map_or(Owner::Nobody, Owner::Job),
        _ => Owner::Nobody,
    }
}

/// Whether this key of a session is a selfie: one that no job names came with a photo that was never taken in.
pub fn is_selfie(key: &str) -> bool {
    key.rsplit('/').next().is_some_and(|name| name.starts_with("selfie_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_name_holds_job_letters_and_bot_and_fits_the_longest_username() {
        assert_eq!(pack_name(JobId(42), "abcdefghij", "stickers_bot"), "s42_abcdefghij_by_stickers_bot");
        let longest = second_pack_name(JobId(999_999_999), "abcdefghij", &"b".repeat(32));
        assert!(longest.len() <= SET_NAME_MAX, "{} characters", longest.len());
        assert!(!longest.contains("__"));
    }

    #[test]
    fn a_file_is_its_sessions_or_its_jobs_or_nobodys() {
        assert_eq!(owner(&selfie_key("tok", "abc")), Owner::Session("tok"));
        assert_eq!(owner(&sticker_key("tok", "abcdefghij", 8)), Owner::Session("tok"));
        assert_eq!(owner(&made_key("tok", "abcdefghij")), Owner::Session("tok"));
        assert_eq!(owner(&debug_key(JobId(12), "a1_report.json")), Owner::Job(JobId(12)));
        for key in ["sessions/loose.jpg", "debug_sheets/notes.txt", "debug_sheets/jobX_a", "samples/x/y", "x"]
        {
            assert_eq!(owner(key), Owner::Nobody, "{key}");
        }
        assert!(is_selfie(&selfie_key("tok", "abc")) && !is_selfie(&sticker_key("tok", "abcdefghij", 0)));
    }

    #[test]
    fn links_are_joined_without_a_double_slash() {
        assert_eq!(deep_link("https://t.me/", "bot", "tok"), "https://t.me/bot?start=tok");
        assert_eq!(
            pack_link("http://127.0.0.1:8081", "s1_by_b"),
            "http://127.0.0.1:8081/addstickers/s1_by_b"
        );
    }
}
