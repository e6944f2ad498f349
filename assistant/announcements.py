"""What is said when reminders are due: their own words, to whom they are for, and the buttons."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import get_args
from urllib.parse import parse_qs, urlencode

from assistant.agenda import Agenda
from assistant.bubbles import BUBBLE, BUBBLES, fitted, units
from assistant.reminder_wording import Button
from memory.reminders import Reminder
from services.outgoing import CARD_TEXT, CARDS, MENTIONS, Card, Cards, Mention, Message, Text
from services.outgoing import Button as CardButton

_LATE = timedelta(minutes=5)
_TIMES = 3
"""Of one that was due more often, only so many times are named."""
_SHOWN = 100
"""UTF-16 units of a reminder's words in what a tap says."""

Part = str | Mention


@dataclass(frozen=True, slots=True)
class Due:
    """A reminder, and every time at which it was to be said by now."""

    reminder: Reminder
    times: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class Tap:
    """What one of the buttons under a reminder tells us."""

    no: int
    ring: str
    """The announcement it stood under."""
    button: Button

    def data(self) -> str:
        """Return it as LINE hands it back."""
        return urlencode({"reminder": self.no, "ring": self.ring, "do": self.button})


def tapped(data: str) -> Tap | None:
    """Read what LINE handed back; None for what is no button of ours."""
    fields = {name: values[0] for name, values in parse_qs(data).items()}
    no, ring, button = (fields.get(name, "") for name in ("reminder", "ring", "do"))
    if no.isascii() and no.isdigit() and len(no) < 10 and ring:
        for known in get_args(Button):
            if button == known:
                return Tap(int(no), ring, known)
    return None


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is said of all reminders of a conversation that are due together."""

    agenda: Agenda
    due: Sequence[Due]
    ring: str
    """Stands for this announcement in what its buttons tell us."""
    here: Collection[str] = ()
    """Whoever can be mentioned; others, who have left, are spoken of by name."""
    note: str = ""
    """What is to be said besides."""

    def messages(self) -> list[Message]:
        """Return it as LINE shows it, in one call."""
        return [*self._texts()[: BUBBLES - 1], self._buttons()]

    @property
    def fits(self) -> bool:
        """Say whether one call takes all of it."""
        return len(self._texts()) < BUBBLES

    def words(self) -> dict[str, str]:
        """Return it in words alone, by occasion, with their times, for whoever reads it later."""
        return {
            one.reminder.occasion: self._late(one) + self._called(one.reminder) + one.reminder.text
            for one in self.due
        }

    def _texts(self) -> list[Text]:
        lines = [self._line(one) for one in self.due]
        return _joined([*lines, *([(self.note,)] if self.note else [])])

    def _line(self, one: Due) -> tuple[Part, ...]:
        """Return a reminder as the parts of a text."""
        late = self.agenda.now - one.times[0] > _LATE
        called: Iterable[Part] = (
            part for user in one.reminder.whom for part in (self._addressed(user), " ")
        )
        mark = self._late(one) if late else self.agenda.wording.ring
        return (mark, *called, one.reminder.text)

    def _late(self, one: Due) -> str:
        zone = one.reminder.zone
        more = ["…"] if len(one.times) > _TIMES else []
        named = [self.agenda.when(time, zone) for time in one.times[-_TIMES:]]
        when = self.agenda.wording.between.join([*more, *named])
        return self.agenda.wording.late.format(when=when)

    def _called(self, reminder: Reminder) -> str:
        return f"{self.agenda.names(reminder.whom)} " if reminder.whom else ""

    def _addressed(self, user: str) -> Part:
        return Mention(user) if user in self.here else self.agenda.names([user])

    def _buttons(self) -> Cards:
        shown = [one.reminder for one in self.due[:CARDS]]
        texts = " ".join(reminder.text for reminder in shown)
        alt = self.agenda.wording.alt.format(text=texts)
        return Cards(fitted(alt, CARD_TEXT), tuple(map(self._card, shown)))

    def _card(self, reminder: Reminder) -> Card:
        wording = self.agenda.wording
        text = wording.card.format(no=reminder.no, text=reminder.text)
        short = fitted(reminder.text, _SHOWN)
        buttons = (
            CardButton(
                label,
                Tap(reminder.no, self.ring, button).data(),
                wording.taps[button].format(text=short),
            )
            for button, label in wording.buttons.items()
        )
        return Card(fitted(text, CARD_TEXT), tuple(buttons))


def _joined(lines: Sequence[tuple[Part, ...]]) -> list[Text]:
    """Return lines as few texts: each within what LINE takes of words and of mentions."""
    texts: list[Text] = []
    parts: list[Part] = []
    for line in lines:
        longer = [*parts, "\n", *line] if parts else [*line]
        if parts and not _fits(longer):
            texts.append(Text(tuple(parts)))
            longer = [*line]
        parts = longer
    return [*texts, Text(tuple(parts))]


def _fits(parts: Sequence[Part]) -> bool:
    # LINE counts a mention as the name that is shown, which nobody knows.
    length = sum(units(part) if isinstance(part, str) else _SHOWN for part in parts)
    return length <= BUBBLE and sum(isinstance(part, Mention) for part in parts) <= MENTIONS
