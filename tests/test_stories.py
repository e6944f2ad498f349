"""Every story in tests/stories is true."""

from pathlib import Path

import pytest

from local.player import Player
from local.story import read_story

FOLDER = Path(__file__).parent / "stories"
STORIES = sorted(FOLDER.rglob("*.yaml"))
KILLING = [path for path in STORIES if "kill:" in path.read_text(encoding="utf-8")]
PEACEFUL = [path for path in STORIES if path not in KILLING]
MEMORY = [path for path in PEACEFUL if path.parent.name == "memory" and path.stem != "layers"]
"""Stories of a board; where only summaries are kept, there is none."""
CROWDED = [path for path in MEMORY if "BOARD_TOKENS" in path.read_text(encoding="utf-8")]
"""Stories of a board on which not even their own facts fit."""

MORE_FACTS = [
    {
        "no": 1001 + number,
        "text": f"阿姨的{thing}{what}",
        "subject": f"阿姨的{thing}",
        "by": "U9",
        "category": "other",
    }
    for number, (thing, what) in enumerate(
        (thing, what)
        for what in ("很舊", "放樓上")
        for thing in (
            "冰箱",
            "書桌",
            "車庫",
            "陽台",
            "吉他",
            "相簿",
            "檯燈",
            "鬧鐘",
            "雨傘",
            "水壺",
        )
    )
]


def name(path):
    """Return what a story is called."""
    return str(path.relative_to(FOLDER).with_suffix(""))


def play(path, firestore, zygote=None, more_facts=()):
    """Play a story; what goes wrong in the functions is wrong, whatever it expects."""
    story = read_story(path)
    with Player(story, firestore, zygote=zygote, more_facts=more_facts) as player:
        for _ in player.play():
            pass
    assert [] == [line for line in player.world.logs.lines if line["severity"] == "ERROR"]


@pytest.mark.parametrize("path", PEACEFUL, ids=name)
def test_a_story_goes_as_it_is_told(path, firestore):
    """
    What each step of a story expects is what crosses the borders when it is played.
    """
    play(path, firestore)


@pytest.mark.parametrize("path", [one for one in MEMORY if one not in CROWDED], ids=name)
def test_a_story_goes_so_with_twenty_facts_more_on_the_board(path, firestore):
    """
    What a family tells is remembered and forgotten as it is, whatever else is known.
    """
    play(path, firestore, more_facts=MORE_FACTS)


@pytest.mark.parametrize("path", KILLING, ids=name)
def test_a_story_with_a_death_in_it_goes_as_it_is_told(path, firestore, zygote):
    """
    So it does where the functions' process dies on the way.
    """
    play(path, firestore, zygote)


def test_there_are_stories():
    """
    The suite cannot pass because its stories have moved.
    """
    assert len(PEACEFUL) >= 10
    assert len(MEMORY) >= 10
    assert len(CROWDED) == 1
    assert 20 == len(MORE_FACTS)
    assert KILLING
