"""The Gemini API (v1beta) on this machine: scripted, and refusing what the real one refuses."""

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from flask import request
from google.ai.generativelanguage_v1beta import (
    BatchEmbedContentsRequest,
    CountTokensRequest,
    GenerateContentRequest,
    Part,
)
from google.protobuf.json_format import MessageToDict, MessageToJson

from local.clock import FrozenClock
from local.gemini_rules import check, check_contents, error, invalid, parse
from local.gemini_script import Step, kind_of, play, read_step
from local.gemini_vectors import Vectors, check_batch, texts
from local.journal import Journal
from local.loopback import Answer, Loopback, Rejected
from local.plug import Plug
from services.characters import tokens
from services.clock import Clock

StandIn = Callable[[dict[str, Any]], str | Mapping[str, Any]]
"""What answers a body where nothing is scripted: with words, or a step as a script writes it."""


class GeminiServer(Loopback):
    """A Gemini that says what it was told to say, to whoever asks as the real one wants it."""

    name = "gemini"

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        *,
        api_key: str,
        stand_in: StandIn | None = None,
        plug: Plug | None = None,
    ) -> None:
        super().__init__(clock, journal, plug=plug)
        self._api_key = api_key
        self._stand_in = stand_in
        self.repeats = False
        """Whether the same contents get the same answer again, for a caller who died meanwhile."""
        self._said: dict[str, Step] = {}
        self._script: list[Step] = []
        self._vectors = Vectors()
        self._serial = itertools.count(1)
        self.route("POST", "/v1beta/models/<model>:generateContent", "generate", self._generate)
        self.route("POST", "/v1beta/models/<model>:countTokens", "countTokens", self._count_tokens)
        self.route("POST", "/v1beta/models/<model>:batchEmbedContents", "embed", self._embed)
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            self.route(method, "/", "unknown", _not_found)
            self.route(method, "/<path:path>", "unknown", _not_found)

    @property
    def unused(self) -> int:
        """The number of scripted steps that nobody has asked for yet."""
        return len(self._script)

    def script(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Append answers for the next generateContent calls; none if one can't be read.

        Each is for the calls of one kind (`for`, by default reply), and taken by the next of them.
        """
        read = [read_step(step) for step in steps]
        with self._lock:
            self._script.extend(read)

    def embed(self, vectors: Mapping[str, Sequence[float] | Mapping[str, str]]) -> None:
        """Give texts other vectors from now on; none if one can't be read.

        Args:
            vectors: For each text its first numbers (zeros follow), or `{"like": other_text}` for
                the local embedder's vector of another text.
        """
        self._vectors.script(vectors)

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Return what the model was shown: its prompt, the tools offered, an estimate of tokens.

        Of an embedding: the texts, and the estimate.
        """
        try:
            if call == "generate":
                return _generate_shorthands(parse(body, GenerateContentRequest))
            if call == "embed":
                embedded = texts(parse(body, BatchEmbedContentsRequest))
                return {"texts": embedded, "tokens": sum(map(tokens, embedded))}
        except Rejected:
            pass
        return {}

    def _generate(self, body: Any, model: str) -> Answer:
        self._check_key()
        asked = parse(body, GenerateContentRequest)
        check(body, asked)
        step = self._next_step(asked)
        self._take_time(step.slow)
        return play(step.says, tokens(_prompt(asked)), model, next(self._serial))

    def _count_tokens(self, body: Any, model: str) -> Answer:
        self._check_key()
        counted = parse(body, CountTokensRequest)
        asked = counted.generate_content_request
        if "generate_content_request" not in counted:
            asked = GenerateContentRequest(contents=counted.contents)
        check_contents(asked)
        return Answer({"totalTokens": tokens(_prompt(asked))})

    def _embed(self, body: Any, model: str) -> Answer:
        self._check_key()
        asked = parse(body, BatchEmbedContentsRequest)
        check_batch(asked, model)
        vectors = self._vectors.embed(asked)
        return Answer({"embeddings": [{"values": vector} for vector in vectors]})

    def _check_key(self) -> None:
        if request.headers.get("x-goog-api-key") != self._api_key:
            raise invalid("API key not valid. Please pass a valid API key.")

    def _next_step(self, asked: GenerateContentRequest) -> Step:
        kind = kind_of(asked)
        shown = f"{kind}: {asked.contents!r}"
        with self._lock:
            if self.repeats and shown in self._said:
                return self._said[shown]
            step = next((step for step in self._script if step.kind == kind), None)
            if step:
                self._script.remove(step)
                self._said[shown] = step
                return step
        if self._stand_in:
            said = self._stand_in(MessageToDict(GenerateContentRequest.pb(asked)))
            return read_step({"text": said} if isinstance(said, str) else said)
        raise Rejected(error(500, f"nothing scripted for: {kind}"))

    def _take_time(self, slow: float) -> None:
        deadline = request.headers.get("X-Server-Timeout", math.inf, type=float)
        if isinstance(self.clock, FrozenClock):
            self.clock.advance(timedelta(seconds=min(slow, deadline)))
        if slow > deadline:
            raise Rejected(error(504))


def _not_found(body: Any, path: str = "") -> Answer:
    return error(404)


def _generate_shorthands(asked: GenerateContentRequest) -> dict[str, Any]:
    prompt = _prompt(asked)
    offered = [declared.name for tool in asked.tools for declared in tool.function_declarations]
    if asked.tool_config.function_calling_config.mode.name == "NONE":
        offered = []
    return {"prompt": prompt, "tools": offered, "tokens": tokens(prompt)}


def _prompt(asked: GenerateContentRequest) -> str:
    contents = [asked.system_instruction, *asked.contents]
    return "\n".join(filter(None, (_shown(part) for content in contents for part in content.parts)))


def _shown(part: Part) -> str:
    """Return a part as a story looks at it: its words, or a call or its result as JSON."""
    for field in ("function_call", "function_response"):
        if field in part:
            written = MessageToJson(getattr(Part.pb(part), field))
            shown = json.loads(written, parse_float=_number)
            return json.dumps(shown, ensure_ascii=False, sort_keys=True)
    return part.text


def _number(written: str) -> float:
    # To a protobuf every number of a call is a float, to those who made it 12 is 12.
    number = float(written)
    return int(number) if number.is_integer() else number
