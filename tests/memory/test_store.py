"""How one conversation is kept in Firestore."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from memory.calls import patience
from memory.conversation import ASSISTANT, Size, Turn
from memory.store import Reply, Store
from services.errors import Busy, Unavailable

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
LEASE = timedelta(seconds=100)


@pytest.fixture
def store(world):
    """The store of the conversation C1."""
    return Store(world.database, "C1", world.clock, lease=LEASE, patience=patience(2))


def turn(number, text="好", seconds=0, speaker="U1"):
    said_at = NOW + timedelta(seconds=seconds)
    return Turn(f"m{number}", speaker, text, said_at, message_ids=(str(number),))


def everything(world):
    return json.dumps(world.documents(), ensure_ascii=False, default=str)


# Claims.


def test_a_claim_and_its_turn_are_written_together_or_not_at_all(world):
    """
    Where no conversation is, neither the turn nor the claim is left behind.
    """
    store = Store(world.database, "C404", world.clock, lease=LEASE, patience=patience(2))

    assert store.hear("e1", turn(1), done=False) is None
    assert "C404" not in everything(world)


def test_an_event_is_claimed_once(store):
    """
    A second delivery is busy under the lease, and learns afterwards that all is done.
    """
    claim = store.hear("e1", turn(1), done=False)
    with pytest.raises(Busy):
        store.hear("e1", turn(1), done=False)
    store.finish(claim)

    assert store.hear("e1", turn(1), done=False).done


def test_a_turn_of_which_nothing_follows_is_done_at_once(store):
    """
    An unaddressed turn's claim is done from the beginning: one batch, and no more.
    """
    assert store.hear("e1", turn(1), done=True).done
    assert store.hear("e1", turn(1), done=True).done


def test_a_dead_lease_is_taken_over_with_the_reply_that_was_kept(world, store):
    """
    Whoever takes over gets what was thought, and the dead one's lease is theirs now.
    """
    reply = Reply(("一", "二"), remembered="一二", withheld=True)
    store.keep(store.hear("e1", turn(1), done=False), reply)
    world.clock.advance(LEASE)

    assert reply == store.hear("e1", turn(1), done=False).reply
    with pytest.raises(Busy):
        store.hear("e1", turn(1), done=False)


def test_of_many_that_take_over_one_does(world, store):
    """
    A dead lease has one heir.
    """
    store.hear("e1", turn(1), done=False)
    world.clock.advance(LEASE)

    def heir(_):
        try:
            return store.hear("e1", turn(1), done=False) is not None
        except Busy:
            return False

    with ThreadPoolExecutor(10) as threads:
        assert 1 == sum(threads.map(heir, range(10)))


def test_who_gives_up_in_order_frees_the_event_at_once(store):
    """
    After a release the next delivery need not wait for the lease to end.
    """
    store.release(store.hear("e1", turn(1), done=False))

    assert not store.hear("e1", turn(1), done=False).done


def test_a_finished_event_keeps_no_words(world, store):
    """
    Once the reply has gone out, its claim says so and quotes nothing.
    """
    claim = store.claim("e1")
    store.keep(claim, Reply(("機密",)))
    assert "機密" in everything(world)
    store.finish(claim)

    assert "機密" not in everything(world)


def test_the_same_event_has_the_same_retry_key(store):
    """
    Whoever sends an event's reply uses the key that LINE may know already.
    """
    first, second = store.claim("e1"), store.claim("e2")
    store.release(first)

    assert first.retry_key == store.claim("e1").retry_key
    assert first.retry_key != second.retry_key


# The window.


def test_what_was_said_is_read_as_it_was_written(store):
    """
    Turns, names and what the assistant said come back, by when they were said.
    """
    said = turn(1, "早", seconds=1)
    quoting = Turn("m2", "U2", "嗯", NOW, quotes="1", message_ids=("2",))
    reply = Turn("re1", ASSISTANT, "早！", NOW + timedelta(seconds=2), "", "m1", ("9",))
    claim = store.hear("e1", said, done=False)
    store.hear("e2", quoting, done=True)
    store.finish(claim, said=reply, names={"U1": "媽媽", "U2": ""})

    conversation = store.read()
    assert (quoting, said, reply) == conversation.turns
    assert {"U1": "媽媽", "U2": ""} == conversation.names
    assert set() == conversation.nameless()
    assert Size(3, 4) == conversation.size


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_edits_give_the_newest_words_in_any_order(store, order):
    """
    A message and its edits may come in any order and any number of times.
    """
    versions = [turn(1, "一"), turn(1, "二", seconds=5), turn(1, "三", seconds=9)]
    for event in (*order, *order):
        store.hear(f"e{event}", versions[event], done=True)

    assert (turn(1, "三"),) == store.read().turns


@pytest.mark.parametrize("order", list(permutations(("message", "edit", "edit again", "unsend"))))
def test_what_was_unsent_is_gone_in_any_order(world, order):
    """
    However a message, its edits and its unsending arrive, its words are nowhere afterwards.
    """
    family, clock = world.family, world.clock
    message = world.message("U1", "C1", family.text("甲乙丙"))
    changed = {"id": message["message"]["id"]}
    events = {"message": message}
    for name, text in (("edit", "甲乙丁"), ("edit again", "甲乙戊")):
        clock.advance(timedelta(seconds=1))
        edit = family.event("messageEdited", "U1", "C1", message=family.text(text) | changed)
        events[name] = edit
    events["unsend"] = family.event("unsend", "U1", "C1", unsend={"messageId": changed["id"]})
    for name in order:
        assert 200 == world.send(events[name])

    assert "甲乙" not in everything(world)
    answers = [line for line in world.journal.lines if line.get("from") == "answer"]
    assert [200] * 4 == [line["status"] for line in answers if "status" in line]


def test_a_count_never_says_too_little(store):
    """
    Repeated writes may count more than there is; a cut sets it right.
    """
    for event in range(5):
        store.hear(f"e{event}", turn(1, "五個字好了"), done=True)
    store.unsend("u1", "m7", NOW)
    assert Size(6, 25) == store.read().size
    store.hear("f1", turn(2, "一"), done=True)
    store.trim(Size(2, 100))

    assert Size(2, 1) == store.read().size
    assert 1 == store.read().watermark


def test_a_cut_drops_the_oldest_and_superseded_words(world, store):
    """
    The oldest turns leave; of edited ones that stay, only the newest words do.
    """
    for number in range(6):
        store.hear(f"e{number}", turn(number, f"第{number}句", seconds=number), done=True)
    store.hear("e9", turn(5, "改過", seconds=60), done=True)
    store.hear("e10", turn(5, "又改過", seconds=61), done=True)
    store.trim(Size(2, 1000))

    assert ["第4句", "又改過"] == [said.text for said in store.read().turns]
    assert NOW + timedelta(seconds=5) == store.read().turns[-1].said_at
    assert not any(words in everything(world) for words in ("第5句", '"改過"', "第3句"))
    assert Size(2, 6) == store.read().size


def test_several_cuts_at_once_and_new_turns_lose_nothing(store):
    """
    Whoever cuts at the same time cuts once, and what is said meanwhile stays.
    """
    for number in range(30):
        store.hear(f"e{number}", turn(number, seconds=number), done=True)

    def cut_or_say(number):
        if number % 5 == 0:
            store.trim(Size(20, 1000))
        else:
            store.hear(f"n{number}", turn(100 + number, seconds=100 + number), done=True)

    with ThreadPoolExecutor(10) as threads:
        list(threads.map(cut_or_say, range(25)))

    conversation = store.read()
    said = {one.id for one in conversation.turns}
    assert {f"m{100 + number}" for number in range(25) if number % 5} <= said
    assert 20 <= len(said) == conversation.size.turns
    assert 1 <= conversation.watermark <= 5


def test_conversations_whose_ids_begin_alike_are_apart(world):
    """
    What is said in one chat is nowhere in another, whatever their names.
    """
    kept = {"patience": patience(2), "lease": LEASE}
    one, ten = (Store(world.database, chat, world.clock, **kept) for chat in ("U1", "U10"))
    ten.open()
    one.hear("e1", turn(1, "只在這裡"), done=True)

    assert () == ten.read().turns
    assert ten.hear("e1", turn(1, "那裡"), done=True)


def test_opening_a_conversation_again_changes_nothing(store):
    """
    A second activation leaves everything as it is.
    """
    store.hear("e1", turn(1), done=True)
    store.open()

    assert (turn(1),) == store.read().turns


def test_firestore_out_of_reach_is_unavailable_in_bounded_time(world):
    """
    A dead Firestore is waited for as long as the settings say, not the client's own minute.
    """
    import grpc
    from google.cloud import firestore
    from google.cloud.firestore_v1.services.firestore import FirestoreClient
    from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport

    nowhere = firestore.Client(project="demo-nowhere")
    channel = grpc.insecure_channel("127.0.0.1:9")
    nowhere._firestore_api_internal = FirestoreClient(
        transport=FirestoreGrpcTransport(channel=channel)
    )
    store = Store(nowhere, "C1", world.clock, lease=LEASE, patience=patience(0.2))

    for call in (store.read, store.open, lambda: store.claim("e1"), lambda: store.trim(Size())):
        with pytest.raises(Unavailable):
            call()
    channel.close()
