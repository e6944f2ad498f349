"""Repetitions and moments in words, in both languages."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.repeats import moment, told
from memory.schedule import Repeat, rule

TAIPEI = ZoneInfo("Asia/Taipei")
NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)

TUESDAY = datetime(2026, 12, 1, 20)
MONTH_END = datetime(2026, 12, 31, 20)
LEAP_DAY = datetime(2028, 2, 29, 8)
WORKDAYS = (0, 1, 2, 3, 4)

TOLD = [
    (Repeat("day"), TUESDAY, "每天", "every day"),
    (Repeat("day", 3), TUESDAY, "每 3 天", "every 3 days"),
    (Repeat("week"), TUESDAY, "每週二", "every Tuesday"),
    (Repeat("week", weekdays=WORKDAYS), TUESDAY, "平日", "on weekdays"),
    (Repeat("week", 1, (4, 1)), TUESDAY, "每週二、五", "every Tuesday and Friday"),
    (Repeat("week", 1, (0, 2, 6)), TUESDAY, "每週一、三、日", "every Monday, Wednesday and Sunday"),
    (Repeat("week", 2), TUESDAY, "每 2 週的週二", "every 2 weeks on Tuesday"),
    (Repeat("week", 2, (2,)), TUESDAY, "每 2 週的週三", "every 2 weeks on Wednesday"),
    (
        Repeat("week", 2, WORKDAYS),
        TUESDAY,
        "每 2 週的週一、二、三、四、五",
        "every 2 weeks on Monday, Tuesday, Wednesday, Thursday and Friday",
    ),
    (Repeat("month"), TUESDAY, "每月 1 日", "every month on the 1st"),
    (Repeat("month", nth=-1), TUESDAY, "每月最後一天", "every month on the last day"),
    (
        Repeat("year", 1, (6,), 2),
        datetime(2027, 5, 1),
        "每年 5 月第 2 個週日",
        "every year on the second Sunday of May",
    ),
    (Repeat("month"), datetime(2026, 12, 12), "每月 12 日", "every month on the 12th"),
    (Repeat("month"), datetime(2026, 12, 23), "每月 23 日", "every month on the 23rd"),
    (Repeat("month"), datetime(2026, 12, 28), "每月 28 日", "every month on the 28th"),
    (
        Repeat("month"),
        datetime(2026, 12, 29),
        "每月 29 日（沒有這天的月份為最後一天）",
        "every month on the 29th (on the last day where a month is shorter)",
    ),
    (
        Repeat("month"),
        MONTH_END,
        "每月 31 日（沒有這天的月份為最後一天）",
        "every month on the 31st (on the last day where a month is shorter)",
    ),
    (
        Repeat("month", 2),
        MONTH_END,
        "每 2 個月的 31 日（沒有這天的月份為最後一天）",
        "every 2 months on the 31st (on the last day where a month is shorter)",
    ),
    (
        Repeat("month", 1, (5,), 2),
        TUESDAY,
        "每月第 2 個週六",
        "every month on the second Saturday",
    ),
    (
        Repeat("month", 1, (4,), -1),
        MONTH_END,
        "每月最後一個週五",
        "every month on the last Friday",
    ),
    (
        Repeat("month", 3, (6,), 1),
        TUESDAY,
        "每 3 個月的第 1 個週日",
        "every 3 months on the first Sunday",
    ),
    (Repeat("year"), TUESDAY, "每年 12/1", "every year on 12/1"),
    (Repeat("year", 2), TUESDAY, "每 2 年的 12/1", "every 2 years on 12/1"),
    (Repeat("year"), datetime(2027, 2, 28), "每年 2/28", "every year on 2/28"),
    (
        Repeat("year"),
        LEAP_DAY,
        "每年 2/29（平年為 2/28）",
        "every year on 2/29 (2/28 in other years)",
    ),
    (
        Repeat("day", until=date(2027, 3, 1)),
        TUESDAY,
        "每天，到 2027/03/01",
        "every day, until 2027/03/01",
    ),
    (
        Repeat("month", until=date(2027, 3, 1)),
        MONTH_END,
        "每月 31 日（沒有這天的月份為最後一天），到 2027/03/01",
        "every month on the 31st (on the last day where a month is shorter), until 2027/03/01",
    ),
]

MOMENTS = [
    ("2026-12-01 12:00", "12/01（二）20:00", "Tue 12/01 20:00"),
    ("2026-12-31 15:59", "12/31（四）23:59", "Thu 12/31 23:59"),
    ("2026-12-31 16:00", "2027/01/01（五）00:00", "Fri 2027/01/01 00:00"),
    ("2027-01-03 00:00", "2027/01/03（日）08:00", "Sun 2027/01/03 08:00"),
    ("2025-12-31 15:59", "2025/12/31（三）23:59", "Wed 2025/12/31 23:59"),
    ("2025-12-31 16:00", "01/01（四）00:00", "Thu 01/01 00:00"),
]


@pytest.mark.parametrize(("repeat", "first", "chinese", "english"), TOLD)
def test_a_rule_is_told_as_it_was_asked_for(
    repeat: Repeat, first: datetime, chinese: str, english: str
) -> None:
    """
    A rule is read back in a family's own words, with what becomes of a day that is lacking.
    """
    kept = rule(repeat, first)
    assert [chinese, english] == [told(kept, first, "zh-TW"), told(kept, first, "en")]


def test_english_counts_the_days_of_a_month() -> None:
    """
    English has its own ends for first, second and third, though not for the eleventh.
    """
    days = "1st 2nd 3rd 4th 10th 11th 12th 13th 20th 21st 22nd 23rd 24th 28th"
    firsts = [
        datetime(2026, 12, day) for day in (1, 2, 3, 4, 10, 11, 12, 13, 20, 21, 22, 23, 24, 28)
    ]
    assert days == " ".join(told("FREQ=MONTHLY", first, "en").split()[-1] for first in firsts)


def test_nothing_is_told_of_what_does_not_come_round() -> None:
    """
    Where there is no rule there is nothing to say.
    """
    assert ["", ""] == [told("", TUESDAY, "zh-TW"), told("", TUESDAY, "en")]


@pytest.mark.parametrize(("due", "chinese", "english"), MOMENTS)
def test_a_moment_is_told_by_the_familys_clock(due: str, chinese: str, english: str) -> None:
    """
    A moment has its weekday, and its year only where that is not the family's present one.
    """
    at = datetime.fromisoformat(due).replace(tzinfo=UTC)
    assert [chinese, english] == [
        moment(at, TAIPEI, NOW, "zh-TW"),
        moment(at, TAIPEI, NOW, "en"),
    ]


def test_the_year_is_the_familys() -> None:
    """
    Where it is already next year, next year is this one.
    """
    new_year = datetime(2026, 12, 31, 16, tzinfo=UTC)
    assert "01/01（五）00:00" == moment(new_year, TAIPEI, new_year, "zh-TW")
