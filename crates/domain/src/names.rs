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
    format!("sessions/{token}")
}

/// Key of the selfie of a session: `sessions/<session_token>/selfie_*.jpg`; the letters keep two uploads apart.
pub fn selfie_key(token: &str, upload: &str) -> String {
    format!("sessions/{token}/selfie_{upload}.jpg")
}

/// Key of a finished sticker of a job, by its place in the pack (0 to 8). The pack key is part of it, so that a retry by an
/// admin never mixes its pictures with old ones.
pub fn sticker_key(token: &str, pack_key: &str, place: usize) -> String {
    format!("sessions/{token}/sticker_{pack_key}_{place}.webp")
}

/// Key of the note beside the stickers of a job that says how they were made.
pub fn made_key(token: &str, pack_key: &str) -> String {
    format!("sessions/{token}/made_{pack_key}.json")
}

/// Folder of debug sheets, anchor portraits and consistency reports (seed 002).
pub const DEBUG_FOLDER: &str = "debug_sheets";

/// Key of such a file: `debug_sheets/job<N>_*`.
pub fn debug_key(job: JobId, name: &str) -> String {
    format!("{DEBUG_FOLDER}/job{job}_{name}")
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
    fn links_are_joined_without_a_double_slash() {
        assert_eq!(deep_link("https://t.me/", "bot", "tok"), "https://t.me/bot?start=tok");
        assert_eq!(
            pack_link("http://127.0.0.1:8081", "s1_by_b"),
            "http://127.0.0.1:8081/addstickers/s1_by_b"
        );
    }
}
