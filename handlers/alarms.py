"""Alarms: the tasks that wake `push`."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from memory.conversation import to_milliseconds
from memory.reminders import FURTHEST, Alarm
from services.errors import Unavailable
from services.tasks import CONNECTIONS
from services.wiring import Services

_TRIES = 3
"""An answer that was lost may have been yes: it is asked again under the same name."""
_GRACE = 5
"""Seconds a task's deadline is longer than the function's own."""


class Alarms:
    """Sets the alarms of one conversation."""

    def __init__(self, chat_id: str, services: Services) -> None:
        self._chat_id = chat_id
        self._services = services

    def set(self, alarms: Iterable[Alarm]) -> None:
        """Set alarms, side by side; one that is set already stays as it is.

        Raises:
            Unavailable: Cloud Tasks did not take all of them, or did not say so.
            Refused: It never will.
        """
        bodies = [
            (
                alarm.at,
                {
                    "no": alarm.no,
                    "rev": alarm.rev,
                    "due": to_milliseconds(alarm.due),
                    "attempt": alarm.attempt,
                },
            )
            for alarm in alarms
        ]
        if not bodies:
            return
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            made = [threads.submit(self._create, at, body) for at, body in bodies]
        for one in made:
            one.result()

    def purge_at(self, at: datetime, left_at: datetime) -> None:
        """Have everything of the conversation deleted, unless we come back until then."""
        self._create(at, {"left": to_milliseconds(left_at)})

    def pay_at(self, at: datetime) -> None:
        """Have what is owed told after all, once it is that time."""
        self._create(at, {"owed": to_milliseconds(at)})

    def _create(self, at: datetime, content: Mapping[str, Any]) -> None:
        settings = self._services.settings
        at = min(at, self._services.clock.now() + FURTHEST)
        told = {"chat": self._chat_id, "at": to_milliseconds(at), **content}
        body = json.dumps(told, sort_keys=True).encode()
        url = settings.function_url("push")
        for attempt in range(_TRIES):
            try:
                self._services.tasks.create(
                    settings.reminders_queue,
                    # Even, and telling nothing; the same content is the same alarm.
                    hashlib.sha256(body).hexdigest()[:32],
                    url=url,
                    headers={"Content-Type": "application/json"},
                    body=body,
                    deadline=settings.push_timeout + _GRACE,
                    at=at,
                    account=settings.tasks_account,
                )
            except Unavailable:
                if attempt == _TRIES - 1:
                    raise
            else:
                return
