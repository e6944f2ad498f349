"""A draft: changes to what a conversation remembers, worked out before any is stored."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Literal

from memory.conversation import ASSISTANT, EVERYBODY, Conversation, Entry, Turn, to_milliseconds
from memory.facts import Candidate, Fact, fingerprint, normalised
from memory.reminders import Alarm, Reminder, alarm, reminder_of
from memory.summary import Sentence
from memory.traces import retells
from services.characters import tokens

Relation = Literal["add", "update", "same", "contradict"]
"""What a candidate is to a known fact."""
Fate = Literal["stored", "updated", "confirmed", "disputed", "skipped"]

_MARK = 12
"""Tokens that a fact takes on the board beside its words."""
_CLEARED = 2 / 3
"""How much of its room the board keeps once it overflows; the rest is for what is recalled."""
_SOURCES = 8
_REPEATED = 1 / 3
"""How much of what is to be forgotten the assistant's words must have to be forgotten as well."""
_LATE = timedelta(days=7)
"""How late an event may still come; claims are kept as long."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate."""

    fate: Fate
    no: int = 0
    """The fact that tells it now."""
    known: int = 0
    """The fact it updated, confirmed or disputes."""
    reason: str = ""
    """Why it was skipped."""


@dataclass(slots=True)
class Draft:
    """Changes to one conversation's memory.

    It is worked out from the conversation as it was read, and stored only if that has not changed
    since; else it is worked out again from what it has become. So facts need no lock, and what was
    forgotten meanwhile stays so.
    """

    before: Conversation
    now: datetime
    room: int
    """Tokens the board may have."""

    board: dict[int, Fact] = field(init=False)
    summary: tuple[Sentence, ...] = field(init=False)
    tombstones: dict[str, int] = field(init=False)
    hidden: int = field(init=False)
    next_no: int = field(init=False)
    agenda: dict[int, Reminder] = field(init=False)
    owed: dict[str, str] = field(init=False)
    zone: str = field(init=False)
    written: dict[int, Fact] = field(default_factory=dict)
    """Facts that are new or changed."""
    superseded: dict[int, int] = field(default_factory=dict)
    """Facts that others have taken the place of, and which."""
    retired: set[int] = field(default_factory=set)
    """Facts that hold no longer, because there are too many."""
    deleted: set[int] = field(default_factory=set)
    reminded: dict[int, Reminder] = field(default_factory=dict)
    """Reminders that are new or changed."""
    dropped: set[int] = field(default_factory=set)
    """Reminders that are deleted."""
    emptied: dict[str, Entry] = field(default_factory=dict)
    """Entries of the window whose words go, by key."""
    leaving: tuple[Entry, ...] = ()
    """Entries that leave the window."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Display names that were asked for."""
    forgets: bool = False
    clears: bool = False
    """Everything is forgotten, names too."""
    cleared: dict[str, int] = field(default_factory=dict)
    """Until when, in milliseconds, all that somebody said is forgotten, or everybody."""

    def __post_init__(self) -> None:
        self.board = dict(self.before.board)
        self.summary = self.before.summary
        self.tombstones = dict(self.before.tombstones)
        self.hidden = self.before.hidden
        self.next_no = self.before.next_no
        self.agenda = dict(self.before.agenda)
        self.owed = dict(self.before.owed)
        self.zone = self.before.zone

    @property
    def changes_anything(self) -> bool:
        """Say whether there is anything to store."""
        before = self.before
        differs = (self.tombstones, self.owed, self.zone) != (
            *(before.tombstones, before.owed, before.zone),
        )
        changes = (
            *(self.written, self.superseded, self.retired),
            *(self.reminded, self.dropped, self.leaving),
        )
        return self.forgets or differs or any(changes)

    def take(
        self,
        candidate: Candidate,
        turn: Turn,
        relation: Relation = "add",
        known: Sequence[Fact] = (),
    ) -> Outcome:
        """Store a candidate that has passed the gates, or do what it means for what is known.

        Who says a thing decides: one's own words take the place of one's earlier ones, another's
        stand beside them.

        Args:
            candidate: What was said.
            turn: In which turn.
            relation: What the judge says it is to the known fact.
            known: That fact; for "add" facts that may be equal, beside those on the board.
        """
        dead = self.tombstones.get(fingerprint(candidate.text), -1)
        if dead >= to_milliseconds(turn.said_at):
            return Outcome("skipped", reason="forgotten")
        known = [self._as_it_is_now(fact) for fact in known]
        equal = next((f for f in (*self.board.values(), *known) if f.equals(candidate)), None)
        if equal:
            return self._confirm(equal, turn)
        if relation == "add":
            return Outcome("stored", self._add(candidate, turn).no)
        fact = known[0]
        if relation == "same" and _numbers(fact.text) == _numbers(candidate.text):
            return self._confirm(fact, turn)
        if fact.by == turn.speaker:
            return self.supersede(fact, candidate, turn)
        return self._dispute(fact, candidate, turn)

    def supersede(self, fact: Fact, candidate: Candidate, turn: Turn) -> Outcome:
        """Let a candidate take a fact's place."""
        new = self._add(candidate, turn, known=fact)
        self._remove(fact)
        self.written.pop(fact.no, None)
        self.superseded[fact.no] = new.no
        self._settle_disputes({fact.no})
        self.refuse(fact.text)
        return Outcome("updated", new.no, fact.no)

    def forget(self, facts: Iterable[Fact], keys: Collection[str] = (), asking: str = "") -> None:
        """Forget facts and turns: with all that led to them and repeats them.

        Args:
            facts: Which facts; with those they took the place of, see `Recall.lineage`.
            keys: Further turns.
            asking: The turn in which somebody asks for it: little of them in it is enough.
        """
        facts = tuple(facts)
        self.forgets = True
        for fact in facts:
            self._remove(fact)
            self.written.pop(fact.no, None)
            self.deleted |= {fact.no, *fact.replaces}
            self.refuse(fact.text)
        self._settle_disputes({fact.no for fact in facts})
        sources = {source for fact in facts for source in fact.sources} | set(keys)
        said = [entry for entry in self.before.entries if entry.key in keys]
        traces = _Traces(facts, sources, said, asking)
        self.emptied |= {entry.key: entry for entry in self.before.entries if traces.in_turn(entry)}
        self.summary = tuple(one for one in self.summary if not traces.in_sentence(one))

    def remind(self, reminder: Reminder) -> None:
        """Set a reminder, or change one; whatever its state, from now on it is as given here."""
        self.next_no = max(self.next_no, reminder.no + 1)
        self.reminded[reminder.no] = reminder
        self.agenda.pop(reminder.no, None)
        if reminder.is_pending:
            self.agenda[reminder.no] = reminder

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """The alarms that are to be set for what changes here."""
        return tuple(alarm(one, self.now) for one in self.reminded.values() if one.is_pending)

    def put_back(self, alarm: Alarm, before: Reminder | None) -> None:
        """Let a reminder be as it was before, or not be at all: its alarm can't be made."""
        current = self.agenda.get(alarm.no)
        if not current or current.rev != alarm.rev:
            return
        if before:
            self.remind(before)
        else:
            self.agenda.pop(alarm.no)
            self.dropped.add(alarm.no)

    def drop(self, reminders: Iterable[Reminder]) -> None:
        """Delete reminders, and all that tells of them."""
        for reminder in reminders:
            self.forgets = True
            self.dropped.add(reminder.no)
            self.agenda.pop(reminder.no, None)
            self.reminded.pop(reminder.no, None)
            for occasion in [one for one in self.owed if reminder_of(one) == reminder.no]:
                del self.owed[occasion]

    def retire(self, facts: Iterable[Fact]) -> None:
        """Let facts hold no longer."""
        for fact in facts:
            self._remove(fact)
            self.retired.add(fact.no)

    def show(self, facts: Iterable[Fact]) -> None:
        """Put all the facts there are on the board, as far as there is room."""
        self.board = {fact.no: fact for fact in facts}
        self.hidden = 0

    def refuse(self, text: str) -> None:
        """Let nothing said up to now become a fact in these words."""
        self.tombstones[fingerprint(text)] = to_milliseconds(self.now)

    def forget_speaker(self, speaker: str, until: datetime) -> None:
        """Forget what somebody said, up to a moment, and what was answered to it."""
        said = {
            entry.key
            for entry in self.before.entries
            if entry.speaker == speaker and entry.said_at <= until
        }
        self.forget((), said)
        self.cleared[speaker] = to_milliseconds(until)
        self.summary = tuple(
            one for one in self.summary if speaker not in one.by or one.said_at > until
        )

    def clear(self, facts: Iterable[Fact], until: datetime) -> None:
        """Forget everything there was at a moment, and who is in the conversation.

        Args:
            facts: Every fact there is.
            until: The moment; what was said after it stays.
        """
        self.forgets = self.clears = True
        self.cleared[EVERYBODY] = to_milliseconds(until)
        for fact in facts:
            if fact.said_at <= until:
                self._remove(fact)
                self.deleted.add(fact.no)
        self.board = {no: fact for no, fact in self.board.items() if no not in self.deleted}
        self.summary = tuple(one for one in self.summary if one.said_at > until)
        self.tombstones = {}
        self.owed = {}
        self.leaving = tuple(one for one in self.before.entries if one.said_at <= until)

    @property
    def has_much_room(self) -> bool:
        """Say whether the board could have far more facts than it has."""
        return _weight(self.board.values()) < self.room / 3

    def bury(self, staying: Sequence[Entry]) -> None:
        """Drop the tombstones of what nobody in the window, or still to come, can have said."""
        oldest = min((entry.said_at for entry in staying), default=self.now)
        since = to_milliseconds(min(oldest, self.now - _LATE))
        self.tombstones = {mark: at for mark, at in self.tombstones.items() if at >= since}

    def drop_over(self, today: date) -> None:
        """Take off the board what is over: its documents may be gone already."""
        self.board = {no: fact for no, fact in self.board.items() if not fact.is_over(today)}

    def clear_board(self, today: date) -> None:
        """Take off the board what is over, and what is too much: the oldest, the important last."""
        self.drop_over(today)
        if _weight(self.board.values()) <= self.room:
            return
        staying = sorted(self.board.values(), key=lambda fact: (fact.is_pinned, fact.no))
        while staying and _weight(staying) > self.room * _CLEARED:
            del self.board[staying.pop(0).no]
            self.hidden += 1

    def _add(self, candidate: Candidate, turn: Turn, known: Fact | None = None) -> Fact:
        earlier = known.sources if known else ()
        fact = Fact(
            no=self.next_no,
            text=candidate.text,
            subject=candidate.subject,
            by=turn.speaker,
            said_at=turn.said_at,
            category=candidate.category,
            kind=candidate.kind,
            importance=candidate.importance,
            expires_on=candidate.expires_on,
            sources=(turn.id, *earlier)[:_SOURCES],
            replaces=(known.no, *known.replaces) if known else (),
        )
        self.next_no += 1
        self.board[fact.no] = self.written[fact.no] = fact
        return fact

    def _confirm(self, fact: Fact, turn: Turn) -> Outcome:
        if turn.id not in fact.sources:
            sources = (*fact.sources, turn.id)[:_SOURCES]
            self._write(replace(fact, confirmed=fact.confirmed + 1, sources=sources))
        return Outcome("confirmed", fact.no, fact.no)

    def _dispute(self, fact: Fact, candidate: Candidate, turn: Turn) -> Outcome:
        new = self._add(candidate, turn)
        self._write(replace(new, disputes=(fact.no,)))
        self._write(replace(fact, disputes=(*fact.disputes, new.no)))
        return Outcome("disputed", new.no, fact.no)

    def _as_it_is_now(self, fact: Fact) -> Fact:
        """Return a fact that was read as this draft has changed it, or what took its place."""
        no = fact.no
        while no in self.superseded:
            no = self.superseded[no]
        return self.board.get(no) or self.written.get(no) or fact

    def _write(self, fact: Fact) -> None:
        """Change a fact, on the board too if it stands there."""
        self.written[fact.no] = fact
        if fact.no in self.board:
            self.board[fact.no] = fact

    def _remove(self, fact: Fact) -> None:
        if not self.board.pop(fact.no, None) and fact.holds:
            self.hidden = max(0, self.hidden - 1)

    def _settle_disputes(self, gone: set[int]) -> None:
        for fact in list(self.board.values()):
            if gone & set(fact.disputes):
                left = tuple(no for no in fact.disputes if no not in gone)
                self._write(replace(fact, disputes=left))


@dataclass(frozen=True, slots=True)
class _Traces:
    """Where what is to be forgotten has left its traces."""

    facts: Sequence[Fact]
    sources: Collection[str]
    """The turns that go, and all that comes of them."""
    said: Sequence[Entry]
    """Those that go with every word of them, not for what a fact tells."""
    asking: str
    """The turn in which somebody asks for it."""

    def in_turn(self, entry: Entry) -> bool:
        """Say whether a turn of the window tells it; an unsent one may have its words still."""
        if entry.unsent and (entry.key not in self.sources or not any(entry.texts.values())):
            return False
        if entry.key in self.sources or entry.answers in self.sources:
            return True
        by = {ASSISTANT} if entry.key == self.asking else {entry.speaker}
        return any(self._in(text, by) for text in entry.texts.values())

    def in_sentence(self, sentence: Sentence) -> bool:
        """Say whether a sentence of the summary tells it."""
        if any(source in self.sources for source in sentence.sources):
            return True
        return self._in(sentence.text, sentence.by)

    def _in(self, text: str, by: Collection[str]) -> bool:
        """Say whether a text tells it again; what the assistant says, it has from others."""
        if ASSISTANT in by:
            words = [told for entry in self.said for told in entry.texts.values()]
            return any(
                retells(text, fact.text, fact.subject, share=_REPEATED) for fact in self.facts
            ) or any(retells(text, told, share=_REPEATED) for told in words)
        # "I can't stand it either" is another one's own.
        return any(
            retells(text, fact.text, fact.subject)
            for fact in self.facts
            if fact.by in by or normalised(fact.subject) in normalised(text)
        )


def weight(fact: Fact) -> int:
    """Return how many tokens a fact takes on the board, by estimate."""
    return tokens(fact.text) + _MARK


def _weight(facts: Iterable[Fact]) -> int:
    return sum(map(weight, facts))


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", normalised(text))
