//! `stickers bot`: Telegram updates, generation worker, delivery verifier, sweeper, leads loop, clean-up.

use crate::config::Config;
use crate::failure::Failure;
use crate::{logs, parts, signals};
use app::neighbours::Strangers;
use app::timer::TokioTimer;
use app::{Outside, Roles, bot_run};
use clap::Args;
use clients::telegram::BotApi;
use std::sync::Arc;

/// Telegram updates, sticker making, delivery, deadlines, leads and clean-up.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers bot --roles updates,sweeper,leads,cleanup\n\nThe end of any role ends the process with status 1."
)]
pub struct BotArgs {
    /// Which parts to run, from updates, worker, sweeper, leads, cleanup [default: all]
    #[arg(long, value_name = "LIST")]
    roles: Option<Roles>,
}

/// Runs the command until it is asked to end.
pub fn run(args: &BotArgs, config: Config) -> Result<(), Failure> {
    let mut outside = outside(&config)?;
    let _logs = logs::start(&config.logs)?;
    let roles = args.roles.clone().unwrap_or_else(Roles::all);
    parts::runtime()?.block_on(async move {
        let stop = signals::shutdown()?;
        let ctx = parts::ctx(&config).await?;
        outside.neighbours = parts::neighbours(&config, &ctx);
        let store = ctx.store.clone();
        let ended = bot_run(ctx, outside, roles, stop).await;
        store.close().await;
        ended.map_err(|error| Failure::of("the bot ended", &error))
    })
}

/// The world outside, as the configuration says; nothing is known of other processes yet.
///
/// # Errors
/// Status 2 without a token.
pub fn outside(config: &Config) -> Result<Outside, Failure> {
    let telegram = &config.telegram;
    let token = telegram.bot_token.clone().ok_or_else(|| {
        Failure::input("BOT_TOKEN is not set: the bot needs the token that BotFather gave, in the environment or in --env-file")
    })?;
    let api = BotApi::new(&telegram.api_url, token)
        .map_err(|error| Failure::of("the client for Telegram cannot be made", &error))?;
    let providers = config.drawing.providers();
    let providers =
        providers.map_err(|error| Failure::of("the client for an image provider cannot be made", &error))?;
    Ok(Outside {
        telegram: Arc::new(api),
        timer: Arc::new(TokioTimer),
        providers: Arc::new(providers),
        neighbours: Arc::new(Strangers),
    })
}
