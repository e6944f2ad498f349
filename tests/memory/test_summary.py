"""The summary: what a new one keeps of the one before."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.summary import Sentence, carried_forward, from_document, length, to_document

NOON = datetime(2026, 12, 1, 4, tzinfo=UTC)
SENTENCES = st.lists(st.text("媽爸貓。", min_size=1, max_size=9).map(Sentence), max_size=5)


def told(*texts: str) -> list[Sentence]:
    """Return sentences by their texts."""
    return [Sentence(text) for text in texts]


def texts(sentences: Sequence[Sentence]) -> list[str]:
    """Return the texts of sentences."""
    return [sentence.text for sentence in sentences]


def test_a_new_summary_takes_the_place_of_what_it_tells_again() -> None:
    """
    Old sentences that the new ones cite are gone.
    """
    old = told("媽媽在找房子。", "爸爸學吉他。")
    new = told("媽媽找到房子了，爸爸還在學吉他。")

    assert new == list(carried_forward(old, new, {0, 1}, 100))


def test_what_was_passed_over_stays_word_for_word() -> None:
    """
    Old sentences that nobody cited stand before the new ones, in their order, sources and all.
    """
    kept = [
        Sentence("媽媽在找房子。", ("m1",), ("U1",), NOON),
        Sentence("爺爺開刀。", ("m3",), ("U2",), NOON),
    ]
    old = [kept[0], *told("爸爸學吉他。"), kept[1]]
    new = told("爸爸的吉他學得不錯。")

    assert [*kept, *new] == list(carried_forward(old, new, {1}, 100))


def test_a_sentence_that_is_told_again_in_the_same_words_is_there_once() -> None:
    """
    What the new summary copies, alone or within a longer sentence, is not kept a second time.
    """
    old = told("媽媽在找房子。", "爸爸學吉他。", "爺爺開刀。")
    new = told("媽媽在找房子。", "奶奶說：爸爸學吉他。所以家裡很吵。")

    assert ["爺爺開刀。", *texts(new)] == texts(carried_forward(old, new, set(), 100))


@pytest.mark.parametrize(
    ("expected", "new"),
    [
        (["一二三四五六七八九", "十"], "十"),
        (["一二三四五六七八九", "十。"], "十。"),
        (["一二。"], "一二。"),
    ],
)
def test_a_summary_that_has_shrunk_to_less_than_a_third_has_taken_nothing_up(
    expected: list[str], new: str
) -> None:
    """
    Its citations are not believed: the old sentences stay.
    """
    (old,) = told("一二三四五六七八九")

    assert expected == texts(carried_forward([old], told(new), {0}, 100))


def test_nothing_new_leaves_the_old() -> None:
    """
    An empty summary never takes the place of one that isn't, whatever it cites.
    """
    old = told("媽媽在找房子。", "爸爸學吉他。")

    assert old == list(carried_forward(old, [], {0, 1}, 100))


@pytest.mark.parametrize(
    ("expected", "limit"),
    [
        (["一一一", "二二二", "三三三", "四四四"], 12),
        (["二二二", "三三三", "四四四"], 11),
        (["三三三", "四四四"], 6),
        (["四四四"], 3),
        (["四四四"], 0),
    ],
)
def test_the_oldest_go_where_there_is_not_room_for_all(expected: list[str], limit: int) -> None:
    """
    Sentences leave from the front until the rest fits; the last one stays in any case.
    """
    old, new = told("一一一", "二二二"), told("三三三", "四四四")

    assert expected == texts(carried_forward(old, new, set(), limit))


@given(SENTENCES, SENTENCES, st.sets(st.integers(0, 6)), st.integers(0, 60))
def test_a_summary_is_never_lost_never_too_long_and_ends_with_what_is_new(
    old: list[Sentence], new: list[Sentence], cited: set[int], limit: int
) -> None:
    """
    Whatever a model returns, the summary is within its limit, or one sentence, and not empty.
    """
    carried = carried_forward(old, new, cited, limit)

    assert bool(old or new) == bool(carried)
    assert length(carried) <= limit or len(carried) == 1
    assert new[-1:] == list(carried)[-1:] or not new
    assert set(carried) <= {*old, *new}


def test_a_length_is_that_of_the_words() -> None:
    """
    Sentences are as long as their texts together.
    """
    assert (0, 5) == (length([]), length(told("一二", "三四五")))


def test_a_stored_sentence_is_read_as_it_was() -> None:
    """
    A sentence keeps what it tells, of which turns, whose, and when they were said.
    """
    sentence = Sentence("媽媽在找房子。", ("m1", "m2"), ("U1", "U2"), NOON)

    assert sentence == from_document(to_document(sentence))
