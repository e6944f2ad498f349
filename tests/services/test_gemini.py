"""A prompt gets an answer, a form or vectors, or an honest failure in bounded time."""

import base64
import copy
import json
import logging
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from local import embedder
from local.clock import FrozenClock
from local.gemini import GeminiServer
from local.journal import Journal
from local.loopback import Answer as Answered
from local.loopback import Loopback, Server
from services.errors import Refused, Unavailable, Withheld
from services.gemini import DIMENSIONS, Answer, Call, Gemini, Purpose, Said, Step, Tool
from services.settings import Settings

KEY = "gemini-key"
SYSTEM = "你是家庭助理"
ASKED: list[Said] = [
    ("user", "媽媽的密碼是什麼"),
    ("model", "我不說密碼。"),
    ("user", "那晚餐吃什麼"),
]
GOOD = {"text": "吃水餃。"}
CANDIDATE = {"content": {"role": "model", "parts": [GOOD]}, "finishReason": "STOP", "index": 0}
WORDLESS: dict[str, dict[str, Any]] = {
    "no candidates": {"raw": {}},
    "empty candidates": {"raw": {"candidates": []}},
    "an empty candidate": {"raw": {"candidates": [{}]}},
    "STOP without parts": {"finish": "STOP"},
    "an empty text": {"text": ""},
    "white space": {"text": " \n　"},
    "a call of a function": {"call": "cook"},
    "MALFORMED_FUNCTION_CALL": {"finish": "MALFORMED_FUNCTION_CALL"},
    "MAX_TOKENS without words": {"finish": "MAX_TOKENS"},
    "OTHER": {"finish": "OTHER", "text": "吃水"},
    "no end": {"raw": {"candidates": [{"content": CANDIDATE["content"]}]}},
    "only a thought": {
        "raw": {"candidates": [{**CANDIDATE, "content": {"parts": [{**GOOD, "thought": True}]}}]}
    },
    "an error with a 200": {"raw": {"error": {"code": 503, "status": "UNAVAILABLE"}}},
}
wordless = pytest.mark.parametrize("step", WORDLESS.values(), ids=WORDLESS)
# The SDK warns of an enum's value that it does not know.
new_enums = pytest.mark.filterwarnings("ignore:.* is not a valid:UserWarning")

Ask = Callable[..., Answer]
Passed = Callable[[], float]


@pytest.fixture
def server(clock: FrozenClock, journal: Journal) -> Iterator[GeminiServer]:
    """Run a scripted Gemini."""
    server = GeminiServer(clock, journal, api_key=KEY)
    server.start()
    yield server
    server.stop()


def gemini(url: str, clock: FrozenClock, **settings: Any) -> Gemini:
    """Connect to a Gemini with an API key."""
    given = {"gemini_api_key": KEY, "gemini_url": url, **settings}
    return Gemini(
        Settings(
            project_id="family-project", region="asia-east1", line_channel_secret="s", **given
        ),
        clock,
        access_token=lambda: "access-token",
    )


@pytest.fixture
def ask(server: GeminiServer, clock: FrozenClock) -> Ask:
    """Ask the scripted Gemini about dinner, under any settings."""

    def ask(**settings: Any) -> Answer:
        return gemini(server.url, clock, **settings).answer(SYSTEM, ASKED)

    return ask


@pytest.fixture
def passed(clock: FrozenClock) -> Passed:
    """Measure how many seconds have passed since the test began."""
    begun = clock.now()
    return lambda: (clock.now() - begun).total_seconds()


def statuses(journal: Journal) -> list[int]:
    """Return what was answered, request by request."""
    return [line["status"] for line in journal.lines]


def deadlines(journal: Journal) -> list[str]:
    """Return how many seconds the model was given, request by request."""
    return [line["headers"]["X-Server-Timeout"] for line in journal.lines]


# On the wire.


def test_the_request_is_the_documented_one(
    ask: Ask, server: GeminiServer, journal: Journal
) -> None:
    """v1beta is asked with the system instruction and the conversation, and with no temperature."""
    server.script([GOOD])

    assert Answer("吃水餃。", cut=False) == ask(gemini_model="gemini-x", thinking_level="low")

    [line] = journal.lines
    assert "/v1beta/models/gemini-x:generateContent" == line["path"]
    assert KEY == line["headers"]["X-Goog-Api-Key"]
    assert "Authorization" not in line["headers"]
    assert {
        "systemInstruction": {"role": "user", "parts": [{"text": SYSTEM}]},
        "contents": [{"role": role, "parts": [{"text": text}]} for role, text in ASKED],
        "generationConfig": {
            "maxOutputTokens": 2048,
            "thinkingConfig": {"thinking_level": "LOW"},
        },
    } == line["body"]


def test_the_model_thinks_as_it_likes_where_nobody_chose(
    ask: Ask, server: GeminiServer, journal: Journal
) -> None:
    """Without a thinking level none is sent, for every model has a default of its own."""
    server.script([GOOD])

    ask(max_output_tokens=512)

    assert {"maxOutputTokens": 512} == journal.lines[0]["body"]["generationConfig"]


def test_the_server_is_told_the_time_out(ask: Ask, server: GeminiServer, journal: Journal) -> None:
    """Gemini stops working on what nobody waits for any more."""
    server.script([GOOD])

    ask(gemini_timeout=15)

    assert ["15"] == deadlines(journal)


# Asking again.


def test_an_overloaded_model_is_asked_again(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed
) -> None:
    """The third request comes after half a second and a whole one, and may still succeed."""
    server.script([{"error": 503}, {"error": 503}, GOOD])

    assert Answer("吃水餃。", cut=False) == ask()
    assert [503, 503, 200] == statuses(journal)
    assert 1.5 == passed()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_an_outage_is_unavailable_after_three_requests(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed, status: int
) -> None:
    """What does not pass in two short waits is not waited for."""
    server.fail("generate", Answered(status=status), times=99)

    with pytest.raises(Unavailable):
        ask()
    assert [status] * 3 == statuses(journal)
    assert 1.5 == passed()


def test_attempts_and_delays_are_settings(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed
) -> None:
    """A deployer chooses how often, and how fast, the model is asked again."""
    server.fail("generate", Answered(status=503), times=99)

    with pytest.raises(Unavailable):
        ask(gemini_attempts=4, gemini_retry_delay=0.1)
    assert [503] * 4 == statuses(journal)
    assert 0.7 == pytest.approx(passed())


def test_nobody_there_is_unavailable_after_three_attempts(
    closed_host: str, clock: FrozenClock, passed: Passed
) -> None:
    """A connection that can't be made is tried as often as one that is."""
    with pytest.raises(Unavailable):
        gemini(f"http://{closed_host}", clock).answer(SYSTEM, ASKED)
    assert 1.5 == passed()


def test_a_lost_answer_is_asked_for_again(ask: Ask, server: GeminiServer, journal: Journal) -> None:
    """An answer that never came costs a second request, and nothing else."""
    server.script([{"text": "吃麵。"}, GOOD])
    server.fail("generate", lost=True)

    assert Answer("吃水餃。", cut=False) == ask()
    assert [200, 200] == statuses(journal)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_a_no_is_a_no(ask: Ask, server: GeminiServer, journal: Journal, status: int) -> None:
    """A request, a key or a model that is wrong is wrong after one request."""
    server.fail("generate", Answered(status=status))

    with pytest.raises(Refused) as refused:
        ask()
    assert Refused is refused.type
    assert [status] == statuses(journal)


def test_a_wrong_key_is_refused(ask: Ask, journal: Journal) -> None:
    """Gemini answers 400 to a key it does not know."""
    with pytest.raises(Refused):
        ask(gemini_api_key="wrong")
    assert [400] == statuses(journal)


# Patience.


def test_a_slow_answer_is_waited_for(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed
) -> None:
    """A model may think for twenty seconds."""
    server.script([{**GOOD, "slow": "20s"}])

    assert Answer("吃水餃。", cut=False) == ask()
    assert [200] == statuses(journal)
    assert 20 == passed()


def test_an_answer_slower_than_the_time_out_is_asked_for_again(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed
) -> None:
    """After 25 seconds another request may be faster."""
    server.script([{**GOOD, "slow": "60s"}, {**GOOD, "slow": "2s"}])

    assert Answer("吃水餃。", cut=False) == ask()
    assert [504, 200] == statuses(journal)
    assert 27.5 == passed()


def test_the_last_request_gets_what_is_left_of_the_patience(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed
) -> None:
    """A model that is always too slow is given up when the patience ends, not later."""
    server.script([{**GOOD, "slow": "60s"}] * 3)

    with pytest.raises(Unavailable):
        ask(gemini_retry_delay=1)
    assert ["25", "16"] == deadlines(journal)
    assert 42 == passed()


def test_no_request_is_sent_that_gemini_would_call_too_short(
    ask: Ask, server: GeminiServer, journal: Journal, passed: Passed
) -> None:
    """With less than ten seconds of patience left there is no other request."""
    server.script([{"error": 503, "slow": "20s"}, {"error": 503, "slow": "12s"}, GOOD])

    with pytest.raises(Unavailable):
        ask()
    assert [503, 503] == statuses(journal)
    assert 32.5 == passed()


@pytest.mark.parametrize("second", ["11s", "11.5s"])
def test_the_wait_before_a_request_counts_as_patience(
    ask: Ask, server: GeminiServer, passed: Passed, second: str
) -> None:
    """However requests and waits fall together, an answer never takes longer than the patience."""
    server.script(
        [
            {"error": 503, "slow": "20s"},
            {"error": 503, "slow": second},
            {**GOOD, "slow": "60s"},
        ]
    )

    with pytest.raises(Unavailable):
        ask()
    assert 42 >= passed()


# What came back.


@wordless
def test_an_answer_without_words_is_asked_for_again(
    ask: Ask, server: GeminiServer, journal: Journal, step: dict[str, Any]
) -> None:
    """A model that said nothing may say something when it is asked again."""
    server.script([step, GOOD])

    assert Answer("吃水餃。", cut=False) == ask()
    assert 2 == len(journal.lines)


@wordless
def test_answers_without_words_are_unavailable_in_the_end(
    ask: Ask, server: GeminiServer, journal: Journal, step: dict[str, Any]
) -> None:
    """Three answers without words are no answer."""
    server.script([step] * 3)

    with pytest.raises(Unavailable):
        ask()
    assert 3 == len(journal.lines)


@pytest.mark.parametrize(
    "step",
    [
        *({"block": reason} for reason in ("SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT")),
        *(
            {"finish": reason, "text": "水"}
            for reason in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")
        ),
        {"raw": {"candidates": [{**CANDIDATE, "finishReason": "MODEL_ARMOR"}]}},
    ],
    ids=str,
)
def test_what_the_filters_stopped_is_withheld(
    ask: Ask, server: GeminiServer, journal: Journal, step: dict[str, Any]
) -> None:
    """Asking again gives the same, so a stopped prompt or answer costs one request."""
    server.script([step])

    with pytest.raises(Withheld):
        ask()
    assert [200] == statuses(journal)


def test_an_answer_that_ran_out_of_tokens_is_cut(ask: Ask, server: GeminiServer) -> None:
    """Half an answer is better than none, if it is called half."""
    server.script([{"finish": "MAX_TOKENS", "text": "吃水"}])

    assert Answer("吃水", cut=True) == ask()


def test_thoughts_are_left_out(ask: Ask, server: GeminiServer) -> None:
    """What the model thinks to itself is not what it says."""
    thought = {"text": "他們昨天吃麵。", "thought": True}
    signed = {"text": "餃。\n", "thoughtSignature": "c2ln"}
    content = {"role": "model", "parts": [thought, {"text": " 吃水"}, signed]}
    server.script([{"raw": {"candidates": [{**CANDIDATE, "content": content}]}}])

    assert Answer("吃水餃。", cut=False) == ask()


def test_the_first_candidate_is_the_answer(ask: Ask, server: GeminiServer) -> None:
    """One candidate was asked for; others are not mixed in."""
    other = {**CANDIDATE, "content": {"parts": [{"text": "吃麵。"}]}}
    server.script([{"raw": {"candidates": [CANDIDATE, other]}}])

    assert Answer("吃水餃。", cut=False) == ask()


def test_what_an_answer_cost_is_logged_without_words(
    ask: Ask, server: GeminiServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The log tells the tokens and how it ended, of the prompt and of the answer not a word."""
    usage = {
        "promptTokenCount": 30,
        "toolUsePromptTokenCount": 2,
        "cachedContentTokenCount": 10,
        "thoughtsTokenCount": 7,
        "candidatesTokenCount": 5,
        "totalTokenCount": 44,
    }
    server.script([{"raw": {"candidates": [CANDIDATE], "usageMetadata": usage}}])

    with caplog.at_level(logging.INFO, "services.gemini"):
        ask()

    [record] = [record for record in caplog.records if record.name == "services.gemini"]
    logged = vars(record)
    assert "STOP" == logged["finish"]
    kinds = ("prompt", "tool", "cached", "thought", "answer", "total")
    assert [30, 2, 10, 7, 5, 44] == [logged[f"{kind}_tokens"] for kind in kinds]
    assert [] == [words for words in (SYSTEM, "密碼", "水餃", KEY) if words in str(logged)]


# Tools.


class Menu(BaseModel):
    """What a meal is made of."""

    dish: str = Field(description="菜名", max_length=20)
    kind: Literal["noodles", "rice"] = Field("rice", description="主食")
    guests: list[int] = Field(default_factory=list, description="客人的編號")
    on: str | None = Field(None, description="哪一天")


class Nothing(BaseModel):
    """No arguments."""


COOK = Tool("cook", "煮飯", Menu)
WAIT = Tool("wait", "等一下", Nothing)
SIGNATURE = b"\xfb\xff\xfe signed \x00"
SIGNED = base64.b64encode(SIGNATURE).decode()
CALLED = {"functionCall": {"id": "c1", "name": "cook", "args": {"dish": "水餃"}}}
"""A call as the model makes it."""


def says(*parts: dict[str, Any], finish: str = "STOP") -> dict[str, Any]:
    """Script an answer of these very parts."""
    content = {"role": "model", "parts": list(parts)}
    return {"raw": {"candidates": [{"content": content, "finishReason": finish}]}}


def test_tools_are_declared_in_parameters(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    A tool's arguments go out as a schema of Gemini's own, without titles, defaults and bounds.
    """
    server.script([GOOD])

    gemini(server.url, clock).answer(SYSTEM, ASKED, tools=[COOK, WAIT])

    assert [
        {
            "functionDeclarations": [
                {
                    "name": "cook",
                    "description": "煮飯",
                    "parameters": {
                        "type": "OBJECT",
                        "properties": {
                            "dish": {"type": "STRING", "description": "菜名"},
                            "kind": {
                                "type": "STRING",
                                "description": "主食",
                                "enum": ["noodles", "rice"],
                            },
                            "guests": {
                                "type": "ARRAY",
                                "description": "客人的編號",
                                "items": {"type": "INTEGER"},
                            },
                            "on": {"type": "STRING", "description": "哪一天", "nullable": True},
                        },
                        "required": ["dish"],
                    },
                },
                {"name": "wait", "description": "等一下"},
            ]
        }
    ] == journal.lines[0]["body"]["tools"]
    assert {"maxOutputTokens": 2048} == journal.lines[0]["body"]["generationConfig"]


def test_without_tools_none_are_sent(ask: Ask, server: GeminiServer, journal: Journal) -> None:
    """
    Where nothing may be asked for, nothing is said of tools.
    """
    server.script([GOOD])

    ask()

    assert {"systemInstruction", "contents", "generationConfig"} == set(journal.lines[0]["body"])


def test_a_call_and_its_result_go_round(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    What the model asked for goes back as it came, signature and all, with the result behind it.
    """
    words = {"text": "我看看。", "thoughtSignature": SIGNED}
    server.script([says(words, {**CALLED, "thoughtSignature": SIGNED}), GOOD])
    model = gemini(server.url, clock)

    asked = model.answer(SYSTEM, ASKED, tools=[COOK])
    step = Step(asked, ({"done": True, "note": "好"},))
    answer = model.answer(SYSTEM, ASKED, tools=[COOK], steps=[step])

    assert Answer("我看看。", cut=False, calls=(Call("cook", {"dish": "水餃"}, "c1"),)) == asked
    assert Answer("吃水餃。", cut=False) == answer
    first, second = (line["body"]["contents"] for line in journal.lines)
    assert first == second[:-2]
    said, results = second[-2:]
    assert "model" == said["role"]
    assert [SIGNATURE, SIGNATURE] == [
        base64.urlsafe_b64decode(part["thoughtSignature"]) for part in said["parts"]
    ]
    assert [{"text": "我看看。"}, CALLED] == [
        {key: value for key, value in part.items() if key != "thoughtSignature"}
        for part in said["parts"]
    ]
    result = {"id": "c1", "name": "cook", "response": {"done": True, "note": "好"}}
    assert {"role": "user", "parts": [{"functionResponse": result}]} == results


def test_parallel_calls_are_answered_in_one_content(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    Each call of a round has its result, under its own id, in the order they were made.
    """
    calls = [{"call": "cook", "args": {"dish": "麵"}}, {"call": "wait"}, {"call": "cook"}]
    server.script([{"calls": calls}, {"call": "wait"}, GOOD])
    model = gemini(server.url, clock)
    steps: list[Step] = []

    for round_ in range(2):
        asked = model.answer(SYSTEM, ASKED, tools=[COOK, WAIT], steps=steps)
        results = tuple({"round": round_, "n": n} for n, _ in enumerate(asked.calls))
        steps.append(Step(asked, results))
    model.answer(SYSTEM, ASKED, tools=[COOK, WAIT], steps=steps)

    assert (
        Call("cook", {"dish": "麵"}, "call-1-1"),
        Call("wait", {}, "call-1-2"),
        Call("cook", {}, "call-1-3"),
    ) == steps[0].asked.calls
    sent = journal.lines[-1]["body"]["contents"][len(ASKED) :]
    assert ["model", "user", "model", "user"] == [content["role"] for content in sent]
    assert [
        [
            ("call-1-1", "cook", {"round": 0, "n": 0}),
            ("call-1-2", "wait", {"round": 0, "n": 1}),
            ("call-1-3", "cook", {"round": 0, "n": 2}),
        ],
        [("call-2-1", "wait", {"round": 1, "n": 0})],
    ] == [
        [
            (result["id"], result["name"], result["response"])
            for result in (part["functionResponse"] for part in content["parts"])
        ]
        for content in sent[1::2]
    ]


def test_a_call_without_an_id_is_answered_without_one(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    Not every model numbers its calls.
    """
    server.script([says({"functionCall": {"name": "wait"}, "thoughtSignature": SIGNED}), GOOD])
    model = gemini(server.url, clock)

    asked = model.answer(SYSTEM, ASKED, tools=[WAIT])
    model.answer(SYSTEM, ASKED, tools=[WAIT], steps=[Step(asked, ({"ok": True},))])

    assert (Call("wait", {}, ""),) == asked.calls
    [part] = journal.lines[-1]["body"]["contents"][-1]["parts"]
    assert {"functionResponse": {"name": "wait", "response": {"ok": True}}} == part


def test_a_result_is_missing_only_by_mistake(server: GeminiServer, clock: FrozenClock) -> None:
    """
    A round with more calls than results is an error of ours, and is not sent.
    """
    asked = Answer("", cut=False, calls=(Call("wait", {}, "1"),))

    with pytest.raises(ValueError, match="shorter"):
        gemini(server.url, clock).answer(SYSTEM, ASKED, tools=[WAIT], steps=[Step(asked, ())])


@pytest.mark.parametrize(
    "step",
    [
        says(CALLED, finish="MAX_TOKENS"),
        says(GOOD, CALLED, finish="MAX_TOKENS"),
        says(CALLED, finish="MALFORMED_FUNCTION_CALL"),
        says(CALLED, finish="UNEXPECTED_TOOL_CALL"),
        {"finish": "MALFORMED_FUNCTION_CALL"},
        {"finish": "UNEXPECTED_TOOL_CALL"},
        says({"functionCall": {"id": "1", "args": {}}}),
    ],
    ids=lambda step: json.dumps(step)[-80:],
)
def test_a_call_that_is_not_whole_is_asked_for_again(
    server: GeminiServer, clock: FrozenClock, journal: Journal, step: dict[str, Any]
) -> None:
    """
    Half a call would be another call, so it is none; three times none is unavailable.
    """
    model = gemini(server.url, clock)
    server.script([step, {"call": "wait"}, *[step] * 3])

    assert (Call("wait", {}, "call-2-1"),) == model.answer(SYSTEM, ASKED, tools=[WAIT]).calls
    assert 2 == len(journal.lines)
    with pytest.raises(Unavailable):
        model.answer(SYSTEM, ASKED, tools=[WAIT])
    assert 5 == len(journal.lines)


def test_a_call_that_nobody_offered_is_passed_over(ask: Ask, server: GeminiServer) -> None:
    """
    Without tools only words count.
    """
    server.script([says(GOOD, CALLED)])

    assert Answer("吃水餃。", cut=False) == ask()


def test_in_the_last_round_nothing_may_be_asked_for(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    The tools stay declared, as the results of the rounds before need them, and may not be called.
    """
    server.script([{"call": "wait"}, GOOD])
    model = gemini(server.url, clock)
    asked = model.answer(SYSTEM, ASKED, tools=[WAIT])

    model.answer(SYSTEM, ASKED, tools=[WAIT], steps=[Step(asked, ({},))], last=True)

    body = journal.lines[-1]["body"]
    assert ["wait"] == [one["name"] for one in body["tools"][0]["functionDeclarations"]]
    assert {"functionCallingConfig": {"mode": "NONE"}} == body["toolConfig"]


def test_a_call_of_something_never_offered_is_asked_again(
    server: GeminiServer, clock: FrozenClock
) -> None:
    """
    Its result could not be sent back, so the model gets another try.
    """
    server.script([{"call": "order_pizza"}, GOOD])

    assert GOOD["text"] == gemini(server.url, clock).answer(SYSTEM, ASKED, tools=[WAIT]).text


def test_all_rounds_share_one_deadline(
    server: GeminiServer, clock: FrozenClock, journal: Journal, passed: Passed
) -> None:
    """
    A later round gets what the earlier ones left, and fails when that is gone.
    """
    server.script([{"call": "wait", "slow": "24s"}, {**GOOD, "slow": "60s"}, GOOD])
    model = gemini(server.url, clock)
    deadline = model.deadline()

    asked = model.answer(SYSTEM, ASKED, tools=[WAIT], deadline=deadline)
    with pytest.raises(Unavailable):
        model.answer(SYSTEM, ASKED, tools=[WAIT], steps=[Step(asked, ({},))], deadline=deadline)

    assert ["25", "18"] == deadlines(journal)
    assert 42 == passed()


@pytest.mark.parametrize(("left", "requests"), [(10, 1), (9.9, 0), (-1, 0)])
def test_no_round_is_begun_that_gemini_would_call_too_short(
    server: GeminiServer, clock: FrozenClock, journal: Journal, left: float, requests: int
) -> None:
    """
    With less than ten seconds left another round would outlast the patience, so there is none.
    """
    server.script([{"call": "wait"}, {"error": 503}])
    model = gemini(server.url, clock)
    asked = model.answer(SYSTEM, ASKED, tools=[WAIT])

    with pytest.raises(Unavailable):
        model.answer(
            SYSTEM,
            ASKED,
            tools=[WAIT],
            steps=[Step(asked, ({},))],
            deadline=clock.now() + timedelta(seconds=left),
        )

    assert 1 + requests == len(journal.lines)


def test_a_first_round_is_always_begun(server: GeminiServer, clock: FrozenClock) -> None:
    """
    However short the patience is, the model is asked once.
    """
    server.script([GOOD])
    model = gemini(server.url, clock, gemini_patience=1)

    assert Answer("吃水餃。", cut=False) == model.answer(
        SYSTEM, ASKED, tools=[WAIT], deadline=model.deadline()
    )


# Forms.


class Dish(BaseModel):
    """A dish among others."""

    name: str = Field(min_length=1)
    minutes: int | None = Field(None, description="要煮多久", ge=1)


class Dinner(BaseModel):
    """What there is for dinner."""

    dishes: list[Dish] = Field(description="每一道菜")
    kind: Literal["noodles", "rice"]


FILLED = {"dishes": [{"name": "水餃", "minutes": 10}, {"name": "湯"}], "kind": "noodles"}
DINNER = Dinner(
    dishes=[Dish(name="水餃", minutes=10), Dish(name="湯", minutes=None)], kind="noodles"
)
UNFILLED: dict[str, dict[str, Any]] = {
    "no JSON": {"text": "水餃十分鐘"},
    "half of it": {"text": json.dumps(FILLED)[:-9]},
    "fenced": {"text": f"```json\n{json.dumps(FILLED)}\n```"},
    "half a character": {"text": json.dumps({**FILLED, "dishes": [{"name": "\ud83e"}]})},
    "a field too few": {"json": {"dishes": []}},
    "another choice": {"json": {**FILLED, "kind": "bread"}},
    "out of bounds": {"json": {**FILLED, "dishes": [{"name": "湯", "minutes": 0}]}},
    "a list": {"text": "[]"},
    "cut": {"finish": "MAX_TOKENS", "text": json.dumps(FILLED)},
    "cut at once": {"finish": "MAX_TOKENS"},
    "another end": {"finish": "OTHER", "text": json.dumps(FILLED)},
    "empty": {"text": ""},
    "no parts": {"finish": "STOP"},
    "an outage": {"error": 503},
}


def for_digest(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step for the calls that want a form."""
    return {"for": "digest", **step}


def test_a_form_is_filled_in(server: GeminiServer, clock: FrozenClock, journal: Journal) -> None:
    """
    The model is shown the form as a schema, and what it makes of it comes back checked.
    """
    server.script([for_digest({"json": FILLED})])
    model = gemini(server.url, clock, thinking_level="low")

    assert DINNER == model.fill(SYSTEM, "晚餐吃什麼", Dinner)

    [line] = journal.lines
    assert "/v1beta/models/gemini-3.5-flash-lite:generateContent" == line["path"]
    assert ["25"] == deadlines(journal)
    assert {
        "systemInstruction": {"role": "user", "parts": [{"text": SYSTEM}]},
        "contents": [{"role": "user", "parts": [{"text": "晚餐吃什麼"}]}],
        "generationConfig": {
            "maxOutputTokens": 8192,
            "thinkingConfig": {"thinking_level": "LOW"},
            "responseMimeType": "application/json",
            "responseSchema": {
                "type": "OBJECT",
                "properties": {
                    "dishes": {
                        "type": "ARRAY",
                        "description": "每一道菜",
                        "items": {
                            "type": "OBJECT",
                            "properties": {
                                "name": {"type": "STRING"},
                                "minutes": {
                                    "type": "INTEGER",
                                    "description": "要煮多久",
                                    "nullable": True,
                                },
                            },
                            "required": ["name"],
                            "property_ordering": ["name", "minutes"],
                        },
                    },
                    "kind": {"type": "STRING", "enum": ["noodles", "rice"]},
                },
                "required": ["dishes", "kind"],
                "property_ordering": ["dishes", "kind"],
            },
        },
    } == line["body"]


@pytest.mark.parametrize("step", UNFILLED.values(), ids=UNFILLED)
def test_a_form_that_is_not_filled_in_right_is_asked_for_again(
    server: GeminiServer, clock: FrozenClock, journal: Journal, step: dict[str, Any]
) -> None:
    """
    What is not whole and right may be so the next time; three times not is unavailable.
    """
    model = gemini(server.url, clock)
    server.script([for_digest(said) for said in (step, {"json": FILLED}, *[step] * 3)])

    assert DINNER == model.fill(SYSTEM, "晚餐吃什麼", Dinner)
    assert 2 == len(journal.lines)
    with pytest.raises(Unavailable):
        model.fill(SYSTEM, "晚餐吃什麼", Dinner)
    assert 5 == len(journal.lines)


@pytest.mark.parametrize(
    ("step", "error"),
    [({"block": "SAFETY"}, Withheld), ({"finish": "SPII"}, Withheld), ({"error": 400}, Refused)],
)
def test_a_form_that_is_refused_is_not_asked_for_again(
    server: GeminiServer,
    clock: FrozenClock,
    journal: Journal,
    step: dict[str, Any],
    error: type[Exception],
) -> None:
    """
    The filters, and a request that is wrong, say the same of a form as of an answer.
    """
    server.script([for_digest(step)])

    with pytest.raises(Refused) as refused:
        gemini(server.url, clock).fill(SYSTEM, "晚餐吃什麼", Dinner)

    assert error is refused.type
    assert 1 == len(journal.lines)


def test_a_form_has_a_patience_of_its_own(
    server: GeminiServer, clock: FrozenClock, journal: Journal, passed: Passed
) -> None:
    """
    Whoever waits for a digest waits as long as the setting for digests says.
    """
    server.script([for_digest({"json": FILLED, "slow": "60s"})] * 3)

    with pytest.raises(Unavailable):
        gemini(server.url, clock, digest_patience=35.5).fill(SYSTEM, "晚餐吃什麼", Dinner)

    assert ["25", "10"] == deadlines(journal)
    assert 35.5 == passed()


# Vectors.

EMBEDDING = "gemini-embedding-2"


def vector(*numbers: Any, size: int = DIMENSIONS) -> dict[str, Any]:
    """Return a vector as Gemini writes it, filled up with zeros."""
    return {"values": [*numbers, *[0.0] * (size - len(numbers))]}


def embedded(*vectors: Any) -> Answered:
    """Return Gemini's answer with these vectors."""
    return Answered({"embeddings": list(vectors)})


@pytest.mark.parametrize(
    ("model", "purpose", "prefix", "told"),
    [
        (EMBEDDING, "query", "task: search result | query: ", {}),
        (EMBEDDING, "document", "title: none | text: ", {}),
        ("gemini-embedding-001", "query", "", {"taskType": "RETRIEVAL_QUERY"}),
        ("gemini-embedding-001", "document", "", {"taskType": "RETRIEVAL_DOCUMENT"}),
    ],
)
def test_each_text_is_a_content_that_says_what_it_is_for(
    server: GeminiServer,
    clock: FrozenClock,
    journal: Journal,
    model: str,
    purpose: Purpose,
    prefix: str,
    told: dict[str, str],
) -> None:
    """
    One request asks for all vectors, of our size, each from a content of its own.
    """
    vectors = gemini(server.url, clock, embed_model=model).embed(["香菜", "芹菜"], purpose)

    [line] = journal.lines
    assert f"/v1beta/models/{model}:batchEmbedContents" == line["path"]
    assert {
        "requests": [
            {
                "model": f"models/{model}",
                "content": {"role": "user", "parts": [{"text": f"{prefix}{text}"}]},
                "outputDimensionality": 768,
                **told,
            }
            for text in ("香菜", "芹菜")
        ]
    } == line["body"]
    for text, came in zip(["香菜", "芹菜"], vectors, strict=True):
        assert embedder.embed(text, 768) == pytest.approx(came, abs=1e-5)


def test_vectors_come_to_unit_length(server: GeminiServer, clock: FrozenClock) -> None:
    """
    A vector cut to our size is shorter than it was, and no two are compared by their lengths.
    """
    server.embed({"香菜": [3, 4], "芹菜": [0, 0.1]})

    first, second = gemini(server.url, clock).embed(["香菜", "芹菜"], "document")

    assert [0.6, 0.8, 0.0] == pytest.approx(first[:3])
    assert [0.0, 1.0, 0.0] == pytest.approx(second[:3])
    assert [768, 768] == [len(first), len(second)]


def test_without_texts_nothing_is_asked(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    Gemini refuses an empty batch, and nobody needs one.
    """
    assert [] == gemini(server.url, clock).embed([], "document")
    assert [] == journal.lines


@pytest.mark.parametrize(
    ("texts", "batches"), [(100, [100]), (101, [100, 1]), (250, [100, 100, 50])]
)
def test_many_texts_go_in_several_requests(
    server: GeminiServer, clock: FrozenClock, journal: Journal, texts: int, batches: list[int]
) -> None:
    """
    Gemini embeds a hundred texts at once; of more, each vector still stands where its text does.
    """
    named = [f"第{n}" for n in range(texts)]
    server.embed({text: [1 + n, 1] for n, text in enumerate(named)})

    vectors = gemini(server.url, clock).embed(named, "document")

    assert batches == [len(line["body"]["requests"]) for line in journal.lines]
    assert [1 + n for n in range(texts)] == pytest.approx(
        [first / second for first, second, *_ in vectors]
    )


@pytest.mark.parametrize(
    "answer",
    [
        embedded(vector(1)),
        embedded(vector(1), vector(1), vector(1)),
        embedded(),
        Answered({}),
        embedded(vector(1), vector(0)),
        embedded(vector(1), vector(0), vector(1)),
        embedded(vector(1), vector(math.nan)),
        embedded(vector(1), vector(math.inf)),
        embedded(vector(1), vector(1, size=767)),
        embedded(vector(1), vector(1, size=3072)),
        embedded(vector(1), {"values": []}),
        embedded(vector(1), {}),
        embedded(vector(1), None),
        embedded(vector(1), vector("x")),
        Answered({"embeddings": 5}),
    ],
    ids=lambda answer: repr(answer)[:60],
)
def test_vectors_that_cant_be_used_are_asked_for_again(
    server: GeminiServer, clock: FrozenClock, journal: Journal, answer: Answered
) -> None:
    """
    A vector too few would be some other text's; three such answers are unavailable.
    """
    model = gemini(server.url, clock)
    server.fail("embed", answer)

    assert 2 == len(model.embed(["香菜", "芹菜"], "document"))
    assert 2 == len(journal.lines)
    server.fail("embed", answer, times=3)
    with pytest.raises(Unavailable):
        model.embed(["香菜", "芹菜"], "document")
    assert 5 == len(journal.lines)


@pytest.mark.parametrize("status", [408, 429, 500, 503, 504])
def test_an_outage_of_vectors_is_unavailable_after_three_requests(
    server: GeminiServer, clock: FrozenClock, journal: Journal, passed: Passed, status: int
) -> None:
    """
    What does not pass in two short waits is not waited for.
    """
    server.fail("embed", Answered(status=status), times=99)

    with pytest.raises(Unavailable):
        gemini(server.url, clock).embed(["香菜"], "query")
    assert [status] * 3 == statuses(journal)
    assert 1.5 == passed()


@pytest.mark.parametrize("status", [400, 403, 404])
def test_vectors_that_are_refused_are_not_asked_for_again(
    server: GeminiServer, clock: FrozenClock, journal: Journal, status: int
) -> None:
    """
    A model that is not there is not there the next second either.
    """
    server.fail("embed", Answered(status=status))

    with pytest.raises(Refused):
        gemini(server.url, clock).embed(["香菜"], "query")
    assert [status] == statuses(journal)


def test_vectors_are_asked_for_again_only_within_their_patience(
    server: GeminiServer, clock: FrozenClock, journal: Journal
) -> None:
    """
    Each request has the ten seconds Gemini insists on; the patience says when the last one begins.
    """
    server.fail("embed", Answered(status=503), slow=timedelta(seconds=5.4), times=99)

    with pytest.raises(Unavailable):
        gemini(server.url, clock, embed_patience=6).embed(["香菜"], "query")

    assert ["10", "10"] == deadlines(journal)


def test_nobody_there_to_embed_is_unavailable(closed_host: str, clock: FrozenClock) -> None:
    """
    A connection that can't be made is an outage.
    """
    with pytest.raises(Unavailable):
        gemini(f"http://{closed_host}", clock).embed(["香菜"], "query")


def test_what_was_embedded_is_logged_without_words(
    server: GeminiServer, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    """
    The log tells how many texts there were, and of none a word.
    """
    with caplog.at_level(logging.INFO, "services.gemini"):
        gemini(server.url, clock).embed(["香菜", "芹菜"], "query")

    [record] = [record for record in caplog.records if record.name == "services.gemini"]
    assert 2 == vars(record)["texts"]
    assert "菜" not in str(vars(record))


# What nobody promised.

FULL: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "吃水餃。", "thought": False, "thoughtSignature": "c2ln"},
                    {"functionCall": {"id": "1", "name": "cook", "args": {}}},
                ],
            },
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW"}],
            "citationMetadata": {"citations": [{"startIndex": 1}]},
            "groundingMetadata": {"webSearchQueries": ["水餃"]},
        }
    ],
    "promptFeedback": {"safetyRatings": []},
    "usageMetadata": {
        "promptTokenCount": 1,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1}],
    },
    "modelVersion": "gemini-x",
    "responseId": "response",
    "createTime": "2026-12-01T12:00:00Z",
}
JUNK: list[Any] = [None, True, 5, -1.5, 10**400, "", "x", [], [None], [5], [[]], [{}], {}, {"x": 1}]


class RawServer(Server):
    """A Gemini that answers any bytes, under any headers."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.status = "200 OK"
        self.body = b""
        self.headers: dict[str, str] = {}

    def _answer(self, environ: Any, start_response: Any) -> list[bytes]:
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        usual = {"Content-Type": "application/json", "Content-Length": str(len(self.body))}
        start_response(self.status, list((usual | self.headers).items()))
        return [self.body]


@pytest.fixture
def raw() -> Iterator[RawServer]:
    """Run a server that answers any bytes."""
    raw = RawServer()
    raw.start()
    yield raw
    raw.stop()


def honest(gemini: Gemini) -> Answer | Unavailable:
    """Return the answer or the failure; anything else is a bug."""
    try:
        return gemini.answer(SYSTEM, ASKED, tools=[COOK])
    except Unavailable as error:
        return error


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Go through all places in a JSON value."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def with_junk(path: tuple[str | int, ...], junk: Any) -> dict[str, Any]:
    """Return the full answer with something else in one place."""
    answer = copy.deepcopy(FULL)
    *way, last = path
    part: Any = answer
    for key in way:
        part = part[key]
    part[last] = junk
    return answer


def with_news(value: Any) -> Any:
    """Return a JSON value with a new field in each of its objects."""
    if isinstance(value, list):
        return [with_news(part) for part in value]
    if isinstance(value, dict):
        return {key: with_news(part) for key, part in value.items()} | {"aNewField": {"a": [1]}}
    return value


def test_fields_that_are_new_are_passed_over(raw: RawServer, clock: FrozenClock) -> None:
    """Gemini adds fields without notice, anywhere."""
    raw.body = json.dumps(with_news(FULL)).encode()

    assert Answer("吃水餃。", cut=False) == gemini(raw.url, clock).answer(SYSTEM, ASKED)
    called = gemini(raw.url, clock).answer(SYSTEM, ASKED, tools=[COOK]).calls
    assert [("cook", "1")] == [(call.name, call.id) for call in called]


@new_enums
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: json.dumps(junk)[:20])
def test_a_field_of_another_kind_is_an_answer_or_unavailable(
    raw: RawServer, clock: FrozenClock, junk: Any
) -> None:
    """Whatever stands in a place of the answer, it is read or it is not, and that is all."""
    model = gemini(raw.url, clock, gemini_attempts=1)

    for path in places(FULL):
        raw.body = json.dumps(with_junk(path, junk)).encode()
        answer = honest(model)
        assert isinstance(answer, Answer | Unavailable)
        if isinstance(answer, Answer):
            assert all(isinstance(call.arguments, dict) for call in answer.calls)
            assert {str} == {type(call.name) for call in answer.calls} | {type(answer.text)}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>502</html>",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"5",
        b'"text"',
        b'{"candidates":',
        b'{"candidates": NaN}',
        b"1" * 5000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda body: repr(body[:12]),
)
def test_a_body_that_is_no_answer_is_unavailable(
    raw: RawServer, clock: FrozenClock, body: bytes
) -> None:
    """What is no JSON, or other JSON, is no answer."""
    raw.body = body

    model = gemini(raw.url, clock)
    for ask in (
        lambda: model.answer(SYSTEM, ASKED),
        lambda: model.fill(SYSTEM, "晚餐", Dinner),
        lambda: model.embed(["香菜"], "query"),
    ):
        with pytest.raises(Unavailable):
            ask()


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "gzip"},
        {"Content-Type": "text/html; charset=utf-16"},
        {"Content-Length": "100000"},
    ],
    ids=str,
)
def test_a_body_that_is_not_what_its_headers_say_is_unavailable(
    raw: RawServer, clock: FrozenClock, headers: dict[str, str]
) -> None:
    """Something between Gemini and us may garble an answer."""
    raw.body = json.dumps(FULL, ensure_ascii=False).encode()
    raw.headers = headers

    with pytest.raises(Unavailable):
        gemini(raw.url, clock).answer(SYSTEM, ASKED)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"\xff", b"[]", b'{"error": 5}', b"[" * 100_000],
    ids=lambda body: repr(body[:12]),
)
def test_an_outage_may_say_anything(raw: RawServer, clock: FrozenClock, body: bytes) -> None:
    """An error is known by its status, whatever its body is."""
    raw.body, raw.status = body, "503 Later"

    with pytest.raises(Unavailable):
        gemini(raw.url, clock).answer(SYSTEM, ASKED)


def test_halves_of_characters_in_arguments_are_replaced(raw: RawServer, clock: FrozenClock) -> None:
    """
    What the model asks with can be stored and sent like any other text, however deep it lies.
    """
    half = {"functionCall": {"id": "1", "name": "cook", "args": {"dish": ["水\ud83e"]}}}
    raw.body = json.dumps(says(half)["raw"]).encode()

    [call] = gemini(raw.url, clock).answer(SYSTEM, ASKED, tools=[COOK]).calls

    assert {"dish": ["水\ufffd"]} == call.arguments


def test_a_huge_answer_is_an_answer(raw: RawServer, clock: FrozenClock) -> None:
    """How much of an answer is shown is decided elsewhere."""
    candidate = {**CANDIDATE, "content": {"parts": [{"text": "水" * 3_000_000}]}}
    raw.body = json.dumps({"candidates": [candidate]}).encode()

    assert 3_000_000 == len(gemini(raw.url, clock).answer(SYSTEM, ASKED).text)


# Vertex.


class Vertex(Loopback):
    """A Gemini as Vertex serves it."""

    name = "vertex"

    def __init__(self, clock: FrozenClock, journal: Journal) -> None:
        super().__init__(clock, journal)
        self.route("POST", "/<path:path>", "generate", self._generate)

    def _generate(self, body: Any, path: str) -> Answered:
        if path.endswith(":embedContent"):
            return Answered({"embedding": vector(3, 4)})
        if path.endswith(":batchEmbedContents"):
            return embedded(*[vector(3, 4)] * len(body["requests"]))
        return Answered({"candidates": [CANDIDATE]})


@pytest.fixture
def vertex(clock: FrozenClock, journal: Journal) -> Iterator[Vertex]:
    """Run a Vertex for one test."""
    vertex = Vertex(clock, journal)
    vertex.start()
    yield vertex
    vertex.stop()


def by_account(url: str, access_token: Callable[[], str], **settings: Any) -> Gemini:
    """Connect to Vertex without a key."""
    return Gemini(
        Settings(
            project_id="family-project",
            region="asia-east1",
            line_channel_secret="s",
            gemini_url=url,
            **settings,
        ),
        # google.auth compares a token's end with the machine's own clock.
        FrozenClock(datetime.now(UTC)),
        access_token=access_token,
    )


@pytest.mark.parametrize("location", ["global", "europe-west4"])
def test_without_a_key_vertex_is_asked_as_our_account(
    vertex: Vertex, journal: Journal, location: str
) -> None:
    """The path names project and location, and the bearer token is the one that was given."""
    model = by_account(vertex.url, lambda: "access-token", gemini_location=location)

    assert Answer("吃水餃。", cut=False) == model.answer(SYSTEM, ASKED)

    [line] = journal.lines
    assert (
        f"/v1/projects/family-project/locations/{location}/publishers/google/models/"
        "gemini-3.5-flash-lite:generateContent"
    ) == line["path"]
    assert "Bearer access-token" == line["headers"]["Authorization"]
    assert "X-Goog-Api-Key" not in line["headers"]
    assert {
        "systemInstruction": {"role": "user", "parts": [{"text": SYSTEM}]},
        "contents": [{"role": role, "parts": [{"text": text}]} for role, text in ASKED],
        "generationConfig": {"maxOutputTokens": 2048},
    } == line["body"]


@pytest.mark.parametrize("texts", [["香菜"], ["香菜", "芹菜"]])
@pytest.mark.parametrize("model", [EMBEDDING, "gemini-embedding-001"])
def test_vertex_embeds_as_well(
    vertex: Vertex, journal: Journal, model: str, texts: list[str]
) -> None:
    """
    Without a key each text still has a vector of its own, of our size and of unit length.
    """
    came = by_account(vertex.url, lambda: "token", embed_model=model).embed(texts, "document")

    assert [[0.6, 0.8, *[0.0] * 766]] * len(texts) == came
    [line] = journal.lines
    call = "embedContent" if len(texts) == 1 else "batchEmbedContents"
    assert line["path"].endswith(f"/models/{model}:{call}")
    assert '"outputDimensionality": 768' in json.dumps(line["body"])


def test_without_a_token_vertex_is_unavailable(vertex: Vertex, journal: Journal) -> None:
    """Where the account can't be vouched for, nothing is asked."""

    def no_token() -> str:
        raise Unavailable("metadata server")

    with pytest.raises(Unavailable):
        by_account(vertex.url, no_token).answer(SYSTEM, ASKED)
    assert [] == journal.lines
