"""Traces: whether a text tells again what is to be forgotten, as far as words show.

Words that are everywhere count little or nothing, what a sentence gives must be what was given, and
a number, plate or address is enough by itself.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from memory.facts import normalised

_OURS = 1 / 2
"""From this share on, only what says the same counts, not what merely has to do with it."""
_VALUE, _WORD, _GIVEN_PAIR, _PAIR, _FRAME = 4.0, 2.0, 1.2, 1.0, 0.25
"""How much they are of what a clause says; a pair is two characters of Han."""
_CLAUSE = 2.0
"""What says less than this is too little to be told again by itself, beside the rest."""
_LONGEST = 64
"""Characters of a number, plate or address."""

_FRAMES = (
    r"(?:喜歡|討厭|愛)[吃喝]?|叫做?|[是在對不姓]"
    r"|\b(?:called|named|likes?|loves?|hates?|is|are|at|in|on|to|not)\b"
)
"""Behind these stands what a sentence gives: another word there makes it another sentence."""
_EMPTY = (
    r"好(?:[的啊喔哦]|(?!\p{Han}))|沒問題|記[住得下]|知道|了解|收到|謝謝|[今明昨每]天|今年|什麼|怎麼|多少"
    r"|[我你妳您他她它咱]們?|[這那]個?|哪[裡天]?|[的了嗎呢吧啊喔哦啦呀有也都就很要說還誰幾跟和]"
    r"|\b(?:the|an?(?= \p{Latin})|i|you|s?he|it|we|they|me|my|your|his|her|its|our|their|and|or|of"
    r"|for|with|this|that|there|here|was|were|am|be|do|does|will|has|have|what|how|ok|okay|sure"
    r"|thanks?)\b"
)
"""Words that are everywhere."""
_LIGHT = rf"{_FRAMES}|{_EMPTY}"
_HAN = rf"(?:(?!{_LIGHT})\p{{Han}})"
_GIVEN = regex.compile(
    rf"({_FRAMES})\s*(?:(?:{_LIGHT})\s+){{0,3}}"
    rf"({_HAN}{{2,3}}(?!{_HAN})|{_HAN}{{2}}|(?!{_LIGHT})\p{{Latin}}+)"
)
_NAMED = regex.compile(
    rf"(?:叫做?|名字是|小名|綽號)(\p{{Han}}{_HAN}{{1,3}})"
    r"|(?:called|named|name is) (\p{Latin}{3,})"
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = regex.compile(
    r"(?<!\d)\d{4}[-/年](?P<m>\d{1,2})[-/月](?P<d>\d{1,2})日?"
    r"|(?P<m>\d{1,2})月(?P<d>\d{1,2})[日號]?"
    r"|(?<![\d/])(?P<m>\d{1,2})/(?P<d>\d{1,2})(?![\d/])"
    rf"|\b(?P<m>{'|'.join(_MONTHS)})(?:r?uary|ch|il|e|y|ust|t?ember|ober)?\.? (?P<d>\d{{1,2}})\b"
)
_COMMON = regex.compile(
    r"\$\d+|\b(?:in|since) \d{4}(?!\d)|\d{1,3}(?:,\d{3})+(?: ?[元塊])?|(?<!\d)\d+ ?[年元塊萬]"
    r"|\d{1,2}:\d\d|(?<![\p{Latin}\d-])\d{1,3}\p{Latin}{1,2}(?![\p{Latin}\d-])"
)
"""Numbers that many things have: amounts, years, hours and measures."""
_TOKEN = regex.compile(
    r"(?<![\p{Latin}\d])(?:\d+(?:[ -]\d+){1,5}|\p{Latin}{2,4} \d{3,})(?![\p{Latin}\d])"
    r"|[\p{Latin}\d](?:[\p{Latin}\d._@+-]*[\p{Latin}\d])?"
)
_ADDRESS = regex.compile(
    r"\p{Han}{2}[路街](?: ?[一二三四五六七八九十\d]段)?(?: ?\d{1,4} ?[巷弄])* ?\d{1,4} ?號"
)
_MEASURE = regex.compile(
    r"(?<!\d)\d+ ?(?:個月|\p{Han})|[一二兩三四五六七八九十]+(?:個月|[天週歲點])半?"
)
_ENDS = regex.compile(r"[。!?;\n]+|\.(?=\s|$)|(?<!\d),|,(?!\d)")


@dataclass(frozen=True, slots=True)
class _Clause:
    """What one clause says."""

    text: str
    values: frozenset[str]
    """What only one thing can have, bare of marks: a telephone number, a plate, an address."""
    dates: frozenset[str]
    numbers: frozenset[str]
    given: frozenset[tuple[str, str]]
    """What stands behind the words that give something, with those."""
    words: dict[str, float]
    """Words, and pairs of characters, with how much they say."""

    @property
    def pieces(self) -> dict[str, float]:
        """All that it says, with how much each piece is of it."""
        return {
            **self.words,
            **dict.fromkeys(self.numbers, _PAIR),
            **dict.fromkeys(self.dates, _WORD),
            **dict.fromkeys(self.values, _VALUE),
        }

    @property
    def weight(self) -> float:
        """How much it says."""
        return sum(self.pieces.values())

    def is_told_in(self, said: Iterable["_Clause"], about: bool, share: float) -> bool:
        """Say whether some clauses tell it again; numbers alone are nothing.

        Args:
            said: What a text says.
            about: Whether it names whom this is about.
            share: How much of this is enough; if nothing that this gives is there, half at least.
        """
        kept = [one for one in said if not one.tells_another(self)]
        text = "\n".join(one.text for one in kept)
        heard = {piece for one in kept for piece in one.pieces}
        found = {
            piece: weight
            for piece, weight in self.pieces.items()
            if piece in heard or (len(piece) == 1 and piece in text)
        }
        content = {word for word, weight in self.words.items() if weight >= _PAIR}
        if content.isdisjoint(found) if content else not about:
            return False
        given = {_core(word) for _, word in self.given}
        is_given = any(word in text for word in given) or not self.dates.isdisjoint(heard)
        if (given or self.dates) and not is_given:
            share = max(share, _OURS)
        return sum(found.values()) >= share * self.weight

    def tells_another(self, told: "_Clause") -> bool:
        """Say whether it gives a number, date or word of its own where another was told."""
        counts = self.numbers | {one for one in self.values if one.isdigit()}
        kinds = (
            (told.values, self.values),
            (told.dates, self.dates),
            (told.numbers, counts),
        )
        if any(theirs and ours and theirs.isdisjoint(ours) for theirs, ours in kinds):
            return True
        frames = {frame for frame, word in told.given if _core(word) not in self.text}
        return any(frame in frames and word not in told.text for frame, word in self.given)


def retells(text: str, told: str, subject: str = "", share: float = _OURS) -> bool:
    """Say whether a text tells again what was told.

    A plate, a telephone number or an address is enough by itself, however it is written. A clause
    with other numbers, dates or names tells of another thing of its kind.

    Args:
        text: Any text.
        told: What is to be forgotten.
        subject: Whom or what it is about: to name that is not to retell it.
        share: How much of what it says beyond its subject must be there, or of a clause of it.
    """
    if _is_same(normalised(text), normalised(told)):
        return True
    plain, topic = _plain(text), _plain(subject)
    about = bool(topic) and topic in plain
    rest = _plain(told).replace(topic, " ") if topic else _plain(told)
    whole = _read(rest)
    if any(_has(plain, value) for value in whole.values):
        return True
    if share < _OURS and any(name in plain for name in _names(rest)):
        return True
    said = _clauses(plain)
    enough = [one for one in _clauses(rest) if one.weight >= _CLAUSE]
    told_again = (one.is_told_in(said, about, share) for one in [whole, *enough])
    return whole.weight >= _PAIR and any(told_again)


def _clauses(text: str) -> list[_Clause]:
    return [_read(one) for one in dict.fromkeys(_ENDS.split(text)) if one]


def _is_same(text: str, told: str) -> bool:
    """Say whether a text has the very words and no others."""
    return bool(told) and told in text and not regex.search(r"\w", text.replace(told, "", 1))


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = regex.sub(r"\p{Pd}", "-", regex.sub(r"[「」『』《》“”\"]", "", plain))
    plain = regex.sub(r"\((\d+)\) ?", r"\1-", plain)
    return str(regex.sub(r"\+886[- ]?0?(?=\d)", "0", plain))


def _read(text: str) -> _Clause:
    """Return what a clause says."""
    dates = _dates(text)
    rest = _DATE.sub(" ", text)
    addresses = _ADDRESS.findall(rest)
    rest = _ADDRESS.sub(" ", rest)
    numbers = {regex.sub(r"\D", "", one) for one in _COMMON.findall(rest)}
    rest = _COMMON.sub(" ", rest)
    tokens = _TOKEN.findall(rest)
    values = {_bare(one) for one in [*addresses, *filter(_is_own, tokens)]}
    numbers |= {n for one in tokens if not _is_own(one) for n in regex.findall(r"\d+", one)}
    rest = _TOKEN.sub(lambda one: " " if _is_own(one[0]) else one[0], rest)
    given = frozenset(_GIVEN.findall(rest, overlapped=True))
    return _Clause(text, frozenset(values), dates, frozenset(numbers), given, dict(_words(rest)))


def _dates(text: str) -> frozenset[str]:
    """Return the dates, as month and day."""
    return frozenset(f"{_month(one['m'])}/{int(one['d'])}" for one in _DATE.finditer(text))


def _month(written: str) -> int:
    return int(written) if written.isdigit() else _MONTHS.index(written) + 1


def _words(text: str) -> Iterator[tuple[str, float]]:
    """Yield words, and pairs of characters, with how much they say; measure words say nothing."""
    for frame in regex.findall(rf"(?:{_FRAMES})(?:\p{{Han}}|(?<=\p{{Latin}}))", text):
        yield frame, _FRAME
    content = regex.sub(_LIGHT, "", _MEASURE.sub(" ", text))
    for word in regex.findall(r"\p{Latin}+", content):
        yield word, _WORD
    for run in regex.findall(r"\p{Han}+", content):
        for n in range(max(1, len(run) - 1)):
            yield run[n : n + 2], _PAIR
    for _, word in _GIVEN.findall(text):
        if regex.match(r"\p{Han}", word):
            yield word[:2], _GIVEN_PAIR


def _core(word: str) -> str:
    """Return a word without a verb or family name before it: 吃牛肉, 林采薇."""
    return word[-2:] if regex.match(r"\p{Han}", word) else word


def _names(text: str) -> set[str]:
    return {han or latin for han, latin in _NAMED.findall(text)}


def _is_own(token: str) -> bool:
    """Say whether one thing alone has it: an address, four digits, or letters with a digit."""
    digits = sum(map(str.isdigit, token))
    return len(token) <= _LONGEST and (
        "@" in token or digits >= 4 or (digits > 0 and token[0].isalpha() and len(token) > 4)
    )


def _bare(token: str) -> str:
    return token if "@" in token else regex.sub(r"[^\p{L}\d]", "", token)


def _has(text: str, value: str) -> bool:
    """Say whether a text has a value as a whole, with whatever stands between its parts."""
    written = regex.escape(value) if "@" in value else r"[-. ]?".join(value)
    before, after = r"(?<![\p{Latin}\d][-_.@+]?)", r"(?![-_.@+]?[\p{Latin}\d])"
    return regex.search(f"{before}{written}{after}", text) is not None
