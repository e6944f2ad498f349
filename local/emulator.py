"""Google's Firestore emulator: finding it, starting it, ending it."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import urllib3

from local.firestore import FirestoreServer

HOST = "FIRESTORE_EMULATOR_HOST"
"""The variable by which every Firestore client finds the emulator."""

_MISSING = """\
No Firestore emulator was found. Any one of these gets it (it needs Java 11 or later):
  gcloud components install cloud-firestore-emulator
  apt-get install google-cloud-cli-firestore-emulator      (where gcloud came from Debian packages)
  npx firebase-tools setup:emulators:firestore
or set FIRESTORE_EMULATOR_HOST to where one is running already."""
_START_SECONDS = 60


class NoEmulator(Exception):
    """There is no emulator on this machine. The message says how to get one."""


@contextmanager
def emulator() -> Iterator[str]:
    """Have an emulator for a while: the one that is running, or one of our own.

    `FIRESTORE_EMULATOR_HOST` is set meanwhile. Java is started directly and its whole process group
    ended: gcloud's wrapper would leave it running.
    """
    if os.environ.get(HOST):
        yield os.environ[HOST]
        return
    if not shutil.which("java"):
        raise NoEmulator(f"There is no Java here.\n{_MISSING}")
    port = _free_port()
    process = subprocess.Popen(
        [
            *("java", "-Duser.language=en", "-Xmx512m", "-cp", str(_jar())),
            "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
            *("start", "--host=127.0.0.1", f"--port={port}"),
            "--database-mode=firestore-native",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    host = f"127.0.0.1:{port}"
    try:
        _wait_until_up(host, process)
        os.environ[HOST] = host
        yield host
    finally:
        os.environ.pop(HOST, None)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def metered_emulator() -> Iterator[FirestoreServer]:
    """Have an emulator for a while, with a meter in front of it."""
    with emulator() as host:
        server = FirestoreServer(host)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def wipe(host: str, project: str) -> None:
    """Delete all that a project has in the emulator."""
    path = f"emulator/v1/projects/{project}/databases/(default)/documents"
    urllib3.request("DELETE", f"http://{host}/{path}", timeout=60)


def _jar() -> Path:
    """Return the emulator's program, from gcloud's SDK or firebase-tools' cache."""
    for folder, pattern in _places():
        for found in sorted(folder.glob(pattern), reverse=True):
            return found
    raise NoEmulator(_MISSING)


def _places() -> Iterator[tuple[Path, str]]:
    gcloud = shutil.which("gcloud")
    if gcloud:
        in_sdk = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
        yield Path(gcloud).resolve().parent.parent, in_sdk
        root = subprocess.run(
            [gcloud, "info", "--format=value(installation.sdk_root)"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        yield Path(root), in_sdk
    yield Path.home() / ".cache/firebase/emulators", "cloud-firestore-emulator-v*.jar"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(host: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NoEmulator(f"The Firestore emulator ended at once.\n{_MISSING}")
        try:
            urllib3.request("GET", f"http://{host}/", retries=False, timeout=1)
            return
        except urllib3.exceptions.HTTPError:
            time.sleep(0.05)
    raise NoEmulator(f"The Firestore emulator did not answer in {_START_SECONDS} s.\n{_MISSING}")
