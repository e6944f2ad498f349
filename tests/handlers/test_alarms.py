"""Alarms: tasks that have the same name whenever they are the same alarm."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from handlers.alarms import Alarms
from local.loopback import Answer
from memory.reminders import Alarm
from services.errors import Refused, Unavailable

EIGHT = datetime(2026, 12, 1, 12, tzinfo=UTC)
BINS = Alarm(3, 1, EIGHT, EIGHT)
MILLISECONDS = int(EIGHT.timestamp() * 1000)


@pytest.fixture
def alarms(world):
    """The alarms of a chat."""
    return Alarms("U1", world.services)


def made(world):
    """Return every request for a task."""
    return [line for line in world.journal.lines if line.get("call") == "create"]


def test_an_alarm_carries_numbers_and_no_words(world, alarms):
    """
    A task tells whose reminder, which, in what state and when, and is called by nobody's name.
    """
    alarms.set([BINS])
    (line,) = made(world)

    assert {
        "chat": "U1",
        "at": MILLISECONDS,
        "no": 3,
        "rev": 1,
        "due": MILLISECONDS,
        "attempt": 0,
    } == json.loads(line["payload"])
    assert re.fullmatch("[0-9a-f]{32}", line["task"])
    assert line["url"].endswith("/push")
    task = line["body"]["task"]
    assert "2026-12-01T12:00:00Z" == task["scheduleTime"]
    assert world.settings.tasks_account == task["httpRequest"]["oidcToken"]["serviceAccountEmail"]
    assert f"{world.settings.push_timeout + 5}s" == task["dispatchDeadline"]


def test_the_same_alarm_is_one_task(world, alarms):
    """
    Set twice it is there once; with another number, state, time or attempt it is another.
    """
    later = EIGHT + timedelta(minutes=1)
    others = [
        Alarm(4, 1, EIGHT, EIGHT),
        Alarm(3, 2, EIGHT, EIGHT),
        Alarm(3, 1, later, EIGHT),
        Alarm(3, 1, EIGHT, later),
        Alarm(3, 1, EIGHT, EIGHT, 1),
    ]
    alarms.set([BINS])
    alarms.set([BINS, *others])
    Alarms("U2", world.services).set([BINS])

    assert 7 == len(world.tasks.payloads())
    assert 7 == len({line["task"] for line in made(world)})
    assert [409] == [line["status"] for line in made(world) if line["status"] != 200]


def test_nothing_asks_nothing(world, alarms):
    """
    Without alarms nobody is called.
    """
    alarms.set([])
    assert [] == made(world)


@pytest.mark.parametrize("times", [1, 3, 8])
def test_an_error_is_asked_again_under_the_same_name(world, alarms, times):
    """
    An answer that was lost may have been yes.
    """
    world.tasks.fail("create", Answer({}, 503), times=times)
    alarms.set([BINS])

    assert 1 == len({line["task"] for line in made(world)})
    assert [503] * times + [200] == [line["status"] for line in made(world)]


def test_what_was_made_though_the_answer_was_lost_is_made_once(world, alarms):
    """
    The name is taken by then, which is success.
    """
    world.tasks.fail("create", lost=True)
    alarms.set([BINS])
    assert 1 == len(world.tasks.payloads())


@pytest.mark.parametrize(
    ("status", "error", "asked"), [(503, Unavailable, 9), (429, Unavailable, 9), (403, Refused, 1)]
)
def test_who_can_not_set_it_says_so(world, alarms, status, error, asked):
    """
    After some tries, or at once where it never will be.
    """
    world.tasks.fail("create", Answer({}, status), times=99)
    with pytest.raises(error):
        alarms.set([BINS])
    assert asked == len(made(world))


def test_of_several_one_that_fails_fails_all(world, alarms):
    """
    Whoever sets several knows that all are set, or is told.
    """
    world.tasks.fail("create", Answer({}, 403))
    with pytest.raises(Refused):
        alarms.set([BINS, Alarm(4, 0, EIGHT, EIGHT)])


@pytest.mark.parametrize(
    ("kind", "set_it"),
    [
        ("left", lambda alarms, at: alarms.purge_at(at, EIGHT)),
        ("owed", lambda alarms, at: alarms.pay_at(at)),
    ],
)
@pytest.mark.parametrize("days", [1, 29, 40])
def test_no_alarm_is_further_ahead_than_cloud_tasks_takes(world, alarms, kind, set_it, days):
    """
    A purge and a payment are alarms of the same kind: at their time, or on the way there.
    """
    at = EIGHT + timedelta(days=days)
    set_it(alarms, at)
    (line,) = made(world)
    rung = json.loads(line["payload"])

    expected = min(at, world.clock.now() + timedelta(days=29))
    assert ("U1", int(expected.timestamp() * 1000)) == (rung["chat"], rung["at"])
    assert int((EIGHT if kind == "left" else at).timestamp() * 1000) == rung[kind]
    assert 200 == line["status"]
