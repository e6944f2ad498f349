"""A draft: what becomes of a candidate, what forgetting takes along, what leaves the board."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conversation import ASSISTANT, Conversation, Entry, Turn, to_milliseconds
from memory.draft import Draft, Outcome, Relation, weight
from memory.facts import Candidate, Fact, fingerprint
from memory.summary import Sentence

NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
TODAY = date(2026, 12, 1)
MOM, DAD = "U1", "U2"


def ago(minutes: float) -> datetime:
    """Return a moment before now."""
    return NOW - timedelta(minutes=minutes)


def fact(
    no: int,
    text: str = "媽媽喜歡貓",
    *,
    by: str = MOM,
    said: float = 60,
    importance: float = 0.5,
    expires_on: date | None = None,
    sources: tuple[str, ...] = ("m1",),
    replaces: tuple[int, ...] = (),
    disputes: tuple[int, ...] = (),
) -> Fact:
    """Return a fact about whoever stands first in it, told some minutes ago."""
    return Fact(
        no,
        text,
        text[:2],
        by,
        ago(said),
        importance=importance,
        expires_on=expires_on,
        sources=sources,
        replaces=replaces,
        disputes=disputes,
    )


def candidate(text: str) -> Candidate:
    """Return a candidate about whoever stands first in it."""
    return Candidate(text, text[:2])


def turn(key: str = "m9", speaker: str = MOM, said: float = 5) -> Turn:
    """Return a turn of some minutes ago."""
    return Turn(key, speaker, "", ago(said))


def entry(key: str, text: str, speaker: str = MOM, *, said: float = 5, answers: str = "") -> Entry:
    """Return what was said some minutes ago."""
    return Entry(key, speaker, {to_milliseconds(ago(said)): text}, answers=answers)


def draft(
    *board: Fact,
    entries: tuple[Entry, ...] = (),
    summary: Iterable[Sentence] = (),
    tombstones: Iterable[str] = (),
    hidden: int = 0,
    next_no: int = 100,
    room: int = 3000,
) -> Draft:
    """Return a draft of changes to a conversation; its texts were forgotten ten minutes ago."""
    conversation = Conversation(
        entries,
        summary=tuple(summary),
        board={one.no: one for one in board},
        hidden=hidden,
        next_no=next_no,
        tombstones={fingerprint(text): to_milliseconds(ago(10)) for text in tombstones},
    )
    return Draft(conversation, NOW, room)


# What becomes of a candidate.


def test_what_is_new_is_stored_under_the_next_number() -> None:
    """
    A fact knows who told it, when, in which turn, and all that the candidate says.
    """
    changes = draft(fact(1))
    said = Candidate("爸爸釣魚", "爸爸", "hobby", "person", 0.7, date(2027, 1, 1), "我釣魚")

    assert Outcome("stored", 100) == changes.take(said, turn("m9", DAD))
    new = Fact(
        100,
        "爸爸釣魚",
        "爸爸",
        DAD,
        ago(5),
        "hobby",
        "person",
        0.7,
        date(2027, 1, 1),
        sources=("m9",),
    )
    assert ({1: fact(1), 100: new}, {100: new}) == (changes.board, changes.written)


def test_a_draft_leaves_what_it_was_made_from_as_it_was() -> None:
    """
    The conversation that was read is not changed: a draft can be worked out from it again.
    """
    changes = draft(fact(1), tombstones=["爸爸"])
    before = replace(changes.before, board=dict(changes.before.board))
    changes.take(candidate("媽媽喜歡狗"), turn())
    changes.forget([fact(1)])

    assert before == changes.before


@pytest.mark.parametrize("relation", ["add", "same", "update", "contradict"])
@pytest.mark.parametrize("speaker", [MOM, DAD])
def test_equal_words_confirm_whatever_the_judge_says(relation: Relation, speaker: str) -> None:
    """
    The same words about the same are the same fact, whoever says them.
    """
    changes = draft(fact(1, sources=("m1",)))
    known = [] if relation == "add" else [fact(1)]

    outcome = changes.take(candidate("媽媽 喜歡貓。"), turn("m9", speaker), relation, known)

    assert Outcome("confirmed", 1, 1) == outcome
    confirmed = replace(fact(1), confirmed=1, sources=("m1", "m9"))
    assert ({1: confirmed}, {1: confirmed}) == (changes.board, changes.written)


def test_equal_words_about_another_are_another_fact() -> None:
    """
    Code takes nothing for the same that has another subject.
    """
    changes = draft(fact(1))
    said = Candidate("媽媽喜歡貓", "貓")

    assert "stored" == changes.take(said, turn()).fate


def test_one_turn_confirms_once() -> None:
    """
    A fact told twice in one turn, or in its own source, has not been told again.
    """
    changes = draft(fact(1, sources=("m1",)))
    for key in ("m1", "m9", "m9"):
        changes.take(candidate("媽媽喜歡貓"), turn(key))

    assert (1, ("m1", "m9")) == (changes.board[1].confirmed, changes.board[1].sources)


def test_a_hidden_fact_is_confirmed_where_it_is() -> None:
    """
    What is not on the board does not come onto it by being told again.
    """
    changes = draft(fact(1, "爸爸釣魚"), hidden=1)

    assert Outcome("confirmed", 7, 7) == changes.take(
        candidate("媽媽喜歡貓"), turn(), known=[fact(7)]
    )
    assert ([1], [7], 1) == ([*changes.board], [*changes.written], changes.hidden)


def test_a_hidden_fact_that_is_told_twice_more_is_confirmed_twice() -> None:
    """
    A second confirmation in one draft stands on the first, though it was read before it.
    """
    changes = draft(hidden=1)
    for key in ("m8", "m9"):
        changes.take(candidate("媽媽喜歡貓"), turn(key), known=[fact(7)])

    assert (2, ("m1", "m8", "m9")) == (changes.written[7].confirmed, changes.written[7].sources)


@pytest.mark.parametrize("speaker", [MOM, DAD])
def test_the_same_in_other_words_confirms(speaker: str) -> None:
    """
    What the judge finds to be the same is not stored again, whoever says it.
    """
    changes = draft(fact(1))

    outcome = changes.take(candidate("媽媽愛貓"), turn("m9", speaker), "same", [fact(1)])
    assert Outcome("confirmed", 1, 1) == outcome
    assert ("媽媽喜歡貓", 1) == (changes.board[1].text, changes.board[1].confirmed)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("媽媽的生日是3月5日", "媽媽生日是5月3日"),
        ("媽媽的生日是3月5日", "媽媽的生日在春天"),
        ("媽媽的生日在春天", "媽媽的生日是3月5日"),
        ("媽媽的房號是 １２", "媽媽住 2 1 號房"),
    ],
)
@pytest.mark.parametrize(("fate", "speaker"), [("updated", MOM), ("disputed", DAD)])
def test_other_numbers_are_never_the_same(known: str, said: str, fate: str, speaker: str) -> None:
    """
    What the judge takes for the same, but has other numbers in it, is a change or a dispute.
    """
    changes = draft(fact(1, known))

    outcome = changes.take(candidate(said), turn("m9", speaker), "same", [fact(1, known)])
    assert Outcome(fate, 100, 1) == outcome  # type: ignore[arg-type]


@pytest.mark.parametrize("relation", ["update", "contradict"])
def test_ones_own_words_take_the_place_of_ones_earlier_ones(relation: Relation) -> None:
    """
    Whoever told a fact changes it by telling otherwise: one is left, that knows the other.
    """
    changes = draft(fact(1))

    outcome = changes.take(candidate("媽媽怕貓"), turn("m9"), relation, [fact(1)])
    assert Outcome("updated", 100, 1) == outcome
    assert ([100], {1: 100}) == ([*changes.board], changes.superseded)
    new = changes.written[100]
    assert ("媽媽怕貓", (1,), ("m9", "m1")) == (new.text, new.replaces, new.sources)


@pytest.mark.parametrize("relation", ["update", "contradict"])
def test_anothers_words_stand_beside(relation: Relation) -> None:
    """
    A shared board has no single owner: both statements stay, and each knows of the other.
    """
    changes = draft(fact(1, disputes=(8,)))

    outcome = changes.take(
        candidate("媽媽怕貓"), turn("m9", DAD), relation, [fact(1, disputes=(8,))]
    )
    assert Outcome("disputed", 100, 1) == outcome
    assert {1: (8, 100), 100: (1,)} == {no: one.disputes for no, one in changes.board.items()}
    assert changes.board == changes.written
    assert {} == changes.superseded


@pytest.mark.parametrize(
    ("expected", "said"), [("skipped", 11), ("skipped", 10), ("stored", 9.9)], ids=str
)
def test_what_was_forgotten_is_not_taken_from_what_was_said_before(
    expected: str, said: float
) -> None:
    """
    A tombstone blocks its words in turns up to the forgetting; said anew, they are stored.
    """
    changes = draft(tombstones=["媽媽喜歡貓"])

    outcome = changes.take(candidate("「媽媽」喜歡貓！"), turn(said=said))
    assert (expected, "forgotten" if expected == "skipped" else "") == (
        outcome.fate,
        outcome.reason,
    )


def test_a_tombstone_blocks_no_other_words() -> None:
    """
    Forgetting one thing keeps nothing else from being remembered.
    """
    assert "stored" == draft(tombstones=["媽媽喜歡貓"]).take(candidate("媽媽喜歡狗"), turn()).fate


def test_a_fact_keeps_a_few_sources() -> None:
    """
    However often something is told again, its list of turns does not grow for ever.
    """
    changes = draft(fact(1))
    for number in range(20):
        changes.take(candidate("媽媽喜歡貓"), turn(f"m{100 + number}"))

    assert 20 == changes.board[1].confirmed
    assert ("m1", 8) == (changes.board[1].sources[0], len(changes.board[1].sources))


# Superseding.


def test_a_chain_knows_everything_it_replaced() -> None:
    """
    The last of several changes knows all facts and turns before it, the newest first.
    """
    changes = draft(fact(2, replaces=(1,), sources=("m2", "m1")))
    changes.supersede(changes.board[2], candidate("媽媽怕貓"), turn("m3"))
    changes.supersede(changes.board[100], candidate("媽媽養貓"), turn("m4"))

    (last,) = changes.board.values()
    assert (101, (100, 2, 1), ("m4", "m3", "m2", "m1")) == (last.no, last.replaces, last.sources)


def test_a_fact_of_the_same_draft_that_is_superseded_is_never_stored() -> None:
    """
    What was thought and thought better of leaves no document, and its number is not used again.
    """
    changes = draft()
    changes.take(candidate("媽媽怕貓"), turn("m8"))
    changes.take(candidate("媽媽養貓"), turn("m9"), "update", [changes.board[100]])

    assert ([101], [101]) == ([*changes.board], [*changes.written])


def test_superseded_words_are_not_taken_from_what_was_said_before() -> None:
    """
    An old turn that still tells what has changed does not bring it back; a new one may.
    """
    changes = draft(fact(1))
    changes.supersede(fact(1), candidate("媽媽怕貓"), turn())

    assert "skipped" == changes.take(candidate("媽媽喜歡貓"), turn("m2", DAD)).fate
    assert "stored" == changes.take(candidate("媽媽喜歡貓"), turn("m10", said=-1)).fate


def test_a_hidden_fact_that_is_superseded_is_not_counted_any_more() -> None:
    """
    What takes a hidden fact's place stands on the board.
    """
    changes = draft(hidden=3)
    changes.supersede(fact(7), candidate("媽媽怕貓"), turn())

    assert ([100], {7: 100}, 2) == ([*changes.board], changes.superseded, changes.hidden)


def test_a_confirmation_of_what_is_superseded_is_not_written() -> None:
    """
    A fact that was told again and then changed is only marked as superseded.
    """
    changes = draft(fact(1))
    changes.take(candidate("媽媽喜歡貓"), turn("m8"))
    changes.take(candidate("媽媽怕貓"), turn("m9"), "update", [changes.board[1]])

    assert ([100], {1: 100}) == ([*changes.written], changes.superseded)


def test_a_dispute_ends_with_what_it_was_about() -> None:
    """
    Who takes back what another disputes leaves no mark of it on the other's fact.
    """
    first, other = fact(1, disputes=(2,)), fact(2, "媽媽怕貓", by=DAD, disputes=(1,))
    changes = draft(first, other)
    changes.take(candidate("媽媽不再養貓"), turn(), "update", [first])

    assert () == changes.board[2].disputes


def test_a_hidden_fact_is_superseded_once() -> None:
    """
    Of two changes to one hidden fact in one draft, the second is a change to the first.
    """
    changes = draft(hidden=3)
    for key, text in (("m8", "媽媽怕貓"), ("m9", "媽媽怕貓和狗")):
        changes.take(candidate(text), turn(key), "update", [fact(7)])

    assert (["媽媽怕貓和狗"], 2) == ([one.text for one in changes.board.values()], changes.hidden)


# Forgetting.


def test_a_forgotten_fact_is_gone_with_all_it_replaced() -> None:
    """
    The fact and its chain are deleted, and its words are remembered only as a fingerprint.
    """
    one = fact(5, replaces=(3, 1))
    changes = draft(one, fact(6, "爸爸釣魚"))
    changes.forget([one])

    assert ([6], {5, 3, 1}) == ([*changes.board], changes.deleted)
    assert {fingerprint("媽媽喜歡貓"): to_milliseconds(NOW)} == changes.tombstones
    assert "媽媽" not in str(changes.tombstones)
    assert changes.forgets


def test_a_fact_of_the_same_draft_that_is_forgotten_is_never_stored() -> None:
    """
    What is remembered and forgotten at once leaves nothing to write.
    """
    changes = draft()
    changes.take(candidate("媽媽怕貓"), turn())
    changes.forget([changes.board[100]])

    assert ({}, {}) == (changes.board, changes.written)


def test_forgetting_ends_a_dispute() -> None:
    """
    What disputed a forgotten fact, and no other, stands undisputed.
    """
    board = (fact(1, disputes=(2, 3)), fact(2, disputes=(1,)), fact(3, disputes=(1, 4)))
    changes = draft(*board)
    changes.forget([board[0]])

    assert {2: (), 3: (4,)} == {no: one.disputes for no, one in changes.written.items()}
    assert changes.written == changes.board


@pytest.mark.parametrize(
    ("expected", "holds"), [(2, True), (3, False)], ids=["hidden", "superseded"]
)
def test_only_a_hidden_fact_that_holds_is_counted_off(expected: int, holds: bool) -> None:
    """
    Forgetting what had been superseded leaves the count of what is not shown as it is.
    """
    changes = draft(fact(1, "爸爸釣魚"), hidden=3)
    changes.forget([replace(fact(7), holds=holds)])

    assert (expected, {7}) == (changes.hidden, changes.deleted)


@pytest.mark.parametrize(
    ("gone", "sentence"),
    [
        (True, Sentence("有人在家養動物。", ("m0", "m1"))),
        (True, Sentence("媽媽說她喜歡貓。", ("m7",))),
        (False, Sentence("爸爸週末去釣魚。", ("m7",))),
    ],
    ids=["of its source", "in its words", "of something else"],
)
def test_sentences_that_tell_it_are_gone(gone: bool, sentence: Sentence) -> None:
    """
    The summary keeps nothing that comes from a forgotten fact's turns or tells it again.
    """
    one = fact(1, sources=("m1", "m2"))
    changes = draft(one, summary=[sentence])
    changes.forget([one])

    assert gone == (() == changes.summary)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (True, entry("m1", "我家有貓")),
        (True, entry("m2", "嗯", DAD)),
        (True, entry("r1", "真好！", ASSISTANT, answers="m1")),
        (True, entry("m3", "我喜歡貓啊")),
        (True, entry("m4", "媽媽喜歡貓沒錯", DAD)),
        (True, entry("r3", "你喜歡貓嘛。", ASSISTANT, answers="m8")),
        (False, entry("m5", "我也喜歡貓", DAD)),
        (False, entry("m6", "媽媽晚餐吃什麼？", DAD)),
        (False, entry("m7", "今天下雨")),
        (False, entry("r2", "晴天喔。", ASSISTANT, answers="m7")),
    ],
    ids=[
        "its source",
        "another's turn that told it too",
        "the answer to it",
        "said again by whoever told it",
        "said again of its subject",
        "repeated by the assistant",
        "another's own",
        "of its subject, but something else",
        "something else",
        "the answer to that",
    ],
)
def test_turns_that_tell_it_lose_their_words(gone: bool, said: Entry) -> None:
    """
    Of the window all goes that told a forgotten fact or repeats it, and nothing that does not.
    """
    one = fact(1, sources=("m1", "m2"))
    changes = draft(one, entries=(said,))
    changes.forget([one])

    assert ({said.key: said} if gone else {}) == changes.emptied


def test_forgetting_one_birthday_leaves_the_others() -> None:
    """
    What is like a forgotten fact, but about another person, stays in summary and window.
    """
    one = fact(1, "媽媽的生日是7月7日")
    changes = draft(
        one,
        entries=(entry("m5", "爸爸的生日是3月5日"),),
        summary=[Sentence("爸爸的生日是3月5日。", ("m5",))],
    )
    changes.forget([one])

    assert (changes.before.summary, {}) == (changes.summary, changes.emptied)


def test_further_turns_may_be_forgotten_with_or_without_facts() -> None:
    """
    A turn that told nothing lasting is forgotten by its key, with its sentences and its answer.
    """
    entries = (entry("m1", "晚安"), entry("r1", "晚安！", ASSISTANT, answers="m1"))
    kept = Sentence("爸爸回來了。", ("m2",))
    changes = draft(entries=entries, summary=[Sentence("媽媽道晚安。", ("m1",)), kept])
    changes.forget((), {"m1"})

    assert ({"m1", "r1"}, (kept,)) == (set(changes.emptied), changes.summary)
    assert (set(), {}) == (changes.deleted, changes.tombstones)


def test_a_forgotten_turns_words_are_forgotten_where_the_assistant_repeats_them() -> None:
    """
    A turn that told no fact yet has only its words to be traced by; other people's stay.
    """
    told = entry("m1", "車牌是 ABX-7391", said=9)
    repeated = entry("r2", "是 ABX-7391。", ASSISTANT, said=7, answers="m2")
    others = entry("m3", "我也記得 ABX-7391", DAD, said=6)
    heard = Sentence("車牌是 ABX-7391。", ("r0",), (ASSISTANT, DAD), ago(90))
    own = Sentence("爸爸說過 ABX-7391。", ("m0",), (DAD,), ago(90))
    changes = draft(entries=(told, repeated, others), summary=[heard, own])
    changes.forget((), {"m1"})

    assert {"m1", "r2"} == set(changes.emptied)
    assert (own,) == changes.summary


def test_what_a_turn_said_before_it_was_edited_is_traced_too() -> None:
    """
    An edited turn keeps its first words until the window is cut: they count as told.
    """
    words = {to_milliseconds(ago(9)): "媽媽喜歡貓", to_milliseconds(ago(2)): "吃飯了沒"}
    changes = draft(fact(1, sources=("m1",)), entries=(Entry("m2", MOM, words),))
    changes.forget([fact(1)])

    assert {"m2"} == set(changes.emptied)


def test_an_unsent_turn_loses_the_words_it_still_has() -> None:
    """
    A turn that was marked unsent, and no more, is emptied once what came of it is forgotten.
    """
    marked = replace(entry("m1", "車牌是 ABX-7391", said=9), unsent=True)
    repeated = entry("r2", "是 ABX-7391。", ASSISTANT, said=7)
    changes = draft(entries=(marked, repeated))
    changes.forget((), {"m1"})

    assert {"m1", "r2"} == set(changes.emptied)


def test_what_is_refused_is_not_taken_from_what_has_been_said() -> None:
    """
    Words can be kept from becoming a fact before they ever were one; said anew, they may.
    """
    changes = draft()
    changes.refuse("媽媽喜歡貓")

    assert changes.changes_anything
    assert "skipped" == changes.take(candidate("媽媽喜歡貓"), turn()).fate
    assert "stored" == changes.take(candidate("媽媽喜歡貓"), turn("m10", said=-1)).fate


def test_what_has_been_unsent_is_not_emptied_again() -> None:
    """
    A turn that has no words has none to lose.
    """
    changes = draft(entries=(replace(entry("m1", ""), unsent=True),))
    changes.forget((), {"m1"})

    assert {} == changes.emptied


def test_what_a_speaker_said_is_forgotten_up_to_a_moment() -> None:
    """
    Their turns, the answers to them and the sentences with something of theirs are gone.
    """
    entries = (
        entry("m1", "我回來了", said=30),
        entry("r1", "歡迎回家。", ASSISTANT, said=29, answers="m1"),
        entry("m2", "我也是", DAD, said=28),
        entry("m3", "再說一次", said=9),
    )
    summary = [
        Sentence("媽媽和爸爸去了日本。", ("m-2", "m-1"), (DAD, MOM), ago(60)),
        Sentence("爸爸釣魚。", ("m-3",), (DAD,), ago(60)),
        Sentence("媽媽到家。", ("m4",), (MOM,), ago(9)),
    ]
    changes = draft(entries=entries, summary=summary)
    changes.forget_speaker(MOM, until=ago(10))

    assert {"m1", "r1"} == set(changes.emptied)
    assert (*summary[1:],) == changes.summary


def test_everything_is_cleared_up_to_a_moment() -> None:
    """
    Facts, sentences and turns of before are gone, also superseded facts, names and tombstones.
    """
    superseded = replace(fact(1), holds=False)
    facts = [superseded, fact(2, said=30), fact(3, said=9), fact(4, said=30), fact(5, said=9)]
    summary = [Sentence("以前。", said_at=ago(30)), Sentence("剛才。", said_at=ago(9))]
    entries = (entry("m1", "以前", said=30), entry("m2", "剛才", said=9))
    changes = draft(
        *facts[1:3], entries=entries, summary=summary, tombstones=["爸爸釣魚"], hidden=2
    )
    changes.clear(facts, until=ago(10))

    assert ([3], {1, 2, 4}, 1) == ([*changes.board], changes.deleted, changes.hidden)
    assert ((summary[1],), (entries[0],), {}) == (
        changes.summary,
        changes.leaving,
        changes.tombstones,
    )
    assert (True, True) == (changes.forgets, changes.clears)


# The board.


def same_weight(*numbers: int, pinned: Sequence[int] = ()) -> list[Fact]:
    """Return facts of 14 tokens each, some of them important."""
    return [fact(no, "貓貓", importance=0.9 if no in pinned else 0.5) for no in numbers]


@pytest.mark.parametrize(
    ("shown", "room", "pinned"),
    [
        ([1, 2, 3, 4, 5, 6], 84, []),
        ([4, 5, 6], 83, []),
        ([4, 5, 6], 63, []),
        ([1, 5, 6], 83, [1]),
        ([1, 2, 6], 83, [1, 2]),
        ([2, 5], 42, [2, 5]),
        ([5, 6], 42, [1, 2, 3, 4, 5, 6]),
        ([], 20, [1]),
    ],
)
def test_an_overflowing_board_keeps_two_thirds(
    shown: list[int], room: int, pinned: list[int]
) -> None:
    """
    The oldest leave first and the important ones last, until a third of the room is free.
    """
    changes = draft(*same_weight(1, 2, 3, 4, 5, 6, pinned=pinned), room=room, hidden=10)
    changes.clear_board(TODAY)

    assert (shown, 16 - len(shown)) == ([*changes.board], changes.hidden)


def test_what_is_over_leaves_the_board() -> None:
    """
    A fact whose last day has passed makes room and is not counted as one that is not shown.
    """
    ended, last_day = (fact(no, expires_on=date(2026, 12, no)) for no in (1, 2))
    changes = draft(ended, last_day, *same_weight(3))
    changes.clear_board(date(2026, 12, 2))

    assert ([2, 3], 0) == ([*changes.board], changes.hidden)


def test_everything_is_shown_again() -> None:
    """
    Where all facts fit again, none is hidden.
    """
    changes = draft(*same_weight(9), hidden=2)
    changes.show(same_weight(1, 2, 9))

    assert ([1, 2, 9], 0) == ([*changes.board], changes.hidden)


@pytest.mark.parametrize(("expected", "room"), [(True, 43), (False, 42), (False, 30)])
def test_a_board_has_much_room_below_a_third(expected: bool, room: int) -> None:
    """
    All facts are looked at anew only where far more would fit.
    """
    assert expected == draft(*same_weight(1), room=room).has_much_room


def test_retired_facts_are_shown_no_longer_and_counted_no_longer() -> None:
    """
    A retired fact leaves the board, or the count of what is not shown.
    """
    changes = draft(*same_weight(1, 2), hidden=1)
    changes.retire(same_weight(1, 7))

    assert ([2], 0, {1, 7}) == ([*changes.board], changes.hidden, changes.retired)
    assert (set(), False) == (changes.deleted, changes.forgets)


DAY = 24 * 60


@pytest.mark.parametrize(
    ("kept", "forgotten", "staying"),
    [
        (True, 8, (entry("m1", "", said=8 * DAY),)),
        (True, 8, (entry("m2", "", said=3), entry("m1", "", said=8 * DAY + 1))),
        (False, 8, (entry("m1", "", said=8 * DAY - 1),)),
        (False, 8, ()),
        (True, 6.9, ()),
        (True, 6.9, (entry("m1", "", said=9),)),
    ],
)
def test_a_tombstone_stands_as_long_as_what_was_said_before_it(
    kept: bool, forgotten: float, staying: tuple[Entry, ...]
) -> None:
    """
    Once no turn of before the forgetting is left, or may still arrive, its mark goes.
    """
    changes = draft()
    changes.tombstones = {fingerprint("媽媽喜歡貓"): to_milliseconds(ago(forgotten * DAY))}
    changes.bury(staying)

    assert kept == bool(changes.tombstones)


@pytest.mark.parametrize(
    ("expected", "change"),
    [
        (False, lambda changes: None),
        (False, lambda changes: changes.clear_board(TODAY)),
        (True, lambda changes: changes.take(candidate("媽媽怕貓"), turn())),
        (True, lambda changes: changes.take(candidate("媽媽喜歡貓"), turn())),
        (True, lambda changes: changes.supersede(fact(1), candidate("媽媽怕貓"), turn())),
        (True, lambda changes: changes.forget([])),
        (True, lambda changes: changes.retire([fact(1)])),
        (True, lambda changes: changes.clear([], NOW)),
    ],
    ids=["nothing", "look", "add", "confirm", "supersede", "forget", "retire", "clear"],
)
def test_a_draft_tells_whether_there_is_anything_to_store(expected: bool, change) -> None:  # type: ignore[no-untyped-def]
    """
    Only what was really changed costs a write.
    """
    changes = draft(fact(1))
    change(changes)

    assert expected == changes.changes_anything


# Whatever happens.

DEEDS = ["take", "relate", "forget", "retire", "look"]
WORDS = [f"媽媽{text}" for text in ("喜歡貓", "怕貓", "養了 2 隻貓", "養了 3 隻貓", "去游泳")]


@given(st.data())
def test_whatever_is_done_the_numbers_are_right(data: st.DataObject) -> None:
    """
    After any changes no number is used twice, the board has only what holds, all else is counted.
    """
    said = st.builds(
        turn, st.sampled_from(["m1", "m2", "m3"]), st.sampled_from([MOM, DAD]), st.integers(-9, 20)
    )
    words = st.sampled_from(WORDS).map(candidate)
    important = st.sampled_from([0.5, 0.9])
    known = {
        no: fact(no, f"{data.draw(st.sampled_from(WORDS))}{no}", importance=data.draw(important))
        for no in range(1, data.draw(st.integers(1, 8)))
    }
    hidden = data.draw(st.sets(st.sampled_from([*known, 0]))) & known.keys()
    changes = draft(
        *(one for no, one in known.items() if no not in hidden),
        hidden=len(hidden),
        next_no=9,
        room=data.draw(st.integers(20, 120)),
    )
    numbers: list[int] = []
    gone: set[int] = set()

    for deed in data.draw(st.lists(st.sampled_from(DEEDS))):
        holding = [one for no, one in (known | changes.written).items() if no not in gone]
        some = data.draw(st.lists(st.sampled_from(holding), max_size=3)) if holding else []
        outcome = Outcome("skipped")
        if deed == "take":
            outcome = changes.take(data.draw(words), data.draw(said), known=some)
        elif deed == "relate" and some:
            relation = data.draw(st.sampled_from(["same", "update", "contradict"]))
            outcome = changes.take(
                data.draw(words),
                data.draw(said),
                relation,  # type: ignore[arg-type]
                some[:1],
            )
        elif deed == "forget":
            changes.forget({one.no: one for one in some}.values())
        elif deed == "retire":
            retiring = {one.no: one for one in some if one.no in known}
            changes.retire(retiring.values())
        else:
            changes.clear_board(TODAY)
            assert sum(map(weight, changes.board.values())) <= changes.room
        numbers += [outcome.no] if outcome.fate in ("stored", "updated", "disputed") else []
        known |= changes.written
        gone = changes.deleted | changes.superseded.keys() | changes.retired
        gone |= {no for no in known if no >= 9} - changes.written.keys()

        holding_now = known.keys() - gone
        assert len(numbers) == len(set(numbers))
        assert changes.next_no == 9 + len(numbers)
        assert [*changes.board] == [one.no for one in changes.board.values()]
        assert changes.board.keys() <= holding_now
        assert len(holding_now - changes.board.keys()) == changes.hidden
        assert not changes.written.keys() & (changes.deleted | changes.superseded.keys())
