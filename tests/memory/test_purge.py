"""The purge leaves nothing of a conversation, and everything of the others."""

import re
from datetime import timedelta
from pathlib import Path

import grpc
import pytest

from memory.calls import patience
from memory.purge import purge
from services.errors import Unavailable
from tests.reminding import remind

SEED = {"facts": [{"text": "爸爸對花生過敏", "by": "U2"}], "summary": ["去了宜蘭。"]}
PARTS = ["facts", "reminders", "rings", "events", "digests", "threads"]


@pytest.fixture
def lived(world):
    """A world in which two chats have something of everything."""
    for chat in ("C1", "R1"):
        world.activate(f"{chat}x", SEED)
        remind(world, f"{chat}x", "倒垃圾", world.clock.now() + timedelta(hours=1))
        for part in PARTS:
            world.database.document("conversations", f"{chat}x", part, "more").set({"text": "有"})
    return world


def paths(world, chat):
    """Return where anything of a chat is stored."""
    prefix = f"conversations/{chat}"
    return [path for path in world.documents() if path == prefix or path.startswith(f"{prefix}/")]


def test_everything_of_one_chat_is_deleted_and_nothing_else(lived):
    """
    Its document and all there is under it.
    """
    others = {path: one for path, one in lived.documents().items() if "C1x" not in path}
    assert {path.split("/")[2] for path in paths(lived, "C1x") if path.count("/") == 3} == set(
        PARTS
    )
    purge(lived.database, "C1x", patience(seconds=2))

    assert [] == paths(lived, "C1x")
    assert others == lived.documents()


def test_it_can_be_done_twice(lived):
    """
    Where there is nothing, nothing is deleted.
    """
    purge(lived.database, "C1x", patience(seconds=2))
    purge(lived.database, "C1x", patience(seconds=2))
    assert [] == paths(lived, "C1x")


def test_more_than_one_batch_takes_is_deleted(world):
    """
    However many documents there are.
    """
    batch = world.database.bulk_writer()
    for number in range(901):
        batch.create(
            world.database.document("conversations/C1/events", f"e{number}"), {"done": True}
        )
    batch.close()
    purge(world.database, "C1", patience(seconds=8))
    assert [] == paths(world, "C1")


@pytest.mark.parametrize("after", range(3))
def test_whoever_finds_it_begun_begins_again(lived, after):
    """
    The document itself goes last: until then it is there to be found.
    """
    for _ in range(after):
        lived.firestore.fail("Commit", slow=timedelta(0))
    lived.firestore.fail("Commit", grpc.StatusCode.UNAVAILABLE, times=99)
    with pytest.raises(Unavailable):
        purge(lived.services.firestore, "C1x", patience(seconds=0))
    assert "conversations/C1x" in lived.documents()
    purge(lived.database, "C1x", patience(seconds=2))
    assert [] == paths(lived, "C1x")


def test_every_collection_the_code_knows_of_is_deleted():
    """
    Whoever gives conversations another collection finds it here.
    """
    sources = (Path(__file__).parents[2] / "memory").glob("*.py")
    named = {
        name
        for source in sources
        for name in re.findall(r'\.collection\("(\w+)"\)', source.read_text(encoding="utf-8"))
    }
    assert {"facts", "reminders", "rings", "events", "digests"} <= named
    assert named - {"conversations"} <= set(PARTS)
