"""The time, as something that is passed in."""

import time
from datetime import UTC, datetime


class Clock:
    """The real time: what it is, and waiting for it to pass."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
