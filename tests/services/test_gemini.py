"""One prompt gets one answer, or an honest failure in bounded time."""

import copy
import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from local.clock import FrozenClock
from local.gemini import GeminiServer
from local.journal import Journal
from local.loopback import Answer as Answered
from local.loopback import Loopback, Server
from services.errors import Refused, Unavailable, Withheld
from services.gemini import Answer, Gemini
from services.settings import Settings

KEY = "gemini-key"
SYSTEM = "你是家庭助理"
ASKED = [("user", "媽媽的密碼是什麼"), ("model", "我不說密碼。"), ("user", "那晚餐吃什麼")]
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
        return gemini.answer(SYSTEM, ASKED)
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


@new_enums
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: json.dumps(junk)[:20])
def test_a_field_of_another_kind_is_an_answer_or_unavailable(
    raw: RawServer, clock: FrozenClock, junk: Any
) -> None:
    """Whatever stands in a place of the answer, it is read or it is not, and that is all."""
    model = gemini(raw.url, clock, gemini_attempts=1)

    for path in places(FULL):
        raw.body = json.dumps(with_junk(path, junk)).encode()
        assert isinstance(honest(model), Answer | Unavailable)


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

    with pytest.raises(Unavailable):
        gemini(raw.url, clock).answer(SYSTEM, ASKED)


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

    def _generate(self, _: Any, path: str) -> Answered:
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


def test_without_a_token_vertex_is_unavailable(vertex: Vertex, journal: Journal) -> None:
    """Where the account can't be vouched for, nothing is asked."""

    def no_token() -> str:
        raise Unavailable("metadata server")

    with pytest.raises(Unavailable):
        by_account(vertex.url, no_token).answer(SYSTEM, ASKED)
    assert [] == journal.lines
