"""A loopback Cloud Tasks: queues that deliver HTTP tasks when the clock says so."""

import base64
import itertools
import re
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import urllib3
from flask import request
from google.cloud.tasks_v2 import types
from google.protobuf import json_format

from local.identities import Identities
from local.journal import Journal
from local.loopback import Answer, Loopback, Rejected
from local.plug import Plug
from local.queues import Manner, Queue
from services.clock import Clock

_FURTHEST = timedelta(days=30)
"""How far ahead a task may be scheduled (Cloud Tasks, quotas and limits)."""
_NAME_BLOCKED = timedelta(hours=24)
"""How long the name of a finished task stays taken (CreateTask reference: up to 24 hours)."""
_DEADLINES = (timedelta(seconds=15), timedelta(minutes=30))
_DEFAULT_DEADLINE = timedelta(minutes=10)
_LARGEST = 1024 * 1024
_TASK_ID = re.compile(r"[A-Za-z0-9_-]{1,500}")


@dataclass(slots=True)
class Task:
    """A task that waits to be delivered."""

    path: str
    queue: str
    resource: types.Task
    attempts: int = 0
    responses: int = 0
    """Answers other than 5xx, which the X-CloudTasks-TaskExecutionCount header counts."""
    statuses: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its short name."""
        return self.path.rpartition("/")[2]


_USUAL = Manner()


class TasksServer(Loopback):
    """Cloud Tasks v2, REST. Nothing is delivered until it is told to deliver what is due."""

    name = "tasks"

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        *,
        queues: Mapping[str, Queue],
        token: str,
        identities: Identities | None = None,
        plug: Plug | None = None,
    ) -> None:
        """Take the queues by their short names, and the access token callers must show."""
        super().__init__(clock, journal, plug=plug)
        self.given_up: list[Task] = []
        """Tasks whose queue lost its patience."""
        self._queues = queues
        self._slots = {
            name: threading.BoundedSemaphore(queue.max_concurrent) for name, queue in queues.items()
        }
        self._token = token
        self._identities = identities or Identities()
        self.manners: dict[str, Manner] = {}
        """How queues deliver, by name; by default each task once, in order, at its moment."""
        self._held: set[str] = set()
        self._waiting: list[tuple[datetime, int, Task]] = []
        self._tasks: dict[str, Task] = {}
        self._names: dict[str, datetime | None] = {}
        self._order = itertools.count()
        self._http = urllib3.PoolManager(retries=False, maxsize=32)
        parent = "/v2/<path:parent>/tasks"
        self.route("POST", parent, "create", self._create)
        self.route("GET", parent, "list", self._list)
        self.route("GET", f"{parent}/<task>", "get", self._get)
        self.route("DELETE", f"{parent}/<task>", "delete", self._delete)

    # Delivering.

    def hold_queue(self, queue: str) -> None:
        """Stop a queue's deliveries until it is released."""
        self._held.add(queue)

    def release_queue(self, queue: str) -> None:
        """Let a queue deliver again; what is due is delivered when it is next asked for."""
        self._held.discard(queue)

    def next_due(self) -> datetime | None:
        """Return when the next delivery falls due."""
        with self._lock:
            waiting = [until + self._late(task) for until, _, task in self._deliverable()]
        return min(waiting, default=None)

    def deliver_due(self, *, at_once: int = 1) -> int:
        """Deliver every task that is due, and what falls due by that; return how many deliveries.

        Args:
            at_once: How many tasks are under way together.
        """
        delivered = 0
        while due := self._take_due():
            # A task that is delivered twice is delivered twice at once, which is the worst of it.
            together = max([at_once, *(self._manner_of(task).times for task in due)])
            with ThreadPoolExecutor(together) as threads:
                list(threads.map(self._deliver, due))
            delivered += len(due)
        return delivered

    def payloads(self) -> list[str]:
        """Return what the tasks carry that are still to be delivered."""
        with self._lock:
            tasks = list(self._tasks.values())
        return [task.resource.http_request.body.decode(errors="replace") for task in tasks]

    def _take_due(self) -> list[Task]:
        now = self.clock.now()
        with self._lock:
            due = [entry for entry in self._deliverable() if entry[0] + self._late(entry[2]) <= now]
            self._waiting = [entry for entry in self._waiting if entry not in due]
        tasks = [
            task
            for _, _, task in sorted(due, key=lambda entry: entry[:2])
            for _ in range(self._manner_of(task).times)
        ]
        return tasks[::-1] if any(self._manner_of(task).reversed for task in tasks) else tasks

    def _deliverable(self) -> list[tuple[datetime, int, Task]]:
        return [
            entry
            for entry in self._waiting
            if entry[2].path in self._tasks and entry[2].queue not in self._held
        ]

    def _manner_of(self, task: Task) -> Manner:
        return self.manners.get(task.queue, _USUAL)

    def _late(self, task: Task) -> timedelta:
        return self._manner_of(task).late

    def _deliver(self, task: Task) -> None:
        with self._slots[task.queue]:
            status = self._call(task)
        task.attempts += 1
        task.statuses.append(status)
        if 0 < status < 500:
            task.responses += 1
        queue = self._queues[task.queue]
        with self._lock:
            if 200 <= status < 300:
                self._drop(task)
            elif task.attempts >= queue.max_attempts:
                self._drop(task)
                self.given_up.append(task)
            else:
                self._wait(task, self.clock.now() + queue.backoff(task.attempts))

    def _call(self, task: Task) -> int:
        asked = task.resource.http_request
        deadline = task.resource.dispatch_deadline or _DEFAULT_DEADLINE
        begun = self.clock.now()
        try:
            response = self._http.request(
                asked.http_method.name,
                asked.url,
                body=asked.body,
                headers=self._headers(task),
                timeout=deadline.total_seconds(),
            )
        except urllib3.exceptions.HTTPError:
            return 0
        # Past the deadline nobody listens any more, whatever the function goes on to do.
        return response.status if self.clock.now() - begun <= deadline else 0

    def _headers(self, task: Task) -> dict[str, str]:
        due = task.resource.schedule_time.timestamp()
        oidc = task.resource.http_request.oidc_token
        identity = {}
        if oidc.service_account_email:
            audience = oidc.audience or task.resource.http_request.url
            token = self._identities.token(oidc.service_account_email, audience)
            identity["Authorization"] = f"Bearer {token}"
        return {
            "Content-Type": "application/octet-stream",
            "User-Agent": "Google-Cloud-Tasks",
            **task.resource.http_request.headers,
            **identity,
            "X-CloudTasks-QueueName": task.queue,
            "X-CloudTasks-TaskName": task.name,
            "X-CloudTasks-TaskRetryCount": str(task.attempts),
            "X-CloudTasks-TaskExecutionCount": str(task.responses),
            "X-CloudTasks-TaskETA": f"{due:.6f}",
        }

    def _wait(self, task: Task, until: datetime) -> None:
        if task.path in self._tasks and all(task is not other for _, _, other in self._waiting):
            self._waiting.append((until, next(self._order), task))

    def _drop(self, task: Task) -> None:
        self._tasks.pop(task.path, None)
        self._names[task.path] = self.clock.now() + _NAME_BLOCKED

    # The API.

    def _create(self, body: Any, parent: str) -> Answer:
        queue = self._queue(parent)
        resource = self._read_task(body)
        with self._lock:
            path = resource.name or f"{parent}/tasks/{next(self._order):020}"
            self._check_name(path, parent)
            resource.name = path
            resource.create_time = self.clock.now()
            resource.schedule_time = resource.schedule_time or self.clock.now()
            task = Task(path, queue, resource)
            self._tasks[path] = task
            self._names[path] = None
            self._wait(task, resource.schedule_time)
        return _task_answer(resource)

    def _list(self, body: Any, parent: str) -> Answer:
        queue = self._queue(parent)
        with self._lock:
            tasks = [task.resource for task in self._tasks.values() if task.queue == queue]
        return Answer({"tasks": [_task_answer(task).body for task in tasks]})

    def _get(self, body: Any, parent: str, task: str) -> Answer:
        self._queue(parent)
        return _task_answer(self._known(f"{parent}/tasks/{task}").resource)

    def _delete(self, body: Any, parent: str, task: str) -> Answer:
        self._queue(parent)
        with self._lock:
            self._drop(self._known(f"{parent}/tasks/{task}"))
        return Answer({})

    def _queue(self, parent: str) -> str:
        if request.headers.get("Authorization") != f"Bearer {self._token}":
            raise _rejected(401, "UNAUTHENTICATED", "Request had invalid credentials.")
        name = re.fullmatch(r"projects/[^/]+/locations/[^/]+/queues/([^/]+)", parent)
        if not name or name[1] not in self._queues:
            raise _rejected(404, "NOT_FOUND", "Queue does not exist.")
        return name[1]

    def _known(self, path: str) -> Task:
        if path not in self._tasks:
            raise _rejected(404, "NOT_FOUND", "The task no longer exists.")
        return self._tasks[path]

    def _read_task(self, body: Any) -> types.Task:
        message = types.CreateTaskRequest.pb()()
        try:
            json_format.ParseDict(body, message)
        except (json_format.ParseError, AttributeError, TypeError) as error:
            raise _rejected(400, "INVALID_ARGUMENT", str(error)) from error
        task: types.Task = types.CreateTaskRequest.wrap(message).task
        self._check(task)
        asked = task.http_request
        asked.http_method = asked.http_method or types.HttpMethod.POST
        return task

    def _check(self, task: types.Task) -> None:
        deadline = task.dispatch_deadline or _DEFAULT_DEADLINE
        if not re.match(r"https?://", task.http_request.url):
            raise _invalid("HttpRequest.url is required and must start with http:// or https://")
        if not _DEADLINES[0] <= deadline <= _DEADLINES[1]:
            raise _invalid("Task.dispatchDeadline must be between [15s, 30m].")
        if task.schedule_time and task.schedule_time > self.clock.now() + _FURTHEST:
            raise _invalid("Task.scheduleTime is too far in the future.")
        if len(types.Task.serialize(task)) > _LARGEST:
            raise _invalid("Task size too large.")

    def _check_name(self, path: str, parent: str) -> None:
        prefix, _, name = path.rpartition("/")
        if prefix != f"{parent}/tasks" or not _TASK_ID.fullmatch(name):
            raise _invalid("Task name must be formatted: PARENT/tasks/TASK_ID.")
        free_at = self._names.get(path, datetime.min.replace(tzinfo=self.clock.now().tzinfo))
        if free_at is None or free_at > self.clock.now():
            raise _rejected(409, "ALREADY_EXISTS", "Requested entity already exists.")

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Return a new task's short name, address and words."""
        try:
            task = body["task"]
            asked = task["httpRequest"]
            return {
                "task": task.get("name", "").rpartition("/")[2],
                "url": asked["url"],
                "payload": base64.b64decode(asked.get("body", "")).decode(errors="replace"),
            }
        except (AttributeError, LookupError, TypeError, ValueError):
            return {}


def _task_answer(task: types.Task) -> Answer:
    return Answer(json_format.MessageToDict(types.Task.pb(task)))


def _invalid(message: str) -> Rejected:
    return _rejected(400, "INVALID_ARGUMENT", message)


def _rejected(code: int, status: str, message: str) -> Rejected:
    return Rejected(Answer({"error": {"code": code, "message": message, "status": status}}, code))
