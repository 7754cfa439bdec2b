//! A database on a PostgreSQL server, copied and brought back by PostgreSQL's own tools, `pg_dump` and `pg_restore`.
//!
//! A copy is an archive of one snapshot, which is counted by a transaction of ours in that same snapshot. It comes back into a new database
//! beside the old one, and takes its place by a rename once it is whole: the role of `DATABASE_URL` may create databases therefore.

use super::{BackupError, COUNTS, Contents, STEPS, TABLES, archive, within};
use crate::dialect::Engine;
use crate::error::OpenError;
use crate::migrate;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};
use std::path::Path;
use std::process::Stdio;
use std::str::FromStr;
use tokio::io::BufReader;
use tokio::process::Command;
use url::Url;

/// Longer names are cut by the server.
const NAME_MAX: usize = 63;
/// Databases that every server has: from one of them others are made and renamed.
const OTHER_DATABASES: [&str; 2] = ["postgres", "template1"];
/// Of a time in the name of a copy: `YYYYmmdd-HHMMSS`.
const STAMP_LENGTH: usize = 15;
/// A table may be locked by a migration for this long before a copy gives up, in milliseconds.
const LOCK_WAIT_MS: &str = "60000";
/// Codes of the server: there is no such database; somebody is connected; the role may not.
const NO_SUCH_DATABASE: &str = "3D000";
const OBJECT_IN_USE: &str = "55006";
const INSUFFICIENT_PRIVILEGE: &str = "42501";
/// Words of a tool that are passed on at most.
const SAYS_MAX: usize = 300;

/// A database on a server. `Debug` masks its address, which may hold a password.
#[derive(Clone)]
pub struct Server {
    url: Url,
    options: PgConnectOptions,
    name: String,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Server {
    pub(super) fn new(url: &str) -> Result<Server, OpenError> {
        let options = PgConnectOptions::from_str(url).map_err(OpenError::Address)?;
        let options = options
            .application_name("stickers copies")
            // To drop what may not be there is no news.
            .options([("client_min_messages", "error")]);
        let url =
            Url::parse(url).map_err(|error| OpenError::Address(sqlx::Error::Configuration(error.into())))?;
        // As the server has it: without a name the role's is meant.
        let name = options.get_database().unwrap_or(options.get_username()).to_owned();
        Ok(Server { url, options, name })
    }

    /// The database's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// As in `DATABASE_URL`; may hold a password.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// What follows the name in that of a database which is prepared for a restore; behind it stands the time, as in names of copies.
    pub const PREPARED: &str = "_restoring_";
    /// The same of a database that stood there before a restore.
    pub const BEFORE_RESTORE: &str = "_before_restore_";

    /// A database of the same server that a restore makes or puts aside: [`Self::PREPARED`] or [`Self::BEFORE_RESTORE`], and the time. No other
    /// database gets the same name: a long one is cut, and what was cut stands as a checksum in its place.
    pub fn beside(&self, tail: &str, stamp: &str) -> Server {
        self.named(format!("{}{stamp}", self.begin_beside(tail)))
    }

    /// The name without its time.
    fn begin_beside(&self, tail: &str) -> String {
        let room = NAME_MAX - STAMP_LENGTH - tail.len();
        if self.name.len() <= room {
            return format!("{}{tail}", self.name);
        }
        let sum = format!("_{:016x}", migrate::fnv(&self.name));
        let end = self.name.floor_char_boundary(room - sum.len());
        format!("{}{sum}{tail}", &self.name[..end])
    }

    fn named(&self, name: String) -> Server {
        let mut url = self.url.clone();
        // A name of a parameter is encoded as a whole, and wins over that of the path.
        let others: Vec<(String, String)> =
            url.query_pairs().into_owned().filter(|(key, _)| key != "dbname").collect();
        url.query_pairs_mut().clear().extend_pairs(others).append_pair("dbname", &name);
        Server { url, options: self.options.clone().database(&name), name }
    }

    /// Whether the server has a database of this name.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn exists(&self) -> Result<bool, BackupError> {
        match self.options.connect().await {
            Ok(connection) => ask(connection.close().await).map(|()| true),
            Err(error) if code(&error).as_deref() == Some(NO_SUCH_DATABASE) => Ok(false),
            Err(error) => Err(BackupError::Server(error)),
        }
    }

    /// Whether a program of ours has worked here.
    pub(super) async fn is_used(&self) -> Result<bool, BackupError> {
        let mut connection = ask(self.options.connect().await)?;
        let used: bool = ask(sqlx::query_scalar("SELECT to_regclass('schema_migrations') IS NOT NULL")
            .fetch_one(&mut connection)
            .await)?;
        ask(connection.close().await)?;
        Ok(used)
    }

    /// Whether anybody is connected to it.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn in_use(&self) -> Result<bool, BackupError> {
        let mut other = self.other_database().await?;
        let others: i64 = ask(sqlx::query_scalar(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' \
             AND pid <> pg_backend_pid()",
        )
        .bind(&self.name)
        .fetch_one(&mut other)
        .await)?;
        ask(other.close().await)?;
        Ok(others > 0)
    }

    /// Writes the database into the new file `to`, as an archive that is not compressed: one moment of it. What it held at that moment;
    /// none when it is no whole database of this program, which whoever reads the archive will find.
    pub(super) async fn dump(&self, to: &Path) -> Result<Option<Contents>, BackupError> {
        within(async {
            let mut snapshot = ask(self.options.connect().await)?;
            // The snapshot lasts as long as this transaction, which waits while the tool works.
            ask(sqlx::raw_sql(
                "SET idle_in_transaction_session_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            )
            .execute(&mut snapshot)
            .await)?;
            let id: String = ask(sqlx::query_scalar("SELECT pg_export_snapshot()").fetch_one(&mut snapshot).await)?;
            let contents = match contents(&mut snapshot).await {
                Ok(contents) => Some(contents),
                Err(BackupError::Foreign(_) | BackupError::Newer { .. }) => None,
                Err(error) => return Err(error),
            };
            private_file(to).map_err(BackupError::Disk)?;
            let mut command = self.tool("pg_dump");
            command.args(["--format=custom", "--compress=0", "--no-owner", "--no-privileges", "--no-password"]);
            command.args(["--lock-wait-timeout", LOCK_WAIT_MS, "--snapshot", &id, "--file"]).arg(to);
            run("pg_dump", command).await?;
            ask(snapshot.close().await)?;
            Ok(contents)
        })
        .await
    }

    /// Reads an archive to its end and counts what is in it.
    pub(super) async fn check(&self, archive: &Path) -> Result<Contents, BackupError> {
        const TOOL: &str = "pg_restore";
        within(async {
            let schema = self.schema().await?;
            let mut command = self.tool(TOOL);
            command
                .args(["--data-only", "--file=-"])
                .arg(archive)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let mut child = command.spawn().map_err(|source| BackupError::NoTool { tool: TOOL, source })?;
            let text = child.stdout.take().map(BufReader::new);
            let counting = async {
                match text {
                    Some(text) => archive::contents(text, &schema).await,
                    None => Err(BackupError::Damaged("nothing can be read".to_owned())),
                }
            };
            let (contents, ended) = tokio::join!(counting, child.wait_with_output());
            let ended = ended.map_err(BackupError::Disk)?;
            if !ended.status.success() {
                return Err(BackupError::Damaged(says(&ended.stderr)));
            }
            contents
        })
        .await
    }

    /// Where our tables are; somebody else's may have the same names elsewhere.
    async fn schema(&self) -> Result<String, BackupError> {
        let mut connection = ask(self.options.connect().await)?;
        let schema: Option<String> = ask(sqlx::query_scalar("SELECT CAST(current_schema() AS TEXT)")
            .fetch_one(&mut connection)
            .await)?;
        ask(connection.close().await)?;
        Ok(schema.unwrap_or_default())
    }

    /// What the database holds.
    ///
    /// # Errors
    /// When it is none of this program's, or of a newer one.
    pub async fn contents(&self) -> Result<Contents, BackupError> {
        let mut connection = ask(self.options.connect().await)?;
        let found = contents(&mut connection).await;
        ask(connection.close().await)?;
        found
    }

    /// Makes the database, with the sorting and the settings of `like` if that is there, and fills it from an archive: every constraint
    /// holds when this returns.
    ///
    /// # Errors
    /// What is wrong with the archive; or the role may not create databases; or there is one of this name.
    pub async fn fill(&self, archive: &Path, like: &Server) -> Result<(), BackupError> {
        within(async {
            self.create(like).await?;
            let mut command = self.tool("pg_restore");
            command.args(["--exit-on-error", "--no-owner", "--no-privileges", "--no-password", "--dbname"]);
            // A bare name that looks like a connection string would be taken for one.
            command
                .arg(format!("dbname='{}'", self.name.replace('\\', "\\\\").replace('\'', "\\'")))
                .arg(archive);
            run("pg_restore", command).await
        })
        .await
    }

    async fn create(&self, like: &Server) -> Result<(), BackupError> {
        let mut other = self.other_database().await?;
        let sorting: Option<(String, String)> = ask(sqlx::query_as(
            "SELECT CAST(datcollate AS TEXT), CAST(datctype AS TEXT) FROM pg_database WHERE datname = $1",
        )
        .bind(&like.name)
        .fetch_optional(&mut other)
        .await)?;
        let settings: Vec<String> = ask(sqlx::query_scalar(
            "SELECT unnest(s.setconfig) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase \
             WHERE d.datname = $1 AND s.setrole = 0",
        )
        .bind(&like.name)
        .fetch_all(&mut other)
        .await)?;
        let mut text = format!("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'", quoted(&self.name));
        if let Some((collate, kind)) = sorting {
            text.push_str(&format!(" LC_COLLATE {} LC_CTYPE {}", literal(&collate), literal(&kind)));
        }
        execute(&mut other, text).await.map_err(|error| match code(&error).as_deref() {
            Some(INSUFFICIENT_PRIVILEGE) => BackupError::MayNotCreate(error),
            _ => BackupError::Server(error),
        })?;
        for (name, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
            // A list is stored as it is written; anything else is a word.
            let value = if name == "search_path" { value.to_owned() } else { literal(value) };
            let text = format!("ALTER DATABASE {} SET {} TO {value}", quoted(&self.name), quoted(name));
            ask(execute(&mut other, text).await)?;
        }
        ask(other.close().await)
    }

    /// Removes the database, if it is there.
    ///
    /// # Errors
    /// When somebody is connected to it, or the server does not answer.
    pub async fn drop_database(&self) -> Result<(), BackupError> {
        let mut other = self.other_database().await?;
        in_use_or(execute(&mut other, format!("DROP DATABASE IF EXISTS {}", quoted(&self.name))).await)?;
        ask(other.close().await)
    }

    /// Gives this database the name `old` and `fresh` the name of this one, both or none. Whether there was one.
    ///
    /// # Errors
    /// When somebody is connected to one of them.
    pub async fn replace(&self, fresh: &Server, old: &Server) -> Result<bool, BackupError> {
        let there = self.exists().await?;
        let mut other = self.other_database().await?;
        let rename = |from: &Server, to: &Server| {
            format!("ALTER DATABASE {} RENAME TO {};", quoted(&from.name), quoted(&to.name))
        };
        let keep = if there { rename(self, old) } else { String::new() };
        let text = format!("BEGIN; {keep} {} COMMIT", rename(fresh, self));
        in_use_or(execute(&mut other, text).await)?;
        ask(other.close().await)?;
        Ok(there)
    }

    /// Databases that restores left beside this one: the one of before, which could not be copied, and what a killed one prepared.
    ///
    /// # Errors
    /// When the server does not answer.
    pub async fn left(&self) -> Result<Vec<Server>, BackupError> {
        let begins = [Self::BEFORE_RESTORE, Self::PREPARED].map(|tail| self.begin_beside(tail));
        let mut other = self.other_database().await?;
        let names: Vec<String> = ask(sqlx::query_scalar(
            "SELECT CAST(datname AS TEXT) FROM pg_database WHERE starts_with(CAST(datname AS TEXT), $1) \
             OR starts_with(CAST(datname AS TEXT), $2) ORDER BY datname",
        )
        .bind(begins[0].clone())
        .bind(begins[1].clone())
        .fetch_all(&mut other)
        .await)?;
        ask(other.close().await)?;
        let ours = |name: &String| begins.iter().any(|begin| name.strip_prefix(begin).is_some_and(is_stamp));
        Ok(names.into_iter().filter(ours).map(|name| self.named(name)).collect())
    }

    /// The version of the server and that of `pg_dump`, in whole numbers: the second must not be lower.
    ///
    /// # Errors
    /// When the server does not answer, or the tool is not there.
    pub async fn versions(&self) -> Result<(u32, u32), BackupError> {
        const TOOL: &str = "pg_dump";
        within(async {
            let mut connection = ask(self.options.connect().await)?;
            let server: String =
                ask(sqlx::query_scalar("SHOW server_version").fetch_one(&mut connection).await)?;
            ask(connection.close().await)?;
            let mut command = Command::new(TOOL);
            command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
            let told = command.output().await.map_err(|source| BackupError::NoTool { tool: TOOL, source })?;
            Ok((whole(&server), whole(&String::from_utf8_lossy(&told.stdout))))
        })
        .await
    }

    /// Connects to another database of the server.
    async fn other_database(&self) -> Result<PgConnection, BackupError> {
        let mut last = None;
        for name in OTHER_DATABASES.into_iter().filter(|name| *name != self.name) {
            match self.options.clone().database(name).connect().await {
                Ok(connection) => return Ok(connection),
                Err(error) => last = Some(error),
            }
        }
        Err(BackupError::Server(last.unwrap_or(sqlx::Error::PoolClosed)))
    }

    /// A tool that finds the server by its environment: what stands on a command line everybody can read.
    fn tool(&self, tool: &str) -> Command {
        let mut command = Command::new(tool);
        let options = &self.options;
        let host = options.get_socket().map(|socket| socket.display().to_string());
        command
            .env("PGHOST", host.unwrap_or_else(|| options.get_host().to_owned()))
            .env("PGPORT", options.get_port().to_string())
            .env("PGUSER", options.get_username())
            .env("PGDATABASE", &self.name)
            .env("PGSSLMODE", ssl_mode(options.get_ssl_mode()))
            .env("PGAPPNAME", "stickers copies")
            .env("PGCONNECT_TIMEOUT", "10")
            .env("LC_ALL", "C")
            .env_remove("PGHOSTADDR")
            .env_remove("PGSERVICE")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        if let Some(given) = options.get_options() {
            command.env("PGOPTIONS", given);
        }
        if let Some(password) = self.password() {
            command.env("PGPASSWORD", password);
        }
        for (key, value) in self.url.query_pairs() {
            match &*key {
                "sslrootcert" | "ssl-root-cert" | "ssl-ca" => command.env("PGSSLROOTCERT", &*value),
                "sslcert" | "ssl-cert" => command.env("PGSSLCERT", &*value),
                "sslkey" | "ssl-key" => command.env("PGSSLKEY", &*value),
                _ => continue,
            };
        }
        command
    }

    /// That of the address; without one the tools look where the driver does, into `PGPASSWORD` and `~/.pgpass`.
    fn password(&self) -> Option<String> {
        let given =
            self.url.query_pairs().find(|(key, _)| key == "password").map(|(_, value)| value.into_owned());
        given.or_else(|| {
            let encoded = self.url.password()?;
            // What the address encodes is decoded as a part of a query is, where only a plus means something else.
            let pair = format!("p={}", encoded.replace('+', "%2B"));
            url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned())
        })
    }
}

async fn contents(connection: &mut PgConnection) -> Result<Contents, BackupError> {
    for table in TABLES {
        let there: bool = ask(sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL")
            .bind(table)
            .fetch_one(&mut *connection)
            .await)?;
        if !there {
            return Err(BackupError::Foreign(table));
        }
    }
    let steps: Vec<(i64, i64)> = ask(sqlx::query_as(STEPS).fetch_all(&mut *connection).await)?;
    if let Some(version) = migrate::unknown(Engine::Postgres, &steps) {
        return Err(BackupError::Newer { version });
    }
    let version = steps.last().map_or(0, |(version, _)| *version);
    let (jobs, users, sessions, leads) = ask(sqlx::query_as(COUNTS).fetch_one(&mut *connection).await)?;
    Ok(Contents { jobs, users, sessions, leads, version })
}

fn ask<T>(answer: Result<T, sqlx::Error>) -> Result<T, BackupError> {
    answer.map_err(BackupError::Server)
}

/// Renaming and dropping wait for nobody.
fn in_use_or<T>(answer: Result<T, sqlx::Error>) -> Result<T, BackupError> {
    answer.map_err(|error| match code(&error).as_deref() {
        Some(OBJECT_IN_USE) => BackupError::InUse,
        _ => BackupError::Server(error),
    })
}

/// What the server calls an error.
fn code(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(std::borrow::Cow::into_owned)
}

/// Runs a text whose names are quoted: databases cannot be named by parameters.
async fn execute(connection: &mut PgConnection, text: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.map(drop)
}

/// `YYYYmmdd-HHMMSS`.
fn is_stamp(text: &str) -> bool {
    text.len() == STAMP_LENGTH
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 8 { byte == b'-' } else { byte.is_ascii_digit() })
}

fn literal(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

async fn run(tool: &'static str, mut command: Command) -> Result<(), BackupError> {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|source| BackupError::NoTool { tool, source })?;
    let ended = child.wait_with_output().await.map_err(BackupError::Disk)?;
    if ended.status.success() { Ok(()) } else { Err(BackupError::Tool { tool, says: says(&ended.stderr) }) }
}

/// The first error of a tool. What follows it may hold rows, and so persons.
fn says(told: &[u8]) -> String {
    let told = String::from_utf8_lossy(told);
    let mut lines = told.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().find_map(|line| line.split_once("error: ").map(|(_, words)| words));
    let words = first.or_else(|| lines.next()).unwrap_or("it said nothing");
    words[..before_a_value(words)].chars().take(SAYS_MAX).collect()
}

/// Where the value begins that the server quotes when rows cannot be read: it may be a person's.
fn before_a_value(words: &str) -> usize {
    const ROWS: &str = "COPY failed for table ";
    let quoted = words.find("ERROR:").filter(|_| words.starts_with(ROWS)).and_then(|error| {
        let value = words[error..].find('"')?;
        Some(error + words[error..error + value].trim_end_matches([' ', ':']).len())
    });
    quoted.unwrap_or(words.len())
}

/// The first whole number of a version.
fn whole(version: &str) -> u32 {
    let digits: String = version
        .chars()
        .skip_while(|letter| !letter.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(0)
}

fn ssl_mode(mode: PgSslMode) -> &'static str {
    match mode {
        PgSslMode::Disable => "disable",
        PgSslMode::Allow => "allow",
        PgSslMode::Prefer => "prefer",
        PgSslMode::Require => "require",
        PgSslMode::VerifyCa => "verify-ca",
        PgSslMode::VerifyFull => "verify-full",
    }
}

fn private_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Server {
        Server::new(url).expect("an address")
    }

    fn given(server: &Server, name: &str) -> Option<String> {
        let command = server.tool("pg_dump");
        let found = command.as_std().get_envs().find(|(key, _)| *key == name);
        found.and_then(|(_, value)| value).map(|value| value.to_string_lossy().into_owned())
    }

    #[test]
    fn a_tool_is_told_by_its_environment_where_the_server_is_and_nothing_stands_on_its_command_line() {
        let server = server(
            "postgres://kiosk:p%40ss+w%2Frd@db.example:6432/stickers?sslmode=verify-full&sslrootcert=/etc/ca.crt",
        );
        for (name, value) in [
            ("PGHOST", "db.example"),
            ("PGPORT", "6432"),
            ("PGUSER", "kiosk"),
            ("PGPASSWORD", "p@ss+w/rd"),
            ("PGDATABASE", "stickers"),
            ("PGSSLMODE", "verify-full"),
            ("PGSSLROOTCERT", "/etc/ca.crt"),
        ] {
            assert_eq!(given(&server, name).as_deref(), Some(value), "{name}");
        }
        assert_eq!(server.tool("pg_dump").as_std().get_args().count(), 0);
        assert!(!format!("{server:?}").contains("p@ss"));
    }

    #[test]
    fn a_database_beside_another_has_a_name_that_the_server_does_not_cut() {
        let long = "k".repeat(60);
        let server = server(&format!("postgres://kiosk@db/{long}?sslmode=disable&dbname={long}"));
        let beside = server.beside(Server::BEFORE_RESTORE, "20261130-061000");
        assert!(beside.name().len() == 63 && beside.name().ends_with("_before_restore_20261130-061000"));
        assert_eq!(beside.url().matches("dbname=").count(), 1);
        assert_eq!(given(&beside, "PGDATABASE").as_deref(), Some(beside.name()));
    }

    #[test]
    fn names_beside_two_databases_differ_however_long_they_are_and_are_never_that_of_a_live_one() {
        let beside = |name: &str| {
            let server = server(&format!("postgres://kiosk@db/{name}"));
            server.beside(Server::PREPARED, "20261130-061000").name().to_owned()
        };
        let long = "k".repeat(62);
        assert_ne!(beside(&format!("{long}a")), beside(&format!("{long}b")));
        let taken = format!("{}_restoring_20261130-061000", "k".repeat(37));
        assert!(taken.len() == 63 && beside(&taken) != taken);
        assert_eq!(beside("app"), "app_restoring_20261130-061000");
    }

    #[test]
    fn a_name_of_any_letters_is_the_same_in_the_address() {
        for name in ["?q#h", "a%41b", "/lead", "a=b", "Ünï cödé", "a'b\"c"] {
            let server = server("postgres://kiosk@db/app?sslmode=disable").named(name.to_owned());
            assert_eq!(Server::new(server.url()).expect("an address").name(), name);
        }
    }

    #[test]
    fn only_a_name_with_a_time_is_that_of_a_database_that_a_restore_left() {
        assert!(is_stamp("20261130-061000"));
        for other in ["keepme", "", "20261130x061000", "20261130-0610000", "2026113--061000"] {
            assert!(!is_stamp(other), "{other}");
        }
    }

    #[test]
    fn of_what_a_tool_says_only_the_first_error_is_passed_on() {
        let told = b"pg_restore: warning: x\npg_restore: error: COPY failed for table \"users\": ERROR:  no\nDETAIL:  Key (name)=(Lola)\n";
        assert_eq!(says(told), "COPY failed for table \"users\": ERROR:  no");
        assert_eq!(says(b""), "it said nothing");
        let told = b"pg_restore: error: COPY failed for table \"users\": ERROR:  invalid input syntax for type bigint: \"Lola\"\n";
        assert_eq!(
            says(told),
            "COPY failed for table \"users\": ERROR:  invalid input syntax for type bigint"
        );
    }

    #[test]
    fn versions_are_read_from_what_programs_say() {
        for (told, version) in [
            ("pg_dump (PostgreSQL) 17.2 (Debian 17.2-1)", 17),
            ("15.18 (Debian 15.18-0+deb12u1)", 15),
            ("", 0),
        ] {
            assert_eq!(whole(told), version, "{told}");
        }
    }
}
