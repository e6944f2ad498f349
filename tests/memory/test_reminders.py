"""Reminders: when they are due, what comes next, and which alarm wakes us for them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.reminders import (
    Alarm,
    Reminder,
    alarm,
    due_at,
    from_document,
    in_minutes,
    lacks_alarm,
    reminder_of,
    to_document,
)

EIGHT = datetime(2026, 12, 1, 12, tzinfo=UTC)
BINS = Reminder(3, "倒垃圾", EIGHT, datetime(2026, 12, 1, 20), "Asia/Taipei")
DAILY = replace(BINS, rule="FREQ=DAILY")
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("expected", "early"),
    [(True, -DAY), (True, 0 * DAY), (True, MINUTE), (False, MINUTE + timedelta(seconds=1))],
)
def test_it_is_due_from_a_minute_before(expected, early):
    """
    Clocks differ: an alarm that rings a little too early is on time.
    """
    assert expected == BINS.is_due(EIGHT - early)


@pytest.mark.parametrize("state", ["done", "cancelled", "undelivered"])
def test_what_is_over_is_never_due(state):
    """
    Nor is it pending.
    """
    over = replace(BINS, state=state)
    assert not over.is_due(EIGHT + DAY)
    assert not over.is_pending


def test_once_is_over_when_it_has_rung():
    """
    It keeps the time at which it was due.
    """
    after, times = BINS.rung(EIGHT + DAY)
    assert (replace(BINS, state="done"), (EIGHT,)) == (after, times)


RUNG = [
    (timedelta(), [0], 1),
    (23 * timedelta(hours=1), [0], 1),
    (DAY, [0, 1], 2),
    # A minute before the next time, that is due as well.
    (DAY - MINUTE, [0, 1], 2),
    (3.5 * DAY, [0, 1, 2, 3], 4),
]


@pytest.mark.parametrize(("late", "times", "following"), RUNG)
def test_what_comes_round_goes_on_from_its_schedule(late, times, following):
    """
    However late it rings, the next time is the next one of the schedule, and none is left out.
    """
    after, rung = DAILY.rung(EIGHT + late)
    assert tuple(EIGHT + day * DAY for day in times) == rung
    assert replace(DAILY, due=EIGHT + following * DAY) == after


def test_what_comes_round_ends_with_its_last_time():
    """
    After that it is done.
    """
    ending = replace(BINS, rule="FREQ=DAILY;UNTIL=20261202T235959")
    after, rung = ending.rung(EIGHT + 10 * DAY)
    assert (EIGHT, EIGHT + DAY) == rung
    assert replace(ending, due=EIGHT + DAY, state="done") == after


ALARMS = [
    # now, due, when it rings
    (EIGHT, EIGHT + MINUTE, EIGHT + MINUTE),
    (EIGHT, EIGHT + 29 * DAY, EIGHT + 29 * DAY),
    (EIGHT, EIGHT + 30 * DAY, EIGHT + 29 * DAY),
    # On the hour: an alarm that rings twice makes the same one twice.
    (EIGHT + 17 * MINUTE, EIGHT + 90 * DAY, EIGHT + 29 * DAY),
    (EIGHT, EIGHT + 9 * 365 * DAY, EIGHT + 29 * DAY),
    (EIGHT + DAY, EIGHT, EIGHT + DAY),
]


@pytest.mark.parametrize(("now", "due", "rings"), ALARMS)
def test_an_alarm_rings_at_the_time_or_on_the_way(now, due, rings):
    """
    Never in the past, nor beyond what Cloud Tasks takes.
    """
    reminder = replace(BINS, due=due, rev=2)
    assert Alarm(3, 2, due, rings) == alarm(reminder, now)


@pytest.mark.parametrize(
    ("seconds", "minutes", "expected"),
    [(0, 10, 10), (29, 10, 10), (30, 10, 11), (59, 0, 1), (0, 1440, 1440)],
)
def test_minutes_from_now_are_whole(seconds, minutes, expected):
    """
    Reminders have no seconds: the nearest minute it is.
    """
    assert EIGHT + expected * MINUTE == in_minutes(EIGHT + timedelta(seconds=seconds), minutes)


@pytest.mark.parametrize(
    ("expected", "rings_at"),
    [
        (True, None),
        (False, EIGHT + DAY),
        (False, EIGHT - 10 * MINUTE),
        (True, EIGHT - 10 * MINUTE - timedelta(seconds=1)),
    ],
)
def test_an_alarm_that_should_have_rung_is_missing(expected, rings_at):
    """
    Some minutes it may be late; then it is not going to ring any more.
    """
    assert expected == lacks_alarm(rings_at, EIGHT)


FULL = replace(
    DAILY,
    whom=("U1", "all"),
    by="U2",
    source="m1",
    rev=4,
    state="undelivered",
    ring="3-1-0",
    taps=("3-1-0/done",),
)


@pytest.mark.parametrize("reminder", [BINS, DAILY, FULL])
def test_what_is_stored_is_what_is_read(reminder):
    """
    Nothing of a reminder is lost in its document, and nothing empty is in it.
    """
    document = to_document(reminder)
    assert reminder == from_document(3, document)
    assert all(value not in ("", 0, []) for value in document.values())


def test_an_occasion_tells_which_reminder_and_when():
    """
    It differs with the number, the time and each change, and both can be read off it.
    """
    milliseconds = int(EIGHT.timestamp() * 1000)
    assert f"3-{milliseconds}-0" == BINS.occasion
    assert (3, milliseconds) == (reminder_of(BINS.occasion), due_at(BINS.occasion))
    others = [replace(BINS, no=4), replace(BINS, due=EIGHT + MINUTE), replace(BINS, rev=1)]
    assert 4 == len({BINS.occasion, *(one.occasion for one in others)})
