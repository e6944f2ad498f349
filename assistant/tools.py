"""Tools: what the model may do with the memory while it answers one message."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from assistant.prompt import Prompt
from assistant.reminder_tools import TOOLS as REMINDER_TOOLS
from assistant.reminder_tools import ReminderTools
from memory.conversation import ASSISTANT, Conversation, Turn
from memory.dates import local_date
from memory.draft import Draft, Outcome
from memory.facts import LONGEST, Candidate, Category, Fact, Kind
from memory.gates import Gates, cleaned
from memory.recall import Recall
from services.dialogue import Call, Tool, ToolError
from services.errors import Refused, Unavailable

if TYPE_CHECKING:
    from services.gemini import Gemini

_MOST_FORGOTTEN = 3
"""Facts the model may forget in one turn; more than that, a member has to type."""
_IMPORTANCE = 0.6
"""Of what somebody asked to be remembered."""
_KINDS: Mapping[Category, Kind] = {"place": "place", "other": "thing"}
"""What a subject that is no member is, as far as the category tells; most are people."""


class Remember(BaseModel):
    """Arguments of `remember`."""

    text: str = Field(
        description=f"One whole sentence that names who, in the speaker's language, with dates "
        f"instead of words like tomorrow; {LONGEST} characters at most"
    )
    subject: str = Field(description="Who or what it is about, such as a member's name")
    category: Category


class Forget(BaseModel):
    """Arguments of `forget`."""

    numbers: list[int] = Field(description="The facts' numbers on the board, as in #12")


class Recollect(BaseModel):
    """Arguments of `recall`."""

    query: str = Field(description="What to look for, in the family's own words")


_REMEMBER = Tool(
    "remember",
    "Keep a lasting fact about the family that the last message tells: a name, liking, allergy, "
    "habit, place, regular appointment. Not for errands, timers or anything to be told at a "
    "certain time, which are reminders; not for passwords or ID numbers. To correct a fact, "
    "forget it and remember the right one.",
    Remember,
)
_FORGET = Tool(
    "forget",
    "Forget facts on the board for good, because a member asked for it or said they are wrong. "
    f"At most {_MOST_FORGOTTEN} in one turn.",
    Forget,
)
_RECALL = Tool(
    "recall",
    "Look for facts that are not listed on the board. Use it before you say you don't know.",
    Recollect,
)


class Toolbox:
    """The tools for one message.

    Nothing is stored while the model thinks. What it asks for is worked out on a draft, and kept
    together with the reply, in one batch: a process that dies before it has done nothing, and one
    that dies afterwards finds both. If the conversation has changed by then, the same deeds are
    done on what it has become.
    """

    def __init__(
        self,
        turn: Turn,
        prompt: Prompt,
        gates: Gates,
        recall: Recall,
        gemini: "Gemini",
        reminders: ReminderTools,
    ) -> None:
        self._turn = turn
        self._reminders = reminders
        self._prompt = prompt
        self._wording = prompt.wording
        self._gates = gates
        self._recall = recall
        self._gemini = gemini
        self._draft = recall.draft(prompt.conversation)
        self._deeds: dict[str, Callable[[Draft], object]] = {}
        """What is to be done, by what it is done to."""
        self._done: dict[str, Mapping[str, Any]] = {}
        self._known: dict[int, Fact] = {}
        """What was compared with what is to be stored, beside the board."""
        self._forgotten: set[int] = set()
        self._threads = ThreadPoolExecutor(4)
        self._vectors: dict[str, Future[list[list[float]]]] = {}
        self.told: list[str] = []
        """What was done, as sentences for the family."""
        self.erased: list[Fact] = []
        """The facts that are forgotten."""
        self.confirmed: list[str] = []
        """What was done about reminders, as the stored ones tell it."""

    @property
    def reminds(self) -> bool:
        """Say whether anything was done about reminders."""
        return bool(self._reminders.deeds)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the model is offered: what would look for more, only where there is more."""
        if not self._prompt.remembers:
            return REMINDER_TOOLS
        recall = (_RECALL,) if self._prompt.conversation.hidden else ()
        return (_REMEMBER, _FORGET, *recall, *REMINDER_TOOLS)

    def run(self, call: Call) -> Mapping[str, Any]:
        """Do what the model asks for, once, and return what it is to read of it."""
        key = json.dumps([call.name, call.arguments], sort_keys=True, default=str)
        if key not in self._done:
            try:
                self._done[key] = {"result": self._run(call)}
            except ToolError as error:
                self._done[key] = {"error": str(error)}
        return self._done[key]

    def draft(self, conversation: Conversation) -> Draft:
        """Return everything that was done, on a conversation as it is now."""
        draft = self._recall.draft(conversation)
        self.confirmed = []
        if conversation.has_forgotten(self._turn):
            # Unsent while it was answered: nothing is to come of it.
            return draft
        if conversation.version != self._prompt.conversation.version:
            self._known = {fact.no: fact for fact in self._recall.facts(self._known, draft.board)}
        for deed in self._deeds.values():
            deed(draft)
        self.confirmed = [*filter(None, (deed(draft) for deed in self._reminders.deeds.values()))]
        draft.clear_board(self._recall.today(conversation))
        return draft

    def undo(self) -> None:
        """Let nothing have been done: what was to be stored came of words that must not stay."""
        self._deeds.clear()
        self._reminders.deeds.clear()
        self.told.clear()
        self.erased.clear()

    def vectors(self) -> dict[str, Sequence[float]]:
        """Return the vectors of what was remembered, by text, as far as there are any."""
        vectors: dict[str, Sequence[float]] = {}
        for text, embedded in self._vectors.items():
            with suppress(Unavailable, Refused):
                (vectors[text],) = embedded.result()
        self._threads.shutdown()
        return vectors

    def _run(self, call: Call) -> str:
        try:
            match call.name:
                case "remember" if self._prompt.remembers:
                    return self._remember(Remember.model_validate(call.arguments))
                case "forget" if self._prompt.remembers:
                    return self._forget(Forget.model_validate(call.arguments).numbers)
                case "recall" if self._prompt.remembers:
                    return self._recollect(Recollect.model_validate(call.arguments).query)
                case name if name in {tool.name for tool in REMINDER_TOOLS}:
                    return self._reminders.run(name, call.arguments, self._draft)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
            raise ToolError("; ".join(problems)) from error
        raise ToolError(f"there is no tool {call.name}")

    def _remember(self, asked: Remember) -> str:
        turn, prompt = self._turn, self._prompt
        said_on = local_date(turn.said_at, prompt.zone)
        importance = max(_IMPORTANCE, self._gates.floor)
        candidate = _dated(cleaned(_candidate(asked, prompt, importance), said_on))
        quoted = prompt.conversation.find(turn.quotes)
        own_words = quoted and quoted.speaker not in {"", ASSISTANT} and not quoted.kind
        also = [quoted.text] if quoted and own_words else []
        # A picture's or file's words are not its sender's.
        reason = "no evidence" if turn.kind else self._gates.refusal(candidate, turn, also)
        if reason:
            raise ToolError(self._wording.refused[reason])
        self._vectors[candidate.text] = self._threads.submit(
            self._gemini.embed, [candidate.text], "document"
        )
        known = self._unseen(candidate)
        outcome = self._draft.take(candidate, turn, known=known)
        if outcome.fate == "skipped":
            raise ToolError(self._wording.refused[outcome.reason])
        self._known |= {fact.no: fact for fact in known}
        numbers = [fact.no for fact in known]
        # By its number here: on a conversation that has changed, it may get another.
        self._deeds[f"remember {outcome.no}"] = lambda draft: draft.take(
            candidate, turn, known=[self._known[no] for no in numbers if no in self._known]
        )
        told = self._sentence(outcome, candidate.text)
        self.told.append(told)
        similar = [fact for fact in known if not fact.equals(candidate)]
        return f"{told}\n{prompt.facts(similar)}" if similar else told

    def _unseen(self, candidate: Candidate) -> list[Fact]:
        """Return the facts that a new one may have to do with and that were not shown."""
        if not self._prompt.conversation.hidden:
            return []
        vector: Sequence[float] | None = None
        with suppress(Unavailable, Refused):
            (vector,) = self._vectors[candidate.text].result()
        with suppress(Unavailable):
            return self._recall.candidates(candidate, vector, self._prompt.conversation)
        return []

    def _forget(self, numbers: list[int]) -> str:
        wanted = set(numbers) - self._forgotten
        if len(wanted | self._forgotten) > _MOST_FORGOTTEN:
            listed = " ".join(f"#{no}" for no in sorted(wanted))
            raise ToolError(self._wording.too_many.format(numbers=listed))
        facts = self._recall.facts(wanted, self._draft.board)
        unknown = sorted(set(numbers) - {fact.no for fact in facts})
        if unknown or not facts:
            listed = " ".join(f"#{no}" for no in unknown)
            raise ToolError(self._wording.unknown.format(numbers=listed))
        self._forgotten |= wanted
        self.erased += facts
        for fact in facts:
            lineage = self._recall.lineage([fact])
            self._draft.forget(lineage, asking=self._turn.id)
            self._deeds |= self._forgetting(fact, lineage)
        listed = " ".join(f"#{fact.no}" for fact in facts)
        told = self._wording.forgotten.format(numbers=listed)
        self.told.append(told)
        return told

    def _forgetting(
        self, fact: Fact, lineage: Sequence[Fact]
    ) -> dict[str, Callable[[Draft], object]]:
        """Return what forgets a fact; one of this very message's is not stored to begin with."""
        if fact.no < self._prompt.conversation.next_no:
            asking = self._turn.id
            return {f"forget {fact.no}": lambda draft: draft.forget(lineage, asking=asking)}
        return {f"remember {fact.no}": lambda draft: draft.refuse(fact.text)}

    def _recollect(self, query: str) -> str:
        try:
            facts = self._recall.search(query, self._prompt.conversation)
        except (Unavailable, Refused):
            facts = []
        return self._prompt.facts(facts) if facts else self._wording.not_found

    def _sentence(self, outcome: Outcome, text: str) -> str:
        wording = self._wording
        form = {
            "stored": wording.stored,
            "updated": wording.updated,
            "confirmed": wording.confirmed,
            "disputed": wording.contested,
        }[outcome.fate]
        return form.format(no=outcome.no, known=outcome.known, text=text)


def _dated(candidate: Candidate) -> Candidate:
    """Let an appointment be over after its last day."""
    days = re.findall(r"\d{4}-\d\d-\d\d", candidate.text)
    if candidate.category != "schedule" or not days:
        return candidate
    with suppress(ValueError):
        return replace(candidate, expires_on=date.fromisoformat(max(days)))
    return candidate


def _candidate(asked: Remember, prompt: Prompt, importance: float) -> Candidate:
    is_member = asked.subject in prompt.conversation.names.values()
    return Candidate(
        text=asked.text,
        subject=asked.subject,
        category=asked.category,
        kind="person" if is_member else _KINDS.get(asked.category, "person"),
        importance=importance,
    )
