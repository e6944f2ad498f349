"""Recall: what is looked for once not all facts are shown, and how it is ranked."""

import itertools
import math
from collections.abc import Iterable
from datetime import date, timedelta

import grpc
import pytest

from local.clock import FrozenClock
from local.loopback import Answer
from local.world import World
from memory.calls import patience
from memory.conversation import Conversation, Turn
from memory.draft import Draft
from memory.facts import Candidate
from memory.recall import Recall
from memory.store import Store
from services.errors import Refused, Unavailable
from services.vectors import DIMENSIONS
from tests.conftest import NOW

CHATS = itertools.count(1)
SETTINGS = {"BOARD_TOKENS": "100", "RECALLED_FACTS": "4", "CANDIDATE_DISTANCE": "0.004"}
HIDDEN = ["媽媽喜歡貓", "奶奶養狗", "爸爸釣魚", "John likes tea", "冷氣遙控器在電視櫃"]
"""Ten degrees apart, from 0 on."""
SHOWN = ["媽媽怕黑", "爸爸怕貓"]
"""At 5 and at 90 degrees."""
HEAVY = "媽媽喜歡貓" * 40
QUERY = "問"
"""At 0 degrees, without a word of any fact."""


@pytest.fixture(scope="module")
def shared(firestore):
    """One world for the tests that break nothing in it: each has a chat of its own."""
    with World(FrozenClock(NOW), firestore, settings=SETTINGS) as world:
        world.gemini.embed({QUERY: vector(0)})
        yield world


@pytest.fixture
def store(shared):
    """The store of a chat that shows two facts of seven; the meter is at nothing."""
    store = planted(shared, f"C{next(CHATS)}")
    shared.firestore.take()
    shared.journal.new()
    return store


@pytest.fixture
def recall(shared, store):
    return Recall(store, shared.services)


def planted(world, chat):
    """Return the store, behind the meter, of a chat that shows two facts of seven."""
    world.activate(chat)
    store = Store(world.services.firestore, chat, world.clock, patience=patience(0.2))
    remember(store, *zip(HIDDEN, range(0, 90, 10), strict=False), shown=False)
    remember(store, *zip(SHOWN, (5, 90), strict=True))
    return store


def vector(degrees):
    """Return a vector that stands at an angle to that of 0."""
    angle = math.radians(degrees)
    return [math.cos(angle), math.sin(angle), *[0.0] * (DIMENSIONS - 2)]


def remember(store, *told, shown=True, **more):
    """Store facts, each with the angle of its vector, as the default model's."""
    draft = Draft(store.read(), NOW, 10_000)
    for text, _ in told:
        outcome = draft.take(Candidate(text, text[:2], **more), Turn("m1", "U1", "", NOW))
        if not shown:
            del draft.board[outcome.no]
            draft.hidden += 1
    vectors = {text: vector(degrees) for text, degrees in told}
    assert store.commit(draft, vectors=vectors, model="gemini-embedding-2")


def texts(facts: Iterable) -> list[str]:
    return [fact.text for fact in facts]


# What a message may have to do with.


def test_while_nothing_is_hidden_nothing_is_looked_for(shared):
    """
    Where every fact stands in the prompt, neither Firestore nor the model is asked for more.
    """
    chat = f"C{next(CHATS)}"
    shared.activate(chat)
    store = Store(shared.services.firestore, chat, shared.clock, patience=patience(2))
    remember(store, ("媽媽喜歡貓", 0))
    conversation = store.read()
    shared.firestore.take()
    shared.journal.new()

    assert [] == Recall(store, shared.services).beside(conversation, QUERY)
    assert (0, []) == (shared.firestore.take().reads, shared.journal.new())


def test_the_nearest_stand_beside_the_board(shared, store, recall):
    """
    Of the nearest facts those come that are not shown anyway, the nearest first, for one vector.
    """
    found = recall.beside(store.read(), QUERY)

    assert ["媽媽喜歡貓", "奶奶養狗", "爸爸釣魚"] == texts(found)
    assert ["embed"] == [line["call"] for line in shared.journal.new()]


def test_a_recall_costs_a_read_for_each_fact_and_each_hundred_vectors(shared, store, recall):
    """
    Looking beside the board is a single query.
    """
    conversation = store.read()
    shared.firestore.take()
    recall.beside(conversation, QUERY)

    bill = shared.firestore.take()
    assert (5, 1) == (bill.reads, len(bill.queries))


@pytest.mark.parametrize(
    ("expected", "query", "degrees"),
    [
        ("媽媽喜歡貓", "那隻貓呢", 0),
        ("爸爸釣魚", "週末爸爸去釣魚嗎", 12),
        ("爸爸釣魚", "爸爸釣魚嗎", 0),
        ("John likes tea", "does john like tea", 20),
        ("John likes tea", "ｔｅａ ｆｏｒ ＪＯＨＮ？", 20),
        ("媽媽喜歡貓", "釣蝦", 0),
    ],
)
def test_words_bring_a_fact_nearer(shared, recall, expected, query, degrees):
    """
    What has the words of a message in it comes before what is a little nearer by its vector.
    """
    shared.gemini.embed({query: vector(degrees)})

    assert expected == next(iter(recall.search(query, Conversation()))).text


def test_words_do_not_overrule_vectors(shared, recall):
    """
    A fact far away does not come first for having all the words.
    """
    query = "媽媽喜歡貓"
    shared.gemini.embed({query: vector(80)})

    found = texts(recall.search(query, Conversation()))
    assert found.index("爸爸怕貓") < found.index("媽媽喜歡貓")


def test_a_board_and_what_is_beside_it_fit_their_room(shared, store, recall):
    """
    What is too long for the room that is left is passed over for what is farther and shorter.
    """
    remember(store, (HEAVY, 1), shown=False)

    found = recall.beside(store.read(), QUERY)
    assert HEAVY in texts(recall.search(QUERY, Conversation()))
    assert ["媽媽喜歡貓", "奶奶養狗"] == texts(found)


def test_there_is_no_more_than_fits(shared, store, recall):
    """
    With a board that is nearly full, little or nothing stands beside it.
    """
    remember(store, ("阿姨住在" + "很" * 50 + "遠", 80))

    assert ["媽媽喜歡貓"] == texts(recall.beside(store.read(), QUERY))


def test_what_is_over_is_not_found(store, recall):
    """
    A fact whose last day has passed may still be stored, and is not recalled.
    """
    remember(store, ("媽媽考完試", 0), shown=False, expires_on=date(2026, 11, 30))

    assert "媽媽考完試" not in texts(recall.search(QUERY, Conversation()))


def test_what_is_too_far_is_not_found(shared, recall):
    """
    A message that has to do with nothing recalls nothing.
    """
    shared.gemini.embed({"今天天氣好": vector(180)})

    assert [] == recall.search("今天天氣好", Conversation())


def test_a_search_has_a_limit(recall):
    """
    No more facts come than are asked for.
    """
    assert ["媽媽喜歡貓", "媽媽怕黑"] == texts(recall.search(QUERY, Conversation(), 2))


# What can't be looked for.


@pytest.mark.parametrize("status", [503, 400])
def test_without_a_vector_nothing_is_recalled(new_world, status):
    """
    Where a message can't be embedded it is answered from the board, and the log says so once.
    """
    world = new_world(**SETTINGS)
    store = planted(world, "C1")
    world.gemini.fail("embed", Answer({}, status), times=9)

    assert [] == Recall(store, world.services).beside(store.read(), QUERY)
    assert [("WARNING", "nothing recalled: newer facts stand in")] == [
        (line["severity"], line["message"]) for line in world.logs.lines
    ]
    assert world.clock.now() - NOW < timedelta(seconds=world.settings.embed_patience)


def test_a_search_that_fails_is_told(new_world):
    """
    Who looks for more on purpose learns that it could not be looked for.
    """
    world = new_world(**SETTINGS)
    recall = Recall(planted(world, "C1"), world.services)
    world.gemini.fail("embed", Answer({}, 400))
    with pytest.raises(Refused):
        recall.search(QUERY, Conversation())
    world.gemini.embed({QUERY: vector(0)})
    world.firestore.fail("RunQuery", grpc.StatusCode.UNAVAILABLE, times=99)
    with pytest.raises(Unavailable):
        recall.search(QUERY, Conversation())


@pytest.mark.parametrize("code", ["UNAVAILABLE", "FAILED_PRECONDITION"])
def test_without_firestore_or_its_index_nothing_is_recalled(new_world, code):
    """
    A search that finds no index, or no Firestore, leaves the board as it is.
    """
    world = new_world(**SETTINGS)
    store = planted(world, "C1")
    world.gemini.embed({QUERY: vector(0)})
    conversation = store.read()
    world.firestore.fail("RunQuery", grpc.StatusCode[code], times=99)

    assert [] == Recall(store, world.services).beside(conversation, QUERY)
    assert 1 == sum(line["severity"] == "WARNING" for line in world.logs.lines)


# What a new fact may have to do with.


@pytest.mark.parametrize(
    ("expected", "subject", "degrees"),
    [
        (["媽媽喜歡貓"], "媽媽", None),
        (["媽媽喜歡貓", "冷氣遙控器在電視櫃"], "媽媽", 40),
        (["媽媽喜歡貓"], "「媽媽」", 0),
        (["奶奶養狗", "爸爸釣魚"], "弟弟", 15),
        (["奶奶養狗"], "弟弟", 9),
        ([], "弟弟", 60),
        ([], "弟弟", None),
    ],
)
def test_candidates_are_about_the_same_or_near(store, recall, expected, subject, degrees):
    """
    A new fact is compared with all hidden ones about the same, and with those within the gate.
    """
    near = None if degrees is None else vector(degrees)
    found = recall.candidates(Candidate("不相干", subject), near, store.read())

    assert expected == texts(found)


def test_facts_are_taken_off_the_board_or_out_of_the_records(shared, store, recall):
    """
    What is shown is not read again; of numbers that are not there nothing comes.
    """
    board = store.read().board
    shared.firestore.take()

    assert SHOWN == texts(recall.facts([7, 6], board))
    assert 0 == shared.firestore.take().reads
    assert ["媽媽怕黑", "奶奶養狗"] == texts(recall.facts([2, 6, 99], board))


def test_facts_are_forgotten_with_those_they_took_the_place_of(store, recall):
    """
    A fact comes with all it superseded, one that did not, alone.
    """
    for text in ("媽媽怕高", "媽媽怕鬼"):
        draft = Draft(store.read(), NOW, 3000)
        fact = next(one for one in draft.board.values() if one.text.startswith("媽媽怕"))
        draft.supersede(fact, Candidate(text, "媽媽"), Turn("m2", "U1", text, NOW))
        assert store.commit(draft)
    dad, mom = (fact for _, fact in sorted(store.read().board.items()))

    assert ["媽媽怕鬼", "媽媽怕黑", "媽媽怕高"] == texts(recall.lineage([mom]))
    assert ["爸爸怕貓"] == texts(recall.lineage([dad]))


def test_what_is_over_is_off_the_board_of_a_draft(store, recall):
    """
    Changes are worked out without facts whose documents may have been purged already.
    """
    remember(store, ("媽媽考完試", 0), expires_on=date(2026, 11, 30))
    remember(store, ("媽媽要考試", 0), expires_on=date(2026, 12, 1))

    draft = recall.draft(store.read())
    assert [*SHOWN, "媽媽要考試"] == texts(fact for _, fact in sorted(draft.board.items()))
    assert not draft.changes_anything


def test_the_day_is_the_familys(new_world):
    """
    What is over and what is not goes by the calendar on the family's wall, wherever they are.
    """
    world = new_world()
    recall = Recall(world.store("C1"), world.services)
    here, there = Conversation(), Conversation(zone="America/Los_Angeles")
    assert date(2026, 12, 1) == recall.today(here)
    world.clock.advance(timedelta(hours=6))

    assert (date(2026, 12, 2), date(2026, 12, 1)) == (recall.today(here), recall.today(there))
