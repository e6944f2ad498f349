"""What is done by hand: boards made anew, facts embedded anew."""

from datetime import datetime

from memory.conversation import to_milliseconds
from memory.upkeep import rebuild, reembed
from tests.conftest import NOW
from tests.reminding import alter, remind

FACTS = [
    {"text": "媽媽不吃牛肉", "by": "U1", "subject": "媽媽"},
    {"text": "爸爸喜歡釣魚", "by": "U2", "subject": "爸爸"},
    {"text": "鋼琴課在 2026-11-02", "by": "U2", "subject": "課", "expires_on": "2026-11-02"},
]


def board(world, chat="C1"):
    return world.store(chat).read().board


def test_a_board_that_is_lost_is_made_anew_from_the_facts(world):
    """
    Rebuilding shows every fact that holds, and none twice, however the board was damaged.
    """
    world.activate("C1", {"facts": FACTS})
    document = world.database.document("conversations/C1")
    document.update({"board": {"9": {"text": "沒有這件事"}}, "next_no": 1, "hidden": 7})

    rebuild(world.services)

    assert {1: "媽媽不吃牛肉", 2: "爸爸喜歡釣魚"} == {
        no: fact.text for no, fact in board(world).items()
    }
    assert (0, 4) == (world.store("C1").read().hidden, world.store("C1").read().next_no)


def test_an_agenda_that_is_lost_is_made_anew_and_so_are_its_alarms(world):
    """
    Rebuilding puts what is pending back on the agenda, and the next answer sets its alarms.
    """
    world.activate("U1")
    pending = remind(world, "U1", "倒垃圾", datetime(2026, 12, 24, 20, 0))
    over = remind(world, "U1", "吃藥", datetime(2026, 12, 25, 8, 0))
    assert alter(world, "U1", over.no, state="cancelled")
    world.database.document("conversations/U1").update(
        {"agenda": {}, "next_no": 1, "alarms": {str(pending.no): to_milliseconds(pending.due)}}
    )

    rebuild(world.services)

    conversation = world.store("U1").read()
    assert ({pending.no: pending}, {}) == (conversation.agenda, conversation.alarms)
    assert over.no + 1 == conversation.next_no
    assert [pending] == list(conversation.unalarmed(world.clock.now()))


def test_rebuilding_changes_nothing_that_is_right(world):
    """
    A board that shows its facts is left as it is.
    """
    world.activate("C1", {"facts": FACTS[:2]})
    before = world.store("C1").read()

    rebuild(world.services)

    assert before.board == board(world)
    assert before.next_no == world.store("C1").read().next_no


def test_facts_of_another_model_are_embedded_anew(new_world):
    """
    After a change of model, re-embedding lets every fact that holds be found again.
    """
    world = new_world(embed_model="gemini-embedding-001")
    world.activate("C1", {"facts": FACTS[:2]})
    for number in ("1", "2"):
        fact = world.database.document(f"conversations/C1/facts/{number}")
        fact.update({"embed_model": "text-embedding-004" if number == "1" else ""})
    world.database.document("conversations/C1").update({"unembedded": True})

    assert 2 == reembed(world.services)
    assert 0 == reembed(world.services)

    models = [
        world.database.document(f"conversations/C1/facts/{number}").get().get("embed_model")
        for number in ("1", "2")
    ]
    assert ["gemini-embedding-001"] * 2 == models
    assert not world.store("C1").read().unembedded


def test_nobody_else_is_touched(world):
    """
    A conversation without facts stays as it was.
    """
    before = world.store("U1").read()

    rebuild(world.services)

    assert before.board == board(world, "U1") == {}
    assert NOW == world.clock.now()
