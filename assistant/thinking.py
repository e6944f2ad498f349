"""From a turn to what the assistant says to it."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assistant.agenda import Agenda
from assistant.bubbles import BUBBLE, BUBBLES, bubbles, units
from assistant.markdown import plain
from assistant.promises import promises
from assistant.tools import Toolbox
from assistant.wording import Wording
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


@dataclass(frozen=True, slots=True)
class Thought:
    """What is said to a turn, before code has added what it knows better."""

    text: str
    remembered: str = ""
    """The words as a turn of the window; empty where they are none, as an apology's."""
    withheld: bool = False
    """The model's filters stopped the message: it must not be in the next prompt too."""
    calls: int = 0
    """Of the model."""


def think(turn: Turn, agenda: Agenda, toolbox: Toolbox, gemini: "Gemini") -> Thought:
    """Return what is said to a turn: the model's answer, or one honest sentence if none.

    What the model did with its tools stands, and is told, even if it can't be asked any more.
    """
    steps: list[Step] = []
    thought = _thought(turn, agenda, toolbox, gemini, steps)
    return replace(thought, calls=len(steps) + 1)


def _thought(
    turn: Turn, agenda: Agenda, toolbox: Toolbox, gemini: "Gemini", steps: list[Step]
) -> Thought:
    wording = agenda.prompt.wording
    try:
        answer = _answered(turn, agenda, toolbox, gemini, steps)
    except Withheld:
        log.warning("message withheld by the model's filters")
        toolbox.undo()
        return Thought(wording.withheld, withheld=True)
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
    if promises(text) and not toolbox.reminds:
        # It insists on what it has not done: the family is told so.
        text = f"{text}\n\n{agenda.wording.nothing_set}"
    # Told to forget, we must not say it again in the window.
    repeats = any(retells(text, fact.text, fact.subject, share=1 / 3) for fact in toolbox.erased)
    remembered = "\n".join(toolbox.told) if repeats else text
    return Thought(text + note, remembered)


def said(thought: Thought, lines: Iterable[str], wording: Wording) -> Reply:
    """Return a thought as the family sees it.

    Args:
        thought: What was thought.
        lines: What code says besides; none of it is ever cut.
        wording: The family's language.
    """
    added = bubbles("\n".join(lines), cut_note="")
    shown = bubbles(thought.text, cut_note=wording.cut, most=BUBBLES - len(added))
    if shown and added and units(shown[-1]) + 2 + units(added[0]) <= BUBBLE:
        shown[-1:], added = [f"{shown[-1]}\n\n{added[0]}"], added[1:]
    return Reply((*shown, *added), thought.remembered, thought.withheld)


def _answered(
    turn: Turn, agenda: Agenda, toolbox: Toolbox, gemini: "Gemini", steps: list[Step]
) -> Answer:
    """Ask the model, do what it asks for, and ask again, until it has nothing more to ask for."""
    prompt = agenda.prompt
    contents = prompt.contents(turn, agenda.now, agenda.block())
    deadline = gemini.deadline()
    while True:
        last = len(steps) == _ROUNDS - 1
        answer = gemini.answer(
            prompt.instruction,
            contents,
            tools=toolbox.tools,
            steps=steps,
            last=last,
            deadline=deadline,
        )
        if answer.calls:
            results = tuple(toolbox.run(call) for call in answer.calls)
            steps.append(Step(answer, results))
        elif last or toolbox.reminds or not promises(answer.text) or _is_corrected(steps):
            return answer
        else:
            steps.append(Step(answer, note=agenda.wording.correction))


def _is_corrected(steps: Iterable[Step]) -> bool:
    return any(step.note for step in steps)


def _apology(sentence: str, toolbox: Toolbox) -> Thought:
    """Return what was done, if anything was; else the sentence, which is not remembered."""
    if not toolbox.told and not toolbox.reminds:
        return Thought(sentence)
    told = "\n".join(toolbox.told)
    return Thought(told, remembered=told)
