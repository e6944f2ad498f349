"""Evidence: was it said there?"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import regex

from memory.conversation import Turn
from memory.dates import resolved
from memory.facts import Candidate, normalised
from memory.numerals import NUMERAL, arabic, value
from memory.plain import UNSPACED, WORD, plain, without_name

_DATE = (
    r"(?<![0-9])(?:19|20)[0-9]{2}(?:-[0-9]{2}(?:-[0-9]{2})?(?![0-9])"
    r"|年(?:[0-9]{1,2}月(?:[0-9]{1,2}[日號])?)?)"
)
"""A date as it is resolved, or as a model writes it."""
_WEEKDAY = r"(?:[週周]|星期|禮拜)[一二三四五六日天1-7]|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNTED = (
    rf"(?!兩(?:個人|位)){NUMERAL}{{1,16}}(?=[個隻條頭匹歲月日號樓年班名位台輛部次顆粒天週元塊度杯瓶"
    r"包盒本件間棟坪]|點(?!檔)|公[斤分尺里]|小時|分鐘)"
)
"""A Chinese numeral that counts something; in 「一起」 and 「萬一」 it doesn't."""
_NUMBER = r"[0-9]+(?:-[0-9]+)+|[0-9]+(?: [0-9]+)*"
"""A number, or several that may be one with dashes or spaces."""


def is_evidenced(candidate: Candidate, turn: Turn, also: Sequence[str] = ()) -> bool:
    """Say whether a turn tells what a candidate says it does.

    Quoted evidence must stand in the turn word for word; without it, a third of the text must. No
    number may be in the text that was not told, but for dates reckoned from the day it was said.

    Args:
        candidate: What is proposed, cleaned.
        turn: The turn that is said to tell it.
        also: Texts that count as said with the turn, such as the words it quotes.
    """
    told = [turn.text, *also]
    if candidate.evidence.strip():
        words = _comparable(candidate.evidence)
        if len(words) < 2 or words not in _comparable(turn.text):
            return False
    elif not _is_shared(candidate, told):
        return False
    return _has_no_other_numbers(candidate, turn, told)


def _comparable(text: str) -> str:
    # Models write straight quotes where phones write round ones.
    return normalised(text.translate(str.maketrans("‘’“”", "''\"\"")))


def _is_shared(candidate: Candidate, told: Sequence[str]) -> bool:
    said = arabic(" ".join(map(plain, told)))
    letters = regex.sub(r"[^\p{L}\p{M}]+", "", said)
    words, numbers = set(regex.findall(WORD, said)), _told(told)
    text = arabic(regex.sub(_DATE, " ", plain(candidate.text)))
    parts = _parts(without_name(text, candidate.subject)) or _parts(text)
    shared = [
        part
        for part in parts
        if part in words or (_is_unspaced(part) and part in letters) or _is_told(part, numbers)
    ]
    return 0 < len(parts) <= 3 * len(shared)


def _parts(text: str) -> list[str]:
    """Return what a text consists of: words, numbers, and pairs of letters of unspaced writing."""
    parts = []
    for run in regex.findall(rf"{UNSPACED}+|{WORD}|{_NUMBER}", text):
        is_split = _is_unspaced(run) and len(run) > 2
        parts += [run[at : at + 2] for at in range(len(run) - 1)] if is_split else [run]
    return parts


def _is_unspaced(run: str) -> bool:
    return bool(regex.match(UNSPACED, run))


def _has_no_other_numbers(candidate: Candidate, turn: Turn, told: Sequence[str]) -> bool:
    text = plain(candidate.text)
    if regex.fullmatch(r"\p{L}+[0-9]+", plain(candidate.subject)):
        text = without_name(text, candidate.subject)  # Somebody may call themselves Amy2.
    known = _told(told)
    if _tells_only(text, known):
        return True
    # Which day it was where the family lives, a day more or less may tell.
    said_on = turn.said_at.date()
    days = [said_on + timedelta(more) for more in (-1, 0, 1)]
    known |= _told([resolved(one, day) for one in told for day in days])
    known |= {str(said_on.year + more) for more in (-1, 0, 1)}
    if regex.search(_WEEKDAY, plain(" ".join(told))):
        text = regex.sub(
            _DATE, lambda near: " " if abs(int(near[0][:4]) - said_on.year) <= 1 else near[0], text
        )
    return _tells_only(text, known)


def _tells_only(text: str, known: set[str]) -> bool:
    """Say whether a text has no number but known ones."""
    text = regex.sub(r"(?<=[0-9]):00(?![0-9])", "", _without_commas(text))
    counted = {value(numeral) for numeral in regex.findall(_COUNTED, text)} - {1}
    numbers = regex.findall(_NUMBER, text)
    return known.issuperset(map(str, counted)) and all(_is_told(one, known) for one in numbers)


def _is_told(number: str, known: set[str]) -> bool:
    """Say whether a number is known, wherever a phone's dashes stand."""
    digits = regex.findall("[0-9]+", number)
    return bool(digits) and (_joined(number) in known or known.issuperset(map(_joined, digits)))


def _told(texts: Iterable[str]) -> set[str]:
    """Return the numbers that texts tell, and in what other ways they may be written."""
    text = _without_commas(arabic(" ".join(map(plain, texts))))
    numbers = {_joined(one) for one in regex.findall("[0-9]+", text)}
    for between in ("-", "[ ()-]{1,2}"):
        phones = regex.findall(f"[0-9]+(?:{between}[0-9]+)+", text)
        numbers |= {_joined(one) for one in phones if len(_joined(one)) > 5}
    if regex.search("下午|傍晚|晚上|[0-9] ?p[.]?m", text):
        numbers |= {str(int(hour) + 12) for hour in regex.findall(r"(?<![0-9])[0-9]{1,2}", text)}
    if regex.search("點半|half", text):
        numbers.add("30")
    # 民國 75 年 is 1986.
    years = [int(year) for year in regex.findall(r"(?<![0-9])([0-9]{2,4}) ?年", text)]
    return numbers | {str(year + off) for year in years for off in (-1911, 1911)}


def _joined(number: str) -> str:
    return "".join(regex.findall("[0-9]", number)).lstrip("0") or "0"


def _without_commas(text: str) -> str:
    return str(regex.sub("(?<=[0-9]),(?=[0-9]{3}(?![0-9]))", "", text))
