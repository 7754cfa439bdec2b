//! Forms of the panel's pages, bounded while they are read.

use super::error::PanelError;
use crate::shell::body;
use axum::body::Body;
use domain::guest::clean_text;
use http::HeaderMap;
use std::collections::HashMap;

/// The longest form.
const FORM_MAX: usize = 8 * 1024;

/// What the number in an address stands for.
///
/// # Errors
/// When it is no number: there is no such page.
pub fn numbered<T>(id: &str, of: impl FnOnce(i64) -> T) -> Result<T, PanelError> {
    id.parse().map(of).map_err(|_| PanelError::NotFound)
}

/// The fields of a form, or of the query of an address.
#[derive(Clone, Debug, Default)]
pub struct Fields(HashMap<String, String>);

impl Fields {
    /// A form that was sent.
    ///
    /// # Errors
    /// When it is too long or broke off.
    pub async fn read(headers: &HeaderMap, body: Body) -> Result<Fields, PanelError> {
        let bytes = body::read(headers, body, FORM_MAX).await.map_err(|_| PanelError::TooLong)?;
        Ok(Self::parse(&bytes))
    }

    /// What stands behind `?` in an address.
    pub fn of_query(query: Option<&str>) -> Fields {
        Self::parse(query.unwrap_or_default().as_bytes())
    }

    fn parse(bytes: &[u8]) -> Fields {
        // Control characters have no business in any field, and PostgreSQL refuses NUL.
        let pairs = form_urlencoded::parse(bytes);
        Fields(pairs.map(|(name, value)| (name.into_owned(), clean_text(&value))).collect())
    }

    /// A field as it was typed; nothing when it is not there.
    pub fn raw(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A field that is a whole number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.text(name).parse().ok()
    }

    /// A field without blanks around it.
    pub fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }
}
