//! `/stickers_export`: every lead once, as a table for a spreadsheet (product.md, "CSV of leads"). Personal data: it goes to the
//! private chat of the admin who asked and is written nowhere on the way.

use crate::{AppError, Ctx};
use domain::lead::{Lead, LeadId, texts};
use domain::schedule;
use store::leads;

/// Leads read at once.
const PAGE: u32 = 500;
/// The most that one file may weigh; Telegram takes 50 MB.
const BYTES_MAX: usize = 45 * 1024 * 1024;
/// So that a spreadsheet reads the letters as they are.
pub(crate) const BOM: &str = "\u{feff}";

/// The file, or none when it would be too large to send.
#[derive(Clone, PartialEq, Eq)]
pub struct Export {
    /// `stickers_leads_<YYYY-MM-DD>.csv`.
    pub file_name: String,
    /// UTF-8 with a mark at its beginning, `;`, CRLF.
    pub csv: String,
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("file_name", &self.file_name).finish_non_exhaustive()
    }
}

/// Makes the file from the rows as they are now.
///
/// # Errors
/// When the database fails.
pub async fn export(ctx: &Ctx) -> Result<Option<Export>, AppError> {
    let mut csv = String::from(BOM);
    line(&mut csv, texts::EXPORT_HEADER.map(str::to_owned));
    let mut after = LeadId(0);
    loop {
        let page = leads::page(&mut ctx.store.reader(), after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for lead in &page {
            line(&mut csv, cells(lead));
        }
        if csv.len() > BYTES_MAX {
            return Ok(None);
        }
    }
    let file_name = format!("stickers_leads_{}.csv", schedule::day(ctx.clock.now()));
    Ok(Some(Export { file_name, csv }))
}

fn cells(lead: &Lead) -> [String; 18] {
    let text = |value: &Option<domain::guest::Personal>| {
        value.as_ref().map(|value| safe(&value.0)).unwrap_or_default()
    };
    let contact = &lead.contact;
    let utm = |place: usize| lead.utm[place].as_deref().map(safe).unwrap_or_default();
    [
        lead.id.to_string(),
        texts::export_time(Some(lead.created_at)),
        lead.status.label().to_owned(),
        texts::export_time(lead.status_at),
        text(&contact.name),
        contact.telegram.as_ref().map(|value| known(&value.0, is_username)).unwrap_or_default(),
        contact.phone.as_ref().map(|value| known(&value.0, is_phone)).unwrap_or_default(),
        text(&contact.date),
        text(&contact.guests),
        text(&contact.comment),
        safe(&lead.locale),
        utm(0),
        utm(1),
        utm(2),
        utm(3),
        utm(4),
        safe(&lead.request_id),
        texts::export_time(lead.erased_at),
    ]
}

/// A value as it is when it has our own form, else made safe.
fn known(value: &str, form: fn(&str) -> bool) -> String {
    if form(value) { value.to_owned() } else { safe(value) }
}

fn is_username(value: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    value.strip_prefix('@').is_some_and(|name| !name.is_empty() && name.bytes().all(letters))
}

fn is_phone(value: &str) -> bool {
    value
        .strip_prefix('+')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A spreadsheet runs what begins like a formula: such a cell gets a leading apostrophe.
pub(crate) fn safe(value: &str) -> String {
    match value.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{value}"),
        _ => value.to_owned(),
    }
}

/// Appends a line of cells, quoted where they have to be.
pub(crate) fn line<const CELLS: usize>(csv: &mut String, cells: [String; CELLS]) {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            csv.push(';');
        }
        if cell.contains([';', '"', '\n', '\r']) {
            csv.push('"');
            csv.push_str(&cell.replace('"', "\"\""));
            csv.push('"');
        } else {
            csv.push_str(cell);
        }
    }
    csv.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_like_a_formula_gets_an_apostrophe() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"] {
            assert_eq!(safe(formula), format!("'{formula}"));
        }
        for harmless in ["", "Лола", "1=1", " =1"] {
            assert_eq!(safe(harmless), harmless);
        }
    }

    #[test]
    fn a_phone_and_a_username_of_ours_are_written_as_they_are_and_nothing_like_them() {
        assert_eq!(known("+998901234567", is_phone), "+998901234567");
        assert_eq!(known("@lola_1", is_username), "@lola_1");
        for formula in ["+1+cmd", "+", "+99 8"] {
            assert_eq!(known(formula, is_phone), format!("'{formula}"));
        }
        for formula in ["@SUM(A1)", "@", "@лола"] {
            assert_eq!(known(formula, is_username), format!("'{formula}"));
        }
    }

    #[test]
    fn cells_with_separators_quotes_and_line_breaks_are_quoted() {
        let mut csv = String::new();
        line(&mut csv, ["a;b", "say \"hi\"", "two\nlines", "plain"].map(str::to_owned));
        assert_eq!(csv, "\"a;b\";\"say \"\"hi\"\"\";\"two\nlines\";plain\r\n");
    }
}
