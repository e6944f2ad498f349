"""Rings: what is due is claimed once, and its words are kept until they have been said."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import grpc
import pytest

from local.clock import FrozenClock
from local.world import World
from memory.calls import patience
from memory.reminders import Alarm
from memory.rings import Ring, Rings
from services.errors import Busy, Unavailable
from tests.conftest import NOW
from tests.reminding import alter, remind

CHATS = itertools.count(1)
EIGHT = datetime(2026, 12, 1, 12, tzinfo=UTC)
LEASE = timedelta(seconds=75)


@pytest.fixture(scope="module")
def shared(firestore):
    """One world for all: each test has a chat of its own, and breaks nothing."""
    with World(FrozenClock(NOW), firestore) as world:
        yield world


@pytest.fixture
def chat(shared):
    """A chat that has just been activated."""
    chat = f"C{next(CHATS)}"
    shared.activate(chat)
    return chat


@pytest.fixture
def rings(shared, chat):
    """That chat's rings."""
    return rings_of(shared, chat)


def rings_of(world, chat, client=None):
    """Return the rings of a chat."""
    return Rings(
        client or world.database, chat, world.clock, patience=patience(seconds=2), lease=LEASE
    )


def claimed(rings, *numbers, rule_id="r"):
    """Claim reminders as they are stored now; return the ring and whether it was ours."""
    _, known = rings.read(numbers)
    rung = [(read, replace(read.reminder.rung(EIGHT)[0], ring=rule_id)) for read in known.values()]
    words = {read.reminder.occasion: read.reminder.text for read in known.values()}
    ring = Ring(rule_id, tuple(words.values()), words)
    return ring, rings.claim(ring, rung)


def stored(world, chat, part=""):
    """Return what is stored under a chat, by path."""
    prefix = f"conversations/{chat}"
    documents = world.documents()
    return documents[prefix] if not part else documents.get(f"{prefix}/{part}")


def test_what_is_due_is_claimed_with_its_words(shared, chat, rings):
    """
    One batch keeps what is to be said, moves each reminder on, and takes what is over off.
    """
    once = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    daily = remind(shared, chat, "餵魚", EIGHT, rule="FREQ=DAILY", alarms=False)
    rings.note([Alarm(one.no, 0, EIGHT, EIGHT) for one in (once, daily)])
    _, ours = claimed(rings, once.no, daily.no)

    assert ours
    kept = stored(shared, chat, "rings/r")
    assert (["倒垃圾", "餵魚"], False) == (kept["messages"], kept["done"])
    assert {once.occasion: "倒垃圾", daily.occasion: "餵魚"} == kept["words"]
    assert NOW + timedelta(days=7) == kept["expires_at"]
    conversation = stored(shared, chat)
    assert {str(daily.no)} == set(conversation["agenda"])
    assert EIGHT + timedelta(days=1) == conversation["agenda"][str(daily.no)]["due"]
    assert {} == conversation["alarms"]
    done = stored(shared, chat, f"reminders/{once.no}")
    assert ("done", "r", NOW + timedelta(days=30)) == (
        *(done["state"], done["ring"]),
        done["expires_at"],
    )
    assert "expires_at" not in stored(shared, chat, f"reminders/{daily.no}")


@pytest.mark.parametrize("changes", [{"text": "不倒了"}, {"state": "cancelled"}])
def test_what_changed_meanwhile_is_not_claimed(shared, chat, rings, changes):
    """
    Of all that was read, none may have changed: else nothing is claimed at all.
    """
    first = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    second = remind(shared, chat, "餵魚", EIGHT, alarms=False)
    _, known = rings.read([first.no, second.no])
    alter(shared, chat, second.no, **changes)
    rung = [(read, read.reminder.rung(EIGHT)[0]) for read in known.values()]

    assert not rings.claim(Ring("r", ("x",), {first.occasion: "x"}), rung)
    assert stored(shared, chat, "rings/r") is None
    assert "pending" == stored(shared, chat, f"reminders/{first.no}")["state"]


def test_of_many_who_claim_one_does(shared, chat, rings):
    """
    However many come at once.
    """
    reminder = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    _, known = rings.read([reminder.no])
    read = known[reminder.no]
    ring = Ring("r", ("x",), {reminder.occasion: "x"})
    with ThreadPoolExecutor(8) as threads:
        claims = list(
            threads.map(
                lambda _: rings_of(shared, chat).claim(
                    ring, [(read, read.reminder.rung(EIGHT)[0])]
                ),
                range(8),
            )
        )
    assert [True] == [claim for claim in claims if claim]


def test_what_was_left_is_taken_over_when_the_lease_is_dead(shared, chat, rings):
    """
    Alive, it keeps others off; dead or released, the very same words are there.
    """
    reminder = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    ring, _ = claimed(rings, reminder.no)
    assert (reminder.no,) == ring.numbers
    with pytest.raises(Busy):
        rings.unfinished()
    shared.clock.advance(LEASE)
    assert [ring] == rings.unfinished()
    with pytest.raises(Busy):
        rings.unfinished()
    rings.release(ring)
    assert [ring] == rings.unfinished()


def test_of_many_who_take_over_one_does(shared, chat, rings):
    """
    The others find that somebody is at it.
    """
    reminder = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    ring, _ = claimed(rings, reminder.no)
    rings.release(ring)

    def take(_):
        try:
            return rings_of(shared, chat).unfinished()
        except Busy:
            return []

    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(take, range(8)))
    assert [[ring]] == [one for one in taken if one]


def test_what_is_done_has_no_words(shared, chat, rings):
    """
    The ring stays, so that it is not said again; which alarms were made is noted.
    """
    reminder = remind(shared, chat, "倒垃圾", EIGHT, rule="FREQ=DAILY", alarms=False)
    ring, _ = claimed(rings, reminder.no)
    at = EIGHT + timedelta(days=1)
    rings.finish(ring, [Alarm(reminder.no, 0, at, at)])

    kept = stored(shared, chat, "rings/r")
    assert kept["done"]
    assert not {"messages", "words"} & set(kept)
    assert {str(reminder.no): int(at.timestamp() * 1000)} == stored(shared, chat)["alarms"]
    assert [] == rings.unfinished()
    assert not claimed(rings, reminder.no)[1]


def test_what_could_not_be_delivered_says_so(shared, chat, rings):
    """
    Those that are over say that they were not delivered; those that come round stay pending.
    """
    once = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    daily = remind(shared, chat, "餵魚", EIGHT, rule="FREQ=DAILY", alarms=False)
    ring, _ = claimed(rings, once.no, daily.no)
    rings.finish(ring, state="undelivered")

    states = [stored(shared, chat, f"reminders/{one.no}")["state"] for one in (once, daily)]
    assert ["undelivered", "pending"] == states


def test_what_is_owed_is_kept_by_occasion_and_paid_once(shared, chat, rings):
    """
    Its words go from the ring to the conversation, each by its own occasion, and from there once.
    """
    one = remind(shared, chat, "倒垃圾", EIGHT, alarms=False)
    other = remind(shared, chat, "餵魚", EIGHT, alarms=False)
    ring, _ = claimed(rings, one.no, other.no)
    rings.owe(ring, [])
    conversation, _ = rings.read([])

    assert {one.occasion: "倒垃圾", other.occasion: "餵魚"} == conversation.owed
    assert "words" not in stored(shared, chat, "rings/r")
    owed = Ring("owed-1", ("都說",), conversation.owed)
    assert rings.pay(owed, conversation)
    assert not rings.pay(replace(owed, id="owed-2"), conversation)
    assert {} == rings.read([])[0].owed
    rings.owe(owed, [])
    assert conversation.owed == rings.read([])[0].owed


def test_words_are_told_in_the_order_they_were_due():
    """
    Whatever their numbers.
    """
    ring = Ring("r", (), {"2-30-0": "三", "11-10-0": "一", "3-20-5": "二"})
    assert "一\n二\n三" == ring.plain


def test_a_retry_key_stands_for_one_ring_in_one_form(shared, chat, rings):
    """
    Whoever sends it has the same; another chat, ring or form has another.
    """
    ring = Ring("r", (), {})
    key = rings.retry_key(ring)
    assert key == rings_of(shared, chat).retry_key(Ring("r", ("x",), {}))
    others = [
        rings.retry_key(Ring("r2", (), {})),
        rings.retry_key(ring, "plain"),
        rings_of(shared, "Cother").retry_key(ring),
    ]
    assert 4 == len({key, *others})


def test_what_is_not_there_is_left_out(rings):
    """
    A reminder nobody knows and a chat nobody knows are nothing.
    """
    _, known = rings.read([77])
    assert {} == known == rings.reminders([]) == rings.reminders([77])


def test_a_chat_that_was_deleted_is_empty(shared):
    """
    Its conversation has no version, and claims nothing.
    """
    rings = rings_of(shared, "Cnobody")
    conversation, _ = rings.read([])
    assert not conversation.version
    assert [] == rings.unfinished()


def test_firestore_out_of_reach_is_unavailable(world):
    """
    Nothing is taken for claimed that is not.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, alarms=False)
    rings = rings_of(world, "U1", world.ringing.firestore)
    _, known = rings.read([reminder.no])
    read = known[reminder.no]
    world.firestore.fail("Commit", grpc.StatusCode.UNAVAILABLE, times=99)
    with pytest.raises(Unavailable):
        rings.claim(Ring("r", (), {}), [(read, read.reminder.rung(EIGHT)[0])])
