"""Repetitions and moments in words, as a reminder's confirmation and lists tell them."""

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from assistant.wording import wording
from memory.schedule import ALWAYS, Every, Repeat, asked
from services.settings import Language


@dataclass(frozen=True, slots=True)
class _Words:
    """How one language tells them."""

    each: Mapping[Every, str]
    """A format of `days`."""
    every: Mapping[Every, str]
    """The same for more than one at a time; a format of `interval days`."""
    workdays: str
    """Monday to Friday of every week."""
    weekdays: tuple[str, ...]
    """Monday first."""
    commas: tuple[str, str]
    """Between several weekdays, and before the last of them."""
    nth: Mapping[int, str]
    """A format of `weekday`."""
    of_month: tuple[str, ...]
    """From January on; a format of `nth`."""
    dates: tuple[str, ...]
    """The days of a month, from the first on."""
    last: str
    """A month's last day, whichever that is."""
    shorter: str
    """Behind a day some months lack."""
    common: str
    """Behind a day most years lack."""
    end: str
    """A format of `repetition date`."""
    moment: str
    """A format of `date weekday time`."""


_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

_LANGUAGES: dict[Language, _Words] = {
    "zh-TW": _Words(
        each={"day": "每天", "week": "每週{days}", "month": "每月{days}", "year": "每年 {days}"},
        every={
            "day": "每 {interval} 天",
            "week": "每 {interval} 週的週{days}",
            "month": "每 {interval} 個月的{days}",
            "year": "每 {interval} 年的 {days}",
        },
        workdays="平日",
        weekdays=("一", "二", "三", "四", "五", "六", "日"),
        commas=("、", "、"),
        nth={
            1: "第 1 個週{weekday}",
            2: "第 2 個週{weekday}",
            3: "第 3 個週{weekday}",
            4: "第 4 個週{weekday}",
            -1: "最後一個週{weekday}",
        },
        of_month=tuple(f"{month} 月{{nth}}" for month in range(1, 13)),
        dates=tuple(f" {day} 日" for day in range(1, 32)),
        last="最後一天",
        shorter="（沒有這天的月份為最後一天）",
        common="（平年為 2/28）",
        end="{repetition}，到 {date}",
        moment="{date}（{weekday}）{time}",
    ),
    "en": _Words(
        each={
            "day": "every day",
            "week": "every {days}",
            "month": "every month on the {days}",
            "year": "every year on {days}",
        },
        every={
            "day": "every {interval} days",
            "week": "every {interval} weeks on {days}",
            "month": "every {interval} months on the {days}",
            "year": "every {interval} years on {days}",
        },
        workdays="on weekdays",
        weekdays=(
            "Monday",
            "Tuesday",
            "Wednesday",
            "Thursday",
            "Friday",
            "Saturday",
            "Sunday",
        ),
        commas=(", ", " and "),
        nth={
            1: "first {weekday}",
            2: "second {weekday}",
            3: "third {weekday}",
            4: "fourth {weekday}",
            -1: "last {weekday}",
        },
        of_month=tuple(f"the {{nth}} of {name}" for name in calendar.month_name[1:]),
        dates=tuple(f"{day}{_ORDINALS.get(day, 'th')}" for day in range(1, 32)),
        last="last day",
        shorter=" (on the last day where a month is shorter)",
        common=" (2/28 in other years)",
        end="{repetition}, until {date}",
        moment="{weekday} {date} {time}",
    ),
}


def told(rule: str, first: datetime, language: Language) -> str:
    """Return a rule in words, as it was asked for; nothing for what does not come round."""
    if not rule:
        return ""
    words, repeat = _LANGUAGES[language], asked(rule)
    repetition = _repetition(repeat, first, words)
    if repeat.until is None:
        return repetition
    return words.end.format(repetition=repetition, date=f"{repeat.until:%Y/%m/%d}")


def moment(due: datetime, zone: tzinfo, now: datetime, language: Language) -> str:
    """Return a moment as the family's clocks show it, with the year if it is not this one."""
    local = due.astimezone(zone)
    this_year = local.year == now.astimezone(zone).year
    return _LANGUAGES[language].moment.format(
        date=f"{local:%m/%d}" if this_year else f"{local:%Y/%m/%d}",
        weekday=wording(language).weekdays[local.weekday()],
        time=f"{local:%H:%M}",
    )


def _repetition(repeat: Repeat, first: datetime, words: _Words) -> str:
    if repeat.every == "week" and repeat.interval == 1 and repeat.weekdays == (0, 1, 2, 3, 4):
        return words.workdays
    periods = words.each if repeat.interval == 1 else words.every
    days = _days(repeat, first, words)
    return periods[repeat.every].format(interval=repeat.interval, days=days) + _lacking(
        repeat, first, words
    )


def _days(repeat: Repeat, first: datetime, words: _Words) -> str:
    """Return which days of a week, month or year."""
    if repeat.nth and repeat.weekdays:
        nth = words.nth[repeat.nth].format(weekday=words.weekdays[repeat.weekdays[0]])
        return words.of_month[first.month - 1].format(nth=nth) if repeat.every == "year" else nth
    if repeat.nth:
        return words.last
    if repeat.every == "week":
        weekdays = repeat.weekdays or (first.weekday(),)
        return _listed([words.weekdays[day] for day in weekdays], words)
    if repeat.every == "month":
        return words.dates[first.day - 1]
    return f"{first.month}/{first.day}"


def _lacking(repeat: Repeat, first: datetime, words: _Words) -> str:
    """Return what becomes of a day that some months or years lack."""
    if repeat.every == "month" and not repeat.nth and first.day > ALWAYS:
        return words.shorter
    if repeat.every == "year" and not repeat.nth and (first.month, first.day) == (2, 29):
        return words.common
    return ""


def _listed(names: Sequence[str], words: _Words) -> str:
    *others, last = names
    comma, last_comma = words.commas
    return last_comma.join([comma.join(others), last]) if others else last
