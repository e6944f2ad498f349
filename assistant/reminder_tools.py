"""Tools for reminders: what the model may set, change and cancel while it answers one message."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from assistant.agenda import Agenda
from assistant.reminder_wording import ReminderWording
from memory.conversation import ASSISTANT, Turn
from memory.draft import Draft
from memory.reminders import LONGEST, Reminder, in_minutes
from memory.schedule import (
    ImpossibleRule,
    Repeat,
    Schedule,
    UnreadableTime,
    asked,
    local_time,
    rule,
)
from services.dialogue import Tool, ToolError
from services.outgoing import EVERYONE

_FURTHEST = timedelta(days=3660)
_MOST_MINUTES = 60 * 24 * 365

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Repetition(BaseModel):
    """How a reminder comes round."""

    every: Literal["day", "week", "month", "year"] = Field(
        description="Monday to Friday is a week with five weekdays"
    )
    interval: int | None = Field(default=None, description="2 for every other; 1 if left out")
    weekdays: list[Weekday] | None = Field(
        default=None, description="Of a week: on these. Of a month: the one that nth counts"
    )
    nth: int | None = Field(
        default=None,
        description="Of a month, or of the first time's month every year: which such weekday, "
        "1 to 4, or -1 for the last. -1 without weekdays: a month's last day",
    )


class SetReminder(BaseModel):
    """Arguments of `set_reminder`."""

    text: str = Field(
        description="Exactly what is to be said then, in the family's own words, without the time"
    )
    at: str | None = Field(
        default=None,
        description="The first time, by the family's clock, as in 2026-12-01T20:00",
    )
    in_minutes: int | None = Field(
        default=None, description="Instead of at: how many minutes from now"
    )
    repeat: Repetition | None = Field(default=None, description="Only if it comes round")
    until: str | None = Field(default=None, description="The last day, as in 2027-06-30")
    whom: list[str] | None = Field(
        default=None,
        description="Names of the members to be reminded, or everyone; left out: the speaker",
    )


class ChangeReminder(BaseModel):
    """Arguments of `change_reminder`: what is left out stays."""

    number: int = Field(description="Its number on the agenda, as in #3")
    text: str | None = None
    at: str | None = Field(default=None, description="The new time, as in 2026-12-01T20:00")
    in_minutes: int | None = Field(default=None, description="Instead of at")
    repeat: Repetition | None = None
    once: bool | None = Field(default=None, description="True where it shall not come round")
    until: str | None = Field(default=None, description="The last day, as in 2027-06-30")
    whom: list[str] | None = None


class CancelReminder(BaseModel):
    """Arguments of `cancel_reminder`."""

    number: int = Field(description="Its number on the agenda, as in #3")


TOOLS = (
    Tool(
        "set_reminder",
        "Have something said at a certain time: an errand, a medicine, an appointment. For one-off "
        "and regular things alike. Lasting facts that are not to be told at a time are for "
        "remember.",
        SetReminder,
    ),
    Tool("change_reminder", "Change the time, words or people of a reminder.", ChangeReminder),
    Tool("cancel_reminder", "Let a reminder on the agenda not be said.", CancelReminder),
)


@dataclass(slots=True)
class ReminderTools:
    """The reminders' tools for one message; nothing is stored until the draft is."""

    agenda: Agenda
    turn: Turn
    most: int
    """Pending reminders in one conversation."""
    deeds: dict[int, Callable[[Draft], str]] = field(default_factory=dict)
    """What is to be done, one after another; each returns what is told of it."""
    _numbers: dict[int, int] = field(default_factory=dict)
    """What the reminders set here are numbered, by the numbers the model knows them by."""

    def run(self, name: str, arguments: Mapping[str, object], draft: Draft) -> str:
        """Do what the model asks for on a draft, and return what it is to read of it.

        Raises:
            ToolError: It can't be done.
            ValidationError: The arguments are not what was declared.
        """
        match name:
            case "set_reminder":
                return self._set(SetReminder.model_validate(arguments), draft)
            case "change_reminder":
                return self._change(ChangeReminder.model_validate(arguments), draft)
        return self._cancel(CancelReminder.model_validate(arguments).number, draft)

    # Each checks once, and then does the same on whatever the conversation has become.

    def _set(self, wanted: SetReminder, draft: Draft) -> str:
        if len(draft.agenda) >= self.most:
            raise ToolError(self._wording.too_many.format(most=self.most))
        first = self._first(wanted.at, wanted.in_minutes)
        if first is None:
            raise ToolError(self._wording.needs_time.format(now=self._now))
        rewritten = self._rule(self._repeat(wanted.repeat, self._day(wanted.until)), first)
        zone = self.agenda.prompt.zone
        reminder = Reminder(
            no=draft.next_no,
            text=self._text(wanted.text),
            due=self._due(Schedule(first, zone, rewritten), wanted.in_minutes),
            first=first,
            zone=zone.key,
            rule=rewritten,
            whom=self._whom(wanted.whom),
            by=self.turn.speaker,
            source=self.turn.id,
        )

        def deed(draft: Draft) -> str:
            new = replace(reminder, no=draft.next_no)
            self._numbers[reminder.no] = new.no
            draft.remind(new)
            return self._wording.set.format(reminder=self.agenda.confirmed(new))

        return self._done(deed, draft)

    def _change(self, wanted: ChangeReminder, draft: Draft) -> str:
        known = self._known(wanted.number, draft)
        named = wanted.model_dump(exclude={"number"}, exclude_none=True)
        if not named:
            raise ToolError(self._wording.unchanged)
        first = self._first(wanted.at, wanted.in_minutes)
        changes: dict[str, Any] = {}
        if wanted.text is not None:
            changes["text"] = self._text(wanted.text)
        if wanted.whom is not None:
            changes["whom"] = self._whom(wanted.whom)
        if first or wanted.repeat or wanted.once or wanted.until:
            changes |= self._rescheduled(known, wanted, first)

        def deed(draft: Draft) -> str:
            current = self._current(known, draft)
            if not current:
                return self._unknown(known.no)
            new = replace(current, **changes, rev=current.rev + 1)
            draft.remind(new)
            return self._wording.changed.format(reminder=self.agenda.confirmed(new))

        return self._done(deed, draft)

    def _cancel(self, number: int, draft: Draft) -> str:
        known = self._known(number, draft)

        def deed(draft: Draft) -> str:
            current = self._current(known, draft)
            if current:
                draft.remind(replace(current, state="cancelled", rev=current.rev + 1))
            return self._wording.cancelled.format(reminder=self.agenda.confirmed(current or known))

        return self._done(deed, draft)

    def _done(self, deed: Callable[[Draft], str], draft: Draft) -> str:
        self.deeds[len(self.deeds)] = deed
        return deed(draft)

    def _current(self, known: Reminder, draft: Draft) -> Reminder | None:
        """Return what a reminder has become; one set here may have got another number."""
        return draft.agenda.get(self._numbers.get(known.no, known.no))

    # What the model says, as what it means.

    def _known(self, number: int, draft: Draft) -> Reminder:
        if number not in draft.agenda:
            raise ToolError(self._unknown(number))
        return draft.agenda[number]

    def _unknown(self, number: int) -> str:
        return self.agenda.prompt.wording.unknown.format(numbers=f"#{number}")

    def _text(self, text: str) -> str:
        text = text.strip()
        if not text:
            raise ToolError(self._wording.empty)
        if len(text) > LONGEST:
            raise ToolError(self._wording.too_long)
        return text

    def _first(self, at: str | None, minutes: int | None) -> datetime | None:
        """Return the time on the wall that is meant; None where none is named."""
        zone, now = self.agenda.prompt.zone, self.agenda.now
        if at and minutes is not None:
            raise ToolError(self._wording.two_times)
        if at:
            try:
                return local_time(at, zone)
            except UnreadableTime as error:
                raise self._problem(error) from error
        if minutes is None:
            return None
        if not 0 < minutes <= _MOST_MINUTES:
            raise self._problem(f"in_minutes: 1 … {_MOST_MINUTES}.")
        return in_minutes(now, minutes).astimezone(zone).replace(tzinfo=None, fold=0)

    def _day(self, text: str | None) -> date | None:
        try:
            return date.fromisoformat(text) if text else None
        except ValueError as error:
            raise self._problem(f"{text} is no day: write it like 2027-06-30.") from error

    def _repeat(self, wanted: Repetition | None, until: date | None) -> Repeat | None:
        if not wanted:
            if until:
                raise self._problem("until is for what comes round: give repeat too.")
            return None
        weekdays = tuple(sorted({_WEEKDAYS.index(day) for day in wanted.weekdays or ()}))
        interval = 1 if wanted.interval is None else wanted.interval
        try:
            return Repeat(wanted.every, interval, weekdays, wanted.nth or 0, until)
        except ImpossibleRule as error:
            raise self._problem(error) from error

    def _rule(self, repeat: Repeat | None, first: datetime) -> str:
        try:
            return rule(repeat, first) if repeat else ""
        except ImpossibleRule as error:
            raise self._problem(error) from error

    def _rescheduled(
        self, known: Reminder, wanted: ChangeReminder, first: datetime | None
    ) -> dict[str, Any]:
        """Return what changes of a reminder's times."""
        zone = self.agenda.prompt.zone if first else ZoneInfo(known.zone)
        first = first or known.first
        rewritten = self._rule(self._changed(known, wanted), first)
        due = self._due(Schedule(first, zone, rewritten), wanted.in_minutes)
        return {"first": first, "rule": rewritten, "zone": zone.key, "due": due}

    def _changed(self, known: Reminder, wanted: ChangeReminder) -> Repeat | None:
        """Return how a reminder comes round from now on: a new hour of a daily one keeps that."""
        before = asked(known.rule) if known.rule and not wanted.once else None
        until = self._day(wanted.until) or (before.until if before else None)
        if before and not wanted.repeat:
            return replace(before, until=until)
        return self._repeat(wanted.repeat, until)

    def _due(self, schedule: Schedule, minutes: int | None) -> datetime:
        """Return when it is to be said next: minutes are counted, whatever the clocks show."""
        now = self.agenda.now
        if minutes is not None and not schedule.rule:
            return in_minutes(now, minutes)
        due = schedule.after(now)
        if not due:
            when = self.agenda.when(schedule.first_due() or now)
            raise ToolError(self._wording.past.format(when=when, now=self._now))
        if due > now + _FURTHEST:
            raise ToolError(self._wording.too_far)
        return due

    def _whom(self, names: Sequence[str] | None) -> tuple[str, ...]:
        """Return the ids of those who are named; the speaker's where nobody is."""
        speaker = self.turn.speaker
        if not names:
            return (speaker,) if speaker else ()
        known = self._members()
        wanted = [name.strip().removeprefix("@") for name in names]
        everyone = {self._wording.everyone, "everyone", "everybody", "all"}
        unknown = [name for name in wanted if name not in known and name not in everyone]
        if unknown:
            between = self._wording.between
            raise ToolError(
                self._wording.nobody.format(names=between.join(unknown), known=between.join(known))
            )
        if any(name not in known for name in wanted):
            return (EVERYONE,)
        return tuple(dict.fromkeys(known[name] for name in wanted))

    def _members(self) -> dict[str, str]:
        """Return the ids of the members by what they go by; of two of one name, who spoke last."""
        prompt = self.agenda.prompt
        spoken = (turn.speaker for turn in prompt.conversation.turns)
        users = [*prompt.conversation.names, *spoken, self.turn.speaker]
        return {prompt.name(user): user for user in users if user not in {"", ASSISTANT}}

    def _problem(self, problem: object) -> ToolError:
        return ToolError(self._wording.unreadable.format(problem=problem, now=self._now))

    @property
    def _now(self) -> str:
        return self.agenda.when(self.agenda.now)

    @property
    def _wording(self) -> ReminderWording:
        return self.agenda.wording
