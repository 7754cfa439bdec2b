//! Uzbek in Latin script.

use super::{FieldWords, PackageWords, Said, Words};

/// Everything in Uzbek.
pub static WORDS: Words = Words {
    short: "Oʻzb",
    own_name: "Oʻzbekcha",
    page: "tadbiringizda mehmonlar stikerlari",
    description: "Tadbiringizda planshet, bitta selfi, va bir necha daqiqadan soʻng mehmonning Telegramida oʻzi tushgan toʻqqizta stiker.",
    skip: "Darhol arizaga oʻtish",
    menu: "Boʻlimlar",
    switch: "Til",
    nav: ["Qanday", "Liboslar", "Paketlar", "Savollar"],
    nav_button: "Ariza qoldirish",
    hero: Said {
        title: "Mehmon oʻz stikerlari bilan ketadi",
        text: "Tadbiringizda planshet. Bitta selfi. Bir necha daqiqadan soʻng mehmonning Telegramida oʻzi tushgan toʻqqizta stiker.",
    },
    hero_button: "Sanam uchun narxni bilish",
    hero_alt: "Bitta mehmon tushgan beshta stiker: choponda, skafandrda, qahramon plashida, xudida va oshpaz qalpogʻida",
    how: "Uch qadam, ilovasiz",
    steps: [
        Said {
            title: "Kamerani kodga qaratish",
            text: "Telegram ochiladi. Mehmon bitta tugma bilan rozi boʻladi.",
        },
        Said {
            title: "Libos tanlab, suratga tushish",
            text: "Planshet qanday turishni aytadi va yaroqsiz kadrni darhol rad etadi.",
        },
        Said {
            title: "Toʻplamni olish",
            text: "Toʻqqizta stiker Telegramga keladi: ularni darhol doʻstlarga yuborish mumkin.",
        },
    ],
    step_alts: [
        "QR kodli planshet",
        "Kameraning yashil chizigʻi ichida mehmonning yuzi",
        "Stiker: choponli mehmon qoʻl silkitmoqda, yozuvi «Salom!»",
    ],
    nine: Said {
        title: "Bitta mehmon, toʻqqizta kayfiyat",
        text: "Toʻplam butunicha shunday: yozuvlar mehmon tilida, oʻz mimikasi, tadbiringizga mos libos.",
    },
    nine_alts: ["Salom!", "Xa-xa-xa!", "Sevaman!", "Zoʻr!", "Choy?", "Uyqu…", "Yoʻq!", "Raqsga!", "Rahmat!"],
    outfits: "Sakkizta libos, sizniki ham boʻlishi mumkin",
    outfit_names: [
        "Chopon va doʻppi",
        "Kosmonavt",
        "Superqahramon",
        "Oshpaz",
        "Futbolchi",
        "Xudi",
        "Shifokor",
        "Toj",
    ],
    packages: "Paketlar",
    package_words: [
        PackageWords {
            name: "Oqshom",
            for_whom: "Toʻy, yubiley, korporativ",
            points: ["Stendda bitta planshet", "Barcha liboslar tanlovda", "Toʻplam mehmon tilida"],
        },
        PackageWords {
            name: "Tadbir",
            for_whom: "Forum, koʻrgazma, festival",
            points: [
                "Bir nechta planshet, bitta navbat",
                "Ekranda tadbir nomi",
                "Tadbirdan soʻng kecha raqamlari",
            ],
        },
        PackageWords {
            name: "Brend uchun",
            for_whom: "Oʻz libosingiz va yozuvlaringiz",
            points: ["Libosni siz uchun chizamiz", "Yozuvlar uch tilda", "Ekranda brend nomi"],
        },
    ],
    package_button: "Narxni bilish",
    questions: "Savollar",
    question_words: [
        Said {
            title: "Mehmonning rasmi nima boʻladi?",
            text: "Toʻplam tayyor boʻlishi bilan, koʻpi bilan {hours}da oʻchiramiz. Mehmon botdagi buyruq bilan hammasini oʻzi ham oʻchira oladi.",
        },
        Said {
            title: "Joyda internet kerakmi?",
            text: "Ha, mobil internet yetadi: toʻplamlar Telegramga keladi.",
        },
        Said {
            title: "Bir oqshomda nechta mehmon ulguradi?",
            text: "Planshet faqat mehmon libos tanlab, suratga tushguncha band. Dastur chizadi, keyingi mehmon esa allaqachon ekran oldida. Sizning oqshomingizga qancha ekanini birga hisoblaymiz.",
        },
        Said {
            title: "Aloqa uzilib qolsa-chi?",
            text: "Mehmonning navbati va rasmi yoʻqolmaydi: planshet kutadi va oʻzi davom etadi. Boshlangan toʻplamlar aloqa tiklanganda keladi.",
        },
    ],
    form: Said {
        title: "Tadbiringiz haqida yozing",
        text: "Telegramda javob beramiz va sanangiz uchun narxni aytamiz. Telefon faqat u yerda topa olmasak kerak boʻladi.",
    },
    optional: "ixtiyoriy",
    fields: [
        FieldWords {
            label: "Ism",
            hint: "",
            required: "Sizga qanday murojaat qilishni yozing",
            invalid: "Kamida ikkita harf",
            too_long: "80 belgidan oshmasin",
        },
        FieldWords {
            label: "Telegram",
            hint: "Masalan, @aziz_toy",
            required: "Telegramdagi nomingizni yozing",
            invalid: "Kamida 5 belgi: lotin harflari, raqamlar, pastki chiziq",
            too_long: "32 belgidan oshmasin",
        },
        FieldWords {
            label: "Telefon",
            hint: "Masalan, +998 90 123 45 67",
            required: "Telefon raqamingizni yozing",
            invalid: "Plyus va mamlakat kodi bilan: +998 90 123 45 67",
            too_long: "15 raqamdan oshmasin",
        },
        FieldWords {
            label: "Qachon",
            hint: "Taxminan boʻlsa ham",
            required: "Sanani yozing",
            invalid: "Soʻz yoki raqam bilan yozing",
            too_long: "60 belgidan oshmasin",
        },
        FieldWords {
            label: "Mehmonlar soni",
            hint: "Taxminan boʻlsa ham",
            required: "Nechta mehmon boʻlishini yozing",
            invalid: "Soʻz yoki raqam bilan yozing",
            too_long: "40 belgidan oshmasin",
        },
        FieldWords {
            label: "Nima muhim",
            hint: "",
            required: "Nima muhimligini yozing",
            invalid: "Soʻz bilan yozing",
            too_long: "1200 belgidan oshmasin",
        },
    ],
    trap: "Bu maydonni toʻldirmang",
    look_again: "Iltimos, tekshiring:",
    send: "Yuborish",
    sending: "Yuborilmoqda",
    consent: ["Yuborish bilan siz", "maʼlumotlar qoidalariga rozi boʻlasiz"],
    consent_plain: "Bu maʼlumotlar faqat sizga javob berish uchun kerak.",
    throttled: "Ketma-ket juda koʻp ariza. Oʻn daqiqa kuting: yozganlaringiz saqlanib qoladi.",
    too_long_form: "Juda uzun, ariza yuborilmadi. Izohni qisqartiring: uning oxiri saqlanmadi.",
    failed: "Yuborilmadi. Yozganlaringiz joyida, yana urinib koʻring.",
    sent: "Arizangiz bizda",
    sent_to: "Telegramga yozamiz",
    sent_once: "Ikkinchisini yuborish shart emas.",
    sent_button: "Bosh sahifaga",
    privacy: "Maʼlumotlar qoidalari",
    credit: "Stikerlarda Aylin Kollinz, NASA surati, jamoat mulki",
    missing: Said { title: "Bunday sahifa yoʻq", text: "Bosh sahifa bor: u yerda stikerlar." },
    hours: |hours| format!("{hours} soat"),
};
