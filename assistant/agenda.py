"""The agenda in words: reminders as prompts, confirmations and lists tell them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from assistant.prompt import Prompt, quoted
from assistant.reminder_wording import ReminderWording, reminder_wording
from assistant.repeats import moment, told
from memory.draft import Draft
from memory.reminders import Reminder, due_at
from services.outgoing import EVERYONE


@dataclass(frozen=True, slots=True)
class Agenda:
    """Tells reminders of one conversation."""

    prompt: Prompt
    now: datetime

    @property
    def wording(self) -> ReminderWording:
        """The sentences about reminders in the family's language."""
        return reminder_wording(self.prompt.wording.language)

    def block(self) -> list[str]:
        """Return what a prompt says of the reminders to come; nothing where there are none."""
        reminders = in_order(self.prompt.conversation.agenda.values())
        if not reminders:
            return []
        return ["\n".join([self.wording.heading, *map(self.pending, reminders)])]

    def pending(self, reminder: Reminder) -> str:
        """Return a reminder as a prompt or a list has it."""
        return self._told(self.wording.pending, reminder, quoted(reminder.text))

    def confirmed(self, reminder: Reminder) -> str:
        """Return a reminder as a confirmation has it."""
        return self._told(self.wording.confirmation, reminder, reminder.text)

    def when(self, due: datetime, zone: str = "") -> str:
        """Return a moment as a zone's clocks show it, by default the family's."""
        shown_in = ZoneInfo(zone) if zone else self.prompt.zone
        return moment(due, shown_in, self.now, self.prompt.wording.language)

    def names(self, users: Iterable[str]) -> str:
        """Return what people go by, one after another."""
        return self.wording.between.join(
            self.wording.everyone if user == EVERYONE else self.prompt.name(user) for user in users
        )

    def owed(self, draft: Draft) -> list[str]:
        """Return what could not be told in time; in the draft it is told now."""
        if not draft.owed:
            return []
        told = [self.wording.owed, *as_due(draft.owed)]
        draft.owed.clear()
        return told

    def _told(self, form: str, reminder: Reminder, text: str) -> str:
        notes = [told(reminder.rule, reminder.first, self.prompt.wording.language)]
        if reminder.zone != self.prompt.zone.key:
            notes.append(reminder.zone)
        if reminder.whom and reminder.whom != (reminder.by,):
            notes.append(self.wording.whom.format(names=self.names(reminder.whom)))
        noted = self.wording.between.join(filter(None, notes))
        return form.format(
            no=reminder.no,
            when=self.when(reminder.due, reminder.zone),
            text=text,
            notes=self.wording.notes.format(notes=noted) if noted else "",
        )


def as_due(owed: Mapping[str, str]) -> list[str]:
    """Return what could not be told, by its occasions, in the order in which it was due."""
    return [owed[occasion] for occasion in sorted(owed, key=due_at)]


def in_order(reminders: Iterable[Reminder]) -> list[Reminder]:
    """Return reminders, the next one first."""
    return sorted(reminders, key=lambda reminder: (reminder.due, reminder.no))
