"""A hand on the plug: the functions' process ends at a request of ours, before or after it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class Killed(Exception):
    """Whoever sent this request is dead: nobody is there to be answered."""


@dataclass(frozen=True, slots=True)
class Kill:
    """When to pull the plug."""

    request: int
    """At which request, from 1."""
    at: str = ""
    """Counted within the next call of this function; empty: from now on, over all calls."""
    before: bool = False
    """Before the request has had any effect, not after."""


class Plug:
    """Counts the requests that leave the functions, and can end their process at one of them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """What was asked for since the count began: the border and the call."""
        self._kill: Kill | None = None
        self._pull: Callable[[], None] = lambda: None
        self._within = False
        """Whether the function is being called whose requests count."""
        self._lock = threading.Lock()

    def arm(self, kill: Kill, pull: Callable[[], None]) -> None:
        """Get ready to end the process, once; the count begins anew.

        Args:
            kill: When.
            pull: What ends it.
        """
        with self._lock:
            self._kill, self._pull, self._within = kill, pull, not kill.at
            self.names.clear()

    def begin(self) -> None:
        """Begin to count anew."""
        with self._lock:
            self.names.clear()

    def called(self, function: str) -> None:
        """Note that a function has been called: what it asks for is counted from here."""
        with self._lock:
            if self._kill and self._kill.at:
                self._within = self._kill.at == function
                self.names.clear()

    @contextmanager
    def request(self, name: str) -> Iterator[None]:
        """Let one request pass; raise `Killed` where it was the one to die at."""
        with self._lock:
            self.names.append(name)
            reached = self._within and self._kill and self._kill.request == len(self.names)
            kill = self._kill if reached else None
        if kill and kill.before:
            self._end()
        yield
        if kill and not kill.before:
            self._end()

    def _end(self) -> None:
        with self._lock:
            self._kill = None
        self._pull()
        raise Killed
