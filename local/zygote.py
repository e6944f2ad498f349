"""A process that imports everything once, and then makes servers of the functions by forking.

`python -m local.zygote` says when it is ready, reads orders from standard input, one JSON object a
line, and answers each with the id of a process group: `function` (its name), `environment` (all the
server's variables), `port`, `clock` (the address of its clock) and `log` (the file its log lines go
to). It ends with its input, and its servers with it.
"""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

_IMPORTED = (
    "functions_framework._http",
    "google.cloud.firestore",
    "handlers.answer",
    "handlers.push",
    "services.gemini",
    "services.line",
)


def main() -> None:
    """Take orders until there are no more."""
    for name in _IMPORTED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    groups = []
    for line in sys.stdin:
        process = os.fork()
        if not process:
            _serve(json.loads(line))
        groups.append(process)
        print(process, flush=True)
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def _serve(order: Mapping[str, Any]) -> None:
    import functions_framework
    from functions_framework._http import create_server

    from local.clock import RemoteClock
    from local.functions import MAIN
    from services.settings import Settings
    from services.wiring import Services

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.environ.clear()
    os.environ.update(order["environment"])
    app = functions_framework.create_app(order["function"], str(MAIN))
    settings = Settings.from_env(os.environ)
    app.extensions["services"] = Services(settings, clock=RemoteClock(order["clock"]))
    create_server(app, debug=False).run("127.0.0.1", order["port"])
    os._exit(0)


if __name__ == "__main__":
    main()
