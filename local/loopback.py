"""An HTTP server on this machine that stands for one outside service."""

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request
from werkzeug.serving import WSGIRequestHandler, make_server

from local.clock import FrozenClock
from local.journal import Journal
from services.clock import Clock

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


@dataclass(frozen=True, slots=True)
class Answer:
    """What a loopback server answers: a status and a JSON body."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class Rejected(Exception):
    """The real service would have said no to this request."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(slots=True)
class Fault:
    """Something that goes wrong with the next calls of one name."""

    call: str
    answer: Answer | None
    times: int
    slow: timedelta
    lost: bool


class _QuietHandler(WSGIRequestHandler):
    # Keep-alive, as the real services do; one buffered write, or Nagle's algorithm and the client's
    # delayed acknowledgement cost 40 ms a request.
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing: the journal tells what came."""

    def finish(self) -> None:
        """End a connection, also one that was cut so that its answer is lost."""
        with suppress(ConnectionError):
            super().finish()


class Server:
    """A WSGI application on a free port of 127.0.0.1, from `start` to `stop`."""

    def __init__(self, application: "WSGIApplication") -> None:
        self._server = make_server(
            "127.0.0.1", 0, application, threaded=True, request_handler=_QuietHandler
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Begin to serve, in a thread of its own."""
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Give the port back."""
        self._server.shutdown()
        self._server.server_close()


class Loopback:
    """One outside service on a free port of 127.0.0.1, from `start` to `stop`.

    Subclasses name themselves, say which path is which call with `route`, and raise `Rejected` for
    what the real service rejects. Every call is written to the journal with its answer.
    """

    name = ""

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self.clock = clock
        self.journal = journal
        self.app = Flask(self.name)
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self.server = Server(self.app)
        self.url = self.server.url

    def start(self) -> None:
        """Begin to serve."""
        self.server.start()

    def stop(self) -> None:
        """Give the port back."""
        self.server.stop()

    def fail(
        self,
        call: str,
        answer: Answer | None = None,
        *,
        times: int = 1,
        slow: timedelta = timedelta(),
        lost: bool = False,
    ) -> None:
        """Let the next calls go wrong.

        Args:
            call: The call's name.
            answer: What is answered instead; without one the call is served as ever.
            times: How many calls.
            slow: How far the clock moves on before the answer.
            lost: The call is served, but its answer never arrives.
        """
        with self._lock:
            self._faults.append(Fault(call, answer, times, slow, lost))

    def route(self, method: str, rule: str, call: str, view: Callable[..., Answer]) -> None:
        """Serve one call: `view` gets the JSON (or form) body, then the path's parts by name."""

        def serve(**path: str) -> Response:
            return self._serve(call, view, path)

        self.app.add_url_rule(rule, endpoint=f"{method} {rule}", view_func=serve, methods=[method])

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Return what is added to a call's line in the journal, to be read at a glance."""
        return {}

    def _serve(self, call: str, view: Callable[..., Answer], path: dict[str, str]) -> Response:
        body = _read_body()
        fault = self._next_fault(call)
        answer = self._answer(view, body, path, fault)
        self.journal.write(
            to=self.name,
            call=call,
            status=answer.status,
            headers=dict(request.headers),
            path=request.path,
            body=body,
            answer=answer.body,
            **self.shorthands(call, body),
        )
        if fault and fault.lost:
            request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return Response(
            json.dumps(answer.body, ensure_ascii=False),
            answer.status,
            headers=dict(answer.headers),
            content_type="application/json",
        )

    def _answer(
        self, view: Callable[..., Answer], body: Any, path: dict[str, str], fault: Fault | None
    ) -> Answer:
        if fault and fault.slow and isinstance(self.clock, FrozenClock):
            self.clock.advance(fault.slow)
        if fault and fault.answer:
            return fault.answer
        try:
            return view(body, **path)
        except Rejected as rejected:
            return rejected.answer

    def _next_fault(self, call: str) -> Fault | None:
        with self._lock:
            fault = next((f for f in self._faults if f.call == call), None)
            if fault:
                fault.times -= 1
                if not fault.times:
                    self._faults.remove(fault)
            return fault


def _read_body() -> Any:
    if request.mimetype == "application/x-www-form-urlencoded":
        return request.form.to_dict()
    raw = request.get_data()
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")
