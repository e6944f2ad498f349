"""Modules are imported in one thread, in order, once; whoever needs one waits for it."""

import gc
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from services.loader import Loader

DIARY = """
import threading
seen, collecting, threads = [], [], []
may_go_on = threading.Event()
"""
WRITE = """
import gc, threading, loaded_diary
loaded_diary.seen.append(__name__)
loaded_diary.collecting.append(gc.isenabled())
loaded_diary.threads.append(threading.current_thread().name)
"""
WAIT = "loaded_diary.may_go_on.wait(10)\n"
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Write modules that enter themselves in a diary when they are imported."""

    def write(name: str, more: str = "", *, start: str = WRITE) -> str:
        (tmp_path / f"loaded_{name}.py").write_text(start + more)
        importlib.invalidate_caches()
        return f"loaded_{name}"

    sys.path.insert(0, str(tmp_path))
    yield write
    sys.path.remove(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("loaded_")]:
        del sys.modules[name]


@pytest.fixture
def diary(write: Write) -> ModuleType:
    """Open the diary."""
    return importlib.import_module(write("diary", start=DIARY))


def test_modules_are_imported_in_the_order_in_which_they_are_named(
    write: Write, diary: ModuleType
) -> None:
    """What is needed first is named first, and is there first."""
    named = [write(name) for name in ("zebra", "apple", "mango")]
    loader = Loader()

    loader.start(named)
    loader.wait(named[-1])

    assert named == diary.seen


def test_modules_are_imported_in_one_thread(write: Write, diary: ModuleType) -> None:
    """Two imports never run side by side, even when one of them takes its time."""
    slow, other = write("slow", WAIT), write("other")
    loader = Loader()

    loader.start([slow, other])
    threads = [thread.name for thread in threading.enumerate()]
    diary.may_go_on.set()
    loader.wait(other)

    assert ["loader_0", "loader_0"] == diary.threads
    assert "loader_1" not in threads


def test_starting_waits_for_nothing(write: Write, diary: ModuleType) -> None:
    """Whoever starts imports goes on at once; whoever waits goes on when they are done."""
    slow = write("slow", WAIT + "loaded_diary.seen.append('done')\n")
    loader = Loader()

    loader.start([slow])
    assert "done" not in diary.seen
    diary.may_go_on.set()
    loader.wait(slow)

    assert [slow, "done"] == diary.seen


def test_what_was_not_started_is_imported_when_it_is_waited_for(
    write: Write, diary: ModuleType
) -> None:
    """A forgotten module costs time, and nothing else."""
    forgotten = write("forgotten")

    Loader().wait(forgotten)

    assert [forgotten] == diary.seen
    assert forgotten in sys.modules


def test_a_module_is_imported_once(write: Write, diary: ModuleType) -> None:
    """However many start and wait for a module, and even if it fails, it is imported once."""
    good, bad = write("good"), write("bad", "raise OSError('disk')\n")
    loader = Loader()

    def ask(_: int) -> None:
        loader.start([good, bad, good])
        loader.wait(good)
        with pytest.raises(OSError, match="disk"):
            loader.wait(bad)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(8)))

    assert [good, bad] == diary.seen


def test_waiting_raises_what_the_import_raised(write: Write, diary: ModuleType) -> None:
    """A failed import fails where the module is needed, as if it had been imported there."""
    loader = Loader()
    missing = write("missing", "import loaded_nowhere\n")

    loader.start([missing])

    with pytest.raises(ModuleNotFoundError, match="loaded_nowhere"):
        loader.wait(missing)


def test_a_failure_does_not_stop_the_others(write: Write, diary: ModuleType) -> None:
    """What can be imported is, whatever was named before it."""
    bad, good = write("broken", "1 / 0\n"), write("whole")
    loader = Loader()

    loader.start([bad, good])
    loader.wait(good)

    assert [bad, good] == diary.seen


def test_nothing_is_collected_during_an_import(write: Write, diary: ModuleType) -> None:
    """The garbage collector rests while a module is imported, and works again after it."""
    module = write("module")

    Loader().wait(module)

    assert [False] == diary.collecting
    assert gc.isenabled()


def test_collecting_goes_on_after_a_failed_import(write: Write, diary: ModuleType) -> None:
    """An import that fails leaves the garbage collector at work."""
    module = write("failing", "raise OSError('disk')\n")

    with pytest.raises(OSError, match="disk"):
        Loader().wait(module)

    assert [False] == diary.collecting
    assert gc.isenabled()
