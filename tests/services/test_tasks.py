"""A task is made exactly once, whatever becomes of the answers of Cloud Tasks."""

import base64
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import urllib3

from local.clock import FrozenClock
from local.journal import Journal
from local.loopback import Answer
from local.queues import EVENTS
from local.tasks import TasksServer
from services.errors import Refused, Unavailable
from services.tasks import Tasks

TOKEN = "access-token"
QUEUES = "projects/family-project/locations/asia-east1/queues"
TARGET = "https://asia-east1-family-project.cloudfunctions.net/webhook/answer?event=0"
BODY = '{"events":["哈囉"]}'.encode() + b"\xff\x00"


@pytest.fixture
def server(clock: FrozenClock, journal: Journal) -> Iterator[TasksServer]:
    """Run Cloud Tasks with one queue."""
    server = TasksServer(clock, journal, queues={"events": EVENTS}, token=TOKEN)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def tasks(server: TasksServer, http: urllib3.PoolManager) -> Tasks:
    """Make tasks there."""
    return Tasks(QUEUES, url=server.url, access_token=lambda: TOKEN, http=http)


def create(
    tasks: Tasks,
    name: str = "a-task",
    *,
    queue: str = "events",
    url: str = TARGET,
    **more: Any,
) -> None:
    """Make a task as the webhook does."""
    headers = {"Content-Type": "application/json", "X-Line-Signature": "c2lnbmF0dXJl"}
    tasks.create(queue, name, url=url, headers=headers, body=BODY, deadline=95, **more)


def statuses(journal: Journal) -> list[int]:
    """Return what was answered to each attempt."""
    return [line["status"] for line in journal.lines]


def waiting(server: TasksServer) -> list[str]:
    """Return the names of the tasks that wait in the queue."""
    listed = urllib3.request(
        "GET",
        f"{server.url}/v2/{QUEUES}/events/tasks",
        headers={"Authorization": f"Bearer {TOKEN}"},
    ).json()
    return [task["name"].rpartition("/")[2] for task in listed["tasks"]]


def test_the_request_is_the_documented_one(tasks: Tasks, journal: Journal) -> None:
    """The whole task goes over the wire as Cloud Tasks' reference writes it."""
    create(tasks)

    line = journal.lines[0]
    assert f"/v2/{QUEUES}/events/tasks" == line["path"]
    assert f"Bearer {TOKEN}" == line["headers"]["Authorization"]
    assert "application/json" == line["headers"]["Content-Type"]
    assert {
        "task": {
            "name": f"{QUEUES}/events/tasks/a-task",
            "dispatchDeadline": "95s",
            "httpRequest": {
                "url": TARGET,
                "httpMethod": "POST",
                "headers": {
                    "Content-Type": "application/json",
                    "X-Line-Signature": "c2lnbmF0dXJl",
                },
                "body": base64.b64encode(BODY).decode(),
            },
        }
    } == line["body"]


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (datetime(2026, 12, 30, 12, tzinfo=UTC), "2026-12-30T12:00:00Z"),
        (
            datetime(2026, 12, 2, 7, 30, 0, 5000, tzinfo=timezone(timedelta(hours=8))),
            "2026-12-01T23:30:00.005000Z",
        ),
    ],
)
def test_a_task_may_be_for_later(
    tasks: Tasks, server: TasksServer, journal: Journal, at: datetime, written: str
) -> None:
    """A time is written in UTC, and Cloud Tasks reads the same moment."""
    create(tasks, at=at)

    assert written == journal.lines[0]["body"]["task"]["scheduleTime"]
    assert at == server.next_due()


def test_a_task_too_far_ahead_is_refused(tasks: Tasks, clock: FrozenClock) -> None:
    """Cloud Tasks keeps a task for thirty days and no longer."""
    with pytest.raises(Refused):
        create(tasks, at=clock.now() + timedelta(days=31))


@pytest.mark.parametrize(
    ("url", "audience"),
    [
        (TARGET, "https://asia-east1-family-project.cloudfunctions.net/webhook"),
        ("http://127.0.0.1:8080/push", "http://127.0.0.1:8080/push"),
        ("https://push-abc-de.a.run.app?a=/b", "https://push-abc-de.a.run.app"),
    ],
)
def test_a_private_function_is_shown_who_calls(
    tasks: Tasks, journal: Journal, url: str, audience: str
) -> None:
    """The token names the account, and the function without path and query."""
    account = "tasks@family-project.iam.gserviceaccount.com"

    create(tasks, url=url, account=account)

    asked = journal.lines[0]["body"]["task"]["httpRequest"]
    assert {"serviceAccountEmail": account, "audience": audience} == asked["oidcToken"]
    assert url == asked["url"]


def test_a_name_that_is_taken_is_success(
    tasks: Tasks, server: TasksServer, journal: Journal
) -> None:
    """A webhook that comes twice makes one task."""
    create(tasks)
    create(tasks)

    assert [200, 409] == statuses(journal)
    assert ["a-task"] == waiting(server)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_one_error_is_got_over(
    tasks: Tasks, server: TasksServer, journal: Journal, status: int
) -> None:
    """After a passing error the task is there, and only once."""
    server.fail("create", Answer(status=status))

    create(tasks)

    assert [status, 200] == statuses(journal)
    assert ["a-task"] == waiting(server)


def test_an_answer_that_got_lost_is_success(
    tasks: Tasks, server: TasksServer, journal: Journal
) -> None:
    """A task that was accepted unheard is found by its name."""
    server.fail("create", lost=True)

    create(tasks)

    assert [200, 409] == statuses(journal)
    assert ["a-task"] == waiting(server)


@pytest.mark.parametrize("status", [429, 500, 501, 502, 503, 504])
def test_errors_without_an_end_are_unavailable(
    tasks: Tasks, server: TasksServer, status: int
) -> None:
    """A queue that can't take a task now may take it later."""
    server.fail("create", Answer(status=status), times=99)

    with pytest.raises(Unavailable):
        create(tasks)


def test_three_attempts_are_all(tasks: Tasks, server: TasksServer, journal: Journal) -> None:
    """LINE waits two seconds for its 200, so there are three attempts and not one more."""
    server.fail("create", Answer(status=503), times=99)

    with pytest.raises(Unavailable):
        create(tasks)
    assert [503, 503, 503] == statuses(journal)


def test_another_attempt_is_made_at_once(tasks: Tasks, server: TasksServer) -> None:
    """LINE does not wait for as long as a Retry-After asks for."""
    server.fail("create", Answer(status=503, headers={"Retry-After": "2"}))
    begun = time.monotonic()

    create(tasks)

    assert 1 > time.monotonic() - begun


def test_answers_that_all_get_lost_are_unavailable(tasks: Tasks, server: TasksServer) -> None:
    """Who never hears of a task can't say that it is there."""
    server.fail("create", lost=True, times=99)

    with pytest.raises(Unavailable):
        create(tasks)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_no_is_a_no(tasks: Tasks, server: TasksServer, journal: Journal, status: int) -> None:
    """What is wrong with a task is not mended by asking again."""
    server.fail("create", Answer(status=status))

    with pytest.raises(Refused):
        create(tasks)
    assert [status] == statuses(journal)


@pytest.mark.parametrize(
    "wrong", [{"name": "a task"}, {"name": "a/task"}, {"name": ""}, {"queue": "unknown"}]
)
def test_a_task_that_can_not_be_is_refused(tasks: Tasks, wrong: dict[str, Any]) -> None:
    """Cloud Tasks itself says no to a wrong name and to an unknown queue."""
    with pytest.raises(Refused):
        create(tasks, **wrong)


def test_nobody_there_is_unavailable(closed_host: str, http: urllib3.PoolManager) -> None:
    """Where nobody listens, no task can be made now."""
    url = f"http://{closed_host}"

    with pytest.raises(Unavailable):
        create(Tasks(QUEUES, url=url, access_token=lambda: TOKEN, http=http))


def test_a_token_is_asked_for_each_time(server: TasksServer, http: urllib3.PoolManager) -> None:
    """Tokens end, and only their source knows when."""
    tokens = iter(["wrong", TOKEN])
    tasks = Tasks(QUEUES, url=server.url, access_token=lambda: next(tokens), http=http)

    with pytest.raises(Refused):
        create(tasks)
    create(tasks)


def test_without_a_token_nothing_is_sent(
    server: TasksServer, journal: Journal, http: urllib3.PoolManager
) -> None:
    """A token that can't be had is what makes the task unavailable."""

    def no_token() -> str:
        raise Unavailable("metadata server")

    tasks = Tasks(QUEUES, url=server.url, access_token=no_token, http=http)

    with pytest.raises(Unavailable, match="metadata server"):
        create(tasks)
    assert [] == journal.lines
