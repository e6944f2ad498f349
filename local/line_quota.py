"""LINE's monthly quota of pushes."""

from dataclasses import dataclass

from local.line_rules import error
from local.loopback import Answer


@dataclass(slots=True)
class Quota:
    """How many people may be pushed to in this month, and how many have been."""

    limit: int | None = None
    """None for no limit."""
    used: int = 0

    def spend(self, recipients: int) -> None:
        """Count a push; raise `Rejected` for one that does not fit into the month."""
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
        return Answer({"totalUsage": self.used})
