"""Whatever LINE may sign and whatever Gemini may answer, nothing breaks."""

import copy
import json
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from local.loopback import Answer

EXAMPLES = yaml.safe_load((Path(__file__).parent / "webhooks.yaml").read_text("utf-8"))
EVENTS = [event for body in EXAMPLES.values() for event in body["events"]]
IDS = {event.get("webhookEventId") for event in EVENTS} - {None}

STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**63, 2**70, 1e308, 1e-300]),
    st.text(max_size=20),
    st.sampled_from(["", "/", ".", "..", "__x__", "a/b", "\x00", "\ud83d", "`", "x" * 5000, "🎉"]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)
"""Values where others are expected."""

GOOD_ANSWER = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "好"}]},
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    "modelVersion": "gemini",
}


def calling(*calls):
    """Return an answer that asks for tools."""
    parts = [{"functionCall": {"name": name, "args": args}} for name, args in calls]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


REMEMBER = ("remember", {"text": "媽媽怕狗", "subject": "媽媽", "category": "preference"})
ANSWERS = [
    GOOD_ANSWER,
    calling(REMEMBER),
    calling(REMEMBER, ("forget", {"numbers": [1]})),
    calling(("forget", {"numbers": [2, 3, 1]}), ("recall", {"query": "狗"})),
    {},
    {"candidates": []},
    {"promptFeedback": {"blockReason": "SAFETY"}},
    {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}]},
    calling(("unknown", {"a": 1})),
    {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "…", "thought": True}, {"text": "長" * 40_000}],
                },
                "finishReason": "STOP",
            }
        ]
    },
]

OPERATION = {
    "relation": "add",
    "text": "媽媽怕狗",
    "subject": "媽媽",
    "kind": "person",
    "category": "preference",
    "importance": 0.6,
    "speaker": "媽媽",
    "evidence": "怕狗",
}
FORMS = [
    {
        "summary": [
            {"text": "媽媽說她怕狗。", "sources": ["t1", "s1"]},
            {"text": "助理說好。", "sources": ["t2"]},
        ],
        "operations": [OPERATION],
    },
    {
        "summary": [{"text": "媽媽怕狗，週二考試。", "sources": ["t1"]}],
        "operations": [
            OPERATION | {"relation": "same", "number": 1},
            OPERATION | {"text": "媽媽2026-12-08考試", "expires_on": "2026-12-08"},
        ],
    },
    {
        "summary": [{"text": "媽媽怕狗和貓。", "sources": ["s1", "t1"]}],
        "operations": [
            OPERATION | {"relation": "update", "number": 1, "text": "媽媽怕狗和貓"},
            OPERATION | {"relation": "contradict", "number": 2, "text": "媽媽不怕狗"},
        ],
    },
]
"""What a digest may return."""


def places(value, path=()):
    """Return the paths of everything in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = enumerate(value)
    for key, part in items:
        yield from places(part, (*path, key))


@st.composite
def mutants(draw, originals, most=3):
    """One of the originals, with a few things in it gone, strange or in the wrong place."""
    mutant = copy.deepcopy(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, most))):
        path = draw(st.sampled_from(list(places(mutant))))
        if not path:
            continue
        parent = mutant
        for key in path[:-1]:
            parent = parent[key]
        match draw(st.sampled_from(["gone", "strange", "more"])):
            case "gone":
                del parent[path[-1]]
            case "strange":
                parent[path[-1]] = draw(STRANGE)
            case "more" if isinstance(parent, dict):
                parent[draw(st.text(max_size=10))] = draw(STRANGE)
    return mutant


def fuzzed(cases):
    """Return the settings of a run of so many cases, the same ones each time."""
    return settings(
        max_examples=cases,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def lengths(short, long):
    """Return a short run for every day, and a long one."""
    return pytest.mark.parametrize(
        "cases", [short, pytest.param(long, marks=pytest.mark.long)], ids=["short", "long"]
    )


def answered(world):
    """Return what the tasks were answered since the last time."""
    lines = [line for line in world.journal.new() if line.get("from") == "answer"]
    return [line["status"] for line in lines if "status" in line]


def bugs(world):
    return [line for line in world.logs.lines if line["message"] == "unexpected"]


@pytest.fixture
def open_world(new_world):
    """A world in which every chat is welcome and the model always says something."""
    return new_world(access="open", stand_in=lambda request: "好", firestore_patience=1)


@lengths(150, 13_500)
def test_no_event_breaks_anything(open_world, cases):
    """
    Signed events in whatever shape are never a 5xx nor a bug, and most of them get to /answer.
    """
    world = open_world
    seen = Counter()

    @fuzzed(cases)
    @given(mutants(EVENTS))
    def send(event):
        if str(event.get("webhookEventId")) in IDS:
            # Else it would be a duplicate of the original's other mutants, and no more.
            event["webhookEventId"] = f"fuzz{seen['cases']}"
        body = {"destination": "Ubot", "events": [event]}
        status = world.post(json.dumps(body).encode())
        statuses = answered(world)
        seen["cases"] += 1
        seen["answered"] += bool(statuses)
        assert status == 200
        assert set(statuses) <= {200}

    send()
    assert [] == bugs(world)
    assert seen["answered"] >= seen["cases"] / 2


@lengths(100, 5_000)
def test_no_body_breaks_anything(open_world, cases):
    """
    Signed bodies of whatever bytes are taken or refused, never a 5xx.
    """
    world = open_world

    @fuzzed(cases)
    @given(
        st.one_of(
            st.binary(max_size=300),
            st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
            mutants(list(EXAMPLES.values()), most=6).map(lambda body: json.dumps(body).encode()),
            st.integers(1, 3000).map(
                lambda depth: b'{"events":' + b"[" * depth + b"]" * depth + b"}"
            ),
        )
    )
    def send(body):
        assert world.post(body) in {200, 400}
        world.journal.new()

    send()
    assert [] == bugs(world)


@lengths(100, 1_500)
def test_no_answer_of_the_model_breaks_anything(open_world, cases):
    """
    Whatever Gemini answers, the family gets exactly one message that LINE takes.
    """
    world = open_world

    @fuzzed(cases)
    @given(
        st.one_of(
            st.tuples(mutants(ANSWERS, most=5), st.just(200)),
            st.tuples(STRANGE, st.just(200)),
            st.tuples(mutants([GOOD_ANSWER]), st.sampled_from([204, 301, 400, 403, 429, 500, 503])),
        )
    )
    def answer(given_answer):
        body, status = given_answer
        world.gemini.fail("generate", Answer(body, status), times=3)
        before = len(world.line.sent)
        world.say("U1", "記住媽媽怕狗")
        while world.gemini.faults.take("generate"):
            pass
        assert 1 == len(world.line.sent) - before
        assert all(message["text"].strip() for message in world.line.sent[-1].messages)
        world.journal.new()

    answer()
    assert [] == bugs(world)


@lengths(100, 3_000)
def test_no_command_breaks_anything(open_world, cases):
    """
    Whatever is typed behind a command's name, the family hears something of it, once.
    """
    world = open_world
    world.activate("U1", {"facts": [{"text": f"媽媽會第{n}首歌"} for n in range(1, 9)]})
    names = ("記憶", "forget", "改", "忘記我", "匯出", "deleteall", "說明", "啟用")
    numbers = st.from_regex(r"[#＃]?[0-9]{1,30}", fullmatch=True) | st.sampled_from(
        ["#1", "2", "#٣", "1" * 1600, "1" * 4500, "#0", "-1"]
    )
    words = st.text(max_size=20) | st.sampled_from(["確定", "新的", "\x00", "，", "第 9 首"])

    @fuzzed(cases)
    @given(
        st.sampled_from(names),
        st.lists(st.tuples(numbers | words, st.sampled_from([" ", "", "　", "\n"])), max_size=4),
    )
    @example("改", [("1" * 4500, " "), ("新的", "")])
    def command(name, arguments):
        before = len(world.line.sent)
        world.say("U1", f"/{name} {''.join(word + end for word, end in arguments)}")
        assert {200} == set(answered(world))
        assert 1 == len(world.line.sent) - before
        assert all(message["text"].strip() for message in world.line.sent[-1].messages)

    command()
    assert [] == bugs(world)


@lengths(100, 1_500)
def test_no_form_of_the_model_breaks_anything(new_world, cases):
    """
    Whatever a digest returns, the message was answered, and what is remembered can be read.
    """
    form = {"text": ""}

    def model(request):
        if "responseSchema" not in request["generationConfig"]:
            return "好"
        parts = [{"text": form["text"]}]
        content = {"role": "model", "parts": parts}
        return {"raw": {"candidates": [{"content": content, "finishReason": "STOP"}]}}

    world = new_world(access="open", stand_in=model, window_turns=1, gemini_attempts=1)
    world.say("U1", "我怕狗")
    world.journal.new()
    store = world.store("U1")
    seen = Counter()

    @fuzzed(cases)
    @given(
        st.one_of(
            mutants(FORMS, most=3).map(json.dumps),
            st.sampled_from(["", "null", "[]", "{", '{"summary": []}', "[" * 500]),
        )
    )
    def digest(text):
        form["text"] = text
        sent = len(world.line.sent)
        # A digest that failed is left alone for ten minutes.
        world.clock.advance(timedelta(minutes=11))
        world.say("U1", "我還是怕狗，下週二考試")
        statuses = answered(world)
        conversation = store.read()
        records = {fact.no: fact for fact in store.records.every()}
        seen["watermark"] = conversation.watermark
        assert {200} == set(statuses)
        assert 1 == len(world.line.sent) - sent
        assert conversation.board == {no: records[no] for no in conversation.board}
        assert conversation.next_no > max(records, default=0)

    digest()
    assert [] == bugs(world)
    assert seen["watermark"] >= cases / 5
