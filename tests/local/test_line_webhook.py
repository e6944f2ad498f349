"""LINE's webhook calls, met through line-bot-sdk over real HTTP."""

import socket
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import urllib3
from linebot.v3.messaging import (
    ApiClient,
    ApiException,
    Configuration,
    MessagingApi,
    SetWebhookEndpointRequest,
)
from werkzeug.wrappers import Response

from local.clock import FrozenClock
from local.journal import Journal
from local.line import LineServer
from local.loopback import Server

HOST = "asia-east1-demo-family.cloudfunctions.net"
URL = f"https://{HOST}/webhook"


@pytest.fixture
def clock():
    """A clock that stands still until a test moves it."""
    return FrozenClock(datetime(2026, 12, 1, 12, tzinfo=UTC))


@pytest.fixture
def line(clock):
    """A LINE with one channel, new."""
    line = LineServer(
        clock, Journal(clock), channel_id="1", channel_secret="s", access_token="token"
    )
    line.start()
    yield line
    line.stop()


@pytest.fixture
def api(line):
    """Talk to it as a bot does."""
    with ApiClient(Configuration(host=line.url, access_token="token")) as client:
        yield MessagingApi(client)


@contextmanager
def answering(status):
    """Have a function that answers everything with a status; yield its address."""
    server = Server(Response(status=status))
    server.start()
    yield server.url
    server.stop()


def tried(api, url=URL):
    told = api.test_webhook_endpoint({"endpoint": url})
    return told.success, told.status_code, told.reason, told.detail


def refused(ask):
    with pytest.raises(ApiException) as raised:
        ask()
    return raised.value.status


def test_a_new_channel_has_no_webhook(api):
    """
    Before an address is set there is none to be told or tested.
    """
    assert 404 == refused(api.get_webhook_endpoint)
    assert 404 == refused(api.test_webhook_endpoint)


def test_what_is_set_is_told_and_not_yet_used(api, line):
    """
    An address can be set by a call; that it is used, only a person can say.
    """
    api.set_webhook_endpoint(SetWebhookEndpointRequest(endpoint=URL))
    told = api.get_webhook_endpoint()
    line.webhook.active = True

    assert (URL, False) == (told.endpoint, told.active)
    assert api.get_webhook_endpoint().active


@pytest.mark.parametrize("url", ["http://example.com/webhook", "example.com", "https://", ""])
def test_only_https_is_taken(api, line, url):
    """
    LINE calls nothing else.
    """
    assert 400 == refused(lambda: api.set_webhook_endpoint({"endpoint": url}))
    assert 400 == refused(lambda: api.test_webhook_endpoint({"endpoint": url}))
    assert "" == line.webhook.endpoint


def test_an_address_has_five_hundred_characters(api, line):
    """
    A longer one is refused, also from whoever has no SDK to refuse it before.
    """
    longest = URL + "/" * (500 - len(URL))
    api.set_webhook_endpoint({"endpoint": longest})
    longer = urllib3.request(
        "PUT",
        f"{line.url}/v2/bot/channel/webhook/endpoint",
        json={"endpoint": f"{longest}/"},
        headers={"Authorization": "Bearer token"},
    )

    assert 400 == longer.status
    assert longest == api.get_webhook_endpoint().endpoint


def test_nobody_sets_it_without_a_token(line):
    """
    Whose webhook it is, the token says.
    """
    with ApiClient(Configuration(host=line.url, access_token="another")) as client:
        stranger = MessagingApi(client)

        assert 401 == refused(lambda: stranger.set_webhook_endpoint({"endpoint": URL}))
        assert 401 == refused(stranger.get_bot_info)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (200, (True, 200, "OK", "200")),
        (201, (True, 201, "Created", "201")),
        (302, (False, 302, "ERROR_STATUS_CODE", "302")),
        (401, (False, 401, "ERROR_STATUS_CODE", "401")),
        (500, (False, 500, "ERROR_STATUS_CODE", "500")),
    ],
)
def test_the_test_tells_what_was_answered(api, line, status, expected):
    """
    The test tells the status; only 2xx is a success.
    """
    with answering(status) as url:
        line.webhook.behind[HOST] = url

        assert expected == tried(api)


def test_the_test_is_of_what_is_set_unless_another_is_named(api, line):
    """
    Without an address it is the one that is set.
    """
    api.set_webhook_endpoint({"endpoint": "https://elsewhere.example/"})
    with answering(200) as url:
        line.webhook.behind[HOST] = url

        assert not api.test_webhook_endpoint().success
        assert tried(api)[0]


def test_nobody_at_home_is_told(api, line):
    """
    A host that is not there, and a port at which nobody listens, can't be connected to.
    """
    expected = (False, 0, "COULD_NOT_CONNECT", "Connection failed")
    unknown = tried(api)
    with answering(200) as url:
        line.webhook.behind[HOST] = url

    assert [expected, expected] == [unknown, tried(api)]


def test_who_does_not_answer_in_time_is_told(api, line):
    """
    LINE waits for two seconds, here for less.
    """
    line.webhook.patience = 0.05
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        line.webhook.behind[HOST] = f"http://127.0.0.1:{deaf.getsockname()[1]}"

        assert (False, 0, "REQUEST_TIMEOUT", "Request timeout") == tried(api)


def test_there_are_sixty_tests_an_hour(api, line, clock):
    """
    The sixty-first is refused; an hour after the first there is one again.
    """
    with answering(200) as url:
        line.webhook.behind[HOST] = url
        for _ in range(60):
            assert tried(api)[0]
        too_many = refused(lambda: tried(api))
        clock.advance(timedelta(hours=1))

        assert 429 == too_many
        assert tried(api)[0]


def test_the_account_tells_of_itself(api, line):
    """
    Its name, and whether a person chats in its place.
    """
    line.bot["chatMode"] = "chat"
    told = api.get_bot_info()

    assert ("小幫手", "@123abcde", "chat", "auto") == (
        told.display_name,
        told.basic_id,
        told.chat_mode,
        told.mark_as_read_mode,
    )
