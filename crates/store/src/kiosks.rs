//! Table `kiosks`: tablets and when they were last heard of.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Read, Tx};
use domain::Timestamp;

/// What a tablet says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// Its name.
    pub kiosk: String,
    /// State of its camera: `ok`, `lost` or `denied`.
    pub camera: String,
    /// Battery in percent, if it tells.
    pub battery: Option<i64>,
    /// Version of the page it runs.
    pub version: String,
    /// When it said so.
    pub now: Timestamp,
}

/// A tablet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kiosk {
    /// Its name.
    pub kiosk: String,
    /// State of its camera: `ok`, `lost` or `denied`.
    pub camera: String,
    /// Battery in percent, if it tells.
    pub battery: Option<i64>,
    /// Version of the page it runs.
    pub version: String,
    /// First heartbeat.
    pub first_seen_at: Timestamp,
    /// Last heartbeat.
    pub seen_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct KioskRow {
    kiosk: String,
    camera: String,
    battery: Option<i64>,
    version: String,
    first_seen_at: i64,
    seen_at: i64,
}

/// All tablets, by name.
pub async fn list(on: &mut impl Read) -> Result<Vec<Kiosk>, StoreError> {
    let rows = Query::new(
        "SELECT kiosk, camera, battery, version, first_seen_at, seen_at FROM kiosks ORDER BY kiosk",
    )
    .all::<KioskRow>(on)
    .await?;
    let kiosk = |row: KioskRow| Kiosk {
        kiosk: row.kiosk,
        camera: row.camera,
        battery: row.battery,
        version: row.version,
        first_seen_at: Timestamp::from_millis(row.first_seen_at),
        seen_at: Timestamp::from_millis(row.seen_at),
    };
    Ok(rows.into_iter().map(kiosk).collect())
}

/// Stores what a tablet says about itself.
pub async fn heartbeat(tx: &mut Tx, beat: &Heartbeat) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO kiosks (kiosk, camera, battery, version, first_seen_at, seen_at) \
         VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (kiosk) DO UPDATE SET camera = excluded.camera, \
         battery = excluded.battery, version = excluded.version, seen_at = excluded.seen_at",
    )
    .bind(beat.kiosk.as_str())
    .bind(beat.camera.as_str())
    .bind(beat.battery)
    .bind(beat.version.as_str())
    .bind(beat.now)
    .run(tx)
    .await
    .map(drop)
}
