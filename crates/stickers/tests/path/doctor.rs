//! The look before an event, against the simulated Telegram: what is in order, what would fail, and the rehearsal that leaves nothing behind.

use crate::stage::{BOT, Stage, astronaut};
use serde_json::Value;
use simulator::NewGroup;

/// Status, findings as `about mark`, and all of it.
async fn looked(stage: &Stage, arguments: &[&str]) -> (Option<i32>, Vec<String>, Value) {
    let output = stage.run(&[&["doctor", "--json"], arguments].concat()).await;
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let findings = told["findings"].as_array().cloned().unwrap_or_default();
    let short = |one: &Value| {
        format!("{} {}", one["about"].as_str().unwrap_or_default(), one["mark"].as_str().unwrap_or_default())
    };
    (output.status.code(), findings.iter().map(short).collect(), told)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_finds_what_would_fail_and_a_rehearsal_makes_a_real_pack_and_leaves_nothing() {
    let mut stage = Stage::new().await;
    let operator = stage.person("Нодира", "ru");
    let (status, found, told) = looked(&stage, &[]).await;
    assert_eq!(status, Some(1), "nobody is told of anything: {told}");
    assert!(found.contains(&"configuration failure".to_owned()), "{told}");

    // An operator who never pressed Start, and a group without the bot.
    stage.more.push(("ADMIN_USER_IDS", operator.to_string()));
    let group = NewGroup { title: "Заявки".to_owned(), members: vec![operator], ..NewGroup::default() };
    let group = stage.world.add_group(group).expect("a group");
    stage.more.push(("LEADS_CHAT_ID", (group - 1).to_string()));
    let (status, found, told) = looked(&stage, &[]).await;
    assert_eq!(status, Some(1), "{told}");
    for wrong in ["operators failure", "leads group failure"] {
        assert!(found.contains(&wrong.to_owned()), "{wrong}: {told}");
    }

    stage.world.start(operator, BOT, None).expect("the operator presses Start");
    stage.more.pop();
    stage.more.push(("LEADS_CHAT_ID", group.to_string()));
    let photo = stage.folder.path().join("me.png");
    std::fs::write(&photo, astronaut()).expect("writes");
    let (status, found, told) = looked(&stage, &["--rehearse", &photo.display().to_string()]).await;
    assert_eq!(status, Some(0), "{told}");
    for right in [
        "telegram ok",
        "operators ok",
        "leads group ok",
        "database ok",
        "files ok",
        "clock ok",
        "drawing ok",
        "rehearsal ok",
    ] {
        assert!(found.contains(&right.to_owned()), "{right}: {told}");
    }
    assert_eq!(stage.world.sets().as_array().map(Vec::len), Some(0), "the pack is gone again");
    assert!(stage.chat(operator).iter().all(|message| message["from"]["is_bot"] != true), "nobody was told");
    assert_eq!(stage.files("doctor"), Vec::<std::path::PathBuf>::new(), "the probe is gone");

    let words = stage.run(&["doctor"]).await;
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    assert!(words.contains("ok    telegram: the token is that of @stickers_sim_bot"), "{words}");
    assert!(words.ends_with("nothing would fail on the day\n"), "{words}");
}
