//! Whether a text is one statement that only reads. The engines refuse writes by themselves; this gives the clear word before they are asked,
//! and keeps away what a read-only SQLite would still do: several statements in one text, and `VACUUM INTO` another file.

/// How a statement that reads may begin.
const BEGINNINGS: [&str; 4] = ["select", "with", "values", "explain"];

/// Says what is wrong with the text, if anything is.
pub(super) fn complaint(text: &str) -> Option<String> {
    let bare = without_comments_and_quotes(text);
    let first = bare
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .find(|word| !word.is_empty());
    let Some(first) = first else { return Some("there is no statement".to_owned()) };
    if !BEGINNINGS.contains(&first.to_ascii_lowercase().as_str()) {
        let shown: String = first.chars().take(20).collect();
        return Some(format!(
            "only reading is allowed: a statement begins with SELECT, and this one with {shown}"
        ));
    }
    if bare.split(';').skip(1).any(|rest| !rest.trim().is_empty()) {
        return Some("one statement at a time".to_owned());
    }
    // A parameter: nothing is bound to it, and SQLite hides what follows it from a look like this one.
    if names_a_parameter(&bare) {
        return Some("parameters have no values here".to_owned());
    }
    None
}

/// `$x`, `@x`, `#x`, `?` and `:x`, and not a cast as in `x::text`.
fn names_a_parameter(bare: &str) -> bool {
    let colon = |place: usize| {
        let single = !bare[..place].ends_with(':') && !bare[place + 1..].starts_with(':');
        single && bare[place + 1..].starts_with(|next: char| next == '_' || next.is_alphanumeric())
    };
    bare.contains(['$', '?', '@', '#']) || bare.match_indices(':').any(|(place, _)| colon(place))
}

/// The text with a blank in the place of each comment, and with nothing between quotes.
fn without_comments_and_quotes(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if let Some(closing) = closing_of(letter) {
            // A doubled quote ends one quoted piece and begins the next, which comes to the same.
            rest[1..].find(closing).map_or(rest.len(), |end| end + 2)
        } else {
            bare.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        bare.push(' ');
        rest = &rest[skipped..];
    }
    bare
}

fn closing_of(letter: char) -> Option<char> {
    match letter {
        '\'' | '"' | '`' => Some(letter),
        '[' => Some(']'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn one_statement_that_reads_is_taken() {
        for text in [
            "SELECT 1",
            "  select count(*) from jobs;  ",
            "-- how many\nSELECT ';', \"a;b\" FROM jobs -- the end; really",
            "/* DELETE */ WITH x AS (SELECT 1) SELECT * FROM x",
            "VALUES (1), (2)",
            "EXPLAIN QUERY PLAN SELECT 1",
            "SELECT 'it''s; fine'",
            "(SELECT 1)",
            "SELECT [a;b], x::text FROM jobs",
        ] {
            assert_eq!(complaint(text), None, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_the_reason() {
        for (text, part) in [
            ("", "no statement"),
            (" -- nothing", "no statement"),
            ("DELETE FROM users", "DELETE"),
            ("vacuum into '/tmp/x'", "vacuum"),
            ("PRAGMA writable_schema = 1", "PRAGMA"),
            ("ATTACH 'x' AS y", "ATTACH"),
            ("SELECT 1; DELETE FROM users", "one statement"),
            ("SELECT ''; VACUUM INTO 'x'", "one statement"),
            ("SELECT 1 /* ; */ ; SELECT 2", "one statement"),
            ("SELECT $a(');VACUUM INTO 'x')", "parameters"),
            ("SELECT @a(');VACUUM INTO 'x')", "parameters"),
            ("SELECT :a(');VACUUM INTO 'x')", "parameters"),
            ("SELECT [a'b]; VACUUM INTO 'x'", "one statement"),
            ("SELECT ?", "parameters"),
        ] {
            let said = complaint(text).unwrap_or_default();
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
