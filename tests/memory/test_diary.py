"""The diary: every reminder of a chat, also those that are over."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.conversation import Conversation
from memory.diary import Diary
from memory.draft import Draft
from memory.reminders import Reminder
from tests.conftest import NOW
from tests.reminding import alter, change, remind

EIGHT = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def diary(world):
    """The diary of a chat with some reminders."""
    remind(world, "C1", "倒垃圾", EIGHT, by="U1", source="m1", alarms=False)
    remind(world, "C1", "餵魚", EIGHT, by="U2", source="m2", alarms=False)
    remind(world, "C1", "鎖門", EIGHT, by="U1", source="m2", rule="FREQ=DAILY", alarms=False)
    alter(world, "C1", 2, state="cancelled")
    remind(world, "U1", "別的", EIGHT, by="U1", source="m1", alarms=False)
    return world.store("C1").diary


def numbers(reminders):
    """Return the numbers of reminders."""
    return [reminder.no for reminder in reminders]


def test_every_reminder_of_the_chat_is_found_and_no_other(diary):
    """
    By number, by who set it, by the turn it was set in, and all of them; whatever their state.
    """
    assert [1, 2, 3] == numbers(diary.every())
    assert [[1, 3], [2], []] == [numbers(diary.by(user)) for user in ("U1", "U2", "U3")]
    assert [[1], [2, 3], []] == [numbers(diary.from_turn(key)) for key in ("m1", "m2", "m")]
    assert ("餵魚", "cancelled", 1) == (
        *(diary.get(2).text, diary.get(2).state),
        diary.get(2).rev,
    )
    assert diary.get(9) is None


def test_what_is_over_is_kept_for_a_while(world, diary):
    """
    Its buttons may be tapped for thirty days; what is pending is kept as long as it is.
    """
    documents = world.documents()
    assert NOW + timedelta(days=30) == documents["conversations/C1/reminders/2"]["expires_at"]
    assert "expires_at" not in documents["conversations/C1/reminders/3"]


def test_what_is_dropped_is_deleted(world, diary):
    """
    With its draft, from the diary and from the agenda.
    """
    change(world, "C1", lambda draft: draft.drop(diary.by("U1")), alarms=False)
    assert [2] == numbers(diary.every())
    assert {} == world.documents()["conversations/C1"]["agenda"]


def owing(world, ring, words, *, done=False):
    """Store a ring that is not said yet."""
    content = {"messages": ["全部"], "words": words, "done": done, "lease_until": NOW}
    world.database.document("conversations/C1/rings", ring).set(content)


def test_only_the_words_of_the_dropped_leave_what_is_being_said(world, diary):
    """
    What is left is said in words alone; what has nothing left is not said; others stay as they are.
    """
    owing(world, "both", {"1-5-0": "倒垃圾", "3-5-0": "鎖門"})
    owing(world, "own", {"1-6-0": "倒垃圾", "1-7-1": "倒垃圾"})
    owing(world, "others", {"11-5-0": "別的"})
    diary.drop_rings({1})

    rings = {
        path.rpartition("/")[2]: (one["messages"], one["words"])
        for path, one in world.documents().items()
        if "/rings/" in path
    }
    assert {
        "both": ([], {"3-5-0": "鎖門"}),
        "own": ([], {}),
        "others": (["全部"], {"11-5-0": "別的"}),
    } == rings


def test_nothing_dropped_asks_nothing(world):
    """
    Where no reminder is dropped, no ring is looked for.
    """
    diary = Diary(
        world.services.firestore,
        world.services.firestore.document("conversations/C1"),
        patience={},
    )
    world.firestore.take()
    diary.drop_rings(())
    assert 0 == world.firestore.take().as_line()["reads"]


def test_what_is_owed_leaves_with_its_reminder(world, diary):
    """
    However often it could not be said; what is owed of others stays, though it was due together.
    """
    owed = {"1-5-0": "倒垃圾", "1-6-0": "倒垃圾", "11-5-0": "別的", "3-5-0": "鎖門"}
    world.database.document("conversations/C1").update({"owed": owed})
    change(world, "C1", lambda draft: draft.drop([diary.get(1)]), alarms=False)

    assert {"11-5-0": "別的", "3-5-0": "鎖門"} == world.documents()["conversations/C1"]["owed"]


def test_a_reminder_that_is_dropped_and_set_in_one_draft_is_gone():
    """
    Forgetting is last.
    """
    draft = Draft(Conversation(), NOW, 1000)
    reminder = Reminder(1, "倒垃圾", EIGHT, datetime(2026, 12, 1, 20), "Asia/Taipei")
    draft.remind(reminder)
    draft.drop([replace(reminder)])
    assert ({}, {1}, ()) == (draft.reminded, draft.dropped, draft.alarms)
