//! What guests read beside the bot's sentences: outfits, captions, titles of sets, commands, refusals. No Russian letter on the English and
//! Uzbek sides, and Uzbek differs from both in every text.

use app::Refusal;
use app::bot::guest_commands;
use domain::session::{Notice, SessionStatus};
use domain::{Language, texts};
use render::Templates;

/// One text in Russian, Uzbek and English.
type Text = [String; 3];

fn cyrillic(text: &str) -> bool {
    text.chars().any(|c| ('\u{400}'..='\u{52f}').contains(&c))
}

fn are_three_languages(what: &str, [ru, uz, en]: &Text) {
    assert!(cyrillic(ru), "{what}: {ru}");
    assert!(!cyrillic(uz) && !cyrillic(en), "{what}: {uz} / {en}");
    assert!(uz != en && ru != uz && ru != en, "{what}: {uz}");
    assert!([ru, uz, en].iter().all(|text| !text.trim().is_empty()), "{what}");
}

#[test]
fn names_of_outfits_captions_and_titles_of_sets_are_in_three_languages() {
    let templates = Templates::built_in();
    let mut captions = 0;
    for template in templates.iter() {
        let titles = [&template.titles.ru, &template.titles.uz, &template.titles.en].map(Clone::clone);
        are_three_languages(&template.id, &titles);
        let sets = Language::ALL.map(|language| {
            let outfit =
                &titles[Language::ALL.iter().position(|one| *one == language).expect("one of three")];
            texts::guest(language).pack_title("Lola", outfit)
        });
        are_three_languages(&template.id, &sets);
        for slot in &template.slots {
            let caption = [&slot.caption.ru, &slot.caption.uz, &slot.caption.en].map(Clone::clone);
            // A sticker may do without words, in all languages.
            if caption.iter().any(|text| !text.is_empty()) {
                are_three_languages(&format!("{} {}", template.id, slot.id), &caption);
                captions += 1;
            }
        }
    }
    assert!(captions > 40, "only {captions} captions were looked at");
}

#[test]
fn the_commands_that_telegram_offers_are_in_three_languages() {
    let [ru, uz, en] = Language::ALL.map(guest_commands);
    for ((r, u), e) in ru.iter().zip(&uz).zip(&en) {
        assert!(r.command == u.command && u.command == e.command);
        let text = [&r.description, &u.description, &e.description].map(Clone::clone);
        are_three_languages(&r.command, &text);
    }
    assert_eq!((ru.len(), uz.len(), en.len()), (3, 3, 3));
}

#[test]
fn refusals_of_a_session_call_are_told_in_three_languages() {
    let status = SessionStatus::Expired;
    let refusals = [
        Refusal::UnknownSession,
        Refusal::Maintenance,
        Refusal::BotNotReady,
        Refusal::WrongStatus { status },
        Refusal::UnknownTemplate,
        Refusal::PackLimit { status, notice: Notice::PackReady },
        Refusal::PackLimit { status, notice: Notice::PackInProgress },
        Refusal::Photo(render::Refusal::NotAnImage),
        Refusal::Photo(render::Refusal::Heic),
        Refusal::Photo(render::Refusal::TooLarge { width: 9_000, height: 9_000 }),
        Refusal::Photo(render::Refusal::TooSmall { width: 300, height: 300, face_px: None }),
        Refusal::Photo(render::Refusal::NoFace),
        Refusal::Photo(render::Refusal::SeveralFaces),
        Refusal::Busy,
        Refusal::Internal(app::AppError::Render(String::new())),
    ];
    for refusal in refusals {
        let text = Language::ALL.map(|language| refusal.message(language).to_owned());
        are_three_languages(refusal.code(), &text);
    }
}
