"""The function's own account: a token from the metadata server, kept while it is good."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import urllib3

from local.clock import FrozenClock
from local.journal import Journal
from local.loopback import Answer
from local.metadata import MetadataServer
from services.errors import Unavailable
from services.metadata import MetadataToken

LASTS = timedelta(seconds=3599)
EARLY = timedelta(minutes=4)


@pytest.fixture
def server(clock: FrozenClock, journal: Journal) -> Iterator[MetadataServer]:
    """Run a metadata server for one test."""
    server = MetadataServer(clock, journal, token="a-token")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def token(server: MetadataServer, clock: FrozenClock, http: urllib3.PoolManager) -> MetadataToken:
    """Ask that server."""
    return MetadataToken(server.host, clock, http)


def statuses(journal: Journal) -> list[int]:
    """Return what was answered, call by call."""
    return [line["status"] for line in journal.lines]


def test_the_request_is_one_the_metadata_server_answers(
    token: MetadataToken, journal: Journal
) -> None:
    """The real server turns away whoever does not send Metadata-Flavor: Google."""
    assert "a-token" == token()
    assert "Google" == journal.lines[0]["headers"]["Metadata-Flavor"]


def test_a_token_is_not_asked_for_before_it_is_needed(
    token: MetadataToken, journal: Journal
) -> None:
    """Making the source of tokens costs no request."""
    assert [] == journal.lines


def test_a_token_is_asked_for_once(token: MetadataToken, journal: Journal) -> None:
    """Everybody in an instance shares one token, even if they all ask at the same moment."""
    with ThreadPoolExecutor(8) as threads:
        tokens = list(threads.map(lambda _: token(), range(8)))

    assert ["a-token"] * 8 == tokens
    assert [200] == statuses(journal)


def test_a_token_is_kept_until_four_minutes_before_its_end(
    token: MetadataToken, journal: Journal, clock: FrozenClock
) -> None:
    """A token that is used is good for minutes to come; one that is not is replaced."""
    token()
    clock.advance(LASTS - EARLY - timedelta(seconds=1))
    token()
    assert [200] == statuses(journal)

    clock.advance(timedelta(seconds=1))
    token()
    assert [200, 200] == statuses(journal)


def test_the_newest_token_is_the_one_that_is_used(
    token: MetadataToken, server: MetadataServer, clock: FrozenClock
) -> None:
    """A token that was replaced is forgotten."""
    token()
    clock.advance(LASTS)
    server.fail("token", Answer({"access_token": "another", "expires_in": 3599}))

    assert "another" == token()
    assert "another" == token()


@pytest.mark.parametrize("status", [403, 404, 429, 500, 503])
def test_a_server_that_gives_no_token_is_unavailable(
    token: MetadataToken, server: MetadataServer, status: int
) -> None:
    """Without a token nothing can be done now, and everything can be tried again."""
    server.fail("token", Answer(status=status), times=99)

    with pytest.raises(Unavailable):
        token()


def test_a_failure_is_not_kept(token: MetadataToken, server: MetadataServer) -> None:
    """Whoever asks after a failure gets a token, if there is one by then."""
    server.fail("token", Answer(status=404))

    with pytest.raises(Unavailable):
        token()
    assert "a-token" == token()


def test_a_stumble_is_not_noticed(
    token: MetadataToken, server: MetadataServer, journal: Journal
) -> None:
    """After one error the server is asked again at once."""
    server.fail("token", Answer(status=503))

    assert "a-token" == token()
    assert [503, 200] == statuses(journal)


def test_a_lost_answer_is_asked_for_again(token: MetadataToken, server: MetadataServer) -> None:
    """A token whose answer never came is asked for again at once."""
    server.fail("token", lost=True)

    assert "a-token" == token()


def test_no_server_at_all_is_unavailable(
    closed_host: str, clock: FrozenClock, http: urllib3.PoolManager
) -> None:
    """Where nobody listens there is no token now."""
    with pytest.raises(Unavailable):
        MetadataToken(closed_host, clock, http)()
