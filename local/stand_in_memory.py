"""The stand-in's memory: by rules, what a model does with the board, its tools and a digest."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any

import regex

from assistant.wording import Wording, wording
from memory.facts import Category, normalised

Json = Mapping[str, Any]

QUESTION = re.compile(
    r"[？?]|[誰哪啥嗎幾怎]|[什甚]麼|多少|何時|^(?:who|what|where|when|which|how|does|do|is|are)\b",
    re.IGNORECASE,
)

_ALIKE = 0.6
"""Which share of a question's words a fact must have."""
_QUOTED = 3
"""Facts quoted for one question."""
_TOGETHER = 3
"""Turns told in one sentence of a summary."""
_SHORTEST, _LONGEST = 8, 30
"""Characters of one turn in a summary."""


_LANGUAGES = (wording("zh-TW"), wording("en"))


def reader(form: str, **groups: str) -> regex.Pattern:
    """Return what reads a sentence of the wording back, in whatever language it is.

    Args:
        form: The sentence's name.
        groups: For each place in it, the pattern of what may stand there.
    """
    return regex.compile("|".join(_reading(getattr(one, form), **groups) for one in _LANGUAGES))


def _reading(form: str, **groups: str) -> str:
    pattern = re.escape(form)
    for name, group in groups.items():
        pattern = pattern.replace(rf"\{{{name}\}}", f"(?P<{name}>{group})")
    return pattern


def short(text: str, most: int) -> str:
    """Return a text of no more characters than that, and a sign that there were more."""
    return text if len(text) <= most else f"{text[:most]}…"


def is_chinese(text: str) -> bool:
    """Say whether there is Chinese in a text."""
    return bool(re.search("[\u3400-\u9fff]", text))


# The board, as a prompt shows it.


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that was shown."""

    no: int
    text: str
    subject: str = ""
    """Where facts were listed by subject."""
    disputed: bool = False

    def is_about(self, subject: str) -> bool:
        """Say whether it seems to be about somebody."""
        return normalised(self.subject or self.text).startswith(normalised(subject))


def _fact_form(language: Wording) -> str:
    disputed = _reading(language.disputed, numbers="[# 0-9]+")
    notes = f"{_reading(language.recorded, by='.+?')}(?:; {disputed})?"
    shown = _reading(language.fact, no=r"\d+", text=".*?")
    return shown + _reading(language.aside, notes=notes)


_FACT = regex.compile("|".join(map(_fact_form, _LANGUAGES)))
_BOARDS = {language.board for language in _LANGUAGES}
_TURN = re.compile(r"\[\d{4}-\d\d-\d\d ")


def board(prompt: str) -> list[Known]:
    """Return the facts on the board of a prompt, or of what is to be digested."""
    for block in prompt.split("\n\n"):
        heading, *lines = block.splitlines() or [""]
        if heading in _BOARDS:
            # A turn may imitate a fact, but not what stands before a turn.
            return facts("\n".join(takewhile(lambda line: not _TURN.match(line), lines)))
    return []


def facts(listed: str) -> list[Known]:
    """Return the facts of a list, by number or by subject."""
    return [fact for line in listed.splitlines() for fact in _facts_in(line)]


def _facts_in(line: str) -> Iterator[Known]:
    subject = ""
    for fact in _FACT.finditer(line):
        if not subject:
            subject = re.sub("(?:：|: )$", "", line[: fact.start()])
        text = fact["text"]
        if subject not in text:
            apart = re.search("[A-Za-z0-9]$", subject) or re.match("[A-Za-z]", text)
            gap = " " if apart and not re.match("['’]", text) else ""
            text = f"{subject}{gap}{text}"
        yield Known(int(fact["no"]), text, subject, disputed=bool(fact["numbers"]))


# Which fact is meant.

_ASIDE = re.compile(
    "[什甚]麼|哪[裡裏兒一個天位]*|幾[點號歲]?|多少|怎麼|為什麼|何時|還?記得|知道|告訴我?|請問|名字"
    "|這件事|那件事|的?事情?$|關於|[誰啥嗎呢嘛是的了在有會要對你妳也都耶喔吧]"
    r"|\b(?:who|what|where|when|which|why|how|does|do|did|is|are|am|was|the|an?|to|of|in|on|at|that"
    r"|you|tell me|remember|know|about|name|please|and|or)\b(?:['’]s)?",
    re.IGNORECASE,
)

_WHO = re.compile("(.{1,8}?)(?:對|住|[最很不也]?(?:喜歡|愛|吃|敢)|討厭|怕)")


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody wants to know, in the words that count."""

    text: str
    speaker: str
    names: frozenset[str] = frozenset()
    """Whom and what there is to ask about."""

    def nearest(self, known: Iterable[Known]) -> list[Known]:
        """Return the facts that have most of its words in common, if they have enough."""
        shares = {fact: self._share(fact) for fact in known}
        best = max(shares.values(), default=0)
        return [fact for fact, share in shares.items() if share == best >= _ALIKE][:_QUOTED]

    def _share(self, fact: Known) -> float:
        words = self._bare(self.text)
        named = self._named()
        if any(name.casefold() not in fact.text.casefold() for name in named):
            return 0
        for name in named:  # no pairs across their borders
            words = words.replace(name, f" {name} ")
        wanted = _units(words)
        return len(wanted & _units(fact.text)) / len(wanted) if wanted else 0

    def _named(self) -> set[str]:
        """Return whom and what a fact must name to be meant."""
        words = self._bare(self.text)
        who = _WHO.match(self.text)
        named = {name for name in self.names if name in words}
        named |= set(re.findall(r"\b[A-Z][a-z]+\b", words))
        return named | set(self._bare(who[1] if who else "").split())

    def _bare(self, text: str) -> str:
        return re.sub(
            r"我(?!們)|\b(?:i|me|my)\b",
            lambda _: f" {self.speaker} ",
            _ASIDE.sub(" ", text),
            flags=re.IGNORECASE,
        )


def _units(text: str) -> set[str]:
    """Return Chinese characters and pairs of them, and words without their endings."""
    runs = re.findall("[\u3400-\u9fff]+", text)
    pairs = {run[n : n + 2] for run in runs for n in range(len(run))} | set("".join(runs))
    words = re.findall(r"[a-z]{2,}|\d+", re.sub("['’]s", "", text.lower()))
    return pairs | {re.sub("(?<=[^s]{3})s$", "", word) for word in words}


# What is worth remembering.

_SELF = r"(?:我(?!們)|\bI\b|\bmy\b)"
_ADVERBS = (
    "(?:現在|目前|還是|從小|其實|真的|非常|一直|不太|[也都就最很超不]"
    r"|(?:really|also|always|now|just|don['’]t|do not)\b|\s)*"
)
_PREDICATES: tuple[tuple[str, Category, float], ...] = (
    (r"(?:的名字[是叫]|叫)(?![他她你妳我])|name(?:['’]s| is)\b", "name", 0.9),
    (r"住|lives? in\b", "place", 0.6),
    ("的?生日|birthday", "family", 0.9),
    (r"對.{1,12}過敏|(?:['’]m |am |is )?allergic to\b", "preference", 0.9),
    (
        r"(?:喜歡|愛|討厭|怕|不吃|不敢吃|不喝|吃素)(?![你妳])"
        r"|(?:likes?|loves?|hates?|prefers?|can['’]t stand)\b(?! you)",
        "preference",
        0.5,
    ),
    (
        "每(?:天|週|周|個|星期|禮拜|月|年|逢)"
        r"|.{0,60}?\bevery (?:day|morning|evening|night|week|month|year"
        "|(?:mon|tue|wed|thu|fri|sat|sun))",
        "schedule",
        0.6,
    ),
)
_CLAUSE = re.compile("[^，。！；!;,.～\n？?]+[？?]?")
_PARTICLES = re.compile("[喔哦啦耶唷囉吧啊呀了～~。.!！ ]+$")
_SUBJECT = re.compile(
    "我們家|(?P<chinese>.{1,12}?)(?:[的住叫是在對每不有會要最很愛]|喜歡|討厭)"
    r"|(?P<english>[A-Z]?\w+(?: [A-Z]\w+)*)(?:['’]s| (?:is|are|has|lives?|likes?|loves?|hates?))\b"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """Something lasting that somebody told of themselves."""

    text: str
    """As others would say it."""
    evidence: str
    """Their own words."""
    category: Category
    importance: float


def statements(words: str, speaker: str) -> Iterator[Statement]:
    """Yield what a speaker tells of themselves, clause by clause."""
    for clause in _CLAUSE.findall(words):
        if QUESTION.search(clause.strip()):
            continue
        for predicate, category, importance in _PREDICATES:
            own = re.match(
                rf"\W*(?:其實|而且|因為|但是?|可是|還有|另外|對了|(?:and|but|also|well)\b|\s)*"
                rf"(?P<own>{_SELF}\s*{_ADVERBS}(?:{predicate}).*)",
                clause,
                re.IGNORECASE,
            )
            if own:
                evidence = own["own"].strip()
                yield Statement(told_of(evidence, speaker), evidence, category, importance)
                break


def proposal(words: str, speaker: str, names: Iterable[str]) -> Json:
    """Return the arguments of `remember` for what somebody wants to be remembered."""
    text = told_of(words, speaker)
    of_self = re.match(_SELF, words.strip(), re.IGNORECASE)
    subject = speaker if of_self else _subject(text, names)
    category = next((kind for form, kind, _ in _PREDICATES if re.search(form, text)), "other")
    if category == "schedule" and subject != speaker and subject not in names:
        category = "other"  # such as the dustcart's, which is nobody
    return {"text": text, "subject": subject, "category": category}


def _subject(text: str, names: Iterable[str]) -> str:
    named = [name for name in names if name and text.startswith(name)]
    if named:
        return max(named, key=len)
    match = _SUBJECT.match(text)
    found = match and (match["chinese"] or match["english"] or match[0])
    return (found or "").strip() or ("家裡" if is_chinese(text) else "the family")


def told_of(words: str, speaker: str) -> str:
    """Return what somebody says of themselves as others would say it."""
    words = _PARTICLES.sub("", words.strip())
    if is_chinese(words):
        gap = " " if re.search("[A-Za-z0-9]$", speaker) else ""
        return re.sub("我(?!們)", lambda _: speaker + gap, words).strip()
    for pattern, form in _THIRD_PERSON:
        others = form.format(speaker).replace("\\", r"\\")
        words = re.sub(pattern, others, words, flags=re.IGNORECASE)
    return re.sub(
        r"\bi ((?:really|also|always|never|usually|now) )?(\w+)",
        lambda said: f"{speaker} {said[1] or ''}{_third_person(said[2])}",
        words,
        flags=re.IGNORECASE,
    )


_THIRD_PERSON = (
    (r"\bi(?:['’]m| am)\b", "{} is"),
    (r"\bi(?:['’]ve| have)\b", "{} has"),
    (r"\bi (?:don['’]t|do not)\b", "{} doesn't"),
    (r"\bmy\b", "{}'s"),
    (r"\bme\b", "{}"),
)
_SAME_FOR_ALL = {"can", "can't", "will", "must", "should", "was", "had"}


def _third_person(verb: str) -> str:
    if verb in _SAME_FOR_ALL or verb.endswith("ed"):
        return verb
    if re.search("(?:[sxo]|ch|sh)$", verb):
        return f"{verb}es"
    return re.sub("(?<=[^aeiou])y$", "ie", verb) + "s"


# A digest.

_FOLDING = reader("folding", name=".+?", characters=r"\d+")
_NEW_FACT = reader("new_fact", number=r"\d+", text=".*")
_QUOTING = reader("quoting", speaker=".+?", text="(?s:.*)")
_LABELLED = re.compile(r"^([st]\d+) (.*(?:\n  .*)*)", re.MULTILINE)
_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d) [^]]*\] (.+?)(?:：|: )(.*)", re.DOTALL)
_UNTOLD = re.compile(
    r"\W*(?:你好|哈囉|嗨|[早午晚]安|謝謝|感謝|好的?|(?:hi|hello|thanks?|thank you|ok)\b).{0,4}$"
    r"|（.*）$|\(.*\)$"
    r"|(?:請|幫我)*(?:記住|記下|記一下|忘記|忘掉)|(?:please )?(?:remember|forget)\b",
    re.IGNORECASE,
)
"""What no summary tells: small talk, pictures, and what was asked of the assistant."""


@dataclass(frozen=True, slots=True)
class _Leaving:
    """A member's turn that is to be digested."""

    label: str
    day: str
    speaker: str
    words: str


def own_words(words: str, assistant: str) -> str:
    """Return what a turn says itself, without what it quotes and the name it calls."""
    quoting = _QUOTING.match(words)
    rest = words[quoting.end() :] if quoting else words
    called = re.escape(assistant) if assistant else r"(?<=[@＠])[^\s，,]+"
    return re.sub(rf"^[@＠]?{called}[\s，,：:、]*", "", rest)


def filled(schema: Json, system: str, text: str) -> Json:
    """Return a form as the model fills it in: a digest's or the judge's."""
    if "verdicts" in schema.get("properties", {}):
        # Two sentences that mean the same are nothing that rules can tell.
        numbers = [int(fact["number"]) for fact in _NEW_FACT.finditer(text)]
        return {"verdicts": [{"candidate": number, "relation": "add"} for number in numbers]}
    asked = _FOLDING.match(system)
    name, limit = (asked["name"], int(asked["characters"])) if asked else ("", 600)
    labelled = _LABELLED.findall(text)
    sentences = [(label, told) for label, told in labelled if label[0] == "s"]
    turns = [
        _Leaving(label, line[1], line[2], own_words(line[3].replace("\n  ", "\n"), name))
        for label, told in labelled
        if label[0] == "t" and (line := _LINE.match(told)) and line[2] != name
    ]
    return {"summary": _summary(sentences, turns, limit), "operations": _operations(turns, text)}


def _summary(
    sentences: Sequence[tuple[str, str]], turns: Sequence[_Leaving], limit: int
) -> list[Json]:
    new = list(_told(turns, limit // 2))
    room = limit - sum(len(sentence["text"]) for sentence in new)
    most = max(_LONGEST, room // max(1, len(sentences)))
    old = [{"text": short(text, most - 1), "sources": [label]} for label, text in sentences]
    return _newest(old + new, limit)


def _newest(sentences: Sequence[Json], room: int) -> list[Json]:
    kept: list[Json] = []
    for sentence in reversed(sentences):
        room -= len(sentence["text"])
        if room < 0:
            break
        kept.append(sentence)
    return kept[::-1]


def _told(turns: Sequence[_Leaving], room: int) -> Iterator[Json]:
    """Yield sentences that say who said what."""
    told = [
        turn for turn in turns if not (QUESTION.search(turn.words) or _UNTOLD.match(turn.words))
    ]
    most = min(_LONGEST, max(_SHORTEST, room // max(1, len(told)) - _SHORTEST))
    for day, of_day in groupby(told, key=lambda turn: turn.day):
        left = list(of_day)
        while left:
            few, left = left[:_TOGETHER], left[_TOGETHER:]
            said = "；".join(f"{turn.speaker}：「{short(turn.words, most)}」" for turn in few)
            yield {"text": f"{day} {said}。", "sources": [turn.label for turn in few]}


def _operations(turns: Iterable[_Leaving], text: str) -> list[Json]:
    known = board(text)
    return [
        {
            **_relation(statement, turn.speaker, known),
            "text": statement.text,
            "subject": turn.speaker,
            "kind": "person",
            "category": statement.category,
            "importance": statement.importance,
            "speaker": turn.speaker,
            "evidence": statement.evidence,
        }
        for turn in turns
        for statement in statements(turn.words, turn.speaker)
    ]


def _relation(statement: Statement, speaker: str, known: Iterable[Known]) -> Json:
    """Return what a statement is to the board: of names and homes there is one."""
    for fact in known:
        if normalised(fact.text) == normalised(statement.text):
            return {"relation": "same", "number": fact.no}
        if statement.category in {"name", "place"} and fact.is_about(speaker):
            predicate = next(form for form, kind, _ in _PREDICATES if kind == statement.category)
            if re.search(predicate, fact.text):
                return {"relation": "update", "number": fact.no}
    return {"relation": "add"}
