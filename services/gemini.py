"""Gemini: an answer, a form filled in or vectors, or an honest failure in bounded time."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

import httpx2
import tenacity
from google import genai
from google.auth.exceptions import GoogleAuthError
from google.genai import errors, types
from google.oauth2.credentials import Credentials
from pydantic import BaseModel, ValidationError

from services.characters import whole
from services.clock import Clock
from services.dialogue import Answer, Call, Said, Step, Tool
from services.errors import Refused, Unavailable, Withheld
from services.schemas import schema
from services.settings import Settings
from services.vectors import DIMENSIONS, Purpose, task, unit

log = logging.getLogger(__name__)

__all__ = ["DIMENSIONS", "Answer", "Call", "Gemini", "Purpose", "Said", "Step", "Tool"]

_R = TypeVar("_R")
_M = TypeVar("_M", bound=BaseModel)

_SHORTEST = timedelta(seconds=10)
"""Gemini answers 400 or 500 to a shorter deadline (python-genai#1330)."""
_FORM_TOKENS = 8192
"""A cut form is worth nothing, and what the model thinks counts as well."""
_BATCH = 100
"""Gemini embeds no more texts at once."""
_NO_CALLS = types.ToolConfig(
    function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.NONE)
)
_CUT = types.FinishReason.MAX_TOKENS
_WHOLE = types.FinishReason.STOP
_WITHHELD = frozenset(
    {
        types.FinishReason.SAFETY,
        types.FinishReason.RECITATION,
        types.FinishReason.BLOCKLIST,
        types.FinishReason.PROHIBITED_CONTENT,
        types.FinishReason.SPII,
        types.FinishReason.MODEL_ARMOR,
    }
)


class Gemini:
    """Ask the model."""

    def __init__(
        self, settings: Settings, clock: Clock, *, access_token: Callable[[], str]
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._client = _client(settings, access_token, clock)

    def deadline(self) -> datetime:
        """Return when an answer that is begun now is given up, all its rounds together."""
        return self._in(self._settings.gemini_patience)

    def answer(
        self,
        system: str,
        contents: Sequence[Said],
        *,
        tools: Sequence[Tool] = (),
        steps: Sequence[Step] = (),
        last: bool = False,
        deadline: datetime | None = None,
    ) -> Answer:
        """Return the model's answer: words, calls of tools, or both.

        Args:
            system: The system instruction.
            contents: The conversation, the user first and last.
            tools: What the model may ask for.
            steps: The rounds there were before, of this same answer.
            last: It may not ask for them any more. They stay declared: the API answers 400 to the
                result of a function it does not know.
            deadline: When to give up; by default as if this were the first round.

        Raises:
            Unavailable: No usable answer came in time, or there is none left for another round.
            Withheld: The filters stopped it.
            Refused: The key, the model or the request is wrong.
        """
        until = deadline or self.deadline()
        if steps and self._clock.now() + _SHORTEST > until:
            raise Unavailable("no time is left for another round")
        config = self._config(system, self._settings.max_output_tokens)
        if tools:
            config.tools = [types.Tool(function_declarations=[_declared(tool) for tool in tools])]
        if last:
            config.tool_config = _NO_CALLS
        said = [_content(text, role) for role, text in contents]
        said += [content for step in steps for content in _exchanged(step)]
        return self._insist(lambda: self._ask(said, config, until), until)

    def fill(self, system: str, text: str, form: type[_M]) -> _M:
        """Return a form as the model filled it in, checked.

        Args:
            system: The system instruction.
            text: What it is filled in from.
            form: A field's description is the model's to read, a docstring is not.

        Raises:
            Unavailable: No form that is whole and right came within the patience for a digest.
            Withheld: The filters stopped it.
            Refused: The key, the model or the request is wrong.
        """
        until = self._in(self._settings.digest_patience)
        config = self._config(system, _FORM_TOKENS)
        config.response_mime_type = "application/json"
        config.response_schema = types.Schema.model_validate(schema(form))

        def fill() -> _M:
            answer = self._ask([_content(text)], config, until)
            if answer.cut:
                raise Unavailable("Gemini's form is cut")
            try:
                return form.model_validate_json(answer.text)
            except ValidationError as error:
                raise Unavailable("Gemini's form is not filled in right") from error

        return self._insist(fill, until)

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[list[float]]:
        """Return a vector of unit length for each text.

        Raises:
            Unavailable: No vectors came within the patience for them, or none that can be used.
            Refused: The key, the model or the request is wrong.
        """
        until = self._in(self._settings.embed_patience)
        vectors: list[list[float]] = []
        for first in range(0, len(texts), _BATCH):
            batch = texts[first : first + _BATCH]
            # The patience may be shorter than Gemini's shortest deadline: a request outlasts it.
            vectors += self._insist(
                partial(self._embed, batch, purpose, until), until, least=timedelta()
            )
        return vectors

    def _insist(
        self, ask: Callable[[], _R], until: datetime, *, least: timedelta = _SHORTEST
    ) -> _R:
        """Ask again while there is no answer; not where less than `least` is left for it."""

        def spent(state: tenacity.RetryCallState) -> bool:
            if state.attempt_number >= self._settings.gemini_attempts:
                return True
            wait = timedelta(seconds=state.upcoming_sleep)
            return self._clock.now() + wait + least > until

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Unavailable),
            stop=spent,
            wait=tenacity.wait_exponential(multiplier=self._settings.gemini_retry_delay),
            sleep=self._clock.sleep,
            reraise=True,
        )
        return retrying(ask)

    def _ask(
        self, said: list[types.Content], config: types.GenerateContentConfig, until: datetime
    ) -> Answer:
        with _honest():
            response = self._client.models.generate_content(
                model=self._settings.gemini_model,
                contents=[*said],
                config=config.model_copy(update={"http_options": self._options(until)}),
            )
        log.info("model asked", extra=_usage(response))
        return _read(response, set() if config.tool_config else _offered(config))

    def _embed(self, texts: Sequence[str], purpose: Purpose, until: datetime) -> list[list[float]]:
        model = self._settings.embed_model
        task_type, prefix = task(model, purpose)
        with _honest():
            response = self._client.models.embed_content(
                model=model,
                # Of bare texts the SDK would make one content, with one vector (python-genai#2523).
                contents=[_content(prefix + text) for text in texts],
                config=types.EmbedContentConfig(
                    task_type=task_type,
                    output_dimensionality=DIMENSIONS,
                    http_options=self._options(until),
                ),
            )
        log.info("texts embedded", extra={"texts": len(texts)})
        vectors = [unit(embedding.values or []) for embedding in response.embeddings or []]
        usable = [vector for vector in vectors if vector]
        if not len(usable) == len(vectors) == len(texts):
            raise Unavailable("Gemini's vectors can't be used")
        return usable

    def _config(self, system: str, max_output_tokens: int) -> types.GenerateContentConfig:
        thinking = None
        if self._settings.thinking_level:
            level = types.ThinkingLevel(self._settings.thinking_level.upper())
            thinking = types.ThinkingConfig(thinking_level=level)
        return types.GenerateContentConfig(
            system_instruction=system,
            max_output_tokens=max_output_tokens,
            thinking_config=thinking,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )

    def _options(self, until: datetime) -> types.HttpOptions:
        left = max(until - self._clock.now(), _SHORTEST)
        timeout = min(timedelta(seconds=self._settings.gemini_timeout), left)
        return types.HttpOptions(timeout=int(timeout.total_seconds() * 1000))

    def _in(self, seconds: float) -> datetime:
        return self._clock.now() + timedelta(seconds=seconds)


def _client(settings: Settings, access_token: Callable[[], str], clock: Clock) -> genai.Client:
    url = settings.gemini_url or None
    if settings.gemini_api_key:
        # 3.x talks v1 by default, which lacks system instructions and tools.
        options = types.HttpOptions(api_version="v1beta", base_url=url)
        return genai.Client(api_key=settings.gemini_api_key, http_options=options)

    def refresh(request: Any, scopes: Any) -> tuple[str, datetime]:
        # The token source keeps it fresh; here it is asked for again within a minute.
        return access_token(), (clock.now() + timedelta(minutes=5)).replace(tzinfo=None)

    return genai.Client(
        enterprise=True,
        project=settings.project_id,
        location=settings.gemini_location,
        credentials=Credentials(None, refresh_handler=refresh),  # type: ignore[no-untyped-call]
        http_options=types.HttpOptions(api_version="v1", base_url=url),
    )


@contextmanager
def _honest() -> Iterator[None]:
    """Say in our own errors what the SDK says in many."""
    try:
        yield
    except errors.APIError as error:
        if error.code in {408, 429} or error.code >= 500:
            raise Unavailable(f"Gemini answered {error.code}") from error
        raise Refused(f"Gemini answered {error.code}") from error
    except (httpx2.RequestError, GoogleAuthError) as error:
        raise Unavailable("Gemini did not answer") from error
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        # The SDK has no error of its own for a body that is not what its types say.
        raise Unavailable("Gemini's answer can't be read") from error


def _content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _declared(tool: Tool) -> types.FunctionDeclaration:
    declared = types.FunctionDeclaration(name=tool.name, description=tool.description)
    # Gemini takes an object without properties for a mistake (agno#2112).
    if tool.arguments.model_fields:
        declared.parameters = types.Schema.model_validate(schema(tool.arguments))
    return declared


def _exchanged(step: Step) -> list[types.Content]:
    """Return a round as it goes back: the model's content, and the results in one of the user."""
    if step.note:
        return [step.asked.content, _content(step.note)]
    results = [
        types.FunctionResponse(id=call.id or None, name=call.name, response=dict(result))
        for call, result in zip(step.asked.calls, step.results, strict=True)
    ]
    parts = [types.Part(function_response=result) for result in results]
    return [step.asked.content, types.Content(role="user", parts=parts)]


def _read(response: types.GenerateContentResponse, offered: set[str]) -> Answer:
    """Return the answer in a response; raise where there is none that can be used.

    Where nothing was offered, calls are passed over; where something was, a call of anything else
    can't even be answered: the API refuses results of functions it was not told of.
    """
    if response.prompt_feedback and response.prompt_feedback.block_reason:
        raise Withheld("prompt blocked")
    candidate = response.candidates[0] if response.candidates else None
    if not candidate:
        raise Unavailable("Gemini answered without a candidate")
    if candidate.finish_reason in _WITHHELD:
        raise Withheld("answer blocked")
    parts = (candidate.content and candidate.content.parts) or []
    text = whole("".join(part.text for part in parts if part.text and not part.thought).strip())
    asked = [part.function_call for part in parts if part.function_call and offered]
    cut = candidate.finish_reason == _CUT
    if not (text or asked) or not (cut or candidate.finish_reason == _WHOLE):
        raise Unavailable("Gemini answered without words")
    if cut and asked:
        raise Unavailable("Gemini was cut while it called a function")
    if not offered.issuperset(call.name or "" for call in asked):
        raise Unavailable("Gemini called a function there is not")
    return Answer(text, cut, tuple(map(_call, asked)), candidate.content)


def _offered(config: types.GenerateContentConfig) -> set[str]:
    """Return the names of the tools the model may ask for."""
    tools = [tool for tool in config.tools or [] if isinstance(tool, types.Tool)]
    return {one.name or "" for tool in tools for one in tool.function_declarations or []} - {""}


def _call(asked: types.FunctionCall) -> Call:
    arguments = json.loads(whole(json.dumps(asked.args or {}, ensure_ascii=False)))
    return Call(asked.name or "", arguments, asked.id or "")


def _usage(response: types.GenerateContentResponse) -> dict[str, object]:
    """Return what a request cost, in tokens, and how it ended."""
    usage = response.usage_metadata or types.GenerateContentResponseUsageMetadata()
    candidate = response.candidates[0] if response.candidates else None
    return {
        "finish": candidate and candidate.finish_reason and candidate.finish_reason.value,
        "prompt_tokens": usage.prompt_token_count,
        "tool_tokens": usage.tool_use_prompt_token_count,
        "cached_tokens": usage.cached_content_token_count,
        "thought_tokens": usage.thoughts_token_count,
        "answer_tokens": usage.candidates_token_count,
        "total_tokens": usage.total_token_count,
    }
