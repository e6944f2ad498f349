"""From a turn to what the assistant says to it."""

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.bubbles import bubbles
from assistant.markdown import plain
from assistant.prompt import Prompt
from assistant.tools import Toolbox
from memory.conversation import Turn
from memory.store import Reply
from memory.traces import retells
from services.dialogue import Answer, Step
from services.errors import Refused, Unavailable, Withheld

if TYPE_CHECKING:
    from services.gemini import Gemini

log = logging.getLogger(__name__)

_ROUNDS = 8
"""Requests for one answer; in the last the model may not ask for tools any more."""


def think(turn: Turn, prompt: Prompt, toolbox: Toolbox, gemini: "Gemini", now: datetime) -> Reply:
    """Return what is said to a turn: the model's answer, or one honest sentence if none.

    What the model did with its tools stands, and is told, even if it can't be asked any more.
    """
    wording = prompt.wording
    try:
        answer = _answered(turn, prompt, toolbox, gemini, now)
    except Withheld:
        log.warning("message withheld by the model's filters")
        toolbox.undo()
        return Reply((wording.withheld,), withheld=True)
    except Refused:
        log.exception("model refused: is its key or name right?")
        return _apology(wording.broken, toolbox)
    except Unavailable:
        log.warning("model out of reach", exc_info=True)
        return _apology(wording.unreachable, toolbox)
    text = plain(answer.text)
    if not text.strip():
        return _apology(wording.unreachable, toolbox)
    note = wording.unfinished if answer.cut else ""
    # Told to forget, we must not say it again in the window.
    repeats = any(retells(text, fact.text, fact.subject, share=1 / 3) for fact in toolbox.erased)
    remembered = "\n".join(toolbox.told) if repeats else text
    return Reply(tuple(bubbles(text + note, cut_note=wording.cut)), remembered=remembered)


def _answered(
    turn: Turn, prompt: Prompt, toolbox: Toolbox, gemini: "Gemini", now: datetime
) -> Answer:
    """Ask the model, do what it asks for, and ask again, until it has nothing more to ask for."""
    contents = prompt.contents(turn, now)
    deadline = gemini.deadline()
    steps: list[Step] = []
    while True:
        answer = gemini.answer(
            prompt.instruction,
            contents,
            tools=toolbox.tools,
            steps=steps,
            last=len(steps) == _ROUNDS - 1,
            deadline=deadline,
        )
        if not answer.calls:
            return answer
        results = tuple(toolbox.run(call) for call in answer.calls)
        steps.append(Step(answer, results))


def _apology(sentence: str, toolbox: Toolbox) -> Reply:
    """Return what was done, if anything was; else the sentence, which is not remembered."""
    if not toolbox.told:
        return Reply((sentence,))
    told = "\n".join(toolbox.told)
    return Reply((told,), remembered=told)
