"""Groups as a team meets them: topics, presses, hidden administrators, a bot that is muted or removed, upgrades."""

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity, ReplyParameters
from telegram.error import BadRequest, ChatMigrated, Forbidden, RetryAfter

from words import NOT_MODIFIED, TOO_OLD, bad, refused, waiting
from world import BOT

ANONYMOUS = 1087968824


def keyboard(*names):
    return InlineKeyboardMarkup([[InlineKeyboardButton(name, callback_data=f"lead:7:{name}") for name in names]])


async def topics_are_found_by_their_number_and_refused_when_they_are_gone(world, bot):
    maker = world.person("Камила")
    forum = world.post("groups", title="Заявки", members=[maker], forum=True)["id"]
    topic = world.post(f"groups/{forum}/topics", name="Сайт")["message_thread_id"]
    sent = await bot.send_message(forum, "card", message_thread_id=topic)
    assert (sent.message_thread_id, sent.is_topic_message, sent.chat.is_forum) == (topic, True, True)
    assert sent.reply_to_message.forum_topic_created.name == "Сайт"
    answer = await bot.send_message(forum, "x", reply_parameters=ReplyParameters(sent.message_id))
    assert (answer.message_thread_id, answer.reply_to_message.message_id) == (topic, sent.message_id)
    await bad("unknown", bot.send_message(forum, "x", message_thread_id=topic + 100), "message thread not found")
    world.http.delete(f"/sim/groups/{forum}/topics/{topic}").raise_for_status()
    world.later(4)
    await bad("deleted", bot.send_message(forum, "x", message_thread_id=topic), "message thread not found")
    await bad("gone with it", bot.edit_message_text("y", forum, sent.message_id), "message to edit not found")
    assert (await bot.send_message(forum, "x")).message_thread_id is None


async def a_member_presses_a_card_and_reads_the_answer(world, bot):
    maker, member = world.person("Камила"), world.person("Азиза")
    team = world.post("groups", title="Заявки", members=[maker, member])["id"]
    card = await bot.send_message(team, "card", reply_markup=keyboard("work", "spam"))
    await waiting(world, bot)
    world.post("press", person=member, chat=team, message_id=card.message_id, row=0, col=1)
    world.post("press", person=member, chat=team, message_id=card.message_id, data="lead:8:deal")
    world.later(4)
    first, second = [update.callback_query for update in await bot.get_updates(timeout=0)]
    assert (first.data, first.from_user.id, first.message.chat.id) == ("lead:7:spam", member, team)
    assert second.data == "lead:8:deal", "an app may send other bytes than the button's"
    assert await first.answer("Уже так")
    assert await second.answer("Нет доступа", show_alert=True)
    await refused("twice", second.answer("x"), BadRequest, 400, TOO_OLD)
    view = world.http.get("/sim/chat", params={"person": member, "chat": team}).json()
    assert (view["notice"]["text"], view["notice"]["alert"]) == ("Нет доступа", True)
    await waiting(world, bot)


async def a_card_that_does_not_change_or_is_gone_says_so(world, bot):
    maker = world.person("Камила")
    team = world.post("groups", title="Заявки", members=[maker])["id"]
    card = await bot.send_message(team, "card", reply_markup=keyboard("work"))
    same = bot.edit_message_text("card", team, card.message_id, reply_markup=keyboard("work"))
    await refused("same", same, BadRequest, 400, NOT_MODIFIED)
    edited = await bot.edit_message_text("card, taken", team, card.message_id, reply_markup=keyboard("work"))
    assert edited.edit_date is not None
    world.post("delete_message", person=maker, chat=team, message_id=card.message_id)
    world.later(4)
    await bad("gone", bot.edit_message_text("x", team, card.message_id), "message to edit not found")
    ping = ReplyParameters(card.message_id, allow_sending_without_reply=True)
    assert (await bot.send_message(team, "ping", reply_parameters=ping)).reply_to_message is None


async def a_muted_and_a_removed_bot_hear_of_it_and_are_refused(world, bot):
    maker = world.person("Камила")
    for supergroup, kind in [(False, "group"), (True, "supergroup")]:
        team = world.post("groups", title="Заявки", members=[maker], supergroup=supergroup)["id"]
        await waiting(world, bot)
        world.post(f"groups/{team}/members", user=BOT, status="restricted")
        muted = "not enough rights to send text messages to the chat"
        await bad("muted", bot.send_message(team, "x"), muted)
        papers = "not enough rights to send documents to the chat"
        await bad("muted", bot.send_document(team, b"a;b\n", filename="leads.csv"), papers)
        world.post(f"groups/{team}/members", user=BOT, status="kicked")
        kicked = f"Forbidden: bot was kicked from the {kind} chat"
        await refused("kicked", bot.send_message(team, "x"), Forbidden, 403, kicked)
        world.post(f"groups/{team}/members", user=BOT, status="left")
        left = f"Forbidden: bot is not a member of the {kind} chat"
        await refused("left", bot.send_message(team, "x"), Forbidden, 403, left)
        world.post(f"groups/{team}/members", user=BOT, status="member")
        assert (await bot.send_message(team, "x")).text == "x"
        told = [update.my_chat_member for update in await waiting(world, bot) if update.my_chat_member]
        assert [one.new_chat_member.status for one in told] == ["restricted", "kicked", "left", "member"]
        assert told[0].new_chat_member.can_send_messages is False


async def an_upgrade_meets_a_send_on_its_way(world, bot):
    maker = world.person("Камила")
    team = world.post("groups", title="Заявки", members=[maker])["id"]
    await bot.send_message(team, "first")
    await waiting(world, bot)
    world.fault(kind="upgrade", method="sendMessage", telling={"old": False, "new": False})
    try:
        await bot.send_message(team, "second")
    except ChatMigrated as error:
        new = error.new_chat_id
    else:
        raise AssertionError("the group was not upgraded")
    sent = await bot.send_message(new, "second")
    assert (sent.chat.id, sent.chat.type) == (new, "supergroup")
    assert await waiting(world, bot) == (), "nobody told of it"


async def a_hidden_administrator_is_the_group(world, bot):
    maker = world.person("Камила")
    team = world.post("groups", title="Заявки", members=[maker], supergroup=True)["id"]
    await waiting(world, bot)
    world.post(f"groups/{team}/hidden", person=maker, hidden=True)
    sent = world.post("send", person=maker, chat=team, text="/stickers_export")["message_id"]
    world.post("edit", person=maker, chat=team, message_id=sent, text="/stickers_new")
    command, changed = await waiting(world, bot)
    assert (command.message.from_user.id, command.message.sender_chat.id) == (ANONYMOUS, team)
    assert changed.edited_message.text == "/stickers_new"
    member = await bot.get_chat_member(team, maker)
    assert (member.status, member.is_anonymous) == ("creator", True)


async def a_file_goes_to_the_private_chat_of_whoever_pressed_start(world, bot):
    started, silent = world.person("Камила"), world.person("Азиза", started=False)
    world.post("groups", title="Заявки", members=[started, silent])
    sent = await bot.send_document(started, b"\xef\xbb\xbfa;b\n", filename="заявки.csv")
    assert (sent.document.file_name, sent.document.mime_type) == ("заявки.csv", "text/csv")
    view = world.http.get("/sim/chat", params={"person": started, "chat": BOT}).json()
    document = view["messages"][-1]["document"]
    saved = world.http.get(f"/sim/files/{document['file']}")
    assert (saved.content, document["name"]) == (b"\xef\xbb\xbfa;b\n", "заявки.csv")
    assert saved.headers["content-disposition"].startswith("attachment; filename*=UTF-8''%D0%B7")
    team = world.post("groups", title="Другие", members=[silent])["id"]
    world.post("send", person=silent, chat=team, text="/stickers_export")
    words = "Forbidden: bot can't initiate conversation with a user"
    await refused("never started", bot.send_document(silent, b"x", filename="a.csv"), Forbidden, 403, words)


async def entities_beside_a_text_are_checked(world, bot):
    guest = world.person("Камила")
    link = MessageEntity(MessageEntity.TEXT_LINK, 0, 4, url="https://t.me/aziz")
    sent = await bot.send_message(guest, "Азиз @kamila", entities=[link])
    assert [entity.type for entity in sent.entities] == ["text_link", "mention"]
    assert sent.entities[0].url == "https://t.me/aziz"
    far = MessageEntity(MessageEntity.BOLD, 0, 90)
    words = "entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 90"
    await bad("far", bot.send_message(guest, "x", entities=[far]), words)
    split = MessageEntity(MessageEntity.BOLD, 1, 1)
    words = "entity begins in a middle of a UTF-16 symbol at byte offset 0"
    await bad("split", bot.send_message(guest, "😀", entities=[split]), words)


async def a_group_counts_sends_and_edits_together(world, bot):
    maker = world.person("Камила")
    team = world.post("groups", title="Заявки", members=[maker])["id"]
    card = await bot.send_message(team, "card")
    for number in range(4):
        await bot.edit_message_text(f"card {number}", team, card.message_id)
    words = "Too Many Requests: retry after 3"
    await refused("sixth", bot.send_message(team, "x"), RetryAfter, 429, words)
    world.later(3)
    assert await bot.send_message(team, "x")
