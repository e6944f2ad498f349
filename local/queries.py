"""Queries as Firestore's planner sees them: which indexes answer them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

ASCENDING = "ASCENDING"
DESCENDING = "DESCENDING"
CONTAINS = "CONTAINS"
_NAME = "__name__"
_DIRECTIONS = {0: ASCENDING, 1: ASCENDING, 2: DESCENDING}
_EQUAL = 5
_ARRAY_CONTAINS = 7

Field = tuple[str, str | int]
"""A field of an index, and how it is kept: in an order, by what it contains, or as a vector."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a query filters and sorts by; enough to know which index answers it."""

    collection: str
    equal: frozenset[str] = frozenset()
    containing: frozenset[str] = frozenset()
    uneven: frozenset[str] = frozenset()
    """Fields that are compared by anything but equality."""
    order: tuple[Field, ...] = ()
    vector: Field | None = None
    """The field that is searched by distance, and its dimensions."""

    @classmethod
    def read(cls, asked: Any) -> "Query":
        """Read a StructuredQuery, the protobuf that goes over the wire."""
        found: dict[int, set[str]] = {}
        for one in _filters(asked.where):
            found.setdefault(int(one.op), set()).add(one.field.field_path)
        equal, containing = found.pop(_EQUAL, set()), found.pop(_ARRAY_CONTAINS, set())
        order = ((one.field.field_path, _DIRECTIONS[int(one.direction)]) for one in asked.order_by)
        nearest = asked.find_nearest
        parts = nearest.query_vector.map_value.fields
        dimensions = len(parts["value"].array_value.values) if "value" in parts else 0
        return cls(
            asked.from_[0].collection_id,
            frozenset(equal),
            frozenset(containing),
            frozenset().union(*found.values()),
            tuple(one for one in order if one[0] != _NAME),
            (nearest.vector_field.field_path, dimensions) if dimensions else None,
        )

    @property
    def sorted_by(self) -> tuple[Field, ...]:
        """What it sorts by, said or not: an inequality sorts by its field."""
        return self.order or tuple((field, ASCENDING) for field in sorted(self.uneven))

    def is_served(self, indexes: Iterable[Sequence[Field]]) -> bool:
        """Say whether the indexes of its collection answer it."""
        known = {tuple(index) for index in indexes}
        if self.vector:
            return any(_fits(index, self.equal, (), self.vector) for index in known)
        singles = [((field, ASCENDING),) for field in self.equal]
        singles += [((field, CONTAINS),) for field in self.containing]
        if not self.sorted_by:
            # Of equalities alone, the planner merges what it finds for each.
            return known.issuperset(singles)
        if not singles and len(self.sorted_by) == 1:
            return self.sorted_by in known
        return any(_fits(index, self.equal, self.sorted_by) for index in known)


def _fits(
    index: tuple[Field, ...],
    equal: frozenset[str],
    order: tuple[Field, ...],
    vector: Field | None = None,
) -> bool:
    """Say whether an index is: the equalities in any order, the sorting, the name, the vector."""
    size = len(equal)
    last = order[-1][1] if order else ASCENDING
    rest = (*order, (_NAME, last), *((vector,) if vector else ()))
    return {field for field, _ in index[:size]} == equal and index[size:] == rest


def _filters(where: Any) -> Iterable[Any]:
    if where.composite_filter.filters:
        for part in where.composite_filter.filters:
            yield from _filters(part)
    elif where.field_filter.field.field_path:
        yield where.field_filter
