"""The Gemini API (v1beta) on this machine: scripted, and refusing what the real one refuses."""

import base64
import copy
import itertools
import json
import math
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from flask import request
from google.ai.generativelanguage_v1beta import (
    Candidate,
    Content,
    CountTokensRequest,
    GenerateContentRequest,
    GenerateContentResponse,
    Part,
)
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from local.clock import FrozenClock
from local.durations import read_duration
from local.journal import Journal
from local.loopback import Answer, Loopback, Rejected
from services.clock import Clock

_Asked = TypeVar("_Asked", GenerateContentRequest, CountTokensRequest)

# https://ai.google.dev/gemini-api/docs/troubleshooting
_ERRORS = {
    400: ("INVALID_ARGUMENT", "Request contains an invalid argument."),
    403: ("PERMISSION_DENIED", "The caller does not have permission."),
    404: ("NOT_FOUND", "Requested entity was not found."),
    429: ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    500: ("INTERNAL", "An internal error has occurred."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
    504: ("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
}

_THINKING = ("generationConfig", "thinkingConfig")

# What google-genai 3.6.1 sends, the API knows and google-ai-generativelanguage 0.12.1 does not
# [tried]: the field's path, the only value meant (None: any), and why it may pass.
_UNKNOWN_TO_THE_PROTO: tuple[tuple[tuple[str, ...], str | None, str], ...] = (
    ((*_THINKING, "thinkingLevel"), None, "how 3.x models are told to think; checked below"),
    (("toolConfig", "includeServerSideToolInvocations"), None, "newer than the package"),
    (("contents", "parts", "mediaResolution"), None, "3.x; the package has it per request only"),
    (("serviceTier",), None, "newer than the package"),
    (("labels",), None, "for billing; newer than the package"),
    (("safetySettings", "category"), "HARM_CATEGORY_JAILBREAK", "a category newer than the enum"),
)

# google-genai 3.6.1, types.ThinkingLevel; the API takes them in any case.
_THINKING_LEVELS = ("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens: 0.7 for each CJK character, 0.25 for each other, rounded up."""
    cjk = len(_CJK.findall(text))
    return math.ceil((14 * cjk + 5 * (len(text) - cjk)) / 20)


@dataclass(frozen=True, slots=True)
class _Step:
    """One scripted answer, as a story writes it, and how many seconds the model takes."""

    says: Mapping[str, Any]
    slow: float = 0


class GeminiServer(Loopback):
    """A Gemini that says what it was told to say, to whoever asks as the real one wants it."""

    name = "gemini"

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        *,
        api_key: str,
        stand_in: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        super().__init__(clock, journal)
        self._api_key = api_key
        self._stand_in = stand_in
        self._script: deque[_Step] = deque()
        self._serial = itertools.count(1)
        self.route("POST", "/v1beta/models/<model>:generateContent", "generate", self._generate)
        self.route("POST", "/v1beta/models/<model>:countTokens", "countTokens", self._count_tokens)
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            self.route(method, "/", "unknown", _not_found)
            self.route(method, "/<path:path>", "unknown", _not_found)

    @property
    def unused(self) -> int:
        """The number of scripted steps that nobody has asked for yet."""
        return len(self._script)

    def script(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Append answers for the next generateContent calls; none if one can't be read."""
        read = [_read_step(step) for step in steps]
        with self._lock:
            self._script.extend(read)

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Return what the model was shown: its prompt, the tools offered, an estimate of tokens."""
        if call != "generate":
            return {}
        try:
            asked = _parse(body, GenerateContentRequest)
        except Rejected:
            return {}
        prompt = _prompt(asked)
        tools = [declared.name for tool in asked.tools for declared in tool.function_declarations]
        return {"prompt": prompt, "tools": tools, "tokens": estimate_tokens(prompt)}

    def _generate(self, body: Any, model: str) -> Answer:
        self._check_key()
        asked = _parse(body, GenerateContentRequest)
        _check_thinking(body)
        _check_schema(asked)
        _check_contents(asked)
        step = self._next_step(asked)
        self._take_time(step.slow)
        return _play(step.says, estimate_tokens(_prompt(asked)), model, next(self._serial))

    def _count_tokens(self, body: Any, model: str) -> Answer:
        self._check_key()
        counted = _parse(body, CountTokensRequest)
        asked = counted.generate_content_request
        if "generate_content_request" not in counted:
            asked = GenerateContentRequest(contents=counted.contents)
        _check_contents(asked)
        return Answer({"totalTokens": estimate_tokens(_prompt(asked))})

    def _check_key(self) -> None:
        if request.headers.get("x-goog-api-key") != self._api_key:
            raise _invalid("API key not valid. Please pass a valid API key.")

    def _next_step(self, asked: GenerateContentRequest) -> _Step:
        with self._lock:
            if self._script:
                return self._script.popleft()
        if self._stand_in:
            return _Step({"text": self._stand_in(MessageToDict(GenerateContentRequest.pb(asked)))})
        raise Rejected(_error(500, "nothing scripted"))

    def _take_time(self, slow: float) -> None:
        deadline = request.headers.get("X-Server-Timeout", math.inf, type=float)
        if isinstance(self.clock, FrozenClock):
            self.clock.advance(timedelta(seconds=min(slow, deadline)))
        if slow > deadline:
            raise Rejected(_error(504))


def _not_found(body: Any, path: str = "") -> Answer:
    return _error(404)


def _error(code: int, message: str = "") -> Answer:
    status, usual = _ERRORS[code]
    return Answer({"error": {"code": code, "message": message or usual, "status": status}}, code)


def _invalid(message: str) -> Rejected:
    return Rejected(_error(400, message))


def _parse(body: Any, kind: type[_Asked]) -> _Asked:
    if not isinstance(body, dict):
        raise _invalid("Invalid JSON payload received. The body is not an object.")
    known = copy.deepcopy(body)
    for path, only, _ in _UNKNOWN_TO_THE_PROTO:
        _take(known, path, only)
    asked = kind()
    try:
        ParseDict(known, kind.pb(asked))
    except ParseError as error:
        raise _invalid(f"Invalid JSON payload received. {error}") from error
    return asked


def _take(node: Any, path: tuple[str, ...], only: str | None = None) -> list[Any]:
    """Take a field (if it has the only value meant) out of wherever its path leads."""
    if isinstance(node, list):
        return [value for item in node for value in _take(item, path, only)]
    if not isinstance(node, dict):
        return []
    found = [key for key in _spellings(path[0]) if key in node]
    if len(path) > 1:
        return [value for key in found for value in _take(node[key], path[1:], only)]
    return [node.pop(key) for key in found if only in (None, node[key])]


def _spellings(camel: str) -> set[str]:
    return {camel, re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", camel)}


def _check_thinking(body: Any) -> None:
    # On the raw body: the protobuf has the budget, but not the level.
    body = copy.deepcopy(body)
    levels = _take(body, (*_THINKING, "thinkingLevel"))
    if levels and _take(body, (*_THINKING, "thinkingBudget")):
        raise _invalid("thinking_level and thinking_budget can't be set together.")
    for level in levels:
        if str(level).upper() not in _THINKING_LEVELS:
            raise _invalid(f"Invalid value at thinking_config.thinking_level: {level!r}")


def _check_schema(asked: GenerateContentRequest) -> None:
    config = asked.generation_config
    for field in ("response_schema", "response_json_schema"):
        if field in config and config.response_mime_type != "application/json":
            raise _invalid(f"{field} needs response_mime_type application/json.")


def _check_contents(asked: GenerateContentRequest) -> None:
    if not asked.contents:
        raise _invalid("contents is not specified.")
    if "system_instruction" in asked:
        _check_parts("system_instruction", asked.system_instruction)
    for number, content in enumerate(asked.contents):
        _check_parts(f"contents[{number}]", content)
    _check_roles([content.role for content in asked.contents])
    for before, content in itertools.pairwise([Content(), *asked.contents]):
        _check_results(_calls(before), content)
    _check_signatures(asked.contents)


def _check_parts(name: str, content: Content) -> None:
    if not content.parts:
        raise _invalid(f"{name}.parts must not be empty.")
    for number, part in enumerate(content.parts):
        if not Part.pb(part).WhichOneof("data"):
            raise _invalid(f"{name}.parts[{number}].data: one field of it must be set.")
        # A signature may come, and go back, in a part that says nothing else.
        if "text" in part and not (part.text or part.thought_signature):
            raise _invalid(f"{name}.parts[{number}].text must not be empty.")


def _check_roles(roles: list[str]) -> None:
    if roles == [""]:  # it "can be left blank" where there is no conversation (content.proto)
        return
    for role in roles:
        if role not in ("user", "model"):
            raise _invalid(f"Please use a valid role: user, model. Not {role!r}.")
    if roles[0] != "user":
        raise _invalid("contents must start with role user.")


def _check_results(calls: list[Part], content: Content) -> None:
    results = [part.function_response for part in content.parts if "function_response" in part]
    called = {(call.function_call.name, call.function_call.id) for call in calls}
    called |= {(name, "") for name, _ in called}  # a result may leave the id out
    for result in results:
        if (result.name, result.id) not in called:
            raise _invalid(f"function response {result.name} has no call in the content before it.")
    if len(results) != len(calls):  # google-gemini/gemini-cli#5443
        raise _invalid("A function call turn needs as many function responses as it has calls.")


def _check_signatures(contents: Sequence[Content]) -> None:
    # Of the current turn only, which begins with the last content that isn't a model's or a tool's:
    # https://ai.google.dev/gemini-api/docs/thought-signatures
    turn = max(number for number, content in enumerate(contents) if _is_asking(content))
    for content in contents[turn:]:
        calls = _calls(content)
        if calls and not calls[0].thought_signature:
            name = calls[0].function_call.name
            raise _invalid(f"Function call {name} is missing a thought_signature.")


def _is_asking(content: Content) -> bool:
    return content.role != "model" and any("function_response" not in p for p in content.parts)


def _calls(content: Content) -> list[Part]:
    return [part for part in content.parts if content.role == "model" and "function_call" in part]


def _prompt(asked: GenerateContentRequest) -> str:
    contents = [asked.system_instruction, *asked.contents]
    return "\n".join(part.text for content in contents for part in content.parts if part.text)


def _play(says: Mapping[str, Any], prompt: int, model: str, serial: int) -> Answer:
    if "error" in says:
        return _error(says["error"])
    if "raw" in says:
        return Answer(says["raw"])
    parts = _parts(says, serial)
    about = {
        "usageMetadata": _usage(prompt, parts),
        "modelVersion": model,
        "responseId": f"response-{serial}",
    }
    if "block" in says:
        return Answer({"promptFeedback": {"blockReason": says["block"]}, **about})
    content = {"role": "model", "parts": parts} if parts else {"role": "model"}
    candidate = {"content": content, "finishReason": says.get("finish", "STOP"), "index": 0}
    return Answer({"candidates": [candidate], **about})


def _parts(says: Mapping[str, Any], serial: int) -> list[dict[str, Any]]:
    if "text" in says:
        return [{"text": says["text"]}]
    calls = says.get("calls") or ([says] if "call" in says else [])
    parts: list[dict[str, Any]] = []
    for n, call in enumerate(calls, 1):
        said = {"id": f"call-{serial}-{n}", "name": call["call"], "args": call.get("args", {})}
        parts.append({"functionCall": said})
    if parts:  # of parallel calls only the first is signed
        parts[0]["thoughtSignature"] = base64.b64encode(f"thought {serial}".encode()).decode()
    return parts


def _usage(prompt: int, parts: list[dict[str, Any]]) -> dict[str, int]:
    said = "".join(
        part["text"] if "text" in part else json.dumps(part["functionCall"], ensure_ascii=False)
        for part in parts
    )
    answer = estimate_tokens(said)
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer,
    }


def _read_step(step: Mapping[str, Any]) -> _Step:
    kind = next((key for key in _SHAPES if key in step), None)
    if not kind:
        raise ValueError(f"no answer in {', '.join(map(str, step))}: one of {', '.join(_SHAPES)}")
    says = {key: value for key, value in step.items() if key != "slow"}
    for key, value in says.items():
        if key not in _SHAPES[kind]:
            raise ValueError(f"{key}: not understood beside {kind}")
        if not _SHAPES[kind][key](value):
            raise ValueError(f"{key}: can't be {value!r}")
    return _Step(says, read_duration(step.get("slow", 0)).total_seconds())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    try:  # YAML knows more than JSON does, such as dates
        return json.dumps(value).startswith("{")
    except TypeError:
        return False


def _is_call(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {"call"} <= set(value) <= {"call", "args"}
        and _is_text(value["call"])
        and _is_object(value.get("args", {}))
    )


def _are_calls(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_call, value))


_FINISHES = list(Candidate.FinishReason.__members__)
_BLOCKS = list(GenerateContentResponse.PromptFeedback.BlockReason.__members__)

# A step's keys by the one that tells its kind; a finish comes first because it may have a text.
_SHAPES: dict[str, dict[str, Callable[[Any], bool]]] = {
    "finish": {"finish": _FINISHES.__contains__, "text": _is_text},
    "text": {"text": _is_text},
    "error": {"error": list(_ERRORS).__contains__},
    "block": {"block": _BLOCKS.__contains__},
    "raw": {"raw": _is_object},
    "call": {"call": _is_text, "args": _is_object},
    "calls": {"calls": _are_calls},
}
