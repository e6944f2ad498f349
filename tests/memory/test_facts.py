"""Facts: when two say the same, when one is over, and how they are stored."""

import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts import (
    PINNED,
    Candidate,
    Category,
    Fact,
    Kind,
    fingerprint,
    from_document,
    normalised,
    to_document,
)

NOON = datetime(2026, 12, 1, 4, tzinfo=UTC)
NUMBERS = st.lists(st.integers(1, 10**6), max_size=3).map(tuple)
FACTS = st.builds(
    Fact,
    no=st.integers(1, 10**6),
    text=st.text(min_size=1),
    subject=st.text(),
    by=st.text(),
    said_at=st.datetimes(timezones=st.just(UTC)),
    category=st.from_type(Category),  # type: ignore[arg-type]
    kind=st.from_type(Kind),  # type: ignore[arg-type]
    importance=st.floats(0, 1),
    expires_on=st.none() | st.dates(),
    sources=st.lists(st.text(), max_size=3).map(tuple),
    confirmed=st.integers(0, 99),
    replaces=NUMBERS,
    disputes=NUMBERS,
)


def fact(text: str = "媽媽不吃牛肉", subject: str = "媽媽", *, expires_on: str = "") -> Fact:
    """Return a fact that 媽媽 told at noon."""
    last = date.fromisoformat(expires_on) if expires_on else None
    return Fact(1, text, subject, "U1", NOON, expires_on=last)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("媽媽不吃牛肉", "媽媽不吃牛肉。"),
        ("媽媽不吃牛肉", "「媽媽」 不吃　牛肉！！"),
        ("媽媽不吃牛肉", "媽媽、不吃……牛肉~"),
        ("johnlivesinhualien", " John  lives in HUALIEN. "),
        ("wifi是abc123", "ＷｉＦｉ 是ＡＢＣ１２３"),
        ("3:30上課", "３：３０　上課"),
        ("12月1日", "12 月 1 日"),
        ("strasse", "Straße"),
        ("", " 。！？ "),
        ("", ""),
    ],
)
def test_width_case_spaces_and_punctuation_do_not_count(expected: str, text: str) -> None:
    """
    A text is compared by its letters and digits.
    """
    assert expected == normalised(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("媽媽生日是 1/12", "媽媽生日是 11/2"),
        ("血型 A+", "血型 A-"),
        ("視力 7.5", "視力 75"),
        ("體重 1 12", "體重 11 2"),
        ("零下 -5 度", "零下 5 度"),
        ("學 C++", "學 C"),
        ("3:30 上課", "330 上課"),
        ("電話 +886", "電話 886"),
        ("一房 1-2 樓", "一房 12 樓"),
        ("打八折 80%", "打八折 80"),
        ("信箱是 mo_mo@x.tw", "信箱是 momo@x.tw"),
        ("媽媽愛吃香菜", "媽媽不愛吃香菜"),
    ],
)
def test_a_mark_beside_a_letter_or_digit_counts(one: str, other: str) -> None:
    """
    What tells two numbers, dates or grades apart is not taken for punctuation.
    """
    assert normalised(one) != normalised(other)


@pytest.mark.parametrize(
    ("expected", "text", "subject"),
    [
        (True, "媽媽不吃牛肉", "媽媽"),
        (True, "媽媽 不吃牛肉。", "「媽媽」"),
        (False, "媽媽不吃牛肉", "媽媽的媽媽"),
        (False, "媽媽不吃牛肉", ""),
        (False, "媽媽不吃羊肉", "媽媽"),
        (False, "媽媽吃牛肉", "媽媽"),
    ],
)
def test_facts_are_equal_in_words_and_subject(expected: bool, text: str, subject: str) -> None:
    """
    Code takes two facts for one only if they say the same words about the same.
    """
    assert expected == fact().equals(Candidate(text, subject))


@pytest.mark.parametrize(
    ("expected", "subject"), [(True, "john"), (True, "Ｊｏｈｎ "), (False, "Johnny"), (False, "")]
)
def test_a_subject_is_one_however_it_is_written(expected: bool, subject: str) -> None:
    """
    A name is the same in any width and case, and no part of a longer one.
    """
    assert expected == fact("John 住在花蓮", "John").is_about(subject)


@pytest.mark.parametrize(
    ("expected", "expires_on"),
    [(False, ""), (False, "2026-12-02"), (False, "2026-12-01"), (True, "2026-11-30")],
)
def test_a_fact_is_over_once_its_last_day_has_passed(expected: bool, expires_on: str) -> None:
    """
    A fact holds on its last day, and one without such a day always.
    """
    assert expected == fact(expires_on=expires_on).is_over(date(2026, 12, 1))


@pytest.mark.parametrize(("expected", "importance"), [(True, PINNED), (True, 1), (False, 0.79)])
def test_what_is_important_is_pinned(expected: bool, importance: float) -> None:
    """
    From a certain importance on a fact stands on the board whatever else does.
    """
    assert expected == Fact(1, "甲", "乙", "U1", NOON, importance=importance).is_pinned


@given(FACTS)
def test_a_stored_fact_is_read_as_it_was(fact: Fact) -> None:
    """
    Nothing of a fact is lost or changed in its document.
    """
    assert fact == from_document(fact.no, to_document(fact))


def test_a_document_has_nothing_empty() -> None:
    """
    What a fact does not have takes no room on the board.
    """
    assert {"text", "subject", "by", "said_at", "category", "kind", "importance"} == set(
        to_document(fact())
    )


def test_a_fact_that_holds_no_longer_is_read_as_such() -> None:
    """
    A superseded fact's own document says so; a board's line, where it stands, says nothing of it.
    """
    stored = to_document(fact())

    assert [True, True, False] == [
        from_document(1, stored | more).holds for more in ({}, {"active": True}, {"active": False})
    ]


def test_equal_words_have_one_fingerprint() -> None:
    """
    A forgotten text is recognised in any width, case and punctuation.
    """
    assert fingerprint("John 住在花蓮") == fingerprint("「ＪＯＨＮ」住在花蓮！")


@given(st.text(min_size=3))
def test_a_fingerprint_does_not_tell_the_words(text: str) -> None:
    """
    Whatever the text, its fingerprint is sixteen digits that are no part of it.
    """
    mark = fingerprint(text)

    assert re.fullmatch("[0-9a-f]{16}", mark)
    assert mark not in text


def test_other_words_have_another_fingerprint() -> None:
    """
    Forgetting one thing forgets no other.
    """
    texts = [f"媽媽的號碼是 {number}" for number in range(2000)]

    assert len(texts) == len(set(map(fingerprint, texts)))
