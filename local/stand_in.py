"""A stand-in for the model, for a demo without a key: a few rules, and a label that says so."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local.stand_in_memory import (
    QUESTION,
    Known,
    Question,
    board,
    facts,
    filled,
    is_chinese,
    own_words,
    proposal,
    reader,
    short,
    told_of,
)

Said = str | Mapping[str, Any]
"""What the stand-in says: words, or a step as a script writes it."""

_LINE = re.compile(r"^\[(\d{4}-\d\d-\d\d \([^)]+\) \d\d:\d\d)\] (.+?)(?:：|: )", re.MULTILINE)
_WHO_SAID = r"(?:誰.{0,3}(?:說|講|提到)過?|who (?:just )?(?:said|mentioned))"
_NAME = r"(?:我叫|我的名字是|my name is |call me )(?!什麼|甚麼|啥)(?P<name>\w{1,12})"
_NOW = reader("now", date=".*")
_INSTRUCTION = reader("instruction", name=".+?")
_QUOTED, _SUMMED_UP = 60, 8


@dataclass(frozen=True, slots=True)
class _Turn:
    """One utterance that was shown; the assistant's own have no speaker."""

    text: str
    speaker: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class _Window:
    """What was shown: the turns before, and the one to be answered."""

    before: list[_Turn]
    asked: _Turn
    words: str
    """What it says, without what it quotes and whom it calls."""
    board: Sequence[Known] = ()
    tools: frozenset[str] = frozenset()
    """What was offered."""

    def say(self, chinese: str, english: str) -> str:
        """Choose the language of the message that is answered."""
        text = self.asked.text
        return english if re.search("[A-Za-z]", text) and not is_chinese(text) else chinese

    def question(self, text: str) -> Question:
        """Return the question for a fact that a text is."""
        return Question(text, self.asked.speaker, self.names)

    @property
    def names(self) -> frozenset[str]:
        """Who is in the conversation, and whom and what the board tells of."""
        speakers = {turn.speaker for turn in (*self.before, self.asked)}
        return frozenset(speakers | {fact.subject for fact in self.board}) - {""}

    def quote(self, turns: list[_Turn]) -> str:
        """Repeat turns with who said them, or say that there are none."""
        if not turns:
            return self.say("在我看得到的話裡找不到。", "I can't find that in what I can see.")
        return "\n".join(
            self.say(
                f"{turn.speaker or '我'}：「{short(turn.text, _QUOTED)}」",
                f"{turn.speaker or 'I'}: “{short(turn.text, _QUOTED)}”",
            )
            for turn in turns
        )


def answer(request: dict[str, Any]) -> Said:
    """Answer a generateContent body, from what the body shows and no more."""
    schema = request.get("generationConfig", {}).get("responseSchema")
    if schema:
        return {"json": filled(schema, _system(request), _first(request))}
    window = _window(request)
    results = list(_results(request))
    if results:
        return "\n".join(_told(window, result) for result in results)
    if not window.asked.text:
        return _label(window)
    for pattern, skill in _SKILLS:
        match = re.search(pattern, window.words, re.IGNORECASE)
        said = skill(window, match) if match else None
        if said:
            return said
    return _at_a_loss(window)


def _window(request: Mapping[str, Any]) -> _Window:
    turns = [turn for content in request.get("contents", []) for turn in _turns(content)]
    *before, asked = turns or [_Turn("")]
    named = _INSTRUCTION.match(_system(request))
    return _Window(
        before,
        asked,
        own_words(asked.text, named["name"] if named else ""),
        board(_first(request)),
        frozenset(
            declared["name"]
            for tool in request.get("tools", [])
            for declared in tool.get("functionDeclarations", [])
        ),
    )


def _system(request: Mapping[str, Any]) -> str:
    return _text(request.get("systemInstruction", {}))


def _first(request: Mapping[str, Any]) -> str:
    return "".join(map(_text, request.get("contents", [])[:1]))


def _results(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what came of the calls just asked for."""
    for content in request.get("contents", [])[-1:]:
        for part in content.get("parts", []):
            if "functionResponse" in part:
                yield part["functionResponse"]


def _text(content: Mapping[str, Any]) -> str:
    return "\n".join(part["text"] for part in content.get("parts", []) if part.get("text"))


def _turns(content: Mapping[str, Any]) -> list[_Turn]:
    text = _text(content)
    if content.get("role") == "model":
        return [_Turn(text)] if text else []
    _, *pieces = _LINE.split(_NOW.sub("", text))
    columns = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    return [_Turn(said.strip().replace("\n  ", "\n"), speaker, at) for at, speaker, said in columns]


def _at_a_loss(window: _Window) -> Said:
    """Look further, if there is further to look; else say what was read."""
    if QUESTION.search(window.words):
        if "recall" in window.tools:
            return {"call": "recall", "args": {"query": window.words}}
        return f"{window.quote([])}\n{_label(window)}"
    text = short(window.asked.text, _QUOTED)
    read = window.say(f"我讀到了：「{text}」", f"I have read “{text}”.")
    return f"{read}\n{_label(window)}"


def _label(window: _Window) -> str:
    return window.say(
        "（我是示範用的替身，沒有接上 Gemini。）",
        "(I am the demo's rule-based stand-in: no Gemini is connected.)",
    )


# What is remembered.


def _remember(window: _Window, match: re.Match[str]) -> Said | None:
    if QUESTION.search(match["what"]):
        return None
    if "remember" not in window.tools:
        return _off(window)
    speaker = window.asked.speaker
    return {"call": "remember", "args": proposal(match["what"], speaker, window.names)}


def _forget(window: _Window, match: re.Match[str]) -> Said | None:
    if "forget" not in window.tools:
        return _off(window)
    marks = "#?" if re.fullmatch(r"[\d#\s,，、和跟第則號]+", match["what"]) else "#"
    numbers = [int(no) for no in re.findall(rf"{marks}\s*(\d+)", match["what"])]
    meant = window.question(match["what"]).nearest(window.board)
    if len(meant) > 1 and not numbers:
        which = window.say("是哪一則？請告訴我號碼。", "Which one? Please tell me its number.")
        return f"{_recited(window, meant)}\n{which}"
    numbers = numbers or [fact.no for fact in meant]
    if numbers:
        return {"call": "forget", "args": {"numbers": numbers}}
    return window.say("我的記事板上找不到這件事。", "I can't find that on my board.")


def _off(window: _Window) -> str:
    off = "這裡沒有開啟長久記憶。", "Lasting memory is switched off here."
    return window.say(*off)


def _told(window: _Window, result: Mapping[str, Any]) -> str:
    """Say what came of a tool."""
    response = result.get("response", {})
    came = str(response.get("result", ""))
    if "error" in response:
        return window.say(f"抱歉，{response['error']}", f"Sorry. {response['error']}")
    if result.get("name") == "recall":
        found = window.question(window.words).nearest(facts(came))
        return _recited(window, found) if found else f"{came.splitlines()[0]}\n{_label(window)}"
    if result.get("name") in {"remember", "forget"}:
        return window.say(f"好，{came}。", f"Done. {came}.")
    return _label(window)


def _from_board(window: _Window, match: re.Match[str]) -> str | None:
    found = window.question(window.words).nearest(window.board)
    return _recited(window, found) if found else None


def _from_window(window: _Window, match: re.Match[str]) -> str | None:
    told = {
        Known(0, told_of(turn.text, turn.speaker)): turn
        for turn in window.before
        if turn.speaker and not QUESTION.search(turn.text)
    }
    found = window.question(window.words).nearest(told)
    return window.quote([told[known] for known in found]) if found else None


def _recited(window: _Window, known: Iterable[Known]) -> str:
    known = list(known)
    lines = [
        window.say(
            f"我記得：「{fact.text}」（#{fact.no}）", f"I remember: “{fact.text}” (#{fact.no})"
        )
        for fact in known
    ]
    if any(fact.disputed for fact in known):
        lines.append(window.say("大家說法不同，哪個才對？", "You differ: which is right?"))
    return "\n".join(lines)


# What was just said.


def _introduce(window: _Window, match: re.Match[str]) -> str:
    able = window.say(
        "我會報時，也會找出誰說過什麼。", "I can tell the time and find who said what."
    )
    return f"{_label(window)}\n{able}"


def _name(window: _Window, match: re.Match[str]) -> str:
    speaker = window.asked.speaker
    for turn in reversed(window.before):
        if turn.speaker == speaker and (told := re.search(_NAME, turn.text, re.IGNORECASE)):
            return window.say(f"你說過你叫{told['name']}。", f"You said you are {told['name']}.")
    return window.say(f"我看到的名字是{speaker}。", f"The name I see is {speaker}.")


def _meet(window: _Window, match: re.Match[str]) -> str:
    return window.say(f"你好，{match['name']}！", f"Nice to meet you, {match['name']}!")


def _time(window: _Window, match: re.Match[str]) -> str:
    return window.say(f"現在是 {window.asked.at}。", f"It is {window.asked.at}.")


def _sum_up(window: _Window, match: re.Match[str]) -> str:
    return window.quote(window.before[-_SUMMED_UP:])


def _who_said(window: _Window, match: re.Match[str]) -> str:
    wanted = _pieces(match["what"])
    return window.quote(
        [
            turn
            for turn in window.before
            if turn.speaker
            and not re.search(_WHO_SAID, turn.text, re.IGNORECASE)
            and 2 * len(wanted & _pieces(turn.text)) >= max(1, len(wanted))
        ]
    )


def _pieces(text: str) -> set[str]:
    """Return what makes two sentences alike: pairs of Chinese characters, longer words, numbers."""
    runs = re.findall("[\u3400-\u9fff]+", text)
    pairs = {run[n : n + 2] for run in runs for n in range(max(1, len(run) - 1))}
    return pairs | set(re.findall(r"[a-z]{4,}|\d+", text.lower()))


def _said(window: _Window, match: re.Match[str]) -> str:
    who, me = match["who"].casefold(), window.asked.speaker.casefold()
    who = {"我": me, "i": me, "你": "", "you": ""}.get(who, who)
    of_them = [turn for turn in window.before if _is_called(turn.speaker.casefold(), who)]
    return window.quote(of_them[-1:])


def _is_called(speaker: str, who: str) -> bool:
    return speaker == who or (bool(speaker and who) and (who in speaker or speaker in who))


def _welcome(window: _Window, match: re.Match[str]) -> str:
    return window.say(
        f"不客氣，{window.asked.speaker}！", f"You're welcome, {window.asked.speaker}!"
    )


def _greet(window: _Window, match: re.Match[str]) -> str:
    speaker, word = window.asked.speaker, match[0]
    return window.say(f"{speaker}，{word}！", f"{word.capitalize()}, {speaker}!")


_PLEASE = r"^\W*(?:請|麻煩你?|幫我|可以|please )*\s*"

# The first that fits, and has something to say, answers.
_SKILLS: list[tuple[str, Callable[[_Window, re.Match[str]], Said | None]]] = [
    (
        _PLEASE
        + r"(?:記住|記下來?|記一下|remember(?!\W+to\b)[:, ]+(?:that )?)[：:，,\s]*(?P<what>.+)",
        _remember,
    ),
    (_PLEASE + r"(?:忘記|忘掉|刪掉|forget (?:about |that )?)[：:，,\s]*(?P<what>.+)", _forget),
    (QUESTION.pattern, _from_board),
    (r"你是誰|你是什麼|你叫什麼|who are you|what are you\b", _introduce),
    (r"(?:我叫|我的名字[是叫]?)(?:什麼|甚麼|啥)|我是誰", _name),
    (r"what(?:['’]s| is) my name|who am i\b", _name),
    (_NAME, _meet),
    (r"現在.{0,3}(?:幾點|時間)|幾點了|今天.{0,4}(?:幾號|星期幾|禮拜幾|日期)", _time),
    (r"what(?:['’]s| is) (?:the (?:time|date)|today)|what (?:time|day|date) is it", _time),
    (r"聊了?(?:什麼|些|啥)|大家.*[說講]了?(?:什麼|些)|誰.{0,3}說了?(?:什麼|些)|摘要|總結", _sum_up),
    (r"summar|recap|what (?:did|have|were) we |what was said", _sum_up),
    (rf"{_WHO_SAID}(?P<what>.+)", _who_said),
    (r"(?:剛剛|剛才)?(?P<who>[^\s，,。@＠]+?)\s*(?:剛剛|剛才)?[說講]了?(?:什麼|甚麼|啥)", _said),
    (r"what did (?P<who>[\w ]+?) (?:just )?say", _said),
    (r"謝謝|感謝|謝啦|\bthank(?:s| you)", _welcome),
    (r"你好|您好|哈囉|嗨|早安|午安|晚安|\b(?:hi|hello|hey|good (?:morning|night))\b", _greet),
    (QUESTION.pattern, _from_window),
]
