"""What the model is shown."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from assistant.persona import Persona
from assistant.wording import Wording
from memory.conversation import ASSISTANT, Conversation, Turn

Role = Literal["user", "model"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation as the model sees it."""

    conversation: Conversation
    persona: Persona
    wording: Wording
    zone: ZoneInfo
    """The family's: every time the model reads is theirs."""

    def instruction(self, now: datetime) -> str:
        """Return the system instruction: who it is, what it can do, what day and time it is."""
        local = now.astimezone(self.zone)
        date = self.wording.date.format(
            year=local.year,
            month=local.month,
            day=local.day,
            weekday=self.wording.weekdays[local.weekday()],
            time=f"{local:%H:%M}",
            zone=self.zone.key,
        )
        return self.wording.instruction.format(name=self.persona.name, now=date)

    def contents(self, turn: Turn) -> list[tuple[Role, str]]:
        """Return the window up to a turn, and the turn last; the family is always first.

        The family's turns are lines with their time and speaker; the assistant's own are bare, or
        it would begin to write such marks itself. An answer stands behind what it answers, however
        late it came. What was said after the turn is left out: it is answered as things stood.
        """
        moments = {one.id: one.said_at for one in self.conversation.turns}

        def place(one: Turn) -> tuple[datetime, bool]:
            return moments.get(one.answers, one.said_at), bool(one.answers)

        before = [
            one
            for one in sorted(self.conversation.turns, key=place)
            if turn.id not in {one.id, one.answers} and place(one)[0] <= turn.said_at
        ]
        said: list[tuple[Role, str]] = []
        for one in [*before, turn]:
            role: Role = "model" if one.speaker == ASSISTANT else "user"
            text = one.text if role == "model" else self._line(one)
            if said and said[-1][0] == role:
                said[-1] = (role, f"{said[-1][1]}\n{text}")
            elif said or role == "user":
                said.append((role, text))
        return said

    def _line(self, turn: Turn) -> str:
        local = turn.said_at.astimezone(self.zone)
        weekday = self.wording.weekdays[local.weekday()]
        mark = f"[{local:%Y-%m-%d} ({weekday}) {local:%H:%M}]"
        words = self._quotation(turn) + _folded(turn.text)
        return f"{mark} {self._name(turn.speaker)}{self.wording.colon}{words}"

    def _quotation(self, turn: Turn) -> str:
        quoted = self.conversation.find(turn.quotes)
        if not quoted:
            return ""
        speaker = self._name(quoted.speaker)
        return self.wording.quoting.format(speaker=speaker, text=_folded(quoted.text))

    def _name(self, speaker: str) -> str:
        if speaker == ASSISTANT:
            return self.persona.name
        if not speaker:
            return self.wording.someone
        mark = hashlib.sha256(speaker.encode()).hexdigest()[:4].upper()
        name = _folded(self.conversation.names.get(speaker, "").strip())
        return name or self.wording.member.format(mark=mark)


def _folded(text: str) -> str:
    """Return a text whose further lines can't be taken for turns of their own."""
    return "\n  ".join(text.splitlines())
