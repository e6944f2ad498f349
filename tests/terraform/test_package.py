"""What Terraform uploads, unpacked where nothing else is, on the Python it is deployed on."""

import os
import signal
import subprocess
import zipfile
from datetime import timedelta

import pytest
from werkzeug.test import Client

from local.clock import MovableClock
from local.google_provider import environment
from local.processes import OwnProcess
from local.world import INVITATION_CODE, World
from tests.deployed import deployed_python, environment_of

QUEUES = {"EVENTS_QUEUE": "events", "REMINDERS_QUEUE": "reminders"}
"""As they are called in a world; in the cloud their names end in something random."""
SOON = timedelta(seconds=15)
"""What is over when the reminder has been set, at the latest."""


class Package:
    """An unpacked zip, of which servers can be made."""

    def __init__(self, python, folder):
        self._python = python
        self._folder = folder
        self._processes = []

    def start(self, order):
        """Serve a function as ordered (`local.zygote`), as the cloud does; return its group."""
        with open(order["log"], "ab") as log:
            process = subprocess.Popen(
                [
                    *(self._python, "-P", "-m", "functions_framework"),
                    *("--target", order["function"], "--port", str(order["port"])),
                ],
                cwd=self._folder,
                env=order["environment"] | {"PATH": os.environ["PATH"]},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process.pid

    def stop(self):
        """End the servers, those too that nobody has ended."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def package(applied, tmp_path_factory):
    """The zip that was uploaded, in a folder of its own, with its requirements installed."""
    folder = tmp_path_factory.mktemp("package")
    (uploaded,) = applied.google.of("google_storage_bucket_object")
    python = deployed_python()
    with zipfile.ZipFile(applied.terraform / uploaded["source"]) as source:
        source.extractall(folder)
    package = Package(environment_of(python, folder / "requirements.txt"), folder)
    yield package
    package.stop()


@pytest.fixture
def world(firestore):
    """A world in which time passes."""
    with World(MovableClock(), firestore, names={"U1": "媽媽"}) as world:
        yield world


@pytest.fixture
def functions(applied, package, world, tmp_path):
    """Every function that is deployed, served from the package in the middle of the world."""
    served = {}
    for function in applied.google.of("google_cloudfunctions2_function"):
        name = function["name"]
        found = environment(applied.google, name) | world.environment | QUEUES
        served[name] = OwnProcess(package, name, found, clock_url="", log=tmp_path / f"{name}.log")
        private = world.settings.tasks_account if name == "push" else ""
        world.functions.add(name, served[name], only_for=private)
    return served


def heard(world):
    """Return what the family has heard, one bubble each."""
    return [text for sent in world.line.sent for text in sent.texts]


@pytest.mark.long
def test_every_function_is_served(functions):
    """
    Each starts with what it finds in the plan, and takes no GET.
    """
    answers = {name: Client(served).get("/").status_code for name, served in functions.items()}

    assert {"push": 405, "webhook": 405} == answers


@pytest.mark.long
def test_a_family_is_answered_and_reminded(functions, world, tmp_path):
    """
    A chat is activated, a question answered, a reminder set and, at its minute, rung.
    """
    world.say("U1", f"/啟用 {INVITATION_CODE}")
    world.gemini.script([{"text": "好，我在。"}])
    world.say("U1", "你在嗎？")
    due = (world.clock.now() + SOON).replace(second=0, microsecond=0) + timedelta(minutes=1)
    local = due.astimezone(world.settings.timezone)
    reminder = {"text": "倒垃圾", "at": f"{local:%Y-%m-%dT%H:%M}"}
    world.gemini.script([{"call": "set_reminder", "args": reminder}, {"text": "好。"}])
    world.say("U1", f"{local:%H:%M} 提醒我倒垃圾")
    before = heard(world)
    world.clock.sleep((due - world.clock.now()).total_seconds())
    world.tasks.deliver_due()
    log = "".join(path.read_text("utf-8") for path in tmp_path.glob("*.log"))

    assert 3 == len(before), log
    assert "好，我在。" == before[1]
    assert before[2].startswith("好。\n\n⏰ #1 ")
    assert ["⏰ 倒垃圾", "#1 倒垃圾"] == heard(world)[3:], log
    assert ["reply", "reply", "reply", "push"] == [sent.via for sent in world.line.sent]
    assert [] == world.tasks.given_up
