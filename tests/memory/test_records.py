"""The facts in full: how they are found, and what becomes of them."""

import itertools
import math
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

import grpc
import pytest

from local.clock import FrozenClock
from local.world import World
from memory.calls import patience
from memory.conversation import Turn
from memory.draft import Draft
from memory.facts import Candidate
from memory.store import Store
from services.errors import Unavailable
from services.vectors import DIMENSIONS
from tests.conftest import NOW

MODEL = "embedder-1"
CHATS = itertools.count(1)
FACTS = [
    # text, who told it, importance, said how many days ago, in which turn
    ("媽媽喜歡貓", "U1", 0.5, 9, "m1"),
    ("媽媽怕狗", "U1", 0.9, 8, "m1"),
    ("爸爸釣魚", "U2", 0.5, 7, "m2"),
    ("ＪＯ釣魚", "U2", 0.3, 6, "m3"),
    ("爸爸學吉他", "U2", 0.3, 5, "m4"),
]


@pytest.fixture(scope="module")
def shared(firestore):
    """One world for the tests that break nothing in it: each has a chat of its own."""
    with World(FrozenClock(NOW), firestore) as world:
        yield world


@pytest.fixture
def chat(shared):
    """A chat that has just been activated."""
    chat = f"C{next(CHATS)}"
    shared.activate(chat)
    return chat


@pytest.fixture
def store(shared, chat):
    """The chat's store with five facts, ten degrees apart."""
    store = store_of(shared, chat)
    plant(store)
    return store


@pytest.fixture(scope="module")
def library(shared):
    """The same, for those who only read."""
    shared.activate("C0")
    store = store_of(shared, "C0")
    plant(store)
    return store


def store_of(world, chat="C1", seconds=2):
    """Return a chat's store, behind the meter."""
    return Store(world.services.firestore, chat, world.clock, patience=patience(seconds))


def plant(store):
    draft = drafted(store)
    for text, by, importance, days, source in FACTS:
        candidate = Candidate(text, text[:2], importance=importance)
        draft.take(candidate, turn(source, by, days))
    vectors = {row[0]: vector(10 * n) for n, row in enumerate(FACTS)}
    assert store.commit(draft, vectors=vectors, model=MODEL)


def vector(degrees):
    """Return a vector that stands at an angle to that of 0."""
    angle = math.radians(degrees)
    return [math.cos(angle), math.sin(angle), *[0.0] * (DIMENSIONS - 2)]


def turn(key="m9", speaker="U1", days=0):
    return Turn(key, speaker, "", NOW - timedelta(days=days))


def drafted(store, *, room=3000):
    return Draft(store.read(), NOW, room)


def supersede(store, no, text, degrees=0.0):
    """Let another fact take one's place."""
    draft = drafted(store)
    draft.supersede(draft.board[no], Candidate(text, text[:2]), turn("m9"))
    assert store.commit(draft, vectors={text: vector(degrees)}, model=MODEL)


def retire(store, no):
    draft = drafted(store)
    draft.retire([draft.board[no]])
    assert store.commit(draft)


def document(world, chat, no):
    return world.database.document(f"conversations/{chat}/facts/{no}").get().to_dict()


def plant_many(world, chat, count):
    """Write so many facts, of which only the documents matter."""
    facts = world.database.collection(f"conversations/{chat}/facts")
    for first in range(1, count + 1, 500):
        batch = world.database.batch()
        for no in range(first, min(first + 500, count + 1)):
            fact = {"text": f"第{no}件", "by": "U1", "said_at": NOW, "active": True}
            batch.create(facts.document(str(no)), fact)
        batch.commit()


def numbers(facts: Iterable) -> list[int]:
    return [fact.no for fact in facts]


# Reading.


@pytest.mark.parametrize(
    "read",
    [
        lambda records: records.get([1, 2, 3, 4, 5]),
        lambda records: records.all(),
        lambda records: records.every(),
        lambda records: records.by("U2"),
        lambda records: records.from_turn("m1"),
        lambda records: records.about("爸爸"),
        lambda records: records.least(5),
        lambda records: records.embedded_otherwise("embedder-2"),
        lambda records: records.nearest(vector(0), MODEL, limit=5, distance=2),
    ],
    ids=["get", "all", "every", "by", "turn", "about", "least", "otherwise", "nearest"],
)
def test_no_reading_carries_a_vector(shared, library, read):
    """
    Whatever is looked for, the eight kilobytes of each fact's vector stay where they are.
    """
    shared.firestore.take()
    found = read(library.records)

    bill = shared.firestore.take()
    assert len(found) >= 2
    assert bill.bytes_read < 600 * len(found)
    assert all(query["select"] for query in bill.queries)
    assert "embedding" not in str([query["select"] for query in bill.queries])


def test_facts_are_got_by_number(store):
    """
    Of the numbers asked for, those come that are there and still hold, in order.
    """
    supersede(store, 3, "爸爸爬山")

    assert [1, 5, 6] == numbers(store.records.get([6, 77, 5, 3, 1]))


def test_asking_for_no_number_costs_nothing(shared, library):
    """
    Where nothing is wanted, Firestore is not asked.
    """
    shared.firestore.take()

    assert [] == library.records.get([])
    assert 0 == shared.firestore.take().reads


def test_facts_come_back_as_they_were_told(library):
    """
    A record has everything the board has.
    """
    board = library.read().board

    assert [board[no] for no in (1, 2, 3, 4, 5)] == library.records.all()


def test_what_holds_no_longer_is_only_among_every_fact(store):
    """
    Superseded and retired facts are not shown, not counted, and can still be deleted.
    """
    supersede(store, 2, "媽媽養狗")
    retire(store, 4)

    records = store.records
    assert [1, 3, 5, 6] == numbers(records.all())
    assert 4 == records.count()
    assert {1: True, 2: False, 3: True, 4: False, 5: True, 6: True} == {
        fact.no: fact.holds for fact in records.every()
    }


def test_facts_are_found_by_who_told_them_and_by_their_turns(store):
    """
    Whoever wants to be forgotten, or unsends a message, reaches superseded facts too.
    """
    supersede(store, 1, "媽媽養貓")

    assert [1, 2, 6] == numbers(store.records.by("U1"))
    assert [1, 2, 6] == numbers(store.records.from_turn("m1"))
    assert [6] == numbers(store.records.from_turn("m9"))
    assert [] == store.records.by("U")


@pytest.mark.parametrize(
    ("expected", "subject"), [([3, 5], "「爸爸」"), ([4], "jo"), ([], "爸"), ([], "")]
)
def test_facts_about_the_same_are_found_however_it_is_written(library, expected, subject):
    """
    A subject is looked for in whatever width, case and punctuation.
    """
    assert expected == numbers(library.records.about(subject))


def test_superseded_facts_are_about_nothing(store):
    """
    What holds no longer is not compared with what is new.
    """
    supersede(store, 3, "爸爸爬山")

    assert [5, 6] == numbers(store.records.about("爸爸"))


def test_the_least_important_come_first_and_of_those_the_oldest(library):
    """
    What would be missed least is found first.
    """
    assert {4, 5, 1} == set(numbers(library.records.least(3)))
    assert [4] == numbers(library.records.least(1))


def test_what_has_no_importance_at_all_would_be_missed_least(store):
    """
    A fact of importance 0 is found like others, and first.
    """
    draft = drafted(store)
    draft.take(Candidate("媽媽打呵欠", "媽媽", importance=0.0), turn())
    assert store.commit(draft)

    assert [6] == numbers(store.records.least(1))


# Nearness.


def test_the_nearest_come_first_with_their_distance(library):
    """
    Facts are found by the angle of their vectors, as far as the limits go.
    """
    found = library.records.nearest(vector(19), MODEL, limit=3, distance=2)

    assert [3, 2, 4] == [fact.no for fact, _ in found]
    angles = [1 - math.cos(math.radians(angle)) for angle in (1, 9, 11)]
    assert pytest.approx(angles) == [distance for _, distance in found]


@pytest.mark.parametrize(
    ("expected", "degrees", "limit", "distance"),
    [
        ([1], 0, 5, 0.001),
        ([1, 2], 0, 5, 0.016),
        ([1, 2], 0, 2, 2),
        ([], 180, 5, 0.9),
        ([5, 4, 3, 2, 1], 90, 9, 1.1),
    ],
)
def test_neither_too_many_nor_too_far(library, expected, degrees, limit, distance):
    """
    There is a limit to how many are near and to how far near is.
    """
    found = library.records.nearest(vector(degrees), MODEL, limit=limit, distance=distance)

    assert expected == [fact.no for fact, _ in found]


def test_another_models_vectors_are_not_near(library):
    """
    Distances between the vectors of two models mean nothing.
    """
    assert [] == library.records.nearest(vector(0), "embedder-2", limit=9, distance=2)


def test_what_holds_no_longer_is_near_nothing(shared, chat, store):
    """
    Superseded and retired facts have no vector any more, and a day on which they are purged.
    """
    supersede(store, 1, "媽媽養貓", degrees=90)
    retire(store, 2)

    found = store.records.nearest(vector(0), MODEL, limit=9, distance=2)
    assert [3, 4, 5, 6] == [fact.no for fact, _ in found]
    for no in (1, 2):
        assert not {"embedding", "embed_model"} & document(shared, chat, no).keys()
        assert NOW + timedelta(days=30) == document(shared, chat, no)["expires_at"]
    assert 6 == document(shared, chat, 1)["superseded_by"]


def test_another_conversations_facts_are_not_near(shared, library):
    """
    What one chat remembers is found in no other, also where the one's id begins with the other's.
    """
    records = store_of(shared, "C00").records

    assert [] == records.nearest(vector(0), MODEL, limit=9, distance=2)
    assert ([], [], 0) == (records.every(), records.get([1]), records.count())


def test_without_its_index_nothing_is_near(world):
    """
    While the vector index is missing there is nothing to find, and one line in the log.
    """
    world.firestore.fail("RunQuery", grpc.StatusCode.FAILED_PRECONDITION)

    assert [] == store_of(world).records.nearest(vector(0), MODEL, limit=9, distance=2)
    assert [("WARNING", "no vector index: is it still being built?")] == [
        (line["severity"], line["message"]) for line in world.logs.lines
    ]


@pytest.mark.parametrize(
    ("call", "read"),
    [
        ("RunQuery", lambda records: records.nearest(vector(0), MODEL, limit=9, distance=2)),
        ("RunQuery", lambda records: records.all()),
        ("BatchGetDocuments", lambda records: records.get([1])),
        ("RunAggregationQuery", lambda records: records.count()),
    ],
)
def test_a_firestore_that_does_not_answer_is_unavailable(world, call, read):
    """
    Whatever is looked for, an outage is told in our own words, within the patience.
    """
    world.firestore.fail(call, grpc.StatusCode.UNAVAILABLE, times=99)

    with pytest.raises(Unavailable):
        read(store_of(world, seconds=0.05).records)


# Vectors that come later.


def test_what_could_not_be_embedded_is_found_and_mended(store):
    """
    Facts stored without a vector are listed until they have one; then they are near something.
    """
    draft = drafted(store)
    for text in ("媽媽畫畫", "媽媽游泳"):
        draft.take(Candidate(text, "媽媽"), turn())
    assert store.commit(draft, vectors={}, model=MODEL)

    assert 1 == len(store.records.unembedded(1))
    assert [6, 7] == numbers(store.records.unembedded(80))
    store.records.embed({6: vector(90)}, MODEL)
    assert [7] == numbers(store.records.unembedded(80))
    ((fact, _),) = store.records.nearest(vector(90), MODEL, limit=1, distance=2)
    assert 6 == fact.no


def test_what_another_model_embedded_is_found_and_changed(store):
    """
    After a change of model, the facts whose vectors are of no use any more are those that hold.
    """
    retire(store, 5)
    assert [1, 2, 3, 4] == numbers(store.records.embedded_otherwise("embedder-2"))
    store.records.embed({no: vector(0) for no in (1, 2, 3)}, "embedder-2")

    assert [4] == numbers(store.records.embedded_otherwise("embedder-2"))


def test_a_fact_that_is_forgotten_meanwhile_gets_no_vector(shared, chat, store):
    """
    Who forgets a fact while it is being embedded is in nobody's way, and it does not come back.
    """
    draft = drafted(store)
    draft.forget([draft.board[1]])
    assert store.commit(draft)
    store.records.embed({1: vector(0), 2: vector(90)}, "embedder-2")

    assert document(shared, chat, 1) is None
    assert "embedder-2" == document(shared, chat, 2)["embed_model"]


# Writing.


def test_a_record_is_purged_after_its_last_day(shared, chat, store):
    """
    A fact with an end has a date for the purge, past in every zone; others have none.
    """
    draft = drafted(store)
    draft.take(Candidate("媽媽考試", "媽媽", expires_on=date(2026, 12, 8)), turn())
    assert store.commit(draft)

    assert datetime(2026, 12, 10, tzinfo=UTC) == document(shared, chat, 6)["expires_at"]
    assert "expires_at" not in document(shared, chat, 1)


def test_what_is_superseded_before_it_is_stored_has_no_record(shared, chat, store):
    """
    Of a fact and its correction in one draft, only the correction becomes a document.
    """
    draft = drafted(store)
    draft.take(Candidate("媽媽養魚", "媽媽"), turn())
    draft.supersede(draft.board[6], Candidate("媽媽養鳥", "媽媽"), turn("m10"))
    assert store.commit(draft)

    assert document(shared, chat, 6) is None
    assert "媽媽養鳥" == document(shared, chat, 7)["text"]


def test_telling_a_fact_again_changes_nothing_else_of_it(shared, chat, store):
    """
    A confirmation leaves the words, the vector and the day it was stored as they were.
    """
    before = document(shared, chat, 1)
    draft = drafted(store)
    draft.take(Candidate("媽媽喜歡貓", "媽媽"), turn("m9", "U2"))
    assert store.commit(draft)

    assert before | {"confirmed": 1, "sources": ["m1", "m9"]} == {
        key: value for key, value in document(shared, chat, 1).items() if key != "disputes"
    }


def test_more_is_deleted_than_one_batch_takes(shared, chat):
    """
    Of any number of facts none is left.
    """
    store = store_of(shared, chat)
    plant_many(shared, chat, 901)
    draft = drafted(store)
    draft.clear(store.records.every(), NOW)

    assert store.commit(draft)
    assert [] == store.records.every()


def test_who_deletes_many_in_vain_comes_again(shared, chat):
    """
    Where the conversation has changed meanwhile, what is left of the facts is found the next time.
    """
    store = store_of(shared, chat)
    plant_many(shared, chat, 501)
    drafts = [drafted(store) for _ in range(2)]
    drafts[0].take(Candidate("媽媽喜歡貓", "媽媽"), turn())
    drafts[1].clear(store.records.every(), NOW)
    assert store.commit(drafts[0])
    assert not store.commit(drafts[1])

    again = drafted(store)
    again.clear(store.records.every(), NOW)
    assert store.commit(again)
    assert [] == store.records.every()


def test_a_fact_forgotten_meanwhile_does_not_come_back(shared, chat, store):
    """
    What was told again while it was being forgotten is not made anew, whole or in part.
    """
    (fact,) = store.records.get([1])
    hiding = drafted(store, room=1)
    hiding.clear_board(NOW.date())
    hiding.take(Candidate("媽媽養魚", "媽媽"), turn())
    assert store.commit(hiding)
    telling, forgetting = drafted(store), drafted(store)
    telling.take(Candidate("媽媽喜歡貓", "媽媽"), turn(), known=[fact])
    forgetting.forget([fact])
    assert store.commit(forgetting)
    store.commit(telling)

    assert document(shared, chat, 1) is None
    assert [2, 3, 4, 5, 6] == numbers(store.records.every())
