"""Clocks that do what they are told."""

import threading
from datetime import UTC, datetime, timedelta

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
