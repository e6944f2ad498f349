"""What a fresh process does first, and on which Python."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import urllib3

from local.clock import MovableClock
from local.world import World
from memory.conversation import to_milliseconds
from memory.draft import Draft
from memory.reminders import Reminder

ROOT = Path(__file__).parent.parent
SLOW = (
    "aiohttp",
    "google.api_core",
    "google.auth",
    "google.cloud.firestore",
    "google.cloud.tasks_v2",
    "google.genai",
    "grpc",
    "httpx2",
    "linebot",
    "markdown_it",
    "pydantic",
    "regex",
)
"""What is slow to import, and all that an answer needs beyond the path to the first 200."""

MODEL = (
    "google.genai",
    "google.cloud.tasks_v2",
    "services.gemini",
    "memory.gates",
)
"""What no alarm needs: the model, and what comes of its answers."""

FIRST_ALARM = f"""
import json, sys
import functions_framework

app = functions_framework.create_app("push", "main.py")
response = app.test_client().post("/", data=sys.argv[1].encode())
loaded = [name for name in {MODEL} if name in sys.modules]
app.extensions["services"].loader._thread.shutdown()
print(json.dumps([response.status_code, loaded]))
"""

FIRST_REQUEST = f"""
import json, sys
import functions_framework

app = functions_framework.create_app("webhook", "main.py")
body, signature = sys.argv[1].encode(), sys.argv[2]
response = app.test_client().post("/", data=body, headers={{"X-Line-Signature": signature}})
before = [name for name in {SLOW} if name in sys.modules]
response.close()
loader = app.extensions["services"].loader
if response.status_code == 200:
    loader.wait("services.line")
loader._thread.shutdown()
after = [name for name in {SLOW} if name in sys.modules]
print(json.dumps([response.status_code, before, after]))
"""


@pytest.fixture
def real_time_world(firestore):
    """A world in which time passes, for processes of their own."""
    names = {"U1": "媽媽"}
    with World(MovableClock(), firestore, names=names, stand_in=lambda request: "好") as world:
        world.activate("U1")
        yield world


def first_request(world, body, signature):
    finished = subprocess.run(
        [sys.executable, "-c", FIRST_REQUEST, body, signature],
        cwd=ROOT,
        env=os.environ | world.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(finished.stdout)


def body_of(world):
    event = world.message("U1", "U1", world.family.text("hello"))
    return json.dumps({"destination": "Ubot", "events": [event]})


def test_no_sdk_is_imported_before_the_first_200(real_time_world):
    """
    A fresh process queues and answers first; the SDKs load once the answer has gone out.
    """
    body = body_of(real_time_world)
    signature = real_time_world.line.sign(body.encode())

    status, before, after = first_request(real_time_world, body, signature)
    assert (200, []) == (status, before)
    assert {"google.cloud.firestore", "google.genai", "linebot"} <= set(after)
    assert "google.cloud.tasks_v2" not in after


def test_a_forged_webhook_imports_nothing_at_all(real_time_world):
    """
    Who is turned away costs no import, before the answer or after it.
    """
    assert [401, [], []] == first_request(real_time_world, body_of(real_time_world), "forged")


def test_push_never_loads_the_model(real_time_world):
    """
    A reminder is said without the model's SDK, the tasks' or anything that only they need.
    """
    world = real_time_world
    rung = set_due_reminder(world.store("U1"), world.clock.now())
    finished = subprocess.run(
        [sys.executable, "-c", FIRST_ALARM, json.dumps({"chat": "U1", **rung})],
        cwd=ROOT,
        env=os.environ | world.environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [200, []] == json.loads(finished.stdout)
    assert ["⏰ 倒垃圾"] == [sent.texts[0] for sent in world.line.sent]


def set_due_reminder(store, now):
    """Store a reminder that is due; return what its alarm says."""
    due = now.replace(second=0, microsecond=0)
    draft = Draft(store.read(), now, room=0)
    draft.remind(Reminder(1, "倒垃圾", due, due.replace(tzinfo=None), "UTC"))
    assert store.commit(draft)
    moment = to_milliseconds(due)
    return {"no": 1, "rev": 0, "due": moment, "at": moment, "attempt": 0}


def test_nothing_installed_shadows_our_packages():
    """
    functions-framework appends the source to the path: a dependency of one of our names would win.
    """
    ours = ["assistant", "handlers", "local", "main", "memory", "services"]
    code = f"import importlib.util as u; print([n for n in {ours} if u.find_spec(n)])"
    finished = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd="/", capture_output=True, text=True, check=True
    )
    assert "[]" == finished.stdout.strip()


def deployed_python():
    """Return an interpreter of the version the functions are deployed on, if there is one."""
    candidates = [*Path.home().glob(".pyenv/versions/3.13*/bin/python")]
    on_path = shutil.which("python3.13")
    if on_path and "shims" not in on_path:
        candidates.append(on_path)
    return next(map(str, candidates), None)


def environment_of(python):
    """Return the Python of an environment with exactly requirements.txt in it."""
    place = ROOT / ".venv" / "deployed"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--allow-existing", "--python", python, place], check=True)
    subprocess.run(
        [
            *uv,
            "pip",
            "sync",
            "--require-hashes",
            "--compile-bytecode",
            "--python",
            place,
            ROOT / "requirements.txt",
        ],
        check=True,
    )
    return place / "bin" / "python"


@contextmanager
def serving(python, world):
    """Serve the webhook in a process of its own, as functions-framework does in the cloud."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [python, "-m", "functions_framework", "--target", "webhook", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | world.environment,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif(not deployed_python(), reason="no Python 3.13 on this machine")
def test_the_deployed_python_boots_and_answers(real_time_world):
    """
    With requirements.txt alone, on Python 3.13, a message goes in and its answer comes out.
    """
    world = real_time_world
    body = body_of(world).encode()
    headers = {"X-Line-Signature": world.line.sign(body)}
    patient = urllib3.Retry(connect=200, backoff_factor=0.05, backoff_max=0.1)
    with serving(environment_of(deployed_python()), world) as url:
        received = urllib3.request(
            "POST", url, body=body, headers=headers, retries=patient, timeout=60
        )
        answered = urllib3.request(
            "POST", f"{url}/answer?event=0", body=body, headers=headers, timeout=60
        )

    assert (200, 200) == (received.status, answered.status)
    assert ["好"] == [message["text"] for sent in world.line.sent for message in sent.messages]
