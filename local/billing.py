"""What Firestore bills for a call, read off its protobufs.

The rules quoted are those of https://firebase.google.com/docs/firestore/pricing (2026-11).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from operator import attrgetter
from typing import Any, Self

from google.cloud.firestore_v1 import types
from google.protobuf.empty_pb2 import Empty

Message = Any
"""One of Firestore's protobufs: they have no types that mypy could read."""
Shape = dict[str, Any]
"""All that decides which index a query needs."""

_Query = types.StructuredQuery.pb()
_ENTRIES_PER_READ = 1000
_VECTORS_PER_READ = 100
_ALL = "all"
_RANGES = {
    *("LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL"),
    *("NOT_EQUAL", "NOT_IN", "IS_NOT_NAN", "IS_NOT_NULL"),
}


@dataclass(frozen=True, slots=True)
class Bill:
    """What would have been billed, how many bytes it was, and which queries it took."""

    reads: int = 0
    writes: int = 0
    deletes: int = 0
    bytes_read: int = 0
    """Of the documents in the answers, serialised."""
    bytes_written: int = 0
    """Of the writes in the requests, serialised."""
    queries: tuple[Shape, ...] = ()

    def __add__(self, other: Self) -> "Bill":
        return Bill(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def as_line(self) -> dict[str, Any]:
        """Return it as JSON for the journal."""
        return asdict(self) | {"queries": list(self.queries)}


@dataclass(frozen=True, slots=True)
class Served:
    """A call that went well."""

    request: Message
    answers: Sequence[Message]
    count: Callable[[Message], int]
    """Asks how many documents a structured query finds."""


@dataclass(frozen=True, slots=True)
class Call:
    """One of Firestore's calls, as the client library makes them."""

    name: str
    resource: str
    """The field of the request that names what it is about."""
    request: Message
    answer: Message
    bill: Callable[[Served], Bill]

    def project(self, request: Message) -> str:
        """Return the project that a request is about."""
        name: str = attrgetter(self.resource)(request)
        return name.removeprefix("projects/").partition("/")[0]


def counting(parent: str, query: Message) -> Message:
    """Return the request that counts what a structured query finds."""
    request = types.RunAggregationQueryRequest.pb()(parent=parent)
    request.structured_aggregation_query.structured_query.CopyFrom(query)
    request.structured_aggregation_query.aggregations.add(alias=_ALL).count.SetInParent()
    return request


def counted(answers: Sequence[Message]) -> int:
    """Return what the answers to such a request say."""
    (answer,) = answers
    return int(answer.result.aggregate_fields[_ALL].integer_value)


def shape(parent: str, query: Message) -> Shape:
    """Return what decides which index a structured query needs."""
    (source,) = query.from_
    order = [(one.field.field_path, one.direction) for one in query.order_by]
    return {
        "collection": source.collection_id,
        "parent": _template(parent, source.collection_id),
        "filters": _filters(query.where),
        "order": [[field, _Query.Direction.Name(direction)] for field, direction in order],
        "vector": _vector(query.find_nearest) if query.HasField("find_nearest") else None,
        "limit": query.limit.value if query.HasField("limit") else None,
        "select": [field.field_path for field in query.select.fields],
        "all_descendants": source.all_descendants,
    }


def _template(parent: str, collection: str) -> str:
    """Return a collection's path with every document's id left out."""
    _, _, path = parent.partition("/documents")
    parts = [*path.split("/")[1:], collection]
    return "/".join("{}" if place % 2 else part for place, part in enumerate(parts))


def _filters(where: Message) -> list[Any]:
    """Return field and operator of each condition; alternatives as one list that begins with OR."""
    if not where.HasField("composite_filter"):
        return [list(condition) for condition in _conditions(where)]
    parts = [_filters(part) for part in where.composite_filter.filters]
    if where.composite_filter.op == _Query.CompositeFilter.OR:
        return [["OR", *parts]]
    return [condition for part in parts for condition in part]


def _conditions(where: Message) -> Iterator[tuple[str, str]]:
    """Yield field and operator of each condition, however they are combined."""
    for part in where.composite_filter.filters:
        yield from _conditions(part)
    if where.HasField("field_filter"):
        name = _Query.FieldFilter.Operator.Name(where.field_filter.op)
        yield where.field_filter.field.field_path, name
    if where.HasField("unary_filter"):
        name = _Query.UnaryFilter.Operator.Name(where.unary_filter.op)
        yield where.unary_filter.field.field_path, name


def _vector(nearest: Message) -> Shape:
    vector = {
        "field": nearest.vector_field.field_path,
        "measure": _Query.FindNearest.DistanceMeasure.Name(nearest.distance_measure),
        "limit": nearest.limit.value,
    }
    if nearest.HasField("distance_threshold"):
        vector["threshold"] = nearest.distance_threshold.value
    return vector


# What is billed for each call.


def _nothing(_: Served) -> Bill:
    return Bill()


def _get(call: Served) -> Bill:
    # Found or missing: "There is a minimum charge of one document read for each query that you
    # perform, even if the query returns no results."
    return Bill(reads=1, bytes_read=_size(call.answers))


def _get_all(call: Served) -> Bill:
    # The same, for each.
    size = _size([answer.found for answer in call.answers])
    return Bill(reads=len(call.request.documents), bytes_read=size)


def _list(call: Served) -> Bill:
    documents = [document for answer in call.answers for document in answer.documents]
    return Bill(reads=max(1, len(documents)), bytes_read=_size(documents))


def _list_names(_: Served) -> Bill:
    # "For queries other than document reads, such as a request for a list of collection IDs, you
    # are billed for one document read", "once per request".
    return Bill(reads=1)


def _query(call: Served) -> Bill:
    query = call.request.structured_query
    documents = [answer.document for answer in call.answers if answer.HasField("document")]
    found = len(documents) + _skipped(query, call)
    return Bill(
        # The minimum is one *document* read: a search that finds nothing near pays it on top of
        # the entries it read. So we read the page; it gives no such example.
        reads=max(1, found) + _index_reads(query, found, call),
        bytes_read=_size(documents),
        queries=(shape(call.request.parent, query),),
    )


def _skipped(query: Message, call: Served) -> int:
    # "When you send a query that includes an offset, you are charged a read for each skipped
    # document." The emulator says how many, except where the query ends within its offset.
    offset: int = query.offset
    if not offset:
        return 0
    whole = _Query()
    whole.CopyFrom(query)
    whole.ClearField("offset")
    whole.ClearField("limit")
    return min(offset, call.count(whole))


def _index_reads(query: Message, found: int, call: Served) -> int:
    """Return the reads for index entries, which come on top of those for documents."""
    if query.HasField("find_nearest"):
        # "You are charged one read operation for each batch of up to 100 kNN vector index entries
        # read by the query." The index is flat, so these are all vectors the filters leave.
        return _batches(call.count(_vectors(query)), of=_VECTORS_PER_READ)
    if len(_range_fields(query)) > 1:
        # "Queries that have up to one range field are not charged for index entries read." This
        # one is: for an entry per document, and for those it passed over, which nobody tells.
        return _batches(found, of=_ENTRIES_PER_READ)
    return 0


def _vectors(query: Message) -> Message:
    """Return the query for every document that a vector search compares."""
    every = _Query(from_=query.from_)
    every.where.composite_filter.op = _Query.CompositeFilter.AND
    filters = every.where.composite_filter.filters
    if query.HasField("where"):
        filters.append(query.where)
    has_vector = filters.add().unary_filter
    has_vector.field.CopyFrom(query.find_nearest.vector_field)
    has_vector.op = _Query.UnaryFilter.IS_NOT_NULL
    return every


def _range_fields(query: Message) -> set[str]:
    # "A field that appears in the order by clause is considered a range field when there is at
    # least one other range field", "the __name__ field is always considered a range field".
    ranges = {
        field
        for field, operator in _conditions(query.where)
        if operator in _RANGES or field == "__name__"
    }
    return ranges and ranges | {one.field.field_path for one in query.order_by}


def _aggregate(call: Served) -> Bill:
    # "count() operations that read between 0 and 1000 index entries are billed for one document
    # read. For a count() operation that reads 1500 index entries, you are billed 2 document reads."
    # Counted again: a sum does not tell, and a count goes by whatever name the server gave it.
    query = call.request.structured_aggregation_query.structured_query
    return Bill(
        reads=max(1, _batches(call.count(query), of=_ENTRIES_PER_READ)),
        queries=(shape(call.request.parent, query),),
    )


def _write(call: Served) -> Bill:
    return Bill(writes=1, bytes_written=call.request.document.ByteSize())


def _delete(_: Served) -> Bill:
    return Bill(deletes=1)


def _commit(call: Served) -> Bill:
    return _written(call.request.writes)


def _write_each(call: Served) -> Bill:
    (answer,) = call.answers
    results = zip(call.request.writes, answer.status, strict=True)
    return _written([write for write, status in results if not status.code])


def _written(writes: Sequence[Message]) -> Bill:
    # "Each set or update operation counts as a single write", whatever it transforms; a write that
    # only verifies is none.
    kinds = [write.WhichOneof("operation") for write in writes]
    return Bill(
        writes=kinds.count("update") + kinds.count("transform"),
        deletes=kinds.count("delete"),
        bytes_written=_size(writes),
    )


def _size(messages: Sequence[Message]) -> int:
    return sum(message.ByteSize() for message in messages)


def _batches(entries: int, *, of: int) -> int:
    return -(-entries // of)


def _call(
    name: str,
    resource: str,
    bill: Callable[[Served], Bill],
    answer: Message = None,
) -> Call:
    request = getattr(types, f"{name}Request").pb()
    return Call(name, resource, request, answer or getattr(types, f"{name}Response").pb(), bill)


_Document = types.Document.pb()

CALLS = {
    call.name: call
    for call in (
        _call("BatchGetDocuments", "database", _get_all),
        _call("BatchWrite", "database", _write_each),
        _call("BeginTransaction", "database", _nothing),
        _call("Commit", "database", _commit),
        _call("CreateDocument", "parent", _write, _Document),
        _call("DeleteDocument", "name", _delete, Empty),
        _call("GetDocument", "name", _get, _Document),
        _call("ListCollectionIds", "parent", _list_names),
        _call("ListDocuments", "parent", _list),
        _call("Rollback", "database", _nothing, Empty),
        _call("RunAggregationQuery", "parent", _aggregate),
        _call("RunQuery", "parent", _query),
        _call("UpdateDocument", "document.name", _write, _Document),
    )
}
"""Every call that is metered, by its name."""
