"""Who is spoken to: what calls the assistant, and what only sounds like it."""

import pytest

from assistant.addressing import calls
from assistant.persona import Persona

HELPER = Persona("小幫手")
AMY = Persona("Amy")
WOKEN = Persona("小幫手", ("管家", "Hey Jarvis"))


@pytest.mark.parametrize(
    "text",
    [
        "@小幫手 幫我查明天的天氣",
        "@小幫手",
        "晚餐吃什麼好？@小幫手",
        "問問看@小幫手吧",
        "媽媽說：@小幫手幫忙",
    ],
)
def test_a_name_with_an_at_sign_calls_wherever_it_stands(text: str) -> None:
    """The @ before the name is enough, though LINE marked no mention."""
    assert calls(text, HELPER)


@pytest.mark.parametrize("text", ["＠小幫手 幫我訂位", "爸爸要找＠小幫手", "＠小幫手"])
def test_a_full_width_at_sign_is_an_at_sign(text: str) -> None:
    """Phones in Taiwan type the @ full-width, and mean the same by it."""
    assert calls(text, HELPER)


@pytest.mark.parametrize(
    "text",
    [
        "小幫手",
        "小幫手幫我查天氣",
        "小幫手，明天幾點出門？",
        "小幫手 在嗎",
        "小幫手們好",
        "小幫手OK嗎",
        "小幫手2號",
    ],
)
def test_a_name_at_the_start_calls(text: str) -> None:
    """Whoever begins with the name speaks to its bearer, with or without an @."""
    assert calls(text, HELPER)


@pytest.mark.parametrize(
    "text",
    [
        "晚餐吃什麼",
        "那個小幫手很好用",
        "我覺得小幫手不錯，你們呢？",
        "謝謝小幫手",
        "小幫",
        "小 幫手",
        "@小明 小幫手幫你",
        "@大幫手",
        "@",
        "",
        "   ",
    ],
)
def test_talk_among_the_family_is_no_call(text: str) -> None:
    """A name in the middle of a text, without an @, speaks of somebody and not to them."""
    assert not calls(text, HELPER)


@pytest.mark.parametrize("text", ["  小幫手 在嗎", "　小幫手在嗎", "\n小幫手在嗎", "\t \n 小幫手"])
def test_space_before_the_name_does_not_count(text: str) -> None:
    """A text begins with its first word, whatever blanks are typed before it."""
    assert calls(text, HELPER)


@pytest.mark.parametrize(
    ("called", "text"),
    [
        (True, "晚餐要吃什麼？\n冰箱只有蛋\n@小幫手 出個主意"),
        (True, "＠小幫手\n晚餐要吃什麼？"),
        (True, "小幫手\n晚餐要吃什麼？"),
        (False, "晚餐要吃什麼？\n小幫手 昨天說過"),
    ],
)
def test_only_the_first_line_is_the_start(called: bool, text: str) -> None:
    """In a text of many lines an @name calls from any of them, a bare name from the first alone."""
    assert called == calls(text, HELPER)


@pytest.mark.parametrize(
    "text",
    ["Amy", "Amy 你好", "Amy, dinner?", "Amy幫我", "Amy's turn", "@Amy", "ask @Amy.", "@Amy吧"],
)
def test_a_latin_name_calls_as_a_whole_word(text: str) -> None:
    """A name of Latin letters ends where no further letter or digit follows, as before Chinese."""
    assert calls(text, AMY)


@pytest.mark.parametrize(
    "text", ["Amyloid", "@Amyloid", "Amy2", "@Amy2 hi", "amyas is here", "Am y"]
)
def test_a_longer_latin_word_is_no_call(text: str) -> None:
    """The beginning of another word is not the name."""
    assert not calls(text, AMY)


def test_a_name_is_found_behind_a_word_that_only_begins_like_it() -> None:
    """One word that is not the name does not hide the name itself."""
    assert calls("@Amyloid 是什麼？@Amy", AMY)


@pytest.mark.parametrize(
    "text", ["amy 你好", "AMY!", "@aMy", "＠ＡＭＹ", "Ａｍｙ 你好", "ａｍｙ幫我"]
)
def test_case_and_width_do_not_count(text: str) -> None:
    """A name is the same in small, capital and full-width letters."""
    assert calls(text, AMY)


@pytest.mark.parametrize("name", ["AMY", "Ａｍｙ", "ａｍｙ"])
@pytest.mark.parametrize("text", ["amy 你好", "@Amy", "＠Ａｍｙ"])
def test_a_deployer_may_write_the_name_in_any_case_and_width(name: str, text: str) -> None:
    """The name that was chosen is read as loosely as the texts that call it."""
    assert calls(text, Persona(name))


@pytest.mark.parametrize(
    "text",
    [
        "管家，燈還開著嗎",
        "@管家",
        "＠管家 早安",
        "hey jarvis, dinner?",
        "Hey Jarvis 晚餐",
        "小幫手",
    ],
)
def test_every_wake_word_is_a_name(text: str) -> None:
    """The assistant listens to its name and to every wake word, by the same rules."""
    assert calls(text, WOKEN)


@pytest.mark.parametrize("text", ["我們的管家", "hey", "Jarvis", "Hey Jarvison"])
def test_a_wake_word_calls_only_as_a_name_would(text: str) -> None:
    """A wake word in the middle of a text, in part or in a longer word is no call."""
    assert not calls(text, WOKEN)


@pytest.mark.parametrize(
    ("called", "name", "text"),
    [
        (True, "A.I.", "@A.I. 你好"),
        (False, "A.I.", "@AXIX 你好"),
        (True, "C++", "c++ 是什麼"),
        (False, "C++", "ccc 是什麼"),
        (True, "(^_^)", "(^_^) 早"),
    ],
)
def test_a_name_is_taken_literally(called: bool, name: str, text: str) -> None:
    """Signs in a name stand for themselves, never for a pattern."""
    assert called == calls(text, Persona(name))
