"""The record of everything that crossed a border."""

import threading
from typing import Any

from services.clock import Clock

Line = dict[str, Any]


class Journal:
    """What crossed a border, in order: one line for each request that left and each answer given.

    A line is a JSON object: `n` (from 1), `at` (local time), `to` or `from` (whose border), `call`,
    `status`, and what that border adds.
    """

    def __init__(self, clock: Clock) -> None:
        self.lines: list[Line] = []
        self._clock = clock
        self._lock = threading.Lock()

    def write(self, **line: Any) -> None:
        """Add a line."""
        with self._lock:
            at = self._clock.now().isoformat(timespec="milliseconds")
            self.lines.append({"n": len(self.lines) + 1, "at": at, **line})

    def since(self, n: int) -> list[Line]:
        """Return the lines after the first n."""
        with self._lock:
            return self.lines[n:]
