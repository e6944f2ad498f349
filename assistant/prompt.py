"""What the model is shown."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from assistant.persona import Persona
from assistant.reminder_wording import reminder_wording
from assistant.wording import Wording
from memory.conversation import ASSISTANT, Conversation, Turn
from memory.facts import Fact
from services.characters import tokens

Role = Literal["user", "model"]

_TOOLS = 1400
"""Tokens of the tools' own descriptions, by estimate."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation as the model sees it."""

    conversation: Conversation
    persona: Persona
    wording: Wording
    zone: ZoneInfo
    """The family's: every time the model reads is theirs."""
    room: int = 12_000
    """Tokens of everything together, by estimate."""
    recalled: Sequence[Fact] = ()
    """Facts beside those on the board."""
    remembers: bool = True
    """Whether facts are kept in this deployment."""

    @property
    def instruction(self) -> str:
        """The system instruction: who it is and what it can do. It stays the same from day to day.

        What is known and what time it is stands in the contents: the former is data, the latter
        would make every prompt another from its beginning on.
        """
        instruction = self.wording.instruction.format(name=self.persona.name)
        remembering = [self.wording.remembering] if self.remembers else []
        reminding = reminder_wording(self.wording.language).instruction
        return "\n".join([instruction, *remembering, reminding])

    def contents(
        self, turn: Turn, now: datetime, agenda: Sequence[str] = ()
    ) -> list[tuple[Role, str]]:
        """Return what is known, the window up to a turn, and the time and the turn last.

        The family's turns are lines with their time and speaker; the assistant's own are bare, or
        it would begin to write such marks itself. An answer stands behind what it answers, however
        late it came. What was said after the turn is left out: it is answered as things stood.
        Where there is not room for everything, the oldest turns are left out.

        Args:
            turn: What is to be answered.
            now: The time.
            agenda: What is said of the reminders to come.
        """
        known = "\n\n".join([*self._board(now), *self._summary(), *agenda])
        asked = f"{self.wording.now.format(date=self._date(now))}\n{self.line(turn)}"
        room = self.room - _TOOLS - sum(map(tokens, (self.instruction, known, asked)))
        said: list[tuple[Role, str]] = [("user", known)] if known else []
        for role, text in [*self._fitting(self._before(turn), room), ("user", asked)]:
            if said and said[-1][0] == role:
                said[-1] = (role, f"{said[-1][1]}\n{text}")
            elif said or role == "user":
                said.append((role, text))
        return said

    def line(self, turn: Turn) -> str:
        """Return a turn as a line with its time and speaker."""
        local = turn.said_at.astimezone(self.zone)
        weekday = self.wording.weekdays[local.weekday()]
        mark = f"[{local:%Y-%m-%d} ({weekday}) {local:%H:%M}]"
        words = self._quotation(turn) + folded(turn.text)
        return f"{mark} {self.name(turn.speaker)}{self.wording.colon}{words}"

    def name(self, speaker: str) -> str:
        """Return what a speaker goes by."""
        if speaker == ASSISTANT:
            return self.persona.name
        if not speaker:
            return self.wording.someone
        mark = hashlib.sha256(speaker.encode()).hexdigest()[:4].upper()
        name = folded(self.conversation.names.get(speaker, "").strip())
        return name or self.wording.member.format(mark=mark)

    def facts(self, facts: Iterable[Fact]) -> str:
        """Return facts as a list, in the shorter of two forms: each by itself, or by subject."""
        facts = list(facts)
        flat = "\n".join(self._fact(fact, fact.text) for fact in facts)
        subjects: dict[str, list[str]] = {}
        for fact in facts:
            line = self._fact(fact, fact.text.removeprefix(fact.subject).strip() or fact.text)
            subjects.setdefault(quoted(fact.subject), []).append(line)
        grouped = "\n".join(
            f"{subject}{self.wording.colon}{' '.join(lines)}" for subject, lines in subjects.items()
        )
        return min(flat, grouped, key=tokens)

    def _fact(self, fact: Fact, text: str) -> str:
        by = quoted(self.name(fact.by))
        notes = [self.wording.recorded.format(by=by)]
        if fact.disputes:
            numbers = " ".join(f"#{no}" for no in fact.disputes)
            notes.append(self.wording.disputed.format(numbers=numbers))
        shown = self.wording.fact.format(no=fact.no, text=quoted(text))
        return shown + self.wording.aside.format(notes="; ".join(notes))

    def _board(self, now: datetime) -> list[str]:
        today = now.astimezone(self.zone).date()
        board = {fact.no: fact for fact in self.conversation.facts(today)}
        found = {fact.no: fact for fact in self.recalled if not fact.is_over(today)}
        facts = [fact for _, fact in sorted((found | board).items())]
        hidden = self.conversation.hidden - len(found.keys() - board.keys())
        if not self.remembers or not (facts or hidden > 0):
            return []
        lines = [self.wording.board, *([self.facts(facts)] if facts else [])]
        if hidden > 0:
            lines.append(self.wording.unlisted.format(count=hidden))
        return ["\n".join(lines)]

    def _summary(self) -> list[str]:
        # A dash, or one that looks like a turn's line would be read as one.
        sentences = [f"- {folded(sentence.text)}" for sentence in self.conversation.summary]
        return ["\n".join([self.wording.summary, *sentences])] if sentences else []

    def _date(self, now: datetime) -> str:
        local = now.astimezone(self.zone)
        return self.wording.date.format(
            year=local.year,
            month=local.month,
            day=local.day,
            weekday=self.wording.weekdays[local.weekday()],
            time=f"{local:%H:%M}",
            zone=self.zone.key,
        )

    def _before(self, turn: Turn) -> list[tuple[Role, str]]:
        moments = {one.id: one.said_at for one in self.conversation.turns}

        def place(one: Turn) -> tuple[datetime, bool]:
            return moments.get(one.answers, one.said_at), bool(one.answers)

        return [
            ("model", one.text) if one.speaker == ASSISTANT else ("user", self.line(one))
            for one in sorted(self.conversation.turns, key=place)
            if turn.id not in {one.id, one.answers} and place(one)[0] <= turn.said_at
        ]

    def _fitting(self, said: Sequence[tuple[Role, str]], room: int) -> list[tuple[Role, str]]:
        """Return the last of what was said, as much as there is room for."""
        fitting: list[tuple[Role, str]] = []
        for role, text in reversed(said):
            room -= tokens(text) + 1
            if room < 0:
                break
            fitting.append((role, text))
        return fitting[::-1]

    def _quotation(self, turn: Turn) -> str:
        quoted = self.conversation.find(turn.quotes)
        if not quoted:
            return ""
        speaker = self.name(quoted.speaker)
        return self.wording.quoting.format(speaker=speaker, text=folded(quoted.text))


def folded(text: str) -> str:
    """Return a text whose further lines can't be taken for turns of their own."""
    return "\n  ".join(text.splitlines())


def quoted(text: str) -> str:
    """Return a text that stays within its quotation marks, on its line."""
    table = str.maketrans({"「": "『", "」": "』", '"': "'"})
    return " ".join(text.translate(table).split())
