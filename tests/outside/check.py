"""python-telegram-bot, written by others against the real Telegram, against the simulator.

Each check is a coroutine named after what it shows. The words of refusals are compared to the letter.
"""

import asyncio
import inspect
import logging
import sys
import traceback

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter

import refusals
import teams
from words import CONFLICT, TOO_OLD, bad, named, refused, sticker, waiting
from world import BOT, USERNAME, World, png


async def the_bot_knows_itself(world, bot):
    me = await bot.get_me()
    assert (me.id, me.username, me.is_bot) == (BOT, USERNAME, True)
    assert me.can_read_all_group_messages is False


async def a_start_link_arrives_and_is_confirmed(world, bot):
    guest = world.person("Камила", started=False)
    world.post("start", person=guest, bot=BOT, payload="Abc-12_3")
    updates = await waiting(world, bot)
    message = updates[-1].message
    assert (message.text, message.chat.id, message.from_user.language_code) == ("/start Abc-12_3", guest, "ru")
    assert message.entities[0].type == "bot_command"
    world.post("send", person=guest, chat=BOT, text="next")
    assert [update.message.text for update in await waiting(world, bot)] == ["next"]


async def a_message_is_sent_edited_and_deleted(world, bot):
    guest = world.person("Камила")
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("✅ Согласен", callback_data="consent:1")]])
    sent = await bot.send_message(guest, "<b>Salom</b> 👋", parse_mode=ParseMode.HTML, reply_markup=keyboard)
    assert (sent.text, sent.entities[0].type, sent.entities[0].length) == ("Salom 👋", "bold", 5)
    answer = await bot.send_message(guest, "ответ", reply_parameters=ReplyParameters(sent.message_id))
    assert answer.reply_to_message.message_id == sent.message_id
    edited = await bot.edit_message_text("done", guest, sent.message_id)
    assert edited.text == "done" and edited.reply_markup is None and edited.edit_date
    assert await bot.delete_message(guest, sent.message_id)
    forgiven = ReplyParameters(sent.message_id, allow_sending_without_reply=True)
    assert (await bot.send_message(guest, "x", reply_parameters=forgiven)).reply_to_message is None


async def a_button_is_pressed_and_answered(world, bot):
    guest = world.person("Камила")
    await waiting(world, bot)
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("ok", callback_data="forget:yes")]])
    card = await bot.send_message(guest, "card", reply_markup=keyboard)
    world.post("press", person=guest, chat=BOT, message_id=card.message_id, row=0, col=0)
    query = (await waiting(world, bot))[0].callback_query
    assert (query.data, query.from_user.id, query.message.text) == ("forget:yes", guest, "card")
    world.post("press", person=guest, chat=BOT, message_id=card.message_id, row=0, col=0)
    query = (await bot.get_updates(timeout=0))[0].callback_query
    assert await query.answer("Готово", show_alert=True)
    await refused("second answer", query.answer(), BadRequest, 400, TOO_OLD)
    await refused("invented", bot.answer_callback_query("5"), BadRequest, 400, TOO_OLD)
    view = world.http.get("/sim/chat", params={"person": guest, "chat": BOT}).json()
    assert (view["notice"]["text"], view["notice"]["alert"]) == ("Готово", True)
    await waiting(world, bot)


async def a_pack_is_made_in_one_call_and_read_back(world, bot):
    guest = world.person("Камила")
    name = named("space")
    assert await bot.create_new_sticker_set(guest, name, "Космонавт", [sticker() for _ in range(9)])
    pack = await bot.get_sticker_set(name)
    assert (pack.name, pack.title, len(pack.stickers)) == (name, "Космонавт", 9)
    first = pack.stickers[0]
    assert (first.width, first.height, first.emoji, first.set_name) == (512, 512, "😀", name)
    assert (first.is_animated, first.is_video, first.type) == (False, False, "regular")
    sent = await bot.send_sticker(guest, first.file_id)
    assert sent.sticker.set_name == name
    file = await bot.get_file(first.file_id)
    assert bytes(await file.download_as_bytearray()) == png(512, 512)


async def a_pack_is_changed_and_deleted(world, bot):
    guest = world.person("Камила")
    name = named("changed")
    await bot.create_new_sticker_set(guest, name, "x", [sticker()])
    upload = await bot.upload_sticker_file(guest, png(512, 100), "static")
    assert await bot.add_sticker_to_set(guest, name, sticker(upload.file_id, "🚀"))
    pack = await bot.get_sticker_set(name)
    assert [one.height for one in pack.stickers] == [512, 100]
    assert pack.stickers[1].file_unique_id != upload.file_unique_id
    moved = pack.stickers[1].file_id
    assert await bot.set_sticker_position_in_set(moved, 0)
    assert await bot.set_sticker_emoji_list(moved, ["✨"])
    assert await bot.set_sticker_set_title(name, "Луна")
    pack = await bot.get_sticker_set(name)
    assert (pack.title, pack.stickers[0].emoji, pack.stickers[0].height) == ("Луна", "✨", 100)
    assert await bot.delete_sticker_from_set(moved)
    await bad("gone", bot.delete_sticker_from_set(moved), "STICKERSET_NOT_MODIFIED")
    assert await bot.delete_sticker_set(name)
    await bad("gone", bot.get_sticker_set(name), "STICKERSET_INVALID")


async def documents_photos_and_commands_pass(world, bot):
    guest = world.person("Камила")
    sent = await bot.send_document(guest, b"a;b\n", filename="leads.csv", caption="<i>all</i>", parse_mode="HTML")
    assert (sent.document.file_name, sent.document.file_size, sent.caption) == ("leads.csv", 4, "all")
    assert bytes(await (await sent.document.get_file()).download_as_bytearray()) == b"a;b\n"
    photo = await bot.send_photo(guest, png(60, 40))
    assert (photo.photo[0].width, photo.photo[0].height) == (60, 40)
    caption = await bot.edit_message_caption(guest, photo.message_id, caption="new")
    assert caption.caption == "new"
    assert await bot.send_chat_action(guest, "typing")
    assert await bot.set_my_commands([("mypack", "Мой пак")])
    assert (await bot.get_my_commands())[0].command == "mypack"
    chat = await bot.get_chat(guest)
    assert (chat.type, chat.first_name) == ("private", "Камила")


async def a_deleted_name_contradicts_itself(world, bot):
    guest = world.person("Камила")
    name = named("buried")
    await bot.create_new_sticker_set(guest, name, "x", [sticker()])
    await bot.delete_sticker_set(name)
    words = "Internal Server Error: created sticker set not found"
    again = bot.create_new_sticker_set(guest, name, "x", [sticker()])
    await refused("again", again, NetworkError, 500, words)


async def access_is_refused_with_its_words(world, bot):
    other = world.bot("123456:WRONG")
    await refused("token", other.get_me(), InvalidToken, 401, "Unauthorized")
    assert world.raw("sendWish") == (404, "Not Found: method not found")
    assert await bot.set_webhook("https://somebody.example/hook")
    await refused("webhook", bot.get_updates(timeout=0), Conflict, 409, CONFLICT)
    assert await bot.delete_webhook()


async def an_upgraded_group_tells_its_new_id(world, bot):
    guest = world.person("Камила")
    old = world.post("groups", title="Заявки", members=[guest])["id"]
    card = await bot.send_message(old, "card")
    await waiting(world, bot)
    new = world.post(f"groups/{old}/upgrade")["id"]
    try:
        await bot.send_message(old, "x")
    except ChatMigrated as error:
        assert error.new_chat_id == new
    else:
        raise AssertionError("the old id was still good")
    first, second = [update.message for update in await waiting(world, bot)]
    assert (first.migrate_to_chat_id, second.migrate_from_chat_id) == (new, old)
    assert (await bot.edit_message_text("still here", old, card.message_id)).text == "still here"
    assert (await bot.send_message(new, "x")).chat.type == "supergroup"
    world.post(f"groups/{new}/members", user=BOT, status="kicked")
    words = "Forbidden: bot was kicked from the supergroup chat"
    await refused("kicked", bot.send_message(new, "x"), Forbidden, 403, words)


async def flood_control_answers_with_the_seconds(world, bot):
    guest = world.person("Камила")
    for _ in range(3):
        await bot.send_message(guest, "x")
    flood = "Too Many Requests: retry after 1"
    await refused("bucket", bot.send_message(guest, "x"), RetryAfter, 429, flood)
    world.later(1)
    await bot.send_message(guest, "x")
    world.fault(kind="flood", method="sendMessage", retry_after=86400)
    try:
        await bot.send_message(guest, "x")
    except RetryAfter as error:
        seconds = error.retry_after
        assert getattr(seconds, "total_seconds", lambda: seconds)() == 86400
    else:
        raise AssertionError("the fault was not played")


async def lost_answers_and_proxy_pages_are_seen_as_network_errors(world, bot):
    guest = world.person("Камила")
    for fault in [
        {"kind": "lost", "how": "close"},
        {"kind": "lost", "how": "half"},
        {"kind": "refuse"},
        {"kind": "html", "code": 502},
        {"kind": "html", "code": 413},
        {"kind": "status", "code": 500, "description": "Internal Server Error: restart"},
    ]:
        world.later(2)
        world.fault(method="sendMessage", **fault)
        try:
            await bot.send_message(guest, "x")
        except NetworkError:
            continue
        raise AssertionError(f"{fault} was not seen")
    view = world.http.get("/sim/chat", params={"person": guest, "chat": BOT}).json()
    assert len(view["messages"]) == 3, "the two lost ones were done"


async def main(program):
    # The library complains about each answer that is no JSON; here they are sent on purpose.
    logging.getLogger("telegram").setLevel(logging.CRITICAL)
    checks = [
        check
        for module in (sys.modules[__name__], refusals, teams)
        for _, check in inspect.getmembers(module, inspect.iscoroutinefunction)
        if check.__module__ == module.__name__ and check is not main
    ]
    failed = 0
    for check in checks:
        world = World(program)
        try:
            async with world.bot() as bot:
                await check(world, bot)
            print(f"ok      {check.__name__.replace('_', ' ')}")
        except Exception:
            failed += 1
            print(f"FAILED  {check.__name__.replace('_', ' ')}")
            traceback.print_exc()
        finally:
            world.close()
    print(f"{len(checks) - failed} of {len(checks)} checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
