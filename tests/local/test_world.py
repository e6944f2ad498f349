"""The world in one piece: what `push` stands behind, and how time passes."""

from datetime import datetime, timedelta

import pytest

from handlers.alarms import Alarms
from local.clock import FrozenClock
from local.plug import Kill
from local.world import World
from memory.reminders import Alarm

REMINDERS = "reminders"


@pytest.fixture
def own_processes(firestore, zygote):
    """A world whose functions are each in a process of their own."""
    clock = FrozenClock(datetime.fromisoformat("2026-12-01T18:00+08:00"))
    with World(clock, firestore, zygote=zygote, names={"U1": "媽媽"}) as world:
        world.activate("U1")
        yield world


def set_alarm(world, *, ahead=timedelta(), no=7):
    """Set the alarm of a reminder that is not there."""
    at = world.clock.now() + ahead
    Alarms("U1", world.services).set([Alarm(no, 1, at, at)])


def statuses(world, function="push"):
    """Return what a function has answered."""
    return [
        line["status"]
        for line in world.journal.lines
        if line.get("from") == function and "status" in line
    ]


def test_an_alarm_gets_into_push_and_is_metered(world):
    """
    The reminders queue calls as the tasks' account; the journal has the answer and its cost.
    """
    set_alarm(world)
    world.tasks.deliver_due()

    answered, metered = [line for line in world.journal.lines if line.get("from") == "push"]
    assert 200 == answered["status"]
    assert answered["task"]
    assert 0 < metered["meter"]["reads"]


def test_nobody_else_gets_into_push(world):
    """
    Without the tasks' account, or as another, the function is never called.
    """
    for account in ("", "somebody@else.iam.gserviceaccount.com"):
        world.services.tasks.create(
            REMINDERS,
            f"a-task-{len(account)}",
            url=f"{world.functions.url}/push",
            headers={},
            body=b"{}",
            deadline=65,
            account=account,
        )
    world.tasks.deliver_due()

    assert [403, 403] == statuses(world)


def test_each_alarm_rings_at_its_minute(world):
    """
    Over forty-five days the clock jumps from alarm to alarm, and stands at its end.
    """
    begun = world.clock.now()
    ahead = [timedelta(hours=1), timedelta(days=3, minutes=7), timedelta(days=29)]
    for no, when in enumerate(ahead, 1):
        set_alarm(world, ahead=when, no=no)

    world.pass_time(begun + timedelta(days=45))

    rung = [line["at"] for line in world.journal.lines if "task" in line and "from" in line]
    assert [begun + when for when in ahead] == [datetime.fromisoformat(at) for at in rung]
    assert begun + timedelta(days=45) == world.clock.now()


def test_the_queue_comes_again_for_two_hours(world):
    """
    An outage of half an hour, and of two, loses no reminder.
    """
    begun = world.clock.now()
    world.services.tasks.create(
        REMINDERS,
        "a-task",
        url=f"{world.functions.url}/push",
        headers={},
        body=b"no alarm",
        deadline=65,
        account=world.settings.tasks_account,
    )
    world.pass_time(begun + timedelta(hours=3))

    tried = [line["at"] for line in world.journal.lines if "task" in line and "from" in line]
    assert world.settings.push_attempts == len(tried)
    assert datetime.fromisoformat(tried[-1]) - begun > timedelta(hours=2)
    assert ["a-task"] == [task.name for task in world.tasks.given_up]


@pytest.mark.parametrize("before", [True, False])
def test_push_dies_in_its_own_process_and_is_called_again(own_processes, before):
    """
    Where the process ends, the queue hears 500 and comes again, to a new process.
    """
    world = own_processes
    set_alarm(world)
    world.kill(Kill(1, at="push", before=before))

    world.pass_time(world.clock.now() + timedelta(minutes=1))

    assert [500, 200] == statuses(world)


def test_without_a_name_whichever_asks_dies(own_processes):
    """
    A kill over all calls ends the process of the function that was at it.
    """
    world = own_processes
    set_alarm(world)
    world.kill(Kill(1))

    world.pass_time(world.clock.now() + timedelta(minutes=1))

    assert [500, 200] == statuses(world)
