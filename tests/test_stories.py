"""Every story in tests/stories is true."""

from pathlib import Path

import pytest

from local.player import Player
from local.story import read_story

STORIES = sorted((Path(__file__).parent / "stories").glob("*.yaml"))
KILLING = [path for path in STORIES if "kill:" in path.read_text(encoding="utf-8")]
PEACEFUL = [path for path in STORIES if path not in KILLING]


def play(path, firestore, zygote=None):
    """Play a story; what goes wrong in the functions is wrong, whatever it expects."""
    with Player(read_story(path), firestore, zygote=zygote) as player:
        for _ in player.play():
            pass
    assert [] == [line for line in player.world.logs.lines if line["severity"] == "ERROR"]


@pytest.mark.parametrize("path", PEACEFUL, ids=lambda path: path.stem)
def test_a_story_goes_as_it_is_told(path, firestore):
    """
    What each step of a story expects is what crosses the borders when it is played.
    """
    play(path, firestore)


@pytest.mark.parametrize("path", KILLING, ids=lambda path: path.stem)
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
    assert KILLING
