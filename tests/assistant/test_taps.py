"""What the buttons under a reminder do."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.agenda import Agenda
from assistant.announcements import Tap
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.taps import Taps
from assistant.wording import wording
from assistant.zones import zone_named
from memory.draft import Draft
from memory.reminders import Reminder
from tests.conftest import NAMES

EIGHT = datetime(2026, 12, 1, 12, tzinfo=UTC)
BINS = Reminder(
    1, "倒垃圾", EIGHT, datetime(2026, 12, 1, 20), "Asia/Taipei", whom=("U1", "U2"), by="U1"
)
DAILY = replace(BINS, rule="FREQ=DAILY", due=EIGHT + timedelta(days=1))
DONE = replace(BINS, state="done")


@pytest.fixture
def take(world):
    """Have a button tapped under a reminder that is stored; return what is said, and the draft."""

    def take(button, reminder=DONE, *, at=EIGHT, ring="r1", no=1, who="U2", language="zh-TW"):
        store = world.store("U1")
        if reminder:
            before = Draft(store.read(), EIGHT, room=1000)
            before.remind(reminder)
            assert store.commit(before)
        conversation = store.read().knowing(NAMES)
        prompt = Prompt(conversation, Persona("小幫手"), wording(language), zone_named("台北"))
        taps = Taps(Agenda(prompt, at), who, at, store.diary)
        reply, draft = taps.take(Tap(no, ring, button), Draft(store.read(), at, room=1000))
        return reply.bubbles[0], draft

    return take


@pytest.mark.parametrize(
    ("language", "said"), [("zh-TW", "✅ 爸爸完成了：倒垃圾"), ("en", "✅ 爸爸 did it: 倒垃圾")]
)
def test_done_says_who_did_it(take, language, said):
    """
    It is told in the chat, and nothing is set.
    """
    told, draft = take("done", language=language)
    assert said == told
    assert {1} == set(draft.reminded)
    assert ("r1/done",) == draft.reminded[1].taps
    assert () == draft.alarms


def test_done_leaves_the_next_time_of_a_repetition(take):
    """
    What comes round goes on as before.
    """
    _, draft = take("done", DAILY)
    assert replace(DAILY, taps=("r1/done",)) == draft.agenda[1]


LATER = [
    (EIGHT, "12/01（二）20:10"),
    (EIGHT + timedelta(seconds=29), "12/01（二）20:10"),
    (EIGHT + timedelta(seconds=30), "12/01（二）20:11"),
    (EIGHT + timedelta(hours=3, minutes=55), "12/02（三）00:05"),
]


@pytest.mark.parametrize("reminder", [DONE, DAILY])
@pytest.mark.parametrize(("at", "when"), LATER)
def test_later_is_ten_minutes_from_the_tap(take, reminder, at, when):
    """
    Not from when it was due; to the minute; to the same people; once, whatever comes round.
    """
    told, draft = take("later", reminder, at=at)
    again = draft.reminded[2]
    assert f"⏰ #2 {when} 提醒：倒垃圾（提醒 媽媽、爸爸）" == told
    assert ("倒垃圾", ("U1", "U2"), "U2", "", "pending", "") == (
        *(again.text, again.whom, again.by, again.rule),
        *(again.state, again.source),
    )
    assert [2] == [alarm.no for alarm in draft.alarms if alarm.no != 1]


TOMORROW = [
    (EIGHT, "Asia/Taipei", "12/02（三）20:00", 24),
    # After midnight it is the day after the tap, at the hour of the reminder.
    (EIGHT + timedelta(hours=4, minutes=30), "Asia/Taipei", "12/03（四）20:00", 48),
    (EIGHT, "America/Los_Angeles", "12/02（三）20:00", 40),
]


@pytest.mark.parametrize(("at", "zone", "when", "hours"), TOMORROW)
def test_tomorrow_is_the_same_wall_time_of_the_next_day(take, at, zone, when, hours):
    """
    By the clock of the reminder's own zone.
    """
    told, draft = take("tomorrow", replace(DONE, zone=zone), at=at)
    assert told.startswith(f"⏰ #2 {when}")
    assert EIGHT + timedelta(hours=hours) == draft.reminded[2].due


def test_tomorrow_may_be_when_the_clocks_are_changed(take):
    """
    A time that day skips is said at the first minute after it.
    """
    night = replace(
        DONE, zone="America/Los_Angeles", first=datetime(2027, 3, 13, 2, 30), rule="FREQ=DAILY"
    )
    _, draft = take("tomorrow", night, at=datetime(2027, 3, 13, 11, tzinfo=UTC))
    assert datetime(2027, 3, 14, 10, tzinfo=UTC) == draft.reminded[2].due


@pytest.mark.parametrize("button", ["done", "later", "tomorrow"])
def test_each_button_works_once_for_each_announcement(take, button):
    """
    Used is used, whoever tapped; under what was said at another time it works once more.
    """
    used = replace(DONE, taps=(f"r1/{button}",))
    told, draft = take(button, used)
    assert "這個按鈕已經用過了。" == told
    assert not draft.changes_anything
    _, draft = take(button, None, ring="r2")
    assert (f"r1/{button}", f"r2/{button}") == draft.reminded[1].taps


def test_one_button_leaves_the_others(take):
    """
    Who has tapped one may still tap another.
    """
    told, _ = take("tomorrow", replace(DONE, taps=("r1/done", "r1/later")))
    assert told.startswith("⏰ #2")


@pytest.mark.parametrize("reminder", [None, replace(BINS, state="cancelled")])
@pytest.mark.parametrize("button", ["done", "later", "tomorrow"])
def test_what_is_there_no_longer_says_so(take, reminder, button):
    """
    Cancelled or deleted: nothing happens.
    """
    told, draft = take(button, reminder)
    assert "這則提醒已經不在了。" == told
    assert not draft.changes_anything


def test_of_a_reminders_taps_only_the_last_are_kept(take):
    """
    A reminder that comes round for years does not grow.
    """
    many = replace(DAILY, taps=tuple(f"r{number}/done" for number in range(200)))
    _, draft = take("done", many, ring="now")
    assert 60 == len(draft.reminded[1].taps)
    assert "now/done" == draft.reminded[1].taps[-1]
