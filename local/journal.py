"""The record of everything that crossed a border."""

import threading
from datetime import UTC, tzinfo
from typing import Any

from services.clock import Clock

Line = dict[str, Any]


class Journal:
    """What crossed a border, in order: one line for each request that left and each answer given.

    A line is a JSON object: `n` (from 1), `at` (local time), `to` or `from` (whose border), `call`,
    `status`, and what that border adds.
    """

    def __init__(self, clock: Clock, zone: tzinfo = UTC) -> None:
        """Take the clock, and the zone in which the lines tell the time."""
        self.lines: list[Line] = []
        self._clock = clock
        self._zone = zone
        self._shown = 0
        self._lock = threading.Lock()

    def write(self, **line: Any) -> None:
        """Add a line."""
        with self._lock:
            at = self._clock.now().astimezone(self._zone).isoformat(timespec="seconds")
            self.lines.append({"n": len(self.lines) + 1, "at": at, **line})

    def since(self, n: int) -> list[Line]:
        """Return the lines after the first n."""
        with self._lock:
            return self.lines[n:]

    def new(self) -> list[Line]:
        """Return the lines since this was last called."""
        lines = self.since(self._shown)
        self._shown += len(lines)
        return lines
