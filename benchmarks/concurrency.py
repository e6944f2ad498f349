"""How long fifty events at once in each of two groups take, until all are stored.

`python -m benchmarks.concurrency`: the production code over real connections, the Firestore
emulator behind it; compared with a hundred such events one after another.
"""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import urllib3

from local.clock import MovableClock
from local.emulator import metered_emulator
from local.world import World

_GROUPS = ("C1", "R1")
_EVENTS = 50


def main() -> None:
    """Measure, and print what came out."""
    groups = {group: ["U1"] for group in _GROUPS}
    with metered_emulator() as firestore, World(MovableClock(), firestore, groups=groups) as world:
        for group in _GROUPS:
            world.activate(group)
        _answer_all(world, list(_bodies(world, "warm")), at_once=4)
        alone = _answer_all(world, list(_bodies(world, "alone")), at_once=1)
        together = _answer_all(world, list(_bodies(world, "together")), at_once=100)
        print(f"one after another  {alone:.2f} s\nall at once        {together:.2f} s")
        print(json.dumps({"alone": alone, "together": together, "ratio": together / alone}))


def _bodies(world: World, word: str) -> Iterator[bytes]:
    for number in range(_EVENTS):
        for group in _GROUPS:
            event = world.message("U1", group, world.family.text(f"{word} {number}"))
            yield json.dumps({"destination": "U", "events": [event]}).encode()


def _answer_all(world: World, bodies: list[bytes], *, at_once: int) -> float:
    """Return the seconds until all are stored; fail if one was not."""
    http = urllib3.PoolManager(maxsize=at_once, retries=False)

    def answer(body: bytes) -> int:
        headers = {"X-Line-Signature": world.line.sign(body)}
        url = f"{world.functions.url}/webhook/answer?event=0"
        return http.request("POST", url, body=body, headers=headers).status

    begun = time.perf_counter()
    with ThreadPoolExecutor(at_once) as threads:
        statuses = list(threads.map(answer, bodies))
    took = time.perf_counter() - begun
    assert statuses == [200] * len(bodies)
    return took


if __name__ == "__main__":
    main()
