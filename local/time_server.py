"""A world's clock, for functions in processes of their own."""

from typing import Any

from local.journal import Journal
from local.loopback import Answer, Loopback
from services.clock import Clock


class TimeServer(Loopback):
    """Tells the time, and lets it pass."""

    name = "clock"

    def __init__(self, clock: Clock) -> None:
        # Asking for the time crosses no border: it has a journal of its own.
        super().__init__(clock, Journal(clock))
        self.route("GET", "/now", "now", self._now)
        self.route("POST", "/sleep", "sleep", self._sleep)

    def _now(self, body: Any) -> Answer:
        return Answer({"now": self.clock.now().isoformat()})

    def _sleep(self, body: Any) -> Answer:
        self.clock.sleep(body["seconds"])
        return Answer()
