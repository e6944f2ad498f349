"""The path from LINE's webhook to the queue."""

import hashlib
import json
from pathlib import Path

import pytest
import urllib3
import yaml

from local.loopback import Answer

EXAMPLES = yaml.safe_load((Path(__file__).parent.parent / "webhooks.yaml").read_text("utf-8"))


def tasks_made(world):
    return [line for line in world.journal.lines if line.get("to") == "tasks"]


def answers(world):
    lines = [line for line in world.journal.lines if line.get("from") == "answer"]
    return [line["status"] for line in lines if "status" in line]


def problems(world):
    return [line for line in world.logs.lines if line["severity"] not in {"INFO", "DEBUG"}]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_webhook_of_lines_reference_is_taken(new_world, name):
    """
    Each event, message and source type, even of the future, is handled or passed over in peace.
    """
    world = new_world(access="open", stand_in=lambda request: "好")
    webhook = json.dumps(EXAMPLES[name], ensure_ascii=False)
    for event in EXAMPLES[name]["events"]:
        source = event.get("source", {})
        chat = source.get("groupId") or source.get("roomId") or source.get("userId")
        world.line.people.setdefault(chat, "家人")
        world.line.groups.setdefault(chat, [source.get("userId")])
        if "replyToken" in event:
            token = world.line.issue_reply_token(chat)
            webhook = webhook.replace(event["replyToken"], token)

    assert 200 == world.post(webhook.encode())
    assert set(answers(world)) <= {200}
    assert [] == problems(world)


def test_each_event_becomes_a_task_of_its_own(world):
    """
    A task carries the same signed body and its event's number, under a name made of the event's id.
    """
    events = [
        world.message("U1", "C1", world.family.text("一")),
        world.message("U2", "C1", world.family.text("二")),
    ]
    body = json.dumps({"destination": "Ubot", "events": events}).encode()
    world.post(body)

    made = sorted(tasks_made(world), key=lambda line: line["url"])
    names = [hashlib.sha256(e["webhookEventId"].encode()).hexdigest()[:32] for e in events]
    assert names == [line["task"] for line in made]
    assert [body.decode()] * 2 == [line["payload"] for line in made]
    assert [f"{world.functions.url}/webhook/answer?event={n}" for n in (0, 1)] == [
        line["url"] for line in made
    ]


def test_an_event_without_an_id_is_named_by_its_content(world):
    """
    Two deliveries of an event without an id make one task; another event makes another.
    """
    event = world.message("U1", "C1", world.family.text("一"))
    del event["webhookEventId"]
    world.send(event)
    world.redeliver()
    world.send(event | {"timestamp": event["timestamp"] + 1})

    assert [200, 409, 200] == [line["status"] for line in tasks_made(world)]


def test_a_standby_event_is_left_to_the_other_channel(world):
    """
    An event in standby mode makes no task.
    """
    event = world.message("U1", "U1", world.family.text("一")) | {"mode": "standby"}

    assert 200 == world.send(event)
    assert [] == tasks_made(world)


@pytest.mark.parametrize("token", ["0" * 32, "f" * 32])
def test_the_dummy_events_of_old_verify_buttons_are_not_answered(world, token):
    """
    Nobody is there behind LINE's dummy reply tokens.
    """
    event = world.message("U1", "U1", world.family.text("一")) | {"replyToken": token}

    assert 200 == world.send(event)
    assert [] == tasks_made(world)


@pytest.mark.parametrize("bad", [None, 1, "event", [], {}, {"type": "message", "source": 5}])
def test_one_bad_event_never_fails_the_batch(world, bad):
    """
    What is no event is passed over, and the good one beside it is answered.
    """
    world.gemini.script([{"text": "好"}])
    good = world.message("U1", "U1", world.family.text("你好"))

    assert 200 == world.send(bad, good)
    assert ["好"] == [message["text"] for sent in world.line.sent for message in sent.messages]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"not json", 400),
        (b"\xff\xfe", 400),
        (b"[]", 400),
        (b"null", 400),
        (b'"events"', 400),
        (b"{}", 400),
        (b'{"events": {}}', 400),
        (b'{"events": null}', 400),
        (b"[" * 100_000, 400),
        (b'{"events": []}', 200),
        (b"x" * 1_000_000, 400),
        (b"x" * 1_000_001, 413),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else str(value),
)
def test_a_malformed_body_gets_a_clear_status_and_one_line_in_the_log(world, body, status):
    """
    What LINE signed but is no webhook is refused once, and nothing is written.
    """
    before = world.documents()

    assert status == world.post(body)
    assert (status != 200) == len(problems(world))
    assert before == world.documents()
    assert [] == tasks_made(world)


@pytest.mark.parametrize("signature", ["", "bm90IHRoaXM=", "ünïcode"])
def test_a_body_line_did_not_sign_is_refused(world, signature):
    """
    Without LINE's signature of exactly these bytes the answer is 401, and nothing happens.
    """
    assert 401 == world.post(b'{"events": []}', signature.encode().decode("latin-1"))
    assert [] == tasks_made(world)


def test_line_may_redeliver_while_cloud_tasks_is_out_of_reach(world):
    """
    If an event could not be queued the answer is 500, and the redelivery finds its way.
    """
    world.gemini.script([{"text": "好"}])
    world.tasks.fail("create", Answer({}, 503), times=3)

    assert 500 == world.send(world.message("U1", "U1", world.family.text("你好")))
    assert 200 == world.redeliver()
    assert 1 == len(world.line.sent)


def test_one_event_cloud_tasks_refuses_does_not_hold_up_the_others(world):
    """
    A task refused for good is logged, and the rest of its batch is answered.
    """
    world.gemini.script([{"text": "好"}])
    world.tasks.fail("create", Answer({}, 400))
    events = [world.message("U1", "U1", world.family.text(text)) for text in ("一", "二")]

    assert 200 == world.send(*events)
    assert 1 == len(world.line.sent)
    assert ["event lost: its task was refused"] == [line["message"] for line in problems(world)]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 405), ("PUT", "/answer", 405), ("POST", "/push", 404), ("GET", "/x", 404)],
)
def test_what_is_not_a_webhook_is_turned_away(world, method, path, status):
    """
    Only POST, and only these two paths.
    """
    url = f"{world.functions.url}/webhook{path}"

    assert status == urllib3.request(method, url, redirect=False, timeout=60).status
