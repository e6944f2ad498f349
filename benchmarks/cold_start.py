"""How long a cold function takes: to its first 200, or to its call of LINE.

Run `python -m benchmarks.cold_start` for the time from process start to the first 200 for a signed
webhook that makes a task, beside that of a function that only says hello. With `--answer`: to the
call of LINE that answers a message, beside a function that imports every SDK before it serves. With
`--push`: to the call of LINE that says a reminder, beside the same.
"""

import argparse
import base64
import compileall
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import linebot.v3.messaging  # noqa: F401 - the loopback LINE would import it when first called
import urllib3
from google.cloud import firestore

from local.clock import MovableClock
from local.emulator import HOST, emulator, wipe
from local.family import Family
from local.journal import Journal
from local.line import LineServer
from local.loopback import Answer, Loopback
from local.metadata import MetadataServer
from local.queues import EVENTS
from local.tasks import TasksServer
from memory.calls import patience
from memory.conversation import to_milliseconds
from memory.draft import Draft
from memory.reminders import Reminder
from memory.store import Store
from services.signature import sign

ROOT = Path(__file__).parent.parent
MAIN = ROOT / "main.py"
HELLO = """
import functions_framework

@functions_framework.http
def webhook(request):
    return "hello"
"""
EVERYTHING_AT_THE_TOP = """
import functions_framework
import google.cloud.firestore
import google.cloud.tasks_v2
import google.genai
import linebot.v3.messaging
from main import push, webhook
"""
SECRET, CHANNEL_ID, GEMINI_KEY, TOKEN = "channel-secret", "1234567890", "gemini-key", "access-token"
PERSON = "U1"
PATIENCE = 60
"""Seconds after which a run has failed."""
THINKING = 2
"""Seconds the model takes."""

Subjects = Mapping[str, Callable[[], float]]


class Failed(Exception):
    """A run did not do what it has to do. The message says what happened instead."""


@dataclass(frozen=True, slots=True)
class Process:
    """A function in a process of its own."""

    port: int
    started: float
    """When, in the seconds of `time.perf_counter`."""

    def age(self) -> float:
        """Return how many seconds ago it was started."""
        return time.perf_counter() - self.started


def main() -> int:
    """Measure, print a table and a line of JSON; return 1 if a run failed."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended
    compileall.compile_dir(ROOT, quiet=2)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        furnish = {"answer": _answers, "push": _pushes}.get(options.to, _first_200s)
        try:
            figures = _measure(furnish(stack, folder), options.runs)
        except Failed as failed:
            print(f"A run failed: {failed}.", file=sys.stderr)
            return 1
    _show(figures)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold_start")
    to = parser.add_mutually_exclusive_group()
    to.add_argument("--answer", dest="to", action="store_const", const="answer")
    to.add_argument("--push", dest="to", action="store_const", const="push")
    parser.add_argument("--runs", type=int, default=15, help="of each (15)")
    return parser.parse_args()


def _measure(subjects: Subjects, runs: int) -> dict[str, list[float]]:
    """Return the seconds of each run; they alternate, after one each that is not counted."""
    for run in subjects.values():
        run()
    figures: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(runs):
        for name, run in subjects.items():
            figures[name].append(run())
    return figures


def _show(figures: Mapping[str, list[float]]) -> None:
    """Print the figures, and the ratio of the second subject's median to the first's."""
    medians = {name: statistics.median(seconds) for name, seconds in figures.items()}
    yardstick, subject = medians.values()
    ratio = subject / yardstick
    print(f"{'seconds':<26}{'median':>8}{'min':>8}{'runs':>6}")
    for name, seconds in figures.items():
        print(f"{name:<26}{medians[name]:>8.3f}{min(seconds):>8.3f}{len(seconds):>6}")
    print(f"{'ratio of the medians':<26}{ratio:>8.2f}")
    rounded = {name: [round(second, 4) for second in seconds] for name, seconds in figures.items()}
    print(json.dumps({"ratio": round(ratio, 3), "seconds": rounded}))


# To the first 200.


def _first_200s(stack: ExitStack, folder: Path) -> Subjects:
    clock = MovableClock()
    journal = Journal(clock)
    tasks = TasksServer(clock, journal, queues={"events": EVENTS}, token=TOKEN)
    metadata = MetadataServer(clock, Journal(clock), token=TOKEN)
    _serve(stack, tasks, metadata)
    environment = _environment(metadata) | {"TASKS_URL": tasks.url}
    hello = _source(folder, HELLO)
    family = Family(clock, bot_id="Ubot")

    def to_webhook() -> float:
        seconds = _first_200(MAIN, environment, _webhook(family, reply_token="token"))
        made = [line["status"] for line in journal.new()]
        if made != [200]:
            raise Failed(f"Cloud Tasks answered {made}")
        return seconds

    def to_hello() -> float:
        return _first_200(hello, environment, _webhook(family, reply_token="token"))

    return {"hello": to_hello, "webhook": to_webhook}


def _first_200(source: Path, environment: Mapping[str, str], request: bytes) -> float:
    with _process(source, environment) as process:
        _expect_200(process, request)
        return process.age()


# To the call of LINE.


class InstantTasks(Loopback):
    """A Cloud Tasks that delivers a task as soon as it is made, to whichever port is set."""

    name = "tasks"

    def __init__(self, clock: MovableClock, journal: Journal) -> None:
        super().__init__(clock, journal)
        self.port = 0
        self.status: Future[int]
        """Of the last delivery."""
        self._thread = ThreadPoolExecutor(1)
        self.route("POST", "/v2/<path:parent>/tasks", "create", self._create)

    def _create(self, body: Any, parent: str) -> Answer:
        self.status = self._thread.submit(self._deliver, body["task"]["httpRequest"])
        return Answer(body["task"])

    def _deliver(self, asked: Mapping[str, Any]) -> int:
        # The cloud takes the function's name off the path.
        path = asked["url"].partition("/webhook")[2]
        return urllib3.request(
            "POST",
            f"http://127.0.0.1:{self.port}{path}",
            body=base64.b64decode(asked["body"]),
            headers=asked["headers"],
            retries=False,
            timeout=PATIENCE,
        ).status


class SlowGemini(Loopback):
    """A model that takes its time, on the real clock."""

    name = "gemini"

    def __init__(self, clock: MovableClock, journal: Journal) -> None:
        super().__init__(clock, journal)
        self.route("POST", "/v1beta/models/<model>:generateContent", "generate", self._generate)

    def _generate(self, body: Any, model: str) -> Answer:
        time.sleep(THINKING)
        content = {"role": "model", "parts": [{"text": "吃水餃。"}]}
        return Answer({"candidates": [{"content": content, "finishReason": "STOP"}]})


class World:
    """All that a function needs to answer one person, who is known to it after the first answer."""

    def __init__(self, stack: ExitStack) -> None:
        host = stack.enter_context(emulator())
        clock = MovableClock()
        self._journal = Journal(clock)
        elsewhere = Journal(clock)
        self._line = LineServer(clock, self._journal, channel_id=CHANNEL_ID, channel_secret=SECRET)
        self._line.people[PERSON] = "媽媽"
        self._tasks = InstantTasks(clock, elsewhere)
        gemini = SlowGemini(clock, elsewhere)
        metadata = MetadataServer(clock, elsewhere, token=TOKEN)
        _serve(stack, self._line, self._tasks, gemini, metadata)
        self._family = Family(clock, bot_id="Ubot")
        project = f"demo-{uuid.uuid4().hex[:12]}"
        stack.callback(wipe, host, project)
        database = firestore.Client(project=project)
        self._clock = clock
        self._store = Store(database, PERSON, clock, lease=timedelta(), patience=patience(8))
        self._store.open()
        self._environment = _environment(metadata) | {
            "PROJECT_ID": project,
            "TASKS_URL": self._tasks.url,
            "LINE_URL": self._line.url,
            "GEMINI_URL": gemini.url,
            HOST: host,
        }

    def to_line(self, source: Path) -> float:
        """Return the seconds from a process's start to the reply in LINE."""
        token = self._line.issue_reply_token(PERSON)
        with _process(source, self._environment) as process:
            self._tasks.port = process.port
            _expect_200(process, _webhook(self._family, reply_token=token))
            while not self._is_said("reply"):
                _wait_for(process)
            seconds = process.age()
            # What it has learnt is stored after the reply.
            _check_done(self._tasks.status)
            return seconds

    def to_push(self, source: Path) -> float:
        """Return the seconds from a process's start to the push of a reminder that is due."""
        alarm = _post("/", self._due_reminder())
        with _process(source, self._environment, "push") as process, _connected(process) as called:
            called.sendall(alarm)
            while not self._is_said("push"):
                _wait_for(process)
            seconds = process.age()
            _check_200(called)
            return seconds

    def _due_reminder(self) -> bytes:
        """Store a reminder that is due, and return its alarm."""
        now = self._clock.now().replace(second=0, microsecond=0)
        draft = Draft(self._store.read(), now, room=0)
        reminder = Reminder(draft.next_no, "倒垃圾", now, now.replace(tzinfo=None), "UTC")
        draft.remind(reminder)
        self._store.commit(draft)
        due = to_milliseconds(now)
        rung = {"chat": PERSON, "no": reminder.no, "rev": 0, "due": due, "at": due, "attempt": 0}
        return json.dumps(rung).encode()

    def _is_said(self, how: str) -> bool:
        for line in self._journal.new():
            if line["call"] in {"push", "reply"} - {how} or line["status"] >= 400:
                raise Failed(f"LINE answered {line['status']} to {line['call']}")
            if line["call"] == how:
                return True
        return False


def _check_done(status: Future[int]) -> None:
    if status.result(PATIENCE) != 200:
        raise Failed(f"the task was answered {status.result()}")


def _answers(stack: ExitStack, folder: Path) -> Subjects:
    world = World(stack)
    eager = _source(folder, EVERYTHING_AT_THE_TOP)
    return {
        "everything at the top": lambda: world.to_line(eager),
        "webhook": lambda: world.to_line(MAIN),
    }


def _pushes(stack: ExitStack, folder: Path) -> Subjects:
    world = World(stack)
    eager = _source(folder, EVERYTHING_AT_THE_TOP)
    return {
        "everything at the top": lambda: world.to_push(eager),
        "push": lambda: world.to_push(MAIN),
    }


# A process and its first request.


def _environment(metadata: MetadataServer) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PROJECT_ID": "family-project",
        "REGION": "asia-east1",
        "LINE_CHANNEL_ID": CHANNEL_ID,
        "LINE_CHANNEL_SECRET": SECRET,
        "GEMINI_API_KEY": GEMINI_KEY,
        "INVITATION_CODE": "invitation-code",
        "GCE_METADATA_HOST": metadata.host,
    }


def _serve(stack: ExitStack, *servers: Loopback) -> None:
    for server in servers:
        server.start()
        stack.callback(server.stop)


def _source(folder: Path, code: str) -> Path:
    """Write a function's source, compiled, in a folder of its own."""
    path = Path(tempfile.mkdtemp(dir=folder)) / "main_of_another.py"
    path.write_text(code)
    compileall.compile_file(path, quiet=2)
    return path


@contextmanager
def _process(
    source: Path, environment: Mapping[str, str], function: str = "webhook"
) -> Iterator[Process]:
    """Start a function in functions-framework's own server; end it and all that it started."""
    port = _free_port()
    command = [sys.executable, "-m", "functions_framework", "--target", function]
    started = time.perf_counter()
    child = subprocess.Popen(
        [*command, "--source", str(source), "--host", "127.0.0.1", "--port", str(port)],
        cwd=ROOT,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield Process(port, started)
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _free_port() -> int:
    # Below the ephemeral ports: connecting to one of those, a socket may find itself.
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return port


def _webhook(family: Family, *, reply_token: str) -> bytes:
    """Return the bytes of a signed webhook with one message, as HTTP."""
    event = family.message(PERSON, PERSON, family.text("晚餐吃什麼？"), reply_token=reply_token)
    body = json.dumps({"destination": "Ubot", "events": [event]}).encode()
    return _post("/", body, f"X-Line-Signature: {sign(body, SECRET)}")


def _post(path: str, body: bytes, *headers: str) -> bytes:
    """Return the bytes of a POST, as HTTP."""
    head = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: close",
        "Content-Type: application/json; charset=utf-8",
        f"Content-Length: {len(body)}",
        *headers,
    )
    return "\r\n".join((*head, "", "")).encode() + body


def _expect_200(process: Process, request: bytes) -> None:
    with _connected(process) as connection:
        connection.sendall(request)
        _check_200(connection)


def _check_200(connection: socket.socket) -> None:
    status = connection.makefile("rb").readline()
    if not re.match(rb"HTTP/1\.1 200 ", status):
        raise Failed(f"the function answered {status!r}")


def _connected(process: Process) -> socket.socket:
    """Connect as soon as somebody listens."""
    while True:
        try:
            return socket.create_connection(("127.0.0.1", process.port), timeout=PATIENCE)
        except ConnectionRefusedError:
            _wait_for(process)


def _wait_for(process: Process) -> None:
    if process.age() > PATIENCE:
        raise Failed(f"nothing came in {PATIENCE} s")
    time.sleep(0.0005)


if __name__ == "__main__":
    sys.exit(main())
