//! What every edge shares: errors, headers, limits, the kiosk key, assets.

pub mod assets;
pub mod body;
pub mod caller;
pub mod drain;
pub mod error;
pub mod headers;
pub mod key;
pub mod observe;
pub mod timeout;
