"""The tables of refusals: each row that a client can provoke, its words to the letter."""

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, ReplyParameters
from telegram.error import Forbidden

from words import NOT_MODIFIED, bad, named, refused, sticker
from world import BOT, png


async def refusals_of_sending_have_their_words(world, bot):
    guest = world.person("Камила")
    stranger = world.person("Emma", started=False)
    met = world.person("Javohir", started=False)
    blocker = world.person("Odil")
    world.post("block", person=blocker, bot=BOT, blocked=True)
    gone = world.person("Sitora")
    world.http.delete(f"/sim/people/{gone}").raise_for_status()
    group = world.post("groups", title="Team", members=[met])["id"]
    await bot.leave_chat(group)
    big = world.post("groups", title="Team", members=[met], supergroup=True)["id"]
    await bot.leave_chat(big)
    html = {"parse_mode": "HTML"}
    link = InlineKeyboardMarkup([[InlineKeyboardButton("x", url="over there")]])
    long_data = InlineKeyboardMarkup([[InlineKeyboardButton("x", callback_data="x" * 65)]])
    many = InlineKeyboardMarkup([[InlineKeyboardButton("x", callback_data=str(n)) for n in range(101)]])
    no_action = InlineKeyboardMarkup([[InlineKeyboardButton("x", callback_data=None)]])
    for row, words, call in [
        ("never met", "chat not found", bot.send_message(stranger, "x")),
        ("a name", "chat not found", bot.send_message("@nobody", "x")),
        ("empty", "message text is empty", bot.send_message(guest, "  ")),
        ("no chat", "chat_id is empty", bot.send_message("", "x")),
        ("4097", "message is too long", bot.send_message(guest, "x" * 4097)),
        ("32 KiB", "text is too long", bot.send_message(guest, "x" * 32769)),
        ("caption", "message caption is too long", bot.send_document(guest, b"x", caption="x" * 1025)),
        ("mode", "unsupported parse_mode", bot.send_message(guest, "x", parse_mode="BBCode")),
        (
            "name in HTML",
            'can\'t parse entities: Unsupported start tag "3" at byte offset 2',
            bot.send_message(guest, "I <3 you", **html),
        ),
        ("end tag", "can't parse entities: Unexpected end tag at byte offset 1", bot.send_message(guest, "x</b>", **html)),
        (
            "nesting",
            'can\'t parse entities: Unmatched end tag at byte offset 4, expected "</b>", found "</i>"',
            bot.send_message(guest, "<b>x</i>", **html),
        ),
        (
            "cut text",
            'can\'t parse entities: Can\'t find end tag corresponding to start tag "b"',
            bot.send_message(guest, "<b>x", **html),
        ),
        ("cut tag", "can't parse entities: Unclosed start tag at byte offset 2", bot.send_message(guest, "x <b", **html)),
        (
            "span",
            'can\'t parse entities: Tag "span" must have class "tg-spoiler" at byte offset 0',
            bot.send_message(guest, "<span>x</span>", **html),
        ),
        (
            "reply",
            "message to be replied not found",
            bot.send_message(guest, "x", reply_parameters=ReplyParameters(99999)),
        ),
        ("thread", "message thread not found", bot.send_message(guest, "x", message_thread_id=4)),
        ("link button", "BUTTON_URL_INVALID", bot.send_message(guest, "x", reply_markup=link)),
        ("65 bytes", "BUTTON_DATA_INVALID", bot.send_message(guest, "x", reply_markup=long_data)),
        ("101 buttons", "reply markup is too long", bot.send_message(guest, "x", reply_markup=many)),
        (
            "no action",
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
            bot.send_message(guest, "x", reply_markup=no_action),
        ),
    ]:
        await bad(row, call, words)
    for row, words, chat in [
        ("blocked", "bot was blocked by the user", blocker),
        ("account gone", "user is deactivated", gone),
        ("never started", "bot can't initiate conversation with a user", met),
        ("left a group", "bot is not a member of the group chat", group),
        ("left a supergroup", "bot is not a member of the supergroup chat", big),
    ]:
        await refused(row, bot.send_message(chat, "x"), Forbidden, 403, f"Forbidden: {words}")
    words = "Bad Request: can't parse reply keyboard markup JSON object"
    assert world.raw("sendMessage", chat_id=guest, text="x", reply_markup="{") == (400, words)


async def refusals_of_editing_have_their_words(world, bot):
    guest = world.person("Камила")
    own = (await bot.send_message(guest, "card")).message_id
    theirs = world.post("send", person=guest, chat=BOT, text="mine")["message_id"]
    photo = (await bot.send_photo(guest, png(60, 40))).message_id
    for row, words, call in [
        ("same", NOT_MODIFIED[13:], bot.edit_message_text("card", guest, own)),
        ("unknown", "message to edit not found", bot.edit_message_text("x", guest, 99999)),
        ("a person's", "message can't be edited", bot.edit_message_text("x", guest, theirs)),
        ("media", "there is no text in the message to edit", bot.edit_message_text("x", guest, photo)),
        ("long", "MESSAGE_TOO_LONG", bot.edit_message_text("x" * 4097, guest, own)),
        ("unknown", "message to delete not found", bot.delete_message(guest, 99999)),
    ]:
        await bad(row, call, words)
    identifier = (400, "Bad Request: message identifier is not specified")
    assert world.raw("editMessageText", text="x") == identifier
    assert world.raw("deleteMessage", chat_id=guest) == identifier
    world.post("delete_message", person=guest, chat=BOT, message_id=own)
    await bad("a moment ago", bot.edit_message_text("x", guest, own), "MESSAGE_ID_INVALID")
    world.later(48 * 3600 + 1)
    await bad("old", bot.delete_message(guest, photo), "message can't be deleted for everyone")


async def refusals_of_files_have_their_words(world, bot):
    guest = world.person("Камила")
    document = (await bot.send_document(guest, b"x", filename="x.txt")).document.file_id
    remote = "wrong remote file identifier specified: can't unserialize it. Wrong last symbol"
    for row, words, call in [
        ("unknown", "invalid file_id", bot.get_file("ABCD")),
        ("unknown", remote, bot.send_sticker(guest, "ABCD")),
        ("kind", "can't use file of type Document as Sticker", bot.send_sticker(guest, document)),
        ("address", "failed to get HTTP URL content", bot.send_photo(guest, "https://a.b/c.png")),
        ("words", "wrong file identifier/HTTP URL specified", bot.send_photo(guest, "a b.png")),
        ("noise", "IMAGE_PROCESS_FAILED", bot.send_photo(guest, b"noise")),
    ]:
        await bad(row, call, words)
    assert world.raw("getFile") == (400, "Bad Request: file_id not specified")
    for method, what in [("sendDocument", "document"), ("sendPhoto", "photo"), ("sendSticker", "sticker")]:
        words = f"Bad Request: there is no {what} in the request"
        assert world.raw(method, chat_id=guest) == (400, words)


async def refusals_of_stickers_have_their_words(world, bot):
    guest = world.person("Камила")
    stranger = world.person("Emma", started=False)
    met = world.person("Javohir", started=False)
    world.post("groups", title="Team", members=[met])
    name = named("refused")
    world.post("sets", name=named("foreign"), title="x", owner=guest, stickers=1)
    world.post("sets", name=named("full"), title="x", owner=guest, bot=BOT, stickers=120)

    def create(owner=guest, name=name, title="x", stickers=None):
        return bot.create_new_sticker_set(owner, name, title, [sticker()] if stickers is None else stickers)

    input_words = "can't parse InputSticker: "
    for row, words, call in [
        ("occupied", "sticker set name is already occupied", create(name=named("foreign"))),
        ("suffix", "invalid sticker set name is specified", create(name="space_by_other_bot")),
        ("letters", "invalid sticker set name is specified", create(name=named("sp-ce"))),
        ("length", "invalid sticker set name is specified", create(name=named("x" * 45))),
        ("no name", "sticker set name must be non-empty", create(name="")),
        ("no title", "sticker set title must be non-empty", create(title=" ")),
        ("51", "too many stickers specified", create(stickers=[sticker() for _ in range(51)])),
        ("never met", "user not found", create(stranger)),
        ("never started", "PEER_ID_INVALID", create(met)),
        ("the bot", "USER_IS_BOT", create(BOT)),
        ("no side 512", "STICKER_PNG_DIMENSIONS", create(stickers=[sticker(png(511, 511))])),
        ("side over", "STICKER_PNG_DIMENSIONS", create(stickers=[sticker(png(513, 512))])),
        ("no picture", "STICKER_PNG_NOPNG", create(stickers=[sticker(b"noise")])),
        ("big", "file is too big", create(stickers=[sticker(b"\0" * 524289)])),
        ("format", input_words + "Invalid sticker format specified", create(stickers=[sticker(kind="PNG")])),
        ("21 emoji", input_words + "too many emoji specified", create(stickers=[sticker(emoji=["😀"] * 21)])),
        ("letters", input_words + "expected a Unicode emoji", create(stickers=[sticker(emoji=["smile"])])),
        ("unknown", "STICKERSET_INVALID", bot.get_sticker_set(named("nothing"))),
        ("unknown", "STICKERSET_INVALID", bot.add_sticker_to_set(guest, named("nothing"), sticker())),
        ("foreign", "STICKERSET_INVALID", bot.add_sticker_to_set(guest, named("foreign"), sticker())),
        ("foreign", "STICKERSET_INVALID", bot.delete_sticker_set(named("foreign"))),
        ("121st", "STICKERS_TOO_MUCH", bot.add_sticker_to_set(guest, named("full"), sticker())),
        ("never met", "user not found", bot.add_sticker_to_set(stranger, name, sticker())),
        ("never met", "user not found", bot.upload_sticker_file(stranger, png(512, 512), "static")),
    ]:
        await bad(row, call, words)
    one = {"user_id": guest, "name": name, "title": "x"}
    for params, words in [
        ({**one, "stickers": "["}, "can't parse stickers JSON object"),
        ({**one, "stickers": {"a": 1}}, "expected an Array of InputSticker"),
        ({**one, "stickers": []}, "at least 1 sticker must be specified"),
        ({**one, "stickers": ["x"]}, input_words + "InputSticker must be an Object"),
        ({**one, "stickers": [{"sticker": "attach://lost"}]}, input_words + "sticker not found"),
        ({**one, "stickers": [{"sticker": "A"}]}, input_words + 'Can\'t find field "format"'),
        (
            {**one, "stickers": [{"sticker": "A", "format": "static"}]},
            input_words + 'Can\'t find field "emoji_list"',
        ),
        (
            {**one, "stickers": [{"sticker": "A", "format": "static", "emoji_list": []}]},
            input_words + "emoji list must be non-empty",
        ),
        (
            {**one, "stickers": [{"sticker": "A", "format": "static", "emoji_list": ["😀"], "keywords": [1]}]},
            input_words + "keyword must be a string",
        ),
        ({**one, "png_sticker": "A", "emojis": "😀"}, "invalid sticker emojis"),
    ]:
        assert world.raw("createNewStickerSet", **params) == (400, f"Bad Request: {words}"), words
    words = "Bad Request: can't parse sticker: InputSticker must be an Object"
    assert world.raw("addStickerToSet", user_id=guest, name=name, sticker=[]) == (400, words)
