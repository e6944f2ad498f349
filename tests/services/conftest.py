"""What the tests of several services stand on."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import urllib3

from local.clock import FrozenClock
from local.journal import Journal
from services.tasks import http_client


@pytest.fixture
def clock() -> FrozenClock:
    """Stand still until a test moves on."""
    return FrozenClock(datetime(2026, 12, 1, 12, tzinfo=UTC))


@pytest.fixture
def journal(clock: FrozenClock) -> Journal:
    """Keep a record of what crosses the border."""
    return Journal(clock)


@pytest.fixture
def http() -> Iterator[urllib3.PoolManager]:
    """Connect as production does."""
    http = http_client()
    yield http
    http.clear()


@pytest.fixture
def closed_host() -> Iterator[str]:
    """Name a port that is taken, and where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield "{}:{}".format(*taken.getsockname())
