"""The loopback Cloud Tasks refuses what the real one refuses, and delivers when it would."""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import urllib3
from flask import request
from google.api_core.exceptions import BadRequest, Conflict, NotFound
from google.cloud import tasks_v2
from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksRestTransport
from google.oauth2.credentials import Credentials

from local.clock import FrozenClock
from local.journal import Journal
from local.loopback import Answer, Loopback
from local.queues import EVENTS, Queue
from local.tasks import TasksServer

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
TOKEN = "access-token"
QUEUES = "projects/family-project/locations/asia-east1/queues"
PARENT = f"{QUEUES}/events"
DAY = timedelta(hours=24)
GOOGLE_STEPS = Queue(
    max_attempts=9,
    min_backoff=timedelta(seconds=10),
    max_backoff=timedelta(seconds=300),
    max_doublings=3,
)
HASTY = Queue(
    max_attempts=2,
    min_backoff=timedelta(seconds=1),
    max_backoff=timedelta(seconds=1),
    max_doublings=0,
)


class Target(Loopback):
    """Where tasks are delivered; answers 200, or what it is told to, and notes when what came."""

    name = "target"

    def __init__(self, clock: FrozenClock) -> None:
        super().__init__(clock, Journal(clock))
        for method in ("POST", "PUT", "GET"):
            self.route(method, "/answer", "deliver", lambda _: Answer())

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Note the moment and the very bytes."""
        return {"moment": self.clock.now(), "bytes": request.get_data()}

    def fail_with(self, *statuses: int) -> None:
        """Answer these statuses first."""
        for status in statuses:
            self.fail("deliver", Answer(status=status))

    def noted(self, what: str) -> list[Any]:
        """Return one thing of each delivery."""
        return [line[what] for line in self.journal.lines]

    def headers(self, name: str) -> list[str]:
        """Return one header of each delivery."""
        return [headers[name] for headers in self.noted("headers")]


@pytest.fixture
def clock() -> FrozenClock:
    """Stand still until a test moves on."""
    return FrozenClock(NOW)


@pytest.fixture
def target(clock: FrozenClock) -> Iterator[Target]:
    """Run a target for one test."""
    target = Target(clock)
    target.start()
    yield target
    target.stop()


@pytest.fixture
def journal(clock: FrozenClock) -> Journal:
    """Keep a record of what crosses the border."""
    return Journal(clock)


@pytest.fixture
def server(clock: FrozenClock, journal: Journal) -> Iterator[TasksServer]:
    """Run Cloud Tasks with two queues."""
    queues = {"events": EVENTS, "hasty": HASTY}
    server = TasksServer(clock, journal, queues=queues, token=TOKEN)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def client(server: TasksServer) -> tasks_v2.CloudTasksClient:
    """Talk to it through Google's own client."""
    transport = CloudTasksRestTransport(
        host=server.url.removeprefix("http://"), url_scheme="http", credentials=Credentials(TOKEN)
    )
    return tasks_v2.CloudTasksClient(transport=transport)


def post(server: TasksServer, body: Any, *, parent: str = PARENT, token: str = TOKEN) -> int:
    """Send the body of a CreateTask as it stands; return the status."""
    headers = {"Authorization": f"Bearer {token}"}
    url = f"{server.url}/v2/{parent}/tasks"
    return urllib3.request("POST", url, json=body, headers=headers, timeout=60).status


def create(
    server: TasksServer,
    url: str = "https://example.com/",
    *,
    name: str = f"{PARENT}/tasks/a-task",
    asked: dict[str, Any] | None = None,
    **task: Any,
) -> int:
    """Create a task from its good parts and some that may be bad; return the status."""
    task = {"name": name, "httpRequest": {"url": url, **(asked or {})}, **task}
    return post(server, {"task": task}, parent=name.partition("/tasks/")[0])


def delete(server: TasksServer, name: str = f"{PARENT}/tasks/a-task") -> int:
    """Delete a task; return the status."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return urllib3.request("DELETE", f"{server.url}/v2/{name}", headers=headers, timeout=60).status


def let_pass(server: TasksServer, clock: FrozenClock) -> None:
    """Let time pass until no task is left."""
    while due := server.next_due():
        clock.advance_to(due)
        server.deliver_due()


# What is refused.


def test_a_name_can_not_be_used_twice(server: TasksServer) -> None:
    """A task's name is its alone while it waits, however long that is."""
    later = (NOW + timedelta(days=29)).isoformat()

    assert 200 == create(server, scheduleTime=later)
    assert 409 == create(server)


def test_the_same_name_at_the_same_moment_makes_one_task(server: TasksServer) -> None:
    """Of all who create a task of one name, one succeeds."""
    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda _: create(server), range(8)))

    assert [200, *[409] * 7] == sorted(statuses)


@pytest.mark.parametrize("end", ["delivered", "deleted", "given up"])
def test_a_name_stays_taken_for_a_day(
    server: TasksServer, target: Target, clock: FrozenClock, end: str
) -> None:
    """A finished task blocks its name for 24 hours from its end, whatever its end was."""
    name = f"{QUEUES}/hasty/tasks/a-task"
    if end == "given up":
        target.fail_with(500, 500)
    create(server, f"{target.url}/answer", name=name)
    clock.advance(timedelta(hours=1))
    if end == "deleted":
        delete(server, name)
    let_pass(server, clock)

    clock.advance(DAY - timedelta(seconds=1))
    assert 409 == create(server, name=name)
    clock.advance(timedelta(seconds=1))
    assert 200 == create(server, name=name)


@pytest.mark.parametrize(
    ("ahead", "status"), [(timedelta(days=30), 200), (timedelta(days=31), 400), (-DAY, 200)]
)
def test_a_task_waits_for_a_month_at_most(
    server: TasksServer, ahead: timedelta, status: int
) -> None:
    """A task further ahead than 30 days is refused; one that is late is due at once."""
    assert status == create(server, scheduleTime=(NOW + ahead).isoformat())


@pytest.mark.parametrize(
    ("deadline", "status"),
    [("14s", 400), ("15s", 200), ("1800s", 200), ("1860s", 400), ("-1s", 400), ("soon", 400)],
)
def test_a_deadline_is_between_15_seconds_and_30_minutes(
    server: TasksServer, deadline: str, status: int
) -> None:
    """The dispatch deadline keeps the documented limits."""
    assert status == create(server, dispatchDeadline=deadline)


@pytest.mark.parametrize(
    "parent",
    [
        f"{QUEUES}/unknown",
        f"{QUEUES}/events/tasks",
        "projects/family-project/queues/events",
        "queues/events",
    ],
)
def test_a_queue_that_does_not_exist_takes_no_task(server: TasksServer, parent: str) -> None:
    """A path that names none of the queues is not found."""
    assert 404 == post(server, {"task": {"httpRequest": {"url": "https://e.com"}}}, parent=parent)


@pytest.mark.parametrize(
    "name",
    [
        "a-task",
        f"{QUEUES}/hasty/tasks/a-task",
        f"{PARENT}/tasks/",
        f"{PARENT}/tasks/a task",
        f"{PARENT}/tasks/a.task",
        f"{PARENT}/tasks/a/task",
        f"{PARENT}/tasks/工作",
        f"{PARENT}/tasks/a-task\n",
        f"{PARENT}/tasks/{'a' * 501}",
    ],
)
def test_a_foreign_or_bad_name_is_refused(server: TasksServer, name: str) -> None:
    """A name is of this queue, and of letters, digits, hyphens and underscores, 500 at most."""
    task = {"name": name, "httpRequest": {"url": "https://example.com"}}

    assert 400 == post(server, {"task": task})


@pytest.mark.parametrize("id_", ["a", "A-z_0-9", "a" * 500])
def test_a_good_name_is_taken(server: TasksServer, id_: str) -> None:
    """Names at the limits are good."""
    assert 200 == create(server, name=f"{PARENT}/tasks/{id_}")


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "text",
        {},
        {"task": 5},
        {"task": {}},
        {"task": {"httpRequest": {}}},
        {"task": {"httpRequest": {"url": "example.com"}}},
        {"task": {"httpRequest": {"url": "ftp://example.com"}}},
        {"task": {"httpRequest": {"url": "https://example.com", "colour": "red"}}},
        {"task": {"httpRequest": {"url": "https://example.com", "body": "not base64!"}}},
        {"task": {"httpRequest": {"url": "https://example.com", "httpMethod": "BREW"}}},
        {"task": {"httpRequest": {"url": "https://example.com"}, "priority": 1}},
        {"task": {"httpRequest": {"url": "https://example.com"}}, "queue": "events"},
        {"task": {"httpRequest": {"url": "https://example.com"}, "scheduleTime": "tomorrow"}},
    ],
    ids=str,
)
def test_what_is_no_task_is_refused(server: TasksServer, body: Any) -> None:
    """A body has the fields of a task, each of its kind, and no others."""
    assert 400 == post(server, body)


def test_a_task_may_be_a_megabyte(server: TasksServer) -> None:
    """A task larger than 1 MiB is refused, whatever its body was encoded to."""
    small = base64.b64encode(b"x" * 1_048_000).decode()
    large = base64.b64encode(b"x" * 1_048_576).decode()

    assert 200 == create(server, asked={"body": small})
    assert 400 == create(server, asked={"body": large}, name=f"{PARENT}/tasks/large")


@pytest.mark.parametrize("token", ["", "wrong", f"{TOKEN} "])
def test_only_the_account_may_create(server: TasksServer, token: str) -> None:
    """Whoever shows no access token, or a wrong one, is turned away."""
    task = {"httpRequest": {"url": "https://example.com"}}

    assert 401 == post(server, {"task": task}, token=token)
    assert server.next_due() is None


def test_what_is_refused_leaves_its_name_free(server: TasksServer) -> None:
    """A task that was refused was never there."""
    assert 400 == create(server, dispatchDeadline="1s")
    assert 200 == create(server)


# Delivering.


def test_a_task_is_delivered_as_it_was_made(server: TasksServer, target: Target) -> None:
    """The target gets the very bytes, headers and method, and Cloud Tasks' own headers."""
    headers = {"Content-Type": "application/json", "X-Line-Signature": "c2ln"}
    body = base64.b64encode(b"\xff\x00").decode()
    create(server, f"{target.url}/answer", asked={"headers": headers, "body": body})

    assert 1 == server.deliver_due()

    [line] = target.journal.lines
    assert "/answer" == line["path"]
    assert [b"\xff\x00"] == target.noted("bytes")
    assert {
        **headers,
        "User-Agent": "Google-Cloud-Tasks",
        "X-Cloudtasks-Queuename": "events",
        "X-Cloudtasks-Taskname": "a-task",
        "X-Cloudtasks-Taskretrycount": "0",
        "X-Cloudtasks-Taskexecutioncount": "0",
        "X-Cloudtasks-Tasketa": f"{NOW.timestamp():.6f}",
    }.items() <= line["headers"].items()


def test_a_task_may_have_another_method_and_no_headers(server: TasksServer, target: Target) -> None:
    """The method is the task's; a body of no kind is a stream of bytes."""
    create(server, f"{target.url}/answer", asked={"httpMethod": "PUT", "body": "eA=="})

    assert 1 == server.deliver_due()
    assert ["application/octet-stream"] == target.headers("Content-Type")


def test_a_task_without_a_name_gets_one(server: TasksServer, target: Target) -> None:
    """Tasks that nobody named are all different."""
    task = {"httpRequest": {"url": f"{target.url}/answer"}}

    assert [200, 200] == [post(server, {"task": task}), post(server, {"task": task})]
    assert 2 == server.deliver_due()
    assert 2 == len(set(target.headers("X-Cloudtasks-Taskname")))


def test_a_task_waits_for_its_moment(
    server: TasksServer, target: Target, clock: FrozenClock
) -> None:
    """Nothing is delivered before its time, and what is due first comes first."""
    for name, hours in (("late", 2), ("early", 1)):
        due = (NOW + timedelta(hours=hours)).isoformat()
        create(server, f"{target.url}/answer", name=f"{PARENT}/tasks/{name}", scheduleTime=due)
    clock.advance(timedelta(minutes=59))
    assert 0 == server.deliver_due()
    assert NOW + timedelta(hours=1) == server.next_due()

    let_pass(server, clock)

    assert ["early", "late"] == target.headers("X-Cloudtasks-Taskname")
    assert [NOW + timedelta(hours=1), NOW + timedelta(hours=2)] == target.noted("moment")


def test_tasks_may_be_delivered_side_by_side(server: TasksServer, target: Target) -> None:
    """A queue has many deliveries under way, and each is counted."""
    for number in range(8):
        create(server, f"{target.url}/answer", name=f"{PARENT}/tasks/{number}")

    assert 8 == server.deliver_due(at_once=4)
    assert set("01234567") == set(target.headers("X-Cloudtasks-Taskname"))


def test_a_deleted_task_is_not_delivered(server: TasksServer, target: Target) -> None:
    """What was deleted in time never happened."""
    create(server, f"{target.url}/answer")

    assert 200 == delete(server)
    assert server.next_due() is None
    assert 0 == server.deliver_due()
    assert 404 == delete(server)


# Retrying.


def test_a_task_comes_back_until_the_queue_gives_up(
    server: TasksServer, target: Target, clock: FrozenClock
) -> None:
    """The events queue tries nine times in twenty minutes, and then tells that it gave up."""
    target.fail_with(*[503] * 9)
    create(server, f"{target.url}/answer")

    let_pass(server, clock)

    seconds = [0, 10, 30, 70, 150, 310, 610, 910, 1210]
    assert [NOW + timedelta(seconds=n) for n in seconds] == target.noted("moment")
    assert [("a-task", [503] * 9)] == [(task.name, task.statuses) for task in server.given_up]


def test_a_success_ends_the_retries(
    server: TasksServer, target: Target, clock: FrozenClock
) -> None:
    """Any 2xx is success, and nothing comes after it."""
    target.fail_with(503, 204)
    create(server, f"{target.url}/answer")

    let_pass(server, clock)

    assert [503, 204] == target.noted("status")
    assert [] == server.given_up


@pytest.mark.parametrize("status", [302, 400, 401, 404, 409, 429, 500])
def test_anything_but_a_2xx_is_a_failure(
    server: TasksServer, target: Target, clock: FrozenClock, status: int
) -> None:
    """A redirect is not followed and a 4xx is not given up: the task comes back."""
    target.fail_with(status)
    create(server, f"{target.url}/answer")

    let_pass(server, clock)

    assert [status, 200] == target.noted("status")


def test_a_target_that_is_not_there_is_tried_again(
    server: TasksServer, target: Target, clock: FrozenClock
) -> None:
    """No answer at all is a failure like others."""
    target.fail("deliver", lost=True)
    create(server, f"{target.url}/answer")

    let_pass(server, clock)

    assert [NOW, NOW + timedelta(seconds=10)] == target.noted("moment")


def test_deliveries_are_counted_in_their_headers(
    server: TasksServer, target: Target, clock: FrozenClock
) -> None:
    """The retry count counts every failure; the execution count leaves out 5xx and no answers."""
    target.fail_with(503, 409)
    target.fail("deliver", lost=True)
    target.fail_with(429)
    create(server, f"{target.url}/answer")

    let_pass(server, clock)

    assert list("01234") == target.headers("X-Cloudtasks-Taskretrycount")
    assert list("00112") == target.headers("X-Cloudtasks-Taskexecutioncount")


def test_each_queue_retries_in_its_own_way(
    server: TasksServer, target: Target, clock: FrozenClock
) -> None:
    """A task belongs to its queue: its patience, and its name in the header."""
    target.fail_with(500, 500)
    create(server, f"{target.url}/answer", name=f"{QUEUES}/hasty/tasks/a-task")

    let_pass(server, clock)

    assert ["hasty", "hasty"] == target.headers("X-Cloudtasks-Queuename")
    assert [NOW, NOW + timedelta(seconds=1)] == target.noted("moment")
    assert ["a-task"] == [task.name for task in server.given_up]


@pytest.mark.parametrize(
    ("queue", "seconds"),
    [
        (GOOGLE_STEPS, [10, 20, 40, 80, 160, 240, 300, 300]),
        (EVENTS, [10, 20, 40, 80, 160, 300, 300, 300]),
        (HASTY, [1, 1, 1]),
    ],
)
def test_the_back_off_is_the_documented_one(queue: Queue, seconds: list[int]) -> None:
    """The wait doubles `max_doublings` times, then grows by the last step, up to the limit."""
    expected = [timedelta(seconds=n) for n in seconds]

    assert expected == [queue.backoff(n) for n in range(1, len(seconds) + 1)]


# Google's own client.


def test_the_real_client_creates_and_reads(
    client: tasks_v2.CloudTasksClient, server: TasksServer, target: Target
) -> None:
    """What google-cloud-tasks sends is understood, and what it gets back is a task."""
    asked = tasks_v2.HttpRequest(
        url=f"{target.url}/answer", body=b"\xff", headers={"Content-Type": "text/plain"}
    )
    deadline = timedelta(seconds=95)
    task = tasks_v2.Task(
        name=f"{PARENT}/tasks/a-task",
        http_request=asked,
        schedule_time=NOW + timedelta(hours=1),
        dispatch_deadline=deadline,
    )

    created = client.create_task(parent=PARENT, task=task)

    assert task.name == created.name
    assert NOW == created.create_time
    assert (NOW + timedelta(hours=1), deadline) == (
        created.schedule_time,
        created.dispatch_deadline,
    )
    assert tasks_v2.HttpMethod.POST == created.http_request.http_method
    assert (b"\xff", asked.url) == (created.http_request.body, created.http_request.url)
    assert created == client.get_task(name=task.name)
    assert [created] == list(client.list_tasks(parent=PARENT))


def test_the_real_client_lists_one_queue(
    client: tasks_v2.CloudTasksClient, server: TasksServer
) -> None:
    """A queue's list has that queue's tasks and nobody else's."""
    create(server, name=f"{PARENT}/tasks/a-task")
    create(server, name=f"{QUEUES}/hasty/tasks/a-task")

    assert [f"{PARENT}/tasks/a-task"] == [task.name for task in client.list_tasks(parent=PARENT)]


def test_the_real_client_deletes(client: tasks_v2.CloudTasksClient, server: TasksServer) -> None:
    """A task that was deleted is found no more."""
    create(server)
    name = f"{PARENT}/tasks/a-task"

    client.delete_task(name=name)

    assert [] == list(client.list_tasks(parent=PARENT))
    with pytest.raises(NotFound):
        client.get_task(name=name)
    with pytest.raises(NotFound):
        client.delete_task(name=name)


def test_the_real_client_understands_the_refusals(
    client: tasks_v2.CloudTasksClient, server: TasksServer
) -> None:
    """A refusal is an error of the kind that the real service's would be."""
    asked = tasks_v2.HttpRequest(url="https://example.com")
    task = tasks_v2.Task(name=f"{PARENT}/tasks/a-task", http_request=asked)
    client.create_task(parent=PARENT, task=task)

    with pytest.raises(Conflict):
        client.create_task(parent=PARENT, task=task)
    with pytest.raises(NotFound):
        client.create_task(parent=f"{QUEUES}/unknown", task=task)
    with pytest.raises(BadRequest):
        client.create_task(parent=PARENT, task=tasks_v2.Task())


# In the journal.


def test_the_journal_tells_a_task_at_a_glance(server: TasksServer, journal: Journal) -> None:
    """A new task's line has its short name, its address and its words."""
    body = base64.b64encode("倒垃圾".encode()).decode()

    create(server, asked={"body": body})

    [line] = journal.lines
    assert ("a-task", "https://example.com/", "倒垃圾") == (
        line["task"],
        line["url"],
        line["payload"],
    )


def test_what_takes_longer_than_its_deadline_is_delivered_again(
    server: TasksServer, target: Target
) -> None:
    """Past a task's dispatch deadline nobody listens: a 200 that comes then is no success."""
    target.fail("deliver", slow=timedelta(seconds=31))
    create(server, asked={"url": f"{target.url}/answer"}, dispatchDeadline="30s")
    server.deliver_due()

    assert NOW + timedelta(seconds=31 + 10) == server.next_due()


def test_a_queue_has_no_more_under_way_than_it_says(clock: FrozenClock, journal: Journal) -> None:
    """However many tasks are due, only so many are delivered at a time."""
    target = Target(clock)
    hold = target.hold("deliver")
    target.start()
    narrow = replace(EVENTS, max_concurrent=2)
    server = TasksServer(clock, journal, queues={"events": narrow}, token=TOKEN)
    server.start()
    for name in "abcd":
        create(server, name=f"{PARENT}/tasks/{name}", asked={"url": f"{target.url}/answer"})
    with ThreadPoolExecutor(1) as thread:
        delivering = thread.submit(server.deliver_due, at_once=4)
        hold.wait(2)
        under_way = hold.held
        hold.release()

    assert (2, 4) == (under_way, delivering.result())
    server.stop()
    target.stop()
