"""Traces: whether a text tells again what is to be forgotten."""

import timeit
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memory.facts import normalised
from memory.traces import retells
from tests.household import THINGS, Canary


@pytest.mark.parametrize(
    "text",
    ["John 住在花蓮", "聽說ＪＯＨＮ住在「花蓮」喔", "以前 John 住在花蓮，後來搬走了。"],
)
def test_the_same_words_tell_it_again(text: str) -> None:
    """
    A text that has a fact's words in it retells it, in whatever width, case and punctuation.
    """
    assert retells(text, "John 住在花蓮", "John")


@pytest.mark.parametrize(
    ("told", "subject", "text"),
    [
        ("媽媽的車牌是 ABX-7391", "媽媽", "就是 abx-7391 那輛"),
        ("媽媽的信箱是 momo@example.tw", "媽媽", "寄到 momo@example.tw 了"),
        ("媽媽的手機是 0912-345-678", "媽媽", "打 ０９１２-３４５-６７８"),
        ("The wifi is momo1234", "wifi", "Type momo1234 there."),
    ],
)
def test_a_number_or_address_tells_it_by_itself(told: str, subject: str, text: str) -> None:
    """
    What only one fact can have, such as a plate, an address or a telephone number, is enough.
    """
    assert retells(text, told, subject)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, "她不吃牛肉的"),
        (True, "不吃豬肉和牛肉"),
        (False, "牛肉麵好吃"),
        (False, "媽媽在做什麼？"),
        (False, "媽媽說好"),
        (False, ""),
    ],
)
def test_half_of_what_it_says_tells_it(expected: bool, text: str) -> None:
    """
    Other words that have half of a fact's in them retell it; naming its subject does not.
    """
    assert expected == retells(text, "媽媽不吃牛肉", "媽媽")


@pytest.mark.parametrize(
    ("expected", "share"), [(True, 1 / 3), (False, 1 / 2)], ids=["a third", "half"]
)
def test_the_share_that_is_enough_is_given(expected: bool, share: float) -> None:
    """
    The assistant's own words need less of a fact to be a repetition of it.
    """
    assert expected == retells("牛肉麵好吃", "媽媽不吃牛肉", "媽媽", share)


@pytest.mark.parametrize("text", ["2026-12-03 要去日本", "2026年12月3日休假"])
def test_a_date_does_not_tell_it(text: str) -> None:
    """
    Many things happen on one day: a date alone retells none of them.
    """
    assert not retells(text, "鋼琴課在 2026-12-03", "鋼琴課")


@pytest.mark.parametrize(
    ("told", "subject", "text"),
    [
        ("媽媽的生日是7月7日", "媽媽", "爸爸的生日是3月5日"),
        ("媽媽的車牌是 ABX-7391", "媽媽", "爸爸的車牌是 CDE-2468"),
        ("媽媽的手機是 0912-345-678", "媽媽", "爸爸的手機是 0987-654-321"),
    ],
)
def test_another_number_of_its_kind_is_another_thing(told: str, subject: str, text: str) -> None:
    """
    Forgetting one birthday, plate or telephone does not take another's along.
    """
    assert not retells(text, told, subject)


@pytest.mark.parametrize(
    "text",
    [
        "Dad likes the sea.",
        "The other day it rained at noon",
        "Anna works at school",
    ],
)
def test_common_words_do_not_tell_it(text: str) -> None:
    """
    In a language that is written in words, one word of a fact is not the fact.
    """
    assert not retells(text, "Mom works at the bank", "Mom")


def test_a_little_word_is_little_of_a_fact() -> None:
    """
    Of the assistant's own words, too, it takes more than one that is everywhere.
    """
    assert not retells("The weather is fine.", "Mom works at the bank", "Mom", 1 / 3)


@pytest.mark.parametrize("text", ["she works at the bank", "At the bank she works."])
def test_most_of_its_words_tell_it(text: str) -> None:
    """
    A sentence that has a fact's words in it retells it, in any order.
    """
    assert retells(text, "Mom works at the bank", "Mom")


def test_a_fact_without_a_subject_is_found_by_its_words() -> None:
    """
    What is about nothing in particular is still retold by half of what it says.
    """
    assert retells("那天在後院埋了時光膠囊", "後院埋了時光膠囊，2030年打開", "")


ROWS = yaml.safe_load((Path(__file__).parent / "traces.yaml").read_text())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['told']} / {row['text']}")
def test_what_tells_it_again_and_what_does_not(row: dict[str, Any]) -> None:
    """
    Forgetting takes along what says the same, and leaves what is only like it.
    """
    told, about, text, again = row.values()
    shares = (1 / 2, 1 / 3)
    expected = (again is True, again in {True, "assistant"})

    assert expected == tuple(retells(text, told, about, share) for share in shares)


def test_the_table_is_broad() -> None:
    """
    Of more than a hundred and twenty rows about as many tell it again as don't.
    """
    assert len(ROWS) >= 120
    assert 0.4 <= sum(row["again"] is False for row in ROWS) / len(ROWS) <= 0.6


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("n", [1, 2, 7, 38])
def test_each_canary_tells_itself_and_no_other(thing: str, n: int) -> None:
    """
    Of each kind of thing that a family tells, the value is a trace, and another's value none.
    """
    told = Canary("C1", "阿明", thing, THINGS[thing](n))
    other = Canary("C1", "阿明", thing, THINGS[thing](n + 1))

    assert retells(f"好、{told.value}", told.text, "阿明", 1 / 3)
    assert retells(f"對，{told.text}", told.text, "阿明")
    assert not retells(other.text, told.text, "阿明", 1 / 3)
    assert not retells(f"好、{other.value}", told.text, "阿明", 1 / 3)


@given(st.text(st.sampled_from("媽媽不吃牛肉叫采薇好的7月3日0912-ABx/@:. 「」，。\n"), min_size=1))
def test_whatever_is_told_tells_itself(told: str) -> None:
    """
    The same words retell themselves in any width, case and punctuation, if they say anything.
    """
    wide = told.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    says_something = bool(normalised(told))

    assert says_something == retells(f"「{wide.upper()}」", told)


@pytest.mark.parametrize(
    "piece", ["媽媽在台北上班，", "媽在", "1", "1-", "a1 ", "a@", "at the ", "3/5 月", "0912 "]
)
def test_a_long_text_takes_no_longer_than_it_is_long(piece: str) -> None:
    """
    Ten times the text takes far less than a hundred times as long.
    """
    told = "爸爸住在花蓮，愛喝高粱，手機是 0912-345-678，Dad works at the bank"
    short, long = (_quickest(piece * (size // len(piece)), told) for size in (500, 5000))

    assert long < 40 * short


def _quickest(text: str, told: str) -> float:
    return min(timeit.repeat(lambda: retells(text, told), number=1, repeat=5))
