"""What is said when reminders are due, and what the buttons under it tell us."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.agenda import Agenda
from assistant.announcements import Announcement, Due, Tap, tapped
from assistant.bubbles import BUBBLE, BUBBLES, units
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.wording import wording
from assistant.zones import zone_named
from memory.conversation import Conversation
from memory.reminders import Reminder
from services.outgoing import (
    CARD_TEXT,
    CARDS,
    EVERYONE,
    MENTIONS,
    Cards,
    Mention,
    Text,
    from_document,
    to_document,
)
from tests.conftest import NAMES

EIGHT = datetime(2026, 12, 1, 12, tzinfo=UTC)
BINS = Reminder(3, "倒垃圾", EIGHT, datetime(2026, 12, 1, 20), "Asia/Taipei")


def announcement(*due, now=EIGHT, language="zh-TW", **more):
    """Return what is said of reminders that were due at their time, or at several."""
    prompt = Prompt(
        Conversation().knowing(NAMES), Persona("小幫手"), wording(language), zone_named("台北")
    )
    given = [one if isinstance(one, Due) else Due(one, (one.due,)) for one in due]
    return Announcement(Agenda(prompt, now), given, "3-0-0", **more)


def said(message):
    """Return a text as it is read, with an @ for each mention."""
    return "".join(part if isinstance(part, str) else f"@{part.user}" for part in message.parts)


LATE = [
    (timedelta(), "⏰ 倒垃圾", "⏰ 倒垃圾"),
    (timedelta(minutes=5), "⏰ 倒垃圾", "⏰ 倒垃圾"),
    (
        timedelta(minutes=5, seconds=1),
        "⏰（遲到）原定 12/01（二）20:00：倒垃圾",
        "⏰ (late) was due Tue 12/01 20:00: 倒垃圾",
    ),
    (
        timedelta(days=31),
        "⏰（遲到）原定 2026/12/01（二）20:00：倒垃圾",
        "⏰ (late) was due Tue 2026/12/01 20:00: 倒垃圾",
    ),
]


@pytest.mark.parametrize(("late", "chinese", "english"), LATE)
def test_what_is_late_says_so(late, chinese, english):
    """
    More than five minutes late, it says when it was due; up to then nothing but the words.
    """
    for language, expected in (("zh-TW", chinese), ("en", english)):
        text, buttons = announcement(BINS, now=EIGHT + late, language=language).messages()
        assert expected == said(text)
        assert isinstance(buttons, Cards)


def test_a_time_is_told_by_the_reminders_own_clock():
    """
    What was set in another zone was due by that zone's clock.
    """
    tokyo = replace(BINS, zone="Asia/Tokyo")
    text, _ = announcement(tokyo, now=EIGHT + timedelta(hours=1)).messages()
    assert "⏰（遲到）原定 12/01（二）21:00：倒垃圾" == said(text)


@pytest.mark.parametrize(
    ("days", "named"),
    [
        (2, "12/01（二）20:00、12/02（三）20:00"),
        (3, "12/01（二）20:00、12/02（三）20:00、12/03（四）20:00"),
        (4, "…、12/02（三）20:00、12/03（四）20:00、12/04（五）20:00"),
    ],
)
def test_of_many_times_the_last_three_are_named(days, named):
    """
    What was missed more often than that is told with a mark before it.
    """
    times = tuple(EIGHT + timedelta(days=day) for day in range(days))
    text, _ = announcement(Due(BINS, times), now=times[-1] + timedelta(minutes=1)).messages()
    assert f"⏰（遲到）原定 {named}：倒垃圾" == said(text)


@pytest.mark.parametrize(
    ("whom", "here", "expected"),
    [
        ((), {"U1"}, "⏰ 倒垃圾"),
        (("U1",), {"U1"}, "⏰ @U1 倒垃圾"),
        (("U1",), (), "⏰ 媽媽 倒垃圾"),
        (("U1", "U2"), {"U2"}, "⏰ 媽媽 @U2 倒垃圾"),
        ((EVERYONE,), {EVERYONE}, "⏰ @all 倒垃圾"),
        ((EVERYONE,), (), "⏰ 大家 倒垃圾"),
    ],
)
def test_who_is_here_is_mentioned_and_others_are_named(whom, here, expected):
    """
    A mention rings, but only for members; of others there is the name.
    """
    text, _ = announcement(replace(BINS, whom=whom), here=here).messages()
    assert expected == said(text)


def test_words_for_later_name_everybody_and_the_time():
    """
    In words alone each reminder has its time, and nobody is mentioned; each is told by occasion.
    """
    fish = replace(BINS, no=4, text="餵魚", whom=("U1", EVERYONE), rev=2)
    milliseconds = int(EIGHT.timestamp() * 1000)
    assert {
        f"3-{milliseconds}-0": "⏰（遲到）原定 12/01（二）20:00：倒垃圾",
        f"4-{milliseconds}-2": "⏰（遲到）原定 12/01（二）20:00：媽媽、大家 餵魚",
    } == announcement(BINS, fish, here={"U1"}).words()


def test_a_note_stands_below():
    """
    What is to be said besides stands in the last line.
    """
    text, _ = announcement(BINS, replace(BINS, text="餵魚"), note="（還有）").messages()
    assert ["⏰ 倒垃圾", "⏰ 餵魚", "（還有）"] == said(text).splitlines()


@pytest.mark.parametrize("text", ["好", "🍎" * 300, "👨‍👩‍👧‍👦" * 42, "a{b}}{\n" * 50, "字" * 300])
@pytest.mark.parametrize("count", [1, 11, 50])
def test_however_much_is_due_line_takes_it(text, count):
    """
    Five messages at most, each within LINE's limits; what is stored is what is sent.
    """
    whom = tuple(f"U{number}" for number in range(8))
    due = [replace(BINS, no=number, text=text, whom=whom) for number in range(1, count + 1)]
    full = announcement(*due, here=set(whom))
    fitting = full
    while not fitting.fits:
        fitting = replace(fitting, due=fitting.due[:-1])
    messages = fitting.messages()
    *texts, buttons = messages

    assert 1 < len(messages) <= BUBBLES
    for message in texts:
        assert isinstance(message, Text)
        assert units(said(message)) <= BUBBLE
        assert sum(isinstance(part, Mention) for part in message.parts) <= MENTIONS
    words = "\n".join(said(message) for message in texts)
    assert len(fitting.due) == sum(line.startswith("⏰ @U0") for line in words.splitlines())
    assert min(len(fitting.due), CARDS) == len(buttons.cards)
    assert units(buttons.alt) <= CARD_TEXT
    assert messages == [from_document(to_document(message)) for message in messages]


def test_each_card_has_its_number_and_three_buttons():
    """
    A card says which reminder it is; its buttons say what they do, in the family's language.
    """
    for language, labels in (
        ("zh-TW", ["完成", "10 分鐘後", "明天同一時間"]),
        ("en", ["Done", "In 10 minutes", "Tomorrow"]),
    ):
        *_, buttons = announcement(BINS, replace(BINS, no=4), language=language).messages()
        assert ["#3 倒垃圾", "#4 倒垃圾"] == [card.text for card in buttons.cards]
        assert [labels] * 2 == [[one.label for one in card.buttons] for card in buttons.cards]
        assert all("倒垃圾" in one.said for card in buttons.cards for one in card.buttons)
        taps = [tapped(one.data) for card in buttons.cards for one in card.buttons]
        assert [
            Tap(no, "3-0-0", button) for no in (3, 4) for button in ("done", "later", "tomorrow")
        ] == taps


NO_TAPS = [
    "",
    "=",
    "action=other",
    "reminder=1&ring=x",
    "reminder=1&do=done",
    "reminder=&ring=x&do=done",
    "reminder=1&ring=x&do=explode",
    "reminder=-1&ring=x&do=done",
    "reminder=１&ring=x&do=done",
    "reminder=1.0&ring=x&do=done",
    "reminder=99999999999&ring=x&do=done",
    "reminder=1&ring=&do=done",
    "%",
    "倒垃圾",
]


@pytest.mark.parametrize("data", NO_TAPS)
def test_what_is_no_button_of_ours_is_none(data):
    """
    Anything may come back in a postback; only our own buttons are read.
    """
    assert tapped(data) is None


@pytest.mark.parametrize("ring", ["3-1764590400000-0", "3-0-0&do=later", "字 +%"])
def test_a_tap_comes_back_as_it_was_sent(ring):
    """
    Whatever stands in it.
    """
    tap = Tap(12, ring, "tomorrow")
    assert tap == tapped(tap.data())
