//! What is copied: a file, or a database on a server. Whoever makes copies need not ask which.

use super::{BackupError, Contents, Server, file};
use crate::error::OpenError;
use crate::options::{StoreOptions, Target};
use domain::backup::Kind;
use std::path::{Path, PathBuf};

/// A database as something to copy.
#[derive(Clone, Debug)]
pub enum Source {
    /// A SQLite file.
    File(PathBuf),
    /// A database on a PostgreSQL server.
    Server(Box<Server>),
}

impl Source {
    /// What `DATABASE_URL` names.
    ///
    /// # Errors
    /// When it names nothing.
    pub fn of(url: &str) -> Result<Source, OpenError> {
        Ok(match StoreOptions::new(url).target()? {
            Target::File(file) => Source::File(file),
            Target::Server(url) => Source::Server(Box::new(Server::new(url)?)),
        })
    }

    /// What copies of it are.
    pub fn kind(&self) -> Kind {
        match self {
            Source::File(_) => Kind::Sqlite,
            Source::Server(_) => Kind::Postgres,
        }
    }

    /// What people are told: the file, or the name of the database, never a password.
    pub fn shown(&self) -> String {
        match self {
            Source::File(file) => file.display().to_string(),
            Source::Server(server) => server.name().to_owned(),
        }
    }

    /// What makes the copies, as the backup's log names it (seed 002, "Log lines").
    pub fn tool(&self) -> &'static str {
        match self {
            Source::File(_) => "sqlite3 .backup",
            Source::Server(_) => "pg_dump",
        }
    }

    /// Whether there is a database: services were started once.
    ///
    /// # Errors
    /// When a server does not answer, or a folder cannot be looked into.
    pub async fn exists(&self) -> Result<bool, BackupError> {
        match self {
            Source::File(file) => file.try_exists().map_err(BackupError::Disk),
            Source::Server(server) => Ok(server.exists().await? && server.is_used().await?),
        }
    }

    /// Copies the live database into the new file `to`: one moment of it, also while others write, and nothing of what was deleted. What it
    /// held at that moment, where that can be compared with what a tool made of it.
    ///
    /// # Errors
    /// When the database or the disk refuses. A part of `to` may be left then.
    pub async fn copy(&self, to: &Path) -> Result<Option<Contents>, BackupError> {
        match self {
            Source::File(file) => file::copy(file, to).await.map(|()| None),
            Source::Server(server) => server.dump(to).await,
        }
    }

    /// Reads a copy of it from beginning to end. What it holds, which has to be what the database held.
    ///
    /// # Errors
    /// What is wrong with the copy.
    pub async fn check(&self, copy: &Path, expected: Option<Contents>) -> Result<Contents, BackupError> {
        let found = match self {
            Source::File(_) => file::check(copy).await?,
            Source::Server(server) => server.check(copy).await?,
        };
        match expected {
            Some(expected) if expected != found => Err(BackupError::Differs { expected, found }),
            _ => Ok(found),
        }
    }
}
