"""Traces: whether a text tells again what is to be forgotten, as far as words show."""

import unicodedata
from collections.abc import Iterable

import regex

from memory.facts import normalised

_DATES = (
    r"(?P<y>\d{4})[-/年](?P<m>\d{1,2})[-/月](?P<d>\d{1,2})日?",
    r"(?P<m>\d{1,2})月(?P<d>\d{1,2})[日號]?",
    r"(?<![\d/])(?P<m>\d{1,2})/(?P<d>\d{1,2})(?![\d/])",
)
_TOKEN = r"[\p{Latin}\d][\p{Latin}\d._@+-]*[\p{Latin}\d]"
_SPACED = r"(?<![\p{Latin}\d])\d+(?: \d+)+(?![\p{Latin}\d])|[\p{Latin}]{2,4} \d{3,}"
"""A number or a plate that is written with spaces."""
_BETWEEN = r"[-.\s]?"
_NAMED = r"(?:叫做?|名字是|名叫|小名|綽號|called|named|name is)\s*(\p{Han}{2,4}|\p{Latin}{3,})"
_VALUE = 4
"""A token with a digit is something only one thing can have from so many characters on."""
_OURS = 1 / 2
"""From this share on, only what says the same counts, not what merely has to do with it."""


def retells(text: str, told: str, subject: str = "", share: float = _OURS) -> bool:
    """Say whether a text tells again what was told.

    A plate, a telephone number or an address is enough by itself, however it is written. A text
    with other numbers, dates or names tells of another thing of its kind.

    Args:
        text: Any text.
        told: What is to be forgotten.
        subject: Whom or what it is about: to name that is not to retell it.
        share: How much of what it says beyond its subject must be there.
    """
    words, compared = normalised(told), normalised(text)
    if words and words in compared:
        return True
    about = _plain(told.replace(subject, " ") if subject else told)
    plain = _plain(text)
    values, names = _values(about), _names(about)
    if any(_has(plain, value) for value in values):
        return True
    if share < _OURS and any(name in compared for name in names):
        return True
    if names and _names(plain) and not any(name in compared for name in names):
        return False
    if _others(values, _values(plain)) or _others(_numbers(about), _numbers(plain)):
        return False
    pieces = [*_pairs(about), *regex.findall(r"\p{Latin}{3,}", about)]
    found = sum(len(piece) for piece in pieces if piece in compared)
    return bool(pieces) and found >= share * sum(map(len, pieces))


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return str(regex.sub(r"(?<=\d),(?=\d{3})", "", plain))


def _others(told: set[str], said: set[str]) -> bool:
    """Say whether a text has things of a kind, but not all of those that were told."""
    return bool(told and said) and not told <= said


def _values(text: str) -> set[str]:
    """Return what only one thing can have, such as a number, plate or address, bare of marks."""
    undated = regex.sub("|".join(_undated()), " ", text)
    tokens = [*regex.findall(_SPACED, undated), *regex.findall(_TOKEN, undated)]
    bare = {one if "@" in one else regex.sub(r"[^\p{Latin}\d]", "", one) for one in tokens}
    return {one for one in bare if len(one) >= _VALUE and regex.search(r"[\d@]", one)}


def _has(text: str, value: str) -> bool:
    """Say whether a text has a value as a whole, with whatever stands between its parts."""
    written = regex.escape(value) if "@" in value else _BETWEEN.join(value)
    return regex.search(rf"(?<![\p{{Latin}}\d]){written}(?![\p{{Latin}}\d])", text) is not None


def _names(text: str) -> set[str]:
    return set(regex.findall(_NAMED, text))


def _numbers(text: str) -> set[str]:
    """Return the dates, as month and day, and the other numbers."""
    dates = {
        f"{int(found['m'])}/{int(found['d'])}"
        for form in _DATES
        for found in regex.finditer(form, text)
    }
    undated = regex.sub("|".join(_undated()), " ", text)
    return dates | set(regex.findall(r"\d+", undated))


def _undated() -> Iterable[str]:
    return (regex.sub(r"\?P<\w>", "?:", form) for form in _DATES)


def _pairs(text: str) -> list[str]:
    runs = regex.findall(r"\p{Han}+", text)
    return [run[n : n + 2] for run in runs for n in range(len(run) - 1)]
