"""What checks have in common: comparing refusals to the letter, and the things they send."""

from telegram import InputSticker
from telegram.error import BadRequest, TelegramError

from world import USERNAME, last_words, png

NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly the same "
    "as a current content and reply markup of the message"
)
TOO_OLD = "Bad Request: query is too old and response timeout expired or query ID is invalid"
CONFLICT = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)


async def refused(row, call, kind, status, words):
    """The call must fail with this class of the library, this status and exactly these words."""
    try:
        await call
    except kind:
        pass
    except TelegramError as error:
        raise AssertionError(f"{row}: {type(error).__name__} {error} instead of {kind.__name__}") from error
    else:
        raise AssertionError(f"{row}: was not refused")
    assert last_words() == (status, words), f"{row}: {last_words()} instead of {(status, words)}"


def bad(row, call, words):
    return refused(row, call, BadRequest, 400, f"Bad Request: {words}")


def sticker(data=None, emoji=("😀",), kind="static"):
    return InputSticker(data if data is not None else png(512, 512), list(emoji), kind)


def named(short):
    return f"{short}_by_{USERNAME}"


async def waiting(world, bot):
    """Takes and confirms all updates."""
    world.later(4)
    updates = await bot.get_updates(timeout=0)
    if updates:
        world.later(4)
        await bot.get_updates(offset=updates[-1].update_id + 1, limit=1, timeout=0)
    return updates
