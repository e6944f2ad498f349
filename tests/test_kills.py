"""Wherever the functions' process dies, the family gets its answer."""

from pathlib import Path

import pytest

from local.kills import kill_everywhere
from local.story import read_story

STORIES = sorted((Path(__file__).parent / "kills").glob("*.yaml"))


@pytest.mark.long
@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_a_death_at_any_request_loses_nothing(path, firestore, zygote):
    """
    Every message is answered and remembered once; one may be said twice, if LINE had just taken it.
    """
    outcomes = list(kill_everywhere(read_story(path), firestore, zygote))

    assert [] == [str(outcome) for outcome in outcomes if outcome.problems]
    assert len(outcomes) >= 14
