"""What is said in one conversation stays there, and what is forgotten is nowhere.

Families do things at random and tell canaries: values that nobody else has. The model is a parrot
that repeats whatever it is shown, so that they get everywhere they can.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.household import THINGS, household

# What may happen.

CHAT = st.sampled_from([*["C1"] * 9, "C10", "C1a", "U1", "U10", "U100"])
WHO = st.integers(0, 2)
WHICH = st.integers(0, 5)
LAST = st.just(-1)
THING = st.sampled_from(sorted(THINGS))
TOLD = st.lists(THING, min_size=1, max_size=2)
ECHO = st.sampled_from([0, 1, 99])


def deed(name, *how):
    return st.tuples(st.just(name), *how)


def telling(chat):
    """Return what spreads canaries, the likelier the more often it stands here."""
    return [
        *[deed("remember", chat, WHO, TOLD, ECHO)] * 4,
        *[deed("tell", chat, WHO, TOLD, ECHO)] * 2,
        *[deed("ask", chat, WHO, ECHO)] * 2,
        deed("retell", chat, WHO, WHICH, ECHO),
        deed("quote", chat, WHO, WHICH, ECHO),
        deed("chat_on", chat, st.integers(1, 7)),
    ]


def forgetting(chat):
    """Return what makes the code forget, without the model."""
    return [
        *[deed("forget", chat, WHO, WHICH, st.just(False))] * 3,
        *[deed("unsend", chat, WHICH | LAST)] * 2,
        deed("forget_me", chat, WHO),
        deed("delete_all", chat, WHO),
    ]


def at_once(chat):
    """Return two things in one chat, of which the second happens while the first is thought about.

    What is only chatted about makes the model think once it leaves the window.
    """
    here = st.just(chat)
    answered = deed("remember", here, WHO, TOLD, ECHO) | deed("ask", here, WHO, ECHO)
    digested = deed("chat_on", here, st.just(8))
    second = st.one_of(*forgetting(here), *telling(here), deed("edit", here, LAST, THING))
    return st.one_of(
        deed("meanwhile", st.just("reply"), answered, second),
        deed("meanwhile", st.sampled_from(["summary", "verdicts"]), digested, second),
    )


def unanswered(chat):
    """Return two things in one chat, of which the first is answered after the second."""
    here = st.just(chat)
    return deed("without_line", st.one_of(telling(here)), st.one_of(forgetting(here)))


SINGLE = [*telling(CHAT), *forgetting(CHAT)]
BUNDLED = st.tuples(CHAT, WHO, THING)
CALL = st.sampled_from(["Commit", "BatchGetDocuments", "RunQuery"])
DEED = st.one_of(
    *SINGLE,
    *[deed("forget", CHAT, WHO, WHICH, st.just(True), ECHO)] * 2,
    deed("pause", st.just(7)),
    CHAT.flatmap(unanswered),
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


@pytest.mark.parametrize(
    ("cases", "most"),
    [(12, 16), pytest.param(200, 24, marks=pytest.mark.long)],
    ids=["short", "long"],
)
def test_nothing_crosses_over_and_what_is_forgotten_is_nowhere(firestore, cases, most):
    """
    Whatever a family does, a canary is in its own chat only, once forgotten in none, else it stays.
    """
    tally = Counter()

    @settings(
        max_examples=cases,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(DEED, min_size=8, max_size=most), TEMPER, ROOM)
    def live(deeds, temper, room):
        with household(firestore, room=room, **temper) as family:
            family.live(*deeds)
            tally.update(family.tally)

    live()
    assert tally["forgotten"] > cases / 4
    assert tally["interrupted"] > cases / 4


REMEMBER = ("remember", "C1", 0, ["plate"], 0)
QUOTE_ALL = 99
ASK = ("ask", "C1", 1, QUOTE_ALL)
FORGET = ("forget", "C1", 0, 0, False)
UNSEND = ("unsend", "C1", 0)
RETELL = ("retell", "C1", 1, 0, 0)
DIGEST = ("chat_on", "C1", 8)


@pytest.mark.parametrize("second", [UNSEND, ("forget_me", "C1", 0), ("delete_all", "C1", 1)])
@pytest.mark.parametrize("first", [REMEMBER, ("tell", "U1", 0, ["plate"], QUOTE_ALL)])
@pytest.mark.parametrize("how", ["meanwhile", "late", "without_line"])
def test_what_is_forgotten_before_it_was_answered_is_nowhere(firestore, how, first, second):
    """
    A message that is forgotten before, or while, it is thought about leaves nothing behind.
    """
    second = (second[0], first[1], *second[2:])
    deed = (how, "reply", first, second) if how == "meanwhile" else (how, first, second)
    with household(firestore) as family:
        family.live(deed)
        assert 1 == family.tally["forgotten"]


@pytest.mark.parametrize(
    "deeds",
    [
        pytest.param(
            [REMEMBER, ("meanwhile", "reply", ASK, FORGET)],
            id="a reply that was being thought about",
        ),
        pytest.param(
            [REMEMBER, ("meanwhile", "reply", ("remember", "C1", 1, ["mail"], QUOTE_ALL), FORGET)],
            id="a reply that was being thought about, to something that was to be remembered",
        ),
        pytest.param([REMEMBER, ("without_line", ASK, FORGET)], id="a reply LINE has not taken"),
        pytest.param([("tell", "C1", 0, ["plate"], 0), ASK, UNSEND], id="a reply to others"),
        pytest.param(
            [("tell", "C1", 0, ["plate"], 0), ASK, ("forget_me", "C1", 0)],
            id="a reply to others who have said nothing themselves",
        ),
        pytest.param(
            [("remember", "C1", 0, ["friend"], QUOTE_ALL), DIGEST, FORGET],
            id="a sentence of the summary that tells of a reply",
        ),
        pytest.param(
            [("remember", "C1", 0, ["friend"], QUOTE_ALL), DIGEST, ("forget_me", "C1", 0)],
            id="such a sentence, after everything somebody said is forgotten",
        ),
        pytest.param(
            [REMEMBER, ASK, ("change", "C1", 0, 0, "plate"), FORGET],
            id="a reply that told what the fact was before",
        ),
        pytest.param(
            [REMEMBER, RETELL, ("change", "C1", 0, 0, "plate"), FORGET],
            id="a turn that told what the fact was before",
        ),
        pytest.param(
            [REMEMBER, RETELL, ("edit", "C1", -1, "mail"), FORGET],
            id="what a turn said before it was edited",
        ),
        pytest.param(
            [REMEMBER, ("meanwhile", "summary", DIGEST, FORGET)],
            id="a digest that was being thought about",
        ),
    ],
)
def test_what_is_forgotten_leaves_no_trace(firestore, deeds):
    """
    With a fact or a turn goes whatever else has told it, by way of the assistant too.
    """
    with household(firestore) as family:
        family.live(*deeds)
        assert family.tally["forgotten"]


@pytest.mark.parametrize("thing", sorted(THINGS))
def test_another_value_of_its_kind_stays(firestore, thing):
    """
    Forgetting one telephone number leaves the turn that tells of another, whoever said both.
    """
    with household(firestore) as family:
        family.live(("remember", "C1", 0, [thing], 0), ("tell", "C1", 0, [thing], 0), FORGET)
        assert "m" + family.messages[1].id in {one.id for one in family.window("C1").turns}


@pytest.mark.parametrize(
    "deeds",
    [
        pytest.param([REMEMBER, FORGET, DIGEST], id="its turn"),
        pytest.param([REMEMBER, FORGET, ("again", 0), DIGEST], id="its turn, delivered again"),
        pytest.param([REMEMBER, FORGET, ("edit_nothing", "C1", 0), DIGEST], id="its turn, edited"),
        pytest.param([REMEMBER, ("meanwhile", "summary", DIGEST, FORGET), DIGEST], id="a digest"),
        pytest.param([REMEMBER, RETELL, FORGET, DIGEST], id="another turn"),
        pytest.param([REMEMBER, ("late", RETELL, FORGET), DIGEST], id="a turn that comes late"),
    ],
)
def test_what_is_forgotten_is_not_extracted_again(firestore, deeds):
    """
    From nothing said before a fact was forgotten it is extracted again in the same words.
    """
    with household(firestore) as family:
        for deed in deeds:
            family.do(deed)
        assert {} == family.facts()["C1"]


@pytest.mark.parametrize("deeds", [[RETELL, DIGEST], [(*RETELL, True)]], ids=["said", "asked for"])
def test_what_is_said_anew_may_be_remembered_again(firestore, deeds):
    """
    What a person says after it was forgotten becomes a fact like any other.
    """
    with household(firestore) as family:
        family.live(REMEMBER, FORGET, *deeds)
        ((no, fact),) = family.facts()["C1"].items()
        assert (2, family.messages[0].canaries[0].text) == (no, fact["text"])


@pytest.mark.parametrize("chat", ["C10", "C1"])
def test_what_gets_out_would_be_noticed(firestore, chat):
    """
    A canary in another chat's document, or left in its own, does not escape these tests.
    """
    with household(firestore) as family:
        family.live(REMEMBER, FORGET, ("remember", "C1", 0, ["mail"], 0))
        canary = family.messages[0 if chat == "C1" else -1].canaries[0]
        family.world.database.document("conversations", chat).update(
            {"members": {"U1": canary.value}}
        )
        with pytest.raises(AssertionError, match=f"conversations/{chat}"):
            family.check_store()
        with pytest.raises(AssertionError, match=f"is asked for {chat}"):
            family.live(("ask", chat, 0, 0))
