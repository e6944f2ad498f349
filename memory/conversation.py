"""A conversation: who is in it, what was just said, and what is remembered of the rest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memory.facts import Fact
from memory.facts import from_document as fact_from_document
from memory.reminders import Reminder, lacks_alarm
from memory.reminders import from_document as reminder_from_document
from memory.summary import Sentence
from memory.summary import from_document as sentence_from_document
from services.outgoing import EVERYONE

ASSISTANT = "assistant"
"""The speaker of the assistant's own turns."""
EVERYBODY = "everybody"
"""Stands where a speaker's id stands, for all of them."""

Upgrade = Callable[[Mapping[str, Any]], Mapping[str, Any]]

_UPGRADES: tuple[Upgrade, ...] = ()
"""Each makes of a document in one form the same in the next; the first of one in form 1."""
SCHEMA = 1 + len(_UPGRADES)
"""The form in which conversations are stored; one in an earlier form is brought up when read."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One remembered utterance."""

    id: str
    """Its key in the window: m and LINE's message id, or r and the event a reply answers."""
    speaker: str
    """LINE's user id, `ASSISTANT`, or empty where LINE does not tell."""
    text: str
    said_at: datetime
    quotes: str = ""
    """LINE's id of the message it quotes."""
    answers: str = ""
    """Of a reply: the turn it answers."""
    message_ids: tuple[str, ...] = ()
    """LINE's ids for it, by which it can be quoted."""
    kind: str = ""
    """LINE's type of the message, where the words are not its speaker's own but tell what came."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is in a window."""

    turns: int = 0
    characters: int = 0

    def exceeds(self, limit: "Size") -> bool:
        """Say whether there is more than this in any respect."""
        return self.turns > limit.turns or self.characters > limit.characters

    def __mul__(self, factor: float) -> "Size":
        return Size(int(self.turns * factor), int(self.characters * factor))

    def __add__(self, other: "Size") -> "Size":
        return Size(self.turns + other.turns, self.characters + other.characters)

    def __sub__(self, other: "Size") -> "Size":
        return Size(self.turns - other.turns, self.characters - other.characters)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the window's map holds for one turn: all that was said of it, in whatever order it came.

    `texts` has the words by when they were said, in milliseconds: the first moment is when the turn
    was said, the last words are the ones that count. An unsent turn keeps moments, but no words.
    """

    key: str
    speaker: str
    texts: Mapping[int, str]
    quotes: str = ""
    answers: str = ""
    message_ids: tuple[str, ...] = ()
    kind: str = ""
    unsent: bool = False
    """Or forgotten."""

    @property
    def said_at(self) -> datetime:
        """When it was said first."""
        return from_milliseconds(min(self.texts))

    @property
    def size(self) -> Size:
        """How much of the window it takes, without the words a cut removes anyway."""
        return Size(1, len(self.texts[max(self.texts)]))

    @property
    def superseded(self) -> list[int]:
        """The moments whose words no longer count."""
        return sorted(self.texts)[:-1]

    def turn(self) -> Turn:
        """Return it as a turn."""
        return Turn(
            self.key,
            self.speaker,
            self.texts[max(self.texts)],
            self.said_at,
            self.quotes,
            self.answers,
            self.message_ids,
            self.kind,
        )


@dataclass(frozen=True, slots=True)
class Conversation:
    """One LINE chat, as its document told when it was read."""

    entries: tuple[Entry, ...] = ()
    """The window, by when it was said."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Display names by user id; empty where LINE knows none."""
    watermark: int = 0
    """How many times the window has been cut."""
    size: Size = field(default=Size())
    """The window's size as it was counted while it was written, never less than it is."""
    summary: tuple[Sentence, ...] = ()
    """What was said before the window."""
    board: Mapping[int, Fact] = field(default_factory=dict)
    """The facts that are shown, by number."""
    hidden: int = 0
    """How many more there are."""
    next_no: int = 1
    tombstones: Mapping[str, int] = field(default_factory=dict)
    """The fingerprints of forgotten texts, and when they were forgotten, in milliseconds."""
    cleared: Mapping[str, int] = field(default_factory=dict)
    """Until when all that somebody said is forgotten, or everybody, in milliseconds."""
    forgotten: int = 0
    """How often something was forgotten or unsent."""
    unembedded: bool = False
    """There are facts that could not be embedded when they were stored."""
    agenda: Mapping[int, Reminder] = field(default_factory=dict)
    """The reminders that are still to be said, by number."""
    alarms: Mapping[int, datetime] = field(default_factory=dict)
    """When the last alarm made for each of them rings."""
    owed: Mapping[str, str] = field(default_factory=dict)
    """What could not be pushed and is to be told with the next reply, by its ring."""
    left_at: datetime | None = None
    """When we were put out, or blocked; None where we are in the chat."""
    calls: Mapping[str, int] = field(default_factory=dict)
    """Calls of the model, by day."""
    pushes: Mapping[str, int] = field(default_factory=dict)
    """Pushes of reminders, by day."""
    stopped_on: str = ""
    """The last day on which all conversations together had made as many calls as they may."""
    zone: str = ""
    """The time zone that was chosen here, by its IANA name; empty for the deployment's."""
    version: Any = field(default=None, compare=False)
    """Firestore's mark of the state that was read."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The window's turns, oldest first, without what was unsent."""
        return tuple(entry.turn() for entry in self.entries if not entry.unsent)

    def has_forgotten(self, turn: Turn) -> bool:
        """Say whether a turn was taken back, or forgotten with all that was said before."""
        until = max(self.cleared.get(turn.speaker, -1), self.cleared.get(EVERYBODY, -1))
        unsent = any(entry.unsent for entry in self.entries if entry.key == turn.id)
        return unsent or to_milliseconds(turn.said_at) <= until

    def find(self, message_id: str) -> Turn | None:
        """Return the turn that LINE knows by this message id, if it is still in the window."""
        if not message_id:
            return None
        return next((turn for turn in self.turns if message_id in turn.message_ids), None)

    def knowing(self, names: Mapping[str, str]) -> "Conversation":
        """Return the conversation with these display names known as well."""
        return replace(self, names={**self.names, **names})

    def nameless(self) -> set[str]:
        """Return the speakers whose display name has never been asked for."""
        speakers = {turn.speaker for turn in self.turns}
        recorders = {fact.by for fact in self.board.values()}
        reminded = {user for one in self.agenda.values() for user in (one.by, *one.whom)}
        unnamed = {"", ASSISTANT, EVERYONE}
        return (speakers | recorders | reminded) - unnamed - set(self.names)

    def facts(self, today: date) -> tuple[Fact, ...]:
        """Return the facts that are shown on a day, by number."""
        return tuple(fact for no, fact in sorted(self.board.items()) if not fact.is_over(today))

    def unalarmed(self, now: datetime) -> tuple[Reminder, ...]:
        """Return the reminders whose alarm was never made, or has failed to ring."""
        return tuple(
            reminder
            for no, reminder in sorted(self.agenda.items())
            if lacks_alarm(self.alarms.get(no), now)
        )

    def has_spent(self, day: date, most: int) -> bool:
        """Say whether no more calls of the model may be made on a day."""
        return self.stopped_on == str(day) or self.calls.get(str(day), 0) >= most

    def zone_or(self, default: ZoneInfo) -> ZoneInfo:
        """Return the time zone that was chosen here, or else the deployment's."""
        return ZoneInfo(self.zone) if self.zone else default

    def silence(self, turn: Turn) -> timedelta:
        """Return how long nobody had said anything when a turn was said."""
        before = [entry.said_at for entry in self.entries if entry.said_at < turn.said_at]
        return turn.said_at - max(before) if before else timedelta()

    def leaving(self, limit: Size) -> tuple[Entry, ...]:
        """Return the oldest entries, as many as must leave for the rest to be within a limit."""
        staying = Size()
        for stay, entry in enumerate(reversed(self.entries)):
            staying += entry.size
            if staying.exceeds(limit):
                return self.entries[: len(self.entries) - stay]
        return ()

    def left_behind(self, before: datetime, keep: int) -> tuple[Entry, ...]:
        """Return the entries said before a moment, without the last few of them."""
        old = [entry for entry in self.entries if entry.said_at < before]
        return tuple(old[: max(0, len(old) - keep)])


def shortened(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: of a longer one the beginning and the end."""
    if len(text) <= limit:
        return text
    mark = "\n……\n"
    head, tail = limit - limit // 4 - len(mark), limit // 4
    return text[:head] + mark + text[-tail:] if head > 0 < tail else text[:limit]


def brought_up(
    document: Mapping[str, Any], upgrades: Sequence[Upgrade] = _UPGRADES
) -> Mapping[str, Any]:
    """Return a conversation's document in the form of today."""
    for upgrade in upgrades[document.get("schema", 1) - 1 :]:
        document = upgrade(document)
    return document


def from_document(document: Mapping[str, Any], version: Any = None) -> Conversation:
    """Read a conversation's document, in whatever form it was stored."""
    document = brought_up(document)
    entries = [
        _entry(key, stored)
        for key, stored in document.get("window", {}).items()
        if stored.get("texts")
    ]
    size = document.get("size", {})
    return Conversation(
        entries=tuple(sorted(entries, key=lambda entry: (min(entry.texts), entry.key))),
        names=document.get("members", {}),
        watermark=document.get("watermark", 0),
        size=Size(size.get("turns", 0), size.get("characters", 0)),
        summary=tuple(map(sentence_from_document, document.get("summary", ()))),
        board={
            int(no): fact_from_document(int(no), stored)
            for no, stored in document.get("board", {}).items()
        },
        hidden=document.get("hidden", 0),
        next_no=document.get("next_no", 1),
        tombstones=document.get("tombstones", {}),
        cleared=document.get("cleared", {}),
        forgotten=document.get("forgotten", 0),
        unembedded=document.get("unembedded", False),
        agenda={
            int(no): reminder_from_document(int(no), stored)
            for no, stored in document.get("agenda", {}).items()
        },
        alarms={int(no): from_milliseconds(at) for no, at in document.get("alarms", {}).items()},
        owed=document.get("owed", {}),
        left_at=_left_at(document),
        calls=document.get("calls", {}),
        pushes=document.get("pushes", {}),
        stopped_on=document.get("stopped_on", ""),
        zone=document.get("zone", ""),
        version=version,
    )


def to_milliseconds(moment: datetime) -> int:
    """Return a moment as LINE writes it."""
    return round(moment.timestamp() * 1000)


def from_milliseconds(milliseconds: int) -> datetime:
    """Return a moment LINE wrote, in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _left_at(document: Mapping[str, Any]) -> datetime | None:
    """Return when we left, unless we came back later: events arrive in any order."""
    left, back = document.get("left_at", 0), document.get("back_at", 0)
    return from_milliseconds(left) if left > back else None


def _entry(key: str, stored: Mapping[str, Any]) -> Entry:
    return Entry(
        key=key,
        speaker=stored.get("by", ""),
        texts={int(moment): text for moment, text in stored["texts"].items()},
        quotes=stored.get("quotes", ""),
        answers=stored.get("answers", ""),
        message_ids=tuple(stored.get("ids", ())),
        kind=stored.get("kind", ""),
        unsent=bool(stored.get("unsent")),
    )
