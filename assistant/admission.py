"""Whom the assistant serves: who has been invited, once, with the deployment's code."""

import hmac
import unicodedata

from assistant.chat import Chat
from assistant.wording import Wording
from memory.stranger import Stranger


def turn_away(stranger: Stranger, chat: Chat, wording: Wording) -> None:
    """Tell a stranger politely that they are none of the family; once a day."""
    if stranger.is_new():
        chat.reply(wording.uninvited)


def admits(code: str, right: str, stranger: Stranger, chat: Chat, wording: Wording) -> bool:
    """Say whether a code opens the door; tell whoever typed it where it does not.

    Only so many are looked at in a day, so that guessing is hopeless.
    """
    if not stranger.may_try():
        chat.reply(wording.too_many_codes)
        return False
    if not hmac.compare_digest(_folded(code), _folded(right)):
        chat.reply(wording.wrong_code)
        return False
    return True


def _folded(code: str) -> bytes:
    """Return a code as it is compared: phones write it full-width, and with a capital first."""
    return unicodedata.normalize("NFKC", code).casefold().encode()
