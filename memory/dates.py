"""Dates: what 「下週二」 meant on the day it was said."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache
from typing import TypeAlias
from zoneinfo import ZoneInfo

import regex
from dateutil.relativedelta import relativedelta

Said: TypeAlias = "regex.Match[str]"
"""An expression as it was found: its words, by the names of the groups in its row."""
Reading = Callable[[Said, date], str | None]
"""How the expressions of a row become dates on the day they were said; None if they don't."""


def resolved(text: str, said_on: date) -> str:
    """Return a text with its relative dates as dates, as far as code can tell them.

    Weeks begin on Monday. What was only meant to the month or the year stays that vague.
    """
    result, end = "", 0
    for said in _expressions().finditer(text.translate(_PLAIN)):
        meant = _meant(said, said_on)
        if meant is not None:
            result = _spaced(_spaced(result, text[end : said.start()]), meant)
            end = said.end()
    return _spaced(result, text[end:])


def is_relative(text: str) -> bool:
    """Say whether a text still speaks of a day, week, month or year as seen from when it was said.

    What comes round (每週二), a bare weekday and 「最近」 don't.
    """
    found = _expressions().finditer(text.translate(_PLAIN))
    return any(_reading(said) is not _alike for said in found)


def local_date(moment: datetime, zone: ZoneInfo) -> date:
    """Return the day a moment belongs to where the family lives."""
    return moment.astimezone(zone).date()


def _meant(said: Said, said_on: date) -> str | None:
    try:
        return _reading(said)(said, said_on)
    except (ValueError, OverflowError):  # 二月三十日, or beyond what a calendar holds.
        return None


def _spaced(left: str, right: str) -> str:
    """Join two texts; a date's digits must not run into those of the hour behind it."""
    runs_on = regex.match("[0-9A-Za-z]{2}", left[-1:] + right[:1])
    return f"{left} {right}" if runs_on else left + right


# How a row is read.


def _alike(_said: Said, _said_on: date) -> None:
    """Read what only looks like a relative date, or comes round."""


def _unknown(_said: Said, _said_on: date) -> None:
    """Read what no calendar can tell."""


def _period(said: Said, said_on: date) -> str:
    """Read a day, week, month or year by its place before or behind the present one."""
    unit = _UNITS[_word(said["unit"] or ("week" if said["weekday"] else "day"))]
    return _narrowed(said, said_on + relativedelta(**{unit: _STEPS[_word(said["which"])]}), unit)


def _counted(said: Said, said_on: date) -> str:
    """Read a number of days, weeks, months or years; only years are not meant to the day."""
    unit, count = _UNITS[_word(said["unit"])], _number(said["count"])
    meant_to = unit if unit == "years" or said["weekday"] or said["date"] else "days"
    if said["half"]:
        count += _HALF
    if count % 1:
        unit, parts = _HALVES[unit]
        meant_to, count = unit, count * parts
    sign = -1 if _word(said["side"] or "") in {"前", "ago"} else 1
    start = said_on + timedelta(_STEPS[_word(said["start"] or "today")])
    return _narrowed(said, start + relativedelta(**{unit: sign * int(count)}), meant_to)


def _nearest(said: Said, said_on: date) -> str:
    """Read the first such weekday after today, or the last one before."""
    days = (_weekdays(said["weekday"])[0] - said_on.weekday()) % 7 or 7
    if _word(said["nearest"]) in {"last", "past"}:
        days = days - 7 or -7
    return (said_on + timedelta(days)).isoformat()


def _time_of_day(said: Said, said_on: date) -> str:
    """Read a morning or night."""
    time = _word(said["time"] or "night")
    return _period(said, said_on) + _TIMES.get(time, f" {time}")


def _part(said: Said, said_on: date) -> str:
    """Read a part that stays as vague as it is: 下旬, 下半年, the beginning of next month."""
    if said["part"]:
        return f"the {_word(said['part'])} of {_period(said, said_on)}"
    return _written("years" if said[0].endswith("年") else "months", said_on, said) + str(said[0])


def _narrowed(said: Said, moment: date, unit: str) -> str:
    """Return what was meant in the week, month or year of a moment; all of it, if no more is said.

    `said["same"]` is 「的今天」: the moment itself.
    """
    if said["month"]:
        moment, unit = moment.replace(month=int(_number(said["month"])), day=1), "months"
    if said["date"]:
        moment, unit = moment.replace(day=int(_number(said["date"]))), "days"
    if said["last"]:
        moment, unit = moment + relativedelta(day=31), "days"
    if said["same"]:
        unit = "days"
    if unit == "weeks":
        moment -= timedelta(moment.weekday())
        if said["weekday"]:
            days = (moment + timedelta(day) for day in _weekdays(said["weekday"]))
            return "、".join(day.isoformat() for day in days)
        if said["weekend"]:
            moment, unit = moment + timedelta(5), "weekends"
    return _written(unit, moment, said)


def _written(unit: str, moment: date, said: Said) -> str:
    chinese, english = _FORMS[unit]
    return (chinese if regex.search(r"\p{Han}", said[0]) else english).format(moment)


# What words mean.

_PLAIN = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | str.maketrans(
    "周臺后这个两号礼刚İ\u3000", "週台後這個兩號禮剛I "
)
"""Letters as the rows know them: half-width, and as Taiwan writes them; one for one."""
_FORMS = {
    "days": ("{:%Y-%m-%d}", "{:%Y-%m-%d}"),
    "weeks": ("{:%Y-%m-%d}那一週", "the week of {:%Y-%m-%d}"),
    "weekends": ("{:%Y-%m-%d}那個週末", "the weekend of {:%Y-%m-%d}"),
    "months": ("{0.year}年{0.month}月", "{:%Y-%m}"),
    "years": ("{0.year}年", "{0.year}"),
}
"""Dates as they are written, in Chinese and in English."""
_STEPS = (
    {"大前": -3, "前": -2, "昨": -1, "去": -1, "今": 0, "明": 1, "後": 2, "大後": 3}
    | {"上上上": -3, "上上": -2, "上": -1, "": 0, "這": 0, "本": 0, "下": 1, "下下": 2, "下下下": 3}
    | {"yesterday": -1, "today": 0, "tonight": 0, "now": 0, "tomorrow": 1, "tmr": 1}
    | {"day before yesterday": -2, "day after tomorrow": 2, "before last": -2, "after next": 2}
    | {"last": -1, "this": 0, "the": 0, "next": 1}
)
_UNITS = (
    {"天": "days", "日": "days", "週": "weeks", "星期": "weeks", "禮拜": "weeks"}
    | {"月": "months", "年": "years"}
    | {"day": "days", "week": "weeks", "month": "months", "year": "years"}
)
_HALF = 0.5
_HALVES = {"years": ("months", 12), "months": ("days", 30)}
_TIMES = {"早": "早上", "晨": "清晨", "晚": "晚上", "夜": "夜裡"}
_WEEK = ("一1mon", "二2tue", "三3wed", "四4thu", "五5fri", "六6sat", "日天7sun")
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"兩": 2}
_SCALES = {"十": 10, "百": 100}
_TEENS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = (
    {word: value for value, word in enumerate(_TEENS, 1)}
    | {word: 10 * value for value, word in enumerate(_TENS, 2)}
    | {"a": 1, "an": 1, "half a": _HALF, "半": _HALF}
)


def _word(text: str) -> str:
    return " ".join(text.casefold().split())


def _weekdays(text: str) -> list[int]:
    """Return weekdays, Monday as 0: one English one, or as many as there are Chinese letters."""
    names = [text[:3].casefold()] if regex.match("[a-z]", text, regex.IGNORECASE) else text
    return [next(day for day, known in enumerate(_WEEK) if name in known) for name in names]


def _number(text: str) -> float:
    word = _word(text)
    if word in _NUMBERS or word.isdecimal():
        return _NUMBERS[word] if word in _NUMBERS else int(word)
    if word.isascii():
        return sum(_NUMBERS[part] for part in regex.split("[ -]", word))
    total = digit = 0
    for letter in word:
        total += (digit or 1) * _SCALES[letter] if letter in _SCALES else 0
        digit = _DIGITS.get(letter, 0)
    return total + digit


# What rows are made of.

_1_9 = "[一二兩三四五六七八九]"
_N = rf"(?:(?<!\d)\d{{1,4}}(?!\d)|{_1_9}?百零?(?:{_1_9}?十)?{_1_9}?|{_1_9}?十{_1_9}?|{_1_9})"
_WEEKS = "(?:週(?![刊邊歲遭轉])|星期|禮拜(?!堂))"
_SPAN = rf"(?:天|年(?!級)|個?{_WEEKS}|個月)"
_SIDE = "[之以]?(?P<side>[前後])(?!段|面(?![試談])|往(?!生)|宮|後(?![天年]))"
_SAME = "(?P<same>的?今[天日])"
_DATE = rf"(?P<date>{_N})\s*[日號]"
_FLOOR = "底(?![下線片部]|薪(?![水資]))"
_MIDDLE = "中(?![風秋午毒暑獎標國文山正壢學餐藥醫央心東間西無慶])"
_WHICH = "(?P<which>這|本|下{1,3}|上{1,3})一?個?"
_WEEKDAY = (
    "(?P<weekday>六日(?![本文式語子])|[一二三四五六](?!天(?![氣亮黑])|點(?!名)|[個次趟場節份])"
    r"|日(?![本文式語劇期系程])|天(?![天氣候數])|[1-7](?![\d點:天個號月/-]))"
)
_COUNT = rf"(?!\d{{3,}}\s*年)(?P<count>{_N}|(?<![上下])半(?=年|個月))"
_COUNTED = rf"(?:(?P<unit>天|年(?!級))(?P<half>(?<=年)半)?|個?(?P<unit>{_WEEKS})|個(?P<unit>月))"
_SOME = (
    rf"(?:好?[幾數多][十百]?|{_N}[幾多餘來]|大半|半(?=天|個?{_WEEKS})|{_1_9}?十?{_1_9}{{2}}十?"
    rf"|{_N}\s*[、到至~-]\s*{_N}|(?<!\d)\d+\.\d+)"
)
"""How many, when nobody knows exactly."""
_SPEAKERS = r"\P{L}我你妳他她們爸媽公婆嬤爺奶哥姊姐弟妹姨叔姑舅"
_BEGINS = rf"(?<=^|[{_SPEAKERS}])"
"""Where nothing stands before, or somebody, but no event of its own time (考試前兩天)."""

_LOOKALIKES = (
    # Words of which a part looks like a date.
    "[今明昨前後]天天(?![氣亮黑空冷熱晴候])|明天生(?![日產])|前天[花數]|年前年後|年初[一二三四五六七八九十]",
    rf"[小阿志]明(?=[天日年早晚])|(?<=[^{_SPEAKERS}])明(?=[早晚](?:上|餐|點))|明日(?=[期記文本])",
    "[聰黎清]明(?=[天日年])|[今明去前後]年(?:[紀齡級代]|輕(?!鬆))|如今(?=[天日年])|[過失出回]去(?=年)",
    "[目以之當]前(?=[天年])|[然以之最今往午雨皇太]後(?=[天年])|(?<=先天[^。!?]{0,12})後天",
    "後天(?=免疫|性|失調|失聰|失明|障礙|環境|努力|因素|缺陷|養成|培養|習得|學習|形成|獲得|的努力|的環境)",
    "(?:(?<![生假今明昨])日|[課書基])本(?=個?[週月星禮年])|[早晚樓路線網身以之馬]上|[樓以底留當剩之]下",
    "[這上下本]個?月[亮光餅台球子薪]",
    # What comes round.
    r"每[^\s\p{P}]{0,6}?(?:[年月][底尾初中]|[上中下]旬|[上下]半年)",
    rf"每次[^\s\p{{P}}]{{0,8}}?{_N}\s*{_SPAN}{_SIDE}",
    # What is seen from something else: 住了三年後, 第三天後, 那一週.
    rf"那\s*{_N}?\s*{_SPAN}末?(?:{_SIDE})?",
    rf"(?<![為除約訂排])了\s*{_N}\s*{_SPAN}(?!{_SIDE}的)(?:{_SIDE})?",
    rf"(?:滿|隔|完|第|經過|出生|結婚|離婚|畢業|退休|出院|過世|搬家)\s*{_N}\s*{_SPAN}(?:{_SIDE})?",
    # What is a date already: 十月底, 2026年底, 1990年前, 民國88年前, 五月三日後.
    rf"(?:(?:民國|西元)\s*{_N}\s*|(?<!\d)\d{{3,}}\s*|[一二三四五六七八九〇零]{{3,}})"
    rf"年(?:年(?=[底尾初中])|{_SIDE})?",
    r"[4-9]\d\s*年[之以]?後",
    rf"(?:{_N}\s*|[當該同整全歲蜜滿坐正臘閏元曆學新童青幾個半])[年月]年?月?(?=[底尾初中上下])",
    rf"{_N}\s*月\s*{_N}\s*[日號]",
)

_CHINESE: tuple[tuple[str, Reading], ...] = (
    ("|".join(_LOOKALIKES), _alike),
    (
        rf"{_WHICH}{_WEEKS}[一二三四五六]\s*[到至~、-]\s*[一二三四五六日天](?![重股峽芝本母])",
        _unknown,
    ),
    ("(?P<which>大?[前後]|昨|今|明)(?P<unit>天)|(?P<which>昨|今|明)(?P<unit>日)", _period),
    ("(?P<which>昨|今)(?=[早午晚]餐)", _period),
    ("(?P<which>昨|今|明)(?P<time>[早晨晚夜])(?!餐)(?:上(?![課班學網台場街車山]))?", _time_of_day),
    (
        rf"{_WHICH}(?P<unit>{_WEEKS})(?:{_SAME}|(?P<weekend>末)|(?:的?{_WEEKS})?{_WEEKDAY}|)",
        _period,
    ),
    (
        rf"{_WHICH}(?P<unit>月)(?:{_SAME}|\s*的?\s*{_DATE}|的?月?(?P<last>{_FLOOR})|的?月(?=[初中])|)",
        _period,
    ),
    (
        r"(?P<which>大?[前後]|[去今明本])(?P<unit>年)"
        rf"(?:{_SAME}|\s*的?\s*(?P<month>{_N})\s*月(?:\s*{_DATE})?"
        r"|\s*(?P<month>\d\d?)/(?P<date>\d\d?)|的?年(?=[底尾初中])|)",
        _period,
    ),
    (rf"(?P<which>)(?P<unit>月)(?:(?P<last>{_FLOOR})|(?=初|{_MIDDLE}))", _period),
    (rf"(?P<which>)(?P<unit>年)(?=[底尾初]|{_MIDDLE})", _period),
    ("(?<![年月份])[上中下]旬", _part),
    ("(?<![年級])[上下]半年", _part),
    (rf"{_COUNT}\s*個?(?P<unit>{_WEEKS}){_SIDE}的{_WEEKS}{_WEEKDAY}", _counted),
    (rf"{_COUNT}\s*個(?P<unit>月){_SIDE}的{_DATE}", _counted),
    (rf"(?:再過?)?{_COUNT}\s*{_COUNTED}{_SIDE}{_SAME}?", _counted),
    (rf"再過?{_COUNT}\s*{_COUNTED}(?![前後之以])", _counted),
    (rf"{_COUNT}(?<!\d)(?P<unit>日)[之以]?後", _counted),
    (rf"{_SOME}\s*{_SPAN}多?半?{_SIDE}|{_N}\s*{_SPAN}[多半]{_SIDE}", _unknown),
    (rf"{_N}\s*個[多半](?:月|{_WEEKS}){_SIDE}", _unknown),
    (rf"(?:手術|開刀|考試?)\s*{_N}\s*{_SPAN}{_SIDE}", _unknown),
    (rf"(?<![考試診術節假賽發婚])前幾\s*{_SPAN}|{_BEGINS}前兩\s*{_SPAN}", _unknown),
    (rf"(?<![難吃住待去])再?過[幾兩]\s*{_SPAN}", _unknown),
    (
        rf"(?:這|(?<![附將接])近|未來|過去|接下來|往後)[的這]?(?:[幾數]|(?<!這)一|(?!一){_N})\s*{_SPAN}",
        _unknown,
    ),
    (rf"{_BEGINS}(?:{_N}|半)個?半?(?:小時|鐘頭|分鐘){_SIDE}", _unknown),
    ("剛剛(?!好)|剛才|等一下|待會|稍後", _unknown),
)

_UNIT = "(?P<unit>day|week|month|year)s?"
_UNITS_MANY = "(?:day|night|week|weekend|month|year)s"
_TEEN, _TEN = "|".join(_TEENS), "|".join(_TENS)
_COUNT_WORD = (
    rf"(?P<count>(?<!\d)\d{{1,4}}|an?|half a(?= year)|(?:(?:{_TEN})[ -])?(?:{_TEEN})|{_TEN})"
)
_DAY_NAME = (
    "(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    "|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun))"
)
_SEASON = (
    "spring|summer|autumn|fall|winter|semester|term|january|february|march|april|(?-i:May)|june"
    "|july|august|september|october|november|december|christmas|easter"
    "|(?:(?:lunar|chinese) )?new year"
)
_TIME = "(?:['’]s?)?(?: time)?"
_THIS, _THE = "(?P<which>this|next|last)", "(?P<which>this|next|last|the)"
_ANY = r"[a-z\d]+"

_ENGLISH: tuple[tuple[str, Reading], ...] = (
    (rf"(?:last|next) {_ANY} of", _alike),
    (rf"(?:every|each|my|your|his|her|our|their) (?:last|next) {_ANY}", _alike),
    (rf"(?:once|twice|times) in an? {_ANY}|in {_ANY} {_ANY} of", _alike),
    ("(?:the (?:last|past|next|coming)|this past) (?:week|month|year)(?! of)", _unknown),
    (rf"(?:the )?(?:last|past|next|coming) (?:{_ANY} |couple of ){_UNITS_MANY}", _unknown),
    (rf"(?:this|same) time {_THIS} {_UNIT}|{_THIS} (?:{_SEASON})", _unknown),
    (rf"the {_DAY_NAME} (?:after next|before last)|the night before last", _unknown),
    (rf"weeks? (?:from|on) {_DAY_NAME}|week (?:today|tomorrow)", _unknown),
    ("(?:the )?(?P<which>day (?:after tomorrow|before yesterday))", _period),
    ("(?:later |earlier )?(?P<which>today)|(?P<which>tomorrow|tmr|yesterday)", _period),
    ("(?P<which>tonight)|(?P<which>this) (?P<time>morning|afternoon|evening)", _time_of_day),
    ("(?P<which>last) (?P<time>night|evening)", _time_of_day),
    (rf"{_DAY_NAME} (?:of )?{_THIS} (?P<unit>week)", _period),
    (rf"{_THIS} (?P<unit>week) (?:on )?{_DAY_NAME}", _period),
    (
        rf"(?:this )?(?P<nearest>past|coming|upcoming) {_DAY_NAME}|(?P<nearest>last) {_DAY_NAME}",
        _nearest,
    ),
    (rf"(?P<which>this|next) {_DAY_NAME}", _period),
    (rf"(?:the )?(?P<date>(?<!\d)\d\d?)(?:st|nd|rd|th) of {_THE} (?P<unit>month)", _period),
    (rf"(?:the )?(?P<last>end) of {_THE} (?P<unit>month)(?! of)", _period),
    (
        "(?:the )?(?P<part>end|beginning|start|middle) of "
        rf"{_THE} (?P<unit>week|month|year)(?! of)",
        _part,
    ),
    (rf"(?:(?:later|earlier) (?=this))?{_THIS} (?P<unit>week)(?P<weekend>end)?", _period),
    (rf"(?:(?:later|earlier) (?=this))?{_THIS} (?P<unit>month|year)", _period),
    (
        "the (?P<unit>week|month|year)(?P<weekend>(?<=week)end)? (?P<which>after next|before last)",
        _period,
    ),
    (
        rf"{_COUNT_WORD} {_UNIT} (?:(?P<side>ago)(?: today)?|from (?P<start>now|today|tomorrow))",
        _counted,
    ),
    (rf"in {_COUNT_WORD} (?P<unit>day|week|month)s?{_TIME}", _counted),
    (rf"(?<=in ){_COUNT_WORD} (?P<unit>year)s?{_TIME}", _counted),
    (rf"(?:in )?(?:{_ANY} (?:or|to) )?{_ANY} {_UNITS_MANY} (?:ago|from now)", _unknown),
    (rf"in (?:a few|a couple of|several|some|{_ANY} (?:or|to) {_ANY}) {_UNITS_MANY}", _unknown),
    (rf"in \d+-\d+ {_UNITS_MANY}", _unknown),
    ("(?:hours?|minutes?|moments?|while|half) (?:ago|from now)", _unknown),
    ("(?:fortnight|days|weeks|months|years) (?:ago|from now)", _unknown),
    ("just now|the other day|in a (?:moment|minute|second|while|bit)", _unknown),
)

_ROWS = _CHINESE + tuple(
    (rf"(?<![a-z]|[a-z\d]-|\d\.)(?:{pattern})(?![a-z])".replace(" ", r"\s+"), reading)
    for pattern, reading in _ENGLISH
)


@cache
def _expressions() -> regex.Pattern[str]:
    """Return all rows as one pattern: at any place the first row that fits counts."""
    rows = (f"(?P<row{no}>{pattern})" for no, (pattern, _) in enumerate(_ROWS))
    return regex.compile("|".join(rows), regex.IGNORECASE)


def _reading(said: Said) -> Reading:
    return next(reading for no, (_, reading) in enumerate(_ROWS) if said[f"row{no}"] is not None)
