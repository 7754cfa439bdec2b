//! The pages, rendered from `templates/`.

use crate::content::Shown;
use crate::form::Typed;
use crate::site::{Shared, Site};
use crate::submit::new_request_id;
use crate::words::{FORM_FIELDS, FieldWords, Words};
use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::Language;
use domain::lead_form::{Field, FieldErrors};
use http::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};

/// What the nine stickers of the chapan pack are called.
const NINE: [&str; 9] = [
    "chapan-hi",
    "chapan-laugh",
    "chapan-love",
    "chapan-like",
    "chapan-tea",
    "chapan-sleep",
    "chapan-angry",
    "chapan-dance",
    "chapan-thanks",
];

/// The picture of each outfit, in the order of [`Words::outfit_names`].
const OUTFITS: [&str; 8] =
    ["chapan-thanks", "astronaut", "hero", "chef", "football", "hoodie", "doctor", "royal"];

/// What is said above the form although every field is right.
#[derive(Clone, Copy)]
pub enum Trouble {
    /// Too many requests.
    Throttled,
    /// It did not arrive.
    Failed,
    /// More was typed than is read.
    TooLong,
}

fn browser_language(headers: &HeaderMap) -> Language {
    let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::from_accept_language(header.unwrap_or_default())
}

/// `GET /`: to the browser's language.
pub async fn root(headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let marks = Typed::opened(&query.unwrap_or_default()).query();
    let mut response =
        Redirect::to(&format!("/{}{marks}", browser_language(&headers).code())).into_response();
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-language"));
    response
}

/// `GET /{lang}`
pub async fn page(
    State(site): State<Site>,
    Path(code): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(language) = Language::from_code(&code) else { return missing(&site, &headers) };
    let options = &site.0.options;
    let mut typed = Typed::opened(&query.unwrap_or_default());
    typed.started_at = options.clock.now().as_millis().to_string();
    typed.request_id = new_request_id(options.rng.as_ref());
    whole(&site.0, language, &typed, &FieldErrors::default(), None, StatusCode::OK)
}

/// `GET /{lang}/request`: somebody loads the address of the form again; back to the page.
pub async fn back(State(site): State<Site>, Path(code): Path<String>, headers: HeaderMap) -> Response {
    match Language::from_code(&code) {
        Some(language) => Redirect::to(&format!("/{}", language.code())).into_response(),
        None => missing(&site, &headers),
    }
}

/// Any other address.
pub async fn not_found(State(site): State<Site>, headers: HeaderMap) -> Response {
    missing(&site, &headers)
}

/// 404, in the browser's language.
pub fn missing(site: &Site, headers: &HeaderMap) -> Response {
    let language = browser_language(headers);
    let typed = Typed::default();
    let frame = Frame::new(&site.0, language, &typed);
    let template = MissingPage { page: &frame, w: Words::of(language), with_menu: false };
    let mut response = html(StatusCode::NOT_FOUND, &template);
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-language"));
    response
}

/// The page of a request that arrived.
pub fn sent(site: &Site, language: Language, typed: &Typed) -> Response {
    let frame = Frame::new(&site.0, language, typed);
    let name = typed.telegram.trim();
    let name = if name.starts_with('@') { name.to_owned() } else { format!("@{name}") };
    let sent_to = (name.len() > 1).then_some(name.as_str());
    let template = SentPage { page: &frame, w: Words::of(language), with_menu: false, whole: true, sent_to };
    html(StatusCode::OK, &template)
}

/// The page of a request that did not arrive, with everything that was typed.
pub fn refused(
    site: &Site,
    language: Language,
    typed: &Typed,
    errors: &FieldErrors,
    trouble: Option<Trouble>,
    status: StatusCode,
) -> Response {
    whole(&site.0, language, typed, errors, trouble, status)
}

fn whole(
    shared: &Shared,
    language: Language,
    typed: &Typed,
    errors: &FieldErrors,
    trouble: Option<Trouble>,
    status: StatusCode,
) -> Response {
    let words = Words::of(language);
    let frame = Frame::new(shared, language, typed);
    let content = shared.options.content.shown(language, shared.options.photo_ttl_hours);
    let trouble = trouble.map(|trouble| match trouble {
        Trouble::Throttled => words.throttled,
        Trouble::Failed => words.failed,
        Trouble::TooLong => words.too_long_form,
    });
    let form = FormView { typed, fields: fields(words, typed, errors), trouble };
    let template = WholePage {
        page: &frame,
        w: words,
        content: &content,
        form,
        refused: status != StatusCode::OK,
        with_menu: true,
        whole: false,
        sent_to: None,
    };
    html(status, &template)
}

fn html(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a page cannot be rendered");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
struct WholePage<'p> {
    page: &'p Frame<'p>,
    w: &'static Words,
    content: &'p Shown,
    form: FormView<'p>,
    refused: bool,
    with_menu: bool,
    whole: bool,
    sent_to: Option<&'p str>,
}

/// The page after a form without JavaScript.
#[derive(Template)]
#[template(path = "sent_page.html")]
struct SentPage<'p> {
    page: &'p Frame<'p>,
    w: &'static Words,
    with_menu: bool,
    whole: bool,
    sent_to: Option<&'p str>,
}

/// 404.
#[derive(Template)]
#[template(path = "missing.html")]
struct MissingPage<'p> {
    page: &'p Frame<'p>,
    w: &'static Words,
    with_menu: bool,
}

/// What every page knows.
struct Frame<'p> {
    shared: &'p Shared,
    language: Language,
    brand: &'p str,
    privacy_url: Option<&'p str>,
    public_url: &'p str,
    /// Marks of the page's address, handed on by its links.
    marks: String,
}

/// A language in the switch.
struct LanguageLink {
    code: &'static str,
    short: &'static str,
    own_name: &'static str,
    home: String,
    is_current: bool,
}

impl<'p> Frame<'p> {
    fn new(shared: &'p Shared, language: Language, typed: &Typed) -> Self {
        let options = &shared.options;
        Frame {
            shared,
            language,
            brand: &options.brand,
            privacy_url: options.privacy_url.as_deref(),
            public_url: &options.public_url,
            marks: typed.query(),
        }
    }

    fn code(&self) -> &'static str {
        self.language.code()
    }

    fn home(&self) -> String {
        format!("/{}{}", self.code(), self.marks)
    }

    fn languages(&self) -> Vec<LanguageLink> {
        let link = |language: Language| LanguageLink {
            code: language.code(),
            short: Words::of(language).short,
            own_name: Words::of(language).own_name,
            home: format!("/{}{}", language.code(), self.marks),
            is_current: language == self.language,
        };
        Language::ALL.into_iter().map(link).collect()
    }

    /// The language as Open Graph names it.
    fn locale(&self) -> &'static str {
        match self.language {
            Language::Ru => "ru_RU",
            Language::Uz => "uz_UZ",
            Language::En => "en_GB",
        }
    }

    fn asset(&self, path: &str) -> &str {
        self.shared.assets.url(path)
    }

    fn fonts(&self) -> &[String] {
        self.shared.assets.fonts(self.language)
    }

    /// A sticker with its caption in the page's language.
    fn picture(&self, name: &str) -> &str {
        self.asset(&format!("pictures/{}/{name}.webp", self.code()))
    }

    /// The picture that messengers show.
    fn card(&self) -> &str {
        self.asset(&format!("card-{}.png", self.code()))
    }

    fn qr(&self) -> &str {
        &self.shared.qr
    }

    fn nine(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        NINE.into_iter().zip(Words::of(self.language).nine_alts)
    }

    fn outfits(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        OUTFITS.into_iter().zip(Words::of(self.language).outfit_names)
    }
}

/// The form as it is shown.
struct FormView<'p> {
    typed: &'p Typed,
    fields: Vec<FieldView<'p>>,
    trouble: Option<&'static str>,
}

impl FormView<'_> {
    fn refused(&self) -> impl Iterator<Item = &FieldView<'_>> {
        self.fields.iter().filter(|field| field.error.is_some())
    }

    fn is_refused(&self) -> bool {
        self.refused().next().is_some()
    }
}

/// A field as it is shown.
struct FieldView<'p> {
    field: Field,
    name: &'static str,
    words: &'static FieldWords,
    value: &'p str,
    error: Option<&'static str>,
}

fn fields<'p>(words: &'static Words, typed: &'p Typed, errors: &FieldErrors) -> Vec<FieldView<'p>> {
    FORM_FIELDS
        .into_iter()
        .zip(&words.fields)
        .map(|(field, words)| FieldView {
            field,
            name: field.word(),
            words,
            value: typed.value(field),
            error: errors.of(field).map(|code| words.error(code)),
        })
        .collect()
}

impl FieldView<'_> {
    fn is_optional(&self) -> bool {
        matches!(self.field, Field::Date | Field::Guests | Field::Comment)
    }

    fn is_long(&self) -> bool {
        self.field == Field::Comment
    }

    fn is_username(&self) -> bool {
        self.field == Field::Telegram
    }

    fn kind(&self) -> &'static str {
        if self.field == Field::Phone { "tel" } else { "text" }
    }

    fn autocomplete(&self) -> &'static str {
        match self.field {
            Field::Name => "name",
            Field::Phone => "tel",
            Field::Telegram | Field::RequestId | Field::Date | Field::Guests | Field::Comment => "off",
        }
    }

    /// The texts that belong to the field. The error is named even before there is one: the script fills it in place.
    fn described_by(&self) -> String {
        let error = format!("{}-error", self.name);
        if self.words.hint.is_empty() { error } else { format!("{}-hint {error}", self.name) }
    }
}
