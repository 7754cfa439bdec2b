//! Builds what the commands run on from the configuration: database, media store, renderer, figures.

use crate::config::Config;
use crate::failure::{Failure, chain};
use crate::running::Running;
use crate::system::{SystemClock, SystemRng};
use app::backup::copies::{self, Migrated};
use app::neighbours::{Neighbours, Strangers};
use app::{Ctx, Limits, Settings};
use clients::media::{Media, MediaUrl};
use domain::{Clock, rng};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use render::{Renderer, Templates};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::backup::Source;
use store::{OpenError, Store, StoreOptions};
use tokio::runtime::Runtime;

/// Version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Revision of the source it was built from: `STICKERS_REVISION` of the build, or that of the repository, or `unknown`.
pub const REVISION: &str = env!("STICKERS_BUILT_FROM");

/// Upper bounds of the buckets for durations of requests, in seconds.
const DURATION_BUCKETS_S: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// How often figures are folded together, so that their memory stays bounded.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// A runtime for commands that wait.
///
/// # Errors
/// When the system gives no threads.
pub fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::of("no threads to work with", &error))
}

/// Outfits of `TEMPLATES_DIR`, or the built-in ones.
///
/// # Errors
/// Status 2 with one line for each thing that is wrong with an outfit.
pub fn templates(dir: Option<&Path>) -> Result<Templates, Failure> {
    match dir {
        None => Ok(Templates::built_in()),
        Some(dir) => Templates::load(dir).map_err(|problems| {
            let shown = dir.display();
            Failure::Input(
                problems.iter().map(|problem| format!("TEMPLATES_DIR {shown}: {problem}")).collect(),
            )
        }),
    }
}

/// The renderer over these outfits.
///
/// # Errors
/// When a model does not load.
pub fn renderer(templates: Templates) -> Result<Renderer, Failure> {
    Renderer::new(templates).map_err(|error| Failure::of("the renderer cannot start", &error))
}

/// The database as something to copy.
///
/// # Errors
/// Status 2 for an address that means nothing.
pub fn source(config: &Config) -> Result<Source, Failure> {
    Source::of(&config.storage.database_url).map_err(|error| Failure::Input(vec![chain(&error)]))
}

/// The open database with every migration applied.
///
/// # Errors
/// When it cannot be opened or migrated.
pub async fn store(config: &Config) -> Result<Store, Failure> {
    let store = open(config).await?;
    migrate(&store, config).await?;
    Ok(store)
}

/// Applies the migrations that are missing; their names. Before a database that holds something is migrated it is copied, and the migration
/// rehearsed (seed 002, "Automatic copies").
///
/// # Errors
/// When the rehearsal or the migration fails; the database is as it was then.
pub async fn migrate(store: &Store, config: &Config) -> Result<Vec<&'static str>, Failure> {
    let migrating = copies::before_migration(store, &config.backups, SystemClock.now()).await;
    let migrating = migrating.map_err(|error| Failure::of("the database was not migrated", &error))?;
    if let Some(Migrated { columns, copy }) = migrating {
        let columns = if columns.is_empty() { "нет".to_owned() } else { columns.join(", ") };
        let (database, copy) = (store.source().shown(), copy.display());
        tracing::info!("Миграция БД {database}: добавлены колонки {columns}, бэкап до миграции: {copy}");
    }
    let applied =
        store.migrate().await.map_err(|error| Failure::of("the database cannot be migrated", &error))?;
    if !applied.is_empty() {
        tracing::info!(migrations = applied.join(", "), "the database was migrated");
    }
    Ok(applied)
}

/// The open database as it is.
///
/// # Errors
/// Status 2 for an address that means nothing; status 1 when the database cannot be opened.
pub async fn open(config: &Config) -> Result<Store, Failure> {
    let opened = Store::open(StoreOptions::new(config.storage.database_url.clone())).await;
    opened.map_err(|error| match error {
        OpenError::Url | OpenError::Address(_) => Failure::Input(vec![chain(&error)]),
        OpenError::SqliteTooOld { .. } | OpenError::Create { .. } | OpenError::Database(_) => {
            Failure::of("the database cannot be opened", &error)
        }
    })
}

/// The store of photos and stickers.
///
/// # Errors
/// Status 2 for an address that means nothing; status 1 when the folder cannot be used.
pub fn media(config: &Config) -> Result<Media, Failure> {
    let url = MediaUrl::parse(&config.storage.media_url)
        .map_err(|error| Failure::input(format!("MEDIA_URL is not usable: {error}")))?;
    Media::open(&url, config.storage.aws.clone())
        .map_err(|error| Failure::of("the media store cannot be opened", &error))
}

/// What verbs and loops are given.
///
/// # Errors
/// When the database, the media store or the renderer cannot be used.
pub async fn ctx(config: &Config) -> Result<Ctx, Failure> {
    let templates = templates(config.work.templates_dir.as_deref())?;
    let renderer = Arc::new(renderer(templates)?);
    Ok(Ctx {
        media: media(config)?,
        store: store(config).await?,
        clock: Arc::new(SystemClock),
        rng: Arc::new(SystemRng),
        renderer,
        settings: Arc::new(settings(config)),
        limits: Arc::new(Limits::default()),
        watchers: Arc::default(),
    })
}

/// What verbs and loops look at of the configuration.
pub fn settings(config: &Config) -> Settings {
    let (event, storage) = (&config.event, &config.storage);
    Settings {
        link_url: config.telegram.link_url.clone(),
        public_url: config.http.public_url.clone(),
        event_name: event.event_name.clone(),
        brand_name: event.brand_name.clone(),
        privacy_url: event.privacy_url.clone(),
        admin_user_ids: event.admin_user_ids.clone(),
        worker_slots: config.work.worker_slots,
        pack_limit: event.pack_limit,
        photo_ttl_hours: event.photo_ttl_hours,
        maintenance: event.maintenance,
        process: format!("{}-{}", std::process::id(), rng::pack_key(&SystemRng)),
        // A file is used by one machine; a server may be shared, and then a claim that has not expired belongs to somebody.
        several_machines: !storage.database_url.starts_with("sqlite://"),
        backups: Some(config.backups.clone()),
        leads: config.leads.clone(),
    }
}

/// What the bot knows of other processes of this machine.
pub fn neighbours(config: &Config, ctx: &Ctx) -> Arc<dyn Neighbours> {
    match Running::begin(&config.storage.data_dir, &ctx.settings.process) {
        Ok(running) => Arc::new(running),
        Err(error) => {
            let dir = config.storage.data_dir.display();
            tracing::warn!(%error, %dir, "this bot cannot mark itself as running: what a killed one held is waited out");
            Arc::new(Strangers)
        }
    }
}

/// Starts to gather figures.
///
/// # Errors
/// When somebody else gathers them already.
pub fn figures() -> Result<PrometheusHandle, Failure> {
    PrometheusBuilder::new()
        .set_buckets(&DURATION_BUCKETS_S)
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|error| Failure::of("figures cannot be gathered", &error))
}

/// Folds figures together until the process ends.
pub async fn keep_figures_small(figures: PrometheusHandle) {
    let mut every = tokio::time::interval(UPKEEP_EVERY);
    loop {
        every.tick().await;
        figures.run_upkeep();
    }
}
