//! A guest is erased at once, whatever is wrong with the journal of erasures; operators hear what that means for the copies.

use crate::stage::{BOT, Stage};

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_is_erased_though_the_journal_cannot_be_written_and_operators_hear_what_it_means() {
    let mut stage = Stage::new().await;
    let operator = stage.person("Нодира", "ru");
    stage.world.start(operator, BOT, None).expect("the operator presses Start");
    stage.more.push(("ADMIN_USER_IDS", operator.to_string()));
    // A file stands where the folder of the copies belongs.
    std::fs::write(stage.folder.path().join("backups"), "x").expect("a file");
    stage.start_bot("");
    let guest = stage.person("Мадина", "ru");
    stage.at_the_camera(guest, "chapan").await;
    stage.world.send_text(guest, BOT, "/forget_me", None).expect("a command");
    stage.hears(guest, "Удалить").await;
    stage.press_button(guest).await;
    stage.hears(guest, "твои данные и файлы удалены").await;
    stage.hears(operator, "⚠️ Журнал удалений рядом с копиями базы не записан").await;
    assert_eq!(stage.told(operator, "BACKUP_DIR"), 1, "and what to do");
    assert_eq!(stage.logged("the journal of erasures cannot be written"), 1);
    let left = format!("SELECT COUNT(*) AS n FROM users WHERE telegram_user_id = {guest}");
    let left = stage.run(&["sql", &left]).await;
    assert_eq!(String::from_utf8_lossy(&left.stdout), "n\n0\n");
    // Everything goes on.
    let next = stage.person("Лола", "ru");
    stage.at_the_camera(next, "hoodie").await;
    assert_eq!(stage.stop_bot().await, Some(0));
}
