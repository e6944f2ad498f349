"""What the meter costs: a call through the proxy, and the same straight to the emulator.

`python -m benchmarks.meter`: gets and commits by the client library, one way and the other in turn.
"""

import json
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from google.cloud.firestore import Client, DocumentReference

from local.emulator import HOST, metered_emulator
from local.plug import Plug
from services.clock import Clock

_PROJECT = "demo-meter"
_CALLS = 300
_WARM_UP = 50


def main() -> None:
    """Measure, and print medians in milliseconds."""
    with metered_emulator() as server:
        server.open(_PROJECT, Clock(), Plug())
        direct, metered = _document(server.emulator), _document(server.host)
        print("ms       direct  metered  overhead")
        overheads = {}
        for name, call in (("get", _get), ("commit", _commit)):
            without, through = _medians(call, direct, metered)
            overheads[name] = through - without
            print(f"{name:8} {without:6.2f} {through:8.2f} {overheads[name]:9.2f}")
        print(json.dumps(overheads))


def _document(host: str) -> DocumentReference:
    # A client asks the environment where Firestore is when it is made.
    os.environ[HOST] = host
    document: DocumentReference = Client(project=_PROJECT).document("conversations", "C1")
    document.set({"turns": 0})
    return document


def _get(document: DocumentReference) -> Any:
    return document.get()


def _commit(document: DocumentReference) -> Any:
    return document.update({"turns": 1})


def _medians(
    call: Callable[[DocumentReference], Any], *documents: DocumentReference
) -> tuple[float, ...]:
    times: list[list[float]] = [[] for _ in documents]
    for _ in range(_WARM_UP + _CALLS):
        for document, taken in zip(documents, times, strict=True):
            begun = time.perf_counter()
            call(document)
            taken.append((time.perf_counter() - begun) * 1000)
    return tuple(median(taken[_WARM_UP:]) for taken in times)


if __name__ == "__main__":
    main()
