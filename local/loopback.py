"""An HTTP server on this machine that stands for one outside service."""

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request
from werkzeug.serving import WSGIRequestHandler, make_server

from local.clock import FrozenClock
from local.faults import Fault, Faults
from local.holds import Hold
from local.journal import Journal
from local.plug import Killed, Plug
from services.clock import Clock

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


@dataclass(frozen=True, slots=True)
class Answer:
    """What a loopback server answers: a status and a body, JSON unless it is bytes."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"

    @property
    def payload(self) -> bytes | str:
        """The body as it is sent."""
        return self.body if isinstance(self.body, bytes) else _json(self.body)

    @property
    def shown(self) -> Any:
        """The body as it stands in the journal: of bytes, only how many."""
        return {"bytes": len(self.body)} if isinstance(self.body, bytes) else self.body


class Rejected(Exception):
    """The real service would have said no to this request."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


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

    def __init__(self, clock: Clock, journal: Journal, *, plug: Plug | None = None) -> None:
        """Take the time, the record, and the hand on the plug of whoever calls."""
        self.clock = clock
        self.journal = journal
        self.app = Flask(self.name)
        self.faults = Faults()
        self._plug = plug or Plug()
        self._holds: dict[str, Hold] = {}
        self._lock = threading.Lock()
        self.server = Server(self.app)
        self.url = self.server.url

    def start(self) -> None:
        """Begin to serve."""
        self.server.start()

    def stop(self) -> None:
        """Give the port back."""
        self.server.stop()

    def fail(self, call: str, answer: Answer | None = None, **how: Any) -> None:
        """Let the next calls of a name go wrong, as `Fault` describes it."""
        self.faults.add(Fault(call, answer, **how))

    def hold(self, call: str) -> Hold:
        """Stop the calls of a name before they are served."""
        self._holds[call] = Hold()
        return self._holds[call]

    def route(self, method: str, rule: str, call: str, view: Callable[..., Answer]) -> None:
        """Serve one call: `view` gets the JSON (or form) body, then the path's parts by name."""

        def serve(**path: str) -> Response:
            return self._serve(call, view, path)

        self.app.add_url_rule(rule, endpoint=f"{method} {rule}", view_func=serve, methods=[method])

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Return what is added to a call's line in the journal, to be read at a glance."""
        return {}

    def _serve(self, call: str, view: Callable[..., Answer], path: dict[str, str]) -> Response:
        try:
            with self._plug.request(f"{self.name} {call}"):
                if call in self._holds:
                    self._holds[call].stop()
                answer, lost = self._record(call, view, path)
        except Killed:
            answer, lost = Answer(), True
        if lost:
            request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return Response(
            answer.payload,
            answer.status,
            headers=dict(answer.headers),
            content_type=answer.media_type,
        )

    def _record(
        self, call: str, view: Callable[..., Answer], path: dict[str, str]
    ) -> tuple[Answer, bool]:
        """Serve a call and write it down; return the answer, and whether it gets lost."""
        body = _read_body()
        fault = self.faults.take(call)
        answer = self._answer(view, body, path, fault)
        self.journal.write(
            to=self.name,
            call=call,
            status=answer.status,
            headers=dict(request.headers),
            path=request.path,
            body=body,
            answer=answer.shown,
            **self.shorthands(call, body),
        )
        return answer, bool(fault and fault.lost)

    def _answer(
        self, view: Callable[..., Answer], body: Any, path: dict[str, str], fault: Fault | None
    ) -> Answer:
        if fault and fault.slow and isinstance(self.clock, FrozenClock):
            self.clock.advance(fault.slow)
        if fault and isinstance(fault.answer, Answer):
            return fault.answer
        try:
            return view(body, **path)
        except Rejected as rejected:
            return rejected.answer


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False)


def _read_body() -> Any:
    if request.mimetype == "application/x-www-form-urlencoded":
        return request.form.to_dict()
    raw = request.get_data()
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")
