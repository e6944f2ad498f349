"""The functions as the cloud serves them: behind their names, and behind IAM."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import functions_framework
from werkzeug.wrappers import Response

from local.identities import Identities
from local.journal import Journal
from local.loopback import Server
from local.plug import Plug
from services.wiring import Services

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MAIN = Path(__file__).parent.parent / "main.py"


class Died(Exception):
    """The process of a function ended before it had answered."""


class Front:
    """What stands in front of the functions: their names in paths, IAM, and a record of answers.

    A function is public, or lets in one account only, as `roles/run.invoker` does.
    """

    def __init__(self, journal: Journal, plug: Plug, identities: Identities) -> None:
        self._journal = journal
        self._plug = plug
        self._identities = identities
        self._functions: dict[str, tuple[WSGIApplication, str]] = {}
        self.under_way = 0
        """How many calls have not been answered yet."""
        self._lock = threading.Lock()
        self.bill: Callable[[], dict[str, Any]] = dict
        """What Firestore would bill since it was last asked."""
        self._server = Server(self)
        self.url = self._server.url

    def start(self) -> None:
        """Begin to serve."""
        self._server.start()

    def stop(self) -> None:
        """Give the port back."""
        self._server.stop()

    def add(self, name: str, function: "WSGIApplication", *, only_for: str = "") -> None:
        """Serve a function under its name, to everybody or to one account."""
        self._functions[name] = function, only_for

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Serve one request."""
        # The cloud takes the function's name off the path.
        name, _, path = environ["PATH_INFO"].lstrip("/").partition("/")
        environ["PATH_INFO"] = f"/{path}"
        environ["SCRIPT_NAME"] = f"/{name}"
        if name not in self._functions:
            return Response("no such function", 404)(environ, start_response)
        function, only_for = self._functions[name]
        caller = self._identities.caller(
            environ.get("HTTP_AUTHORIZATION", ""), f"{self.url}/{name}"
        )
        if only_for and caller != only_for:
            function = Response("The request was not authenticated.", 403)
        return self._call(path or name, function, environ, start_response)

    def _call(
        self,
        name: str,
        function: "WSGIApplication",
        environ: "WSGIEnvironment",
        start_response: "StartResponse",
    ) -> Iterable[bytes]:
        def start(status: str, *rest: Any) -> Any:
            self._record(name, int(status.split()[0]), environ)
            return start_response(status, *rest)

        self._plug.called(name)
        self._count(1)
        try:
            return function(environ, start)
        except Died:
            return Response("the instance died", 500)(environ, start)
        finally:
            self._count(-1)

    def _count(self, calls: int) -> None:
        with self._lock:
            self.under_way += calls

    def _record(self, name: str, status: int, environ: "WSGIEnvironment") -> None:
        task = environ.get("HTTP_X_CLOUDTASKS_TASKNAME")
        self._journal.write(**{"from": name, "status": status, **({"task": task} if task else {})})
        self._journal.write(**{"from": name, "meter": self.bill()})


def in_process(function: str, services: Services) -> "WSGIApplication":
    """Return a function in this process, with services of our own."""
    app = functions_framework.create_app(function, str(MAIN))
    app.extensions["services"] = services
    application: WSGIApplication = app.wsgi_app
    return application
