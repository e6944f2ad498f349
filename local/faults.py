"""What goes wrong with an outside service, when a story or a test says so."""

import threading
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any


@dataclass(slots=True)
class Fault:
    """Something that goes wrong with the next calls of one name."""

    call: str
    answer: Any = None
    """What is answered instead; without one the call is served as ever."""
    times: int = 1
    slow: timedelta = field(default=timedelta())
    """How far the clock moves on before the answer."""
    lost: bool = False
    """The call is served, but its answer never arrives."""


class Faults:
    """The faults that are still to come, of one service."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        """Let it go wrong."""
        with self._lock:
            self._faults.append(fault)

    def take(self, call: str) -> Fault | None:
        """Return the fault that the next call of a name meets, and count it off."""
        with self._lock:
            fault = next((one for one in self._faults if one.call == call), None)
            if fault:
                fault.times -= 1
                if not fault.times:
                    self._faults.remove(fault)
            return fault
