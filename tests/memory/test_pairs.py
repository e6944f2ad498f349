"""
The labelled pairs of facts: what code merges by itself, and what reaches the judge.

All distances are those of the local embedder, not Gemini's: they show that a gate can be found for
a model, and that the way to find it works; which gate Gemini needs, only Gemini can tell.
"""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from benchmarks.calibrate import (
    DECISIVE,
    PAIRS,
    WANTED,
    Measured,
    Pair,
    Relation,
    embed_here,
    measure,
    of,
    read_pairs,
    report,
    share_to_judge,
    suggested_gate,
    wrongly_merged,
)
from memory.facts import Candidate, from_document

LOCAL_GATE = 0.55
"""What the local embedder needs: it finds 媽媽 and 王美玲 far apart."""


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    """Return all pairs."""
    return read_pairs(PAIRS)


@pytest.fixture(scope="module")
def measured(pairs: list[Pair]) -> list[Measured]:
    """Return all pairs, measured with the local embedder."""
    return measure(pairs, embed_here)


def pair(relation: Relation, known: str, new: str, *, subjects: tuple[str, str] = ("", "")) -> Pair:
    """Return a pair of two texts; about the same subject, unless said otherwise."""
    fact = from_document(1, {"text": known, "subject": subjects[0]})
    return Pair(relation, fact, Candidate(new, subjects[1]))


def apart(relation: Relation, *distances: float) -> list[Measured]:
    """Return pairs about two subjects, at these distances."""
    strangers = pair(relation, "一", "二", subjects=("媽媽", "王美玲"))
    return [Measured(strangers, distance) for distance in distances]


def angles(texts: Sequence[str]) -> list[list[float]]:
    """Embed texts that are numbers of degrees, in a plane."""
    return [[math.cos(math.radians(float(t))), math.sin(math.radians(float(t)))] for t in texts]


@pytest.mark.parametrize("relation", get_args(Relation))
def test_each_class_has_enough_pairs(relation: Relation, pairs: list[Pair]) -> None:
    """
    Of more than three hundred pairs each class has at least fifty.
    """
    assert len(pairs) >= 300
    assert sum(one.relation == relation for one in pairs) >= 50


def test_no_pair_is_there_twice(pairs: list[Pair]) -> None:
    """
    Two facts are compared once, whichever of them is the new one.
    """
    both = Counter(
        frozenset({(p.known.subject, p.known.text), (p.new.subject, p.new.text)}) for p in pairs
    )
    assert [] == [facts for facts, times in both.items() if times > 1]


def test_another_person_is_another_subject(pairs: list[Pair]) -> None:
    """
    What is told of somebody else has another subject than what is known.
    """
    others = [one for one in pairs if one.relation == "other person"]
    assert [] == [one for one in others if one.known.is_about(one.new.subject)]


@pytest.mark.parametrize("relation", DECISIVE)
def test_a_subject_may_have_another_name(relation: Relation, pairs: list[Pair]) -> None:
    """
    In some pairs of each class that matters the subjects differ in name: there is need of a gate.
    """
    some = [one for one in pairs if one.relation == relation]
    assert 0.05 <= sum(not p.known.is_about(p.new.subject) for p in some) / len(some) <= 0.1


def test_different_things_are_never_merged_by_code(pairs: list[Pair]) -> None:
    """
    No update, contradiction, other person or other matter is taken for the same unasked.
    """
    assert [] == [(p.known.text, p.new.text) for p in wrongly_merged(pairs)]


def test_the_same_words_are_merged_by_code(pairs: list[Pair]) -> None:
    """
    Of the pairs that are the same, code merges those that only width and punctuation tell apart.
    """
    same = [one for one in pairs if one.relation == "same"]
    assert len([one for one in same if one.merges]) >= 5
    assert [p.known.text for p in same if p.merges] == [p.known.text for p in same if p.is_merged]


def test_what_matters_reaches_the_judge(measured: list[Measured]) -> None:
    """
    With the gate its distances need, 99 % of same, update and contradict reach the judge.
    """
    assert share_to_judge(of(measured, *DECISIVE), LOCAL_GATE) >= WANTED == 0.99


def test_the_suggested_gate_is_the_smallest_that_will_do(measured: list[Measured]) -> None:
    """
    The suggestion sends enough of what matters to the judge, and a hundredth less would not.
    """
    suggested = suggested_gate(measured)
    decisive = of(measured, *DECISIVE)

    assert LOCAL_GATE == suggested
    assert (
        share_to_judge(decisive, suggested) >= WANTED > share_to_judge(decisive, suggested - 0.01)
    )


def test_the_gate_keeps_unrelated_facts_from_the_judge(measured: list[Measured]) -> None:
    """
    Even the wide gate sends hardly an unrelated fact to the judge that the subject does not send.
    """
    by_distance = [one for one in of(measured, "unrelated") if not one.reaches(-1)]
    assert len(by_distance) >= 40
    assert share_to_judge(by_distance, LOCAL_GATE) <= 0.05


@pytest.mark.parametrize(
    ("distances", "gate"),
    [
        ([0.0], 0.0),
        ([0.101], 0.11),
        ([0.29], 0.29),
        ([0.1, 0.4], 0.4),
        ([*[0.1] * 99, 0.4], 0.1),
        ([*[0.1] * 98, 0.3, 0.4], 0.3),
        ([2.0000000001], 2.0),
        ([], 0.0),
    ],
)
def test_a_gate_is_suggested_in_hundredths(distances: list[float], gate: float) -> None:
    """
    The gate is rounded up, and may leave one pair in a hundred outside.
    """
    assert gate == suggested_gate([*apart("update", *distances), *apart("unrelated", 0.9)])


def test_the_same_subject_reaches_the_judge_from_anywhere() -> None:
    """
    A pair about one subject needs no gate, however its name is written.
    """
    moved = pair("update", "John 住在花蓮", "John 搬到台中了", subjects=("John", "ｊｏｈｎ"))

    assert Measured(moved, 1.9).reaches(0)
    assert 0 == suggested_gate([Measured(moved, 1.9)])


def test_distances_are_one_minus_the_cosine() -> None:
    """
    Texts are as far apart as the angle between their vectors says; none is nearer than nothing.
    """
    some = [pair("same", "0", new) for new in ("0", "60", "90", "180")]

    assert [0, 0.5, 1, 2] == pytest.approx([one.distance for one in measure(some, angles)])
    assert all(one.distance >= 0 for one in measure([pair("same", "11", "11")] * 9, angles))


def test_every_text_is_embedded_once() -> None:
    """
    A text that is in several pairs costs one vector.
    """
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        asked.extend(texts)
        return angles(texts)

    measure([pair("same", "1", "2"), pair("same", "2", "3"), pair("related", "1", "3")], embed)

    assert ["1", "2", "3"] == asked


def test_a_wrong_merge_is_reported() -> None:
    """
    What code merges though it is labelled as something else is counted, and printed.
    """
    wrong = pair("contradict", "媽媽吃蛋", "媽媽吃蛋。")
    right = pair("same", "媽媽吃魚", "媽媽，吃魚")

    assert [wrong] == wrongly_merged([wrong, right])
    lines = list(report([Measured(wrong, 0.0), Measured(right, 0.0)], gate=0.25))
    assert "merged wrongly  1 without asking the judge (must be 0)" in lines
    assert "媽媽吃蛋 = 媽媽吃蛋。" == lines[-1].strip()


def test_the_report_tells_the_gate_and_its_cost() -> None:
    """
    For each class there are its distances and shares; then the gate, and whom else it sends.
    """
    lines = list(
        report(
            [*apart("update", 0.1, 0.2, 0.3), *apart("related", 0.3, 0.4), *apart("unrelated", 1)],
            gate=0.25,
        )
    )
    assert ["update", "3", "0.100", "0.200", "0.300", "66.7%", "66.7%"] == lines[1].split()
    assert ["related", "2", "0.300", "0.350", "0.400", "0.0%", "0.0%"] == lines[2].split()
    assert "suggested gate  0.30: 100.0% of them do" in lines
    assert "its cost        50.0% of related do too, 0.0% for their subject alone" in lines
    assert "its cost        0.0% of unrelated do too, 0.0% for their subject alone" in lines


def test_a_class_that_is_none_is_refused(tmp_path: Path) -> None:
    """
    A label with a typing error does not pass for a class of its own.
    """
    path = tmp_path / "pairs.yaml"
    facts = "known: {subject: 媽, text: 一}, new: {subject: 媽, text: 二}"
    path.write_text(f"- {{class: updated, {facts}}}", encoding="utf-8")

    with pytest.raises(ValueError, match="'updated' is none of same, update"):
        read_pairs(path)
