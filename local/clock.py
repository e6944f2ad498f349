"""Clocks that do what they are told."""

import json
import threading
from datetime import UTC, datetime, timedelta

import urllib3

from services.clock import Clock


class FrozenClock(Clock):
    """A clock that stands still until somebody moves it; sleeping on it moves it."""

    def __init__(self, now: datetime) -> None:
        self._now = now.astimezone(UTC)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return where the clock stands, in UTC."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock on, at once."""
        self.advance(timedelta(seconds=seconds))

    def advance(self, by: timedelta) -> None:
        """Move the clock on."""
        with self._lock:
            self._now += by

    def advance_to(self, then: datetime) -> None:
        """Move the clock on to a moment, never back."""
        with self._lock:
            self._now = max(self._now, then)


class MovableClock(Clock):
    """The real time, moved on by as much as somebody has asked for."""

    def __init__(self) -> None:
        self._moved = timedelta()

    def now(self) -> datetime:
        """Return the moved time, in UTC."""
        return super().now() + self._moved

    def advance(self, by: timedelta) -> None:
        """Move the clock on."""
        self._moved += by


class RemoteClock(Clock):
    """The clock of a world, told over HTTP to a process of its own (`local.time_server`)."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = urllib3.PoolManager(maxsize=16)

    def now(self) -> datetime:
        """Return the world's time, in UTC."""
        return datetime.fromisoformat(self._http.request("GET", f"{self._url}/now").json()["now"])

    def sleep(self, seconds: float) -> None:
        """Wait in the world's time."""
        body = json.dumps({"seconds": seconds}).encode()
        self._http.request("POST", f"{self._url}/sleep", body=body)
