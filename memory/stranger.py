"""Whoever has not been invited: all that is kept of them is how often they knocked today."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from google.cloud.firestore import Client, Increment

from memory.calls import translated
from services.clock import Clock

_KEPT = timedelta(days=2)
_TRIES = 5


class Stranger:
    """One chat that is not activated, on one day.

    The mark is named by a hash and holds counts; an increment's answer tells the count, so that no
    read and no transaction is needed.
    """

    def __init__(
        self, client: Client, chat_id: str, clock: Clock, *, patience: Mapping[str, Any]
    ) -> None:
        self._client = client
        self._clock = clock
        day = clock.now().date().isoformat()
        name = hashlib.sha256(f"{day}/{chat_id}".encode()).hexdigest()
        self._mark = client.document("strangers", name)
        self._patience = patience

    def is_new(self) -> bool:
        """Say whether this is the first time today that they are to be spoken to."""
        return self._count("told") == 1

    def may_try(self) -> bool:
        """Count one try at the invitation code, and say whether it may still be looked at."""
        return self._count("tries") <= _TRIES

    def _count(self, what: str) -> int:
        mark = {what: Increment(1), "expires_at": self._clock.now() + _KEPT}
        batch = self._client.batch()
        batch.set(self._mark, mark, merge=True)
        with translated():
            (result,) = batch.commit(**self._patience)
        return int(result.transform_results[0].integer_value)
