"""The webhook as LINE has it: its address, the switch that is a person's, and LINE's test of it."""

from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import urllib3

from local.line_rules import check_body, error
from local.loopback import Answer
from services.clock import Clock

# Messaging API reference, "Test webhook endpoint" and "Rate limits".
_TESTS = 60
_WITHIN = timedelta(hours=1)

_FAILED_TO_CONNECT = ("COULD_NOT_CONNECT", "Connection failed")


class Webhook:
    """Where LINE sends events, and whether it does.

    What lies behind a public address is on this machine, or nowhere.
    """

    def __init__(self, clock: Clock, call: Callable[[str, float], int]) -> None:
        """Take the time, and what sends no events to a URL within some seconds."""
        self.endpoint = ""
        """The address; empty until one is set."""
        self.active = False
        """"Use webhook", off in a new channel: LINE has no call that turns it on."""
        self.behind: dict[str, str] = {}
        """Where hosts are on this machine: URLs by name."""
        self.patience: float = 2
        """Seconds."""
        self._clock = clock
        self._call = call
        self._tests: deque[datetime] = deque(maxlen=_TESTS)

    def set(self, body: Any) -> Answer:
        """Answer "Set webhook endpoint URL"."""
        check_body("SetWebhookEndpointRequest", body)
        self.endpoint = _checked(body)
        return Answer({})

    def get(self) -> Answer:
        """Answer "Get webhook endpoint information"."""
        if not self.endpoint:
            raise error(404, "Webhook endpoint not found")
        return Answer({"endpoint": self.endpoint, "active": self.active})

    def test(self, body: Any) -> Answer:
        """Answer "Test webhook endpoint": of the one that is named, or else of the one that is set.

        Whether the webhook is in use does not matter.
        """
        body = body or {}
        check_body("TestWebhookEndpointRequest", body)
        url = _checked(body) if "endpoint" in body else self.endpoint
        if not url:
            raise error(404, "Webhook endpoint not found")
        self._count()
        return Answer(self._tried(url) | {"timestamp": self._clock.now().isoformat()})

    def _count(self) -> None:
        now = self._clock.now()
        if len(self._tests) == _TESTS and now - self._tests[0] < _WITHIN:
            raise error(429, "The API rate limit has been exceeded. Try again later.")
        self._tests.append(now)

    def _tried(self, url: str) -> dict[str, Any]:
        parts = urlsplit(url)
        if parts.netloc not in self.behind:
            return _failed(*_FAILED_TO_CONNECT)
        try:
            status = self._call(f"{self.behind[parts.netloc]}{parts.path}", self.patience)
        except urllib3.exceptions.ReadTimeoutError:
            return _failed("REQUEST_TIMEOUT", "Request timeout")
        except urllib3.exceptions.HTTPError:
            return _failed(*_FAILED_TO_CONNECT)
        if not 200 <= status < 300:
            return _failed("ERROR_STATUS_CODE", str(status), status)
        reason = HTTPStatus(status).phrase
        return {"success": True, "statusCode": status, "reason": reason, "detail": str(status)}


def _failed(reason: str, detail: str, status: int = 0) -> dict[str, Any]:
    return {"success": False, "statusCode": status, "reason": reason, "detail": detail}


def _checked(body: Mapping[str, Any]) -> str:
    """Return the address in a body; raise `Rejected` for one that LINE does not call."""
    url = str(body["endpoint"])
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.netloc:
        raise error(400, "Invalid webhook endpoint URL")
    return url
