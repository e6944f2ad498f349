"""A stand-in for the model, for a demo without a key: a few rules, and a label that says so."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_LINE = re.compile(r"^\[(\d{4}-\d\d-\d\d \([^)]+\) \d\d:\d\d)\] (.+?)(?:：|: )", re.MULTILINE)
_WHO_SAID = r"(?:誰.{0,3}(?:說|講|提到)過?|who (?:just )?(?:said|mentioned))"
_NAME = r"(?:我叫|我的名字是|my name is |call me )(?!什麼|甚麼|啥)(?P<name>\w{1,12})"
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

    def say(self, chinese: str, english: str) -> str:
        """Choose the language of the message that is answered."""
        text = self.asked.text
        return english if re.search("[A-Za-z]", text) and not _han(text) else chinese

    def quote(self, turns: list[_Turn]) -> str:
        """Repeat turns with who said them, or say that there are none."""
        if not turns:
            return self.say("在我看得到的話裡找不到。", "I can't find that in what I can see.")
        return "\n".join(
            self.say(
                f"{turn.speaker or '我'}：「{_short(turn.text)}」",
                f"{turn.speaker or 'I'}: “{_short(turn.text)}”",
            )
            for turn in turns
        )


def answer(request: dict[str, Any]) -> str:
    """Answer the last message of a generateContent body, from what the body shows and no more."""
    turns = [turn for content in request.get("contents", []) for turn in _turns(content)]
    *before, asked = turns or [_Turn("")]
    window = _Window(before, asked)
    for pattern, skill in _SKILLS:
        if match := re.search(pattern, asked.text, re.IGNORECASE):
            return skill(window, match)
    if not asked.text:
        return _label(window)
    read = window.say(f"我讀到了：「{_short(asked.text)}」", f"I have read “{_short(asked.text)}”.")
    return f"{read}\n{_label(window)}"


def _turns(content: dict[str, Any]) -> list[_Turn]:
    text = "\n".join(part["text"] for part in content.get("parts", []) if part.get("text"))
    if content.get("role") == "model":
        return [_Turn(text)] if text else []
    _, *pieces = _LINE.split(text)
    columns = zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    return [_Turn(said.strip(), speaker, at) for at, speaker, said in columns]


def _label(window: _Window) -> str:
    return window.say(
        "（我是示範用的替身，沒有接上 Gemini。）",
        "(I am the demo's rule-based stand-in: no Gemini is connected.)",
    )


def _short(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def _han(text: str) -> list[str]:
    return re.findall("[\u3400-\u9fff]+", text)


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
    pairs = {run[n : n + 2] for run in _han(text) for n in range(max(1, len(run) - 1))}
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


# The first that fits answers.
_SKILLS: list[tuple[str, Callable[[_Window, re.Match[str]], str]]] = [
    (r"你是誰|你是什麼|你叫什麼|who are you|what are you\b", _introduce),
    (r"(?:我叫|我的名字[是叫]?)(?:什麼|甚麼|啥)|我是誰", _name),
    (r"what(?:['’]s| is) my name|who am i\b", _name),
    (_NAME, _meet),
    (r"現在.{0,3}(?:幾點|時間)|幾點了|今天.{0,4}(?:幾號|星期幾|禮拜幾|日期)", _time),
    (r"what(?:['’]s| is) (?:the (?:time|date)|today)|what (?:time|day|date) is it", _time),
    (r"聊了?(?:什麼|些|啥)|大家.*[說講]了?(?:什麼|些)|誰.{0,3}說了?(?:什麼|些)|摘要|總結", _sum_up),
    (r"summar|recap|what (?:did|have|were) we |what was said", _sum_up),
    (rf"{_WHO_SAID}(?P<what>.+)", _who_said),
    (r"(?:剛剛|剛才)?(?P<who>[^\s，,。@＠]+?)(?:剛剛|剛才)?[說講]了?(?:什麼|甚麼|啥)", _said),
    (r"what did (?P<who>[\w ]+?) (?:just )?say", _said),
    (r"謝謝|感謝|謝啦|\bthank(?:s| you)", _welcome),
    (r"你好|您好|哈囉|嗨|早安|午安|晚安|\b(?:hi|hello|hey|good (?:morning|night))\b", _greet),
]
