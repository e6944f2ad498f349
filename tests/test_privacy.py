"""What is said in one conversation stays there, and what is forgotten is nowhere.

Families do things at random and tell canaries: values that nobody else has. The model is a parrot
that repeats whatever it is shown, so that they get everywhere they can.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.household import THINGS, lived

# What may happen.

CHAT = st.sampled_from([*["C1"] * 9, "C10", "C1a", "U1", "U10", "U100"])
WHO = st.integers(0, 2)
WHICH = st.integers(0, 5)
LAST = st.just(-1)
THING = st.sampled_from(sorted(THINGS))
THINGS_TOLD = st.lists(THING, min_size=1, max_size=2)
ECHO = st.sampled_from([0, 1, 99])


def deed(name, *how):
    return st.tuples(st.just(name), *how)


def telling(chat):
    """Return what spreads canaries, the likelier the more often it stands here."""
    remember = deed("remember", chat, WHO, THINGS_TOLD, ECHO)
    return [
        *[remember] * 4,
        *[deed("tell", chat, WHO, THINGS_TOLD, ECHO)] * 2,
        *[deed("ask", chat, WHO, ECHO)] * 2,
        deed("retell", chat, WHO, WHICH, ECHO),
        deed("quote", chat, WHO, WHICH, ECHO),
        deed("chat_on", chat, st.integers(1, 7)),
    ]


def forgetting(chat):
    """Return what makes the code forget, without the model."""
    return [
        *[deed("forget", chat, WHO, WHICH, st.just(False))] * 3,
        deed("unsend", chat, WHICH | LAST),
        deed("forget_me", chat, WHO),
        deed("delete_all", chat, WHO),
    ]


def at_once(chat):
    """Return two things in one chat, of which the second overtakes the first."""
    here = st.just(chat)
    first = st.one_of(telling(here))
    second = st.one_of(*forgetting(here), *telling(here), deed("edit", here, LAST, THING))
    return deed("meanwhile", st.sampled_from(["reply", "summary", "verdicts"]), first, second)


SINGLE = [*telling(CHAT), *forgetting(CHAT)]
BUNDLED = st.tuples(CHAT, WHO, THING)
CALL = st.sampled_from(["Commit", "BatchGetDocuments", "RunQuery"])
DEED = st.one_of(
    *SINGLE,
    *[deed("forget", CHAT, WHO, WHICH, st.just(True), ECHO)] * 2,
    deed("pause", st.just(7)),
    deed("bundle", BUNDLED, BUNDLED),
    deed("edit", CHAT, WHICH | LAST, THING),
    deed("look", CHAT, st.sampled_from(["/匯出", "/記憶"])),
    *[deed("change", CHAT, WHO, WHICH, THING)] * 2,
    deed("again", WHICH),
    deed("twice", st.one_of(SINGLE)),
    deed("amid_failure", CALL, st.booleans(), st.one_of(SINGLE)),
    deed("without_model", st.one_of(telling(CHAT))),
    *[CHAT.flatmap(at_once)] * 2,
)
TEMPER = st.fixed_dictionaries({"merges": st.booleans(), "updates": st.booleans()})
ROOM = st.sampled_from([3000, 60])


@pytest.mark.long
@pytest.mark.parametrize("cases", [150])
def test_nothing_crosses_and_what_is_forgotten_is_nowhere(firestore, cases):
    """
    Whatever a family does, a canary is in its own chat only, and once forgotten in none.
    """
    tally = Counter()

    @settings(
        max_examples=cases,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(DEED, min_size=8, max_size=20), TEMPER, ROOM)
    def live(done, temper, room):
        tally.update(lived(firestore, done, temper, room))

    live()
    # It would not be worth much if nothing had been told, or nothing forgotten.
    assert min(tally["generate"], tally["forgotten"]) >= cases
