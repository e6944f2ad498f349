"""Reminders: what is to be said, when, how often, and to whom."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from memory.schedule import Schedule

State = Literal["pending", "done", "cancelled", "undelivered"]
"""Undelivered: LINE would not take it, and never will."""

LONGEST = 300
"""Characters of a reminder."""
FURTHEST = timedelta(days=29)
"""How far ahead an alarm is set at most: Cloud Tasks takes thirty days."""
_EARLY = timedelta(minutes=1)
"""How much before its time an alarm counts as on time: clocks differ."""
_OVERDUE = timedelta(minutes=10)
"""How long after its time an alarm that has not rung is not going to."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder, by the number it is known by in its conversation."""

    no: int
    text: str
    """The family's own words."""
    due: datetime
    """When it is to be said next, in UTC; of one that is over, when it was said last."""
    first: datetime
    """When it was to be said first: the wall time of its zone, which the rule counts from."""
    zone: str
    """The time zone it was set in, by its IANA name."""
    rule: str = ""
    """How it is repeated, as RFC 5545 writes it; empty for once."""
    whom: tuple[str, ...] = ()
    """LINE's ids of who is to be reminded, or `EVERYONE`."""
    by: str = ""
    """LINE's id of who set it."""
    source: str = ""
    """The turn in which it was set."""
    rev: int = 0
    """How often it was changed; alarms of before do not count any more."""
    state: State = "pending"
    ring: str = ""
    """What was said last, see `memory.rings`."""
    taps: tuple[str, ...] = ()
    """The buttons under it that were used, each with the announcement it stood under."""

    @property
    def is_pending(self) -> bool:
        """Say whether it is still to be said."""
        return self.state == "pending"

    @property
    def occasion(self) -> str:
        """What stands for its being said at this very time."""
        return f"{self.no}-{round(self.due.timestamp() * 1000)}-{self.rev}"

    @property
    def schedule(self) -> Schedule:
        """All the times it is to be said."""
        return Schedule(self.first, ZoneInfo(self.zone), self.rule)

    def is_due(self, now: datetime) -> bool:
        """Say whether it is to be said by now."""
        return self.is_pending and self.due <= now + _EARLY

    def rung(self, now: datetime) -> tuple["Reminder", tuple[datetime, ...]]:
        """Return it as it is once everything due has been said, and when that was due.

        What comes next is counted from the schedule, not from now.
        """
        said = []
        following: datetime | None = self.due
        while following and following <= now + _EARLY:
            said.append(following)
            following = self.schedule.after(following)
        if following:
            return replace(self, due=following), tuple(said)
        return replace(self, due=said[-1], state="done"), tuple(said)


@dataclass(frozen=True, slots=True)
class Alarm:
    """What wakes us for a reminder; it may come late, twice, or in vain."""

    no: int
    rev: int
    due: datetime
    """The time of the reminder it is for."""
    at: datetime
    """When it rings: earlier, where that is too far ahead for Cloud Tasks."""
    attempt: int = 0
    """How many alarms for this very time there were before."""


def reminder_of(occasion: str) -> int:
    """Return the number of the reminder that an occasion is one of."""
    return int(occasion.partition("-")[0])


def due_at(occasion: str) -> int:
    """Return when an occasion was due, in milliseconds."""
    return int(occasion.split("-")[1])


def in_minutes(now: datetime, minutes: int) -> datetime:
    """Return the minute that is so many from now, to the nearest: reminders have no seconds."""
    moment = now + timedelta(minutes=minutes, seconds=30)
    return moment.astimezone(UTC).replace(second=0, microsecond=0)


def alarm(reminder: Reminder, now: datetime) -> Alarm:
    """Return the next alarm for a pending reminder: at its time, or on the way there."""
    # On the hour, so that an alarm that comes twice makes one, not two.
    on_the_way = (now + FURTHEST).replace(minute=0, second=0, microsecond=0)
    at = max(now, min(reminder.due, on_the_way))
    return Alarm(reminder.no, reminder.rev, reminder.due, at)


def lacks_alarm(rings_at: datetime | None, now: datetime) -> bool:
    """Say whether there is no alarm, or only one that should have rung long ago."""
    return rings_at is None or rings_at < now - _OVERDUE


def to_document(reminder: Reminder) -> dict[str, Any]:
    """Return a reminder as the agenda and its own document hold it; what is empty is left out."""
    document = {
        "text": reminder.text,
        "due": reminder.due,
        "first": reminder.first.isoformat(timespec="minutes"),
        "zone": reminder.zone,
        "rule": reminder.rule,
        "whom": list(reminder.whom),
        "by": reminder.by,
        "source": reminder.source,
        "rev": reminder.rev,
        "state": reminder.state,
        "ring": reminder.ring,
        "taps": list(reminder.taps),
    }
    return {key: value for key, value in document.items() if value not in ("", 0, [])}


def from_document(no: int, document: Mapping[str, Any]) -> Reminder:
    """Read a reminder off the agenda, or its own document."""
    return Reminder(
        no=no,
        text=document["text"],
        due=document["due"].astimezone(UTC),
        first=datetime.fromisoformat(document["first"]),
        zone=document["zone"],
        rule=document.get("rule", ""),
        whom=tuple(document.get("whom", ())),
        by=document.get("by", ""),
        source=document.get("source", ""),
        rev=document.get("rev", 0),
        state=document.get("state", "pending"),
        ring=document.get("ring", ""),
        taps=tuple(document.get("taps", ())),
    )
