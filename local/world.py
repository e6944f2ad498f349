"""The whole outside world on one machine, with the functions in the middle of it."""

import json
import logging
import os
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import ZoneInfo

import functions_framework
from flask import Flask
from google.cloud import firestore
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from local.clock import FrozenClock, MovableClock
from local.emulator import HOST, wipe
from local.family import Event, Family
from local.gemini import GeminiServer
from local.journal import Journal
from local.line import LineServer
from local.loopback import Server
from local.metadata import MetadataServer
from local.tasks import EVENTS, TasksServer
from memory.calls import patience
from memory.store import Store
from services.logs import JsonFormatter
from services.settings import Settings
from services.wiring import Services

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_MAIN = Path(__file__).parent.parent / "main.py"
INVITATION_CODE = "LOCAL-CODE"
_CHANNEL_ID = "1234567890"
_CHANNEL_SECRET = "local-channel-secret"
_GEMINI_KEY = "local-gemini-key"
_TOKEN = "local-access-token"


class World:
    """LINE, Gemini, Cloud Tasks, Firestore and the functions, from `with` to its end.

    The functions and their clients are the production ones; only the addresses and the clock are
    others. Needs an emulator (`local.emulator`); each world is a project of its
    own in it, and is wiped at the end.
    """

    def __init__(
        self,
        clock: FrozenClock | MovableClock,
        *,
        settings: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        bot_id: str = "Ubot",
        stand_in: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        """Furnish the world.

        Args:
            clock: The time, for everybody in it.
            settings: Environment variables of the functions, beside the addresses.
            names: Display names by user id.
            groups: Members by the id of their group or room.
            bot_id: The assistant's own user id.
            stand_in: What answers for Gemini where nothing is scripted.
        """
        self.clock = clock
        environment = dict(settings or {})
        self.journal = Journal(clock, ZoneInfo(environment.get("TIMEZONE", "Asia/Taipei")))
        self._stack = ExitStack()
        self.logs = self._stack.enter_context(LogLines())
        self.line = LineServer(
            clock, self.journal, channel_id=_CHANNEL_ID, channel_secret=_CHANNEL_SECRET
        )
        self.line.people.update(names or {})
        self.line.groups.update({chat: list(members) for chat, members in (groups or {}).items()})
        self.gemini = GeminiServer(clock, self.journal, api_key=_GEMINI_KEY, stand_in=stand_in)
        self.tasks = TasksServer(clock, self.journal, queues={"events": EVENTS}, token=_TOKEN)
        # A token is nothing a family does or sees: it has a journal of its own.
        self.metadata = MetadataServer(clock, Journal(clock), token=_TOKEN)
        self.functions = Functions(self.journal)
        self.project = f"demo-{uuid.uuid4().hex[:12]}"
        self.environment = self._addresses() | environment
        """The functions' environment variables."""
        self.settings = Settings.from_env(self.environment)
        self.services = Services(self.settings, clock=clock)
        self.functions.attach(self.services)
        self.family = Family(clock, bot_id=bot_id)
        self.database = firestore.Client(project=self.project)
        self.events: list[Event] = []
        """What the family did, in order."""
        self._bot_id = bot_id
        self._last_body = b""

    def __enter__(self) -> Self:
        servers = (self.line, self.gemini, self.tasks, self.metadata, self.functions.server)
        for server in servers:
            server.start()
            self._stack.callback(server.stop)
        self._stack.callback(wipe, os.environ[HOST], self.project)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # What the family does.

    def activate(self, chat: str) -> None:
        """Let a chat be one the family has invited the assistant to."""
        Store(
            self.database, chat, self.clock, lease=timedelta(), patience=patience(seconds=8)
        ).open()

    def say(
        self,
        user: str,
        text: str,
        chat: str = "",
        *,
        mention: str = "",
        quote: str = "",
        message_id: str = "",
    ) -> str:
        """Send a text message and let the queue run; return the message's id.

        Args:
            user: Who says it.
            text: What.
            chat: Where; by default one-to-one.
            mention: "self" or a member, whose @name stands in the text.
            quote: The id of the message it quotes.
            message_id: LINE's id for it, if it matters.
        """
        message = self.family.text(text, mention=mention, quote=quote)
        if message_id:
            message["id"] = message_id
        event = self.message(user, chat or user, message)
        self.send(event)
        return str(event["message"]["id"])

    def message(self, user: str, chat: str, message: Mapping[str, Any]) -> Event:
        """Return a message event with a fresh reply token, not yet sent."""
        token = self.line.issue_reply_token(chat)
        return self.family.message(user, chat, message, reply_token=token)

    def send(self, *events: Event) -> int:
        """Send events in one webhook and let the queue run; return the webhook's status."""
        self.events += events
        body = json.dumps({"destination": self._bot_id, "events": events}, ensure_ascii=False)
        return self.post(body.encode())

    def post(self, body: bytes, signature: str | None = None) -> int:
        """Send a webhook's raw body, signed unless a signature is given; let the queue run."""
        self._last_body = body
        status = self.line.send_webhook(f"{self.functions.url}/webhook", body, signature)
        self.tasks.deliver_due()
        return status

    def redeliver(self) -> int:
        """Send the last webhook again, as LINE does when it believes it was lost."""
        body = json.loads(self._last_body)
        for event in body["events"]:
            event["deliveryContext"] = {"isRedelivery": True}
        return self.post(json.dumps(body, ensure_ascii=False).encode())

    def pass_time(self, until: datetime) -> None:
        """Move the clock on, delivering each task that falls due at its moment."""
        due = self.tasks.next_due()
        while due and due <= until:
            self.clock.advance(max(due - self.clock.now(), timedelta()))
            self.tasks.deliver_due()
            due = self.tasks.next_due()
        self.clock.advance(max(until - self.clock.now(), timedelta()))

    # What has become of it.

    def documents(self) -> dict[str, dict[str, Any]]:
        """Return everything that is stored, by path."""
        stored = {}
        collections = list(self.database.collections())
        while collections:
            for reference in collections.pop().list_documents():
                snapshot = reference.get()
                if snapshot.exists:
                    stored[snapshot.reference.path] = snapshot.to_dict()
                collections += reference.collections()
        return stored

    def _addresses(self) -> dict[str, str]:
        return {
            "PROJECT_ID": self.project,
            "REGION": "asia-east1",
            "LINE_CHANNEL_ID": _CHANNEL_ID,
            "LINE_CHANNEL_SECRET": _CHANNEL_SECRET,
            "GEMINI_API_KEY": _GEMINI_KEY,
            "INVITATION_CODE": INVITATION_CODE,
            "FUNCTIONS_URL": self.functions.url,
            "LINE_URL": self.line.url,
            "GEMINI_URL": self.gemini.url,
            "TASKS_URL": self.tasks.url,
            "GCE_METADATA_HOST": self.metadata.host,
        }


class Functions:
    """The functions as functions-framework serves them, at paths as in the cloud."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.app: Flask = functions_framework.create_app("webhook", str(_MAIN))
        # The cloud takes the function's name off the path, as a mounted application does.
        self.server = Server(DispatcherMiddleware(Flask("cloud"), {"/webhook": self._recorded}))
        self.url = self.server.url

    def attach(self, services: Services) -> None:
        """Give the functions their services, before their first request makes others."""
        self.app.extensions["services"] = services

    def _recorded(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        environ["PATH_INFO"] = environ["PATH_INFO"] or "/"

        def start(status: str, *rest: Any) -> Any:
            caller = "answer" if environ["PATH_INFO"] == "/answer" else "webhook"
            line: dict[str, Any] = {"from": caller, "status": int(status.split()[0])}
            if task := environ.get("HTTP_X_CLOUDTASKS_TASKNAME"):
                line["task"] = task
            self._journal.write(**line)
            return start_response(status, *rest)

        return self.app.wsgi_app(environ, start)


class LogLines(logging.Handler):
    """Keeps the log as Cloud Logging would get it, from `with` to its end."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, Any]] = []
        self.setFormatter(JsonFormatter())

    def __enter__(self) -> Self:
        logging.getLogger().addHandler(self)
        logging.getLogger().setLevel(logging.INFO)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        self.lines.append(json.loads(self.format(record)))
