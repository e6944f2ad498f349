"""LINE's messages as words, of every type and in both languages."""

from typing import Any

import pytest

from assistant.messages import words
from assistant.wording import wording
from services.settings import Language

HOME = {"title": "家", "address": "台北市大安區", "latitude": 25.03, "longitude": 121.54}


def sticker(**more: Any) -> dict[str, Any]:
    """Return a sticker message."""
    return {"type": "sticker", "packageId": "446", "stickerId": "1988", **more}


@pytest.mark.parametrize(
    ("chinese", "english", "message"),
    [
        ("晚餐吃什麼？", "晚餐吃什麼？", {"type": "text", "text": "晚餐吃什麼？"}),
        (" 兩\n行 ", " 兩\n行 ", {"type": "text", "text": " 兩\n行 "}),
        ("（傳了一張圖片）", "(sent a picture)", {"type": "image"}),
        ("（傳了一段影片）", "(sent a video)", {"type": "video", "duration": 60000}),
        ("（傳了一段語音）", "(sent a voice message)", {"type": "audio", "duration": 900}),
        (
            "（傳了檔案：{菜單}.pdf）",
            "(sent a file: {菜單}.pdf)",
            {"type": "file", "fileName": "{菜單}.pdf", "fileSize": 2138},
        ),
        (
            "（傳了位置：家 台北市大安區）",
            "(sent a place: 家 台北市大安區)",
            {"type": "location", **HOME},
        ),
        ("（貼圖：加油）", "(sticker: 加油)", sticker(keywords=["加油"])),
    ],
)
def test_every_kind_of_message_has_words(
    chinese: str, english: str, message: dict[str, Any]
) -> None:
    """A text is itself, and of anything else the family's language says what was sent."""
    assert (chinese, english) == (words(message, wording("zh-TW")), words(message, wording("en")))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("（傳了位置：家）", {"title": "家"}),
        ("（傳了位置：台北市）", {"address": "台北市"}),
        ("（傳了位置：台北市）", {"title": "", "address": "台北市"}),
        ("（傳了位置：台北市）", {"title": None, "address": "台北市"}),
        ("（傳了位置：25.03, 121.54）", {"latitude": 25.03, "longitude": 121.54}),
        ("（傳了位置：0, 0）", {"title": "", "address": "", "latitude": 0, "longitude": 0}),
    ],
)
def test_a_place_is_told_as_well_as_it_is_known(expected: str, message: dict[str, Any]) -> None:
    """A place is its title and address, and coordinates where it has neither."""
    assert expected == words({"type": "location", **message}, wording("zh-TW"))


@pytest.mark.parametrize(
    ("expected", "more"),
    [
        ("（貼圖：生日快樂）", {"text": "生日快樂"}),
        ("（貼圖：生日快樂）", {"text": "生日快樂", "keywords": ["蛋糕"]}),
        ("（貼圖：開心、愛）", {"keywords": ["開心", "愛"]}),
        ("（貼圖：一、二、三）", {"keywords": ["一", "二", "三", "四", "五"]}),
        ("（貼圖：愛）", {"text": "", "keywords": ["愛"]}),
        ("（貼圖：愛）", {"text": None, "keywords": ["愛"]}),
    ],
)
def test_a_sticker_is_told_by_its_text_or_three_keywords(
    expected: str, more: dict[str, Any]
) -> None:
    """What somebody wrote on a sticker says most, and else a few of LINE's keywords."""
    assert expected == words(sticker(**more), wording("zh-TW"))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("（傳了檔案：?）", {"type": "file"}),
        ("（傳了檔案：?）", {"type": "file", "fileName": ""}),
        ("（傳了檔案：?）", {"type": "file", "fileName": 7}),
        ("（貼圖：?）", {"type": "sticker"}),
        ("（貼圖：?）", {"type": "sticker", "keywords": []}),
        ("（貼圖：?）", {"type": "sticker", "keywords": None}),
        ("（貼圖：?）", {"type": "sticker", "keywords": "開心"}),
        ("（傳了位置：?）", {"type": "location"}),
    ],
)
def test_what_a_message_lacks_is_a_question_mark(expected: str, message: dict[str, Any]) -> None:
    """Where LINE leaves the telling field out, or garbles it, the words still make a sentence."""
    assert expected == words(message, wording("zh-TW"))


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"type": None},
        {"type": "hologram", "text": "?"},
        {"type": ["text"], "text": "?"},
        {"type": "Text", "text": "?"},
        {"type": "text"},
        {"type": "text", "text": ""},
        {"type": "text", "text": None},
        {"type": "text", "text": 7},
        {"text": "沒有種類"},
    ],
)
@pytest.mark.parametrize(
    ("expected", "language"),
    [("（傳了一則我看不懂的訊息）", "zh-TW"), ("(sent a message I can't read)", "en")],
)
def test_a_message_we_do_not_know_is_still_said_to_have_come(
    expected: str, language: Language, message: dict[str, Any]
) -> None:
    """A kind LINE may add tomorrow, or a text without words, is named as something unreadable."""
    assert expected == words(message, wording(language))
