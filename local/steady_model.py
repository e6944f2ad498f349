"""A model that tells the same again to whoever died before it could use what it was told."""

import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from google.ai.generativelanguage_v1beta import GenerateContentRequest

from local.gemini_script import kind_of

_OLDEST = "t1 "
"""How the line begins that a digest tells of first."""


class SteadyModel:
    """Answers by a script, and what it has been asked before as it did then.

    The same is asked where the same message is answered, after as many calls of tools, whatever
    time it is by then; and where a digest begins with the same turn, however many follow it.
    """

    def __init__(self, script: Iterable[Mapping[str, Any]]) -> None:
        """Take the answers, in the order in which they are first asked for."""
        self._script = list(script)
        self._said: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        self._lock = threading.Lock()

    @property
    def unused(self) -> int:
        """The number of answers that nobody has asked for yet."""
        return len(self._script)

    def answer(self, body: dict[str, Any]) -> Any:
        """Return the answer to a request's body, as a script writes it."""
        request = GenerateContentRequest.from_json(json.dumps(body))
        kind = kind_of(request)
        asked = (kind, *_asked(kind, request))
        with self._lock:
            if asked not in self._said:
                step = next((one for one in self._script if one.get("for", "reply") == kind), None)
                if not step:
                    return {"error": 500}
                self._script.remove(step)
                self._said[asked] = step
            return self._said[asked]


def _asked(kind: str, request: GenerateContentRequest) -> tuple[str, int]:
    """Return what a request is about: a line, and how often tools have been called since."""
    parts = [part for content in request.contents for part in content.parts]
    lines = [line for part in parts for line in part.text.splitlines()]
    if kind == "digest":
        return next((line for line in lines if line.startswith(_OLDEST)), lines[-1]), 0
    return lines[-1], sum("function_response" in part for part in parts)
