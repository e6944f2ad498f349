"""Usage: how often the model is called in a day, counted without a write of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

TOLD = 10
"""After so many calls a conversation adds them to what the whole deployment has made."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of the model that one answer or digest has made."""

    day: date
    """The family's."""
    made: int
    counted: Mapping[str, int]
    """What the conversation had counted before, by day."""

    @property
    def are_told(self) -> bool:
        """Say whether the conversation tells the deployment of its last calls now.

        Each tenth call only, for that costs a write. So a conversation makes nine calls at most
        that nobody else knows of.
        """
        before = self.counted.get(str(self.day), 0)
        return before // TOLD != (before + self.made) // TOLD
