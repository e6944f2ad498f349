"""Gemini: one answer for one prompt, or an honest failure in bounded time."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import httpx2
import tenacity
from google import genai
from google.auth.exceptions import GoogleAuthError
from google.genai import errors, types
from google.oauth2.credentials import Credentials

from services.characters import whole
from services.clock import Clock
from services.errors import Refused, Unavailable, Withheld
from services.settings import Settings

log = logging.getLogger(__name__)

Said = tuple[Literal["user", "model"], str]
"""One content of a prompt: who said it, and the words."""

_SHORTEST = timedelta(seconds=10)
"""Gemini answers 400 or 500 to a shorter deadline (python-genai#1330)."""
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


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said; `cut` when it ran out of tokens before it was done."""

    text: str
    cut: bool


class Gemini:
    """Ask the model."""

    def __init__(
        self, settings: Settings, clock: Clock, *, access_token: Callable[[], str]
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._client = _client(settings, access_token, clock)

    def answer(self, system: str, contents: Sequence[Said]) -> Answer:
        """Return the model's answer.

        Args:
            system: The system instruction.
            contents: The conversation, the user first and last.

        Raises:
            Unavailable: No usable answer came within the patience for one answer.
            Withheld: The filters stopped it.
            Refused: The key, the model or the request is wrong.
        """
        deadline = self._clock.now() + timedelta(seconds=self._settings.gemini_patience)

        def spent(state: tenacity.RetryCallState) -> bool:
            if state.attempt_number >= self._settings.gemini_attempts:
                return True
            wait = timedelta(seconds=state.upcoming_sleep)
            return self._clock.now() + wait + _SHORTEST > deadline

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Unavailable),
            stop=spent,
            wait=tenacity.wait_exponential(multiplier=self._settings.gemini_retry_delay),
            sleep=self._clock.sleep,
            reraise=True,
        )
        return retrying(self._ask, system, contents, deadline)

    def _ask(self, system: str, contents: Sequence[Said], deadline: datetime) -> Answer:
        response = self._request(system, contents, deadline)
        log.info("model asked", extra=_usage(response))
        return _read(response)

    def _request(
        self, system: str, contents: Sequence[Said], deadline: datetime
    ) -> types.GenerateContentResponse:
        try:
            return self._client.models.generate_content(
                model=self._settings.gemini_model,
                contents=[
                    types.Content(role=role, parts=[types.Part(text=text)])
                    for role, text in contents
                ],
                config=self._config(system, deadline),
            )
        except errors.APIError as error:
            if error.code in {408, 429} or error.code >= 500:
                raise Unavailable(f"Gemini answered {error.code}") from error
            raise Refused(f"Gemini answered {error.code}") from error
        except (httpx2.RequestError, GoogleAuthError) as error:
            raise Unavailable("Gemini did not answer") from error
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
            # The SDK has no error of its own for a body that is not what its types say.
            raise Unavailable("Gemini's answer can't be read") from error

    def _config(self, system: str, deadline: datetime) -> types.GenerateContentConfig:
        settings = self._settings
        left = deadline - self._clock.now()
        timeout = min(timedelta(seconds=settings.gemini_timeout), max(left, _SHORTEST))
        thinking = None
        if settings.thinking_level:
            level = types.ThinkingLevel(settings.thinking_level.upper())
            thinking = types.ThinkingConfig(thinking_level=level)
        return types.GenerateContentConfig(
            system_instruction=system,
            max_output_tokens=settings.max_output_tokens,
            thinking_config=thinking,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            http_options=types.HttpOptions(timeout=int(timeout.total_seconds() * 1000)),
        )


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


def _read(response: types.GenerateContentResponse) -> Answer:
    """Return the answer in a response; raise where there is none."""
    if response.prompt_feedback and response.prompt_feedback.block_reason:
        raise Withheld("prompt blocked")
    candidate = response.candidates[0] if response.candidates else None
    if not candidate:
        raise Unavailable("Gemini answered without a candidate")
    if candidate.finish_reason in _WITHHELD:
        raise Withheld("answer blocked")
    parts = (candidate.content and candidate.content.parts) or []
    text = whole("".join(part.text for part in parts if part.text and not part.thought).strip())
    if not text or candidate.finish_reason not in {_WHOLE, _CUT}:
        raise Unavailable("Gemini answered without words")
    return Answer(text, cut=candidate.finish_reason == _CUT)


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
