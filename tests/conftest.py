"""What the tests share: an emulator for the session, and worlds in it."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime

import pytest

from local.clock import FrozenClock
from local.emulator import emulator
from local.firestore import FirestoreServer
from local.processes import Zygote
from local.world import World

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
"""18:00 in Taipei, a Tuesday."""
NAMES = {"U1": "媽媽", "U2": "爸爸", "U3": "小美"}
GROUPS = {"C1": ["U1", "U2", "U3"], "R1": ["U1", "U2"]}


@pytest.fixture(scope="session")
def firestore_emulator():
    """Google's emulator, started when the first test needs it."""
    with emulator() as host:
        yield host


@pytest.fixture(scope="session")
def firestore(firestore_emulator):
    """The emulator with a meter in front of it."""
    server = FirestoreServer(firestore_emulator)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def zygote():
    """What makes processes of the functions, for who wants to kill them."""
    with Zygote() as maker:
        yield maker


@pytest.fixture
def new_world(firestore) -> Iterator:
    """A maker of worlds that end with the test; settings by name, other arguments by theirs."""
    with ExitStack() as worlds:

        def make(*, stand_in=None, **settings):
            named = {name.upper(): str(value) for name, value in settings.items()}
            world = World(
                FrozenClock(NOW),
                firestore,
                settings=named,
                names=NAMES,
                groups=GROUPS,
                stand_in=stand_in,
            )
            return worlds.enter_context(world)

        yield make


@pytest.fixture
def world(new_world):
    """A world with the default settings, in which every chat of the family is activated."""
    world = new_world()
    for chat in (*NAMES, *GROUPS):
        world.activate(chat)
    return world
