"""Rings: what a reminder says when its time has come, kept until it has been said."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from google.api_core import exceptions
from google.cloud.firestore import (
    DELETE_FIELD,
    Client,
    DocumentReference,
    FieldFilter,
    WriteBatch,
)

from memory.calls import translated
from memory.conversation import Conversation, from_document
from memory.diary import KEPT, Diary
from memory.fields import Fields, alarm_fields, by_path
from memory.reminders import Alarm, Reminder, State, due_at, reminder_of, to_document
from memory.reminders import from_document as from_stored
from services.clock import Clock
from services.errors import Busy

_KEPT = timedelta(days=7)
"""How long what was said is known to have been said: longer than an alarm may be late."""


@dataclass(frozen=True, slots=True)
class Ring:
    """What is said at one time in one chat: all the reminders that are due together."""

    id: str
    messages: tuple[Any, ...]
    """As `services.outgoing` writes them."""
    words: Mapping[str, str]
    """The same in words alone, for whoever could not be told in time; see `Reminder.occasion`."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The reminders in it."""
        return tuple(map(reminder_of, self.words))

    @property
    def plain(self) -> str:
        """All the words, in the order in which they were due."""
        return "\n".join(self.words[occasion] for occasion in sorted(self.words, key=due_at))


@dataclass(frozen=True, slots=True)
class Read:
    """A reminder as it was read, and Firestore's mark of that state."""

    reminder: Reminder
    version: Any


class Rings:
    """One conversation's reminders as their alarms see them, and no other's.

    Whoever rings claims what is due: one batch makes the ring, with the very words that are to be
    said, and moves each reminder on to its next time. From then on the ring is what is to be said,
    and the reminder what comes next::

        alarm ─► read ─ moved on? ─► any ring unfinished? ─ none ► nothing
                  │                 └ lease alive ► Busy │ dead ► taken over ─┐
                  └ due ─ claim ─ changed or cancelled meanwhile ► read again │
                            └ ok ─► LINE, and the next alarms ◄───────────────┘
                                     └─► finish: done
    """

    def __init__(
        self,
        client: Client,
        conversation_id: str,
        clock: Clock,
        *,
        patience: Mapping[str, Any],
        lease: timedelta,
    ) -> None:
        """Take a conversation's id.

        Args:
            client: Firestore.
            conversation_id: LINE's id of the chat.
            clock: The time.
            patience: What each call is given, see `memory.calls`.
            lease: How long a claim holds: longer than the function's time-out.
        """
        self._client = client
        self._clock = clock
        self._patience = patience
        self._lease = lease
        self._id = conversation_id
        self._conversation = client.document("conversations", conversation_id)
        self._rings = self._conversation.collection("rings")
        self._diary = Diary(client, self._conversation, patience=patience)

    def read(self, numbers: Iterable[int]) -> tuple[Conversation, dict[int, Read]]:
        """Read the conversation and some of its reminders; what is not there is left out."""
        snapshots = self._get([self._conversation, *map(self._diary.document, numbers)])
        conversation = Conversation()
        for snapshot in snapshots:
            if snapshot.reference == self._conversation:
                conversation = from_document(snapshot.to_dict(), snapshot.update_time)
        return conversation, _known(one for one in snapshots if one.reference != self._conversation)

    def reminders(self, numbers: Iterable[int]) -> dict[int, Read]:
        """Read some reminders; what is not there is left out."""
        return _known(self._get([self._diary.document(no) for no in numbers]))

    def claim(
        self,
        ring: Ring,
        rung: Sequence[tuple[Read, Reminder]],
        counting: Fields | None = None,
    ) -> bool:
        """Claim what is due; say whether all of it was still as it had been read.

        Args:
            ring: What is to be said.
            rung: Each reminder as it was read, and as it is from now on.
            counting: What counts the push, see `memory.fields`.
        """
        batch = self._client.batch()
        batch.create(self._ring(ring.id), self._new(ring))
        fields: Fields = dict(counting or {})
        for read, after in rung:
            unchanged = self._client.write_option(last_update_time=read.version)
            changed = _moved(after, self._clock.now())
            batch.update(self._diary.document(after.no), changed, option=unchanged)
            fields |= _agenda(after)
        batch.update(self._conversation, by_path(fields))
        return self._commits(batch)

    def unfinished(self) -> list[Ring]:
        """Take over what was claimed and not finished.

        Raises:
            Busy: Somebody is at it.
        """
        query = self._rings.where(filter=FieldFilter("done", "==", False))
        with translated():
            found = list(query.get(**self._patience))
        return [self._taken_over(snapshot) for snapshot in found]

    def _taken_over(self, snapshot: Any) -> Ring:
        stored = snapshot.to_dict()
        if stored["lease_until"] > self._clock.now():
            raise Busy
        unchanged = self._client.write_option(last_update_time=snapshot.update_time)
        batch = self._client.batch()
        batch.update(snapshot.reference, self._leased(), option=unchanged)
        if not self._commits(batch):
            raise Busy
        return Ring(snapshot.id, tuple(stored["messages"]), stored["words"])

    def release(self, ring: Ring) -> None:
        """Let the next delivery take over at once."""
        batch = self._client.batch()
        batch.update(self._ring(ring.id), {"lease_until": self._clock.now()})
        self._commits(batch)

    def finish(self, ring: Ring, alarms: Iterable[Alarm] = (), *, state: State = "done") -> None:
        """Mark a ring done, and note which alarms were made; its words go.

        Args:
            ring: What was said, or can't be.
            alarms: Those of the reminders that are repeated.
            state: What becomes of those that are not, if they could not be delivered.
        """
        batch = self._client.batch()
        self._end(batch, ring)
        fields = alarm_fields(alarms)
        if fields:
            batch.update(self._conversation, by_path(fields))
        self._commits(batch)
        if state != "done":
            self._mark(ring, state)

    def owe(self, ring: Ring, alarms: Iterable[Alarm]) -> None:
        """Mark a ring done, and note that its words are to be told with the next reply."""
        batch = self._client.batch()
        self._end(batch, ring)
        owed: Fields = {("owed", occasion): words for occasion, words in ring.words.items()}
        batch.update(self._conversation, by_path(owed | alarm_fields(alarms)))
        self._commits(batch)

    def pay(self, ring: Ring, conversation: Conversation) -> bool:
        """Claim what is owed, to be pushed after all; say whether it still is."""
        batch = self._client.batch()
        batch.create(self._ring(ring.id), self._new(ring))
        unchanged = self._client.write_option(last_update_time=conversation.version)
        paid: Fields = {("owed", owed): DELETE_FIELD for owed in conversation.owed}
        batch.update(self._conversation, by_path(paid), option=unchanged)
        return self._commits(batch)

    def note(self, alarms: Iterable[Alarm]) -> None:
        """Note which alarms were made."""
        batch = self._client.batch()
        batch.update(self._conversation, by_path(alarm_fields(alarms)))
        self._commits(batch)

    def retry_key(self, ring: Ring, form: str = "") -> str:
        """Return the UUID that stands for a ring's words in this form, whoever sends them."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"ring/{self._id}/{ring.id}/{form}"))

    def _get(self, references: list[DocumentReference]) -> list[Any]:
        if not references:
            return []
        with translated():
            found = list(self._client.get_all(references, **self._patience))
        return [snapshot for snapshot in found if snapshot.exists]

    def _mark(self, ring: Ring, state: State) -> None:
        """Say of those reminders in a ring that are over what became of them."""
        batch = self._client.batch()
        for no, read in self.reminders(ring.numbers).items():
            if read.reminder.state == "done" and read.reminder.ring == ring.id:
                batch.update(self._diary.document(no), {"state": state})
        self._commits(batch)

    def _end(self, batch: WriteBatch, ring: Ring) -> None:
        said = {"done": True, "messages": DELETE_FIELD, "words": DELETE_FIELD}
        batch.update(self._ring(ring.id), said)

    def _new(self, ring: Ring) -> dict[str, Any]:
        return {
            "messages": list(ring.messages),
            "words": dict(ring.words),
            "done": False,
            "expires_at": self._clock.now() + _KEPT,
            **self._leased(),
        }

    def _leased(self) -> dict[str, Any]:
        return {"holder": uuid.uuid4().hex, "lease_until": self._clock.now() + self._lease}

    def _commits(self, batch: WriteBatch) -> bool:
        """Commit a batch; say whether everything was as it had to be."""
        with translated():
            try:
                batch.commit(**self._patience)
            except (
                exceptions.AlreadyExists,
                exceptions.FailedPrecondition,
                exceptions.NotFound,
            ):
                return False
        return True

    def _ring(self, ring_id: str) -> DocumentReference:
        ring: DocumentReference = self._rings.document(ring_id)
        return ring


def _known(snapshots: Iterable[Any]) -> dict[int, Read]:
    return {
        int(one.id): Read(from_stored(int(one.id), one.to_dict()), one.update_time)
        for one in snapshots
    }


def _moved(reminder: Reminder, now: datetime) -> dict[str, Any]:
    """Return what changes in a reminder's own document when it has rung."""
    changed: dict[str, Any] = {
        "due": reminder.due,
        "state": reminder.state,
        "ring": reminder.ring,
    }
    return changed if reminder.is_pending else changed | {"expires_at": now + KEPT}


def _agenda(reminder: Reminder) -> Fields:
    pending = reminder.is_pending
    return {
        ("agenda", str(reminder.no)): to_document(reminder) if pending else DELETE_FIELD,
        ("alarms", str(reminder.no)): DELETE_FIELD,
    }
