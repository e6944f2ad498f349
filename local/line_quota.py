"""LINE's monthly quota of pushes."""

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from local.line_rules import error
from local.loopback import Answer
from services.clock import Clock

_ZONE = ZoneInfo("Asia/Tokyo")
"""LINE does not say in which zone its month turns; its own statistics are told in this one."""


@dataclass(slots=True)
class Quota:
    """How many people may be pushed to in this month, and how many have been; then it begins anew.

    Each push counts once for everybody who gets it.
    """

    clock: Clock
    limit: int | None = None
    """None for no limit."""
    used: int = 0
    _month: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self._month = self._this_month()

    def spend(self, recipients: int) -> None:
        """Count a push; raise `Rejected` for one that does not fit into the month."""
        self._turn()
        # Messaging API reference, "Status codes" and "Error messages".
        if self.limit is not None and self.used + recipients > self.limit:
            raise error(429, "You have reached your monthly limit.")
        self.used += recipients

    def target(self) -> Answer:
        """Answer "Get the target limit for sending messages this month"."""
        if self.limit is None:
            return Answer({"type": "none"})
        return Answer({"type": "limited", "value": self.limit})

    def consumption(self) -> Answer:
        """Answer "Get number of messages sent this month"."""
        self._turn()
        return Answer({"totalUsage": self.used})

    def _turn(self) -> None:
        if self._month != self._this_month():
            self._month, self.used = self._this_month(), 0

    def _this_month(self) -> tuple[int, int]:
        local = self.clock.now().astimezone(_ZONE)
        return local.year, local.month
