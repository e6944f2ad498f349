"""The log tells what happened and where, and nothing of what the family said."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urllib3
from google.api_core.exceptions import InvalidArgument
from google.genai.errors import ClientError
from linebot.v3.messaging import ApiException

from services.errors import Refused, Unavailable
from services.logs import JsonFormatter

ROOT = Path(__file__).parents[2]
HERE = "tests/services/test_logs.py:"
WORDS = "媽媽的密碼是 1234"
USER_ID = "U82af3719641710656a13c193d011c315"


@pytest.fixture
def written() -> io.StringIO:
    """Collect what is written."""
    return io.StringIO()


@pytest.fixture
def log(written: io.StringIO) -> logging.Logger:
    """Write to it."""
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    log = logging.Logger("family")
    log.addHandler(handler)
    return log


def line(written: io.StringIO) -> dict[str, Any]:
    """Return the one line that was written, as what it says."""
    lines = written.getvalue().split("\n")
    assert 2 == len(lines)
    return json.loads(lines[0])


def fail(error: Exception) -> None:
    """Raise an error from a place of ours."""
    raise error


def chain(log: logging.Logger, written: io.StringIO, work: Callable[[], object]) -> list[str]:
    """Log the error of some work; return the chain of errors that was written."""
    try:
        work()
    except Exception:
        log.exception("work failed")
    return line(written)["error"]


def types(chain: list[str]) -> list[str]:
    """Return a chain's types, without the places."""
    return [entry.split(" ")[0] for entry in chain]


def test_a_line_is_what_cloud_logging_reads(log: logging.Logger, written: io.StringIO) -> None:
    """Severity and message are called as Cloud Logging calls them, and extras stand beside them."""
    log.warning("model out of reach", extra={"attempt": 3, "event": "4f2a"})

    assert {
        "severity": "WARNING",
        "message": "model out of reach",
        "logger": "family",
        "attempt": 3,
        "event": "4f2a",
    } == line(written)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("%s said %s", (USER_ID, WORDS)),
        ("%(user)s said %(words)s", ({"user": USER_ID, "words": WORDS},)),
        ("as many as it likes: %d", (WORDS, USER_ID)),
    ],
)
def test_arguments_are_not_written(
    log: logging.Logger, written: io.StringIO, message: str, arguments: tuple[Any, ...]
) -> None:
    """Only the constant part of a message is written: people are in its arguments."""
    log.warning(message, *arguments)

    assert message == line(written)["message"]
    assert WORDS not in written.getvalue()
    assert USER_ID not in written.getvalue()


@pytest.mark.parametrize(
    "extra",
    [
        {"text": "one\ntwo\r\nthree\0"},
        {"text": '"quoted" \\ back'},
        {"error_class": Refused},
        {"path": Path("/tmp")},
        {"nested": {"list": [1, None, {"set": {1}}]}},
    ],
)
def test_a_line_is_json_whatever_is_in_it(
    log: logging.Logger, written: io.StringIO, extra: dict[str, Any]
) -> None:
    """One record is one line of valid JSON."""
    log.warning("two\nlines", extra=extra)

    assert "two\nlines" == line(written)["message"]


@pytest.mark.parametrize(
    "error",
    [
        ValueError(WORDS, USER_ID),
        InvalidArgument(f"{USER_ID}: {WORDS}"),
        ClientError(400, {"error": {"message": WORDS, "details": [USER_ID]}}),
        ApiException(400, f"{USER_ID}: {WORDS}"),
        json.JSONDecodeError("bad", f"{USER_ID}: {WORDS}", 0),
        UnicodeDecodeError("utf-8", WORDS.encode(), 0, 1, USER_ID),
        ExceptionGroup(USER_ID, [ValueError(WORDS)]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_the_message_of_an_error_is_not_written(
    log: logging.Logger, written: io.StringIO, error: Exception
) -> None:
    """Libraries put bodies, addresses and ids into their errors; only the type is written."""
    error.add_note(WORDS)

    said = chain(log, written, lambda: fail(error))

    assert [f"{type(error).__module__}.{type(error).__qualname__}"] == types(said)
    assert WORDS not in written.getvalue()
    assert "1234" not in written.getvalue()
    assert USER_ID not in written.getvalue()


def test_the_address_of_a_request_is_not_written(
    log: logging.Logger, written: io.StringIO, closed_host: str
) -> None:
    """An id in the address of a request that failed stays out of the log."""
    said = chain(
        log,
        written,
        lambda: urllib3.request("GET", f"http://{closed_host}/v2/bot/profile/{USER_ID}"),
    )

    assert "urllib3.exceptions.MaxRetryError" == types(said)[0]
    assert USER_ID not in written.getvalue()


def test_only_frames_of_ours_are_written(
    log: logging.Logger, written: io.StringIO, closed_host: str
) -> None:
    """Where an error came through our code is told; where through libraries, is not."""
    first, *causes = chain(log, written, lambda: urllib3.request("GET", f"http://{closed_host}/"))

    places = first.split(" ")[1:]
    assert 2 == len(places)
    assert all(place.startswith(HERE) and place[len(HERE) :].isdigit() for place in places)
    assert causes == types(causes)


def test_a_place_beside_our_folder_is_not_ours(log: logging.Logger, written: io.StringIO) -> None:
    """A folder whose name only begins like ours is somebody else's."""
    code = compile("raise ValueError", f"{ROOT}-packages/library.py", "exec")

    first = chain(log, written, lambda: exec(code))[0]

    assert "library.py" not in first
    assert HERE in first


def test_causes_are_told_from_the_last_to_the_first(
    log: logging.Logger, written: io.StringIO
) -> None:
    """An error names what caused it, and that names its own cause."""

    def work() -> None:
        try:
            try:
                fail(KeyError(WORDS))
            except KeyError as error:
                raise OSError(WORDS) from error
        except OSError:
            raise Unavailable(WORDS)  # noqa: B904

    said = chain(log, written, work)

    assert ["services.errors.Unavailable", "builtins.OSError", "builtins.KeyError"] == types(said)
    assert all(HERE in entry for entry in said)
    assert WORDS not in written.getvalue()


def test_a_chain_that_bites_its_tail_ends() -> None:
    """Two errors that name each other as the cause are told once."""
    program = """
import logging
from services.logs import JsonFormatter
try:
    try:
        raise OSError
    except OSError as first:
        try:
            raise KeyError from first
        except KeyError:
            raise first
except OSError as error:
    record = logging.makeLogRecord({"exc_info": (OSError, error, None)})
    print(JsonFormatter().format(record))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, timeout=5, check=True, capture_output=True
    )

    assert ["builtins.OSError", "builtins.KeyError"] == json.loads(ended.stdout)["error"]


def test_without_an_error_none_is_told(log: logging.Logger, written: io.StringIO) -> None:
    """A line that asks for the error where there is none says what it has to say."""
    log.warning("to come again", exc_info=True)

    assert "error" not in line(written)


def test_every_line_of_the_process_goes_to_standard_error() -> None:
    """Libraries' lines are as bare as ours, and httpx2 does not tell whom it asked."""
    program = f"""
import logging
from services import logs
logs.configure()
logs.configure()
logging.getLogger("library").info("hello %s", "{USER_ID}")
logging.getLogger("library").debug("too much detail")
logging.getLogger("httpx2").info("HTTP Request: %s", "{USER_ID}")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True
    )

    assert {"severity": "INFO", "message": "hello %s", "logger": "library"} == json.loads(
        ended.stderr
    )
    assert "" == ended.stdout


def test_a_warning_is_a_line_without_its_words() -> None:
    """What a library warns of is told as a line of the log, and the value it warns of is not."""
    code = f"""
import warnings
from services import logs
logs.configure()
warnings.warn({WORDS!r})
"""
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    [warning] = map(json.loads, finished.stderr.splitlines())
    assert ("WARNING", "UserWarning", "<string>:5") == (
        warning["severity"],
        warning["category"],
        warning["place"],
    )
    assert WORDS not in finished.stderr
