"""The diary: the reminders of one conversation in full, those that are over too."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from google.api_core import exceptions
from google.cloud.firestore import Client, DocumentReference, FieldFilter, WriteBatch

from memory.calls import translated
from memory.draft import Draft
from memory.reminders import Reminder, from_document, reminder_of, to_document

KEPT = timedelta(days=30)
"""How long one that is over is kept: its buttons may still be tapped."""

_TRIES = 3
"""How often words are taken out of a ring anew because it changed meanwhile."""


class Diary:
    """The sub-collection of one conversation's reminders, and of no other."""

    def __init__(
        self, client: Client, conversation: DocumentReference, *, patience: Mapping[str, Any]
    ) -> None:
        self._client = client
        self._reminders = conversation.collection("reminders")
        self._rings = conversation.collection("rings")
        self._patience = patience

    def get(self, no: int) -> Reminder | None:
        """Return the reminder of a number, if there is one, whatever its state."""
        with translated():
            snapshot = self.document(no).get(**self._patience)
        stored = snapshot.to_dict()
        return from_document(no, stored) if stored else None

    def by(self, speaker: str) -> list[Reminder]:
        """Return every reminder somebody set, also those that are over."""
        return self._read(self._reminders.where(filter=FieldFilter("by", "==", speaker)))

    def from_turn(self, key: str) -> list[Reminder]:
        """Return every reminder that was set in a turn, also those that are over."""
        return self._read(self._reminders.where(filter=FieldFilter("source", "==", key)))

    def every(self) -> list[Reminder]:
        """Return every reminder there is."""
        return self._read(self._reminders)

    def drop_rings(self, numbers: Collection[int]) -> None:
        """Take the words of some reminders out of what is being said, so that they are not said."""
        if not numbers:
            return
        unsaid = self._rings.where(filter=FieldFilter("done", "==", False))
        with translated():
            for _ in range(_TRIES):
                found = list(unsaid.get(**self._patience))
                if all(self._thin_out(snapshot, numbers) for snapshot in found):
                    return

    def _thin_out(self, ring: Any, numbers: Collection[int]) -> bool:
        """Take words out of one ring; say whether it was still as it had been read."""
        words: Mapping[str, str] = ring.get("words")
        left = {one: told for one, told in words.items() if reminder_of(one) not in numbers}
        if left == words:
            return True
        # Of what is left the words alone are said: the rest told of all of them together.
        thinned: dict[str, Any] = {"messages": [], "words": left}
        unchanged = self._client.write_option(last_update_time=ring.update_time)
        try:
            ring.reference.update(thinned, option=unchanged, **self._patience)
        except (exceptions.FailedPrecondition, exceptions.NotFound):
            return False
        return True

    def write(self, batch: WriteBatch, draft: Draft) -> None:
        """Add to a batch what a draft does to the reminders."""
        for no, reminder in draft.reminded.items():
            batch.set(self.document(no), stored(reminder, draft.now))
        for no in draft.dropped:
            batch.delete(self.document(no))

    def document(self, no: int) -> DocumentReference:
        """Return where a reminder is kept."""
        document: DocumentReference = self._reminders.document(str(no))
        return document

    def _read(self, query: Any) -> list[Reminder]:
        with translated():
            found: Iterable[Any] = query.get(**self._patience)
            return sorted(
                (from_document(int(one.id), one.to_dict()) for one in found),
                key=lambda reminder: reminder.no,
            )


def stored(reminder: Reminder, now: datetime) -> dict[str, Any]:
    """Return a reminder as its own document holds it."""
    document = to_document(reminder)
    return document if reminder.is_pending else document | {"expires_at": now + KEPT}
