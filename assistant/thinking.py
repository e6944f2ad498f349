"""From a turn to what the assistant says to it."""

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.bubbles import bubbles
from assistant.markdown import plain
from assistant.prompt import Prompt
from memory.conversation import Turn
from memory.store import Reply
from services.errors import Refused, Unavailable, Withheld

if TYPE_CHECKING:
    from services.gemini import Gemini

log = logging.getLogger(__name__)


def think(turn: Turn, prompt: Prompt, gemini: "Gemini", now: datetime) -> Reply:
    """Return what is said to a turn: the model's answer, or one honest sentence if none."""
    wording = prompt.wording
    try:
        answer = gemini.answer(prompt.instruction(now), prompt.contents(turn))
    except Withheld:
        log.warning("message withheld by the model's filters")
        return Reply((wording.withheld,), withheld=True)
    except Refused:
        log.exception("model refused: is its key or name right?")
        return Reply((wording.broken,))
    except Unavailable:
        log.warning("model out of reach", exc_info=True)
        return Reply((wording.unreachable,))
    text = plain(answer.text)
    if not text.strip():
        return Reply((wording.unreachable,))
    note = wording.unfinished if answer.cut else ""
    return Reply(tuple(bubbles(text + note, cut_note=wording.cut)), remembered=text)
