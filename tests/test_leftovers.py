"""What is started is ended."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from local.emulator import HOST

ROOT = Path(__file__).parent.parent
STORIES = Path(__file__).parent


def living(mark):
    """Return the commands of the processes that were started with a mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["play", STORIES / "stories/one-to-one.yaml"], 0),
        (["play", STORIES / "stories/killed.yaml"], 0),
        (["play", STORIES / "webhooks.yaml"], 2),
        pytest.param(["kill", STORIES / "kills/one-to-one.yaml"], 0, marks=pytest.mark.long),
    ],
    ids=["play", "play with a kill", "no story", "kill everywhere"],
)
def test_no_process_is_left_behind(arguments, status):
    """
    Whatever was played, afterwards neither the emulator nor a function nor its maker is alive.
    """
    mark = uuid.uuid4().hex
    environment = {name: value for name, value in os.environ.items() if name != HOST}
    finished = subprocess.run(
        [sys.executable, "-m", "local", *map(str, arguments)],
        cwd=ROOT,
        env=environment | {"LEFTOVER": mark},
        capture_output=True,
        check=False,
    )

    assert status == finished.returncode
    assert [] == living(mark)
