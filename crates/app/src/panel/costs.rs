//! What image providers cost: by day of California, by stage, for a pack.

use crate::spend::{self, Report};
use crate::{AppError, Ctx, operator};
use domain::cost::pacific_midnight;
use domain::operator::Balance;
use store::panel;

/// The costs of some days.
#[derive(Clone, Debug)]
pub struct Costs {
    /// Days, today included.
    pub days: u16,
    /// By day, stage, provider, model.
    pub report: Report,
    /// Packs made in these days, by how: `figure`, `composite`, `composite_fallback`.
    pub packs: Vec<(String, i64)>,
    /// Packs made today in California.
    pub packs_today: i64,
    /// The prepaid balance, where somebody typed one.
    pub balance: Option<Balance>,
}

/// Reads them.
///
/// # Errors
/// When the database fails.
pub async fn costs(ctx: &Ctx, days: u16) -> Result<Costs, AppError> {
    let (now, mut reader) = (ctx.clock.now(), ctx.store.reader());
    let since = pacific_midnight(now, i32::from(days) - 1);
    let today = panel::packs_by_mode(&mut reader, pacific_midnight(now, 0)).await?;
    Ok(Costs {
        days,
        report: spend::report(&ctx.store, now, days).await?,
        packs: panel::packs_by_mode(&mut reader, since).await?,
        packs_today: today.iter().map(|(_, count)| count).sum(),
        balance: operator::balance(&mut reader).await?,
    })
}

impl Costs {
    /// Packs of these days.
    pub fn packs_in_all(&self) -> i64 {
        self.packs.iter().map(|(_, count)| count).sum()
    }

    /// US dollars for a pack, over all of them; none without packs.
    pub fn per_pack(&self) -> Option<f64> {
        let packs = u32::try_from(self.packs_in_all()).ok().filter(|packs| *packs > 0)?;
        Some(self.report.total_usd() / f64::from(packs))
    }

    /// Whole percent of the packs that no provider drew.
    pub fn free_percent(&self) -> Option<i64> {
        let free: i64 =
            self.packs.iter().filter(|(mode, _)| mode == "composite").map(|(_, count)| count).sum();
        (self.packs_in_all() > 0).then(|| free * 100 / self.packs_in_all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_costs_what_all_cost_by_their_number_and_nothing_is_divided_by_none() {
        let row = spend::Row {
            day: "2026-11-29".into(),
            stage: "sheet".into(),
            provider: "gemini".into(),
            model: "m".into(),
            calls: 1,
            input_tokens: 1,
            output_tokens: 1,
            images: 1,
            cost_usd: 3.0,
        };
        let mut costs = Costs {
            days: 13,
            report: Report { rows: vec![row] },
            packs: vec![("composite".into(), 4), ("figure".into(), 8)],
            packs_today: 1,
            balance: None,
        };
        assert_eq!((costs.per_pack(), costs.free_percent()), (Some(0.25), Some(33)));
        costs.packs.clear();
        assert_eq!((costs.per_pack(), costs.free_percent()), (None, None));
    }
}
