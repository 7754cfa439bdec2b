//! Takes updates: each is durably stored before it is confirmed, and handled from the table (telegram.md, section 3).

use super::{log_error, may_pass};
use crate::bot::{self, Incoming, Receipt};
use crate::health::{BOT_SEEN_AT, BOT_USERNAME};
use crate::lead::status::Toast;
use crate::outbox::Sender;
use crate::{AppError, Ctx, Outside};
use clients::telegram::{BotCommand, CommandScope, ErrorKind, TelegramError, decode};
use domain::Language;
use std::sync::Arc;
use std::time::Duration;
use store::updates::{self as table, NewUpdate, StoredUpdate};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Kinds of updates the bot asks for, with every poll: Telegram remembers the last list for ever.
const ALLOWED: [&str; 3] = ["message", "callback_query", "my_chat_member"];
/// How long Telegram holds an empty poll.
const POLL_TIMEOUT_S: u32 = 25;
/// Updates handled per pass.
const BATCH: u32 = 100;
/// Times an update is tried before it is set aside.
const TRIES_MAX: i64 = 5;
/// Ends of spinners under way at once.
const ANSWERS_MAX: usize = 32;

/// Runs until `stop`: introduces the bot, then polls, handles and sends side by side.
pub(super) async fn run(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    let Some(bot) = introduce(ctx, outside, stop).await? else { return Ok(()) };
    tokio::try_join!(
        poll(ctx, outside, stop),
        handle(ctx, outside, &bot, stop),
        send(ctx, outside, stop),
        show_life(ctx, outside, stop),
    )
    .map(drop)
}

/// Asks who we are until Telegram answers, and stores the username for the API. `None`: stopped before that.
async fn introduce(
    ctx: &Ctx,
    outside: &Outside,
    stop: &CancellationToken,
) -> Result<Option<String>, AppError> {
    let mut failures = 0;
    loop {
        let asked = tokio::select! {
            () = stop.cancelled() => return Ok(None),
            asked = outside.telegram.get_me() => asked,
        };
        let pause = match asked {
            Ok(me) => match note_username(ctx, me.username.clone()).await {
                Ok(()) => {
                    tell_commands(ctx, outside).await;
                    return Ok(Some(me.username));
                }
                Err(error) if may_pass(&error) => {
                    log_error("introduction", &error);
                    NOTE_AGAIN_AFTER
                }
                Err(error) => return Err(error),
            },
            Err(error) => {
                let hint = match error.kind {
                    ErrorKind::Unauthorized => "; is BOT_TOKEN right?",
                    _ => "",
                };
                tracing::error!(status = error.status, description = %error.description, "Telegram does not tell who we are{hint}");
                let pause = back_off(failures, &error);
                failures += 1;
                pause
            }
        };
        tokio::select! {
            () = stop.cancelled() => return Ok(None),
            () = outside.timer.sleep(pause) => {}
        }
    }
}

async fn note_username(ctx: &Ctx, username: String) -> Result<(), AppError> {
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                store::settings::set(tx, BOT_USERNAME, &username, now).await.map_err(AppError::from)
            })
        })
        .await
}

/// The command menu is a courtesy: without it everything works.
async fn tell_commands(ctx: &Ctx, outside: &Outside) {
    if let Some(group) = &ctx.settings.leads.group {
        let chat = crate::lead::group::chat_id(&mut ctx.store.reader(), group).await.unwrap_or(group.chat_id);
        let told =
            outside.telegram.set_my_commands(&bot::group_commands(), CommandScope::Chat(chat), None).await;
        if let Err(error) = told {
            tracing::warn!(description = %error.description, "the command menu of the leads group was not set");
        }
    }
    let operators: Vec<BotCommand> =
        bot::operator_commands().into_iter().chain(bot::guest_commands(Language::Ru)).collect();
    for admin in &ctx.settings.admin_user_ids {
        // Refused until the operator pressed Start; the commands work all the same.
        if let Err(error) =
            outside.telegram.set_my_commands(&operators, CommandScope::Chat(*admin), None).await
        {
            tracing::info!(description = %error.description, "the command menu of an operator was not set");
        }
    }
    for (language, code) in [(Language::Ru, None), (Language::Uz, Some("uz")), (Language::En, Some("en"))] {
        let commands = bot::guest_commands(language);
        let told = outside.telegram.set_my_commands(&commands, CommandScope::AllPrivateChats, code).await;
        if let Err(error) = told {
            tracing::warn!(description = %error.description, "the command menu was not set");
        }
    }
}

async fn poll(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    let mut failures = 0;
    while !stop.is_cancelled() {
        let polled = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            polled = poll_once(ctx, outside, POLL_TIMEOUT_S) => polled,
        };
        let pause = match polled {
            Ok(Ok(_)) => {
                failures = 0;
                continue;
            }
            Ok(Err(error)) => {
                tracing::warn!(status = error.status, description = %error.description, "a poll failed");
                remove_webhook(outside, &error).await;
                back_off(failures, &error)
            }
            Err(error) => {
                log_error("updates", &error);
                Duration::from_secs(2)
            }
        };
        failures += 1;
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(pause) => {}
        }
    }
    Ok(())
}

/// One poll: asks from the stored offset on and stores what came together with the new offset, before the next poll confirms it. Answers
/// how many were new.
///
/// # Errors
/// Outer: the database. Inner: Telegram's answer.
pub async fn poll_once(
    ctx: &Ctx,
    outside: &Outside,
    timeout_s: u32,
) -> Result<Result<u64, TelegramError>, AppError> {
    let offset = table::offset(&mut ctx.store.reader()).await?;
    let got = match outside.telegram.get_updates(offset.unwrap_or(0), timeout_s, &ALLOWED).await {
        Ok(got) => got,
        Err(error) => return Ok(Err(error)),
    };
    if got.is_empty() {
        return Ok(Ok(0));
    }
    let rows: Vec<NewUpdate> = got
        .into_iter()
        .map(|raw| NewUpdate {
            update_id: raw.update_id,
            from: bot::sender_of(&raw.json),
            body: raw.json.to_string(),
        })
        .collect();
    let now = ctx.clock.now();
    let new = ctx
        .store
        .write(move |tx| {
            Box::pin(async move { table::insert_batch(tx, &rows, now).await.map_err(AppError::from) })
        })
        .await?;
    Ok(Ok(new))
}

/// A webhook set by somebody else blocks polling; it is removed without dropping what waits.
async fn remove_webhook(outside: &Outside, error: &TelegramError) {
    if error.kind != ErrorKind::WebhookActive {
        return;
    }
    if let Err(error) = outside.telegram.delete_webhook().await {
        tracing::error!(description = %error.description, "the webhook could not be removed");
    }
}

/// Pause before the next call: what Telegram asks, an hour at most; 3 s while another poller is being ended; a minute for a wrong token;
/// else growing from 1 s to 32 s.
fn back_off(failures: u32, error: &TelegramError) -> Duration {
    let seconds = match error.kind {
        ErrorKind::Flood { retry_after_s } => u64::from(retry_after_s).min(3600),
        ErrorKind::Conflict => 3,
        ErrorKind::Unauthorized => 60,
        _ => 1 << failures.min(5),
    };
    Duration::from_secs(seconds.max(1))
}

async fn handle(ctx: &Ctx, outside: &Outside, bot: &str, stop: &CancellationToken) -> Result<(), AppError> {
    let mut changes = ctx.store.changes();
    let answers = Arc::new(Semaphore::new(ANSWERS_MAX));
    while !stop.is_cancelled() {
        let wait = match handle_pending(ctx, outside, bot, &answers).await {
            Ok(()) => Duration::from_secs(2),
            Err(error) => {
                log_error("updates", &error);
                Duration::from_secs(1)
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = changes.changed() => {}
            () = outside.timer.sleep(wait) => {}
        }
    }
    Ok(())
}

/// Handles every stored update that waits, in order. One that cannot be understood is logged and set aside, one that fails is tried again,
/// and neither holds the others.
///
/// # Errors
/// When the database fails.
pub async fn handle_pending(
    ctx: &Ctx,
    outside: &Outside,
    bot: &str,
    answers: &Arc<Semaphore>,
) -> Result<(), AppError> {
    for update in table::pending(&mut ctx.store.reader(), BATCH).await? {
        let update_id = update.update_id;
        match understand(&update, bot) {
            Ok(incoming) => {
                // A client shows its spinner until the press is answered, so that comes before the work, unless it is the outcome
                // of a short write.
                let late = match &incoming {
                    Incoming::Press(press) if bot::answers_after(press) => Some(press.query_id.clone()),
                    Incoming::Press(press) => {
                        end_spinner(outside, answers, press.query_id.clone(), None);
                        None
                    }
                    _ => None,
                };
                match bot::handle(ctx, Receipt { update_id }, incoming).await {
                    Ok(toast) => {
                        if let Some(query) = late {
                            end_spinner(outside, answers, query, toast);
                        }
                    }
                    Err(error) => {
                        log_error("update", &error);
                        note_failure(ctx, &update, error.to_string()).await?;
                        continue;
                    }
                }
            }
            Err(error) => {
                // Kept raw for whoever looks for the reason, as long as the row.
                tracing::warn!(update_id, %error, "an update was not understood");
                set_aside(ctx, update_id, error).await?;
                continue;
            }
        }
        let now = ctx.clock.now();
        ctx.store
            .write(move |tx| {
                Box::pin(
                    async move { table::handled(tx, update_id, now).await.map(drop).map_err(AppError::from) },
                )
            })
            .await?;
    }
    Ok(())
}

fn understand(update: &StoredUpdate, bot: &str) -> Result<Incoming, String> {
    let json = serde_json::from_str(&update.body).map_err(|error| error.to_string())?;
    if let Some(event) = bot::group_event(&json, bot) {
        return Ok(Incoming::Group(event));
    }
    let update = decode(&json).map_err(|error| error.to_string())?;
    Ok(bot::parse(update, bot))
}

/// Answers a press. Lost or late answers do no harm.
fn end_spinner(outside: &Outside, answers: &Arc<Semaphore>, id: String, toast: Option<Toast>) {
    let Ok(place) = Arc::clone(answers).try_acquire_owned() else { return };
    let telegram = Arc::clone(&outside.telegram);
    tokio::spawn(async move {
        let _place = place;
        let (text, alert) = toast.map_or((None, false), |toast| (Some(toast.text), toast.alert));
        if let Err(error) = telegram.answer_callback(&id, text.as_deref(), alert).await {
            tracing::debug!(description = %error.description, "a press was not answered");
        }
    });
}

async fn note_failure(ctx: &Ctx, update: &StoredUpdate, error: String) -> Result<(), AppError> {
    let update_id = update.update_id;
    if update.attempts + 1 >= TRIES_MAX {
        return set_aside(ctx, update_id, error).await;
    }
    ctx.store
        .write(move |tx| {
            Box::pin(
                async move { table::retry(tx, update_id, &error).await.map(drop).map_err(AppError::from) },
            )
        })
        .await
}

async fn set_aside(ctx: &Ctx, update_id: i64, error: String) -> Result<(), AppError> {
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                table::failed(tx, update_id, &error, now).await.map(drop).map_err(AppError::from)
            })
        })
        .await
}

/// Pause before a database that did not take the username is asked again.
const NOTE_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// One pass of the sender. What a dead process was sending is taken up once, before the first.
async fn pass(sender: &mut Sender, recovered: &mut bool) -> Result<Duration, AppError> {
    if !*recovered {
        sender.recover().await?;
        *recovered = true;
    }
    sender.tick().await
}

async fn send(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    let mut changes = ctx.store.changes();
    let mut sender = Sender::new(ctx.clone(), outside.clone());
    let mut recovered = false;
    while !stop.is_cancelled() {
        let wait = match pass(&mut sender, &mut recovered).await {
            Ok(wait) => wait,
            Err(error) => {
                log_error("outbox", &error);
                Duration::from_secs(1)
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = sender.one_ended() => {}
            () = changes.changed() => {}
            () = outside.timer.sleep(wait) => {}
        }
    }
    // Sends under way get the grace period: what is cut off is sent again after the restart.
    let grace = outside.timer.sleep(domain::delivery::SHUTDOWN_GRACE);
    tokio::select! {
        () = sender.drain() => {}
        () = grace => {}
    }
    Ok(())
}

/// Tells `/health` that the bot lives.
async fn show_life(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    while !stop.is_cancelled() {
        let now = ctx.clock.now();
        let shown = ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let value = now.as_millis().to_string();
                    store::settings::set(tx, BOT_SEEN_AT, &value, now).await.map_err(AppError::from)
                })
            })
            .await;
        if let Err(error) = shown {
            log_error("sign of life", &error);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(Duration::from_secs(10)) => {}
        }
    }
    Ok(())
}
