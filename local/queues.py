"""Queues: how they retry, and in what manner they deliver."""

from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Queue:
    """How a queue retries, as its `retryConfig` says."""

    max_attempts: int
    min_backoff: timedelta
    max_backoff: timedelta
    max_doublings: int
    max_concurrent: int = 1000
    """How many tasks may be under way together, as its `rateLimits` say."""

    def backoff(self, attempts: int) -> timedelta:
        """Return how long the queue waits after so many attempts.

        It doubles `max_doublings` times, then grows by the last step (RetryConfig reference).
        """
        doublings = min(attempts - 1, self.max_doublings)
        beyond = max(0, attempts - 1 - self.max_doublings)
        wait: timedelta = self.min_backoff * (2**doublings * (1 + beyond))
        return min(self.max_backoff, wait)


EVENTS = Queue(
    max_attempts=9,
    min_backoff=timedelta(seconds=10),
    max_backoff=timedelta(minutes=5),
    max_doublings=5,
    max_concurrent=20,
)
"""The events queue: its patience, twenty minutes, outlasts two leases many times over."""
REMINDERS = Queue(
    max_attempts=30,
    min_backoff=timedelta(seconds=10),
    max_backoff=timedelta(minutes=5),
    max_doublings=5,
    max_concurrent=10,
)
"""The reminders queue: its patience, two hours, outlasts an outage of LINE."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a queue delivers: Cloud Tasks promises at least once, and no order."""

    times: int = 1
    reversed: bool = False
    late: timedelta = field(default=timedelta())
