"""The Python the functions are deployed on, with what is installed there."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def deployed_python():
    """Return an interpreter of that version; without one skip the test, or fail under CI."""
    candidates = [*Path.home().glob(".pyenv/versions/3.13*/bin/python")]
    on_path = shutil.which("python3.13")
    if on_path and "shims" not in on_path:
        candidates.append(Path(on_path))
    if candidates:
        return candidates[0]
    missing = "there is no Python 3.13 on this machine, as the functions are deployed on"
    if os.environ.get("CI"):
        pytest.fail(missing)
    return pytest.skip(missing)


def environment_of(python, requirements):
    """Return the Python of an environment with exactly these requirements; made once for them."""
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    place = ROOT / ".venv" / f"deployed-{digest}"
    with (ROOT / ".venv" / "deployed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "ready").exists():
            _install(python, requirements, place)
            (place / "ready").touch()
    return place / "bin" / "python"


def _install(python, requirements, place):
    for stale in place.parent.glob("deployed-*"):
        shutil.rmtree(stale)
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", python, place], check=True)
    sync = ["pip", "sync", "--require-hashes", "--compile-bytecode", "--python", place]
    subprocess.run([*uv, *sync, requirements], check=True)
