//! What an archive of `pg_dump` holds, counted from the text that `pg_restore` makes of it: reading it to its end is the proof that it can be
//! brought back.

use super::{BackupError, Contents, TABLES};
use crate::dialect::Engine;
use crate::migrate;
use std::collections::HashMap;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Counts the rows of the tables of one schema in a text of `COPY … FROM stdin;` blocks.
pub(super) async fn contents(
    mut text: impl AsyncBufRead + Unpin,
    schema: &str,
) -> Result<Contents, BackupError> {
    let (mut counts, mut steps) = (HashMap::<String, i64>::new(), Vec::new());
    let (mut table, mut line) = (None::<String>, Vec::new());
    loop {
        line.clear();
        if text.read_until(b'\n', &mut line).await.map_err(BackupError::Disk)? == 0 {
            break;
        }
        match &table {
            None => {
                table = copied_table(&line, schema);
                if let Some(table) = &table {
                    counts.insert(table.clone(), 0);
                }
            }
            Some(_) if line == b"\\.\n" => table = None,
            Some(name) => {
                if name == TABLES[0] {
                    steps.extend(step(&line));
                }
                *counts.entry(name.clone()).or_default() += 1;
            }
        }
    }
    if let Some(table) = table {
        return Err(BackupError::Damaged(format!("the rows of {table} are cut off")));
    }
    if let Some(missing) = TABLES.into_iter().find(|table| !counts.contains_key(*table)) {
        return Err(BackupError::Foreign(missing));
    }
    steps.sort_unstable();
    if let Some(version) = migrate::unknown(Engine::Postgres, &steps) {
        return Err(BackupError::Newer { version });
    }
    let of = |table: &str| counts.get(table).copied().unwrap_or_default();
    Ok(Contents {
        jobs: of("jobs"),
        users: of("users"),
        sessions: of("sessions"),
        leads: of("leads"),
        version: steps.last().map_or(0, |(version, _)| *version),
    })
}

/// `COPY public.jobs (job_id, …) FROM stdin;`: the table without our schema, or with another.
fn copied_table(line: &[u8], schema: &str) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let (name, _) = line.strip_prefix("COPY ")?.strip_suffix(" FROM stdin;")?.split_once(" (")?;
    let name = name.replace('"', "");
    Some(name.strip_prefix(schema).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&name).to_owned())
}

/// A row of `schema_migrations`: version, name, checksum, as its migration orders them.
fn step(line: &[u8]) -> Option<(i64, i64)> {
    let mut columns = std::str::from_utf8(line).ok()?.trim_end().split('\t');
    let version = columns.next()?.parse().ok()?;
    Some((version, columns.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "SET x = 1;\n\
        COPY public.jobs (job_id, error) FROM stdin;\n1\tCOPY public.leads (x) FROM stdin;\n2\t\\N\n\\.\n\n\
        COPY public.leads (id) FROM stdin;\n\\.\n\
        COPY public.schema_migrations (version, name, checksum) FROM stdin;\nSTEPS\\.\n\
        COPY public.sessions (session_token) FROM stdin;\na\n\\.\n\
        COPY other.users (a) FROM stdin;\n1\n\\.\n\
        COPY public.users (telegram_user_id) FROM stdin;\n7\n8\n9\n\\.\n";

    #[tokio::test]
    async fn rows_are_counted_by_table_and_what_looks_like_a_command_inside_a_row_is_a_row() {
        let text = TEXT.replace("STEPS", "");
        let found = contents(text.as_bytes(), "public").await.expect("is sound");
        assert_eq!(found, Contents { jobs: 2, users: 3, sessions: 1, leads: 0, version: 0 });
    }

    #[tokio::test]
    async fn a_cut_off_a_foreign_and_a_newer_archive_are_refused_with_the_reason() {
        let text = TEXT.replace("STEPS", "");
        let cut = text.strip_suffix("\\.\n").expect("an end");
        for (text, reason) in [
            (cut.to_owned(), "integrity_check: the rows of users are cut off"),
            (
                text.replace("COPY public.users", "COPY public.people"),
                "this is no database of the sticker kiosk: it has no table users",
            ),
            (
                TEXT.replace("STEPS", "99\tof_tomorrow\t1\n"),
                "migration 99 of the copy is unknown to this program: use the program that made it, or a newer one",
            ),
        ] {
            assert_eq!(contents(text.as_bytes(), "public").await.expect_err("no copy").to_string(), reason);
        }
    }
}
