//! The landing site: one page in three languages that sells, and a form whose requests reach the sales team (seed 003). It has no database: a
//! request goes to `POST /leads` of the product server, or to the team's Telegram group when that server does not answer.
//!
//! Everything works without JavaScript; with it the form is sent without a reload. The page needs no cookie.
//!
//! **Invariant:** whatever happens to a request, the visitor either sees "sent" or keeps what was typed.

mod assets;
mod content;
mod crawl;
mod deliver;
mod form;
mod gzip;
mod headers;
mod limit;
mod message;
mod page;
mod qr;
mod request;
mod routes;
mod site;
mod submit;
mod words;

pub use content::{Content, ContentError};
pub use deliver::{Delivery, Fallback, Route, Waits};
pub use site::{Site, SiteError, SiteOptions};
