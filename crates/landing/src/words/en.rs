//! English.

use super::{FieldWords, PackageWords, Said, Words};

/// Everything in English.
pub static WORDS: Words = Words {
    short: "Eng",
    own_name: "English",
    page: "stickers of the guests at your event",
    description: "A tablet at your event, one selfie, and minutes later nine stickers of themselves in the guest’s Telegram.",
    skip: "Straight to the form",
    menu: "Sections",
    switch: "Language",
    nav: ["How it works", "Outfits", "Packages", "Questions"],
    nav_button: "Send a request",
    hero: Said {
        title: "Guests leave with stickers of themselves",
        text: "A tablet at your event. One selfie. Minutes later there are nine stickers of themselves in the guest’s Telegram.",
    },
    hero_button: "Get a price for your date",
    hero_alt: "Five stickers with one guest’s face: in a chapan, a spacesuit, a hero’s cape, a hoodie and a chef’s hat",
    how: "Three steps, no app",
    steps: [
        Said {
            title: "Point the camera at the code",
            text: "Telegram opens. The guest agrees with one button.",
        },
        Said {
            title: "Pick an outfit, take a selfie",
            text: "The tablet says how to stand and refuses a bad shot at once.",
        },
        Said { title: "Get the pack", text: "Nine stickers come to Telegram, ready to be sent to friends." },
    ],
    step_alts: [
        "A tablet with a QR code",
        "The guest’s face inside the green outline of the camera",
        "A sticker: the guest in a chapan waves, the caption says “Hi!”",
    ],
    nine: Said {
        title: "One guest, nine moods",
        text: "This is a whole pack: captions in the guest’s language, their own face, the outfit of your event.",
    },
    nine_alts: ["Hi!", "Ha-ha-ha!", "Love it!", "Cool!", "Tea?", "Sleepy…", "No!", "Dance!", "Thanks!"],
    outfits: "Eight outfits, and yours if you like",
    outfit_names: [
        "Chapan and doppi",
        "Astronaut",
        "Superhero",
        "Chef",
        "Footballer",
        "Hoodie",
        "Doctor",
        "Crown",
    ],
    packages: "Packages",
    package_words: [
        PackageWords {
            name: "Evening",
            for_whom: "Wedding, anniversary, company party",
            points: ["One tablet on a stand", "All outfits to choose from", "Packs in the guest’s language"],
        },
        PackageWords {
            name: "Event",
            for_whom: "Forum, exhibition, festival",
            points: [
                "Several tablets, one line",
                "The event’s name on the screen",
                "The evening’s numbers afterwards",
            ],
        },
        PackageWords {
            name: "Your brand",
            for_whom: "An outfit and captions of your own",
            points: [
                "An outfit drawn for you",
                "Captions in three languages",
                "The brand’s name on the screen",
            ],
        },
    ],
    package_button: "Get a price",
    questions: "Questions",
    question_words: [
        Said {
            title: "What happens to a guest’s photo?",
            text: "We delete it as soon as the pack is made, within {hours} at the latest. Guests can erase everything themselves with a command in the bot.",
        },
        Said {
            title: "Do we need the internet at the venue?",
            text: "Yes, mobile internet is enough: packs come to Telegram.",
        },
        Said {
            title: "How many guests fit into an evening?",
            text: "The tablet is busy only while a guest picks an outfit and takes the photo. Drawing goes on by itself, and the next guest is at the screen already. We will work out together what that means for your evening.",
        },
        Said {
            title: "And if the network drops?",
            text: "The guest’s place and photo are not lost: the tablet waits and goes on by itself. Packs already started arrive when the network is back.",
        },
    ],
    form: Said {
        title: "Tell us about the event",
        text: "We answer in Telegram with a price for your date. The phone is only for when we cannot find you there.",
    },
    optional: "optional",
    fields: [
        FieldWords {
            label: "Name",
            hint: "",
            required: "Tell us how to address you",
            invalid: "At least two letters",
            too_long: "At most 80 characters",
        },
        FieldWords {
            label: "Telegram",
            hint: "For example @aziz_toy",
            required: "Tell us your Telegram username",
            invalid: "At least 5 characters: Latin letters, digits, underscore",
            too_long: "At most 32 characters",
        },
        FieldWords {
            label: "Phone",
            hint: "For example +998 90 123 45 67",
            required: "Tell us your phone number",
            invalid: "With plus and country code: +998 90 123 45 67",
            too_long: "At most 15 digits",
        },
        FieldWords {
            label: "When",
            hint: "Roughly is fine",
            required: "Tell us the date",
            invalid: "Write it in words or numbers",
            too_long: "At most 60 characters",
        },
        FieldWords {
            label: "How many guests",
            hint: "Roughly is fine",
            required: "Tell us how many guests",
            invalid: "Write it in words or numbers",
            too_long: "At most 40 characters",
        },
        FieldWords {
            label: "What matters to you",
            hint: "",
            required: "Tell us what matters",
            invalid: "Write it in words",
            too_long: "At most 1200 characters",
        },
    ],
    trap: "Leave this field empty",
    look_again: "Please look again at:",
    send: "Send",
    sending: "Sending",
    consent: ["By sending you agree to the", "rules about data"],
    consent_plain: "We need this only to answer you.",
    throttled: "Too many requests in a row. Please wait ten minutes: what you wrote stays.",
    too_long_form: "Too long, the request was not sent. Please shorten the comment: its end is gone.",
    failed: "It was not sent. Everything you wrote is still here, please try again.",
    sent: "We have your request",
    sent_to: "We will write to you in Telegram",
    sent_once: "There is no need to send another one.",
    sent_button: "To the main page",
    privacy: "Rules about data",
    credit: "The stickers show Eileen Collins, photo by NASA, public domain",
    missing: Said { title: "There is no such page", text: "There is a main page, with stickers." },
    hours: |hours| if hours == 1 { "1 hour".to_owned() } else { format!("{hours} hours") },
};
