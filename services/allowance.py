"""The allowance: how many pushes are left of the month's quota."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from services.clock import Clock

if TYPE_CHECKING:
    from services.line import Line

_FRESH = timedelta(minutes=5)
"""How long LINE's answers are good; its own count is late by as much."""


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of the month's pushes, and what one to a chat takes."""

    limit: int | None
    """Of the month; None where there is none."""
    used: int
    cost: int
    """A push counts once for everybody who gets it, not for its bubbles."""

    @property
    def pushes(self) -> int | None:
        """How many more times the chat can be pushed to; None for as often as one likes."""
        return None if self.limit is None else max(0, self.limit - self.used) // max(1, self.cost)


class Allowance:
    """Asks LINE, and remembers the answer for some minutes."""

    def __init__(self, line: "Line", clock: Clock) -> None:
        self._line = line
        self._clock = clock
        self._known: dict[str, tuple[datetime, int | None]] = {}

    def left(self, chat_id: str) -> Left:
        """Return what is left; raise `Unavailable` or `Refused` where LINE does not say."""
        limit = self._ask("limit", self._line.quota)
        used = self._ask("used", self._line.used)
        members = self._ask(chat_id, lambda: self._line.members(chat_id))
        return Left(limit, used or 0, members or 1)

    def spend(self, chat_id: str) -> None:
        """Count a push of our own, which LINE's answer does not have yet."""
        if "used" in self._known:
            asked_at, used = self._known["used"]
            _, members = self._known.get(chat_id, (asked_at, 1))
            self._known["used"] = asked_at, (used or 0) + (members or 1)

    def forget(self) -> None:
        """Let everything be asked again."""
        self._known.clear()

    def _ask(self, what: str, ask: Callable[[], int | None]) -> int | None:
        now = self._clock.now()
        if what not in self._known or now - self._known[what][0] > _FRESH:
            self._known[what] = now, ask()
        return self._known[what][1]
