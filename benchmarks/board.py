"""What an answer costs in Firestore, by how many facts there are.

`python -m benchmarks.board`: with ten facts on the board, as they are and with 1,990 more that hold
no longer, and 2,000 in another conversation; and with 2,000 that do not fit on the board.
"""

import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from local.clock import FrozenClock
from local.emulator import metered_emulator
from local.firestore import FirestoreServer
from local.world import World

_NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
_AT_ONCE = 400
_VECTOR = 768 * 8
"""Bytes of a vector, at least."""


def main() -> int:
    """Measure; return 1 if it is not as designed."""
    with metered_emulator() as firestore:
        return int(not all([*_measured(firestore, 2000)]))


def _measured(firestore: FirestoreServer, many: int) -> Iterator[bool]:
    alone = answer_cost(firestore, board=10)
    beside = answer_cost(firestore, board=10, over=many - 10, elsewhere=many)
    print("ten facts:                                        ", _told(alone))
    print(f"ten, {many - 10} that hold no longer, {many} elsewhere:   ", _told(beside))
    yield alone["reads"] == beside["reads"] <= 2
    # A moment is sometimes a byte or two shorter than another.
    yield abs(alone["bytes_read"] - beside["bytes_read"]) <= 8
    overflowing = answer_cost(firestore, board=many)
    wanted = 1 + 40 + -(-many // 100)
    print(f"{many} facts, forty recalled ({wanted} reads as designed): ", _told(overflowing))
    yield overflowing["reads"] == wanted
    # Fewer bytes than the vectors of a third of them would have.
    yield overflowing["bytes_read"] < 13 * _VECTOR


def answer_cost(
    firestore: FirestoreServer, *, board: int, over: int = 0, elsewhere: int = 0
) -> Mapping[str, Any]:
    """Return what Firestore bills for one answer.

    Args:
        firestore: The metered emulator.
        board: Facts that hold.
        over: Facts of the same conversation that hold no longer.
        elsewhere: Facts of another conversation.
    """
    world = World(FrozenClock(_NOW), firestore, names={"U1": "媽媽", "U2": "爸爸"})
    with world:
        _plant(world, "U2", elsewhere)
        _plant(world, "U1", board)
        _retired(world, "U1", over)
        world.gemini.script([{"text": "好"}, {"text": "好"}])
        world.say("U1", "早安")
        world.say("U1", "我的第 7 件東西在哪裡？")
        meters = [line["meter"] for line in world.journal.lines if "meter" in line]
        bill: Mapping[str, Any] = meters[-1]
        return bill


def _plant(world: World, chat: str, count: int) -> None:
    store = world.store(chat)
    world.activate(chat)
    for start in range(0, count, _AT_ONCE):
        facts = [
            {"text": f"第 {number} 件東西放在第 {number} 個抽屜裡面", "subject": f"東西 {number}"}
            for number in range(start, min(start + _AT_ONCE, count))
        ]
        world.activate(chat, {"facts": facts})
    assert len(store.read().board) + store.read().hidden == count


def _retired(world: World, chat: str, count: int) -> None:
    facts = world.database.collection(f"conversations/{chat}/facts")
    for start in range(0, count, _AT_ONCE):
        batch = world.database.batch()
        for number in range(start, min(start + _AT_ONCE, count)):
            over = {"text": f"舊的第 {number} 件", "subject": "東西", "by": chat, "active": False}
            batch.set(facts.document(str(100_000 + number)), over)
        batch.commit()


def _told(bill: Mapping[str, Any]) -> str:
    return ", ".join(f"{what} {bill[what]}" for what in ("reads", "writes", "bytes_read"))


if __name__ == "__main__":
    sys.exit(main())
