"""The meter bills for what the client library was seen to ask."""

from pathlib import Path

import grpc
import pytest
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport

from local.player import Player
from local.story import read_story

STORIES = sorted((Path(__file__).parent / "stories").rglob("*.yaml"))
IN_PROCESS = [path for path in STORIES if "kill:" not in path.read_text(encoding="utf-8")]


class Witness(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Stands inside the client library and counts by the simplest of rules."""

    def __init__(self):
        self.looked_up = self.written = self.deleted = 0

    def intercept_unary_unary(self, proceed, details, request):
        call = proceed(details, request)
        if details.method.endswith("/Commit") and call.code() == grpc.StatusCode.OK:
            deletes = sum("delete" in write for write in request.writes)
            self.deleted += deletes
            self.written += len(request.writes) - deletes
        return call

    def intercept_unary_stream(self, proceed, details, request):
        call = proceed(details, request)
        if details.method.endswith("/RunQuery"):
            return Queried(call, self, request.structured_query)
        if details.method.endswith("/RunAggregationQuery"):
            self.looked_up += 1
            return call
        assert details.method.endswith("/BatchGetDocuments")
        self.looked_up += len(request.documents)
        return call


class Queried:
    """A query's answers, counted as they come: at least one, and one more for a vector index.

    No story has a hundred facts, so that one read pays for the whole index.
    """

    def __init__(self, call, witness, query):
        self._call = call
        self._witness = witness
        self._found = 0
        self._index = int("find_nearest" in query)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            answer = next(self._call)
        except StopIteration:
            self._witness.looked_up += max(1, self._found) + self._index
            raise
        self._found += "document" in answer
        return answer

    def __getattr__(self, name):
        return getattr(self._call, name)


def watched(client, host):
    """Let a witness into a client; return it."""
    witness = Witness()
    channel = grpc.intercept_channel(grpc.insecure_channel(host), witness)
    transport = FirestoreGrpcTransport(channel=channel)
    client._firestore_api_internal = FirestoreClient(transport=transport)
    return witness


@pytest.mark.parametrize("path", IN_PROCESS, ids=lambda path: path.stem)
def test_what_is_billed_is_what_was_asked(path, firestore):
    """
    Over a whole story, the bills add up to the documents the client asked for and wrote.
    """
    with Player(read_story(path), firestore) as player:
        world = player.world
        witnesses = [
            watched(services.firestore, firestore.host)
            for services in (world.services, world.ringing)
        ]
        for step in player.story.steps:
            if step.verb not in {"firestore", "expect", "expect_store"}:
                player.take(step)
        bills = [line["meter"] for line in world.journal.lines if "meter" in line]

    seen = [(one.looked_up, one.written, one.deleted) for one in witnesses]
    assert tuple(map(sum, zip(*seen, strict=True))) == tuple(
        sum(bill[what] for bill in bills) for what in ("reads", "writes", "deletes")
    )


def test_ten_stories_and_more_are_counted_by_hand():
    """
    In at least ten stories somebody wrote down what an answer costs, and why.
    """
    counted = [path for path in STORIES if "meter:" in path.read_text(encoding="utf-8")]

    assert len(counted) >= 10
