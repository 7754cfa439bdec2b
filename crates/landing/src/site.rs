//! The site: what it is told, and what its handlers share.

use crate::assets::Assets;
use crate::content::Content;
use crate::deliver::Delivery;
use crate::limit::Limiter;
use crate::{qr, routes};
use axum::Router;
use domain::{Clock, Rng};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Requests that are being delivered at once; a further visitor is asked to try again and keeps what was typed.
const DELIVERIES_MAX: u32 = 256;

/// How long [`Site::finish`] waits for deliveries: the server's and Telegram's time together, and a little.
const FINISH_WAIT: Duration = Duration::from_secs(16);

/// What the site is told by the configuration.
pub struct SiteOptions {
    /// `BRAND_NAME`.
    pub brand: String,
    /// `PRIVACY_URL`: the rules about data.
    pub privacy_url: Option<String>,
    /// Where visitors reach the site, without a slash at its end. Search engines and messengers are told it.
    pub public_url: String,
    /// `PHOTO_TTL_HOURS`: the page says how long a photo is kept at most.
    pub photo_ttl_hours: u32,
    /// `TRUSTED_PROXIES`: only from these is `X-Forwarded-For` believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Packages, questions and the promise at the form.
    pub content: Content,
    /// Where requests go.
    pub delivery: Delivery,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance, for `requestId`.
    pub rng: Arc<dyn Rng>,
}

/// Why there can be no site.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The program was built before its pages were.
    #[error("the program was built without the landing pages; run tools/build-web and build it again")]
    NoPages,
    /// The public address does not fit a QR code.
    #[error("the public address of the landing site is too long")]
    PublicUrl,
}

/// The landing site.
#[derive(Clone)]
pub struct Site(pub(crate) Arc<Shared>);

/// What every handler can reach.
pub(crate) struct Shared {
    pub options: SiteOptions,
    pub assets: Assets,
    pub limiter: Limiter,
    /// Places for requests on their way out.
    pub deliveries: Arc<Semaphore>,
    /// The site's own address as a QR code, SVG.
    pub qr: String,
}

impl Site {
    /// A site over these options. Connects to nothing yet.
    ///
    /// # Errors
    /// When the pages are missing, or the public address is too long.
    pub fn new(options: SiteOptions) -> Result<Site, SiteError> {
        let assets = Assets::embedded().ok_or(SiteError::NoPages)?;
        let qr = qr::svg(&options.public_url).ok_or(SiteError::PublicUrl)?;
        let deliveries = Arc::new(Semaphore::new(DELIVERIES_MAX as usize));
        Ok(Site(Arc::new(Shared { options, assets, limiter: Limiter::default(), deliveries, qr })))
    }

    /// Every address of the site. The server must put `ConnectInfo<SocketAddr>` into each request, or all visitors share one rate limit.
    pub fn router(&self) -> Router {
        routes::router(self)
    }

    /// Waits until every request that was accepted has gone out: to be called when the server has ended. Bounded.
    pub async fn finish(&self) {
        let all = self.0.deliveries.acquire_many(DELIVERIES_MAX);
        if tokio::time::timeout(FINISH_WAIT, all).await.is_err() {
            tracing::error!("requests were cut off at shutdown");
        }
    }
}
