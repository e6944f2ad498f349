"""LINE's retry keys: a push that was accepted is not accepted again."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flask import request

from local.line_rules import error
from local.loopback import Answer, Rejected
from services.clock import Clock

# Messaging API reference, "Retrying an API request".
RETRY_KEY_LASTS = timedelta(hours=24)

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A push that came with a retry key and was accepted."""

    at: datetime
    request_id: str
    body: Any
    answer: Answer


class RetryKeys:
    """The retry keys of the pushes that were accepted."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._accepted: dict[str, _Accepted] = {}

    def accept(self, key: str, request_id: str, body: Any, answer: Answer) -> None:
        """Keep what a push was answered, under its key if it has one."""
        if key:
            self._accepted[key] = _Accepted(self._clock.now(), request_id, body, answer)

    def check(self, key: str, body: Any) -> None:
        """Raise `Rejected` for a push whose key was accepted in the last 24 hours."""
        accepted = self._accepted.get(key)
        if not accepted or self._clock.now() >= accepted.at + RETRY_KEY_LASTS:
            return
        if body != accepted.body:
            raise error(400, "X-Line-Retry-Key was used for another request")
        message = {"message": "The retry key is already accepted", **accepted.answer.body}
        raise Rejected(Answer(message, 409, {"x-line-accepted-request-id": accepted.request_id}))


def read_retry_key() -> str:
    """Return the request's retry key, or nothing; raise `Rejected` if it is not a UUID."""
    key = request.headers.get("X-Line-Retry-Key", "")
    if key and not _UUID.fullmatch(key):
        raise error(400, "X-Line-Retry-Key must be a UUID")
    return key
