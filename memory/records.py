"""Records: the facts of one conversation in full, with what they are found by."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import Any

from google.api_core import exceptions
from google.cloud.firestore import (
    DELETE_FIELD,
    Client,
    DocumentReference,
    FieldFilter,
    WriteBatch,
)
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector

from memory.calls import translated
from memory.draft import Draft
from memory.facts import Fact, from_document, normalised, to_document

log = logging.getLogger(__name__)

_KEPT = timedelta(days=30)
"""How long a superseded or retired fact can be brought back."""
_OF_SUBJECT = 20
"""How many facts about the same are compared with a new one, at most."""
_AT_ONCE = 400
"""Documents in one batch; Firestore takes 500 writes."""

# Everything but the vector, which is 8 KB on the wire.
_SHOWN = [
    *("text", "subject", "by", "said_at", "category", "kind", "importance", "expires_on"),
    *("sources", "confirmed", "replaces", "disputes", "active"),
]


class Records:
    """The sub-collection of one conversation's facts, and of no other."""

    def __init__(
        self, client: Client, conversation: DocumentReference, *, patience: Mapping[str, Any]
    ) -> None:
        self._client = client
        self._facts = conversation.collection("facts")
        self._patience = patience

    # Reading. None of it carries a vector.

    def get(self, numbers: Iterable[int]) -> list[Fact]:
        """Return the facts of these numbers, as far as there are such and they still hold."""
        references = [self._facts.document(str(no)) for no in numbers]
        if not references:
            return []
        with translated():
            snapshots = list(self._client.get_all(references, field_paths=_SHOWN, **self._patience))
        return sorted(
            (_fact(one) for one in snapshots if one.exists and one.get("active")),
            key=lambda fact: fact.no,
        )

    def replaced(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return what facts have taken the place of, as far as it is still kept."""
        references = [self._facts.document(str(no)) for fact in facts for no in fact.replaces]
        if not references:
            return []
        with translated():
            snapshots = list(self._client.get_all(references, field_paths=_SHOWN, **self._patience))
        return sorted((_fact(one) for one in snapshots if one.exists), key=lambda fact: fact.no)

    def all(self) -> list[Fact]:
        """Return every fact that holds, by number."""
        return self._read(self._facts.where(filter=FieldFilter("active", "==", True)))

    def every(self) -> list[Fact]:
        """Return every fact, also those that no longer hold."""
        return self._read(self._facts)

    def by(self, speaker: str) -> list[Fact]:
        """Return every fact somebody told, also those that no longer hold."""
        return self._read(self._facts.where(filter=FieldFilter("by", "==", speaker)))

    def from_turn(self, key: str) -> list[Fact]:
        """Return every fact a turn told, also those that no longer hold."""
        return self._read(self._facts.where(filter=FieldFilter("sources", "array_contains", key)))

    def about(self, subject: str) -> list[Fact]:
        """Return the facts about somebody or something."""
        query = self._facts.where(filter=FieldFilter("active", "==", True)).where(
            filter=FieldFilter("about", "==", normalised(subject))
        )
        return self._read(query.limit(_OF_SUBJECT))

    def nearest(
        self, vector: Sequence[float], model: str, *, limit: int, distance: float
    ) -> list[tuple[Fact, float]]:
        """Return the facts nearest to a vector of a model, and how far they are.

        There are none while the vector index is missing.

        Args:
            vector: Of unit length.
            model: The embedding model it comes from: distances to another's mean nothing.
            limit: How many at most.
            distance: How far at most, as cosine distance, from 0 to 2.
        """
        query = (
            self._facts.where(filter=FieldFilter("embed_model", "==", model))
            .select([*_SHOWN, "distance"])
            .find_nearest(
                vector_field="embedding",
                query_vector=Vector(vector),
                distance_measure=DistanceMeasure.COSINE,
                limit=limit,
                distance_threshold=distance,
                distance_result_field="distance",
            )
        )
        try:
            with translated():
                found = list(query.get(**self._patience))
        except exceptions.FailedPrecondition:
            log.warning("no vector index: is it still being built?")
            return []
        return [(_fact(one), one.get("distance")) for one in found]

    def count(self) -> int:
        """Return how many facts hold."""
        query = self._facts.where(filter=FieldFilter("active", "==", True)).count()
        with translated():
            return int(query.get(**self._patience)[0][0].value)

    def least(self, limit: int) -> list[Fact]:
        """Return the facts that would be missed least: unimportant, and of those the oldest."""
        query = (
            self._facts.where(filter=FieldFilter("active", "==", True))
            .order_by("importance")
            .order_by("said_at")
        )
        return self._read(query.limit(limit))

    def unembedded(self, limit: int) -> list[Fact]:
        """Return facts that could not be embedded when they were stored."""
        query = self._facts.where(filter=FieldFilter("embed_model", "==", ""))
        return self._read(query.limit(limit))

    def embedded_otherwise(self, model: str) -> list[Fact]:
        """Return the facts whose vector is another model's, or none."""
        query = self._facts.where(filter=FieldFilter("embed_model", "!=", model))
        return self._read(query)

    # Writing.

    def write(
        self,
        batch: WriteBatch,
        draft: Draft,
        vectors: Mapping[str, Sequence[float]],
        model: str,
    ) -> None:
        """Add to a batch what a draft does to the facts.

        Of more deletions than a batch can have, the others are done at once: whoever comes again
        finds what is left.

        Args:
            batch: Committed by the caller, with the conversation's own changes.
            draft: The changes.
            vectors: Of new facts, by text; as far as there are any.
            model: The model they come from.
        """
        for no, fact in draft.written.items():
            if no >= draft.before.next_no:
                new = _new(fact, draft, vectors.get(fact.text), model)
                batch.set(self._document(no), new)
            else:
                batch.update(self._document(no), _changed(fact))
        for no, by in draft.superseded.items():
            if no < draft.before.next_no:
                batch.update(self._document(no), _over(draft.now, superseded_by=by))
        for no in draft.retired:
            batch.update(self._document(no), _over(draft.now))
        deleted = sorted(draft.deleted)
        self._delete(deleted[_AT_ONCE:])
        for no in deleted[:_AT_ONCE]:
            batch.delete(self._document(no))

    def embed(self, vectors: Mapping[int, Sequence[float]], model: str) -> None:
        """Give facts the vectors of a model; those that were forgotten meanwhile stay so."""
        for no, vector in vectors.items():
            embedded = {"embedding": Vector(vector), "embed_model": model}
            with translated(), suppress(exceptions.NotFound):
                self._document(no).update(embedded, **self._patience)

    def _delete(self, numbers: Sequence[int]) -> None:
        for chunk in _chunks(numbers):
            batch = self._client.batch()
            for no in chunk:
                batch.delete(self._document(no))
            with translated():
                batch.commit(**self._patience)

    def _read(self, query: Any) -> list[Fact]:
        with translated():
            found = list(query.select(_SHOWN).get(**self._patience))
        return sorted(map(_fact, found), key=lambda fact: fact.no)

    def _document(self, no: int) -> DocumentReference:
        document: DocumentReference = self._facts.document(str(no))
        return document


def _fact(snapshot: Any) -> Fact:
    return from_document(int(snapshot.id), snapshot.to_dict())


def _new(fact: Fact, draft: Draft, vector: Sequence[float] | None, model: str) -> dict[str, Any]:
    document = to_document(fact) | {
        "active": True,
        "about": normalised(fact.subject),
        "stored_at": draft.now,
        # An empty name marks what is to be embedded later.
        "embed_model": model if vector else "",
    }
    if vector:
        document["embedding"] = Vector(vector)
    if fact.expires_on:
        # Late in every zone: what is shown goes by the family's calendar, this is for the TTL.
        document["expires_at"] = datetime.combine(
            fact.expires_on + timedelta(days=2), time(), tzinfo=UTC
        )
    return document


def _changed(fact: Fact) -> dict[str, Any]:
    return {
        "confirmed": fact.confirmed,
        "sources": list(fact.sources),
        "disputes": list(fact.disputes),
    }


def _over(now: datetime, **why: Any) -> dict[str, Any]:
    return {
        "active": False,
        "expires_at": now + _KEPT,
        "embedding": DELETE_FIELD,
        "embed_model": DELETE_FIELD,
        **why,
    }


def _chunks(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), _AT_ONCE):
        yield numbers[start : start + _AT_ONCE]
