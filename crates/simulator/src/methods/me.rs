//! The bot about itself: `getMe`, names, webhook.

use serde_json::{Value, json};

use super::{Answer, Call};
use crate::refusal::Refusal;
use crate::wire::show;
use crate::world::state::{Bot, State};

/// Letters of a webhook's secret.
const MOST_SECRET: usize = 256;
/// Time between two calls of `setWebhook`.
const WEBHOOK_PAUSE_MS: i64 = 1_000;

fn account<'a>(state: &'a mut State, call: Call<'_>) -> Result<&'a mut Bot, Refusal> {
    state.bots.get_mut(&call.bot).ok_or_else(|| Refusal::new(401, "Unauthorized"))
}

pub(super) fn get_me(state: &mut State, call: Call<'_>) -> Answer {
    let bot = account(state, call)?;
    let mut value = show::bot(bot);
    value["can_join_groups"] = true.into();
    value["can_read_all_group_messages"] = bot.reads_all.into();
    for name in [
        "supports_inline_queries",
        "can_connect_to_business",
        "has_main_web_app",
        "has_topics_enabled",
        "allows_users_to_create_topics",
        "can_manage_bots",
    ] {
        value[name] = false.into();
    }
    Ok(value)
}

fn set_profile(state: &mut State, call: Call<'_>, name: &str, most: usize) -> Answer {
    let text = call.params.text_or_empty(name).trim().to_owned();
    if text.chars().count() > most {
        return Err(Refusal::bad(format!("{name} is too long")));
    }
    let language = call.params.text_or_empty("language_code");
    account(state, call)?.profile.insert(format!("{name}:{language}"), text);
    Ok(json!(true))
}

fn get_profile(state: &mut State, call: Call<'_>, name: &str) -> Answer {
    let language = call.params.text_or_empty("language_code");
    let bot = account(state, call)?;
    let found =
        bot.profile.get(&format!("{name}:{language}")).or_else(|| bot.profile.get(&format!("{name}:")));
    Ok(json!({ name: found.map_or("", String::as_str) }))
}

pub(super) fn set_name(state: &mut State, call: Call<'_>) -> Answer {
    set_profile(state, call, "name", 64)
}

pub(super) fn set_description(state: &mut State, call: Call<'_>) -> Answer {
    set_profile(state, call, "description", 512)
}

pub(super) fn set_short_description(state: &mut State, call: Call<'_>) -> Answer {
    set_profile(state, call, "short_description", 120)
}

pub(super) fn get_name(state: &mut State, call: Call<'_>) -> Answer {
    get_profile(state, call, "name")
}

pub(super) fn get_description(state: &mut State, call: Call<'_>) -> Answer {
    get_profile(state, call, "description")
}

pub(super) fn get_short_description(state: &mut State, call: Call<'_>) -> Answer {
    get_profile(state, call, "short_description")
}

pub(super) fn set_webhook(state: &mut State, call: Call<'_>) -> Answer {
    let secret = call.params.text_or_empty("secret_token");
    if secret.len() > MOST_SECRET {
        return Err(Refusal::bad("secret token is too long"));
    }
    if !secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        return Err(Refusal::bad("secret token contains unallowed characters"));
    }
    let url = call.params.text_or_empty("url").to_owned();
    let bot = account(state, call)?;
    if url.is_empty() {
        bot.webhook = None;
        return Ok(json!(true));
    }
    if !url.to_ascii_lowercase().starts_with("https://") {
        return Err(Refusal::bad("bad webhook: An HTTPS URL must be provided for webhook"));
    }
    if call.now - bot.webhook_set_ms < WEBHOOK_PAUSE_MS {
        return Err(Refusal::flood(1));
    }
    bot.webhook_set_ms = call.now;
    if call.params.flag("drop_pending_updates") {
        bot.queue.drop_pending();
    }
    bot.webhook = Some(url);
    bot.queue.end_by_webhook();
    Ok(json!(true))
}

pub(super) fn delete_webhook(state: &mut State, call: Call<'_>) -> Answer {
    let drop_pending = call.params.flag("drop_pending_updates");
    let bot = account(state, call)?;
    bot.webhook = None;
    if drop_pending {
        bot.queue.drop_pending();
    }
    Ok(json!(true))
}

pub(super) fn get_webhook_info(state: &mut State, call: Call<'_>) -> Answer {
    let bot = account(state, call)?;
    let url = bot.webhook.clone().unwrap_or_default();
    let mut info: Value =
        json!({"url": url, "has_custom_certificate": false, "pending_update_count": bot.queue.len()});
    if bot.webhook.is_some() {
        info["max_connections"] = 40.into();
    }
    Ok(info)
}
