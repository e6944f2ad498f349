"""Cloud Functions entry points: HTTP in, HTTP out, nothing else."""

import logging
import os
from collections.abc import Callable

import functions_framework
from flask import Request, Response, current_app
from werkzeug.exceptions import RequestEntityTooLarge

from handlers.events import Malformed, event_at
from handlers.webhook import receive
from services import logs
from services.errors import Busy, Refused, Unavailable
from services.loader import Loader
from services.settings import BadSettings, Settings
from services.signature import BadSignature
from services.wiring import Services

log = logging.getLogger(__name__)
logs.configure()

_LARGEST_BODY = 1_000_000
"""Bytes; a task carries the whole body, and may be no larger than 1 MiB."""
_NEEDED = ("google.cloud.firestore", "handlers.answer", "services.gemini", "services.line")
"""What an answer needs and is slow to import, in the order in which it is needed."""
_RUNG = ("google.cloud.firestore", "handlers.push", "services.line")
"""What an alarm needs; never the model."""

_loader = Loader()
if os.environ.get("FUNCTION_TARGET") == "push":
    # An instance of it is started for an alarm that rings now: what that needs is loaded while the
    # server's worker starts. Before it is forked off, no thread may run.
    os.register_at_fork(after_in_child=lambda: _loader.start(_RUNG))


@functions_framework.http
def push(request: Request) -> Response:
    """Take the alarms Cloud Tasks rings.

    Private: IAM lets in the tasks' account and nobody else, so that no alarm needs to be proved.
    """
    if request.method != "POST":
        return Response("POST only", 405, {"Allow": "POST"})
    return _responded(lambda: _push(request), unavailable=503)


@functions_framework.http
def webhook(request: Request) -> Response:
    """Take LINE's webhooks at `/`, and at `/answer` the tasks made of them.

    Public: on both paths the caller proves itself by LINE's signature of the body.
    """
    if request.path not in {"/", "/answer"}:
        return Response("not found", 404)
    if request.method != "POST":
        return Response("POST only", 405, {"Allow": "POST"})
    if request.path == "/":
        # LINE's documentation asks for a 500 where an event should be redelivered.
        return _responded(lambda: _receive(request), unavailable=500)
    return _responded(lambda: _answer(request), unavailable=503)


def services() -> Services:
    """Return this instance's services, made for its first request and kept warm."""
    extensions = current_app.extensions
    if "services" not in extensions:
        extensions["services"] = Services(Settings.from_env(os.environ), loader=_loader)
    made: Services = extensions["services"]
    return made


def _receive(request: Request) -> Response:
    made = services()
    tasks = receive(_body(request), _signature(request), made)
    response = Response("")
    if tasks:
        # LINE has its 200 by then; the SDKs load while the task is on its way.
        response.call_on_close(lambda: made.loader.start(_NEEDED))
    return response


def _answer(request: Request) -> Response:
    made = services()
    event = event_at(
        request.args.get("event", ""),
        _body(request),
        _signature(request),
        made.settings.line_channel_secret,
        made.clock.now(),
    )
    if not event:
        log.info("event ignored")
        return Response("")
    made.loader.start(_NEEDED)
    made.loader.wait("handlers.answer")
    from handlers.answer import answer, give_up

    try:
        answer(event, made)
    except Busy:
        raise
    except Exception:
        if _is_last_try(request, made.settings.answer_attempts):
            give_up(event, made)
        raise
    return Response("")


def _push(request: Request) -> Response:
    made = services()
    made.loader.start(_RUNG)
    made.loader.wait("handlers.push")
    from handlers.push import push

    push(_body(request), made, last_try=_is_last_try(request, made.settings.push_attempts))
    return Response("")


def _is_last_try(request: Request, attempts: int) -> bool:
    """Say whether the queue will not come again. Anybody may claim so: it gets them an apology."""
    retries = request.headers.get("X-CloudTasks-TaskRetryCount", 0, type=int)
    return retries + 1 >= attempts


def _body(request: Request) -> bytes:
    # functions-framework reads every body to its end, so that refusing to read one gains nothing.
    body = request.get_data()
    if len(body) > _LARGEST_BODY:
        raise RequestEntityTooLarge
    return body


def _signature(request: Request) -> str:
    return request.headers.get("X-Line-Signature", "")


def _responded(work: Callable[[], Response], *, unavailable: int) -> Response:
    """Do the work; what goes wrong becomes a status and one line in the log.

    2xx is done or hopeless, everything else comes again: from Cloud Tasks, or from LINE.
    """
    try:
        return work()
    except BadSignature:
        return _failed("bad signature", 401)
    except Malformed as error:
        return _failed(str(error), 400)
    except RequestEntityTooLarge:
        return _failed("the body is too large", 413)
    except Busy:
        return _failed("another delivery is at it", 409)
    except Unavailable:
        log.warning("to come again", exc_info=True)
        return Response("come again", unavailable)
    except Refused:
        log.exception("given up")
        return Response("given up")
    except BadSettings as error:
        log.critical(str(error))
        return Response("the settings are wrong: see the log", 500)
    except Exception:
        log.exception("unexpected")
        return Response("unexpected", 500)


def _failed(what: str, status: int) -> Response:
    log.warning(what)
    return Response(what, status)
