"""A long conversation stays cheap, and nothing that was told in it is lost."""

import pytest

from benchmarks.memory import Replay, rows
from benchmarks.memory_bank import generated, planted
from local.clock import FrozenClock
from local.world import World
from memory.conversation import Turn
from memory.draft import Draft
from memory.facts import Candidate
from services.vectors import DIMENSIONS
from tests.conftest import NOW

FACTS, OVER = 10, 290
LAST_TOLD = slice(250, 350)
"""The last hundred messages before the questions: 300 exchanges, and 50 in which a fact is told."""


@pytest.mark.long
def test_a_long_conversation_is_replayed_within_its_limits(firestore):
    """
    Over hundreds of messages digests are rare, prompts and the document bounded, and every fact is
    there when it is asked for.
    """
    told, facts = planted(generated(300))
    replay = Replay(firestore, told, facts)
    messages = replay.run()

    assert (50, 400) == (len(facts), len(messages))
    limited = [row for row in rows(messages, replay.world.settings, LAST_TOLD) if row.limit]
    assert 5 == len(limited)
    assert [] == [str(row) for row in limited if row.fails]


@pytest.mark.long
def test_what_a_board_can_not_show_is_recalled_when_it_is_asked_for(firestore):
    """
    Where a fifth of the facts fit on the board, the others are found by the local embedder's
    vectors and by words, and the prompt stays as small.
    """
    told, facts = planted(generated(300))
    replay = Replay(firestore, told, facts, {"BOARD_TOKENS": "600"})
    messages = replay.run()

    asking = [message for message in messages if message.asks]
    assert len(facts) == len(asking)
    assert 0.9 * len(facts) <= sum(message.found for message in asking)
    # One read for the conversation, one for each fact recalled: none would be, were all shown.
    assert all(message.bill["reads"] > len(facts) / 2 for message in asking[-10:])


def test_facts_that_were_retired_cost_nothing(firestore):
    """
    An answer reads as much with ten facts as with ten that are left of three hundred, stored and
    retired as they always are: one document, and no vector.
    """
    alone, left = cost(firestore, retired=0), cost(firestore, retired=OVER)

    assert (1, 1) == (alone["reads"], left["reads"])
    # A moment is sometimes a byte or two shorter than another.
    assert abs(alone["bytes_read"] - left["bytes_read"]) <= 8
    assert left["bytes_read"] < 8 * DIMENSIONS


def cost(firestore, *, retired):
    """Return what Firestore bills for an answer where ten facts hold, and some no longer."""
    world = World(FrozenClock(NOW), firestore, names={"U1": "媽媽"})
    with world:
        world.activate("U1")
        store = world.store("U1")
        remember(store, range(OVER - retired, OVER))
        if retired:
            draft = Draft(store.read(), NOW, room=3000)
            draft.retire(store.records.all())
            assert store.commit(draft)
        remember(store, range(OVER, OVER + FACTS))
        assert FACTS == len(store.read().board) == store.records.count()
        world.gemini.script([{"text": "好。"}])
        world.say("U1", "我的第 7 件東西在哪裡？")
        return next(
            line["meter"]
            for line in world.journal.lines
            if line.get("from") == "answer" and "meter" in line
        )


def remember(store, numbers):
    """Store a fact of each number, all with a vector."""
    draft = Draft(store.read(), NOW, room=3000)
    for number in numbers:
        draft.next_no = number + 1
        text = f"第 {number} 件東西放在第 {number} 個抽屜裡面"
        draft.take(Candidate(text, f"東西 {number}"), Turn(f"m{number}", "U1", text, NOW))
    vectors = {fact.text: [1.0, *[0.0] * (DIMENSIONS - 1)] for fact in draft.written.values()}
    assert store.commit(draft, vectors=vectors, model="gemini-embedding-2")
