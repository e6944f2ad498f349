"""How one conversation is kept in Firestore."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest
from google.api_core.datetime_helpers import DatetimeWithNanoseconds

from memory.calls import patience
from memory.conversation import ASSISTANT, Conversation, Size, Turn
from memory.draft import Draft
from memory.facts import Candidate
from memory.store import Claim, Reply, Store
from memory.summary import Sentence
from services.errors import Busy, Unavailable

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
LEASE = timedelta(seconds=100)
ROOM = 3000
"""Tokens of a board that has room for everything."""


@pytest.fixture
def store(world):
    """The store of the conversation C1."""
    return Store(world.database, "C1", world.clock, lease=LEASE, patience=patience(2))


def turn(number, text="好", seconds=0, speaker="U1"):
    said_at = NOW + timedelta(seconds=seconds)
    return Turn(f"m{number}", speaker, text, said_at, message_ids=(str(number),))


def everything(world):
    return json.dumps(world.documents(), ensure_ascii=False, default=str)


def drafted(store, *texts, said=None, room=ROOM):
    """Return a draft of the conversation as it is, with facts that a turn told."""
    draft = Draft(store.read(), NOW, room)
    for text in texts:
        draft.take(Candidate(text, "小美"), said or turn(1))
    return draft


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


# What is forgotten.


def test_unsending_is_not_done_before_what_came_of_it_is_forgotten(world, store):
    """
    Whoever dies after the words are gone is followed by another, who forgets the rest.
    """
    claim = store.unsend("u1", "m1", NOW)
    assert not claim.done
    with pytest.raises(Busy):
        store.unsend("u1", "m1", NOW)
    world.clock.advance(LEASE)
    assert not store.unsend("u1", "m1", NOW).done
    store.finish(claim)

    assert store.unsend("u1", "m1", NOW).done


def test_a_reply_learns_how_often_something_was_forgotten(store):
    """
    The commit that remembers a reply tells whether what it was thought from still stands.
    """
    claims = [store.claim(f"e{number}") for number in range(4)]

    def finish(number):
        said = Turn(f"re{number}", ASSISTANT, "好", NOW, answers="m1")
        return store.finish(claims[number], said=said, names={"U1": "媽媽"})

    assert 0 == finish(0)
    store.unsend("u1", "m7", NOW)
    assert 1 == finish(1)
    draft = drafted(store)
    draft.forget(())
    assert store.commit(draft)
    assert 2 == finish(2)
    assert 2 == store.read().forgotten
    assert 0 == store.finish(claims[3])


def test_a_withdrawn_reply_is_nowhere(world, store):
    """
    The words of a turn that must not stay go, and it is known to be unsent.
    """
    said = Turn("re1", ASSISTANT, "機密", NOW, answers="m1")
    store.finish(store.claim("e1"), said=said)
    assert (said,) == store.read().turns
    store.withdraw(said)

    assert () == store.read().turns
    assert store.read().has_forgotten(said)
    assert "機密" not in everything(world)


def test_only_the_replies_of_others_are_dropped(world, store):
    """
    What was thought for other events and not sent may tell what is to be forgotten; ours does not.
    """
    ours, theirs, _, done = (store.claim(f"e{number}") for number in range(4))
    store.keep(ours, Reply(("我們的",)))
    store.keep(theirs, Reply(("別人的",)))
    store.keep(done, Reply(("說過的",)))
    store.finish(done)
    store.drop_kept_replies(ours)

    assert "我們的" in everything(world)
    assert "別人的" not in everything(world)
    world.clock.advance(LEASE)
    assert Reply(("我們的",)) == store.claim("e0").reply
    assert [None, None] == [store.claim(f"e{number}").reply for number in (1, 2)]
    assert store.claim("e3").done


# What is remembered for long.


def test_a_draft_is_read_as_it_was_stored(world, store):
    """
    Board, summary, numbers and names come back; a fact's own document has all of it too.
    """
    draft = drafted(store)
    candidate = Candidate(
        "小美週二考試", "小美", "schedule", "person", 0.75, expires_on=date(2026, 12, 8)
    )
    draft.take(candidate, turn(1))
    draft.take(Candidate("小美怕狗", "小美", importance=0.9), turn(1))
    draft.take(
        Candidate("小美不怕狗", "小美"), turn(2, speaker="U2"), "contradict", [draft.board[2]]
    )
    draft.summary = (Sentence("去了宜蘭。", ("m1",), ("U1",), NOW),)
    draft.names = {"U1": "媽媽"}
    assert store.commit(draft)

    conversation = store.read()
    assert draft.board == conversation.board
    assert {1, 2, 3} == set(conversation.board)
    assert draft.summary == conversation.summary
    assert (4, 0, {"U1": "媽媽"}) == (
        conversation.next_no,
        conversation.hidden,
        conversation.names,
    )
    assert list(draft.board.values()) == store.records.all()
    assert (2,) == conversation.board[3].disputes


@pytest.mark.parametrize(
    ("unembedded", "vectors"),
    [(True, {}), (True, {"小美怕狗": [1.0] + [0.0] * 767}), (False, None)],
)
def test_facts_without_vectors_are_noted(store, unembedded, vectors):
    """
    Where a new fact could not be embedded, the conversation says so until that is mended.
    """
    texts = ("小美怕狗", "小美愛畫畫")
    if vectors is None:
        vectors = {text: [1.0] + [0.0] * 767 for text in texts}
    assert store.commit(drafted(store, *texts), vectors=vectors, model="m")
    assert unembedded == store.read().unembedded
    store.mark_embedded()

    assert not store.read().unembedded


def test_what_is_stored_meanwhile_is_not_overwritten(world, store):
    """
    A draft of a conversation that has changed since is refused, and nothing of it is stored.
    """
    store.hear("e1", turn(1), done=True)
    claim = store.claim("e2")
    draft = drafted(store, "小美怕狗")
    draft.summary = (Sentence("去了宜蘭。"),)
    draft.leaving = draft.before.entries
    store.hear("e3", turn(2), done=True)
    before = world.documents()

    assert not store.commit(draft, claim=claim, reply=Reply(("好",)), report={"stored": [1]})
    assert before == world.documents()
    assert store.commit(drafted(store, "小美怕狗"), claim=claim, reply=Reply(("好",)))


def test_what_was_forgotten_meanwhile_does_not_come_back(world, store):
    """
    A draft that only confirms a fact beside the board is refused too once anything has changed.
    """
    hidden = drafted(store, "小美怕狗", "小美愛畫畫", room=0)
    hidden.clear_board(NOW.date())
    assert store.commit(hidden)
    (fact,) = store.records.get([1])
    draft = drafted(store)
    assert "confirmed" == draft.take(Candidate("小美怕狗", "小美"), turn(2), known=[fact]).fate
    forgetting = drafted(store)
    forgetting.forget([fact])
    assert store.commit(forgetting)
    before = world.documents()

    assert not store.commit(draft)
    assert before == world.documents()


def test_a_conversation_that_was_deleted_meanwhile_is_not_made_again(world):
    """
    What is worked out for a conversation that is no longer there is stored nowhere.
    """
    store = Store(world.database, "C404", world.clock, lease=LEASE, patience=patience(2))

    assert not store.commit(drafted(store, "小美怕狗"))
    assert "C404" not in everything(world)


def test_of_drafts_at_once_one_is_stored(store):
    """
    Whoever works out changes at the same time as others works them out anew.
    """
    drafts = [drafted(store, f"小美會做第 {number} 道菜") for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        stored = list(threads.map(store.commit, drafts))

    assert 1 == sum(stored)
    (fact,) = store.read().board.values()
    assert drafts[stored.index(True)].board == {1: fact}
    assert [fact] == store.records.all()


def test_a_reply_is_kept_with_what_it_tells_of(world, store):
    """
    Whoever dies after a commit is followed by one that finds the deed and the words for it.
    """
    claim = store.hear("e1", turn(1), done=False)
    reply = Reply(("記下了",), "記下了", forgotten=3)
    assert store.kept(claim) is None
    assert store.commit(drafted(store, "小美怕狗"), claim=claim, reply=reply)
    assert reply == store.kept(claim)
    world.clock.advance(LEASE)

    assert reply == store.hear("e1", turn(1), done=False).reply
    assert ["小美怕狗"] == [fact.text for fact in store.records.all()]


# Digests.


def test_a_digest_is_begun_once(world, store):
    """
    A burst pays for one digest; the next one is that of the next cut.
    """
    conversation = store.read()
    with ThreadPoolExecutor(10) as threads:
        begun = list(threads.map(lambda _: store.begin_digest(conversation), range(10)))
    assert 1 == sum(begun)
    store.hear("e1", turn(1), done=True)
    draft = drafted(store)
    draft.leaving = draft.before.entries
    assert store.commit(draft, report={"turns": 1})

    assert {"turns": 1} == world.documents()["conversations/C1/digests/0"]["report"]
    world.clock.advance(timedelta(days=1))
    assert not store.begin_digest(conversation)
    assert (1, ()) == (store.read().watermark, store.read().turns)
    assert store.begin_digest(store.read())


def test_a_digest_that_died_is_begun_again_by_one(world, store):
    """
    A dead digest's lease has one heir.
    """
    conversation = store.read()
    assert store.begin_digest(conversation)
    world.clock.advance(LEASE - timedelta(seconds=1))
    assert not store.begin_digest(conversation)
    world.clock.advance(timedelta(seconds=1))
    with ThreadPoolExecutor(10) as threads:
        begun = list(threads.map(lambda _: store.begin_digest(conversation), range(10)))

    assert 1 == sum(begun)


def test_a_digest_that_failed_is_left_alone_for_a_while(world, store):
    """
    Each try costs a call of the model: after a failure the next one waits ten minutes.
    """
    conversation = store.read()
    assert store.begin_digest(conversation)
    store.give_up_digest(conversation)
    world.clock.advance(timedelta(minutes=9, seconds=59))
    assert not store.begin_digest(conversation)
    world.clock.advance(timedelta(seconds=1))

    assert store.begin_digest(conversation)


@pytest.mark.parametrize("given_up", [True, False])
def test_a_digest_that_came_to_nothing_does_not_stop_a_cut(world, store, given_up):
    """
    Where no digest succeeds the window is cut all the same, or it would grow for ever.
    """
    for number in range(6):
        store.hear(f"e{number}", turn(number, seconds=number), done=True)
    conversation = store.read()
    assert store.begin_digest(conversation)
    if given_up:
        store.give_up_digest(conversation)
    world.clock.advance(LEASE)
    store.trim(Size(2, 1000))

    assert ["m4", "m5"] == [said.id for said in store.read().turns]
    assert 1 == store.read().watermark


def test_a_cut_and_a_digest_are_not_both_begun(store):
    """
    Where the window has been cut from a watermark, no digest starts from it.
    """
    before = store.read()
    store.trim(Size(0, 0))

    assert not store.begin_digest(before)
    assert 1 == store.read().watermark


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

    conversation = Conversation(version=DatetimeWithNanoseconds(2026, 12, 1, tzinfo=UTC))
    draft = Draft(conversation, NOW, ROOM)
    draft.take(Candidate("小美怕狗", "小美"), turn(1))
    claim = Claim("e1")
    calls = (
        store.read,
        store.open,
        store.mark_embedded,
        lambda: store.claim("e1"),
        lambda: store.unsend("e1", "m1", NOW),
        lambda: store.keep(claim, Reply(())),
        lambda: store.finish(claim, said=turn(1)),
        lambda: store.release(claim),
        lambda: store.withdraw(turn(1)),
        lambda: store.drop_kept_replies(claim),
        lambda: store.trim(Size()),
        lambda: store.begin_digest(conversation),
        lambda: store.give_up_digest(conversation),
        lambda: store.commit(draft),
    )
    for call in calls:
        with pytest.raises(Unavailable):
            call()
    channel.close()
