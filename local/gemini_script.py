"""What a story lets Gemini answer: reading the script, and playing it."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.ai.generativelanguage_v1beta import (
    Candidate,
    GenerateContentRequest,
    GenerateContentResponse,
)

from local.durations import read_duration
from local.gemini_rules import ERRORS, error
from local.loopback import Answer
from services.characters import tokens

KINDS = ("reply", "digest", "media", "search")


@dataclass(frozen=True, slots=True)
class Step:
    """One scripted answer, as a story writes it."""

    says: Mapping[str, Any]
    slow: float = 0
    """How many seconds the model takes."""
    kind: str = "reply"
    """Which calls it is for: one of `KINDS`."""


def kind_of(asked: GenerateContentRequest) -> str:
    """Return what a call is for: one of `KINDS`, by what it asks the model for."""
    config = asked.generation_config
    if "response_schema" in config or "response_json_schema" in config:
        return "digest"
    if any("google_search" in tool for tool in asked.tools):
        return "search"
    if any("inline_data" in part for content in asked.contents for part in content.parts):
        return "media"
    return "reply"


def play(says: Mapping[str, Any], prompt: int, model: str, serial: int) -> Answer:
    """Return the answer a step stands for.

    Args:
        says: The step.
        prompt: How many tokens the prompt had.
        model: The model's name.
        serial: How many answers there were before, so that each is told from the others.
    """
    if "error" in says:
        return error(says["error"])
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
    if "json" in says:
        return [{"text": json.dumps(says["json"], ensure_ascii=False)}]
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
    answer = tokens(said)
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer,
    }


def read_step(step: Mapping[str, Any]) -> Step:
    """Read one scripted answer; raise ValueError naming what is wrong in it."""
    kind = next((key for key in _SHAPES if key in step), None)
    if not kind:
        raise ValueError(f"no answer in {', '.join(map(str, step))}: one of {', '.join(_SHAPES)}")
    says = {key: value for key, value in step.items() if key not in ("slow", "for")}
    for key, value in says.items():
        if key not in _SHAPES[kind]:
            raise ValueError(f"{key}: not understood beside {kind}")
        if not _SHAPES[kind][key](value):
            raise ValueError(f"{key}: can't be {value!r}")
    if step.get("for", "reply") not in KINDS:
        raise ValueError(f"for: can't be {step['for']!r}: one of {', '.join(KINDS)}")
    try:
        slow = read_duration(step.get("slow", 0))
    except ValueError as unreadable:
        raise ValueError(f"slow: {unreadable}") from unreadable
    return Step(says, slow.total_seconds(), step.get("for", "reply"))


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
    "json": {"json": _is_object},
    "error": {"error": list(ERRORS).__contains__},
    "block": {"block": _BLOCKS.__contains__},
    "raw": {"raw": _is_object},
    "call": {"call": _is_text, "args": _is_object},
    "calls": {"calls": _are_calls},
}
