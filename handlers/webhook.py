"""A webhook has arrived: pass its events on, and do nothing else.

LINE gives up after two seconds and the SDKs alone take longer to load, so nothing heavier than a
plain POST happens here.
"""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from handlers.events import event_id, is_for_us, pseudonym, signed_events
from services.errors import Refused
from services.tasks import CONNECTIONS
from services.wiring import Services

log = logging.getLogger(__name__)

_GRACE = 5
"""Seconds the task's deadline is longer than the function's own."""


def receive(body: bytes, signature: str, services: Services) -> int:
    """Make a task of each event: the same signed body, and the event's number in it.

    Returns:
        How many events there are to answer.

    Raises:
        BadSignature: LINE did not sign the body.
        Malformed: It is no webhook.
        Unavailable: Cloud Tasks did not take every event; those it took are not taken twice.
    """
    events = signed_events(body, signature, services.settings.line_channel_secret)
    asking = [(number, event) for number, event in enumerate(events) if is_for_us(event)]
    if len(asking) < len(events):
        log.info("events passed over", extra={"events": len(events) - len(asking)})
    if not asking:
        return 0
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        queued = [
            threads.submit(_enqueue, number, event, body, signature, services)
            for number, event in asking
        ]
    for task in queued:
        task.result()
    return len(asking)


def _enqueue(
    number: int, event: Mapping[str, Any], body: bytes, signature: str, services: Services
) -> None:
    settings = services.settings
    name = pseudonym(event_id(event))
    try:
        services.tasks.create(
            settings.events_queue,
            name,
            url=f"{settings.function_url('webhook')}/answer?event={number}",
            headers={"Content-Type": "application/json", "X-Line-Signature": signature},
            body=body,
            deadline=settings.answer_timeout + _GRACE,
        )
    except Refused:
        log.exception("event lost: its task was refused", extra={"event": name})
