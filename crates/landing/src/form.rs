//! What a visitor typed, exactly as it came: a page that refuses shows it again.

use domain::Language;
use domain::lead_form::{Field, LeadForm, UTM_MAX};

/// The marks of an advertisement's address.
pub const MARKS: [&str; 5] = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];

/// The fields of the form.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// `name`
    pub name: String,
    /// `telegram`
    pub telegram: String,
    /// `phone`
    pub phone: String,
    /// `date`
    pub date: String,
    /// `guests`
    pub guests: String,
    /// `comment`
    pub comment: String,
    /// The trap: people do not see it.
    pub company: String,
    /// `startedAt`: when the page was made, milliseconds since 1970.
    pub started_at: String,
    /// `requestId`: made when the page was made, the same in every retry.
    pub request_id: String,
    /// The marks, in the order of [`MARKS`], cut where `domain` cuts them.
    utm: [String; 5],
}

impl Typed {
    /// Reads a form body. Unknown fields are ignored; of one that comes twice the first counts; bytes that are no text become question marks
    /// instead of a refusal.
    pub fn parse(body: &[u8]) -> Typed {
        let mut typed = Typed::default();
        for (name, value) in form_urlencoded::parse(body) {
            if let Some(field) = typed.field_mut(&name).filter(|field| field.is_empty()) {
                // Browsers send line breaks as two characters, and a limit must count them as the visitor does.
                *field = value.replace("\r\n", "\n");
            }
        }
        typed.cut_marks();
        typed
    }

    /// An empty form that remembers the marks of the page's address.
    pub fn opened(query: &str) -> Typed {
        let mut typed = Typed::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if let Some(mark) = typed.mark_mut(&name).filter(|mark| mark.is_empty()) {
                *mark = value.into_owned();
            }
        }
        typed.cut_marks();
        typed
    }

    /// The text of a field that a visitor sees.
    pub fn value(&self, field: Field) -> &str {
        match field {
            Field::RequestId => &self.request_id,
            Field::Name => &self.name,
            Field::Telegram => &self.telegram,
            Field::Phone => &self.phone,
            Field::Date => &self.date,
            Field::Guests => &self.guests,
            Field::Comment => &self.comment,
        }
    }

    /// The marks that have a value, with their names.
    pub fn marks(&self) -> impl Iterator<Item = (&'static str, &str)> {
        MARKS
            .into_iter()
            .zip(&self.utm)
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name, value.as_str()))
    }

    /// The marks as a query with its question mark, or nothing.
    pub fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.marks());
        let query = query.finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }

    /// The form for the rules of `domain`.
    pub fn lead_form(&self, request_id: String, language: Language, visitor: String) -> LeadForm {
        let [source, medium, campaign, term, content] = self.utm.clone().map(Some);
        LeadForm {
            request_id: Some(request_id),
            name: Some(self.name.clone()),
            telegram: Some(self.telegram.clone()),
            phone: Some(self.phone.clone()),
            date: Some(self.date.clone()),
            guests: Some(self.guests.clone()),
            comment: Some(self.comment.clone()),
            locale: Some(language.code().to_owned()),
            utm_source: source,
            utm_medium: medium,
            utm_campaign: campaign,
            utm_term: term,
            utm_content: content,
            client_ip: Some(visitor),
            not_text: Vec::new(),
        }
    }

    fn field_mut(&mut self, name: &str) -> Option<&mut String> {
        Some(match name {
            "name" => &mut self.name,
            "telegram" => &mut self.telegram,
            "phone" => &mut self.phone,
            "date" => &mut self.date,
            "guests" => &mut self.guests,
            "comment" => &mut self.comment,
            "company" => &mut self.company,
            "startedAt" => &mut self.started_at,
            "requestId" => &mut self.request_id,
            mark => return self.mark_mut(mark),
        })
    }

    fn mark_mut(&mut self, name: &str) -> Option<&mut String> {
        MARKS.into_iter().zip(&mut self.utm).find(|(mark, _)| *mark == name).map(|(_, value)| value)
    }

    fn cut_marks(&mut self) {
        for value in &mut self.utm {
            if let Some((at, _)) = value.char_indices().nth(UTM_MAX) {
                value.truncate(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_read_whatever_it_holds() {
        let typed = Typed::parse(
            b"name=%D0%9C%D0%B0%D0%B4%D0%B8%D0%BD%D0%B0&phone=%2B998+90&name=second&comment=a%0D%0Ab&x=1&date=%FF&company=&utm_term=t&telegram",
        );
        assert_eq!((typed.name.as_str(), typed.phone.as_str()), ("Мадина", "+998 90"));
        assert_eq!((typed.comment.as_str(), typed.date.as_str()), ("a\nb", "\u{fffd}"));
        assert_eq!(typed.marks().collect::<Vec<_>>(), [("utm_term", "t")]);
    }

    #[test]
    fn the_marks_of_the_address_are_kept_and_nothing_else_of_it() {
        let typed = Typed::opened("utm_source=tg&name=x&utm_campaign=a%26b&requestId=1&gclid=2");
        assert_eq!(typed.query(), "?utm_source=tg&utm_campaign=a%26b");
        assert!(typed.name.is_empty() && typed.request_id.is_empty());
        assert_eq!(Typed::opened("").query(), "");
        let long = Typed::opened(&format!("utm_source={}", "я".repeat(500)));
        assert_eq!(long.marks().next().map(|(_, value)| value.chars().count()), Some(200));
    }
}
