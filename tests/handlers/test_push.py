"""The path from an alarm to LINE."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

import grpc
import pytest
import urllib3
from werkzeug.test import Client

from local.functions import in_process
from local.loopback import Answer
from local.queues import Manner
from memory.reminders import Reminder
from services.outgoing import EVERYONE
from tests.reminding import (
    TAIPEI,
    alarm_for,
    alter,
    change,
    outcomes,
    pushed,
    pushes,
    remind,
    ring,
)

EIGHT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
"""20:00 in Taipei, two hours after every world begins."""
DAILY = "FREQ=DAILY"
SAID = ("⏰ 倒垃圾", "#1 倒垃圾")


def reminders(world, chat):
    """Return the stored reminders of a chat, by number."""
    prefix = f"conversations/{chat}/reminders/"
    return {
        int(path.removeprefix(prefix)): document
        for path, document in world.documents().items()
        if path.startswith(prefix)
    }


def states(world, chat):
    """Return what has become of the reminders of a chat."""
    return {no: one.get("state", "pending") for no, one in reminders(world, chat).items()}


def rings(world):
    """Return everything that was claimed to be said."""
    return [one for path, one in world.documents().items() if "/rings/" in path]


def conversation(world, chat):
    """Return a stored conversation."""
    return world.documents()[f"conversations/{chat}"]


def owed(world, chat):
    """Return what is to be told with the next reply."""
    return list(conversation(world, chat).get("owed", {}).values())


# Who gets in.


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b'{"chat": "U1"}',
        b'{"chat": 1, "no": 1, "rev": 0, "due": 0, "attempt": 0, "at": 0}',
        b'{"chat": "U1", "no": "1", "rev": 0, "due": 0, "attempt": 0, "at": 0}',
        b'{"chat": "U1", "no": true, "rev": 0, "due": 0, "attempt": 0, "at": 0}',
        b'{"chat": "U1", "no": 1, "due": 0, "attempt": 0, "at": 0}',
        b'{"chat": "U1", "no": 1, "rev": 0, "due": 0, "attempt": 0}',
        b'{"chat": "U1", "left": null}',
        b'{"chat": "U1", "owed": "soon"}',
        b'{"chat": "", "no": 1, "rev": 0, "due": 0, "attempt": 0, "at": 0}',
        b'{"chat": "U1/facts/1", "no": 1, "rev": 0, "due": 0, "attempt": 0, "at": 0}',
    ],
)
def test_what_is_no_alarm_is_refused_with_one_line_in_the_log(world, body):
    """
    A body that is no alarm of ours changes nothing, is 400, and the log says why once.
    """
    before = world.documents()

    assert 400 == ring(world, body)
    assert before == world.documents()
    assert ["the body is no alarm of ours"] == [line["message"] for line in world.logs.lines]
    assert [] == pushes(world)


@pytest.mark.parametrize("token", ["", "Bearer forged"])
def test_nobody_else_may_ring(world, token):
    """
    The function is private: who does not come as the queue's account is turned away.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT)
    world.clock.advance_to(EIGHT)
    status = urllib3.request(
        "POST",
        f"{world.functions.url}/push",
        body=json.dumps(alarm_for("U1", reminder)).encode(),
        headers={"Authorization": token} if token else {},
        retries=False,
    ).status

    assert 403 == status
    assert [] == pushed(world)


def test_only_posts_are_taken(world):
    """
    Anything else than a POST is 405.
    """
    assert 405 == Client(in_process("push", world.ringing)).get("/").status_code


# Once, however often.


@pytest.mark.parametrize("times", [2, 5])
@pytest.mark.parametrize("rule", ["", DAILY])
def test_deliveries_at_once_and_later_are_one_push(world, times, rule):
    """
    However many deliveries of one alarm come at once, and however many later: one push.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, rule=rule, alarms=False)
    body = alarm_for("U1", reminder)
    world.clock.advance_to(EIGHT)
    with ThreadPoolExecutor(times) as threads:
        at_once = list(threads.map(lambda _: ring(world, body), range(times)))
    later = [ring(world, body) for _ in range(times)]

    assert {200} <= set(at_once) <= {200, 409}
    assert [200] * times == later
    assert [SAID] == pushed(world)
    assert 1 == len(pushes(world))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("late", [timedelta(), timedelta(minutes=4), timedelta(hours=5)])
def test_three_deliveries_reversed_and_late_are_each_reminder_once(world, reverse, late):
    """
    Whatever the queue does with several alarms, each reminder is said once.
    """
    world.tasks.manners["reminders"] = Manner(times=3, reversed=reverse, late=late)
    for number in range(4):
        due = EIGHT + timedelta(minutes=10 * number)
        remind(world, "U1", f"第{number}件事", due)
    world.pass_time(EIGHT + timedelta(hours=9))

    said = "\n".join(text for texts in pushed(world) for text in texts if text.startswith("⏰"))
    assert [1] * 4 == [said.count(f"第{number}件事") for number in range(4)]
    assert dict.fromkeys(range(1, 5), "done") == states(world, "U1")
    assert [] == world.tasks.given_up


def test_a_delivery_under_a_live_lease_comes_back_later(world):
    """
    While one delivery is at it another gets 409, and the queue brings it again.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, alarms=False)
    body = alarm_for("U1", reminder)
    world.clock.advance_to(EIGHT)
    claim = world.firestore.hold("Commit")
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(ring, world, body)
        claim.wait()
        end = world.firestore.hold("Commit")
        claim.release()
        end.wait()
        second = ring(world, body)
        end.release()

    assert (200, 409) == (first.result(), second)
    assert 200 == ring(world, body)
    assert [SAID] == pushed(world)


def test_a_claim_whose_answer_was_lost_is_known_as_our_own(world):
    """
    Where Firestore had taken the claim and its answer got lost, it is said all the same, once.
    """
    remind(world, "U1", "倒垃圾", EIGHT)
    world.firestore.fail("Commit", lost=True)
    world.pass_time(EIGHT + timedelta(hours=1))

    assert [SAID] == pushed(world)
    assert {1: "done"} == states(world, "U1")
    assert [True] == [one["done"] for one in rings(world)]


# Nothing to say.


@pytest.mark.parametrize("rule", ["", DAILY])
def test_what_was_cancelled_changed_or_never_was_says_nothing(world, rule):
    """
    Alarms of what was cancelled or changed, of what is unknown and of whom we forgot: 200, nothing.
    """
    cancelled = remind(world, "U1", "買米", EIGHT, rule=rule, alarms=False)
    alter(world, "U1", cancelled.no, state="cancelled")
    changed = remind(world, "U1", "買鹽", EIGHT, rule=rule, alarms=False)
    alter(world, "U1", changed.no, due=EIGHT + timedelta(days=1))
    gone = remind(world, "U2", "買油", EIGHT, rule=rule, alarms=False)
    change(world, "U2", lambda draft: draft.drop([gone]))
    bodies = [
        alarm_for("U1", cancelled),
        alarm_for("U1", changed),
        alarm_for("U2", gone),
        alarm_for("U1", changed, no=99),
        alarm_for("U1", changed, rev=99),
        alarm_for("Unobody", changed),
        {"chat": "U1", "at": 0, "left": 5},
        {"chat": "Unobody", "at": 0, "left": 5},
        {"chat": "U1", "at": 0, "owed": 5},
        {"chat": "Unobody", "at": 0, "owed": 5},
    ]
    world.clock.advance_to(EIGHT)

    assert [200] * len(bodies) == [ring(world, body) for body in bodies]
    assert [] == pushes(world)
    assert [] == rings(world)
    assert "conversations/Unobody" not in world.documents()
    world.pass_time(EIGHT + timedelta(days=1))
    assert [("⏰ 買鹽", "#2 買鹽")] == pushed(world)


def test_an_alarm_that_rings_far_too_early_sets_another(world):
    """
    An alarm on the way to a far time says nothing and sets the next one.
    """
    due = EIGHT + timedelta(days=100)
    remind(world, "U1", "倒垃圾", due)
    world.pass_time(due - timedelta(minutes=2))
    assert [] == pushed(world)
    assert [200] * 3 == outcomes(world)

    world.pass_time(due)
    assert [SAID] == pushed(world)
    assert 4 == len(outcomes(world))


# Changes meanwhile.


def family_says(world, text, script=()):
    """Let somebody say something from a thread of its own."""
    world.gemini.script(list(script))
    event = world.message("U1", "U1", world.family.text(text))
    body = world.body_of(event)
    signature = world.line.sign(body)
    return urllib3.request(
        "POST",
        f"{world.functions.url}/webhook/answer?event=0",
        body=body,
        headers={"X-Line-Signature": signature},
        retries=False,
        timeout=60,
    ).status


CANCEL = ("/取消 #1", ())
MODEL_CANCELS = (
    "不用提醒我倒垃圾了",
    ({"call": "cancel_reminder", "args": {"number": 1}}, {"text": "好。"}),
)
CHANGE = (
    "改成九點",
    (
        {"call": "change_reminder", "args": {"number": 1, "at": "2026-12-01T21:00"}},
        {"text": "好。"},
    ),
)


@pytest.mark.parametrize("alarm_wins", [True, False], ids=["alarm first", "family first"])
@pytest.mark.parametrize("rule", ["", DAILY], ids=["once", "daily"])
@pytest.mark.parametrize(
    "words", [CANCEL, MODEL_CANCELS, CHANGE], ids=["/取消", "cancel", "change"]
)
def test_a_change_and_the_alarm_race_and_one_of_them_is_first(world, alarm_wins, rule, words):
    """
    Both have read and neither has written: whichever writes first, the other works with that.
    """
    text, script = words
    remind(world, "U1", "倒垃圾", EIGHT, rule=rule)
    world.clock.advance_to(EIGHT)
    reads = world.firestore.hold("BatchGetDocuments")
    with ThreadPoolExecutor(2) as threads:
        said = threads.submit(family_says, world, text, script)
        reads.wait()
        family = world.firestore.hold("Commit")
        reads.release()
        family.wait()
        claim = world.firestore.hold("Commit")
        rung = threads.submit(world.tasks.deliver_due)
        claim.wait()
        if alarm_wins:
            claim.release()
            rung.result()
            family.release()
        else:
            family.release()
            # The family's own commit is through once it wants to write that it is done.
            claim.wait(2)
            claim.release()
        assert 200 == said.result()
        rung.result()
    world.pass_time(EIGHT + timedelta(minutes=30))

    assert [SAID] * alarm_wins == pushed(world)
    changed = words is CHANGE and bool(rule or not alarm_wins)
    answers = [sent.texts[0] for sent in world.line.sent if sent.via == "reply"]
    assert [changed] == ["改成" in answer for answer in answers]
    world.pass_time(EIGHT + timedelta(hours=1, minutes=30))
    assert alarm_wins + changed == len(pushed(world))
    assert 200 in outcomes(world)
    assert [] == world.tasks.given_up


# Deaths and errors: the same bytes under the same key.


def test_whoever_takes_over_sends_the_very_same(world):
    """
    After a death between claim and push the next delivery sends the same bytes with the same key.
    """
    remind(world, "C1", "倒垃圾", EIGHT, whom=("U1", EVERYONE), rule=DAILY)
    world.line.fail("push", Answer({}, 500))
    world.pass_time(EIGHT)
    (before,) = rings(world)
    # What was claimed is said as it was claimed, whatever has changed since.
    alter(world, "C1", 1, text="不倒了", due=EIGHT + timedelta(days=1))
    world.line.remove_members("C1", ["U3"])
    world.pass_time(EIGHT + timedelta(hours=1))

    assert not before["done"]
    first, second = pushes(world)
    assert (500, 200) == (first["status"], second["status"])
    assert first["body"] == second["body"]
    assert ["倒垃圾" in text for text in first["texts"]] == [True, True]
    keys = {line["headers"]["X-Line-Retry-Key"] for line in (first, second)}
    assert 1 == len(keys)
    assert [True] == [one["done"] for one in rings(world)]


def test_what_is_cancelled_before_it_could_be_pushed_is_not_said(world):
    """
    Where LINE is out of reach until it is cancelled, nobody says it any more, nor is it kept.
    """
    remind(world, "U1", "倒垃圾", EIGHT, rule=DAILY)
    remind(world, "U1", "鎖門", EIGHT + timedelta(minutes=20), rule=DAILY)
    world.line.fail("push", Answer({}, 500), times=2)
    world.pass_time(EIGHT)
    alter(world, "U1", 1, state="cancelled")
    world.pass_time(EIGHT + timedelta(hours=1))

    assert [("⏰ 鎖門", "#2 鎖門")] == pushed(world)
    assert [True] * 2 == [one["done"] for one in rings(world)]
    assert all("messages" not in one for one in rings(world))


def test_a_dead_lease_is_taken_over(world):
    """
    A delivery that died under its lease keeps others off until the lease ends; then it is said.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, alarms=False)
    body = alarm_for("U1", reminder)
    world.clock.advance_to(EIGHT)
    world.line.fail("push", Answer({}, 500))
    assert 503 == ring(world, body)
    lease = timedelta(seconds=world.settings.push_timeout + 15)
    # As if it had died instead of giving up in good order.
    (path,) = [path for path in world.documents() if "/rings/" in path]
    world.database.document(path).update({"lease_until": world.clock.now() + lease})

    assert [409] * 2 == [ring(world, body) for _ in range(2)]
    world.clock.advance(lease)
    assert 200 == ring(world, body)
    assert [SAID] == pushed(world)


@pytest.mark.parametrize(
    "failure",
    [Answer({}, 500), Answer({}, 503), Answer({"message": "too many"}, 429)],
    ids=["500", "503", "429"],
)
def test_an_outage_of_line_only_delays(world, failure):
    """
    Where LINE does not answer the queue comes again, and it is said once.
    """
    remind(world, "U1", "倒垃圾", EIGHT)
    world.line.fail("push", failure, times=3)
    world.pass_time(EIGHT + timedelta(hours=2))

    assert [SAID] == pushed(world)
    assert [503] * 3 + [200] == outcomes(world)


def test_what_line_had_taken_is_said(world):
    """
    LINE took the push and its answer got lost: its 409 then is success.
    """
    remind(world, "U1", "倒垃圾", EIGHT)
    world.line.fail("push", lost=True)
    world.pass_time(EIGHT + timedelta(hours=2))

    assert [SAID] == pushed(world)
    assert [409] == [line["status"] for line in pushes(world)][-1:]
    assert {1: "done"} == states(world, "U1")
    assert [True] == [one["done"] for one in rings(world)]
    assert all("messages" not in one for one in rings(world))


def test_firestore_out_of_reach_is_503_and_the_queue_comes_again(new_world):
    """
    Without Firestore nothing is said; when it is back everything is.
    """
    world = new_world(firestore_patience=0)
    world.activate("U1")
    remind(world, "U1", "倒垃圾", EIGHT)
    world.firestore.fail("Commit", grpc.StatusCode.UNAVAILABLE)
    world.firestore.fail("BatchGetDocuments", grpc.StatusCode.UNAVAILABLE)
    world.pass_time(EIGHT + timedelta(hours=1))

    assert [503, 503, 200] == outcomes(world)
    assert [SAID] == pushed(world)


def test_without_cloud_tasks_the_next_alarm_is_set_later(world):
    """
    What is due is said though the next alarm can't be set; the queue comes again for that alone.
    """
    remind(world, "U1", "倒垃圾", EIGHT, rule=DAILY)
    world.tasks.fail("create", Answer({}, 503), times=9)
    world.pass_time(EIGHT + timedelta(hours=1))

    assert [503, 200] == outcomes(world)
    assert [SAID] == pushed(world)
    world.pass_time(EIGHT + timedelta(days=1, hours=1))
    assert [SAID] * 2 == pushed(world)


# The last try.


def test_on_the_last_try_it_is_owed(world):
    """
    When the queue gives up, it is told with the next reply, once.
    """
    remind(world, "U1", "倒垃圾", EIGHT)
    world.line.fail("push", Answer({}, 500), times=30)
    world.pass_time(EIGHT + timedelta(hours=4))
    assert [503] * 29 + [200] == outcomes(world)
    assert ["（遲到）原定 12/01（二）20:00：倒垃圾" in one for one in owed(world, "U1")] == [True]

    world.gemini.script([{"text": "在。"}, {"text": "還在。"}])
    world.say("U1", "在嗎？")
    world.say("U1", "還在嗎？")
    replies = [sent.texts[0] for sent in world.line.sent]
    assert [True, False] == ["倒垃圾" in reply for reply in replies]
    assert [] == owed(world, "U1")


def test_on_the_last_try_what_was_pushed_is_not_owed(world):
    """
    Where only the next alarm could not be set to the end, the family has heard it: nothing is owed.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, rule=DAILY, alarms=False)
    world.clock.advance_to(EIGHT)
    world.tasks.fail("create", Answer({}, 503), times=99)

    assert 200 == ring(world, alarm_for("U1", reminder), retries=29)
    assert [SAID] == pushed(world)
    assert [] == owed(world, "U1")
    assert [True] == [one["done"] for one in rings(world)]


def test_on_the_last_try_it_is_owed_even_without_cloud_tasks(world):
    """
    Where neither LINE nor Cloud Tasks can be reached, the words are still kept for the next reply.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, alarms=False)
    world.clock.advance_to(EIGHT)
    world.line.fail("push", Answer({}, 500))
    world.tasks.fail("create", Answer({}, 503), times=99)

    assert 200 == ring(world, alarm_for("U1", reminder), retries=29)
    assert 1 == len(owed(world, "U1"))


@pytest.mark.parametrize("rule", ["", DAILY])
def test_an_alarm_that_is_refused_does_not_keep_a_ring_open(world, rule):
    """
    Where Cloud Tasks will never take the next alarm, what was said is done with all the same.
    """
    reminder = remind(world, "U1", "倒垃圾", EIGHT, rule=rule, alarms=False)
    world.clock.advance_to(EIGHT)
    world.tasks.fail("create", Answer({}, 403), times=9)

    assert 200 == ring(world, alarm_for("U1", reminder))
    assert [SAID] == pushed(world)
    assert [True] == [one["done"] for one in rings(world)]
    assert {} == conversation(world, "U1").get("alarms", {})


# Several at once.


@pytest.mark.parametrize("count", [2, 5, 12, 50])
def test_what_is_due_in_one_minute_travels_in_one_push(new_world, count):
    """
    All that is due in a conversation is one push; the alarms of the others find nothing to do.
    """
    world = new_world(most_reminders=50)
    world.activate("U1")
    for number in range(count):
        remind(world, "U1", f"第{number:02}件事", EIGHT, rule=DAILY)
    remind(world, "U1", "晚一點的事", EIGHT + timedelta(minutes=2))
    world.pass_time(EIGHT)

    (texts,) = pushed(world)
    lines = [line for text in texts for line in text.split("\n") if line.startswith("⏰")]
    assert [f"⏰ 第{n:02}件事" for n in range(count)] == lines
    assert "晚一點" not in str(texts)
    assert 1 == len(rings(world))
    assert [200] * len(outcomes(world)) == outcomes(world)
    world.pass_time(EIGHT + timedelta(minutes=2))
    assert [2, True] == [len(pushed(world)), "晚一點的事" in str(pushed(world)[-1])]


def test_one_that_is_overdue_and_unsaid_is_caught_up_with(world):
    """
    A reminder whose own alarm was lost is said with the next one that is due, and called late.
    """
    remind(world, "U1", "倒垃圾", EIGHT, alarms=False)
    remind(world, "U1", "鎖門", EIGHT + timedelta(hours=2))
    world.pass_time(EIGHT + timedelta(hours=2))

    (texts,) = pushed(world)
    assert "⏰（遲到）原定 12/01（二）20:00：倒垃圾\n⏰ 鎖門" == texts[0]
    assert {1: "done", 2: "done"} == states(world, "U1")


def test_two_alarms_of_one_minute_at_once_are_one_push(world):
    """
    Also where the alarms of several reminders ring at the very same moment.
    """
    bodies = [
        alarm_for("U1", remind(world, "U1", f"第{number}件事", EIGHT, alarms=False))
        for number in range(6)
    ]
    world.clock.advance_to(EIGHT)
    barrier = threading.Barrier(6)

    def at_once(body):
        barrier.wait()
        return ring(world, body)

    with ThreadPoolExecutor(6) as threads:
        statuses = list(threads.map(at_once, bodies))

    assert {200} <= set(statuses) <= {200, 409}
    (texts,) = pushed(world)
    assert [1] * 6 == [texts[0].count(f"第{number}件事") for number in range(6)]


# Who is there.


def test_a_blocked_chat_and_a_left_group_are_no_storm(world):
    """
    Where nobody is there to push to, it is tried once, and the reminder says so.
    """
    remind(world, "C1", "倒垃圾", EIGHT)
    world.line.leave("C1")
    world.pass_time(EIGHT + timedelta(hours=3))

    assert [200] == outcomes(world)
    assert [400] == [line["status"] for line in pushes(world)]
    assert {1: "undelivered"} == states(world, "C1")


def test_whom_line_will_not_mention_is_called_by_name_in_plain_words(world):
    """
    Somebody who left in the very moment would spoil the push: it is sent again in plain words.
    """
    remind(world, "C1", "倒垃圾", EIGHT, whom=("U2",))
    world.line.fail("push", Answer({"message": "The user isn't a member"}, 400))
    world.pass_time(EIGHT + timedelta(minutes=1))

    assert [400, 200] == [line["status"] for line in pushes(world)]
    keys = [line["headers"]["X-Line-Retry-Key"] for line in pushes(world)]
    assert 2 == len(set(keys))
    assert [True] == ["倒垃圾" in texts[0] for texts in pushed(world)]
    assert [200] == outcomes(world)


def test_the_log_has_no_words_or_ids_of_a_family(world):
    """
    Whatever happens to an alarm, the log tells how it went and nothing of what was said or to whom.
    """
    remind(world, "C1", "秘密提醒", EIGHT, whom=("U1",), rule=DAILY)
    world.line.fail("push", Answer({"message": "秘密訊息 U1"}, 500), times=2)
    world.line.fail("push", Answer({"message": "秘密訊息 U1"}, 400), times=2)
    world.line.fail("member", Answer({"message": "U1"}, 500))
    world.pass_time(EIGHT + timedelta(days=2))

    log = json.dumps(world.logs.lines, ensure_ascii=False)
    for secret in ("秘密", "媽媽", '"U1"', "/U1", '"C1"', "/C1", "stateless"):
        assert secret not in log
    assert len(world.logs.lines) > 3


# What it costs.


def bills(world, function):
    """Return the bills of a function's last calls."""
    return [
        line["meter"]
        for line in world.journal.lines
        if line.get("from") == function and "meter" in line
    ]


def counts(bill):
    """Return how much a bill says was read, written and deleted."""
    return bill["reads"], bill["writes"], bill["deletes"]


def crowd(world, many):
    """Let so many more reminders be pending, in as many other chats as it takes."""
    day = EIGHT + timedelta(days=3)
    for begun in range(0, many, 50):
        chat = f"Uother{begun}"
        world.activate(chat)
        others = [
            Reminder(no, "別家的事", day, datetime(2026, 12, 4, 20), TAIPEI)
            for no in range(1, 1 + min(50, many - begun))
        ]
        change(world, chat, partial(_set_all, reminders=others), alarms=False)


def _set_all(draft, reminders):
    for reminder in reminders:
        draft.remind(reminder)


def cost(world):
    """Return what setting, cancelling and firing a reminder cost."""
    setting = {"call": "set_reminder", "args": {"text": "倒垃圾", "at": "2026-12-01T20:00"}}
    world.gemini.script([setting, {"text": "好。"}])
    world.say("U1", "八點提醒我倒垃圾")
    world.gemini.script(
        [{**setting, "args": {**setting["args"], "text": "餵魚"}}, {"text": "好。"}]
    )
    world.say("U1", "也提醒我餵魚")
    world.say("U1", "/取消 #2")
    world.pass_time(EIGHT)
    return [counts(bill) for bill in bills(world, "answer")], [
        counts(bill) for bill in bills(world, "push")
    ]


def test_a_thousand_reminders_of_others_cost_nothing(new_world):
    """
    Setting, cancelling and firing read and write as much with a thousand pending as with ten.
    """
    costs = []
    for many in (10, 1000):
        world = new_world()
        world.activate("U1")
        crowd(world, many)
        costs.append(cost(world))
        assert [SAID] == pushed(world)

    assert costs[0] == costs[1]
    answers, alarms = costs[0]
    assert 3 == len(answers)
    assert all(reads <= 2 and writes <= 8 for reads, writes, _ in answers)
    # One that is said: two reads, then the claim with what moves on, and the end. One that was
    # cancelled: two reads, and a look for what is unfinished.
    assert {(2, 4, 0), (3, 0, 0)} == set(alarms)


def test_an_alarm_costs_the_same_among_fifty_in_its_own_chat(world):
    """
    Others that are pending in the same conversation are in its one document, and cost nothing.
    """
    first = remind(world, "U1", "倒垃圾", EIGHT, alarms=False)
    world.clock.advance_to(EIGHT)
    world.firestore.take()
    ring(world, alarm_for("U1", first))
    cheap = world.firestore.take().as_line()
    for number in range(49):
        remind(world, "U2", f"第{number}件事", EIGHT + timedelta(days=2), alarms=False)
    last = remind(world, "U2", "倒垃圾", EIGHT + timedelta(hours=1), alarms=False)
    world.clock.advance_to(EIGHT + timedelta(hours=1))
    world.firestore.take()
    ring(world, alarm_for("U2", last))
    dear = world.firestore.take().as_line()

    assert counts(cheap) == counts(dear)


def test_what_one_push_can_not_take_is_said_in_the_next(new_world):
    """
    Fifty of the longest words there may be at one minute: each of them is said, and once.
    """
    world = new_world()
    world.activate("U1")
    for number in range(50):
        remind(world, "U1", f"第{number:02}件事" + "🍎" * 295, EIGHT, rule=DAILY)
    world.pass_time(EIGHT + timedelta(minutes=10))

    said = "\n".join(text for texts in pushed(world) for text in texts if text.startswith("⏰"))
    assert [1] * 50 == [said.count(f"⏰ 第{number:02}件事") for number in range(50)]
    assert 2 == len(pushed(world))
    assert [] == [status for status in outcomes(world) if status not in {200, 409}]


def test_an_alarm_that_was_refused_is_made_while_answering(world):
    """
    A reminder that is pending without an alarm has one again once somebody asks something.
    """
    remind(world, "U1", "倒垃圾", EIGHT, rule=DAILY)
    world.tasks.fail("create", Answer({}, 403))
    world.pass_time(EIGHT)
    assert [SAID] == pushed(world)
    assert [] == world.tasks.payloads()

    world.gemini.script([{"text": "在。"}])
    world.say("U1", "在嗎？")
    world.pass_time(EIGHT + timedelta(days=1))
    assert [SAID] * 2 == pushed(world)
