"""Firestore: how one conversation is kept."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from google.api_core import exceptions
from google.cloud.firestore import (
    DELETE_FIELD,
    Client,
    DocumentReference,
    Increment,
    WriteBatch,
)
from google.cloud.firestore_v1.field_path import FieldPath

from memory.calls import translated
from memory.conversation import (
    SCHEMA,
    Conversation,
    Size,
    Turn,
    from_document,
    to_milliseconds,
)
from services.clock import Clock
from services.errors import Busy

_KEPT = timedelta(days=7)
"""How long claims are kept: longer than a task name is blocked or LINE redelivers."""

Fields = dict[tuple[str, ...], Any]
"""Values by path: what an update merges into a document."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to the family in answer to one event."""

    bubbles: tuple[str, ...]
    """The messages LINE shows."""
    remembered: str = ""
    """The words as a turn of the window; empty where they are none, as an apology's."""
    withheld: bool = False
    """The model's filters stopped the message: it must not be in the next prompt too."""


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
    """The message was unsent before it arrived."""

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
        lease: timedelta,
        patience: Mapping[str, Any],
    ) -> None:
        self._client = client
        self._clock = clock
        self._lease = lease
        self._conversation: DocumentReference = client.document("conversations", conversation_id)
        self._patience = patience

    # What arrives. Each claims its event and writes blind; None: there is no such conversation.

    def claim(self, event_id: str) -> Claim | None:
        """Claim an event that says nothing."""
        return self._begin(event_id, {}, done=False)

    def hear(self, event_id: str, turn: Turn, *, done: bool) -> Claim | None:
        """Claim an event and remember a turn, or newer words of one.

        `done` where nothing more will follow.
        """
        fields = _turn_fields(turn)
        # Adds nothing, but tells in the commit's answer whether the turn was unsent before it came.
        fields["window", turn.id, "unsent"] = Increment(0)
        return self._begin(event_id, fields, done=done)

    def unsend(self, event_id: str, key: str, at: datetime) -> Claim | None:
        """Claim an event and forget the words of a turn, whether or not they have come yet."""
        return self._begin(event_id, _forgotten_fields(key, at), done=True)

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
        return from_document(snapshot.to_dict() or {})

    def keep(self, claim: Claim, reply: Reply) -> None:
        """Keep what was thought, before it is sent."""
        stored = {
            "bubbles": list(reply.bubbles),
            "remembered": reply.remembered,
            "withheld": reply.withheld,
        }
        with translated():
            self._event(claim.event_id).update({"reply": stored}, **self._patience)

    def finish(
        self,
        claim: Claim,
        *,
        said: Turn | None = None,
        withheld: Turn | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Mark the event done, and remember what came of it.

        Args:
            claim: The event's.
            said: What the assistant said.
            withheld: The turn that must not stay in the window.
            names: Display names that were asked for.
        """
        fields: Fields = {("members", user): name for user, name in (names or {}).items()}
        if said:
            fields |= _turn_fields(said)
        if withheld:
            fields |= _forgotten_fields(withheld.id, withheld.said_at)
        batch = self._client.batch()
        batch.update(self._event(claim.event_id), {"done": True, "reply": DELETE_FIELD})
        if fields:
            batch.update(self._conversation, _paths(fields))
        with translated():
            self._commit(batch)

    def release(self, claim: Claim) -> None:
        """Let the next delivery take over at once."""
        with translated():
            self._event(claim.event_id).update({"lease_until": self._clock.now()}, **self._patience)

    def trim(self, limit: Size) -> None:
        """Let the oldest turns leave until the window is within a limit.

        Several may try at once: the claim on the watermark lets one of them through, and what is
        being appended meanwhile is never in its way.
        """
        conversation = self.read()
        batch = self._client.batch()
        batch.create(
            self._conversation.collection("digests").document(str(conversation.watermark)),
            {"expires_at": self._clock.now() + _KEPT},
        )
        batch.update(self._conversation, _paths(_trimmed_fields(conversation, limit)))
        with translated():
            try:
                self._commit(batch)
            except (exceptions.AlreadyExists, exceptions.NotFound):
                return

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
        batch.update(self._conversation, _paths({("heard_at",): now} | fields))
        with translated():
            try:
                results = self._commit(batch)
            except exceptions.NotFound:
                return None
            except exceptions.AlreadyExists:
                return self._take_over(event_id, holder)
        return _claimed(event_id, done, results[1].transform_results)

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

    def _event(self, event_id: str) -> DocumentReference:
        event: DocumentReference = self._conversation.collection("events").document(event_id)
        return event

    def _commit(self, batch: WriteBatch) -> list[Any]:
        return batch.commit(**self._patience)


def _claimed(event_id: str, done: bool, transformed: list[Any]) -> Claim:
    """Read a new claim off the commit's answer: the results of its transforms, sorted by path."""
    counts = [result.integer_value for result in transformed]
    if not counts:
        return Claim(event_id, done)
    characters, turns, *unsent = counts
    return Claim(event_id, done, size=Size(turns, characters), unsent=any(unsent))


def _turn_fields(turn: Turn) -> Fields:
    entry = ("window", turn.id)
    fields: Fields = {
        (*entry, "texts", str(to_milliseconds(turn.said_at))): turn.text,
        **_counted(len(turn.text)),
    }
    if turn.speaker:
        fields[*entry, "by"] = turn.speaker
    if turn.quotes:
        fields[*entry, "quotes"] = turn.quotes
    if turn.answers:
        fields[*entry, "answers"] = turn.answers
    if turn.message_ids:
        fields[*entry, "ids"] = list(turn.message_ids)
    return fields


def _forgotten_fields(key: str, at: datetime) -> Fields:
    return {
        ("window", key, "texts"): {str(to_milliseconds(at)): ""},
        ("window", key, "unsent"): Increment(1),
        **_counted(0),
    }


def _counted(characters: int) -> Fields:
    """Return what counts one entry more, though it may be there: a count never says too little."""
    return {("size", "turns"): Increment(1), ("size", "characters"): Increment(characters)}


def _trimmed_fields(conversation: Conversation, limit: Size) -> Fields:
    leaving = conversation.leaving(limit)
    fields: Fields = {("window", entry.key): DELETE_FIELD for entry in leaving}
    size = Size()
    for entry in conversation.entries[len(leaving) :]:
        size += entry.size
        # The first moment says when the turn was said, and stays without its words.
        for moment in entry.superseded:
            first = moment == min(entry.texts)
            path = ("window", entry.key, "texts", str(moment))
            fields[path] = "" if first else DELETE_FIELD
    miscounted = size - conversation.size
    return fields | {
        ("watermark",): conversation.watermark + 1,
        ("size", "turns"): Increment(miscounted.turns),
        ("size", "characters"): Increment(miscounted.characters),
    }


def _paths(fields: Fields) -> dict[str, Any]:
    return {FieldPath(*path).to_api_repr(): value for path, value in fields.items()}


def _reply(stored: Mapping[str, Any] | None) -> Reply | None:
    if not stored:
        return None
    return Reply(tuple(stored["bubbles"]), stored["remembered"], stored["withheld"])
