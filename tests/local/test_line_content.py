"""What people sent is fetched as from LINE: prepared first, gone when it was unsent."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import urllib3
from linebot.v3.messaging import ApiClient, ApiException, Configuration, MessagingApiBlob
from urllib3 import BaseHTTPResponse

from local.clock import FrozenClock
from local.journal import Journal
from local.line import LineServer
from local.line_content import Content

TOKEN = "long-lived token"
PHOTO = bytes(range(256))


@pytest.fixture
def line() -> Iterator[LineServer]:
    """Run a LINE to which a photo and a voice were sent."""
    clock = FrozenClock(datetime(2026, 12, 1, 12, tzinfo=UTC))
    line = LineServer(
        clock, Journal(clock), channel_id="1", channel_secret="secret", access_token=TOKEN
    )
    line.contents["photo"] = Content(PHOTO, "image/jpeg")
    line.contents["voice"] = Content(b"voice", "audio/x-m4a", [202, 202, 200])
    line.start()
    yield line
    line.stop()


@pytest.fixture
def api(line: LineServer) -> Iterator[MessagingApiBlob]:
    """Fetch as the bot does."""
    with ApiClient(Configuration(host=line.url, access_token=TOKEN)) as client:
        yield MessagingApiBlob(client)


def get(line: LineServer, path: str) -> BaseHTTPResponse:
    """Ask for something of a message."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return urllib3.request("GET", f"{line.url}/v2/bot/message/{path}", headers=headers, timeout=60)


def test_a_content_is_given_out_as_it_was_sent(line: LineServer) -> None:
    """Content comes byte for byte with its own media type, as often as it is asked for."""
    for _ in range(2):
        answer = get(line, "photo/content")

        assert (200, PHOTO) == (answer.status, answer.data)
        assert "image/jpeg" == answer.headers["content-type"]


def test_a_large_content_is_prepared_first(line: LineServer) -> None:
    """While it is prepared a content is 202 and empty, and the transcoding is processing."""
    came = []
    for _ in range(4):
        status = get(line, "voice/content/transcoding").json()["status"]
        answer = get(line, "voice/content")
        came.append((status, answer.status, answer.data))

    assert [
        ("processing", 202, b""),
        ("processing", 202, b""),
        ("succeeded", 200, b"voice"),
        ("succeeded", 200, b"voice"),
    ] == came


def test_to_ask_for_the_preparation_does_not_hurry_it(line: LineServer) -> None:
    """Only a call for the content itself is a step nearer to it."""
    states = [get(line, "voice/content/transcoding").json()["status"] for _ in range(3)]

    assert ["processing"] * 3 == states
    assert 202 == get(line, "voice/content").status


def test_a_picture_needs_no_preparation(line: LineServer) -> None:
    """The transcoding of a picture is a wrong question."""
    assert 400 == get(line, "photo/content/transcoding").status


def test_a_content_may_fail_on_its_way(line: LineServer) -> None:
    """Another status than 200 and 202 is an error in LINE's shape, and passes."""
    line.contents["file"] = Content(b"file", "application/pdf", [500, 202])

    answers = [get(line, "file/content") for _ in range(3)]

    assert [500, 202, 200] == [answer.status for answer in answers]
    assert "message" in answers[0].json()


@pytest.mark.parametrize(("message", "status"), [("photo", 200), ("video", 200), ("voice", 404)])
def test_pictures_and_videos_have_a_preview(line: LineServer, message: str, status: int) -> None:
    """A preview is a picture of its own, and sounds have none."""
    line.contents["video"] = Content(b"video", "video/mp4", [202])

    answer = get(line, f"{message}/content/preview")

    assert status == answer.status
    assert (status == 200) == answer.data.startswith(b"\x89PNG")


@pytest.mark.parametrize("what", ["content", "content/transcoding", "content/preview"])
def test_an_unknown_content_is_not_found(line: LineServer, what: str) -> None:
    """A message that nothing came with has no content."""
    answer = get(line, f"text/{what}")

    assert (404, {"message": "Not found"}) == (answer.status, answer.json())


@pytest.mark.parametrize("message", ["photo", "voice", "text"])
@pytest.mark.parametrize("what", ["content", "content/transcoding", "content/preview"])
def test_what_was_unsent_is_gone(line: LineServer, message: str, what: str) -> None:
    """A message that was taken back is gone with its content."""
    line.unsend(message)

    assert 410 == get(line, f"{message}/{what}").status


def test_the_journal_does_not_show_the_bytes(line: LineServer) -> None:
    """A line of a content says how many bytes were given out."""
    get(line, "photo/content")
    get(line, "voice/content")
    get(line, "voice/content/transcoding")
    get(line, "photo/content/preview")

    assert [
        ("content", 200, {"bytes": 256}),
        ("content", 202, {"bytes": 0}),
        ("transcoding", 200, {"status": "processing"}),
        ("preview", 200, {"bytes": 67}),
    ] == [(entry["call"], entry["status"], entry["answer"]) for entry in line.journal.lines]


def test_the_sdk_fetches_a_content(api: MessagingApiBlob) -> None:
    """line-bot-sdk reads the bytes of a content and of a preview."""
    assert PHOTO == bytes(api.get_message_content("photo"))
    assert api.get_message_content_preview("photo")


def test_the_sdk_waits_for_a_content(api: MessagingApiBlob) -> None:
    """line-bot-sdk gives None for a content that is being prepared, and tells the state."""
    came = [api.get_message_content("voice") for _ in range(2)]
    state = api.get_message_content_transcoding_by_message_id("voice").status

    assert ([None, None], "succeeded") == (came, state)
    assert b"voice" == bytes(api.get_message_content("voice"))


@pytest.mark.parametrize(("message", "status"), [("photo", 410), ("text", 404)])
def test_the_sdk_hears_that_a_content_is_gone(
    line: LineServer, api: MessagingApiBlob, message: str, status: int
) -> None:
    """line-bot-sdk raises for what was unsent and for what never was."""
    line.unsend("photo")

    with pytest.raises(ApiException) as raised:
        api.get_message_content(message)

    assert status == raised.value.status
