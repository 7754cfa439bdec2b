//! All SQL, on SQLite and PostgreSQL with one text. It does not decide: a write says what it expects and reports whether it changed anything.
