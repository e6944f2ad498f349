"""Taps: what the buttons under a reminder do."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from assistant.agenda import Agenda
from assistant.announcements import Tap
from memory.diary import Diary
from memory.draft import Draft
from memory.reminders import Reminder, in_minutes
from memory.schedule import Schedule
from memory.store import Reply

_LATER = 10
"""Minutes."""
_REMEMBERED = 60
"""Of one reminder's taps so many are known, that each button works once."""


@dataclass(frozen=True, slots=True)
class Taps:
    """The buttons of one conversation. None of them asks the model anything."""

    agenda: Agenda
    who: str
    """LINE's id of whoever tapped."""
    at: datetime
    """When; it may have taken long to arrive."""
    diary: Diary

    def take(self, tap: Tap, draft: Draft) -> tuple[Reply, Draft]:
        """Return what is said to a tap, and what it changes."""
        return Reply((self._taken(tap, draft),)), draft

    def _taken(self, tap: Tap, draft: Draft) -> str:
        wording = self.agenda.wording
        reminder = draft.agenda.get(tap.no) or self.diary.get(tap.no)
        if not reminder or reminder.state == "cancelled":
            return wording.gone
        mark = f"{tap.ring}/{tap.button}"
        if mark in reminder.taps:
            return wording.used
        draft.remind(replace(reminder, taps=(*reminder.taps, mark)[-_REMEMBERED:]))
        if tap.button == "done":
            name = self.agenda.prompt.name(self.who)
            return wording.done.format(name=name, text=reminder.text)
        again = self._again(reminder, tap, draft)
        draft.remind(again)
        return wording.set.format(reminder=self.agenda.confirmed(again))

    def _again(self, reminder: Reminder, tap: Tap, draft: Draft) -> Reminder:
        """Return a reminder that says the same once more, counted from when the button was used."""
        zone = ZoneInfo(reminder.zone)
        here = self.at.astimezone(zone)
        if tap.button == "later":
            due = in_minutes(self.at, _LATER)
            first = due.astimezone(zone).replace(tzinfo=None, fold=0)
        else:
            first = datetime.combine(here.date() + timedelta(days=1), reminder.first.time())
            due = Schedule(first, zone).first_due() or self.at.astimezone(UTC)
        return Reminder(
            no=draft.next_no,
            text=reminder.text,
            due=due,
            first=first,
            zone=reminder.zone,
            whom=reminder.whom,
            by=self.who,
        )
