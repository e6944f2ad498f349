"""The functions in processes of their own, which may die."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import urllib3
from werkzeug.wrappers import Request, Response

from local.functions import MAIN, Died

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_BOOT_SECONDS = 20


class Zygote:
    """A process that has imported everything and makes others at once; from `with` to its end."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "local.zygote"],
            cwd=MAIN.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, order: Mapping[str, Any]) -> int:
        """Start a server as ordered (`local.zygote`); return the id of its process group."""
        assert self._process.stdin
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return int(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


class OwnProcess:
    """A function in a process of its own, in functions-framework's server.

    A new one takes the place of one that has died, when the next request comes.
    """

    def __init__(
        self,
        zygote: Zygote,
        function: str,
        environment: Mapping[str, str],
        *,
        clock_url: str,
        log: Path,
    ) -> None:
        self._zygote = zygote
        self._order = {
            "function": function,
            "environment": dict(environment),
            "clock": clock_url,
            "log": str(log),
        }
        self._starting = threading.Lock()
        self._group = 0
        self._url = ""
        self._http = urllib3.PoolManager(retries=False, timeout=60, maxsize=32)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Serve one request; raise `Died` where the process ends before it has answered."""
        request = Request(environ)
        with self._starting:
            if not self._group:
                self._start()
        try:
            answer = self._http.request(
                request.method,
                self._url + request.full_path,
                body=request.get_data(),
                headers=dict(request.headers),
            )
        except urllib3.exceptions.HTTPError as error:
            raise Died from error
        return Response(answer.data, answer.status)(environ, start_response)

    def kill(self) -> None:
        """End the process where it stands."""
        if self._group:
            os.killpg(self._group, signal.SIGKILL)
            self._group = 0

    def _start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._group = self._zygote.start({**self._order, "port": port})
        self._url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + _BOOT_SECONDS
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.002)
        raise Died(f"no server after {_BOOT_SECONDS} s")
