"""Calls that stop at a border until they are let go."""

import threading

_PATIENCE = 30
"""Seconds of real time after which a hold has been forgotten, and fails."""


class Hold:
    """Stops calls before they are served, until it is released."""

    def __init__(self) -> None:
        self.held = 0
        """How many calls have been stopped here."""
        self._released = False
        self._changed = threading.Condition()

    def stop(self) -> None:
        """Stay here until released."""
        with self._changed:
            self.held += 1
            self._changed.notify_all()
            if not self._changed.wait_for(lambda: self._released, _PATIENCE):
                raise TimeoutError("held, and never released")

    def wait(self, calls: int = 1) -> None:
        """Return once so many calls are held."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.held >= calls, _PATIENCE):
                raise TimeoutError(f"{self.held} calls are held, not {calls}")

    def release(self) -> None:
        """Let go of what is held, and of all that comes."""
        with self._changed:
            self._released = True
            self._changed.notify_all()
