"""Every sentence the code says itself, in every language."""

import re
from collections.abc import Sequence
from dataclasses import fields
from string import Formatter
from typing import get_args

import pytest

from assistant.wording import Wording, wording
from services.settings import Language

LANGUAGES = get_args(Language)
FORMATS = {
    "date": {"year", "month", "day", "weekday", "time", "zone"},
    "member": {"mark"},
    "quoting": {"speaker", "text"},
    "instruction": {"name", "now"},
    "file": {"name"},
    "location": {"place"},
    "sticker": {"meaning"},
    "greeting": {"name", "model"},
}
SENTENCES = [field.name for field in fields(Wording) if field.name != "weekdays"]


def placeholders(text: str) -> set[str | None]:
    """Return the names a format asks for."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_language_has_every_sentence(sentence: str, language: Language) -> None:
    """Whatever language a family chooses, nothing is left unsaid."""
    assert getattr(wording(language), sentence).strip()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_asks_for_what_it_is_given(sentence: str, language: Language) -> None:
    """A format has just the placeholders its docstring names, and any other sentence has none."""
    assert FORMATS.get(sentence, set()) == placeholders(getattr(wording(language), sentence))


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
        (
            "greeting",
            {"name": "Amy", "model": "gemini-x"},
            "大家好，我是Amy。在群組裡叫我的名字或 @我，我才會回話；一對一就直接說。\n"
            "我會記得最近的對話。大家說的話會交給 Google 的 Gemini（gemini-x）來回答，"
            "請別告訴我密碼或證件號碼；家裡有孩子的話，由大人決定要不要讓他們使用。",
            "Hello, I am Amy. In a group I only answer when you call my name or @mention me; "
            "one-to-one, just talk.\n"
            "I remember what was said recently. What you say goes to Google's Gemini (gemini-x) "
            "to be answered, so please tell me no passwords or ID numbers. Where there are "
            "children, the adults decide whether they may use me.",
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


@pytest.mark.parametrize("sentence", [name for name in SENTENCES if name != "instruction"])
def test_english_is_english(sentence: str) -> None:
    """No Chinese sign is left in what an English-speaking family reads."""
    assert not re.search(r"[⺀-鿿！-～　-〿]", getattr(wording("en"), sentence))


def test_strangers_are_told_the_command_they_can_type() -> None:
    """The invitation names the command in the reader's own language."""
    assert [True, True] == [
        "/啟用 " in wording("zh-TW").uninvited,
        "/activate " in wording("en").uninvited,
    ]
