"""How Firestore is called: with seconds of patience, and with errors of our own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.api_core import exceptions, retry

from services.errors import Unavailable

_TIMEOUT = 5
"""Seconds for one call; the client's own default is a minute."""
_TRANSIENT = (
    exceptions.Aborted,
    exceptions.DeadlineExceeded,
    exceptions.InternalServerError,
    exceptions.ResourceExhausted,
    exceptions.RetryError,
    exceptions.ServiceUnavailable,
)


def patience(seconds: float) -> dict[str, Any]:
    """Return what each call is given: a time-out, and retries for this long."""
    again = retry.Retry(
        predicate=retry.if_exception_type(*_TRANSIENT), initial=0.1, maximum=1, timeout=seconds
    )
    return {"timeout": _TIMEOUT, "retry": again}


@contextmanager
def translated() -> Iterator[None]:
    """Raise `Unavailable` for what may go through later."""
    try:
        yield
    except _TRANSIENT as error:
        raise Unavailable("Firestore did not answer") from error
