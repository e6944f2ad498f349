"""The metered Firestore bills what Google's pricing page says, and fails when it is told to."""

import json
import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import grpc
import pytest
from google.api_core.exceptions import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    MethodNotImplemented,
    NotFound,
    ResourceExhausted,
    ServiceUnavailable,
)
from google.cloud.firestore import (
    SERVER_TIMESTAMP,
    Client,
    CollectionReference,
    FieldFilter,
    Increment,
    Or,
    transactional,
)
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector

from local.billing import Bill
from local.clock import FrozenClock
from local.emulator import HOST
from local.firestore import FirestoreServer, Meter
from local.plug import Kill, Plug

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
EARLIER = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Database:
    """One project, seen through the proxy and past it."""

    client: Client
    direct: Client
    meter: Meter
    clock: FrozenClock
    plug: Plug

    @property
    def facts(self) -> CollectionReference:
        """A sub-collection, as ours are."""
        return self.client.collection("conversations", "C1", "facts")

    def fill(self, **facts) -> None:
        """Have facts, for nothing."""
        batch = self.direct.batch()
        for name, fields in facts.items():
            batch.set(self.direct.document(self.path(name)), fields)
        batch.commit()

    def has(self, name: str) -> bool:
        """Return whether there is such a fact, for nothing."""
        return self.direct.document(self.path(name)).get().exists

    def path(self, name: str) -> str:
        """Return a fact's path in the database."""
        return f"conversations/C1/facts/{name}"

    def name(self, name: str) -> str:
        """Return a fact's whole name, as Firestore's protobufs have it."""
        return f"{self.client._database_string}/documents/{self.path(name)}"

    def take(self) -> tuple[int, int, int]:
        """Return reads, writes and deletes since the last time."""
        bill = self.meter.take()
        return bill.reads, bill.writes, bill.deletes


@pytest.fixture
def connect():
    """A maker of clients; where they find Firestore, the environment says, which is restored."""
    before = os.environ.pop(HOST, None)

    def connect(host, project):
        os.environ[HOST] = host
        return Client(project=project)

    yield connect
    os.environ.pop(HOST, None)
    if before:
        os.environ[HOST] = before


@pytest.fixture(scope="module")
def server(firestore_emulator):
    """The proxy in front of the session's emulator."""
    server = FirestoreServer(firestore_emulator)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def database(server, connect):
    """A metered project of the test's own."""
    project = f"demo-{uuid.uuid4().hex[:12]}"
    clock, plug = FrozenClock(NOW), Plug()
    meter = server.open(project, clock, plug)
    clients = connect(server.host, project), connect(server.emulator, project)
    yield Database(*clients, meter, clock, plug)
    server.close(project)


@pytest.fixture
def seven(database):
    """A project with seven facts, numbered from 0."""
    database.fill(**{f"f{number}": {"number": number} for number in range(7)})
    return database


# Writes.


def test_a_create_is_one_write(database):
    """A document that is made costs one write and no read."""
    database.facts.document("a").create({"text": "John 住在花蓮"})

    assert (0, 1, 0) == database.take()


def test_a_set_is_one_write(database):
    """A document that is written costs one write, whether or not it has been there."""
    database.facts.document("a").set({"text": "John 住在花蓮"})
    database.facts.document("a").set({"text": "John 住在臺東"}, merge=True)

    assert (0, 2, 0) == database.take()


def test_transforms_belong_to_their_write(database):
    """An update with increments and a server's time costs one write."""
    database.fill(a={"turns": 1})

    database.facts.document("a").update(
        {"turns": Increment(1), "characters": Increment(20), "at": SERVER_TIMESTAMP, "text": "x"}
    )

    assert (0, 1, 0) == database.take()


def test_a_batch_costs_what_is_in_it(database):
    """Each write of a batch is billed as if it came alone."""
    database.fill(b={"text": "b"}, c={"text": "c"}, d={"text": "d"})
    batch = database.client.batch()
    batch.create(database.facts.document("a"), {"text": "a"})
    batch.update(database.facts.document("b"), {"count": Increment(1)})
    batch.set(database.facts.document("c"), {"text": "new"})
    batch.delete(database.facts.document("d"))
    batch.commit()

    assert (0, 3, 1) == database.take()


def test_a_delete_is_one_delete(database):
    """A delete is billed as such, whether or not there was a document."""
    database.fill(a={"text": "a"})

    database.facts.document("a").delete()
    database.facts.document("never").delete()

    assert (0, 0, 2) == database.take()


def test_a_failed_create_is_not_billed(database):
    """A commit that fails has written nothing and costs nothing."""
    database.fill(a={"text": "a"})
    batch = database.client.batch()
    batch.create(database.facts.document("a"), {"text": "again"})
    batch.update(database.facts.document("b"), {"text": "never"})
    with pytest.raises(AlreadyExists):
        batch.commit()

    assert Bill() == database.meter.take()


def test_of_independent_writes_only_those_that_went_well_are_billed(database):
    """The writes of a BatchWrite succeed or fail alone, and so they are billed."""
    database.fill(a={"text": "a"})
    absent = types.Precondition(exists=False)
    writes = [
        types.Write(update=types.Document(name=database.name(name)), current_document=absent)
        for name in ("a", "b")
    ]
    database.client._firestore_api.batch_write(
        types.BatchWriteRequest(database=database.client._database_string, writes=writes),
        metadata=database.client._rpc_metadata,
    )

    bill = database.meter.take()
    assert (1, types.Write.pb(writes[1]).ByteSize()) == (bill.writes, bill.bytes_written)


def test_single_calls_cost_what_commits_do(database):
    """Documents made, changed, read and deleted by calls of their own are billed the same."""
    api = database.client._firestore_api
    document = types.Document(name=database.name("a"))
    parent, collection = document.name.rsplit("/", 2)[:2]
    api.create_document(
        types.CreateDocumentRequest(parent=parent, collection_id=collection, document_id="a")
    )
    assert (0, 1, 0) == database.take()
    api.update_document(types.UpdateDocumentRequest(document=document))
    assert (0, 1, 0) == database.take()
    api.get_document(types.GetDocumentRequest(name=document.name))
    assert (1, 0, 0) == database.take()
    api.delete_document(types.DeleteDocumentRequest(name=document.name))
    assert (0, 0, 1) == database.take()
    with pytest.raises(NotFound):
        api.get_document(types.GetDocumentRequest(name=document.name))
    assert (1, 0, 0) == database.take()


# Reads.


def test_a_get_is_one_read(database):
    """A document that is read costs one read, and its size is what counts as read."""
    database.fill(a={"text": "John 住在花蓮"})
    request = types.GetDocumentRequest(name=database.name("a"))
    document = database.direct._firestore_api.get_document(request)

    database.facts.document("a").get()

    assert Bill(reads=1, bytes_read=types.Document.pb(document).ByteSize()) == database.meter.take()


def test_a_document_that_is_missing_is_read_too(database):
    """Looking for a document costs one read, though there is none."""
    assert not database.facts.document("never").get().exists

    assert Bill(reads=1) == database.meter.take()


def test_each_of_several_documents_is_one_read(seven):
    """Documents that are asked for together are billed one by one, the missing ones too."""
    references = [seven.facts.document(name) for name in ("f0", "f1", "never")]

    assert 3 == len(list(seven.client.get_all(references)))

    assert (3, 0, 0) == seven.take()


def test_a_transaction_costs_what_is_done_in_it(database):
    """A transaction that reads and writes one document costs one read and one write."""
    database.fill(a={"turns": 1})
    reference = database.facts.document("a")

    @transactional
    def count_up(transaction):
        turns = reference.get(transaction=transaction).get("turns")
        transaction.update(reference, {"turns": turns + 1})

    count_up(database.client.transaction())

    assert (1, 1, 0) == database.take()


def test_a_query_costs_what_it_returns(seven):
    """Every document that a query returns is one read."""
    seven.facts.where(filter=FieldFilter("number", ">=", 2)).get()

    assert (5, 0, 0) == seven.take()


def test_a_query_that_finds_nothing_costs_one_read(seven):
    """The minimum for a query is one read."""
    assert [] == seven.facts.where(filter=FieldFilter("number", "==", 77)).get()

    assert (1, 0, 0) == seven.take()


def test_a_limit_saves_reads(seven):
    """What a limit keeps from being returned is not billed."""
    seven.facts.limit(3).get()

    assert (3, 0, 0) == seven.take()


def test_what_an_offset_skips_is_billed(seven):
    """Each document that an offset skips is a read, like those returned."""
    seven.facts.offset(5).limit(1).get()
    assert (6, 0, 0) == seven.take()
    seven.facts.offset(100).get()
    assert (7, 0, 0) == seven.take()


def test_a_second_range_costs_index_entries(seven):
    """With more than one range field, every thousand index entries begun cost a read."""
    query = seven.facts.where(filter=FieldFilter("number", ">", 0))

    query.order_by("number").get()
    assert (6, 0, 0) == seven.take()
    query.where(filter=FieldFilter("text", "!=", "x")).order_by("number").get()
    assert (1, 0, 0) == seven.take()
    seven.fill(f1={"number": 1, "due": 1}, f2={"number": 2, "due": 2})
    query.order_by("number").order_by("due").get()
    assert (2 + 1, 0, 0) == seven.take()
    seven.facts.order_by("number").order_by("due").get()
    assert (2, 0, 0) == seven.take()


def test_a_count_is_one_read_for_a_thousand(database):
    """Every thousand index entries begun that an aggregation reads cost one read."""
    assert 0 == database.facts.count().get()[0][0].value
    assert (1, 0, 0) == database.take()

    for start in (0, 500, 1000):
        database.fill(**{f"f{start + number}": {"number": number} for number in range(500)})
    assert 1500 == database.facts.count().get()[0][0].value
    assert (2, 0, 0) == database.take()
    database.facts.sum("number").get()
    assert (2, 0, 0) == database.take()


def test_a_search_costs_its_results_and_the_vectors_it_compares(database):
    """A vector search costs a read per result, and one per hundred vectors begun."""
    database.fill(
        bare={"model": "old"},
        empty={"embedding": None},
        **{
            f"f{number}": {
                "embedding": Vector([1.0, number / 250] + [0.0] * 766),
                "model": "old" if number < 100 else "new",
            }
            for number in range(250)
        },
    )
    nearest = {
        "vector_field": "embedding",
        "query_vector": Vector([1.0] + [0.0] * 767),
        "distance_measure": DistanceMeasure.COSINE,
    }

    assert 5 == len(database.facts.find_nearest(limit=5, **nearest).get())
    assert (5 + 3, 0, 0) == database.take()
    old = database.facts.where(filter=FieldFilter("model", "==", "old"))
    assert 5 == len(old.find_nearest(limit=5, **nearest).get())
    assert (5 + 1, 0, 0) == database.take()


def test_a_listed_document_is_one_read(seven):
    """Listing documents costs a read for each, and at least one."""
    assert 7 == len(list(seven.facts.list_documents()))
    assert (7, 0, 0) == seven.take()
    assert [] == list(seven.client.collection("nothing").list_documents())
    assert (1, 0, 0) == seven.take()


def test_a_list_of_collections_is_one_read(seven):
    """Asking for the names of collections costs one read."""
    assert ["facts"] == [one.id for one in seven.client.document("conversations/C1").collections()]

    assert (1, 0, 0) == seven.take()


# Bills.


def test_bytes_written_are_those_of_the_writes(database):
    """What counts as written is the size of the writes, without the request around them."""
    write = types.Write(
        update=types.Document(name=database.name("a"), fields={"n": types.Value(integer_value=1)})
    )
    database.client._firestore_api.commit(
        types.CommitRequest(database=database.client._database_string, writes=[write])
    )

    bill = Bill(writes=1, bytes_written=types.Write.pb(write).ByteSize())
    assert bill == database.meter.take()


def test_a_bill_is_taken_once(database):
    """What has been taken is not in the next bill."""
    database.facts.document("a").get()

    assert (1, 0, 0) == database.take()
    assert (0, 0, 0) == database.take()


def test_a_bill_is_a_line_of_the_journal(seven):
    """A bill can be written as JSON, its queries among it even if there were none."""
    assert [] == Bill().as_line()["queries"]
    seven.facts.limit(1).get()

    line = seven.meter.take().as_line()

    assert line == json.loads(json.dumps(line))
    assert {
        "reads": 1,
        "writes": 0,
        "deletes": 0,
        "bytes_read": line["bytes_read"],
        "bytes_written": 0,
        "queries": [
            {
                "collection": "facts",
                "parent": "conversations/{}/facts",
                "filters": [],
                "order": [],
                "vector": None,
                "limit": 1,
                "select": [],
                "all_descendants": False,
            }
        ],
    } == line


def test_twenty_threads_are_billed_for_all_they_do(database):
    """No call is forgotten when many come at once."""

    def work(number):
        for turn in range(5):
            database.facts.document(f"f{number}-{turn}").create({"turn": turn})
            database.facts.document(f"f{number}-{turn}").get()

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(work, range(20)))

    assert (100, 100, 0) == database.take()


# The shapes of queries.


def shape_of(database, query):
    query.get()
    (shape,) = database.meter.take().queries
    return shape


def test_a_shape_names_filters_order_and_fields(database):
    """A query's shape says all that an index has to have, and no value."""
    query = (
        database.client.collection("alarms")
        .where(filter=FieldFilter("chat", "==", "C1"))
        .where(filter=FieldFilter("text", "==", None))
        .where(filter=FieldFilter("due", "<=", NOW))
        .order_by("due", direction="DESCENDING")
        .select(["due", "text"])
        .limit(20)
    )

    assert {
        "collection": "alarms",
        "parent": "alarms",
        "filters": [["chat", "EQUAL"], ["text", "IS_NULL"], ["due", "LESS_THAN_OR_EQUAL"]],
        "order": [["due", "DESCENDING"]],
        "vector": None,
        "limit": 20,
        "select": ["due", "text"],
        "all_descendants": False,
    } == shape_of(database, query)


def test_a_shape_names_the_vector(database):
    """A vector search's shape says field, measure, limit and threshold, and what filters it."""
    query = database.facts.where(filter=FieldFilter("embed_model", "==", "m")).find_nearest(
        vector_field="embedding",
        query_vector=Vector([1.0, 0.0]),
        limit=5,
        distance_measure=DistanceMeasure.COSINE,
        distance_threshold=0.5,
    )

    shape = shape_of(database, query)

    vector = {"field": "embedding", "measure": "COSINE", "limit": 5, "threshold": 0.5}
    assert ("conversations/{}/facts", vector) == (shape["parent"], shape["vector"])
    assert [["embed_model", "EQUAL"]] == shape["filters"]


def test_a_shape_tells_a_collection_group(database):
    """A query over all collections of a name needs an index of another scope."""
    shape = shape_of(database, database.client.collection_group("facts").order_by("number"))

    assert ("facts", True) == (shape["parent"], shape["all_descendants"])


def test_a_shape_keeps_alternatives_apart(database):
    """Each alternative needs an index, so that it must not be taken for one more condition."""
    either = Or([FieldFilter("by", "==", "U1"), FieldFilter("text", "==", "x")])
    query = database.facts.where(filter=FieldFilter("kind", "==", "fact")).where(filter=either)

    assert [
        ["kind", "EQUAL"],
        ["OR", [["by", "EQUAL"]], [["text", "EQUAL"]]],
    ] == shape_of(database, query)["filters"]


def test_a_count_has_a_shape(database):
    """An aggregation needs the index of the query under it."""
    query = database.facts.where(filter=FieldFilter("by", "==", "U1")).count()

    assert [["by", "EQUAL"]] == shape_of(database, query)["filters"]


# What goes wrong.


def test_a_call_fails_as_often_as_it_is_told_to(database):
    """A call that is made to fail is not served and costs nothing; the next one is."""
    database.meter.fail("Commit", grpc.StatusCode.ABORTED, times=2)
    fact = database.facts.document("a")

    for _ in range(2):
        with pytest.raises(Aborted):
            fact.create({"text": "a"}, retry=None)
    assert not database.has("a")
    assert (0, 0, 0) == database.take()
    fact.create({"text": "a"}, retry=None)
    assert (0, 1, 0) == database.take()


def test_only_calls_of_the_name_fail(database):
    """A fault of one call leaves the others alone."""
    database.meter.fail("Commit", grpc.StatusCode.RESOURCE_EXHAUSTED)

    database.facts.document("a").get(retry=None)
    with pytest.raises(ResourceExhausted):
        database.facts.document("a").create({}, retry=None)


def test_a_slow_call_moves_the_clock(database):
    """A slow call takes its time by the frozen clock, and is served."""
    database.meter.fail("BatchGetDocuments", slow=timedelta(seconds=4))

    database.facts.document("a").get(retry=None)

    assert NOW + timedelta(seconds=4) == database.clock.now()
    assert (1, 0, 0) == database.take()


def test_a_lost_answer_does_not_undo_the_call(database):
    """When only the answer gets lost, the write is done and billed, but the caller can't know."""
    database.meter.fail("Commit", lost=True)

    with pytest.raises(ServiceUnavailable):
        database.facts.document("a").create({"text": "a"}, retry=None)

    assert database.has("a")
    assert (0, 1, 0) == database.take()


def test_held_calls_are_served_when_they_are_released(database):
    """Twenty calls wait before they have any effect, while calls of other names pass."""
    hold = database.meter.hold("Commit")
    with ThreadPoolExecutor(20) as threads:
        names = [f"f{number}" for number in range(20)]
        running = [threads.submit(database.facts.document(name).create, {}) for name in names]
        hold.wait(20)
        assert not any(
            snapshot.exists
            for snapshot in database.client.get_all(
                [database.facts.document(name) for name in names]
            )
        )
        hold.release()
        for one in running:
            one.result()

    assert all(database.has(name) for name in names)
    assert (20, 20, 0) == database.take()


def test_closing_a_project_lets_go_of_its_calls(server, database, connect):
    """No call stays held when the world it came from has ended."""
    client = connect(server.host, "demo-closed")
    hold = server.open("demo-closed", database.clock, Plug()).hold("BatchGetDocuments")
    with ThreadPoolExecutor() as threads:
        running = threads.submit(client.document("a/b").get)
        hold.wait()
        server.close("demo-closed")

        assert not running.result().exists


def test_killed_before_nothing_is_done(database):
    """A process that dies before its request has had any effect leaves no trace."""
    pulled = []
    database.plug.arm(Kill(2, before=True), lambda: pulled.append("plug"))

    database.facts.document("a").create({}, retry=None)
    with pytest.raises(ServiceUnavailable):
        database.facts.document("b").create({}, retry=None)

    assert (["plug"], True, False) == (pulled, database.has("a"), database.has("b"))
    assert ["firestore Commit", "firestore Commit"] == database.plug.names
    assert (0, 1, 0) == database.take()


def test_killed_after_all_is_done_and_nobody_told(database):
    """A process that dies after its request never sees the answer, but the write is there."""
    pulled = []
    database.plug.arm(Kill(1), lambda: pulled.append("plug"))

    with pytest.raises(ServiceUnavailable):
        database.facts.document("a").create({}, retry=None)

    assert (["plug"], True) == (pulled, database.has("a"))
    assert (0, 1, 0) == database.take()


def test_a_process_can_die_at_a_call_that_fails(database):
    """The plug is pulled after an error of the emulator as after any other answer."""
    database.fill(a={})
    pulled = []
    database.plug.arm(Kill(1), lambda: pulled.append("plug"))

    with pytest.raises(ServiceUnavailable):
        database.facts.document("a").create({}, retry=None)

    assert ["plug"] == pulled


# What passes.


def test_a_project_nobody_opened_passes(server, database, connect):
    """Calls of another project are served and billed to nobody."""
    other = connect(server.host, f"{database.client.project}-other")

    other.document("conversations/C1").create({"text": "a"})

    assert "a" == other.document("conversations/C1").get().get("text")
    assert (0, 0, 0) == database.take()


def test_errors_arrive_as_the_emulator_said_them(database):
    """What the emulator refuses, it refuses in the same words through the proxy."""
    database.fill(a={"text": "a"})

    def create(client):
        client.document(database.path("a")).create({})

    def update(client):
        client.document(database.path("never")).update({"text": "x"})

    def update_newer(client):
        option = client.write_option(last_update_time=EARLIER)
        client.document(database.path("a")).update({"text": "x"}, option=option)

    def limit_twice(client):
        nearest = (
            client.collection("facts")
            .limit(1)
            .find_nearest(
                "embedding", Vector([1.0]), limit=1, distance_measure=DistanceMeasure.COSINE
            )
        )
        nearest.get()

    for deed, error in (
        (create, AlreadyExists),
        (update, NotFound),
        (update_newer, FailedPrecondition),
        (limit_twice, InvalidArgument),
    ):
        with pytest.raises(error) as direct:
            deed(database.direct)
        with pytest.raises(error) as metered:
            deed(database.client)
        assert direct.value.message == metered.value.message
    assert (0, 0, 0) == database.take()


def test_a_large_answer_passes(database):
    """An answer of more than gRPC's usual 4 MB arrives."""
    text = "x" * 900_000
    for number in range(6):
        database.fill(**{f"f{number}": {"text": text}})
    parent, collection = database.name("a").rsplit("/", 2)[:2]
    request = types.ListDocumentsRequest(parent=parent, collection_id=collection, page_size=10)

    pages = database.client._firestore_api.list_documents(request).pages

    assert [6] == [len(page.documents) for page in pages]
    assert 6 * len(text) < database.meter.take().bytes_read


def test_a_call_that_is_not_metered_is_refused(database):
    """What nobody bills must not be had for nothing."""
    with pytest.raises(MethodNotImplemented, match="not metered"):
        list(database.client.collection_group("facts").get_partitions(2))


def test_callers_and_the_emulator_learn_all_about_each_other(connect):
    """Metadata and deadline go one way, code, details and trailing metadata the other."""
    seen = {}

    class Refusing:
        def service(self, details):
            return grpc.unary_unary_rpc_method_handler(self.refuse)

        def refuse(self, request, context):
            seen.update(context.invocation_metadata(), left=context.time_remaining())
            context.set_trailing_metadata([("why", "because"), ("why-bin", b"\x00\xff")])
            context.abort(grpc.StatusCode.DATA_LOSS, "gone")

    emulator = grpc.server(ThreadPoolExecutor(), handlers=[Refusing()])
    server = FirestoreServer(f"127.0.0.1:{emulator.add_insecure_port('127.0.0.1:0')}")
    emulator.start()
    server.start()
    database = "projects/demo-x/databases/(default)"
    call = grpc.insecure_channel(server.host).unary_unary("/google.firestore.v1.Firestore/Commit")
    metadata = [
        ("authorization", "Bearer owner"),
        ("x-goog-request-params", f"database={database}"),
    ]

    request = types.CommitRequest.serialize(types.CommitRequest(database=database))
    with pytest.raises(grpc.RpcError) as refused:
        call(request, timeout=40, metadata=metadata)

    assert dict(metadata).items() <= seen.items()
    assert 30 < seen["left"] < 41
    error = refused.value
    assert (grpc.StatusCode.DATA_LOSS, "gone") == (error.code(), error.details())
    assert {"why": "because", "why-bin": b"\x00\xff"} == dict(error.trailing_metadata())
    server.stop()
    emulator.stop(None)


def test_a_caller_may_have_no_deadline(database):
    """A call that may take for ever is served like any other."""
    channel = grpc.insecure_channel(database.client._emulator_host)
    call = channel.unary_unary("/google.firestore.v1.Firestore/BeginTransaction")
    request = types.BeginTransactionRequest(database=database.client._database_string)

    answer = call(types.BeginTransactionRequest.serialize(request))

    assert types.BeginTransactionResponse.deserialize(answer).transaction
