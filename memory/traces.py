"""Traces: whether a text tells again what a fact tells, as far as words show."""

import unicodedata

import regex

from memory.facts import Fact, normalised

_DATE = r"\d{4}-\d\d-\d\d|\d+年(?:\d+月)?(?:\d+日)?|\d+月\d+日"
_TOKEN = r"[\p{Latin}\d][\p{Latin}\d._@-]{2,}"


def retells(text: str, fact: Fact, share: float = 1 / 2) -> bool:
    """Say whether a text tells what a fact tells.

    Args:
        text: Any text.
        fact: The fact.
        share: How much of what it says beyond its subject must be there. A plate, a telephone
            number or an address is enough by itself; and a text with other numbers than the fact's
            tells of another thing of its kind.
    """
    compared = normalised(text)
    if normalised(fact.text) in compared:
        return True
    about = _plain(fact.text.replace(fact.subject, " ") if fact.subject else fact.text)
    if any(normalised(value) in compared for value in _values(about)):
        return True
    numbers, others = _numbers(about), _numbers(_plain(text))
    if numbers and others and not numbers & others:
        return False
    pieces = [*_pairs(about), *regex.findall(r"\p{Latin}{3,}", about)]
    found = sum(len(piece) for piece in pieces if piece in compared)
    return bool(pieces) and found >= share * sum(map(len, pieces))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _values(text: str) -> list[str]:
    """Return what only one fact can have: words with a digit or an @ in them, but for dates."""
    tokens = regex.findall(_TOKEN, regex.sub(_DATE, " ", text))
    return [token for token in tokens if regex.search(r"[\d@]", token)]


def _numbers(text: str) -> set[str]:
    return set(regex.findall(r"\d+", text))


def _pairs(text: str) -> list[str]:
    runs = regex.findall(r"\p{Han}+", text)
    return [run[n : n + 2] for run in runs for n in range(len(run) - 1)]
