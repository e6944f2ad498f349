"""What a patient person with a wall calendar would ring, found by looking at every single day."""

import calendar
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo

from memory.schedule import Repeat

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def occurrences(
    repeat: Repeat | None, first: datetime, zone: tzinfo, until: datetime
) -> list[datetime]:
    """
    Return every moment in UTC, up to one and with it, at which something rings.
    """
    last = until.astimezone(zone).date() + DAY
    walls = (datetime.combine(day, first.time()) for day in days(repeat, first.date(), last))
    rung = {moment(wall, zone) for wall in walls}
    return sorted(due for due in rung if due <= until)


def days(repeat: Repeat | None, first: date, last: date) -> Iterator[date]:
    """
    Yield the days up to a last one on which something rings.
    """
    if repeat is None:
        yield first
        return
    last = min(last, repeat.until or last)
    begun = None
    day = first
    while day <= last:
        if is_named(repeat, first, day):
            begun = begun or day
            if passed(repeat, begun, day) % repeat.interval == 0:
                yield day
        day += DAY


def is_named(repeat: Repeat, first: date, day: date) -> bool:
    """
    Say whether a day is one that is spoken of, in whatever week, month or year.
    """
    month_ends = calendar.monthrange(day.year, day.month)[1]
    if repeat.nth and not repeat.weekdays:
        return day.day == month_ends
    if repeat.every == "year" and day.month != first.month:
        return False
    if repeat.nth:
        same = [
            number
            for number in range(1, month_ends + 1)
            if day.replace(day=number).weekday() == repeat.weekdays[0]
        ]
        return day.day == (same[-1] if repeat.nth == -1 else same[repeat.nth - 1])
    if repeat.every == "week":
        return day.weekday() in (repeat.weekdays or [first.weekday()])
    return repeat.every == "day" or day.day == min(first.day, month_ends)


def passed(repeat: Repeat, begun: date, day: date) -> int:
    """
    Return how many days, weeks, months or years have begun since the first one that rang.
    """
    if repeat.every == "day":
        return (day - begun).days
    if repeat.every == "week":
        monday, first_monday = (each - each.weekday() * DAY for each in (day, begun))
        return (monday - first_monday).days // 7
    years = day.year - begun.year
    return years if repeat.every == "year" else years * 12 + day.month - begun.month


def moment(wall: datetime, zone: tzinfo) -> datetime:
    """
    Return the moment at which a zone's clocks first show a time, or the next one they do show.
    """
    while True:
        due = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if due.astimezone(zone).replace(tzinfo=None) == wall:
            return due
        wall += MINUTE
