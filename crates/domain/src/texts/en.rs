//! English.

use super::{GuestTexts, short_name, title};

/// English texts.
pub(super) struct En;

impl GuestTexts for En {
    fn consent(&self, first_name: &str, event: &str, ttl_hours: u32, privacy_url: Option<&str>) -> String {
        let name = short_name(first_name);
        let hello = if name.is_empty() { "Hi!".to_owned() } else { format!("Hi {name}!") };
        let more = privacy_url.map(|url| format!("\nMore: {url}")).unwrap_or_default();
        format!(
            "{hello} We make stickers from your selfie — {event}.\n\nThe photo is used for the pack only: we delete it right after, \
             within {ttl_hours} hours at the latest. If you are under 18, ask your parents. By tapping the button you confirm that you \
             are 18 or that your parents agree.\n\nChanged your mind? /forget_me.{more}"
        )
    }
    fn consent_button(&self) -> &'static str {
        "✅ I agree"
    }
    fn consented(&self) -> &'static str {
        "Now pick an outfit on the tablet."
    }
    fn session_closed(&self) -> &'static str {
        "This session is closed, tap START on the tablet."
    }
    fn code_taken(&self) -> &'static str {
        "This code is already taken, tap START on the tablet."
    }
    fn look_at_tablet(&self) -> &'static str {
        "All set, now look at the tablet."
    }
    fn being_made(&self) -> &'static str {
        "We have your photo and are drawing the pack. I will send it here."
    }
    fn photo_received(&self, position: u32, minutes: u32) -> String {
        let wait = match minutes {
            11.. => "over 10 minutes".to_owned(),
            1 => "about 1 minute".to_owned(),
            other => format!("about {other} minutes"),
        };
        format!(
            "We have your photo. Your place in line: {position}, {wait} to wait. You can go: the pack will come here."
        )
    }
    fn pack_in_progress(&self) -> &'static str {
        "Your pack is already being prepared ⏳…"
    }
    fn pack_ready(&self) -> &'static str {
        "You already have your pack. Here is the link again."
    }
    fn pack_forgotten(&self) -> &'static str {
        "You have had your pack, and your data is deleted: we no longer have the link. The pack is still in your Telegram."
    }
    fn pack_done(&self) -> &'static str {
        "Your pack is ready!"
    }
    fn open_pack(&self) -> &'static str {
        "Open the pack"
    }
    fn delayed(&self) -> &'static str {
        "Polishing the details of your pack ✨ Sending soon!"
    }
    fn failed(&self) -> &'static str {
        "We could not draw your pack, sorry! You can try again: tap START on the tablet."
    }
    fn photo_refused(&self) -> &'static str {
        "We could not draw a pack from this photo: some pictures are against the rules. Try another one — come to the tablet again 🙂"
    }

    fn failed_help(&self) -> &'static str {
        "Your pack is late, sorry! We know about it and will help by hand. Or try again: tap START on the tablet."
    }
    fn maintenance(&self) -> &'static str {
        "A short break, back soon. Packs already started will come here."
    }
    fn welcome(&self) -> &'static str {
        "Hi! I make stickers from selfies. Tap START on the tablet at the stand and point your camera at the code.\n\n/mypack — send \
         my pack again\n/forget_me — delete my data"
    }
    fn help(&self) -> &'static str {
        "Tap START on the tablet, point your camera at the code, agree here, pick an outfit and take a selfie. The pack comes to this \
         chat.\n\n/mypack — send my pack again\n/forget_me — delete my data"
    }
    fn no_pack(&self) -> &'static str {
        "No pack yet. Tap START on the tablet."
    }
    fn forget_question(&self) -> &'static str {
        "Delete your data: name, sessions, photo and drawings on our server? A pack that is in Telegram already stays yours."
    }
    fn forget_yes(&self) -> &'static str {
        "Yes, delete"
    }
    fn forget_no(&self) -> &'static str {
        "No, keep"
    }
    fn forgotten(&self) -> &'static str {
        "Done: your data and files are deleted. This is what stays, and until when.\n\n• The pack in Telegram: it is yours, we \
         never delete packs.\n• Copies of the database: 14 days at the most.\n• If you have had a pack, an encrypted note of that \
         without a name: until the event is closed.\n• What drawing cost and the record of this deletion, without name or number: \
         they stay."
    }
    fn forget_kept(&self) -> &'static str {
        "Fine, nothing is deleted."
    }
    fn pack_title(&self, first_name: &str, outfit: &str) -> String {
        let name = short_name(first_name);
        title(&if name.is_empty() { format!("Stickers: {outfit}") } else { format!("{name}: {outfit}") })
    }
}
