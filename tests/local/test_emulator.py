"""The emulator: where it is looked for, and what is said where there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from local.emulator import HOST, _jar

ROOT = Path(__file__).parent.parent.parent
STORY = ROOT / "tests/stories/forged.yaml"


def play(path, home):
    """Play a story in a process that finds only these programs, and this home."""
    environment = {name: value for name, value in os.environ.items() if name != HOST}
    return subprocess.run(
        [sys.executable, "-m", "local", "play", str(STORY)],
        cwd=ROOT,
        env=environment | {"PATH": str(path), "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def programs(tmp_path):
    """A folder with Java in it, and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "java").symlink_to(shutil.which("java"))
    return folder


def test_without_an_emulator_the_message_says_how_to_get_one(programs, tmp_path):
    """
    Where neither gcloud nor firebase-tools has an emulator, whoever asks is told what to type.
    """
    played = play(programs, tmp_path)

    assert 1 == played.returncode
    assert "No Firestore emulator was found" in played.stderr
    assert "gcloud components install cloud-firestore-emulator" in played.stderr
    assert "Traceback" not in played.stderr


def test_without_java_the_message_says_so(tmp_path):
    """
    An emulator is of no use without Java.
    """
    played = play(tmp_path, tmp_path)

    assert 1 == played.returncode
    assert "There is no Java here" in played.stderr


def test_the_emulator_of_firebase_tools_does_as_well(programs, tmp_path):
    """
    Where gcloud is not to be found, what firebase-tools has downloaded is used.
    """
    cache = tmp_path / ".cache/firebase/emulators"
    cache.mkdir(parents=True)
    (cache / "cloud-firestore-emulator-v1.19.9.jar").symlink_to(_jar())

    assert 0 == play(programs, tmp_path).returncode
