"""Schedules: what comes round comes round by the family's calendar and clock, for years."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from time import process_time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory.schedule import (
    Every,
    ImpossibleRule,
    Repeat,
    Schedule,
    UnreadableTime,
    asked,
    local_time,
    rule,
)
from tests.calendar_oracle import occurrences

TAIPEI = ZoneInfo("Asia/Taipei")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
APIA = ZoneInfo("Pacific/Apia")
EVERY: list[Every] = ["day", "week", "month", "month", "year"]
ZONES = [TAIPEI, LOS_ANGELES, ZoneInfo("Europe/London"), LORD_HOWE, APIA]

MONDAY, TUESDAY, WEDNESDAY, FRIDAY, SATURDAY, SUNDAY = 0, 1, 2, 4, 5, 6
WORKDAYS = (0, 1, 2, 3, 4)
LONG = timedelta(days=365 * 60)

TUESDAY_EVENING = datetime(2026, 12, 1, 20)

RULES = [
    (Repeat("day"), "FREQ=DAILY"),
    (Repeat("day", 3), "FREQ=DAILY;INTERVAL=3"),
    (Repeat("week"), "FREQ=WEEKLY;WKST=MO"),
    (Repeat("week", weekdays=WORKDAYS), "FREQ=WEEKLY;WKST=MO;BYDAY=MO,TU,WE,TH,FR"),
    (Repeat("week", 2, (FRIDAY, TUESDAY)), "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=TU,FR"),
    (Repeat("month"), "FREQ=MONTHLY"),
    (Repeat("month", weekdays=(SATURDAY,), nth=2), "FREQ=MONTHLY;BYDAY=2SA"),
    (Repeat("month", 2, (FRIDAY,), -1), "FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR"),
    (Repeat("month", nth=-1), "FREQ=MONTHLY;BYMONTHDAY=-1"),
    (Repeat("year", 1, (SUNDAY,), 2), "FREQ=YEARLY;BYMONTH=12;BYDAY=2SU"),
    (Repeat("year"), "FREQ=YEARLY"),
    (Repeat("day", until=date(2027, 3, 1)), "FREQ=DAILY;UNTIL=20270301T235959"),
]

IMPOSSIBLE = [
    ({"every": "hour"}, "not by hour"),
    ({"every": "day", "interval": 0}, "from 1 to 99, not 0"),
    ({"every": "year", "interval": 100}, "from 1 to 99, not 100"),
    ({"every": "week", "weekdays": (7,)}, "6 (Sunday)"),
    ({"every": "week", "weekdays": (-1,)}, "6 (Sunday)"),
    ({"every": "day", "weekdays": (MONDAY,)}, "weekly repetition"),
    ({"every": "month", "weekdays": (MONDAY,)}, "weekly repetition"),
    ({"every": "year", "weekdays": (MONDAY,)}, "weekly repetition"),
    ({"every": "month", "nth": 2}, "exactly one weekday"),
    ({"every": "month", "nth": 2, "weekdays": (MONDAY, FRIDAY)}, "exactly one weekday"),
    ({"every": "month", "nth": 5, "weekdays": (MONDAY,)}, "1 to 4 or -1"),
    ({"every": "month", "nth": -2, "weekdays": (MONDAY,)}, "1 to 4 or -1"),
    ({"every": "week", "nth": 1, "weekdays": (MONDAY,)}, "Only months"),
    ({"every": "year", "nth": -1}, "exactly one weekday"),
]

MONTH_ENDS = {
    28: "12-28 01-28 02-28 03-28 04-28 05-28 06-28 07-28 08-28 09-28 10-28 11-28 12-28 01-28 02-28",
    29: "12-29 01-29 02-28 03-29 04-29 05-29 06-29 07-29 08-29 09-29 10-29 11-29 12-29 01-29 02-29",
    30: "12-30 01-30 02-28 03-30 04-30 05-30 06-30 07-30 08-30 09-30 10-30 11-30 12-30 01-30 02-29",
    31: "12-31 01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31 02-29",
}
"""The days from December 2026 to February 2028, by the day of the first."""

WEEKS = [
    # Asked for on a day that is not one of them.
    (Repeat("week", 1, (TUESDAY, FRIDAY)), "2026-11-30", "12-01 12-04 12-08 12-11 12-15"),
    (Repeat("week", 1, WORKDAYS), "2026-12-05", "12-07 12-08 12-09 12-10 12-11 12-14"),
    (Repeat("week", 1, (MONDAY,)), "2026-12-01", "12-07 12-14"),
    # A week begins on Monday, and the weeks are counted from the first that has one of the days.
    (Repeat("week", 2, (WEDNESDAY,)), "2026-12-02", "12-02 12-16 12-30 01-13"),
    (Repeat("week", 2, (WEDNESDAY,)), "2026-12-03", "12-09 12-23 01-06"),
    (Repeat("week", 2, (MONDAY, SUNDAY)), "2026-12-01", "12-06 12-14 12-20 12-28 01-03"),
    (Repeat("week", 2, (TUESDAY, FRIDAY)), "2026-12-04", "12-04 12-15 12-18 12-29 01-01"),
    (Repeat("week", 3), "2026-12-06", "12-06 12-27 01-17 02-07"),
    (Repeat("week", 1, (FRIDAY, FRIDAY)), "2026-12-01", "12-04 12-11"),
    # The nth weekday of a month.
    (Repeat("month", 1, (SATURDAY,), 2), "2026-12-01", "12-12 01-09 02-13 03-13 04-10 05-08"),
    (Repeat("month", 1, (SATURDAY,), 2), "2026-12-13", "01-09 02-13"),
    (Repeat("month", 3, (SATURDAY,), 1), "2026-12-06", "01-02 04-03 07-03"),
    (Repeat("month", 1, (FRIDAY,), -1), "2026-12-01", "12-25 01-29 02-26 03-26 04-30 05-28"),
    (Repeat("month", 1, (TUESDAY,), 4), "2026-12-22", "12-22 01-26 02-23"),
    # The last day of a month, and a weekday of one month of every year.
    (Repeat("month", nth=-1), "2026-11-30", "11-30 12-31 01-31 02-28 03-31"),
    (Repeat("year", 1, (SUNDAY,), 2), "2026-05-11", "05-09 05-14 05-13"),
]

CLOCKS = [
    # Los Angeles skips 02:00 to 03:00.
    (LOS_ANGELES, "2026-03-07 02:30", "03-07 10:30", "03-08 10:00", "03-09 09:30"),
    (LOS_ANGELES, "2026-03-07 02:00", "03-07 10:00", "03-08 10:00", "03-09 09:00"),
    (LOS_ANGELES, "2026-03-07 01:59", "03-07 09:59", "03-08 09:59", "03-09 08:59"),
    (LOS_ANGELES, "2026-03-07 03:00", "03-07 11:00", "03-08 10:00", "03-09 10:00"),
    (LOS_ANGELES, "2026-03-08 02:30", "03-08 10:00", "03-09 09:30", "03-10 09:30"),
    (LOS_ANGELES, "2027-03-13 02:30", "03-13 10:30", "03-14 10:00", "03-15 09:30"),
    (LOS_ANGELES, "2027-03-13 20:00", "03-14 04:00", "03-15 03:00", "03-16 03:00"),
    # It shows 01:00 to 02:00 twice.
    (LOS_ANGELES, "2026-10-31 01:30", "10-31 08:30", "11-01 08:30", "11-02 09:30"),
    (LOS_ANGELES, "2026-10-31 01:00", "10-31 08:00", "11-01 08:00", "11-02 09:00"),
    (LOS_ANGELES, "2026-10-31 02:00", "10-31 09:00", "11-01 10:00", "11-02 10:00"),
    (LOS_ANGELES, "2026-11-01 01:30", "11-01 08:30", "11-02 09:30", "11-03 09:30"),
    # Lord Howe changes by half an hour.
    (LORD_HOWE, "2026-10-03 02:15", "10-02 15:45", "10-03 15:30", "10-04 15:15"),
    (LORD_HOWE, "2026-10-03 02:30", "10-02 16:00", "10-03 15:30", "10-04 15:30"),
    (LORD_HOWE, "2027-04-03 01:45", "04-02 14:45", "04-03 14:45", "04-04 15:15"),
    # Apia skipped 30 December 2011.
    (APIA, "2011-12-29 08:00", "12-29 18:00", "12-30 10:00", "12-30 18:00", "12-31 18:00"),
    (APIA, "2011-12-29 00:00", "12-29 10:00", "12-30 10:00", "12-31 10:00"),
    (TAIPEI, "2026-12-01 20:00", "12-01 12:00", "12-02 12:00", "12-03 12:00"),
]
"""A zone, the first time in it, and when that is due every day, in UTC."""

READABLE = [
    ("2026-12-01T20:00", "2026-12-01 20:00"),
    ("2026-12-01 20:00", "2026-12-01 20:00"),
    (" 2026-12-01  20:00 ", "2026-12-01 20:00"),
    ("2026-12-01t20:00:59", "2026-12-01 20:00"),
    ("2026-12-01T20:00:59.9", "2026-12-01 20:00"),
    ("20261201T2000", "2026-12-01 20:00"),
    ("2026-12-01T12:00Z", "2026-12-01 20:00"),
    ("2026-12-01T12:00:00z", "2026-12-01 20:00"),
    ("2026-12-01T20:00+08:00", "2026-12-01 20:00"),
    ("2026-12-01T20:00-08:00", "2026-12-02 12:00"),
    ("２０２６-１２-０１　２０：００", "2026-12-01 20:00"),
    ("２０２６－１２－０１Ｔ２０：００", "2026-12-01 20:00"),
    ("2028-02-29T00:00", "2028-02-29 00:00"),
]

UNREADABLE = [
    ("2026-12-01", "without a time of day"),
    ("２０２６-１２-０１", "without a time of day"),
    ("20:00", "without a date"),
    ("T20:00", "without a date"),
    ("2026-12-01T", "no time I can read"),
    ("2026-12-01+08:00", "no time I can read"),
    ("2027-02-29T20:00", "no time I can read"),
    ("2026-12-01T25:00", "no time I can read"),
    ("明天晚上八點", "no time I can read"),
    ("tomorrow 20:00", "no time I can read"),
    ("", "no time I can read"),
    ("\ud83d", "no time I can read"),
    ("\x00", "no time I can read"),
    ("0001-01-01T00:00+14:00", "no time I can read"),
    ("0001-01-01T00:00", "no time I can read"),
    ("9999-12-31T23:59", "no time I can read"),
]


def daily(zone: ZoneInfo, first: str) -> Schedule:
    """Return a schedule for every day."""
    return Schedule(datetime.fromisoformat(first), zone, rule(Repeat("day"), TUESDAY_EVENING))


def due_days(repeat: Repeat, first: datetime, count: int) -> list[date]:
    """Return the first days something is due in Taipei, each asked for behind the one before."""
    schedule = Schedule(first, TAIPEI, rule(repeat, first))
    dues = [schedule.first_due()]
    while len(dues) < count:
        assert dues[-1] is not None
        dues.append(schedule.after(dues[-1]))
    return [due.astimezone(TAIPEI).date() for due in dues if due]


def utc(text: str) -> datetime:
    """Return a moment."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@st.composite
def repeats(draw: st.DrawFn, first: date) -> Repeat:
    """Any repetition that may begin on a day."""
    every: Every = draw(st.sampled_from(EVERY))
    weekday = st.integers(MONDAY, SUNDAY)
    weekdays: tuple[int, ...] = ()
    nth = draw(st.sampled_from([0, 1, 2, 3, 4, -1])) if every in {"month", "year"} else 0
    if every == "week":
        weekdays = tuple(draw(st.lists(weekday, max_size=4)))
    elif nth and not (every == "month" and nth == -1 and draw(st.booleans())):
        weekdays = (draw(weekday),)
    interval = draw(st.sampled_from([1, 1, 2, 3, 5]))
    until = draw(st.none() | st.integers(0, 400).map(lambda days: first + timedelta(days)))
    return Repeat(every, interval, weekdays, nth, until)


walls = st.one_of(
    st.datetimes(datetime(2010, 1, 1), datetime(2030, 12, 31)),
    st.builds(
        lambda day, time, before: day - timedelta(before) + timedelta(minutes=15 * time),
        st.sampled_from(
            [
                datetime(2011, 12, 30),
                datetime(2026, 3, 8),
                datetime(2026, 11, 1),
                datetime(2026, 3, 29),
                datetime(2026, 10, 25),
                datetime(2026, 10, 4),
                datetime(2027, 4, 4),
                datetime(2028, 2, 29),
                datetime(2026, 12, 31),
            ]
        ),
        st.integers(0, 13),
        st.sampled_from([0, 0, 1, 7, 31]),
    ),
).map(lambda wall: wall.replace(second=0, microsecond=0))
"""First times: any, and such that soon meet a changing clock or a calendar's edge."""


@pytest.mark.parametrize(("repeat", "written"), RULES)
def test_a_repetition_is_kept_as_an_rfc_5545_rule(repeat: Repeat, written: str) -> None:
    """
    What was asked for is kept in the calendars' own language.
    """
    assert written == rule(repeat, TUESDAY_EVENING)


@pytest.mark.parametrize(
    ("repeat", "first", "written"),
    [
        (Repeat("month"), "2026-12-28", "FREQ=MONTHLY"),
        (Repeat("month"), "2027-01-29", "FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1"),
        (Repeat("month"), "2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
        (Repeat("year"), "2028-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"),
        (Repeat("year"), "2026-12-31", "FREQ=YEARLY"),
    ],
)
def test_a_rule_says_what_becomes_of_a_day_that_is_lacking(
    repeat: Repeat, first: str, written: str
) -> None:
    """
    A day some months or years lack is written as the last of several.
    """
    assert written == rule(repeat, datetime.fromisoformat(first))


@pytest.mark.parametrize("repeat", [repeat for repeat, _ in RULES])
def test_what_was_asked_can_be_read_from_the_rule(repeat: Repeat) -> None:
    """
    A rule gives the repetition back, so that it can be told, or begin at another time.
    """
    in_order = replace(repeat, weekdays=tuple(sorted(repeat.weekdays)))
    assert in_order == asked(rule(repeat, datetime(2026, 12, 31, 20)))


@pytest.mark.parametrize(("arguments", "why"), IMPOSSIBLE)
def test_an_impossible_repetition_is_refused(arguments: dict[str, Any], why: str) -> None:
    """
    What no calendar can follow is refused in words the model can act on.
    """
    with pytest.raises(ImpossibleRule) as refusal:
        Repeat(**arguments)
    assert why in str(refusal.value)


def test_everything_impossible_is_said_at_once() -> None:
    """
    Who corrects a repetition learns of all that is wrong with it.
    """
    with pytest.raises(ImpossibleRule, match=r"from 1 to 99.*weekly repetition"):
        Repeat("day", 0, (MONDAY,))


@pytest.mark.parametrize(
    ("repeat", "begins"),
    [
        (Repeat("day", until=date(2026, 11, 30)), "2026-12-01"),
        (Repeat("week", 1, (FRIDAY,), until=date(2026, 12, 3)), "2026-12-04"),
        (Repeat("month", 1, (FRIDAY,), -1, until=date(2026, 12, 24)), "2026-12-25"),
    ],
)
def test_an_end_before_the_beginning_is_refused(repeat: Repeat, begins: str) -> None:
    """
    A repetition must come at least once before it ends.
    """
    with pytest.raises(ImpossibleRule, match=f"before its first day, {begins}"):
        rule(repeat, TUESDAY_EVENING)


def test_what_does_not_come_round_is_due_once() -> None:
    """
    Without a rule something is due at its time, and never again.
    """
    schedule, due = Schedule(TUESDAY_EVENING, TAIPEI), utc("2026-12-01 12:00")
    assert (due, due, None) == (
        schedule.first_due(),
        schedule.after(due - timedelta(seconds=1)),
        schedule.after(due),
    )


@pytest.mark.parametrize("day", MONTH_ENDS)
def test_a_day_a_month_lacks_is_its_last(day: int) -> None:
    """
    A shorter month has its last day instead, and the month after the right one again.
    """
    due = due_days(Repeat("month"), datetime(2026, 12, day, 20), 15)
    assert MONTH_ENDS[day] == " ".join(f"{each:%m-%d}" for each in due)


def test_every_second_month_ends_right_as_well() -> None:
    """
    A month that is left out does not shorten the day of those after it.
    """
    due = due_days(Repeat("month", 2), datetime(2026, 12, 31, 20), 5)
    assert "12-31 02-28 04-30 06-30 08-31" == " ".join(f"{each:%m-%d}" for each in due)


def test_29_february_is_the_28th_in_other_years() -> None:
    """
    Who was born on a leap day has a birthday every year.
    """
    due = due_days(Repeat("year"), datetime(2028, 2, 29, 8), 9)
    leap = "2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-02-29 2033-02-28 2034-02-28"
    assert f"{leap} 2035-02-28 2036-02-29" == " ".join(map(str, due))


def test_28_february_stays_the_28th() -> None:
    """
    Only what began on a leap day moves to one.
    """
    due = due_days(Repeat("year", 3), datetime(2026, 2, 28, 8), 3)
    assert "2026-02-28 2029-02-28 2032-02-28" == " ".join(map(str, due))


@pytest.mark.parametrize(("repeat", "first", "days"), WEEKS)
def test_weekdays_come_in_their_weeks_and_months(repeat: Repeat, first: str, days: str) -> None:
    """
    Weekdays begin with the first of them from the first time on, and keep their distance.
    """
    count = len(days.split())
    due = due_days(repeat, datetime.fromisoformat(f"{first}T20:00"), count)
    assert days == " ".join(f"{each:%m-%d}" for each in due)


@pytest.mark.parametrize(
    ("zone", "clock"), [(TAIPEI, "00:00"), (TAIPEI, "23:59"), (LOS_ANGELES, "23:59")]
)
def test_the_last_day_belongs_to_it(zone: ZoneInfo, clock: str) -> None:
    """
    An end is a day of the family's, whatever day it is elsewhere, and is rung on.
    """
    repeat = Repeat("day", until=date(2026, 12, 3))
    first = datetime.fromisoformat(f"2026-12-01T{clock}")
    schedule = Schedule(first, zone, rule(repeat, first))
    due = schedule.between(utc("2026-11-01 00:00"), utc("2027-01-01 00:00"))
    assert [1, 2, 3] == [each.astimezone(zone).day for each in due]


@pytest.mark.parametrize("row", CLOCKS, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_time_on_the_wall_survives_a_changing_clock(row: tuple[Any, ...]) -> None:
    """
    What is skipped is due once, right after it; what is shown twice is due the first time.
    """
    zone, first, *expected = row
    schedule = daily(zone, first)
    due = [schedule.first_due()]
    while due[-1] and len(due) < len(expected):
        due.append(schedule.after(due[-1]))
    assert expected == [f"{moment:%m-%d %H:%M}" for moment in due]


def test_what_was_due_in_the_first_of_two_hours_is_not_due_in_the_second() -> None:
    """
    When the clock is set back, what it shows again is over.
    """
    schedule = daily(LOS_ANGELES, "2026-10-31 01:30")
    assert [utc("2026-11-01 08:30"), *[utc("2026-11-02 09:30")] * 3] == [
        schedule.after(utc("2026-11-01 08:29")),
        schedule.after(utc("2026-11-01 08:30")),
        schedule.after(utc("2026-11-01 09:10")),  # It shows 01:10 for the second time.
        schedule.after(utc("2026-11-01 09:30")),
    ]


def test_the_first_time_is_the_first_of_two_as_well() -> None:
    """
    Whoever asks for a time in the second of two equal hours is told in the first, as on other days.
    """
    schedule = Schedule(datetime(2026, 11, 1, 1, 30, fold=1), LOS_ANGELES)
    assert utc("2026-11-01 08:30") == schedule.first_due()


def test_what_was_missed_can_be_counted() -> None:
    """
    After an outage all that was due in it is known: not its beginning, but its end.
    """
    missed = daily(TAIPEI, "2026-12-01 20:00").between(
        utc("2026-12-02 12:00"), utc("2026-12-05 12:00")
    )
    assert [f"2026-12-0{day} 12:00" for day in (3, 4, 5)] == [
        f"{due:%Y-%m-%d %H:%M}" for due in missed
    ]


def test_two_days_due_at_once_are_one() -> None:
    """
    A midnight that was skipped with its day is due at the next one, and only once.
    """
    due = daily(APIA, "2011-12-29 00:00").between(utc("2011-12-29 00:00"), utc("2011-12-31 10:00"))
    assert [utc(f"2011-12-{day} 10:00") for day in (29, 30, 31)] == due


def test_a_schedule_is_looked_up_quickly_years_later() -> None:
    """
    What has come every day for sixty years still takes no time worth speaking of.
    """
    schedule = daily(TAIPEI, "2026-12-01 20:00")
    started = process_time()
    due = schedule.after(utc("2026-12-01 12:00") + LONG)
    assert utc("2026-12-02 12:00") + LONG == due
    assert process_time() - started < 0.5


@pytest.mark.parametrize(("text", "meant"), READABLE)
def test_a_time_is_read_as_the_familys(text: str, meant: str) -> None:
    """
    ISO 8601 is read in the shapes models write it; an offset is reckoned into the family's zone.
    """
    assert datetime.fromisoformat(meant) == local_time(text, TAIPEI)


def test_of_two_equal_times_the_first_is_read() -> None:
    """
    A time on the wall does not say which of two equal ones it is, whatever offset it came with.
    """
    wall = local_time("2026-11-01T09:30Z", LOS_ANGELES)
    assert (datetime(2026, 11, 1, 1, 30), 0) == (wall, wall.fold)


@pytest.mark.parametrize(("text", "why"), UNREADABLE)
def test_an_unreadable_time_is_refused(text: str, why: str) -> None:
    """
    What is no day with a time of day is refused, and the model told what is wrong.
    """
    with pytest.raises(UnreadableTime) as refusal:
        local_time(text, LOS_ANGELES)
    assert why in str(refusal.value)


@given(text=st.text() | st.datetimes().map(str) | st.datetimes(timezones=st.timezones()).map(str))
@settings(derandomize=True, database=None, deadline=None)
def test_any_text_is_a_time_on_the_wall_or_unreadable(text: str) -> None:
    """
    Whatever the model writes, it is read to the minute or refused.
    """
    try:
        wall = local_time(text, LOS_ANGELES)
    except UnreadableTime:
        return
    assert (0, 0, None, 0) == (wall.second, wall.microsecond, wall.tzinfo, wall.fold)
    assert Schedule(wall, LOS_ANGELES).first_due()


@given(data=st.data(), first=walls, zone=st.sampled_from(ZONES))
@settings(derandomize=True, database=None, deadline=None, max_examples=300)
def test_it_is_due_whenever_a_calendar_says_so(
    data: st.DataObject, first: datetime, zone: ZoneInfo
) -> None:
    """
    Whoever looks at every single day of a calendar finds the same times, from wherever they look.
    """
    repeat = data.draw(st.none() | repeats(first.date()))
    horizon = timedelta(days=80 if repeat and repeat.every == "day" else 600)
    if repeat and repeat.every == "year":
        horizon *= 5
    until = first.replace(tzinfo=zone).astimezone(UTC) + horizon
    due = occurrences(repeat, first, zone, until)
    assume(due or not repeat or not repeat.until)  # Else it ends before it begins.
    schedule = Schedule(first, zone, rule(repeat, first) if repeat else "")
    before = utc("2000-01-01 00:00")
    assert (due, due[:1]) == (
        schedule.between(before, until),
        [moment for moment in [schedule.first_due()] if moment and moment <= until],
    )
    assert due[1:] == [schedule.after(one) for one, _ in pairwise(due)]
    moment = until - timedelta(minutes=data.draw(st.integers(0, horizon // timedelta(minutes=1))))
    assert [each for each in due if each > moment] == schedule.between(moment, until)
