"""Whatever is set, changed and cancelled, and however the queue rings, each time is said once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from local.clock import FrozenClock
from local.queues import Manner
from local.world import World
from memory.schedule import Repeat, Schedule, rule
from tests.calendar_oracle import occurrences
from tests.memory.test_schedule import repeats
from tests.reminding import alter, remind

MINUTE = timedelta(minutes=1)
EARLY = MINUTE
"""What is due in a minute may be said with what is due now."""
LATE = timedelta(minutes=5)
"""What is said within them does not say that it is late."""
PATIENCE = timedelta(minutes=20)
"""The time in which a queue has surely come again to what was busy."""
CHATS = ["U1", "C1"]
ZONES = ["Asia/Taipei", "America/Los_Angeles", "Europe/London", "Australia/Lord_Howe"]
STARTS = [
    # Before the clocks are changed, a year ends, a short month comes, and none of that.
    datetime(2026, 10, 1, 3, 7, tzinfo=UTC),
    datetime(2026, 10, 22, 9, 30, tzinfo=UTC),
    datetime(2026, 12, 20, 23, 59, tzinfo=UTC),
    datetime(2027, 1, 24, 16, 0, tzinfo=UTC),
    datetime(2027, 3, 5, 1, 0, tzinfo=UTC),
    datetime(2028, 2, 20, 12, 0, tzinfo=UTC),
    datetime(2026, 6, 1, 12, 0, tzinfo=UTC),
]
TIMES = [time(1, 30), time(2, 15), time(2, 30), time(0, 0), time(7, 0), time(20, 0), time(23, 59)]


@dataclass(frozen=True)
class Plan:
    """What a reminder is to be from some moment on."""

    after: timedelta
    """How long after the last plan, or the beginning."""
    days: int
    """How many days ahead its first day is."""
    at: time
    repeat: Repeat | None


@dataclass(frozen=True)
class Life:
    """One reminder from when it is set to when it is over."""

    chat: str
    zone: ZoneInfo
    plans: tuple[Plan, ...]
    reworded: timedelta | None
    """When only its words are changed, after all of that."""
    cancelled: timedelta | None
    """When it is cancelled, after all of that."""


@dataclass
class Expected:
    """What the wall calendar says of one reminder."""

    name: str
    zone: ZoneInfo
    surely: set[datetime] = field(default_factory=set)
    perhaps: set[datetime] = field(default_factory=set)
    """Due when the reminder was changed or cancelled, and not said yet for certain."""


moments = st.timedeltas(timedelta(), timedelta(days=9)).map(lambda span: span // MINUTE * MINUTE)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any first time within some weeks, and any repetition."""
    days = draw(st.sampled_from([0, 0, 1, 1, 2, 5, 12, 31]))
    at = draw(st.sampled_from(TIMES) | st.times().map(lambda at: time(at.hour, at.minute)))
    often = st.sampled_from([Repeat("day"), Repeat("day", 2), Repeat("week", 1, (0, 1, 2, 3, 4))])
    # Its end is reckoned again where its first day is known.
    repeat = draw(st.one_of(often, repeats(date(2026, 10, 1)), st.none()))
    return Plan(draw(moments), days, at, repeat)


lives = st.builds(
    Life,
    st.sampled_from(CHATS),
    st.sampled_from(ZONES).map(ZoneInfo),
    st.lists(plans(), min_size=1, max_size=3).map(tuple),
    st.none() | moments,
    st.none() | moments,
)
manners = st.builds(
    Manner,
    times=st.integers(1, 3),
    reversed=st.booleans(),
    late=st.sampled_from(
        [timedelta(), timedelta(), 4 * MINUTE, 6 * MINUTE, 90 * MINUTE, timedelta(hours=26)]
    ),
)


class Family:
    """Sets, changes and cancels reminders, and keeps a wall calendar of what is to be said when."""

    def __init__(self, world: World, late: timedelta) -> None:
        self.world = world
        self.late = late
        self.expected: dict[str, Expected] = {}
        self.deeds: list[tuple[datetime, int, str, Life, Plan | None]] = []
        self._known: dict[str, tuple[int, list[datetime]]] = {}

    def plan(self, lifes: list[Life], start: datetime) -> None:
        """Note when each deed of each life is to be done."""
        for number, life in enumerate(lifes):
            name = f"第{number}件事"
            self.expected[name] = Expected(name, life.zone)
            at = start
            for plan in life.plans:
                at += plan.after
                self.deeds.append((at, number, name, life, plan))
            if life.reworded is not None:
                at += life.reworded
                self.deeds.append((at, number, name, life, None))
            if life.cancelled is not None:
                at += life.cancelled + MINUTE
                self.deeds.append((at, number, f"-{name}", life, None))
        self.deeds.sort(key=lambda deed: (deed[0], deed[1]))

    def live(self, until: datetime) -> None:
        """Do everything in its order, and let the time pass."""
        for at, _, name, life, plan in self.deeds:
            if at < until:
                self.world.pass_time(at)
                self._do(name, life, plan)
        self.world.pass_time(until)
        for name in self._known:
            self._settle(name, until)

    def _do(self, name: str, life: Life, plan: Plan | None) -> None:
        name, cancels = name.removeprefix("-"), name.startswith("-")
        if name not in self._known:
            assert plan is not None
            first, written = self._scheduled(life, plan)
            reminder = remind(self.world, life.chat, name, first, zone=life.zone.key, rule=written)
            self._known[name] = reminder.no, self._calendar(life, plan, first)
            return
        no, _ = self._known[name]
        if cancels:
            if alter(self.world, life.chat, no, state="cancelled"):
                self._settle(name, self.world.clock.now())
        elif not plan:
            alter(self.world, life.chat, no, text=f"{name}（改）")
        else:
            first, written = self._scheduled(life, plan)
            due = Schedule(first, life.zone, written).first_due()
            if alter(self.world, life.chat, no, first=first, rule=written, due=due):
                self._settle(name, self.world.clock.now())
                self._known[name] = no, self._calendar(life, plan, first)

    def _scheduled(self, life: Life, plan: Plan) -> tuple[datetime, str]:
        now = self.world.clock.now().astimezone(life.zone).replace(tzinfo=None)
        first = datetime.combine(now.date() + timedelta(days=plan.days), plan.at)
        if first <= now + 2 * MINUTE:
            first += timedelta(days=1)
        return first, rule(self._ending(plan, first), first) if plan.repeat else ""

    def _ending(self, plan: Plan, first: datetime) -> Repeat:
        repeat = plan.repeat
        assert repeat is not None
        if not repeat.until:
            return repeat
        # Late enough for the first day that is named.
        least = {"day": 5, "week": 14, "month": 40, "year": 800}[repeat.every]
        until = first.date() + timedelta(days=least * repeat.interval)
        return Repeat(repeat.every, repeat.interval, repeat.weekdays, repeat.nth, until)

    def _calendar(self, life: Life, plan: Plan, first: datetime) -> list[datetime]:
        repeat = self._ending(plan, first) if plan.repeat else None
        horizon = self.world.clock.now() + timedelta(days=150)
        return occurrences(repeat, first, life.zone, horizon)

    def _settle(self, name: str, now: datetime) -> None:
        """Note what must have been said by now, and what may have been."""
        expected = self.expected[name]
        _, calendar = self._known[name]
        self._known[name] = self._known[name][0], []
        for due in calendar:
            if due + 2 * self.late + PATIENCE <= now or (not self.late and due <= now - MINUTE):
                expected.surely.add(due)
            elif due <= now + EARLY:
                expected.perhaps.add(due)


def said(world: World, expected: Expected) -> Iterator[datetime]:
    """Yield when what LINE was told of one reminder had been due, in the order it was told."""
    walls = {
        f"{due.astimezone(expected.zone):%Y/%m/%d %H:%M}": due
        for due in expected.surely | expected.perhaps
    }
    for line in world.journal.lines:
        if line.get("call") == "push" and line["status"] == 200:
            now = datetime.fromisoformat(line["at"])
            for text in line["texts"]:
                for told in text.split("\n"):
                    if told.startswith("⏰") and expected.name in told:
                        yield from _due(told, now, walls, expected)


def _due(
    told: str, now: datetime, walls: dict[str, datetime], expected: Expected
) -> Iterator[datetime]:
    """Read off one line when it had been due."""
    if "遲到" not in told:
        (due,) = [one for one in walls.values() if now - LATE <= one <= now + EARLY] or [now]
        yield due
        return
    assert "…" not in told, "it names only three: the queue is too late for this test"
    year = now.astimezone(expected.zone).year
    named = re.findall(r"(?:(\d{4})/)?(\d\d/\d\d)（.）(\d\d:\d\d)", told)
    assert named, told
    for other_year, day, clock in named:
        wall = f"{other_year or year}/{day} {clock}"
        yield walls.get(wall) or datetime.strptime(wall, "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


@contextmanager
def furnished(firestore, start: datetime) -> Iterator[World]:
    """Return a world with two chats."""
    with World(
        FrozenClock(start),
        firestore,
        names={"U1": "媽媽", "U2": "爸爸"},
        groups={"C1": ["U1", "U2"]},
    ) as world:
        for chat in CHATS:
            world.activate(chat)
        yield world


def check(firestore, start, lifes, manner, days):
    """Let a family live for some days, and compare what LINE was told with the wall calendar."""
    with furnished(firestore, start) as world:
        world.tasks.manners["reminders"] = manner
        family = Family(world, manner.late)
        family.plan(lifes, start)
        family.live(start + timedelta(days=days))
        for expected in family.expected.values():
            came = list(said(world, expected))
            assert sorted(set(came)) == came, (expected.name, came)
            assert sorted(expected.surely - set(came)) == [], expected.name
            assert sorted(set(came) - expected.surely - expected.perhaps) == [], expected.name
        assert [] == world.tasks.given_up
        assert [] == [line for line in world.logs.lines if line["severity"] == "ERROR"]


FEW = settings(
    max_examples=5,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=60)
some_lives = st.lists(lives, min_size=3, max_size=5)


@FEW
@given(st.sampled_from(STARTS), some_lives, manners)
def test_each_time_is_said_once_in_some_weeks(firestore, start, lifes, manner):
    """
    What LINE was told is what a patient person with a wall calendar would have said.
    """
    check(firestore, start, lifes, manner, days=18)


@pytest.mark.long
@MANY
@given(st.sampled_from(STARTS), some_lives, manners)
def test_each_time_is_said_once_in_some_months(firestore, start, lifes, manner):
    """
    So it is over a quarter, beyond what Cloud Tasks can be told at once.
    """
    check(firestore, start, lifes, manner, days=90)


def test_the_calendar_is_not_empty(firestore):
    """
    A family with a daily reminder that is changed and cancelled: the test can fail.
    """
    daily = Plan(timedelta(hours=1), 0, time(20, 0), Repeat("day"))
    later = Plan(timedelta(days=3), 0, time(21, 30), Repeat("day", 2))
    life = Life("C1", ZoneInfo("Asia/Taipei"), (daily, later), None, timedelta(days=4))
    start = datetime(2026, 12, 1, 2, 0, tzinfo=UTC)
    with furnished(firestore, start) as world:
        family = Family(world, timedelta())
        family.plan([life], start)
        family.live(start + timedelta(days=20))
        (expected,) = family.expected.values()
        came = list(said(world, expected))

    days = [datetime(2026, 12, day, 12, 0, tzinfo=UTC) for day in (1, 2, 3)]
    others = [datetime(2026, 12, day, 13, 30, tzinfo=UTC) for day in (4, 6)]
    assert [*days, *others] == came == sorted(expected.surely)
