"""Importing what is slow to import, while something else is waited for."""

import gc
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module


class Loader:
    """Import modules one after another in a thread of its own.

    One thread for all of them, for two imports of overlapping packages at once can deadlock, and
    Python then hands out a half-made module. What is waited for first has to be named first.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="loader")
        self._loads: dict[str, Future[None]] = {}
        self._lock = threading.Lock()

    def start(self, names: Iterable[str]) -> None:
        """Begin to import these modules, in this order; those begun before are left alone."""
        with self._lock:
            for name in names:
                if name not in self._loads:
                    self._loads[name] = self._thread.submit(_load, name)

    def wait(self, name: str) -> None:
        """Return once a module is imported, so that importing it costs nothing."""
        self.start([name])
        self._loads[name].result()


def _load(name: str) -> None:
    # Imports allocate a great deal and free nothing: collecting meanwhile is a tenth of the time,
    # and so is the first collection afterwards, if it looks at all of that again.
    gc.disable()
    try:
        import_module(name)
    finally:
        gc.freeze()
        gc.enable()
