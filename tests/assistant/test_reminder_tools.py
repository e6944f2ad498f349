"""The reminders' tools: what the model may set, change and cancel, and what it reads of it."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from assistant.agenda import Agenda
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.reminder_tools import TOOLS, ReminderTools
from assistant.wording import wording
from memory.conversation import Conversation, Turn
from memory.draft import Draft
from memory.reminders import LONGEST, Reminder
from memory.schedule import asked
from services.dialogue import ToolError
from services.outgoing import EVERYONE
from tests.conftest import NAMES, NOW

MOM, DAD, DAUGHTER = "U1", "U2", "U3"
TAIPEI, TOKYO, LOS_ANGELES = map(ZoneInfo, ("Asia/Taipei", "Asia/Tokyo", "America/Los_Angeles"))
AT = "2026-12-02T09:00"
DAILY = {"every": "day"}
NOW_TOLD = "現在是 12/01（二）18:00。"


class Family:
    """A conversation, and the tools for one message in it."""

    def __init__(self, *reminders, zone=TAIPEI, now=NOW, most=50, speaker=MOM, names=NAMES):
        """Take the reminders that are pending, the clock, and who speaks."""
        self.conversation = Conversation(
            agenda={one.no: one for one in reminders},
            next_no=max((one.no for one in reminders), default=0) + 1,
        ).knowing(names)
        self.now = now
        prompt = Prompt(self.conversation, Persona("小幫手"), wording("zh-TW"), zone)
        turn = Turn("m1", speaker, "", now)
        self.tools = ReminderTools(Agenda(prompt, now), turn, most)
        self.draft = Draft(self.conversation, now, 1000)

    def run(self, tool, **arguments):
        """Return what the model reads of a call."""
        return self.tools.run(f"{tool}_reminder", arguments, self.draft)

    def refusal(self, tool, **arguments):
        """Return why a call is refused; then nothing is done."""
        done = len(self.tools.deeds)
        before = dict(self.draft.agenda)
        with pytest.raises(ToolError) as refused:
            self.run(tool, **arguments)
        assert done == len(self.tools.deeds)
        assert before == self.draft.agenda
        return str(refused.value)

    def kept(self, conversation=None):
        """Return what is told in the end, and the agenda, on what the conversation has become."""
        draft = Draft(conversation or self.conversation, self.now, 1000)
        told = [deed(draft) for deed in self.tools.deeds.values()]
        return told, draft

    @property
    def last(self):
        """The reminder with the largest number."""
        return self.draft.agenda[max(self.draft.agenda)]


def reminder(no=1, first=datetime(2026, 12, 1, 20), zone="Asia/Taipei", **more):
    """Return a reminder of mother's."""
    due = first.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return Reminder(
        **{"no": no, "text": "倒垃圾", "due": due, "first": first, "zone": zone}
        | {"whom": (MOM,), "by": MOM}
        | more
    )


# Setting.


def test_what_is_set_is_told_and_kept():
    """
    The model reads the confirmation the family gets, and the draft has what it tells.
    """
    family = Family()
    told = family.run("set", text=" 倒垃圾 ", at="2026-12-01T20:00")
    assert "⏰ #1 12/01（二）20:00 提醒：倒垃圾" == told
    assert reminder(source="m1") == family.last
    told, draft = family.kept()
    assert ["⏰ #1 12/01（二）20:00 提醒：倒垃圾"] == told
    assert {1: reminder(source="m1")} == draft.agenda


@pytest.mark.parametrize(
    ("at", "due"),
    [
        ("2026-12-01T18:01", "2026-12-01T10:01+00:00"),
        ("2026-12-01 20:00", "2026-12-01T12:00+00:00"),
        ("2026-12-01T20:00:59", "2026-12-01T12:00+00:00"),
        ("２０２６-１２-０１Ｔ２０：００", "2026-12-01T12:00+00:00"),
        ("2026-12-01T20:00+09:00", "2026-12-01T11:00+00:00"),
        ("2026-12-01T12:00Z", "2026-12-01T12:00+00:00"),
        ("2036-11-30T08:00", "2036-11-30T00:00+00:00"),
    ],
)
def test_a_time_is_read_by_the_familys_clock(at, due):
    """
    A time without an offset is local, one with it that very moment; reminders have no seconds.
    """
    family = Family()
    family.run("set", text="一", at=at)
    assert datetime.fromisoformat(due) == family.last.due


@pytest.mark.parametrize(
    ("seconds", "minutes", "due"),
    [(0, 30, "10:30"), (29, 1, "10:01"), (30, 1, "10:02"), (59, 1, "10:02"), (40, 90, "11:31")],
)
def test_minutes_are_counted_from_now(seconds, minutes, due):
    """
    Code reckons with minutes, to the nearest, and never to less than half of one.
    """
    family = Family(now=NOW + timedelta(seconds=seconds))
    family.run("set", text="一", in_minutes=minutes)
    assert due == f"{family.last.due:%H:%M}"


def test_minutes_are_minutes_where_the_clocks_go_back():
    """
    In the night in which an hour comes twice, two hours are two hours.
    """
    family = Family(zone=LOS_ANGELES, now=datetime(2027, 11, 7, 7, 45, tzinfo=UTC))
    assert "01:45" in family.run("set", text="一", in_minutes=120)
    assert datetime(2027, 11, 7, 9, 45, tzinfo=UTC) == family.last.due


def test_what_comes_round_from_some_minutes_on_keeps_to_its_days():
    """
    "In five minutes, and every Friday" begins on Friday.
    """
    family = Family()
    told = family.run("set", text="一", in_minutes=5, repeat={"every": "week", "weekdays": ["fri"]})
    assert "⏰ #1 12/04（五）18:05 提醒：一（每週五）" == told
    assert family.last.schedule.after(NOW) == family.last.due


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"at": "2026-12-01T18:00"}, f"12/01（二）18:00 已經過了，{NOW_TOLD[:-1]}"),
        ({"at": "2025-12-02T09:00"}, f"2025/12/02（二）09:00 已經過了，{NOW_TOLD[:-1]}"),
        ({"at": "明天"}, NOW_TOLD),
        ({"at": "0001-01-01T00:00"}, NOW_TOLD),
        ({}, f"要有 at 或 in_minutes。{NOW_TOLD}"),
        ({"at": ""}, f"要有 at 或 in_minutes。{NOW_TOLD}"),
        ({"in_minutes": 0}, NOW_TOLD),
        ({"in_minutes": 60 * 24 * 365 + 1}, NOW_TOLD),
        ({"in_minutes": 10**30}, NOW_TOLD),
        ({"at": AT, "in_minutes": 0}, "只能給一個"),
        ({"at": "2037-12-02T09:00"}, "太遠了"),
        ({"at": "9998-12-31T23:59"}, "太遠了"),
        ({"at": AT, "text": "\n "}, "要寫出到時候說什麼"),
        ({"at": AT, "text": "啊" * (LONGEST + 1)}, "太長了"),
        ({"at": AT, "until": "2026-12-30"}, NOW_TOLD),
        ({"at": AT, "repeat": DAILY, "until": "月底"}, NOW_TOLD),
        ({"at": AT, "repeat": DAILY, "until": "2026-12-01"}, "before its first day"),
        ({"at": AT, "repeat": {"every": "day", "interval": 0}}, "interval"),
        ({"at": AT, "repeat": {"every": "day", "interval": -1}}, "interval"),
        ({"at": AT, "repeat": {"every": "day", "interval": 100}}, "interval"),
        ({"at": AT, "repeat": {"every": "month", "weekdays": ["mon"]}}, NOW_TOLD),
        ({"at": AT, "repeat": {"every": "week", "nth": 2, "weekdays": ["mon"]}}, NOW_TOLD),
        ({"at": AT, "repeat": {"every": "month", "nth": 5, "weekdays": ["mon"]}}, NOW_TOLD),
        ({"at": AT, "repeat": {"every": "month", "nth": 1, "weekdays": ["mon", "tue"]}}, NOW_TOLD),
        ({"at": AT, "repeat": {"every": "year", "nth": -1}}, NOW_TOLD),
        ({"at": "2026-11-01T09:00", "repeat": DAILY, "until": "2026-11-30"}, "已經過了"),
        ({"at": AT, "whom": ["爺爺", "爸爸"]}, "沒有叫 爺爺 的人。有：媽媽、爸爸、小美"),
    ],
)
def test_what_can_t_be_is_refused_with_a_reason(arguments, reason):
    """
    The model reads what is wrong, and what time it is where that helps.
    """
    assert reason in Family().refusal("set", **{"text": "一"} | arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"at": AT},
        {"text": "一", "at": AT, "repeat": {"every": "hour"}},
        {"text": "一", "at": AT, "repeat": {"every": "week", "weekdays": ["星期一"]}},
        {"text": "一", "in_minutes": "soon"},
        {"text": None, "at": AT},
    ],
)
def test_arguments_that_were_not_declared_are_no_call(arguments):
    """
    What has not the form of the declaration is not guessed at.
    """
    family = Family()
    with pytest.raises(ValidationError):
        family.run("set", **arguments)
    assert not family.tools.deeds


@pytest.mark.parametrize(
    ("repeat", "told"),
    [
        (
            {"every": "week", "weekdays": ["fri", "tue", "fri"]},
            "12/04（五）09:00 提醒：一（每週二、五）",
        ),
        ({"every": "week", "weekdays": []}, "12/02（三）09:00 提醒：一（每週三）"),
        ({"every": "day", "interval": None, "nth": 0}, "12/02（三）09:00 提醒：一（每天）"),
        (
            {"every": "month", "nth": -1},
            "12/31（四）09:00 提醒：一（每月最後一天）",
        ),
        (
            {"every": "month", "nth": 1, "weekdays": ["sat"]},
            "12/05（六）09:00 提醒：一（每月第 1 個週六）",
        ),
    ],
)
def test_a_repetition_begins_with_the_first_of_its_days(repeat, told):
    """
    What the model gives as the first time need not be one of the days it asks for.
    """
    assert f"⏰ #1 {told}" == Family().run("set", text="一", at=AT, repeat=repeat)


def test_one_that_has_begun_already_goes_on():
    """
    Of what comes round, a first time that is over does not matter.
    """
    told = Family().run("set", text="一", at="2026-12-01T08:00", repeat=DAILY)
    assert "⏰ #1 12/02（三）08:00 提醒：一（每天）" == told


def test_there_are_only_so_many():
    """
    What is set beyond the most is refused, also within one message.
    """
    family = Family(reminder(7), most=2)
    assert "#8" in family.run("set", text="一", at=AT)
    assert "已經有 2 則提醒" in family.refusal("set", text="二", at=AT)
    family.run("cancel", number=7)
    assert "#9" in family.run("set", text="二", at=AT)


# Whom.


@pytest.mark.parametrize(
    ("names", "whom"),
    [
        (None, (MOM,)),
        ([], (MOM,)),
        (["媽媽"], (MOM,)),
        (["@爸爸"], (DAD,)),
        ([" 爸爸 ", "小美", "爸爸"], (DAD, DAUGHTER)),
        (["everyone"], (EVERYONE,)),
        (["大家"], (EVERYONE,)),
        (["爸爸", "all"], (EVERYONE,)),
    ],
)
def test_people_are_named(names, whom):
    """
    By the names they go by, or all together; who speaks is meant where nobody is named.
    """
    family = Family()
    family.run("set", text="一", at=AT, whom=names)
    assert whom == family.last.whom


def test_somebody_who_is_called_everyone_is_one_person():
    """
    A member's name comes before what the word means.
    """
    family = Family(names=NAMES | {"U4": "大家"})
    family.run("set", text="一", at=AT, whom=["大家"])
    assert ("U4",) == family.last.whom


def test_a_speaker_line_does_not_tell_is_nobody():
    """
    Where LINE does not say who speaks, nobody is mentioned.
    """
    family = Family(speaker="")
    family.run("set", text="一", at=AT)
    assert () == family.last.whom


# Changing.


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"text": "餵魚"}, "12/01（二）20:00 提醒：餵魚（每天，到 2026/12/31）"),
        ({"at": "2026-12-03T21:00"}, "12/03（四）21:00 提醒：倒垃圾（每天，到 2026/12/31）"),
        ({"in_minutes": 30}, "12/01（二）18:30 提醒：倒垃圾（每天，到 2026/12/31）"),
        ({"until": "2026-12-05"}, "12/01（二）20:00 提醒：倒垃圾（每天，到 2026/12/05）"),
        ({"repeat": {"every": "week"}}, "12/01（二）20:00 提醒：倒垃圾（每週二，到 2026/12/31）"),
        (
            {"repeat": {"every": "week", "weekdays": ["sun"]}, "until": "2027-01-31"},
            "12/06（日）20:00 提醒：倒垃圾（每週日，到 2027/01/31）",
        ),
        ({"once": True}, "12/01（二）20:00 提醒：倒垃圾"),
        ({"once": False, "text": "餵魚"}, "12/01（二）20:00 提醒：餵魚（每天，到 2026/12/31）"),
        ({"whom": ["爸爸"]}, "12/01（二）20:00 提醒：倒垃圾（每天，到 2026/12/31、提醒 爸爸）"),
    ],
)
def test_what_is_left_out_of_a_change_stays(changes, told):
    """
    Only what is named changes; each change makes the alarms of before count no more.
    """
    known = reminder(3, rule="FREQ=DAILY;UNTIL=20261231T235959", rev=4)
    family = Family(known)
    assert f"⏰ 改成 #3 {told}" == family.run("change", number=3, **changes)
    assert 5 == family.last.rev
    assert MOM == family.last.by


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "沒有說要改什麼"),
        ({"text": ""}, "要寫出到時候說什麼"),
        ({"at": "2026-12-01T17:00"}, "已經過了"),
        ({"at": AT, "in_minutes": 5}, "只能給一個"),
        ({"until": "2026-12-30"}, NOW_TOLD),
        ({"until": "年底"}, NOW_TOLD),
        ({"repeat": DAILY, "until": "2026-11-30"}, "before its first day"),
        ({"whom": ["爺爺"]}, "沒有叫 爺爺 的人"),
        ({"number": 4, "text": "餵魚"}, "沒有這個號碼：#4"),
        ({"number": -1, "text": "餵魚"}, "沒有這個號碼：#-1"),
    ],
)
def test_what_can_t_be_changed_stays(changes, reason):
    """
    A change that is refused changes nothing.
    """
    assert reason in Family(reminder(3)).refusal("change", **{"number": 3} | changes)


def test_two_changes_of_one_reminder_both_count():
    """
    Asked for one after another, neither is lost when they are done again on what is stored.
    """
    family = Family(reminder(3))
    family.run("change", number=3, text="餵魚")
    family.run("change", number=3, at="2026-12-01T21:00")
    told, draft = family.kept()
    assert "⏰ 改成 #3 12/01（二）21:00 提醒：餵魚" == told[-1]
    assert ("餵魚", 2) == (draft.agenda[3].text, draft.agenda[3].rev)
    assert [(3, 2)] == [(alarm.no, alarm.rev) for alarm in draft.alarms]


def test_a_new_time_is_read_in_the_zone_of_now():
    """
    Also where it says the same as the old one did elsewhere; what has no new time stays there.
    """
    family = Family(reminder(3), zone=TOKYO)
    family.run("change", number=3, text="餵魚")
    assert ("Asia/Taipei", 12) == (family.last.zone, family.last.due.hour)
    family.run("change", number=3, repeat=DAILY)
    assert ("Asia/Taipei", 12) == (family.last.zone, family.last.due.hour)
    family.run("change", number=3, at="2026-12-01T20:00")
    assert ("Asia/Tokyo", 11) == (family.last.zone, family.last.due.hour)


def test_a_new_day_of_a_monthly_one_is_its_day_from_now_on():
    """
    What the rule does not say but the first time does, a new time changes.
    """
    family = Family(reminder(3, first=datetime(2026, 12, 5, 9), rule="FREQ=MONTHLY"))
    told = family.run("change", number=3, at="2026-12-31T09:00")
    assert "（每月 31 日（沒有這天的月份為最後一天））" in told
    family.run("change", number=3, until="2027-12-31")
    assert date(2027, 12, 31) == asked(family.last.rule).until


# Cancelling.


def test_what_is_cancelled_is_told_and_gone():
    """
    It is off the agenda, known as cancelled, and its alarms count no more.
    """
    family = Family(reminder(3))
    assert "取消了 #3 12/01（二）20:00 提醒：倒垃圾" == family.run("cancel", number=3)
    assert {} == family.draft.agenda
    assert ("cancelled", 1) == (family.draft.reminded[3].state, family.draft.reminded[3].rev)
    assert () == family.draft.alarms
    assert "沒有這個號碼：#3" == family.refusal("cancel", number=3)
    assert "沒有這個號碼：#3" == family.refusal("change", number=3, text="餵魚")


# What has become of the conversation meanwhile.


def test_what_is_set_here_can_be_changed_and_cancelled_under_any_number():
    """
    Where others have taken the numbers meanwhile, only what was set here is changed.
    """
    family = Family()
    family.run("set", text="一", at=AT)
    family.run("set", text="二", at=AT)
    family.run("change", number=1, text="三")
    family.run("cancel", number=2)
    others = {1: reminder(1), 2: reminder(2)}
    told, draft = family.kept(Conversation(agenda=others, next_no=3).knowing(NAMES))
    assert others | {3: draft.agenda[3]} == draft.agenda
    assert "三" == draft.agenda[3].text
    assert ["#3", "#4", "#3", "#4"] == [line[line.index("#") :][:2] for line in told]
    assert "cancelled" == draft.reminded[4].state


def test_what_is_gone_meanwhile_is_not_told_as_changed():
    """
    A reminder that was cancelled while the model thought is no longer there to be changed.
    """
    family = Family(reminder(3))
    family.run("change", number=3, text="餵魚")
    told, draft = family.kept(Conversation(next_no=4))
    assert ["沒有這個號碼：#3"] == told
    assert not draft.changes_anything


def test_a_change_meanwhile_is_kept():
    """
    What others have changed stays, as far as it is not what is changed here.
    """
    family = Family(reminder(3))
    family.run("change", number=3, text="餵魚")
    later = reminder(3, first=datetime(2026, 12, 1, 22), rev=1)
    told, draft = family.kept(Conversation(agenda={3: later}, next_no=4).knowing(NAMES))
    assert ["⏰ 改成 #3 12/01（二）22:00 提醒：餵魚"] == told
    assert 2 == draft.agenda[3].rev


def test_the_tools_are_declared():
    """
    The model is offered these three.
    """
    names = ["set_reminder", "change_reminder", "cancel_reminder"]
    assert names == [tool.name for tool in TOOLS]
