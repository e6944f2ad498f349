"""Firestore: every query of the code finds its index, and what expires goes."""

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
from google.cloud.firestore_v1.types import RunAggregationQueryResponse

from local.clock import FrozenClock
from local.queries import ASCENDING, CONTAINS, Query
from memory.purge import _PARTS
from memory.rings import Rings
from memory.store import Claim, Store
from services.vectors import DIMENSIONS

ROOT = Path(__file__).parent.parent.parent
CLOCK = FrozenClock(datetime(2026, 12, 1, 10, 0, tzinfo=UTC))
EXPIRING = {"digests", "events", "facts", "reminders", "rings", "strangers", "usage"}

# Whatever asks, by the function that asks.
ASKING = {
    "memory/diary.py Diary.by": lambda store: store.diary.by("U1"),
    "memory/diary.py Diary.drop_rings": lambda store: store.diary.drop_rings([1]),
    "memory/diary.py Diary.from_turn": lambda store: store.diary.from_turn("m1"),
    "memory/records.py Records.about": lambda store: store.records.about("貓"),
    "memory/records.py Records.all": lambda store: store.records.all(),
    "memory/records.py Records.by": lambda store: store.records.by("U1"),
    "memory/records.py Records.count": lambda store: store.records.count(),
    "memory/records.py Records.embedded_otherwise": (
        lambda store: store.records.embedded_otherwise("some-model")
    ),
    "memory/records.py Records.from_turn": lambda store: store.records.from_turn("m1"),
    "memory/records.py Records.least": lambda store: store.records.least(3),
    "memory/records.py Records.nearest": lambda store: store.records.nearest(
        [1.0] + [0.0] * (DIMENSIONS - 1), "some-model", limit=3, distance=0.9
    ),
    "memory/records.py Records.unembedded": lambda store: store.records.unembedded(3),
    "memory/rings.py Rings.unfinished": lambda store: Rings(
        store._client, "C1", CLOCK, patience={}, lease=timedelta(minutes=1)
    ).unfinished(),
    "memory/store.py Store.drop_kept_replies": (lambda store: store.drop_kept_replies(Claim("e1"))),
}


class Wire(grpc.UnaryStreamClientInterceptor):
    """A Firestore with nothing in it, at the end of a wire that is listened to."""

    def __init__(self):
        self.asked = []

    def intercept_unary_stream(self, proceed, details, request):
        asked = type(request).pb(request)
        if details.method.endswith("/RunAggregationQuery"):
            self.asked.append(Query.read(asked.structured_aggregation_query.structured_query))
            none = {"aggregate_fields": {"field_1": {"integer_value": 0}}}
            return iter([RunAggregationQueryResponse(result=none)])
        self.asked.append(Query.read(asked.structured_query))
        return iter([])


def queries_of(ask):
    """Return what goes over the wire when something asks."""
    wire = Wire()
    channel = grpc.intercept_channel(grpc.insecure_channel("127.0.0.1:1"), wire)
    client = firestore.Client(project="demo-family", credentials=AnonymousCredentials())
    client._firestore_api_internal = FirestoreClient(
        transport=FirestoreGrpcTransport(channel=channel)
    )
    ask(Store(client, "C1", CLOCK, patience={}))
    return wire.asked


def askers():
    """Return every function of the code that filters or sorts, as the code itself says."""
    found = set()
    for path in [*ROOT.glob("*/*.py"), ROOT / "main.py"]:
        where = path.relative_to(ROOT)
        if where.parts[0] in {"memory", "handlers", "assistant", "services", "main.py"}:
            found |= {f"{where} {name}" for name in _asking(ast.parse(path.read_text("utf-8")))}
    return found


def _asking(tree, within=""):
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _asking(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and any(
            isinstance(part, ast.Attribute) and part.attr in {"where", "order_by", "find_nearest"}
            for part in ast.walk(node)
        ):
            yield f"{within}{node.name}"


def indexes(applied):
    """Return the indexes of each collection: composite ones, and those of single fields."""
    found = {}
    for index in applied.google.of("google_firestore_index"):
        assert index["query_scope"] == "COLLECTION"
        found.setdefault(index["collection"], set()).add(tuple(map(_kept, index["fields"])))
    for field in applied.google.of("google_firestore_field"):
        kept = found.setdefault(field["collection"], set())
        for index in field["index_config"][0]["indexes"]:
            assert index["query_scope"] == "COLLECTION"
            kept.add(((field["field"], index["order"] or index["array_config"]),))
    return found


def _kept(field):
    if field["vector_config"]:
        return field["field_path"], field["vector_config"][0]["dimension"]
    return field["field_path"], field["order"] or field["array_config"]


def test_every_query_is_known():
    """
    Who adds a query adds it here, and to what Terraform indexes.
    """
    assert askers() == set(ASKING)


@pytest.mark.parametrize("asker", ASKING)
def test_every_query_has_its_index(applied, asker):
    """
    The emulator answers without indexes, Firestore does not: what is asked is what is indexed.
    """
    asked = queries_of(ASKING[asker])

    assert asked
    assert all(query.is_served(indexes(applied)[query.collection]) for query in asked)


def test_nothing_is_indexed_that_nobody_asks_for(applied):
    """
    Each index is paid for with every write, so that each has a query that needs it.
    """
    asked = [query for ask in ASKING.values() for query in queries_of(ask)]
    planned = indexes(applied)
    needless = [
        (collection, index)
        for collection, kept in planned.items()
        for index in kept
        if all(query.is_served(kept - {index}) for query in asked if query.collection == collection)
    ]

    assert [] == needless


def test_no_collection_is_indexed_by_itself(applied):
    """
    In every collection there is, only the fields that are asked for are indexed.
    """
    bare = {
        field["collection"]
        for field in applied.google.of("google_firestore_field")
        if field["field"] == "*" and not field["index_config"][0]["indexes"]
    }

    assert bare == {"conversations", "strangers", "usage", *_PARTS}


def test_what_expires_goes(applied):
    """
    Where the code writes expires_at, Firestore deletes by it, and doesn't index it.
    """
    expiring = {
        field["collection"]
        for field in applied.google.of("google_firestore_field")
        if field["field"] == "expires_at" and field["ttl_config"]
    }

    assert EXPIRING == expiring


def test_vectors_have_the_dimensions_of_the_code(applied):
    """
    A vector of another length is silently not found.
    """
    (vector,) = queries_of(ASKING["memory/records.py Records.nearest"])

    assert ("embedding", DIMENSIONS) == vector.vector
    assert (
        ("embed_model", ASCENDING),
        ("__name__", ASCENDING),
        ("embedding", DIMENSIONS),
    ) in indexes(applied)["facts"]


def test_the_database_is_kept_from_harm(applied):
    """
    By default it can't be deleted, neither by Terraform nor in the console.
    """
    (database,) = applied.google.of("google_firestore_database")

    assert ("DELETE_PROTECTION_ENABLED", "ABANDON") == (
        database["delete_protection_state"],
        database["deletion_policy"],
    )
    assert ("(default)", "asia-east1") == (database["name"], database["location_id"])


# That the planner bites.

ONE = Query("facts", equal=frozenset({"active"}))
TWO = Query("facts", equal=frozenset({"active", "about"}))
TAGGED = Query("facts", containing=frozenset({"sources"}))
OTHER = Query("facts", uneven=frozenset({"embed_model"}))
SORTED = Query("facts", equal=frozenset({"active"}), order=(("said_at", ASCENDING),))
NEAR = Query("facts", equal=frozenset({"embed_model"}), vector=("embedding", 768))


@pytest.mark.parametrize(
    ("query", "indexed"),
    [
        (ONE, [[("active", ASCENDING)]]),
        (TWO, [[("active", ASCENDING)], [("about", ASCENDING)]]),
        (TAGGED, [[("sources", CONTAINS)]]),
        (OTHER, [[("embed_model", ASCENDING)]]),
        (SORTED, [[("active", ASCENDING), ("said_at", ASCENDING), ("__name__", ASCENDING)]]),
        (NEAR, [[("embed_model", ASCENDING), ("__name__", ASCENDING), ("embedding", 768)]]),
    ],
)
def test_an_index_serves_its_query(query, indexed):
    """
    As Firestore's documentation has it.
    """
    assert query.is_served(indexed)


@pytest.mark.parametrize(
    ("query", "indexed"),
    [
        (ONE, []),
        (TWO, [[("active", ASCENDING)]]),
        (TAGGED, [[("sources", ASCENDING)]]),
        (OTHER, [[("active", ASCENDING)]]),
        (SORTED, [[("active", ASCENDING)], [("said_at", ASCENDING)]]),
        (SORTED, [[("said_at", ASCENDING), ("active", ASCENDING), ("__name__", ASCENDING)]]),
        (NEAR, [[("__name__", ASCENDING), ("embedding", 768)]]),
        (NEAR, [[("embed_model", ASCENDING), ("__name__", ASCENDING), ("embedding", 512)]]),
        (NEAR, [[("embed_model", ASCENDING), ("embedding", 768)]]),
    ],
)
def test_another_index_does_not(query, indexed):
    """
    A field too few, another order or other dimensions, and the query fails in the cloud.
    """
    assert not query.is_served(indexed)
