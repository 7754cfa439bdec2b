//! What search engines ask for.

use crate::site::Site;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::Language;
use http::header::CONTENT_TYPE;
use std::fmt::Write;

/// `GET /robots.txt`
pub async fn robots(State(site): State<Site>) -> Response {
    let public = &site.0.options.public_url;
    let text = format!("User-agent: *\nAllow: /\n\nSitemap: {public}/sitemap.xml\n");
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// `GET /sitemap.xml`: the page in each language, and that they are the same page.
pub async fn sitemap(State(site): State<Site>) -> Response {
    let public = escaped(&site.0.options.public_url);
    let mut alternates = String::new();
    for language in Language::ALL {
        let code = language.code();
        // Writing to a String cannot fail, here and below.
        let _ =
            write!(alternates, r#"<xhtml:link rel="alternate" hreflang="{code}" href="{public}/{code}"/>"#);
    }
    let mut text = String::from(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
"#,
    );
    for language in Language::ALL {
        let _ = writeln!(text, "<url><loc>{public}/{}</loc>{alternates}</url>", language.code());
    }
    text.push_str("</urlset>\n");
    ([(CONTENT_TYPE, "application/xml")], text).into_response()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
