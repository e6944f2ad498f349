"""The loopback Gemini answers what was scripted, and refuses what the real one refuses."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import urllib3
from google import genai
from google.genai import errors, types

from local import embedder, stand_in
from local.clock import FrozenClock
from local.gemini import GeminiServer
from local.journal import Journal
from local.loopback import Answer
from services.characters import tokens
from services.clock import Clock

NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
MODEL = "gemini-3.5-flash-lite"
KEY = "the-right-key"

SAVE = types.FunctionDeclaration(
    name="save",
    description="記下來",
    parameters=types.Schema(
        type=types.Type.OBJECT, properties={"due_at": types.Schema(type=types.Type.STRING)}
    ),
)


@pytest.fixture
def clock() -> FrozenClock:
    """Stop the clock."""
    return FrozenClock(NOW)


@pytest.fixture
def journal(clock: FrozenClock) -> Journal:
    """Keep a record of what crosses the border."""
    return Journal(clock)


@pytest.fixture
def server(clock: FrozenClock, journal: Journal) -> Iterator[GeminiServer]:
    """Serve without a stand-in."""
    server = GeminiServer(clock, journal, api_key=KEY)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def client(server: GeminiServer) -> Iterator[genai.Client]:
    """Talk to the server through Google's own client."""
    options = types.HttpOptions(base_url=server.url, api_version="v1beta", timeout=10_000)
    with genai.Client(api_key=KEY, http_options=options) as client:
        yield client


@pytest.fixture
def pool() -> Iterator[urllib3.PoolManager]:
    """Talk to the server as nobody's client."""
    with urllib3.PoolManager(retries=False) as pool:
        yield pool


def post(
    pool: urllib3.PoolManager,
    url: str,
    body: Any,
    *,
    call: str = "generateContent",
    key: str | None = KEY,
) -> tuple[int, Any]:
    """Send a body as it is; return the status and the body that came back."""
    answer = pool.request(
        "POST",
        f"{url}/v1beta/models/{MODEL}:{call}",
        json=body,
        headers={"x-goog-api-key": key} if key else {},
    )
    return answer.status, answer.json()


def user(*parts: Any) -> dict[str, Any]:
    """Return a content of the user, of texts and other parts."""
    return {"role": "user", "parts": [as_part(part) for part in parts]}


def model(*parts: Any) -> dict[str, Any]:
    """Return a content of the model, of texts and other parts."""
    return {"role": "model", "parts": [as_part(part) for part in parts]}


def as_part(part: Any) -> Any:
    """Return a part for what may be only its text."""
    return {"text": part} if isinstance(part, str) else part


def ask(*contents: Any, **more: Any) -> dict[str, Any]:
    """Return a request's body."""
    return {"contents": list(contents), **more}


CALL = {"functionCall": {"name": "save", "args": {}, "id": "1"}, "thoughtSignature": "c2ln"}
UNSIGNED = {"functionCall": {"name": "save", "args": {}}}
RESULT = {"functionResponse": {"name": "save", "response": {"result": "ok"}}}
SCHEMA = {"type": "OBJECT", "properties": {"due_at": {"type": "STRING"}}}
AS_JSON = {"responseMimeType": "application/json"}
UNTAKEN: list[tuple[dict[str, Any], str]] = [
    ({"type": "OBJECT"}, "properties: should be non-empty for OBJECT type"),
    ({"type": "ARRAY"}, "items: missing field"),
    ({"type": "ARRAY", "items": {"type": "ARRAY"}}, "items.items: missing field"),
    ({"type": "STRING", "format": "date"}, "format: only 'enum' and 'date-time'"),
    ({"type": "STRING", "enum": ["a", ""]}, "enum: cannot be empty"),
    ({"type": "INTEGER", "enum": ["1"]}, "enum: only allowed for STRING"),
    ({"enum": ["a"]}, "enum: only allowed for STRING"),
    ({"anyOf": [{"type": "STRING"}, {"type": "ARRAY"}]}, "any_of[1].items: missing field"),
    ({"type": "STRING", "const": "a"}, "const"),
    ({"type": "INTEGER", "exclusiveMinimum": 0}, "exclusiveMinimum"),
]
"""Schemas that the protobuf lets pass, or not, and the real API refuses wherever they stand."""


def declaring(**function: Any) -> list[dict[str, Any]]:
    """Return the tools of a request that offers one function."""
    return [{"functionDeclarations": [{"name": "save", **function}]}]


def parameter(**schema: Any) -> dict[str, Any]:
    """Return the parameters of a function that has one, in a list of objects."""
    item = {"type": "OBJECT", "properties": {"x": schema}}
    return {"type": "OBJECT", "properties": {"xs": {"type": "ARRAY", "items": item}}}


def test_a_scripted_text_is_the_answer(server: GeminiServer, client: genai.Client) -> None:
    """What was scripted is said once, by the model that was asked, with what it cost."""
    server.script([{"text": "你好"}])

    answer = client.models.generate_content(model=MODEL, contents="哈囉 hi")

    assert "你好" == answer.text
    assert MODEL == answer.model_version
    assert "response-1" == answer.response_id
    assert answer.candidates
    assert types.FinishReason.STOP == answer.candidates[0].finish_reason
    usage = answer.usage_metadata
    assert usage
    assert (3, 2, 5) == (
        usage.prompt_token_count,
        usage.candidates_token_count,
        usage.total_token_count,
    )
    assert 0 == server.unused


def test_steps_are_taken_in_order(server: GeminiServer, client: genai.Client) -> None:
    """Each call takes the next step, and what nobody asked for is counted."""
    server.script([{"text": "一"}, {"text": "二"}])
    server.script([{"text": "三"}])

    said = [client.models.generate_content(model=MODEL, contents="數").text for _ in range(2)]

    assert ["一", "二"] == said
    assert 1 == server.unused


def test_every_step_is_taken_once_however_many_ask(
    server: GeminiServer, pool: urllib3.PoolManager
) -> None:
    """Calls that come at once each get a step of their own."""
    server.script([{"text": str(n)} for n in range(16)])
    said: list[str] = []

    def say() -> None:
        _, body = post(pool, server.url, ask(user("數")))
        said.append(body["candidates"][0]["content"]["parts"][0]["text"])

    threads = [threading.Thread(target=say) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {str(n) for n in range(16)} == set(said)


def test_a_call_and_its_result_go_round(server: GeminiServer, client: genai.Client) -> None:
    """A model's content that is sent back unchanged carries its signature, and is accepted."""
    server.script([{"call": "save", "args": {"due_at": "2026-12-02"}}, {"text": "記好了"}])
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[SAVE])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    asked = types.Content(role="user", parts=[types.Part(text="明天倒垃圾")])

    first = client.models.generate_content(model=MODEL, contents=[asked], config=config)
    assert first.function_calls
    call = first.function_calls[0]
    assert first.candidates
    said = first.candidates[0].content
    assert said
    assert said.parts
    result = types.FunctionResponse(id=call.id, name=call.name, response={"result": "ok"})
    answered = types.Content(role="user", parts=[types.Part(function_response=result)])
    second = client.models.generate_content(
        model=MODEL, contents=[asked, said, answered], config=config
    )

    assert ("save", {"due_at": "2026-12-02"}, "call-1-1") == (call.name, call.args, call.id)
    assert b"thought 1" == said.parts[0].thought_signature
    assert "記好了" == second.text


def test_of_parallel_calls_only_the_first_is_signed(
    server: GeminiServer, client: genai.Client
) -> None:
    """Calls of one step have ids of their own and one signature."""
    server.script([{"calls": [{"call": "save", "args": {"n": 1}}, {"call": "look"}]}])

    answer = client.models.generate_content(model=MODEL, contents="兩件事")

    assert answer.parts
    assert [b"thought 1", None] == [part.thought_signature for part in answer.parts]
    assert [("call-1-1", "save", {"n": 1}), ("call-1-2", "look", {})] == [
        (call.id, call.name, call.args) for call in answer.function_calls or []
    ]


def test_what_the_protobuf_does_not_know_is_accepted(
    server: GeminiServer, client: genai.Client
) -> None:
    """What google-genai sends and the real API takes passes, though the package lags behind."""
    server.script([{"for": "digest", "text": '{"due_at": "明天"}'}])
    config = types.GenerateContentConfig(
        system_instruction="你是家庭助理",
        thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW),
        response_mime_type="application/json",
        response_schema=SAVE.parameters,
    )

    answer = client.models.generate_content(model=MODEL, contents="什麼時候", config=config)

    assert {"due_at": "明天"} == answer.parsed


@pytest.mark.parametrize(
    "more",
    [
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}}},
        {"generation_config": {"thinking_config": {"thinking_budget": 0}}},
        {"toolConfig": {"includeServerSideToolInvocations": True}},
        {"tool_config": {"include_server_side_tool_invocations": True}},
        {"serviceTier": "flex", "labels": {"family": "a"}},
        {"safetySettings": [{"category": "HARM_CATEGORY_JAILBREAK", "threshold": "OFF"}]},
        {"tools": [{"functionDeclarations": [{"name": "f", "parameters_json_schema": SCHEMA}]}]},
        {"system_instruction": {"role": "system", "parts": [{"text": "簡短"}]}},
        {"generationConfig": {"responseMimeType": "application/json", "responseSchema": SCHEMA}},
        {"contents": [{"parts": [{"text": "嗨"}]}]},
        {"contents": [user({"text": "看", "mediaResolution": {"level": "LOW"}})]},
        {"contents": [user("嗨"), model({"text": "", "thoughtSignature": "c2ln"}), user("在？")]},
        {
            "contents": [user("記"), model(CALL, UNSIGNED), user(RESULT, RESULT)],
            "tools": declaring(name="save"),
        },
        {"tools": declaring(name="a.b:c-d_9")},
        {"tools": declaring(description="記", parameters=SCHEMA)},
        {"tools": declaring(parameters=parameter(type="STRING", format="date-time"))},
        {"tools": declaring(parameters=parameter(type="STRING", format="enum", enum=["a"]))},
        {"tools": declaring(parameters=parameter(type="INTEGER", format="int32", minimum=1))},
        {"tools": declaring(parameters=parameter(type="ARRAY", items={"type": "INTEGER"}))},
        {"tools": declaring(parameters=parameter(anyOf=[{"type": "STRING"}], nullable=True))},
        {
            "contents": [user("記"), model(UNSIGNED), user(RESULT), model("好"), user("嗨")],
            "tools": declaring(name="save"),
        },
    ],
)
def test_what_the_real_one_takes_is_accepted(
    server: GeminiServer, pool: urllib3.PoolManager, more: dict[str, Any]
) -> None:
    """Either spelling, a single content without a role and old turns without signatures pass."""
    server.script([{"text": "好"}, {"for": "digest", "text": "{}"}])

    status, body = post(pool, server.url, ask(user("嗨")) | more)

    assert (200, None) == (status, body.get("error"))


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (None, "not an object"),
        ([], "not an object"),
        (ask(user("嗨"), bogus=1), "bogus"),
        (ask(user("嗨"), generationConfig="warm"), "generationConfig"),
        (ask(user("嗨"), generationConfig={"temperature": "warm"}), "temperature"),
        (ask(user("嗨"), safetySettings=[{"category": "HARM_CATEGORY_RUDE"}]), "RUDE"),
        (ask(), "contents is not specified"),
        ({}, "contents is not specified"),
        (ask(user("嗨"), {"role": "assistant", "parts": [{"text": "嗨"}]}), "assistant"),
        (ask(user("嗨"), {"parts": [{"text": "嗨"}]}), "valid role"),
        (ask(model("嗨")), "start with role user"),
        (ask(user()), "contents[0].parts must not be empty"),
        (ask(user("嗨"), model("嗨", {})), "contents[1].parts[1].data"),
        (ask(user("嗨"), model({"thoughtSignature": "c2ln"})), "contents[1].parts[0].data"),
        (ask(user("")), "contents[0].parts[0].text must not be empty"),
        (ask(user("嗨"), systemInstruction={"parts": []}), "system_instruction.parts"),
        (ask(user("嗨"), system_instruction=user("")), "system_instruction.parts[0].text"),
        (ask(user("嗨"), generationConfig={"responseSchema": SCHEMA}), "response_mime_type"),
        (ask(user("嗨"), generation_config={"response_schema": SCHEMA}), "response_mime_type"),
        (ask(user("嗨"), generationConfig={"responseJsonSchema": SCHEMA}), "response_json_schema"),
        (
            ask(
                user("嗨"),
                generationConfig={"responseMimeType": "text/plain", "responseSchema": SCHEMA},
            ),
            "response_mime_type",
        ),
        (
            ask(
                user("嗨"),
                generationConfig={"thinkingConfig": {"thinkingLevel": "LOW", "thinking_budget": 0}},
            ),
            "thinking_level and thinking_budget",
        ),
        (
            ask(
                user("嗨"),
                generation_config={"thinking_config": {"thinking_level": 1, "thinkingBudget": 9}},
            ),
            "thinking_level and thinking_budget",
        ),
        (
            ask(user("嗨"), generationConfig={"thinkingConfig": {"thinking_level": "DEEP"}}),
            "DEEP",
        ),
        (ask(user("嗨"), tools=declaring(name="9")), "declarations[0].name"),
        (ask(user("嗨"), tools=declaring(name="記")), "declarations[0].name"),
        (ask(user("嗨"), tools=declaring(name="")), "declarations[0].name"),
        (ask(user("嗨"), tools=declaring(name="a" * 65)), "declarations[0].name"),
        (
            ask(user("嗨"), tools=[*declaring(), *declaring(name="a b")]),
            "declarations[1].name",
        ),
        (ask(user("嗨"), tools=declaring(parameters={"type": "STRING"})), "type OBJECT"),
        (ask(user("嗨"), tools=declaring(parameters={})), "type OBJECT"),
        (ask(user("嗨"), tools=declaring(parameters={"type": "OBJECT"})), "non-empty for OBJECT"),
        (
            ask(user("嗨"), tools=declaring(parameters={**SCHEMA, "required": ["text"]})),
            "property is not defined",
        ),
        *(
            (ask(user("嗨"), tools=declaring(parameters=parameter(**wrong))), named)
            for wrong, named in UNTAKEN
        ),
        *(
            (ask(user("嗨"), generationConfig={**AS_JSON, "responseSchema": wrong}), named)
            for wrong, named in UNTAKEN
        ),
        (ask(user(RESULT)), "function response save has no call"),
        (ask(user("記"), model("好"), user(RESULT)), "function response save has no call"),
        (
            ask(user("記"), model(CALL), user("等等"), user(RESULT)),
            "as many function responses",
        ),
        (
            ask(user("記"), model(CALL), user({"function_response": {"name": "look"}})),
            "function response look has no call",
        ),
        (
            ask(user("記"), model(CALL), user(RESULT)),
            "of no tool that is declared",
        ),
        (
            ask(user("記"), model(CALL), user({"functionResponse": {"name": "save", "id": "2"}})),
            "function response save has no call",
        ),
        (ask(user("記"), model(CALL, UNSIGNED), user(RESULT)), "as many function responses"),
        (ask(user("記"), model(UNSIGNED), user(RESULT)), "save is missing a thought_signature"),
        (
            ask(user("記"), model(UNSIGNED, CALL), user(RESULT, RESULT)),
            "save is missing a thought_signature",
        ),
        (
            ask(
                user("記"),
                model(CALL),
                user(RESULT),
                model({"function_call": {"name": "save"}}),
                user(RESULT),
            ),
            "save is missing a thought_signature",
        ),
    ],
)
def test_what_the_real_one_refuses_is_refused(
    server: GeminiServer, pool: urllib3.PoolManager, body: Any, named: str
) -> None:
    """A request the real API refuses is a 400 that says what is wrong; it takes no step."""
    server.script([{"text": "好"}])

    status, answer = post(pool, server.url, body)

    assert 400 == status
    assert (400, "INVALID_ARGUMENT") == (answer["error"]["code"], answer["error"]["status"])
    assert named in answer["error"]["message"]
    assert 1 == server.unused


@pytest.mark.parametrize("call", ["generateContent", "countTokens", "batchEmbedContents"])
@pytest.mark.parametrize("key", ["another-key", None])
def test_nobody_without_the_key_is_answered(
    server: GeminiServer, pool: urllib3.PoolManager, call: str, key: str | None
) -> None:
    """A wrong key and none are refused as the real API refuses a wrong one."""
    status, answer = post(pool, server.url, ask(user("嗨")), call=call, key=key)

    assert 400 == status
    assert {
        "code": 400,
        "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
    } == answer["error"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"/v1/models/{MODEL}:generateContent"),
        ("POST", f"/v1beta/models/{MODEL}:predict"),
        ("POST", f"/v1beta/models/{MODEL}:generateContent/more"),
        ("POST", "/v1beta/models/:generateContent"),
        ("GET", f"/v1beta/models/{MODEL}:generateContent"),
        ("DELETE", "/"),
    ],
)
def test_what_is_elsewhere_is_not_found(
    server: GeminiServer, journal: Journal, pool: urllib3.PoolManager, method: str, path: str
) -> None:
    """Another version, method or path is a 404 in Google's shape, and stands in the journal."""
    answer = pool.request(method, server.url + path, headers={"x-goog-api-key": KEY})

    assert 404 == answer.status
    error = answer.json()["error"]
    assert (404, "NOT_FOUND") == (error["code"], error["status"])
    assert [("unknown", path, 404)] == [
        (line["call"], line["path"], line["status"]) for line in journal.lines
    ]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (400, "INVALID_ARGUMENT"),
        (403, "PERMISSION_DENIED"),
        (429, "RESOURCE_EXHAUSTED"),
        (500, "INTERNAL"),
        (503, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
    ],
)
def test_a_scripted_error_has_googles_shape(
    server: GeminiServer, client: genai.Client, code: int, status: str
) -> None:
    """Google's client reads code, status and message from a scripted error."""
    server.script([{"error": code}])

    with pytest.raises(errors.APIError) as raised:
        client.models.generate_content(model=MODEL, contents="嗨")

    assert (code, status) == (raised.value.code, raised.value.status)
    assert raised.value.message


def test_an_unscripted_call_is_an_error(server: GeminiServer, client: genai.Client) -> None:
    """A call that nobody scripted fails, so that a test which forgot its script does."""
    with pytest.raises(errors.ServerError, match="nothing scripted"):
        client.models.generate_content(model=MODEL, contents="嗨")


@pytest.mark.parametrize(
    ("step", "content"),
    [
        ({"finish": "MAX_TOKENS"}, {"role": "model"}),
        ({"finish": "MAX_TOKENS", "text": "從前"}, {"role": "model", "parts": [{"text": "從前"}]}),
    ],
)
def test_a_finish_may_come_with_words_or_without(
    server: GeminiServer, pool: urllib3.PoolManager, step: dict[str, Any], content: dict[str, Any]
) -> None:
    """A candidate that was cut has its reason, and parts only if there were words."""
    server.script([step])

    _, body = post(pool, server.url, ask(user("說故事")))

    assert [{"content": content, "finishReason": "MAX_TOKENS", "index": 0}] == body["candidates"]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"json": {"名字": "小明", "n": [1, None]}}, '{"名字": "小明", "n": [1, null]}'),
        ({"json": {}}, "{}"),
        ({"text": '{"名字":"小明"}'}, '{"名字":"小明"}'),
    ],
)
def test_a_form_is_scripted_as_what_is_in_it(
    server: GeminiServer, client: genai.Client, step: dict[str, Any], text: str
) -> None:
    """
    A form comes as the text of its JSON, written by the story or for it.
    """
    server.script([{"for": "digest", **step}])
    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_schema=SAVE.parameters
    )

    answer = client.models.generate_content(model=MODEL, contents="嗨", config=config)

    assert text == answer.text


def test_a_blocked_prompt_has_no_candidates(server: GeminiServer, client: genai.Client) -> None:
    """A blocked prompt is answered with the reason and nothing else."""
    server.script([{"block": "SAFETY"}])

    answer = client.models.generate_content(model=MODEL, contents="嗨")

    assert answer.candidates is None
    assert answer.prompt_feedback
    assert types.BlockedReason.SAFETY == answer.prompt_feedback.block_reason


def test_a_raw_body_goes_out_as_it_is(server: GeminiServer, pool: urllib3.PoolManager) -> None:
    """A raw step is the whole body, whatever it says."""
    server.script([{"raw": {"candidates": [{"mystery": 1}]}}])

    assert (200, {"candidates": [{"mystery": 1}]}) == post(pool, server.url, ask(user("嗨")))


@pytest.mark.parametrize(
    ("slow", "moved"), [("2.5s", 2.5), ("10s", 10), (7, 7), (0.5, 0.5), ("0.1m", 6)]
)
def test_a_slow_answer_moves_the_clock(
    server: GeminiServer, client: genai.Client, clock: FrozenClock, slow: Any, moved: float
) -> None:
    """An answer within the client's time-out takes its time on the frozen clock."""
    server.script([{"text": "嗯", "slow": slow}])

    assert "嗯" == client.models.generate_content(model=MODEL, contents="嗨").text
    assert NOW + timedelta(seconds=moved) == clock.now()


@pytest.mark.parametrize("step", [{"text": "嗯", "slow": "20s"}, {"error": 503, "slow": "2m"}])
def test_an_answer_after_the_deadline_is_a_504(
    server: GeminiServer, client: genai.Client, clock: FrozenClock, step: dict[str, Any]
) -> None:
    """An answer slower than the client's time-out never comes: at the deadline there is a 504."""
    server.script([step])

    with pytest.raises(errors.ServerError) as raised:
        client.models.generate_content(model=MODEL, contents="嗨")

    assert (504, "DEADLINE_EXCEEDED") == (raised.value.code, raised.value.status)
    assert NOW + timedelta(seconds=10) == clock.now()


def test_without_a_deadline_an_answer_may_take_for_ever(
    server: GeminiServer, pool: urllib3.PoolManager, clock: FrozenClock
) -> None:
    """A client that names no time-out waits as long as the model takes."""
    server.script([{"text": "嗯", "slow": "2m"}])

    status, _ = post(pool, server.url, ask(user("嗨")))

    assert (200, NOW + timedelta(minutes=2)) == (status, clock.now())


def test_nobody_waits_on_a_running_clock(pool: urllib3.PoolManager) -> None:
    """Where the clock can't be moved, a slow answer comes at once."""
    server = GeminiServer(Clock(), Journal(Clock()), api_key=KEY)
    server.script([{"text": "嗯", "slow": "60m"}])
    server.start()

    status, _ = post(pool, server.url, ask(user("嗨")))
    server.stop()

    assert 200 == status


@pytest.mark.parametrize(
    ("step", "named"),
    [
        ({"txt": "嗨"}, "txt"),
        ({}, "one of"),
        ({"args": {}}, "args"),
        ({"text": "嗨", "for": "story"}, "for"),
        ({"text": "嗨", "for": None}, "for"),
        ({"text": "嗨", "for": ["digest"]}, "for"),
        ({"for": "digest"}, "one of"),
        ({"text": "嗨", "error": 503}, "error"),
        ({"text": 5}, "text"),
        ({"error": 418}, "error"),
        ({"error": "503"}, "error"),
        ({"finish": "MAX_TOKEN"}, "finish"),
        ({"finish": ["STOP"]}, "finish"),
        ({"block": "RUDE"}, "block"),
        ({"raw": "{}"}, "raw"),
        ({"json": "{}"}, "json"),
        ({"json": []}, "json"),
        ({"json": {"at": NOW}}, "json"),
        ({"json": {}, "text": "嗨"}, "json"),
        ({"raw": {"at": NOW}}, "raw"),
        ({"call": None}, "call"),
        ({"call": "save", "args": ["a"]}, "args"),
        ({"calls": []}, "calls"),
        ({"calls": {"call": "save"}}, "calls"),
        ({"calls": [{"call": "save", "arg": {}}]}, "calls"),
        ({"calls": [{"args": {}}]}, "calls"),
        ({"text": "嗨", "slow": "soon"}, "slow"),
        ({"text": "嗨", "slow": -1}, "slow"),
        ({"text": "嗨", "slow": True}, "slow"),
    ],
)
def test_an_unreadable_step_is_refused_at_once(
    server: GeminiServer, step: dict[str, Any], named: str
) -> None:
    """A step that can't be read is an error that names the key, and none of its script is kept."""
    with pytest.raises(ValueError, match=rf"\b{named}\b"):
        server.script([{"text": "好"}, step])

    assert 0 == server.unused


def test_tokens_are_counted(server: GeminiServer, client: genai.Client) -> None:
    """Counting gives the estimate, and takes no step of the script."""
    server.script([{"text": "好"}])

    assert (
        7 == client.models.count_tokens(model=MODEL, contents="一二三四五六七八九十").total_tokens
    )
    assert 1 == server.unused


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (ask(user("四個字啊")), 200),
        ({"generateContentRequest": ask(user("四個"), systemInstruction=user("字啊"))}, 200),
        ({"contents": [user("")]}, 400),
        ({"contents": [user("嗨")], "tools": []}, 400),
        ({}, 400),
    ],
)
def test_counting_wants_a_prompt(
    server: GeminiServer, pool: urllib3.PoolManager, body: dict[str, Any], status: int
) -> None:
    """A count takes contents or a whole request, by the rules of a request."""
    assert status == post(pool, server.url, body, call="countTokens")[0]


def test_the_journal_shows_what_the_model_saw(
    server: GeminiServer, journal: Journal, pool: urllib3.PoolManager
) -> None:
    """A call's line has the whole prompt in order, the tools offered, and an estimate of tokens."""
    server.script([{"for": "search", "text": "好"}])
    tools = [{"function_declarations": [{"name": "save"}, {"name": "look"}]}, {"googleSearch": {}}]

    post(
        pool,
        server.url,
        ask(user("一", "二"), model("三"), user("四"), systemInstruction=user("零"), tools=tools),
    )

    (line,) = journal.lines
    assert ("gemini", "generate", 200) == (line["to"], line["call"], line["status"])
    assert "零\n一\n二\n三\n四" == line["prompt"]
    assert ["save", "look"] == line["tools"]
    assert 5 == line["tokens"]


def test_the_journal_shows_what_came_of_calls(
    server: GeminiServer, journal: Journal, pool: urllib3.PoolManager
) -> None:
    """
    Calls and their results stand in the prompt as JSON, where they were made.
    """
    server.script([{"text": "好"}])
    call = {"id": "1", "name": "save", "args": {"text": "倒垃圾", "n": 2, "half": 0.5}}
    result = {"name": "save", "id": "1", "response": {"stored": True, "no": 12}}

    post(
        pool,
        server.url,
        ask(
            user("記"),
            model("好", {"functionCall": call, "thoughtSignature": "c2ln"}),
            user({"functionResponse": result}),
        ),
    )

    (line,) = journal.lines
    assert (
        "記\n好\n"
        '{"args": {"half": 0.5, "n": 2, "text": "倒垃圾"}, "id": "1", "name": "save"}\n'
        '{"id": "1", "name": "save", "response": {"no": 12, "stored": true}}'
    ) == line["prompt"]
    assert tokens(line["prompt"]) == line["tokens"]


def test_a_refused_call_stands_in_the_journal(
    server: GeminiServer, journal: Journal, pool: urllib3.PoolManager
) -> None:
    """A body that can't be read has a line without a prompt; one against a rule shows it."""
    post(pool, server.url, [])
    post(pool, server.url, ask(model("嗨")))

    assert [(400, None), (400, "嗨")] == [
        (line["status"], line.get("prompt")) for line in journal.lines
    ]


def test_the_stand_in_answers_when_the_script_is_empty(
    clock: FrozenClock, journal: Journal, pool: urllib3.PoolManager
) -> None:
    """The script comes first, then the stand-in, which is shown the body in camelCase."""
    shown: list[dict[str, Any]] = []

    def echo(body: dict[str, Any]) -> str:
        shown.append(body)
        return "替身"

    server = GeminiServer(clock, journal, api_key=KEY, stand_in=echo)
    server.script([{"text": "劇本"}])
    server.start()
    body = ask(user("嗨"), system_instruction={"parts": [{"text": "簡短"}]})

    answers = [post(pool, server.url, body)[1] for _ in range(2)]
    server.stop()

    assert ["劇本", "替身"] == [
        answer["candidates"][0]["content"]["parts"][0]["text"] for answer in answers
    ]
    assert [ask(user("嗨"), systemInstruction={"parts": [{"text": "簡短"}]})] == shown


PHOTO = {"inlineData": {"mimeType": "image/jpeg", "data": "_9hhYmM="}}
SEARCH = {"tools": [{"functionDeclarations": [{"name": "save"}]}, {"googleSearch": {}}]}
CALLS = [
    (ask(user("嗨")), "reply"),
    (ask(user("嗨"), tools=[{"functionDeclarations": [{"name": "save"}]}]), "reply"),
    (ask(user("嗨"), generationConfig=AS_JSON), "reply"),
    (ask(user("嗨"), generationConfig={**AS_JSON, "responseSchema": SCHEMA}), "digest"),
    (ask(user("嗨"), generation_config={**AS_JSON, "responseJsonSchema": {}}), "digest"),
    (ask(user("嗨"), **SEARCH), "search"),
    (ask(user("嗨"), tools=[{"google_search": {}}]), "search"),
    (ask(user(PHOTO, "這是什麼")), "media"),
    (ask(user(PHOTO), model("貓"), user("什麼貓")), "media"),
    (ask(user(PHOTO), generationConfig={**AS_JSON, "responseSchema": SCHEMA}), "digest"),
    (ask(user(PHOTO), **SEARCH), "search"),
]


@pytest.mark.parametrize(("body", "kind"), CALLS)
def test_a_call_takes_the_next_step_of_its_kind(
    server: GeminiServer, pool: urllib3.PoolManager, body: dict[str, Any], kind: str
) -> None:
    """A schema makes a digest, else the search tool a search, else a picture or sound a media."""
    kinds = ["search", "media", "digest", "reply"]
    server.script([{"for": kind, "text": f"{kind} {n}"} for n in range(2) for kind in kinds])

    said = [post(pool, server.url, body)[1]["candidates"] for _ in range(2)]

    assert [f"{kind} 0", f"{kind} 1"] == [
        candidates[0]["content"]["parts"][0]["text"] for candidates in said
    ]
    assert 6 == server.unused


def test_a_step_of_another_kind_is_not_taken(
    server: GeminiServer, pool: urllib3.PoolManager
) -> None:
    """Where nothing of its kind is scripted a call fails, and names the kind."""
    server.script([{"text": "好"}, {"for": "digest", "text": "{}"}])

    status, body = post(pool, server.url, ask(user(PHOTO)))

    assert (500, "nothing scripted for: media") == (status, body["error"]["message"])
    assert 2 == server.unused


EMBEDDING, OLD_EMBEDDING = "gemini-embedding-2", "gemini-embedding-001"


def contents(*texts: str) -> list[types.Content]:
    """Return a content for each text."""
    return [types.Content(parts=[types.Part(text=text)]) for text in texts]


def vectors(
    client: genai.Client, *texts: str, model: str = EMBEDDING, **config: Any
) -> list[list[float]]:
    """Return the vectors Google's own client gets."""
    answer = client.models.embed_content(
        model=model, contents=contents(*texts), config=types.EmbedContentConfig(**config)
    )
    return [embedding.values or [] for embedding in answer.embeddings or []]


def one(text: str = "香菜", *, model: str = EMBEDDING, **more: Any) -> dict[str, Any]:
    """Return one request of a batch."""
    return {"model": f"models/{model}", "content": user(text), **more}


def post_batch(
    pool: urllib3.PoolManager, url: str, body: Any, *, model: str = EMBEDDING
) -> tuple[int, Any]:
    """Send a batch as it is; return the status and the body that came back."""
    answer = pool.request(
        "POST",
        f"{url}/v1beta/models/{model}:batchEmbedContents",
        json=body,
        headers={"x-goog-api-key": KEY},
    )
    return answer.status, answer.json()


@pytest.mark.parametrize("model", [EMBEDDING, OLD_EMBEDDING])
@pytest.mark.parametrize("size", [128, 512, 768, 3072])
def test_each_content_has_its_vector(client: genai.Client, model: str, size: int) -> None:
    """Google's own client gets a vector for each content, of the size it asked for."""
    came = vectors(
        client, "使用者討厭吃香菜", "今天天氣如何", model=model, output_dimensionality=size
    )

    assert [embedder.embed(text, size) for text in ("使用者討厭吃香菜", "今天天氣如何")] == came


def test_without_a_size_a_vector_has_3072_numbers(client: genai.Client) -> None:
    """The default is the models' own number of dimensions."""
    assert [3072] == [len(vector) for vector in vectors(client, "香菜")]


@pytest.mark.parametrize(("model", "count"), [(EMBEDDING, 1), (OLD_EMBEDDING, 2)])
def test_a_list_of_strings_is_one_content_to_the_new_model(
    client: genai.Client, model: str, count: int
) -> None:
    """Google's client merges strings into ONE content, so ONE vector, for gemini-embedding-2."""
    answer = client.models.embed_content(model=model, contents=["香菜", "芹菜"])

    assert count == len(answer.embeddings or [])


@pytest.mark.parametrize(
    "prefix",
    [
        "task: search result | query: ",
        "task: sentence similarity | query: ",
        "title: none | text: ",
    ],
)
def test_what_a_text_is_for_is_not_embedded(client: genai.Client, prefix: str) -> None:
    """The new model's task prefixes are no part of the text; to the old model they are words."""
    new, new_plain = vectors(client, f"{prefix}香菜", "香菜")
    old, old_plain = vectors(client, f"{prefix}香菜", "香菜", model=OLD_EMBEDDING)

    assert new_plain == new
    assert old_plain != old


def test_a_prefix_inside_a_text_is_embedded(client: genai.Client) -> None:
    """Only the beginning of a text says what it is for."""
    inside, plain = vectors(client, "他說 title: none | text: 香菜", "他說 香菜")

    assert plain != inside


@pytest.mark.parametrize("model", [EMBEDDING, OLD_EMBEDDING])
def test_a_task_type_is_taken_and_changes_nothing(client: genai.Client, model: str) -> None:
    """Both models take a task type; the local embedder has one vector for a text."""
    (query,) = vectors(client, "香菜", model=model, task_type="RETRIEVAL_QUERY")

    assert [query] == vectors(client, "香菜", model=model)


@pytest.mark.parametrize(
    "body",
    [
        {"requests": [one(output_dimensionality=768, task_type="SEMANTIC_SIMILARITY")]},
        {"requests": [one(outputDimensionality=768, taskType="SEMANTIC_SIMILARITY")]},
        {"requests": [one()] * 100},
        {"requests": [one(content={"parts": [{"text": "香"}, {"text": "菜"}]})]},
    ],
)
def test_batches_the_real_one_takes_are_embedded(
    server: GeminiServer, pool: urllib3.PoolManager, body: dict[str, Any]
) -> None:
    """Either spelling, a hundred requests and a content of several parts pass."""
    status, answer = post_batch(pool, server.url, body)

    assert (200, len(body["requests"])) == (status, len(answer["embeddings"]))


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (None, "not an object"),
        ({}, "requests"),
        ({"requests": []}, "requests"),
        ({"requests": [one()] * 101}, "at most 100 requests"),
        ({"requests": [one(), one(bogus=1)]}, "bogus"),
        ({"requests": [one(taskType="GUESSING")]}, "GUESSING"),
        ({"requests": [one(), one(model=OLD_EMBEDDING)]}, "requests[1].model"),
        ({"requests": [{"content": user("香菜")}]}, "requests[0].model"),
        ({"requests": [{**one(), "model": EMBEDDING}]}, "requests[0].model"),
        ({"requests": [one(outputDimensionality=127)]}, "output_dimensionality"),
        ({"requests": [one(outputDimensionality=3073)]}, "output_dimensionality"),
        ({"requests": [one(outputDimensionality=0)]}, "output_dimensionality"),
        ({"requests": [one(outputDimensionality="many")]}, "outputDimensionality"),
        ({"requests": [one("")]}, "requests[0].content.parts[0].text"),
        ({"requests": [one(), one(content=user("香菜", ""))]}, "requests[1].content.parts[1].text"),
        ({"requests": [one(content=user())]}, "requests[0].content.parts"),
        ({"requests": [{"model": f"models/{EMBEDDING}"}]}, "requests[0].content.parts"),
        ({"requests": [one(content=user("貓", PHOTO))]}, "only text"),
    ],
)
def test_batches_the_real_one_refuses_are_refused(
    server: GeminiServer, pool: urllib3.PoolManager, body: Any, named: str
) -> None:
    """A batch the real API refuses is a 400 that says what is wrong, and nothing is embedded."""
    status, answer = post_batch(pool, server.url, body)

    assert (400, "INVALID_ARGUMENT") == (status, answer["error"]["status"])
    assert named in answer["error"]["message"]


def test_vectors_are_scripted(server: GeminiServer, client: genai.Client) -> None:
    """A scripted text has its own numbers, or the vector of another text, whenever it is asked."""
    server.embed({"香菜": [0.6, 0.8], "芹菜": {"like": "今天天氣如何"}})
    server.embed({"天氣": [1]})

    for _ in range(2):
        came = vectors(client, "香菜", "芹菜", "天氣", "別的", output_dimensionality=128)

        assert [
            [0.6, 0.8, *[0] * 126],
            embedder.embed("今天天氣如何", 128),
            [1, *[0] * 127],
            embedder.embed("別的", 128),
        ] == came


def test_a_scripted_text_stands_behind_its_prefix(
    server: GeminiServer, client: genai.Client
) -> None:
    """What is scripted is the text, whatever it is asked for."""
    server.embed({"香菜": [1]})

    came = vectors(client, "task: search result | query: 香菜", "title: none | text: 香菜")

    assert [[1, *[0] * 3071]] * 2 == came


@pytest.mark.parametrize(
    "vector",
    [
        [],
        5,
        None,
        "今天",
        ["1"],
        [True],
        {},
        {"like": 5},
        {"unlike": "今天"},
        {"like": "今天", "by": 1},
    ],
)
def test_an_unreadable_vector_is_refused_at_once(
    server: GeminiServer, client: genai.Client, vector: Any
) -> None:
    """A vector that can't be read is an error that names its text; none of its script is kept."""
    with pytest.raises(ValueError, match="芹菜"):
        server.embed({"香菜": [1], "芹菜": vector})

    assert [embedder.embed("香菜", 3072)] == vectors(client, "香菜")


def test_an_embedding_takes_no_step(server: GeminiServer, client: genai.Client) -> None:
    """The script is what generateContent answers, and nobody else takes of it."""
    server.script([{"text": "好"}])

    vectors(client, "香菜")

    assert 1 == server.unused


def test_an_embedding_may_fail(server: GeminiServer, client: genai.Client) -> None:
    """A failure on demand is what Google's client hears."""
    server.fail("embed", Answer({"error": {"code": 503, "status": "UNAVAILABLE"}}, 503))

    with pytest.raises(errors.ServerError):
        vectors(client, "香菜")

    assert 1 == len(vectors(client, "香菜"))


def test_the_journal_shows_what_was_embedded(
    client: genai.Client, journal: Journal, server: GeminiServer, pool: urllib3.PoolManager
) -> None:
    """An embedding's line has the texts, without what they are for, and an estimate of tokens."""
    vectors(client, "title: none | text: 香菜", "四個字啊")
    post_batch(pool, server.url, {"requests": "香菜"})

    assert [("embed", 200, ["香菜", "四個字啊"], 5), ("embed", 400, None, None)] == [
        (line["call"], line["status"], line.get("texts"), line.get("tokens"))
        for line in journal.lines
    ]


LABEL = "（我是示範用的替身，沒有接上 Gemini。）"
ENGLISH_LABEL = "(I am the demo's rule-based stand-in: no Gemini is connected.)"

FAMILY = [
    user(
        "[2026-11-29 (日) 21:00] 媽媽：明天要買牛奶\n還有雞蛋\n"
        "[2026-11-29 (日) 21:01] 爸爸：我叫王大明\n"
        "[2026-11-29 (日) 21:01] 爸爸：18號段考\n"
        "[2026-11-29 (日) 21:02] 爸爸：誰說要買牛奶？"
    ),
    model("媽媽：「明天要買牛奶」"),
]
ENGLISH_FAMILY = [
    user(
        "[2026-11-29 (Sun) 21:00] Mom: We need milk tomorrow\n"
        "[2026-11-29 (Sun) 21:01] Dad: My name is Alex"
    ),
]


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("早安", "媽媽，早安！"),
        ("@小幫手 你好", "媽媽，你好！"),
        ("現在幾點？", "現在是 2026-11-29 (日) 21:05。"),
        ("今天星期幾", "現在是 2026-11-29 (日) 21:05。"),
        ("誰說要買牛奶？", "媽媽：「明天要買牛奶\n還有雞蛋」"),
        ("剛剛誰提到雞蛋的？", "媽媽：「明天要買牛奶\n還有雞蛋」"),
        ("誰說18號的？", "爸爸：「18號段考」"),
        ("誰說要去動物園？", "在我看得到的話裡找不到。"),
        ("爸爸剛剛說了什麼？", "爸爸：「誰說要買牛奶？」"),
        ("小幫手，剛才爸爸說什麼", "爸爸：「誰說要買牛奶？」"),
        ("我剛剛說了什麼？", "媽媽：「明天要買牛奶\n還有雞蛋」"),
        ("你剛剛說了什麼？", "我：「媽媽：「明天要買牛奶」」"),
        ("哥哥剛剛說了什麼？", "在我看得到的話裡找不到。"),
        (
            "剛剛聊了什麼？",
            "媽媽：「明天要買牛奶\n還有雞蛋」\n爸爸：「我叫王大明」\n爸爸：「18號段考」\n爸爸：「誰說要買牛奶？」\n"
            "我：「媽媽：「明天要買牛奶」」",
        ),
        ("我叫林美美", "你好，林美美！"),
        ("我叫什麼？", "我看到的名字是媽媽。"),
        ("謝謝你", "不客氣，媽媽！"),
        ("你是誰？", f"{LABEL}\n我會報時，也會找出誰說過什麼。"),
        ("晚餐吃麵", f"我讀到了：「晚餐吃麵」\n{LABEL}"),
        ("晚餐\n吃麵", f"我讀到了：「晚餐\n吃麵」\n{LABEL}"),
        ("好" * 61, f"我讀到了：「{'好' * 60}…」\n{LABEL}"),
        ("👍", f"我讀到了：「👍」\n{LABEL}"),
    ],
)
def test_the_stand_in_talks_about_what_it_was_shown(text: str, reply: str) -> None:
    """The stand-in answers from the window, and is labelled where it has nothing else to say."""
    last = user(f"[2026-11-29 (日) 21:05] 媽媽：{text}")

    assert reply == stand_in.answer(ask(*FAMILY, last))


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Good morning!", "Good morning, Dad!"),
        ("What time is it?", "It is 2026-11-29 (Sun) 21:05."),
        ("who said that we need milk?", "Mom: “We need milk tomorrow”"),
        ("What did Mom just say?", "Mom: “We need milk tomorrow”"),
        ("What did I say?", "Dad: “My name is Alex”"),
        ("What did you say?", "I can't find that in what I can see."),
        ("What did we talk about?", "Mom: “We need milk tomorrow”\nDad: “My name is Alex”"),
        ("What's my name?", "You said you are Alex."),
        ("My name is Bob", "Nice to meet you, Bob!"),
        ("Thanks!", "You're welcome, Dad!"),
        ("Who are you?", f"{ENGLISH_LABEL}\nI can tell the time and find who said what."),
        ("Noodles tonight: yes", f"I have read “Noodles tonight: yes”.\n{ENGLISH_LABEL}"),
        ("現在幾點？", "現在是 2026-11-29 (Sun) 21:05。"),
    ],
)
def test_the_stand_in_answers_in_the_language_of_the_message(text: str, reply: str) -> None:
    """An English message is answered in English, a Chinese one in Chinese."""
    last = user(f"[2026-11-29 (Sun) 21:05] Dad: {text}")

    assert reply == stand_in.answer(ask(*ENGLISH_FAMILY, last))


def test_the_stand_in_remembers_a_name_that_is_still_shown() -> None:
    """A name told earlier in the window is the answer to its speaker alone."""
    last = user("[2026-11-29 (日) 21:05] 爸爸：我叫什麼？")

    assert "你說過你叫王大明。" == stand_in.answer(ask(*FAMILY, last))


@pytest.mark.parametrize("body", [{}, ask(), ask(user("沒有時間的話")), ask(user(RESULT))])
def test_the_stand_in_labels_itself_where_it_was_shown_nothing(body: dict[str, Any]) -> None:
    """A body without a line of conversation gets the label."""
    assert LABEL == stand_in.answer(body)
