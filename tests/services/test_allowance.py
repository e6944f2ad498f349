"""How many pushes are left of the month's quota."""

from datetime import timedelta

import pytest

from local.line import LineServer
from local.loopback import Answer
from services.allowance import Allowance, Left
from services.errors import Refused, Unavailable
from services.line import Line
from services.settings import Settings

FAMILY, MEI = "C-family", "U-mei"


@pytest.fixture
def server(clock, journal):
    """Run LINE, with a family of three in it."""
    server = LineServer(
        clock, journal, channel_id="1", channel_secret="secret", access_token="token"
    )
    server.groups[FAMILY] = [MEI, "U-wei", "U-hua"]
    server.start()
    yield server
    server.stop()


@pytest.fixture
def allowance(server, clock):
    """Ask that LINE."""
    settings = Settings(
        project_id="p",
        region="r",
        line_channel_secret="secret",
        line_channel_access_token="token",
        line_url=server.url,
    )
    return Allowance(Line(settings, clock), clock)


def asked(journal):
    """Return what LINE was asked since the last time."""
    return [line["call"] for line in journal.new() if line.get("to") == "line"]


@pytest.mark.parametrize(
    ("limit", "used", "cost", "pushes"),
    [
        (None, 10_000, 3, None),
        (200, 0, 1, 200),
        (200, 0, 3, 66),
        (200, 197, 3, 1),
        (200, 198, 3, 0),
        (200, 200, 1, 0),
        (200, 250, 3, 0),
        (0, 0, 1, 0),
        (200, 100, 0, 100),
    ],
)
def test_a_push_takes_one_for_everybody_in_the_chat(limit, used, cost, pushes):
    """
    What is left is counted in pushes to that chat; a group nobody is in costs one, at least.
    """
    assert pushes == Left(limit, used, cost).pushes


def test_line_is_asked_and_its_answer_kept_for_minutes(server, allowance, clock, journal):
    """
    Within five minutes nothing is asked twice; after them everything is.
    """
    server.quota(200, 50)
    assert Left(200, 50, 3) == allowance.left(FAMILY)
    assert ["quota", "consumption", "count"] == asked(journal)
    server.quota(500, 60)
    clock.advance(timedelta(minutes=5))
    assert Left(200, 50, 3) == allowance.left(FAMILY)
    # One-to-one there is nobody to count.
    assert Left(200, 50, 1) == allowance.left(MEI)
    assert [] == asked(journal)
    clock.advance(timedelta(seconds=1))
    assert Left(500, 60, 3) == allowance.left(FAMILY)
    assert ["quota", "consumption", "count"] == asked(journal)


def test_what_we_push_is_counted_before_line_tells_it(server, allowance):
    """
    Our own pushes are added to an answer that is minutes old, each with all who get it.
    """
    server.quota(200, 50)
    allowance.spend(FAMILY)
    assert Left(200, 50, 3) == allowance.left(FAMILY)
    allowance.spend(FAMILY)
    allowance.spend(MEI)
    assert Left(200, 54, 3) == allowance.left(FAMILY)


def test_what_is_forgotten_is_asked_again(server, allowance):
    """
    Where LINE's no contradicts its count, the count is asked for anew.
    """
    server.quota(200, 50)
    allowance.left(FAMILY)
    server.quota(200, 200)
    allowance.forget()
    assert 0 == allowance.left(FAMILY).pushes


@pytest.mark.parametrize("call", ["quota", "consumption", "count"])
@pytest.mark.parametrize(("status", "error"), [(500, Unavailable), (403, Refused)])
def test_where_line_does_not_say_nobody_knows(server, allowance, call, status, error):
    """
    The error is the caller's to judge; and no answer is kept in its place.
    """
    server.quota(200, 50)
    server.fail(call, Answer({"message": "no"}, status))
    with pytest.raises(error):
        allowance.left(FAMILY)
    assert Left(200, 50, 3) == allowance.left(FAMILY)
