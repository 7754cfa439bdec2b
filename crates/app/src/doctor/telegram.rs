//! Telegram: the token, the operators who must be reachable, and the rights in the team's group.

use super::Finding;
use crate::Settings;
use crate::lead::group;
use clients::telegram::{BotApi, Telegram};
use store::Store;

/// Looks at everything that Telegram tells without saying anything to anybody: operators see "typing" for a moment.
pub async fn telegram(telegram: &BotApi, store: Option<&Store>, settings: &Settings) -> Vec<Finding> {
    const ABOUT: &str = "telegram";
    let me = match telegram.get_me().await {
        Ok(me) => me,
        Err(error) => {
            let advice = if error.status == Some(401) {
                "the token is refused: take the right one from BotFather"
            } else {
                "look at the network and at TELEGRAM_API_URL"
            };
            return vec![Finding::failure(ABOUT, error.description.clone(), advice)];
        }
    };
    let mut found = vec![Finding::ok(ABOUT, format!("the token is that of @{}", me.username))];
    for operator in &settings.admin_user_ids {
        if let Err(error) = telegram.chat_action(*operator).await {
            found.push(Finding::failure(
                "operators",
                format!("{operator} cannot be reached: {}", error.description),
                format!("they open @{} and press Start", me.username),
            ));
        }
    }
    if !found.iter().any(|finding| finding.about == "operators") && !settings.admin_user_ids.is_empty() {
        found.push(Finding::ok("operators", format!("{} can be reached", settings.admin_user_ids.len())));
    }
    if let Some(configured) = &settings.leads.group {
        let chat = match store {
            Some(store) => {
                group::chat_id(&mut store.reader(), configured).await.unwrap_or(configured.chat_id)
            }
            None => configured.chat_id,
        };
        found.push(in_group(telegram, chat, me.id).await);
    }
    found
}

async fn in_group(telegram: &BotApi, chat: i64, me: i64) -> Finding {
    const ABOUT: &str = "leads group";
    let advice = "add the bot to the group (LEADS_CHAT_ID) and let it write";
    let info = match telegram.get_chat(chat).await {
        Ok(info) => info,
        Err(error) => return Finding::failure(ABOUT, format!("{chat}: {}", error.description), advice),
    };
    let title = info.title.unwrap_or_default();
    match telegram.chat_member(info.id, me).await {
        Ok(member) if member.may_write() => {
            Finding::ok(ABOUT, format!("the bot may write in «{title}» ({})", member.status))
        }
        Ok(member) => {
            Finding::failure(ABOUT, format!("the bot may not write in «{title}» ({})", member.status), advice)
        }
        Err(error) => Finding::failure(ABOUT, format!("«{title}»: {}", error.description), advice),
    }
}
