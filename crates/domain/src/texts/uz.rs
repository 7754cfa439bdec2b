//! Uzbek, Latin script. Needs one reading by a native speaker.

use super::{GuestTexts, short_name, title};

/// Uzbek texts.
pub(super) struct Uz;

impl GuestTexts for Uz {
    fn consent(&self, first_name: &str, event: &str, ttl_hours: u32, privacy_url: Option<&str>) -> String {
        let name = short_name(first_name);
        let hello = if name.is_empty() { "Salom!".to_owned() } else { format!("Salom, {name}!") };
        let more = privacy_url.map(|url| format!("\nBatafsil: {url}")).unwrap_or_default();
        format!(
            "{hello} Selfingizdan stikerlar tayyorlaymiz — {event}.\n\nRasm faqat toʻplam uchun kerak: undan keyin darhol, koʻpi \
             bilan {ttl_hours} soatda oʻchiramiz. 18 yoshga toʻlmagan boʻlsangiz, ota-onangizdan ruxsat soʻrang. Tugmani bosib, \
             18 yoshga toʻlganingizni yoki ota-onangiz roziligini tasdiqlaysiz.\n\nFikringiz oʻzgarsa — /forget_me.{more}"
        )
    }
    fn consent_button(&self) -> &'static str {
        "✅ Roziman"
    }
    fn consented(&self) -> &'static str {
        "Endi planshetda libos tanlang."
    }
    fn session_closed(&self) -> &'static str {
        "Seans yopilgan, planshetda «BOSHLASH»ni bosing."
    }
    fn code_taken(&self) -> &'static str {
        "Bu kod band, planshetda «BOSHLASH»ni bosing."
    }
    fn look_at_tablet(&self) -> &'static str {
        "Hammasi tayyor, endi planshetga qarang."
    }
    fn being_made(&self) -> &'static str {
        "Rasm bizda, toʻplamni chizyapmiz. Shu yerga yuboraman."
    }
    fn photo_received(&self, position: u32, minutes: u32) -> String {
        let wait =
            if minutes > 10 { "10 daqiqadan ortiq".to_owned() } else { format!("taxminan {minutes} daqiqa") };
        format!(
            "Rasm bizda. Navbatdagi oʻrningiz: {position}, kutish {wait}. Ketsangiz ham boʻladi: toʻplam shu yerga keladi."
        )
    }
    fn pack_in_progress(&self) -> &'static str {
        "Toʻplamingiz tayyorlanmoqda ⏳…"
    }
    fn pack_ready(&self) -> &'static str {
        "Toʻplamingiz allaqachon bor. Mana havola yana bir bor."
    }
    fn pack_forgotten(&self) -> &'static str {
        "Toʻplamingiz bor edi, maʼlumotlaringiz esa oʻchirilgan: havola endi bizda yoʻq. Toʻplam Telegramingizda qolgan."
    }
    fn pack_done(&self) -> &'static str {
        "Toʻplamingiz tayyor!"
    }
    fn open_pack(&self) -> &'static str {
        "Toʻplamni ochish"
    }
    fn delayed(&self) -> &'static str {
        "Toʻplamingizga sayqal beryapmiz ✨ Tez orada yuboraman!"
    }
    fn failed(&self) -> &'static str {
        "Toʻplamni chizib boʻlmadi, uzr! Yana urinib koʻring: planshetda «BOSHLASH»ni bosing."
    }
    fn photo_refused(&self) -> &'static str {
        "Bu suratdan toʻplam chizib boʻlmadi: hamma narsani ham chizib boʻlmaydi. Boshqa surat bilan urinib koʻring — planshetga yana bir keling 🙂"
    }

    fn failed_help(&self) -> &'static str {
        "Toʻplam kechikyapti, uzr! Bilamiz va oʻzimiz yordam beramiz. Yoki yana urinib koʻring: planshetda «BOSHLASH»ni bosing."
    }
    fn maintenance(&self) -> &'static str {
        "Kichik tanaffus, tez orada davom etamiz. Boshlangan toʻplamlar shu yerga keladi."
    }
    fn welcome(&self) -> &'static str {
        "Salom! Men selfidan stikerlar yasayman. Stenddagi planshetda «BOSHLASH»ni bosing va kamerani kodga qarating.\n\n/mypack — \
         toʻplamni yana yuborish\n/forget_me — maʼlumotlarimni oʻchirish"
    }
    fn help(&self) -> &'static str {
        "Planshetda «BOSHLASH»ni bosing, kamerani kodga qarating, shu yerda rozilik bering, libos tanlang va selfi oling. Toʻplam \
         shu chatga keladi.\n\n/mypack — toʻplamni yana yuborish\n/forget_me — maʼlumotlarimni oʻchirish"
    }
    fn no_pack(&self) -> &'static str {
        "Hozircha toʻplam yoʻq. Planshetda «BOSHLASH»ni bosing."
    }
    fn forget_question(&self) -> &'static str {
        "Maʼlumotlaringizni — ism, seanslar, rasm va chizmalarni serverimizdan oʻchiraylikmi? Telegramdagi toʻplam oʻzingizda qoladi."
    }
    fn forget_yes(&self) -> &'static str {
        "Ha, oʻchirish"
    }
    fn forget_no(&self) -> &'static str {
        "Yoʻq, qolsin"
    }
    fn forgotten(&self) -> &'static str {
        "Tayyor: maʼlumotlaringiz va fayllaringiz oʻchirildi. Nima va qachongacha qolishi quyidagicha.\n\n• Telegramdagi toʻplam: u \
         sizniki, toʻplamlarni oʻchirmaymiz.\n• Baza nusxalari: koʻpi bilan 14 kun.\n• Toʻplam olgan boʻlsangiz, bu haqda ismsiz \
         shifrlangan belgi: tadbir yopilguncha.\n• Xarajatlar hisobi va oʻchirish haqidagi yozuv, ism va raqamsiz: qoladi."
    }
    fn forget_kept(&self) -> &'static str {
        "Yaxshi, hech narsa oʻchirilmaydi."
    }
    fn pack_title(&self, first_name: &str, outfit: &str) -> String {
        let name = short_name(first_name);
        title(&if name.is_empty() { format!("Stikerlar: {outfit}") } else { format!("{name}: {outfit}") })
    }
}
