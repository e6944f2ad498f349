"""Schedules: when something is due that was asked for by the clock on the wall."""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta, tzinfo
from itertools import takewhile
from typing import Any, Literal

from dateutil.rrule import rrulestr

Every = Literal["day", "week", "month", "year"]

_FREQUENCIES: dict[Every, str] = {
    "day": "DAILY",
    "week": "WEEKLY",
    "month": "MONTHLY",
    "year": "YEARLY",
}
_UNITS = {frequency: every for every, frequency in _FREQUENCIES.items()}
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NTH = (1, 2, 3, 4, -1)
_MOST = 99
_ONCE = "FREQ=DAILY;COUNT=1"
_MINUTE = timedelta(minutes=1)

ALWAYS = 28
"""The last day that every month has."""


class ImpossibleRule(ValueError):
    """A repetition no calendar can follow; its text tells the model why."""


class UnreadableTime(ValueError):
    """A time that can't be read; its text tells the model what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """How something comes round, as a person asks for it; the rest is told by its first time."""

    every: Every
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    """0 is Monday. Of a week, these; of a month, the one that `nth` counts."""
    nth: int = 0
    """Of a month, also every year's: which of that weekday, 1 to 4, or -1 for the last.

    Without a weekday, -1 is a month's last day.
    """
    until: date | None = None
    """The last day, where the family lives."""

    def __post_init__(self) -> None:
        objections = " ".join(self._objections())
        if objections:
            raise ImpossibleRule(objections)

    def _objections(self) -> Iterator[str]:
        if self.every not in _FREQUENCIES:
            yield f"A reminder repeats by day, week, month or year, not by {self.every}."
        if not 1 <= self.interval <= _MOST:
            yield f"The interval must be from 1 to {_MOST}, not {self.interval}."
        if not set(self.weekdays) <= set(range(7)):
            yield "Weekdays go from 0 (Monday) to 6 (Sunday)."
        if self.nth and not self._counts_in_months():
            yield (
                "Only months have an nth weekday: exactly one weekday, 1 to 4 or -1 for the last; "
                "-1 without a weekday is a month's last day."
            )
        elif self.weekdays and self.every != "week" and not self.nth:
            yield "Weekdays need a weekly repetition, or a monthly one with nth."

    def _counts_in_months(self) -> bool:
        if not self.weekdays:
            return self.every == "month" and self.nth == -1
        return self.every in {"month", "year"} and len(self.weekdays) == 1 and self.nth in _NTH


@dataclass(frozen=True, slots=True)
class Schedule:
    """When something is due, once or again and again.

    It is always reckoned from the first time on, so it never drifts. What the clocks skip is due
    once, at the first minute they show after it; what they show twice, the first time.
    """

    first: datetime
    """By the clock on the wall, to the minute; a rule begins with its first day from then on."""
    zone: tzinfo
    rule: str = ""
    """As `rule` returns it; empty for what is due only once."""

    def first_due(self) -> datetime | None:
        """Return the first time it is due, in UTC."""
        wall = next(iter(_recurrence(self.first, self.rule)), None)
        return wall and _first_shown(wall, self.zone)

    def after(self, moment: datetime) -> datetime | None:
        """Return when it is next due after a moment, in UTC; None when it is over."""
        return next(self._ahead(moment), None)

    def between(self, after: datetime, until: datetime) -> list[datetime]:
        """Return every time it is due after a moment and up to another, in UTC."""
        return list(takewhile(lambda due: due <= until, self._ahead(after)))

    def _ahead(self, moment: datetime) -> Iterator[datetime]:
        # What the clock shows, or is past, has been due. What the clock has yet to show may have
        # been due as well, in an hour that is shown for the second time; and where a whole day is
        # skipped, two days may be due at once.
        for wall in _recurrence(self.first, self.rule).xafter(_shown(moment, self.zone)):
            due = _first_shown(wall, self.zone)
            if due > moment:
                yield due
                moment = due


def rule(repeat: Repeat, first: datetime) -> str:
    """Return the RFC 5545 rule of a repetition; raise `ImpossibleRule` if it ends before it begins.

    It says no more than was asked: as in RFC 5545, the first time tells the rest. A day that a
    month or a year lacks is its last one instead.
    """
    parts = {"FREQ": _FREQUENCIES[repeat.every]}
    if repeat.interval > 1:
        parts["INTERVAL"] = str(repeat.interval)
    if repeat.every == "week":
        parts["WKST"] = "MO"
    written = ";".join(f"{name}={value}" for name, value in (parts | _days(repeat, first)).items())
    if repeat.until is None:
        return written
    begins = next(iter(_recurrence(first, written))).date()
    if repeat.until < begins:
        raise ImpossibleRule(f"It would end on {repeat.until}, before its first day, {begins}.")
    return f"{written};UNTIL={repeat.until:%Y%m%d}T235959"


def asked(rule: str) -> Repeat:
    """Return the repetition that became a rule."""
    parts = dict(part.split("=") for part in rule.split(";"))
    days = parts["BYDAY"].split(",") if "BYDAY" in parts else []
    nth = int(days[0][:-2] or 0) if days else 0
    return Repeat(
        every=_UNITS[parts["FREQ"]],
        interval=int(parts.get("INTERVAL", 1)),
        weekdays=tuple(_WEEKDAYS.index(day[-2:]) for day in days),
        nth=-1 if parts.get("BYMONTHDAY") == "-1" else nth,
        until=date.fromisoformat(parts["UNTIL"][:8]) if "UNTIL" in parts else None,
    )


def local_time(text: str, zone: tzinfo) -> datetime:
    """Return the time on the wall that an ISO 8601 text means, to the minute.

    A time with an offset is told by the zone's clocks. Raise `UnreadableTime` for anything else
    than a day and a time of day.
    """
    written = "T".join(unicodedata.normalize("NFKC", text).upper().split())
    try:
        wall = datetime.fromisoformat(written)
        wall = wall.astimezone(zone) if wall.tzinfo else wall
    except (ValueError, OverflowError) as error:
        raise UnreadableTime(_fault(text, written)) from error
    # Without a T the day's offset would be read as a time of day; at the calendar's very edges
    # not every zone has a time.
    if "T" not in written or not MINYEAR < wall.year < MAXYEAR:
        raise UnreadableTime(_fault(text, written))
    return wall.replace(second=0, microsecond=0, tzinfo=None, fold=0)


def _fault(text: str, written: str) -> str:
    """Say what is wrong with a time."""
    fault = "is no time I can read"
    if _reads(date, written):
        fault = "is a date without a time of day"
    elif _reads(time, written):
        fault = "is a time of day without a date"
    return f"{text} {fault}: write it like 2026-12-01T20:00."


def _reads(kind: type[date] | type[time], written: str) -> bool:
    try:
        kind.fromisoformat(written)
    except ValueError:
        return False
    return True


def _days(repeat: Repeat, first: datetime) -> dict[str, str]:
    """Return the parts of a rule that tell its days, where they are not simply the first one's."""
    if repeat.weekdays:
        nth = repeat.nth or ""
        names = (f"{nth}{_WEEKDAYS[day]}" for day in sorted(set(repeat.weekdays)))
        month = {"BYMONTH": str(first.month)} if repeat.every == "year" else {}
        return {**month, "BYDAY": ",".join(names)}
    if repeat.nth:
        return {"BYMONTHDAY": "-1"}
    leaps = repeat.every == "year" and (first.month, first.day) == (2, 29)
    if leaps or (repeat.every == "month" and first.day > ALWAYS):
        month = {"BYMONTH": "2"} if leaps else {}
        days = ",".join(str(day) for day in range(ALWAYS, first.day + 1))
        return {**month, "BYMONTHDAY": days, "BYSETPOS": "-1"}
    return {}


def _recurrence(first: datetime, rule: str) -> Any:
    """Return dateutil's rule, beginning with the first of its days from a time on.

    The weeks or months in between are counted from that day: else every other Tuesday, asked for
    on a Wednesday, would begin in two weeks instead of next Tuesday.
    """
    recurrence = rrulestr(rule or _ONCE, dtstart=first)
    begins = next(iter(recurrence.replace(interval=1)), first)
    return recurrence.replace(dtstart=begins)


def _first_shown(wall: datetime, zone: tzinfo) -> datetime:
    """Return the first minute, in UTC, in which a zone's clocks show a time or are past it."""
    due = wall.replace(tzinfo=zone).astimezone(UTC)
    if _shown(due, zone) == wall:
        return due
    # It is skipped: by the clock from before that it is still to come, by the one after it is over.
    over = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    minutes = range((due - over) // _MINUTE)
    past = bisect_left(minutes, wall, key=lambda minute: _shown(over + minute * _MINUTE, zone))
    return over + past * _MINUTE


def _shown(moment: datetime, zone: tzinfo) -> datetime:
    """Return what a zone's clocks show at a moment."""
    return moment.astimezone(zone).replace(tzinfo=None)
