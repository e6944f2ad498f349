"""A proxy in front of the Firestore emulator, which meters, fails and holds calls."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc

from local.billing import CALLS, Bill, Call, Message, Served, counted, counting
from local.clock import FrozenClock
from local.faults import Fault, Faults
from local.holds import Hold
from local.plug import Killed, Plug
from services.clock import Clock

_SERVICE = "/google.firestore.v1.Firestore/"
_THREADS = 64
"""How many calls may be under way or held at once."""
_LONGEST = 86400
"""Seconds for a call whose caller would wait for ever."""
_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    # Without it, each streaming call has a thread of its own to read the answers.
    (grpc.experimental.ChannelOptions.SingleThreadedUnaryStream, 1),
)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a call: serialised answers, or an error."""

    answers: tuple[bytes, ...] = ()
    code: grpc.StatusCode | None = None
    details: str = ""
    trailing: Sequence[tuple[str, str | bytes]] = ()


class Meter:
    """One project's calls: what they would have cost, and what goes wrong with them."""

    def __init__(self, clock: Clock, plug: Plug) -> None:
        self.faults = Faults()
        self._clock = clock
        self._plug = plug
        self._holds: dict[str, Hold] = {}
        self._bill = Bill()
        self._lock = threading.Lock()

    def fail(self, call: str, code: grpc.StatusCode | None = None, **how: Any) -> None:
        """Let the next calls of a name go wrong, as `Fault` describes it."""
        self.faults.add(Fault(call, code, **how))

    def hold(self, call: str) -> Hold:
        """Stop the calls of a name before they are served."""
        self._holds[call] = Hold()
        return self._holds[call]

    def take(self) -> Bill:
        """Return what was billed since the last time."""
        with self._lock:
            bill, self._bill = self._bill, Bill()
        return bill

    def add(self, bill: Bill) -> None:
        """Bill something."""
        with self._lock:
            self._bill += bill

    def close(self) -> None:
        """Let go of what is still held."""
        for hold in self._holds.values():
            hold.release()

    def pass_on(self, call: str, serve: Callable[[], _Outcome]) -> _Outcome:
        """Have a call served, unless something goes wrong with it."""
        try:
            with self._plug.request(f"firestore {call}"):
                if call in self._holds:
                    self._holds[call].stop()
                return self._outcome(self.faults.take(call), serve)
        except Killed:
            return _Outcome(code=grpc.StatusCode.UNAVAILABLE, details="the caller has been killed")

    def _outcome(self, fault: Fault | None, serve: Callable[[], _Outcome]) -> _Outcome:
        if not fault:
            return serve()
        if fault.slow and isinstance(self._clock, FrozenClock):
            self._clock.advance(fault.slow)
        if fault.answer:
            return _Outcome(code=fault.answer, details="made to fail")
        outcome = serve()
        if fault.lost:
            return _Outcome(code=grpc.StatusCode.UNAVAILABLE, details="the answer got lost")
        return outcome


class FirestoreServer:
    """A Firestore on a free port of 127.0.0.1, from `start` to `stop`; the emulator does the work.

    One is enough for a process: every project that is opened has a meter of its own, and calls of
    other projects pass as they are.
    """

    def __init__(self, emulator: str) -> None:
        self.emulator = emulator
        """The emulator's host and port, where nothing is metered."""
        self._meters: dict[str, Meter] = {}
        self._channel = grpc.insecure_channel(emulator, options=_OPTIONS)
        self._stubs = {name: self._channel.unary_stream(_SERVICE + name) for name in CALLS}
        self._server = grpc.server(ThreadPoolExecutor(_THREADS), options=_OPTIONS)
        self._server.add_generic_rpc_handlers((_Methods(self._serve),))
        self.host = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        """What `FIRESTORE_EMULATOR_HOST` has to be."""

    def start(self) -> None:
        """Begin to serve."""
        self._server.start()

    def stop(self) -> None:
        """Give the port back."""
        for project in list(self._meters):
            self.close(project)
        self._server.stop(grace=1).wait()
        self._channel.close()

    def open(self, project: str, clock: Clock, plug: Plug) -> Meter:
        """Begin to meter a project, whose time and whose caller's life are in these hands."""
        self._meters[project] = Meter(clock, plug)
        return self._meters[project]

    def close(self, project: str) -> None:
        """Let a project pass unmetered again, and what is still held of it."""
        self._meters.pop(project).close()

    def _serve(self, call: Call, raw: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        request = call.request.FromString(raw)
        meter = self._meters.get(call.project(request))
        ask = partial(self._ask, context)

        def serve() -> _Outcome:
            outcome = ask(call, raw)
            if meter:
                meter.add(_bill(call, request, outcome, ask))
            return outcome

        outcome = meter.pass_on(call.name, serve) if meter else serve()
        if outcome.code:
            context.set_trailing_metadata(outcome.trailing)
            context.abort(outcome.code, outcome.details)
        return iter(outcome.answers)

    def _ask(self, context: grpc.ServicerContext, call: Call, raw: bytes) -> _Outcome:
        """Let the emulator serve a call, as whoever is behind the context."""
        # A caller without a deadline has 2**63 seconds left, which gRPC would not take back.
        timeout = min(context.time_remaining(), _LONGEST)
        metadata = context.invocation_metadata()
        try:
            return _Outcome(tuple(self._stubs[call.name](raw, timeout, metadata)))
        except grpc.RpcError as error:
            return _Outcome((), error.code(), error.details(), error.trailing_metadata())


def _bill(
    call: Call, request: Message, outcome: _Outcome, ask: Callable[[Call, bytes], _Outcome]
) -> Bill:
    # A missing document is read too; this is the one call that says so by an error.
    missing = call.name == "GetDocument" and outcome.code == grpc.StatusCode.NOT_FOUND
    if outcome.code and not missing:
        return Bill()

    def count(query: Message) -> int:
        aggregation = CALLS["RunAggregationQuery"]
        raw = counting(request.parent, query).SerializeToString()
        return counted(_parsed(aggregation, ask(aggregation, raw)))

    return call.bill(Served(request, _parsed(call, outcome), count))


def _parsed(call: Call, outcome: _Outcome) -> list[Message]:
    return [call.answer.FromString(answer) for answer in outcome.answers]


class _Methods:
    """What gRPC asks how to serve a method."""

    def __init__(
        self, serve: Callable[[Call, bytes, grpc.ServicerContext], Iterator[bytes]]
    ) -> None:
        self._serve = serve

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        """Return what serves it; a stream of one answer is on the wire what a sole answer is."""
        call = CALLS.get(details.method.removeprefix(_SERVICE))
        if call:
            return grpc.unary_stream_rpc_method_handler(partial(self._serve, call))
        return grpc.stream_stream_rpc_method_handler(_refuse)


def _refuse(_: Iterator[bytes], context: grpc.ServicerContext) -> None:
    context.abort(grpc.StatusCode.UNIMPLEMENTED, "not metered, see local/billing.py")
