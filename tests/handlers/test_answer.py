"""The path from the queue to LINE."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import grpc
import pytest
import urllib3

from assistant.bubbles import units
from local.loopback import Answer

REMINDERS = ["set_reminder", "change_reminder", "cancel_reminder"]


def texts(world):
    return [message["text"] for sent in world.line.sent for message in sent.messages]


def answers(world):
    lines = [line for line in world.journal.lines if line.get("from") == "answer"]
    return [line["status"] for line in lines if "status" in line]


def asked(world):
    return [line for line in world.journal.lines if line.get("call") == "generate"]


def body_of(*events):
    return json.dumps({"destination": "Ubot", "events": events}, ensure_ascii=False).encode()


def post(world, body, *, event="0", signature=None, **headers):
    """Call /answer as the queue does, or as somebody else would."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if signature is None:
        signature = world.line.sign(body)
    return urllib3.request(
        "POST",
        f"{world.functions.url}/webhook/answer?event={event}",
        body=body,
        headers={"X-Line-Signature": signature, **named},
        retries=False,
        timeout=60,
    ).status


def window(world, chat):
    return world.documents()[f"conversations/{chat}"]["window"]


def everything(world):
    return json.dumps(world.documents(), ensure_ascii=False, default=str)


def facts(world, chat):
    """Return the texts of a conversation's facts, by number."""
    prefix = f"conversations/{chat}/facts/"
    return {
        int(path.removeprefix(prefix)): document["text"]
        for path, document in world.documents().items()
        if path.startswith(prefix)
    }


def remembering(text, subject="小美"):
    """Return what the model asks for to remember something."""
    arguments = {"text": text, "subject": subject, "category": "other"}
    return {"call": "remember", "args": arguments}


# Who gets in.


@pytest.mark.parametrize("signature", ["", "Zm9yZ2Vk", None])
def test_a_forged_call_stores_nothing(world, signature):
    """
    /answer is proved as / is: by LINE's signature of exactly this body.
    """
    body = body_of(world.message("U1", "U1", world.family.text("你好")))
    before = world.documents()
    if signature is None:
        signature, body = world.line.sign(body), body.replace("你好".encode(), "我好".encode())

    assert 401 == post(world, body, signature=signature)
    assert before == world.documents()
    assert [] == asked(world)


@pytest.mark.parametrize("event", ["1", "-1", "", "x", "0x0", "９", "0 ", "99999999999999999999"])
def test_an_event_number_out_of_range_is_refused(world, event):
    """
    A number the body has no event for is 400, and nothing is stored.
    """
    body = body_of(world.message("U1", "U1", world.family.text("你好")))
    before = world.documents()

    assert 400 == post(world, body, event=event)
    assert before == world.documents()


def test_a_replayed_call_is_a_duplicate(world):
    """
    Whoever sends the same signed body again, with whatever headers, changes nothing.
    """
    world.gemini.script([{"text": "好"}])
    body = body_of(world.message("U1", "U1", world.family.text("你好")))
    assert 200 == post(world, body)
    before = world.documents()

    assert 200 == post(world, body, X_CloudTasks_TaskRetryCount="99", Authorization="Bearer x")
    assert before == world.documents()
    assert ["好"] == texts(world)


# Once, however often.


def test_five_deliveries_at_once_and_five_later_are_one_answer(new_world):
    """
    The same event, at once and later: one call of the model, one reply.
    """
    world = new_world(stand_in=lambda request: "好")
    world.activate("U1")
    body = body_of(world.message("U1", "U1", world.family.text("你好")))
    with ThreadPoolExecutor(5) as threads:
        at_once = list(threads.map(lambda _: post(world, body), range(5)))
    later = [post(world, body) for _ in range(5)]

    assert {200} <= set(at_once) <= {200, 409}
    assert [200] * 5 == later
    assert 1 == len(asked(world))
    assert ["好"] == texts(world)


def test_a_delivery_under_a_live_lease_comes_back_later(new_world):
    """
    While one delivery is at it another gets 409, and the queue brings it again.
    """
    thinking, gate = threading.Event(), threading.Event()

    def slow(request):
        thinking.set()
        assert gate.wait(30)
        return "好"

    world = new_world(stand_in=slow)
    world.activate("U1")
    body = body_of(world.message("U1", "U1", world.family.text("你好")))
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(post, world, body)
        assert thinking.wait(30)
        second = post(world, body)
        gate.set()

    assert (200, 409) == (first.result(), second)
    assert 200 == post(world, body)
    assert ["好"] == texts(world)


def test_a_dead_lease_is_taken_over_and_what_was_thought_is_sent(world):
    """
    A delivery that died after thinking is taken over when its lease ends; the model is not asked.
    """
    event = world.message("U1", "U1", world.family.text("你好"))
    lease = timedelta(seconds=world.settings.answer_timeout + 15)
    claim = world.database.document("conversations/U1/events", event["webhookEventId"])
    claim.create(
        {
            "holder": "somebody who died",
            "lease_until": world.clock.now() + lease,
            "done": False,
            "reply": {
                "bubbles": ["想過的"],
                "remembered": "想過的",
                "withheld": False,
                "forgotten": 0,
            },
        }
    )

    assert 409 == post(world, body_of(event))
    world.clock.advance(lease)
    assert 200 == post(world, body_of(event))
    assert ["想過的"] == texts(world)
    assert [] == asked(world)
    assert "想過的" in json.dumps(window(world, "U1"), ensure_ascii=False)
    assert "reply" not in claim.get().to_dict()


def test_two_deliveries_that_find_a_dead_lease_are_one_answer(new_world):
    """
    Of several that want to take over, one does.
    """
    world = new_world(stand_in=lambda request: "好")
    world.activate("U1")
    event = world.message("U1", "U1", world.family.text("你好"))
    world.database.document("conversations/U1/events", event["webhookEventId"]).create(
        {"holder": "somebody who died", "lease_until": world.clock.now(), "done": False}
    )
    with ThreadPoolExecutor(10) as threads:
        statuses = list(threads.map(lambda _: post(world, body_of(event)), range(10)))

    assert {200} <= set(statuses) <= {200, 409}
    assert ["好"] == texts(world)


def test_a_commit_whose_answer_was_lost_is_known_as_our_own(world):
    """
    A claim that exists under our own name is ours: an answer that was lost on its way is no rival.
    """
    from memory.calls import patience
    from memory.store import Store

    store = Store(
        world.database, "U1", world.clock, lease=timedelta(minutes=1), patience=patience(1)
    )
    store.claim("event")
    held = world.database.document("conversations/U1/events/event").get().to_dict()["holder"]

    assert not store._take_over("event", held).done


# What is remembered, and forgotten.


@pytest.mark.parametrize(
    ("expected", "memory"),
    [
        (REMINDERS, "window"),
        (REMINDERS, "summary"),
        (["remember", "forget", *REMINDERS], "facts"),
    ],
)
def test_tools_are_offered_where_facts_are_kept(new_world, expected, memory):
    """
    Where a deployment keeps no facts, the model can remember and forget none.
    """
    world = new_world(memory=memory)
    world.activate("U1")
    world.gemini.script([{"text": "好"}])
    world.say("U1", "記住我愛畫畫")

    assert [expected] == [line["tools"] for line in asked(world)]


def test_facts_told_at_once_are_all_kept(new_world):
    """
    Whoever remembers at the same time as others gets a number of its own, and loses none of theirs.
    """

    def model(request):
        *_, last = request["contents"]
        if "functionResponse" in last["parts"][0]:
            return "好"
        return remembering(last["parts"][0]["text"].rpartition("記住")[2])

    world = new_world(stand_in=model)
    world.activate("C1")
    bodies = [
        body_of(world.message("U1", "C1", world.family.text(f"@小幫手 記住小美會第{n}首歌")))
        for n in range(5)
    ]

    def insist(body):
        return next(status for status in iter(lambda: post(world, body), None) if status == 200)

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(insist, bodies))

    assert {1, 2, 3, 4, 5} == set(facts(world, "C1"))
    assert {f"小美會第{n}首歌" for n in range(5)} == set(facts(world, "C1").values())
    assert ["好"] * 5 == texts(world)


def test_what_a_stopped_message_told_is_not_kept(world):
    """
    Where the filters stop an answer, the family hears that the message is not kept, and it isn't.
    """
    world.gemini.script([remembering("小美愛畫畫"), {"finish": "SAFETY"}])
    world.say("U1", "記住小美愛畫畫")

    assert ["不會記住它" in text for text in texts(world)] == [True]
    assert "畫畫" not in everything(world)


def test_what_an_unsent_message_told_is_forgotten(world):
    """
    With the message go the fact it told, the sentences on it, and what was answered to it.
    """
    world.activate("C1", {"summary": ["全家去了宜蘭。"]})
    world.gemini.script([remembering("小美愛畫畫"), {"text": "好，小美愛畫畫。"}])
    said = world.say("U2", "@小幫手 記住小美愛畫畫", "C1")
    world.say("U1", "她真厲害", "C1")
    assert {1: "小美愛畫畫"} == facts(world, "C1")
    world.send(world.family.event("unsend", "U2", "C1", unsend={"messageId": said}))

    assert "畫畫" not in everything(world)
    assert {} == facts(world, "C1")
    assert all(words in everything(world) for words in ("她真厲害", "全家去了宜蘭"))


@pytest.mark.parametrize("deed", ["unsend", "/忘記 #1", "/全部刪除 確定"])
def test_what_was_forgotten_meanwhile_is_not_said_again_in_the_window(new_world, deed):
    """
    An answer that was thought before something was forgotten is said, and then forgotten too.
    """
    thinking, gate = threading.Event(), threading.Event()

    def slow(request):
        thinking.set()
        assert gate.wait(30)
        return "爸爸養了一隻柴犬"

    world = new_world(stand_in=slow)
    fact = {"text": "爸爸養了一隻柴犬", "subject": "爸爸", "by": "U2"}
    world.activate("C1", {"facts": [fact]})
    said = world.say("U2", "我養了一隻柴犬", "C1")
    question = world.message("U1", "C1", world.family.text("@小幫手 爸爸養什麼？"))
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(post, world, body_of(question))
        assert thinking.wait(30)
        if deed == "unsend":
            world.send(world.family.event("unsend", "U2", "C1", unsend={"messageId": said}))
            world.say("U2", "/忘記 #1", "C1")
        else:
            world.say("U2", deed, "C1")
        gate.set()

    assert 200 == first.result()
    assert "爸爸養了一隻柴犬" in texts(world)
    assert "柴犬" not in everything(world)


def test_a_command_whose_commit_went_through_unheard_is_obeyed_once(world):
    """
    Where only Firestore's answer was lost, the family hears what was done, not that it can't be.
    """
    world.activate("C1", {"facts": [{"text": "小美愛畫畫", "subject": "小美"}]})
    world.firestore.fail("Commit")
    world.firestore.fail("Commit", lost=True)
    world.say("U1", "/忘記 #1", "C1")

    assert ["忘掉了：#1"] == texts(world)
    assert {} == facts(world, "C1")


def test_a_commands_words_are_no_turn(world):
    """
    Commands and what is said to them are not in the window, and the model is not asked.
    """
    world.activate("C1", {"facts": [{"text": "小美愛畫畫", "subject": "小美"}]})
    for command in ("/記憶", "@小幫手 /memory", "/說明", "/匯出", "/忘記 #9", "/全部刪除"):
        world.say("U2", command, "C1")

    assert 6 == len(texts(world))
    assert {} == window(world, "C1")
    assert [] == asked(world)


def test_nobody_obeys_strangers(new_world):
    """
    Where the assistant was not invited, a command is answered only if it is called, and not done.
    """
    world = new_world()
    world.say("U1", "/記憶", "C1")
    assert [] == texts(world)
    world.say("U1", "@小幫手 /全部刪除 確定", "C1")

    assert [True] == ["邀請" in text for text in texts(world)]
    assert [] == [path for path in world.documents() if path.startswith("conversations/")]


def test_a_digest_that_fails_is_not_the_familys_concern(new_world):
    """
    The answer has gone out: what fails behind it costs no turn and is tried again later.
    """
    world = new_world(window_turns=2, gemini_attempts=1)
    world.activate("U1")
    world.gemini.script([*[{"text": "好"}] * 3, {"for": "digest", "error": 503}])
    for text in ("一", "二", "三"):
        world.say("U1", text)
    assert [200] * 3 == answers(world)
    assert ["好"] * 3 == texts(world)
    assert (6, 0) == (len(window(world, "U1")), world.gemini.unused)

    world.clock.advance(timedelta(minutes=11))
    digested = {"summary": [{"text": "數到三。", "sources": ["t1"]}], "operations": []}
    world.gemini.script([{"text": "好"}, {"for": "digest", "json": digested}])
    world.say("U1", "四")

    assert (2, 0) == (len(window(world, "U1")), world.gemini.unused)
    assert "數到三" in everything(world)


# Nothing is lost.


def test_a_model_that_fails_wholly_does_not_lose_the_message(world):
    """
    The message stays in the window, and the family hears one sentence, once.
    """
    world.gemini.script([{"error": 503}] * 3)
    world.say("U1", "記得這句")
    world.pass_time(world.clock.now() + timedelta(hours=1))

    assert 1 == len(texts(world))
    assert "記得這句" in json.dumps(window(world, "U1"), ensure_ascii=False)


def test_firestore_out_of_reach_is_503_and_the_queue_comes_again(new_world):
    """
    Without Firestore nothing is said; when it is back the message is answered.
    """
    world = new_world(firestore_patience=0)
    world.activate("U1")
    world.gemini.script([{"text": "好"}])
    world.firestore.fail("Commit", grpc.StatusCode.UNAVAILABLE)
    world.say("U1", "你好")
    assert [503] == answers(world)

    world.pass_time(world.clock.now() + timedelta(minutes=1))
    assert [503, 200] == answers(world)
    assert ["好"] == texts(world)


def test_on_the_last_try_the_family_is_told(world):
    """
    When the queue gives a message up, one honest sentence says so.
    """
    world.gemini.script([{"text": "沒送出去"}])
    world.line.fail("reply", Answer({}, 500), times=2 * 9)
    world.say("U1", "你好")
    world.pass_time(world.clock.now() + timedelta(hours=1))

    assert [503] * 9 == answers(world)
    assert 1 == len(world.tasks.given_up)
    assert "沒能回答" in texts(world)[0]


@pytest.mark.parametrize(("text", "chat"), [("你好", "U1"), ("/記憶", "C1")])
def test_on_the_last_try_the_family_is_told_of_our_own_faults_too(world, text, chat):
    """
    What nobody foresaw is a 500 and one line in the log each time, and in the end an apology.
    """
    world.firestore.fail("Commit", grpc.StatusCode.PERMISSION_DENIED, times=9)
    world.say("U1", text, chat)
    world.pass_time(world.clock.now() + timedelta(hours=1))

    assert [500] * 9 == answers(world)
    assert ["unexpected"] * 9 == [line["message"] for line in world.logs.lines]
    assert 1 == len(texts(world))
    assert "沒能回答" in texts(world)[0]


def test_fifty_events_at_once_in_each_of_two_groups_are_all_kept(world):
    """
    No turn is lost, doubled or mixed.
    """
    bodies = [
        body_of(world.message("U1", chat, world.family.text(f"{chat} 第 {n} 句")))
        for n in range(50)
        for chat in ("C1", "R1")
    ]
    assert 200 == post(world, body_of(world.message("U2", "C1", {"type": "image"})))
    with ThreadPoolExecutor(100) as threads:
        statuses = list(threads.map(lambda body: post(world, body), bodies))

    assert [200] * 100 == statuses
    for chat, others in (("C1", 1), ("R1", 0)):
        said = [next(iter(e["texts"].values())) for e in window(world, chat).values()]
        assert {f"{chat} 第 {n} 句" for n in range(50)} <= set(said)
        assert 50 + others == len(said)


# Bounds.


@pytest.mark.parametrize(
    "messages", [300, pytest.param(5000, marks=pytest.mark.long)], ids=["some", "many"]
)
@pytest.mark.parametrize(("memory", "most"), [("window", 60), ("facts", 210)])
def test_silent_talk_leaves_a_small_document(new_world, messages, memory, most):
    """
    However much a group talks among itself, every event is taken and the document stays small.

    So it is where turns are to be digested and the model is out of reach for ever.
    """
    world = new_world(memory=memory, gemini_attempts=1)
    world.activate("C1")
    world.gemini.fail("generate", Answer({}, 503), times=10**9)
    texts = ["好" * 1900, "🎉" * 1200, "x" * 9000, "嗯"]
    bodies = [
        body_of(world.message("U1", "C1", world.family.text(f"{n} {texts[n % 4]}")))
        for n in range(messages)
    ]
    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda body: post(world, body), bodies))

    assert [200] * messages == statuses
    document = world.documents()["conversations/C1"]
    size = len(json.dumps(document, ensure_ascii=False, default=str).encode())
    assert size < 200_000
    assert 1 <= len(document["window"]) <= most
    assert any(str(messages - 1) in str(entry) for entry in document["window"].values())


def test_an_over_long_turn_is_shortened_not_dropped(world):
    """
    Of one enormous message the beginning and the end are remembered.
    """
    world.say("U1", "頭" + "中" * 9000 + "尾", "C1")

    (entry,) = window(world, "C1").values()
    (text,) = entry["texts"].values()
    assert world.settings.turn_characters == len(text)
    assert ("頭", "尾") == (text[0], text[-1])


def test_an_answer_of_any_length_fits_five_bubbles(world):
    """
    Each bubble is within LINE's limit; what does not fit is said to be left out.
    """
    world.gemini.script([{"text": "長" * 30_000}])
    world.say("U1", "講很長")

    (sent,) = world.line.sent
    bubbles = [message["text"] for message in sent.messages]
    assert 5 == len(bubbles)
    assert all(units(bubble) <= 5000 for bubble in bubbles)
    assert bubbles[-1].endswith("（太長了，後面先省略。）")


# Privacy.


def test_the_log_has_no_words_names_ids_or_tokens_of_a_family(world):
    """
    Whatever happens, the log tells how it went and nothing of what was said or by whom.
    """
    world.gemini.script([{"text": "秘密回答"}, {"error": 503}, {"error": 503}, {"error": 400}])
    world.line.fail("reply", Answer({"message": "秘密訊息 U1"}, 400))
    world.line.fail("profile", Answer({"message": "U1"}, 500))
    for text in ("秘密一", "秘密二"):
        world.say("U1", text)
    world.send({"type": "message", "source": {"type": "user", "userId": "U1"}})

    log = json.dumps(world.logs.lines, ensure_ascii=False)
    for secret in ("秘密", "媽媽", '"U1"', "/U1", "local-access-token", "stateless"):
        assert secret not in log
    assert len(world.logs.lines) > 3
