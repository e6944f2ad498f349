"""Every sentence the code says itself, in every language."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from string import Formatter
from typing import Any, get_args

import pytest

from assistant.commands import Command, parse
from assistant.persona import Persona
from assistant.wording import Wording, wording
from memory.facts import LONGEST, Kind
from memory.gates import Reason
from services.settings import Language

LANGUAGES = get_args(Language)
FORMATS = {
    "date": {"year", "month", "day", "weekday", "time", "zone"},
    "member": {"mark"},
    "quoting": {"speaker", "text"},
    "instruction": {"name"},
    "now": {"date"},
    "fact": {"no", "text"},
    "aside": {"notes"},
    "recorded": {"by"},
    "disputed": {"numbers"},
    "unlisted": {"count"},
    "folding": {"name", "characters"},
    "new_fact": {"number", "text"},
    "file": {"name"},
    "location": {"place"},
    "sticker": {"meaning"},
    "stored": {"no", "text"},
    "updated": {"no", "text", "known"},
    "confirmed": {"no"},
    "contested": {"no", "text", "known"},
    "forgotten": {"numbers"},
    "unknown": {"numbers"},
    "too_many": {"numbers"},
    "memory": {"count"},
    "listed": {"no", "text", "by", "date"},
    "expires": {"date"},
    "page": {"page", "pages", "command"},
    "all_mine": {"count"},
    "export": {"date"},
    "help": {"name"},
    "greeting": {"name", "model"},
}


def sentences(language: Language) -> dict[str, str]:
    """Return every sentence of a language by its name; those of a mapping by theirs within it."""
    values: dict[str, Any] = {
        field.name: getattr(wording(language), field.name) for field in fields(Wording)
    }
    del values["weekdays"]
    return {
        f"{name}: {key}" if key else name: text
        for name, value in values.items()
        for key, text in (value.items() if isinstance(value, Mapping) else [("", value)])
    }


SENTENCES = list(dict.fromkeys(name for language in LANGUAGES for name in sentences(language)))


def placeholders(text: str) -> set[str | None]:
    """Return the names a format asks for."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_language_has_every_sentence(sentence: str, language: Language) -> None:
    """Whatever language a family chooses, nothing is left unsaid."""
    assert sentences(language).get(sentence, "").strip()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_asks_for_what_it_is_given(sentence: str, language: Language) -> None:
    """A format has just the placeholders its docstring names, and any other sentence has none."""
    assert FORMATS.get(sentence, set()) == placeholders(sentences(language)[sentence])


@pytest.mark.parametrize("language", LANGUAGES)
def test_mappings_have_what_is_looked_up_in_them(language: Language) -> None:
    """
    Every kind of subject has a heading, every refusal a sentence, every paged command its form.
    """
    said = wording(language)

    assert set(get_args(Kind)) == set(said.kinds)
    # A fact's text may also be one that was forgotten after it was said.
    assert {*get_args(Reason), "forgotten"} == set(said.refused)
    assert {"memory", "export"} == set(said.commands)
    assert {name: Command(name) for name in said.commands} == {  # type: ignore[arg-type]
        name: parse(typed, Persona("Amy")) for name, typed in said.commands.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "sentence", ["help", "memory_end", "which", "confirm_deletion", "too_many", "uninvited"]
)
def test_a_command_that_is_named_can_be_typed(sentence: str, language: Language) -> None:
    """
    Whatever is said to be typed is a command in the reader's own language.
    """
    typed = re.findall(r"/[^\s「」\"　]+[^」\"　\n]*", sentences(language)[sentence])

    assert typed
    assert None not in [parse(one, Persona("Amy")) for one in typed]
    assert (language == "en") == all(re.match(r"/[a-z]+\b", one) for one in typed)


def test_the_help_names_every_command_but_the_invitation() -> None:
    """
    In either language the help lists the same commands, each once, in the same order.
    """
    expected = [
        *("memory", "forget", "change", "forget_me", "reminders", "cancel", "zone", "usage"),
        *("export", "delete_all", "help"),
    ]

    for language in LANGUAGES:
        lines = re.findall(r"(?m)^/.*", wording(language).help)
        commands = [parse(line, Persona("Amy")) for line in lines]
        assert expected == [command and command.name for command in commands]


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_long_a_fact_may_be_is_said_as_it_is(language: Language) -> None:
    """
    Whoever is refused for a fact's length is told the length that is allowed.
    """
    assert f" {LONGEST} " in wording(language).refused["too long"]


@pytest.mark.parametrize(
    ("sentence", "values", "chinese", "english"),
    [
        (
            "date",
            {
                "year": 2026,
                "month": 3,
                "day": 1,
                "weekday": "W",
                "time": "09:05",
                "zone": "Asia/Taipei",
            },
            "2026年3月1日（星期W）09:05（Asia/Taipei）",
            "2026-03-01 (W) 09:05 (Asia/Taipei)",
        ),
        ("member", {"mark": "0A1B"}, "成員0A1B", "Member 0A1B"),
        (
            "quoting",
            {"speaker": "媽媽", "text": "{好}"},
            "（回覆媽媽「{好}」）",
            '(replying to 媽媽: "{好}") ',
        ),
        ("file", {"name": "a.pdf"}, "（傳了檔案：a.pdf）", "(sent a file: a.pdf)"),
        ("location", {"place": "家"}, "（傳了位置：家）", "(sent a place: 家)"),
        ("sticker", {"meaning": "愛"}, "（貼圖：愛）", "(sticker: 愛)"),
        ("now", {"date": "D"}, "（現在是D。）", "(It is now D.)"),
        ("fact", {"no": 12, "text": "{好}"}, "#12 「{好}」", '#12 "{好}"'),
        ("aside", {"notes": "a; b"}, "（a; b）", " (a; b)"),
        ("recorded", {"by": "John"}, "John 記的", "told by John"),
        ("disputed", {"numbers": "#3 #5"}, "和 #3 #5 說法不同", "differs from #3 #5"),
        ("unlisted", {"count": 7}, "另有較舊的 7 則未列出", "7 older ones are not listed"),
        (
            "stored",
            {"no": 12, "text": "{好}"},
            "記下了：#12「{好}」",
            'Noted: #12 "{好}"',
        ),
        (
            "updated",
            {"no": 12, "text": "好", "known": 3},
            "改好了：#3 換成 #12「好」",
            'Changed: #3 is now #12 "好"',
        ),
        (
            "contested",
            {"no": 12, "text": "好", "known": 3},
            "記下了：#12「好」。這和 #3 說法不同，兩則都先留著",
            'Noted: #12 "好". It differs from #3; I keep both for now',
        ),
        (
            "listed",
            {"no": 12, "text": "好", "by": "John", "date": "2026-12-01"},
            "#12 好（John，2026-12-01）",
            "#12 好 (John, 2026-12-01)",
        ),
        (
            "page",
            {"page": 1, "pages": 3, "command": "/x 2"},
            "（第 1／3 頁，看別頁請輸入「/x 2」）",
            '(Page 1 of 3; type "/x 2" for another)',
        ),
        (
            "greeting",
            {"name": "Amy", "model": "gemini-x"},
            "大家好，我是Amy。在群組裡叫我的名字或 @我，我才會回話；一對一就直接說。\n"
            "我會記得最近的對話和值得長久記住的事（/說明 看我會什麼）。"
            "大家說的話會交給 Google 的 Gemini（gemini-x）來回答，請別告訴我密碼或證件號碼；"
            "家裡有孩子的話，由大人決定要不要讓他們使用。",
            "Hello, I am Amy. In a group I only answer when you call my name or @mention me; "
            "one-to-one, just talk.\n"
            "I remember what was said recently and what is worth keeping (/help says more). What "
            "you say goes to Google's Gemini (gemini-x) to be answered, so please tell me no "
            "passwords or ID numbers. Where there are children, the adults decide whether they "
            "may use me.",
        ),
    ],
)
def test_formats_read_as_sentences(
    sentence: str, values: dict[str, object], chinese: str, english: str
) -> None:
    """With its placeholders filled in, a format is what the family or the model reads."""
    assert (chinese, english) == (
        getattr(wording("zh-TW"), sentence).format(**values),
        getattr(wording("en"), sentence).format(**values),
    )


@pytest.mark.parametrize(
    ("weekdays", "language"),
    [("一二三四五六日", "zh-TW"), (["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], "en")],
)
def test_a_week_begins_on_monday(weekdays: Sequence[str], language: Language) -> None:
    """Weekdays stand in the order in which Python counts them."""
    assert tuple(weekdays) == wording(language).weekdays


@pytest.mark.parametrize("sentence", SENTENCES)
def test_english_is_english(sentence: str) -> None:
    """No Chinese sign is left in what an English-speaking family, or its model, reads."""
    assert not re.search(r"[⺀-鿿！-～　-〿]", sentences("en")[sentence])


def test_strangers_are_told_the_command_they_can_type() -> None:
    """The invitation names the command in the reader's own language."""
    assert [True, True] == [
        "/啟用 " in wording("zh-TW").uninvited,
        "/activate " in wording("en").uninvited,
    ]
