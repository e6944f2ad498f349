"""Firestore: how one conversation is kept."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from google.api_core import exceptions
from google.cloud.firestore import (
    DELETE_FIELD,
    Client,
    DocumentReference,
    FieldFilter,
    Increment,
    Maximum,
    WriteBatch,
)

from memory import reminders
from memory.calls import translated
from memory.conversation import (
    SCHEMA,
    Conversation,
    Size,
    Turn,
    from_document,
    to_milliseconds,
)
from memory.diary import Diary
from memory.draft import Draft
from memory.fields import (
    Fields,
    alarm_fields,
    asking_fields,
    by_path,
    calls_fields,
    cut_fields,
    draft_fields,
    emptied_fields,
    turn_fields,
    unsent_fields,
)
from memory.records import Records
from memory.reminders import Alarm, Reminder
from memory.usage import TOLD, Calls
from services.clock import Clock
from services.errors import Busy

_KEPT = timedelta(days=7)
"""How long claims are kept: longer than a task name is blocked or LINE redelivers."""

_PAUSE = timedelta(minutes=10)
"""How long a digest that failed is left alone: each try costs a call of the model."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to the family in answer to one event."""

    bubbles: tuple[str, ...]
    """The messages LINE shows."""
    remembered: str = ""
    """The words as a turn of the window; empty where they are none, as an apology's."""
    withheld: bool = False
    """The model's filters stopped the message: it must not be in the next prompt too."""
    forgotten: int = 0
    """How often something had been forgotten when it was thought."""
    alarms: tuple[Alarm, ...] = ()
    """What must be set before it may be said: it tells of reminders."""
    unchanged: Mapping[int, Reminder | None] = field(default_factory=dict)
    """Those reminders as they were before, or None: so they are again if that can't be done."""
    instead: str = ""
    """What is said then."""
    calls: Calls | None = None
    """Of the model; not kept: what a process that died has called is not counted."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One delivery's hold on an event."""

    event_id: str
    done: bool = False
    reply: Reply | None = None
    """What an earlier delivery had thought before it died."""
    size: Size = field(default=Size())
    """How much is in the window now; nothing where an earlier delivery had remembered it."""
    unsent: bool = False
    """The message was unsent, or forgotten with all the others, before it arrived."""
    cleared: int = -1
    """Until when all that was said is forgotten, in milliseconds."""

    @property
    def retry_key(self) -> str:
        """The UUID that stands for this event's reply, whoever sends it."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"reply/{self.event_id}"))


class Store:
    """One conversation in Firestore, and no other.

    An event is claimed in the same batch in which it is remembered, so that neither is without the
    other. The claim is a document made by `create`, on the event's own id::

        create ─ ok ────► thinking ─► keep(reply) ─► LINE ─► finish: done
           │              └──────────── lease ────────────┘
           └ exists ─► done?          nothing more to do
                       lease alive?   Busy: the task comes again
                       lease dead?    taken over; a kept reply is sent as it is

    A lease outlasts the function's time-out, and the queue's patience outlasts two leases. Whoever
    gives up in good order releases the lease, so that only a death has to be waited for.
    """

    def __init__(
        self,
        client: Client,
        conversation_id: str,
        clock: Clock,
        *,
        patience: Mapping[str, Any],
        lease: timedelta = timedelta(),
    ) -> None:
        """Take a conversation's id.

        Args:
            client: Firestore.
            conversation_id: LINE's id of the chat.
            clock: The time.
            patience: What each call is given, see `memory.calls`.
            lease: How long a claim holds; none for who claims nothing.
        """
        self._client = client
        self._clock = clock
        self._lease = lease
        self._conversation: DocumentReference = client.document("conversations", conversation_id)
        self._patience = patience
        self.records = Records(client, self._conversation, patience=patience)
        """The facts in full."""
        self.diary = Diary(client, self._conversation, patience=patience)
        """The reminders in full."""

    # What arrives. Each claims its event and writes blind; None: there is no such conversation.

    def claim(self, event_id: str) -> Claim | None:
        """Claim an event that says nothing."""
        return self._begin(event_id, {}, done=False)

    def hear(self, event_id: str, turn: Turn, *, done: bool) -> Claim | None:
        """Claim an event and remember a turn, or newer words of one.

        `done` where nothing more will follow.
        """
        claim = self._begin(event_id, turn_fields(turn) | asking_fields(turn), done=done)
        if claim and claim.cleared >= to_milliseconds(turn.said_at):
            return replace(claim, unsent=True)
        return claim

    def unsend(self, event_id: str, key: str, at: datetime) -> Claim | None:
        """Claim an event and mark a turn unsent, whether or not its words have come yet."""
        fields = unsent_fields(key, at) | {("forgotten",): Increment(1)}
        return self._begin(event_id, fields, done=False)

    # What follows.

    def open(self) -> None:
        """Make the conversation, empty; one that is there is left as it is."""
        now = self._clock.now()
        document = {
            "schema": SCHEMA,
            "created_at": now,
            "heard_at": now,
            "window": {},
            "size": {"turns": 0, "characters": 0},
            "watermark": 0,
            "members": {},
        }
        with translated():
            try:
                self._conversation.create(document, **self._patience)
            except exceptions.AlreadyExists:
                return

    def read(self) -> Conversation:
        """Read the conversation; an empty one where it has been deleted."""
        with translated():
            snapshot = self._conversation.get(**self._patience)
        return from_document(snapshot.to_dict() or {}, snapshot.update_time)

    def keep(self, claim: Claim, reply: Reply) -> None:
        """Keep what was thought, before it is sent."""
        with translated():
            self._event(claim.event_id).update({"reply": _stored(reply)}, **self._patience)

    def commit(
        self,
        draft: Draft,
        *,
        vectors: Mapping[str, Sequence[float]] | None = None,
        model: str = "",
        claim: Claim | None = None,
        reply: Reply | None = None,
        report: Mapping[str, Any] | None = None,
        calls: Calls | None = None,
    ) -> bool:
        """Store a draft; say whether the conversation was still as the draft had found it.

        Args:
            draft: The changes.
            vectors: Of new facts, by text; those that have none are embedded later.
            model: The model they come from.
            claim: The event whose answer they come from.
            reply: That answer, kept in the same batch: neither is without the other.
            report: Of a digest: what came of it, which marks it done.
            calls: Of the model, for that.
        """
        vectors = vectors or {}
        if not draft.before.version:
            return False
        # There is always something to write, or the condition would be on nothing.
        fields = {("next_no",): draft.next_no} | draft_fields(draft)
        fields |= calls_fields(calls) if calls else {}
        new = [fact for no, fact in draft.written.items() if no >= draft.before.next_no]
        if any(fact.text not in vectors for fact in new):
            fields["unembedded",] = True
        unchanged = self._client.write_option(last_update_time=draft.before.version)
        batch = self._client.batch()
        batch.update(self._conversation, by_path(fields), option=unchanged)
        self.records.write(batch, draft, vectors, model)
        self.diary.write(batch, draft)
        if claim and reply:
            batch.update(self._event(claim.event_id), {"reply": _stored(reply)})
        if report is not None:
            batch.update(self._digest(draft.before), {"done": True, "report": dict(report)})
        with translated():
            try:
                self._commit(batch)
            except (exceptions.FailedPrecondition, exceptions.NotFound):
                return False
        return True

    def kept(self, claim: Claim) -> Reply | None:
        """Return what is kept for an event: where a commit's answer was lost, it may be there."""
        with translated():
            snapshot = self._event(claim.event_id).get(**self._patience)
        return _reply((snapshot.to_dict() or {}).get("reply"))

    def mark_embedded(self) -> None:
        """Note that every fact has its vector."""
        with translated():
            self._conversation.update({"unembedded": False}, **self._patience)

    def forget_alarms(self) -> None:
        """Note of no alarm that it was made: the next answer sets all of them anew."""
        with translated():
            self._conversation.update({"alarms": DELETE_FIELD}, **self._patience)

    def finish(
        self,
        claim: Claim,
        *,
        said: Turn | None = None,
        withheld: Turn | None = None,
        names: Mapping[str, str] | None = None,
        alarms: Iterable[Alarm] = (),
        calls: Calls | None = None,
    ) -> int:
        """Mark the event done, and remember what came of it.

        Args:
            claim: The event's.
            said: What the assistant said.
            withheld: The turn that must not stay in the window.
            names: Display names that were asked for.
            alarms: Those that were set.
            calls: Of the model, for this answer.

        Returns:
            How often something had been forgotten by then, if anything was said.
        """
        fields: Fields = {("members", user): name for user, name in (names or {}).items()}
        fields |= alarm_fields(alarms)
        fields |= calls_fields(calls) if calls else {}
        if said:
            # Adds nothing, but tells in the commit's answer.
            fields |= turn_fields(said) | {("forgotten",): Increment(0)}
        if withheld:
            fields |= emptied_fields(withheld.id, withheld.said_at)
        batch = self._client.batch()
        batch.update(self._event(claim.event_id), {"done": True, "reply": DELETE_FIELD})
        if fields:
            batch.update(self._conversation, by_path(fields))
        with translated():
            results = self._commit(batch)
        counts = _counts(fields, results[1].transform_results) if fields else {}
        return counts.get(("forgotten",), 0)

    def tell(self, calls: Calls, most: int) -> None:
        """Add calls to those of the whole deployment; where they are too many, note it here.

        Args:
            calls: The last of those that have not been told yet.
            most: How many there may be in a day.
        """
        usage = self._client.document("usage", calls.day.isoformat())
        batch = self._client.batch()
        counted = {"calls": Increment(TOLD), "expires_at": self._clock.now() + _KEPT}
        batch.set(usage, counted, merge=True)
        with translated():
            (result,) = self._commit(batch)
            if result.transform_results[0].integer_value >= most:
                stopped = {"stopped_on": calls.day.isoformat()}
                self._conversation.update(stopped, **self._patience)

    def leave(self, event_id: str, at: datetime) -> Claim | None:
        """Claim an event and note that we are in the chat no longer."""
        return self._begin(event_id, {("left_at",): Maximum(to_milliseconds(at))}, done=False)

    def come_back(self, event_id: str, at: datetime) -> Claim | None:
        """Claim an event and note that we are in the chat again."""
        return self._begin(event_id, {("back_at",): Maximum(to_milliseconds(at))}, done=False)

    def withdraw(self, turn: Turn) -> None:
        """Take a turn's words out of the window."""
        with translated():
            self._conversation.update(
                by_path(emptied_fields(turn.id, turn.said_at)), **self._patience
            )

    def drop_kept_replies(self, claim: Claim) -> None:
        """Delete what was thought for other events and not sent: whoever takes over thinks anew."""
        with translated():
            pending = self._conversation.collection("events").where(
                filter=FieldFilter("done", "==", False)
            )
            for snapshot in pending.select(["reply"]).get(**self._patience):
                kept = "reply" in (snapshot.to_dict() or {})
                if kept and snapshot.id != claim.event_id:
                    snapshot.reference.update({"reply": DELETE_FIELD}, **self._patience)

    def release(self, claim: Claim) -> None:
        """Let the next delivery take over at once."""
        with translated():
            self._event(claim.event_id).update({"lease_until": self._clock.now()}, **self._patience)

    # Cutting the window. Several may try at once: the claim on the watermark lets one through.

    def trim(self, limit: Size) -> None:
        """Let the oldest turns leave until the window is within a limit.

        What is being appended meanwhile is never in its way.
        """
        conversation = self.read()
        fields = cut_fields(conversation, conversation.leaving(limit))
        digest = self._digest(conversation)
        claim = {"done": True, "expires_at": self._clock.now() + _KEPT}
        batch = self._client.batch()
        with translated():
            # What came to nothing has left its claim; whoever is at it will find that it is over.
            left = digest.get(**self._patience)
            if left.exists and left.get("done"):
                return
            if left.exists:
                unchanged = self._client.write_option(last_update_time=left.update_time)
                batch.update(digest, claim, option=unchanged)
            else:
                batch.create(digest, claim)
            batch.update(self._conversation, by_path(fields))
            try:
                self._commit(batch)
            except (
                exceptions.AlreadyExists,
                exceptions.FailedPrecondition,
                exceptions.NotFound,
            ):
                return

    def begin_digest(self, conversation: Conversation) -> bool:
        """Claim the digest that starts from a conversation's watermark; say whether it is ours."""
        now = self._clock.now()
        holder = uuid.uuid4().hex
        lease = {
            "holder": holder,
            "lease_until": now + self._lease,
            "done": False,
            "expires_at": now + _KEPT,
        }
        reference = self._digest(conversation)
        with translated():
            try:
                reference.create(lease, **self._patience)
                return True
            except exceptions.AlreadyExists:
                snapshot = reference.get(**self._patience)
            stored = snapshot.to_dict() or {}
            if stored.get("holder") == holder:
                return True
            if stored.get("done") or stored.get("lease_until", now) > now:
                return False
            unchanged = self._client.write_option(last_update_time=snapshot.update_time)
            try:
                reference.update(lease, option=unchanged, **self._patience)
            except (exceptions.FailedPrecondition, exceptions.NotFound):
                return False
        return True

    def give_up_digest(self, conversation: Conversation) -> None:
        """Let another try the digest, after a pause."""
        pause = {"lease_until": self._clock.now() + _PAUSE}
        with translated():
            self._digest(conversation).update(pause, **self._patience)

    def _begin(self, event_id: str, fields: Fields, *, done: bool) -> Claim | None:
        now = self._clock.now()
        holder = uuid.uuid4().hex
        claim = {
            "holder": holder,
            "lease_until": now + self._lease,
            "done": done,
            "expires_at": now + _KEPT,
        }
        batch = self._client.batch()
        batch.create(self._event(event_id), claim)
        batch.update(self._conversation, by_path({("heard_at",): now} | fields))
        with translated():
            try:
                results = self._commit(batch)
            except exceptions.NotFound:
                return None
            except exceptions.AlreadyExists:
                return self._take_over(event_id, holder)
        return _claimed(event_id, done, fields, list(results[1].transform_results))

    def _take_over(self, event_id: str, holder: str) -> Claim:
        """Return what an earlier delivery left, if its lease is dead; else raise `Busy`."""
        reference = self._event(event_id)
        snapshot = reference.get(**self._patience)
        stored = snapshot.to_dict() or {}
        if stored.get("done"):
            return Claim(event_id, done=True)
        now = self._clock.now()
        # Our own name in it: the commit had gone through, only its answer was lost.
        if stored.get("holder") != holder and stored.get("lease_until", now) > now:
            raise Busy
        unchanged = self._client.write_option(last_update_time=snapshot.update_time)
        lease = {"holder": holder, "lease_until": now + self._lease}
        try:
            reference.update(lease, option=unchanged, **self._patience)
        except (exceptions.FailedPrecondition, exceptions.NotFound) as error:
            raise Busy from error
        return Claim(event_id, reply=_reply(stored.get("reply")))

    def _digest(self, conversation: Conversation) -> DocumentReference:
        digests = self._conversation.collection("digests")
        digest: DocumentReference = digests.document(str(conversation.watermark))
        return digest

    def _event(self, event_id: str) -> DocumentReference:
        event: DocumentReference = self._conversation.collection("events").document(event_id)
        return event

    def _commit(self, batch: WriteBatch) -> list[Any]:
        return batch.commit(**self._patience)


def _counts(fields: Fields, results: Iterable[Any]) -> dict[tuple[str, ...], int]:
    """Read off a commit's answer what its transforms came to, by path."""
    counted = sorted(
        path for path, value in fields.items() if isinstance(value, Increment | Maximum)
    )
    return {path: result.integer_value for path, result in zip(counted, results, strict=True)}


def _claimed(event_id: str, done: bool, fields: Fields, results: list[Any]) -> Claim:
    """Read a new claim off the commit's answer: what its transforms came to, by path."""
    counts = _counts(fields, results)
    size = Size(counts.get(("size", "turns"), 0), counts.get(("size", "characters"), 0))
    unsent = any(count for path, count in counts.items() if path[-1] == "unsent")
    cleared = max((count for path, count in counts.items() if path[0] == "cleared"), default=-1)
    return Claim(event_id, done, size=size, unsent=unsent, cleared=cleared)


def _stored(reply: Reply) -> dict[str, Any]:
    stored = {
        "bubbles": list(reply.bubbles),
        "remembered": reply.remembered,
        "withheld": reply.withheld,
        "forgotten": reply.forgotten,
    }
    if reply.alarms:
        stored["instead"] = reply.instead
        stored["alarms"] = [asdict(alarm) for alarm in reply.alarms]
        stored["unchanged"] = {
            str(no): reminder and reminders.to_document(reminder)
            for no, reminder in reply.unchanged.items()
        }
    return stored


def _reply(stored: Mapping[str, Any] | None) -> Reply | None:
    if not stored:
        return None
    return Reply(
        tuple(stored["bubbles"]),
        stored["remembered"],
        stored["withheld"],
        stored["forgotten"],
        tuple(Alarm(**one) for one in stored.get("alarms", ())),
        {
            int(no): reminders.from_document(int(no), one) if one else None
            for no, one in stored.get("unchanged", {}).items()
        },
        stored.get("instead", ""),
    )
