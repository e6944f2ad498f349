"""The whole outside world on one machine, with the functions in the middle of it."""

import json
import os
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self
from zoneinfo import ZoneInfo

from google.cloud import firestore

from local.clock import FrozenClock, MovableClock
from local.emulator import HOST, wipe
from local.family import Event, Family
from local.firestore import FirestoreServer
from local.functions import Front, in_process
from local.gemini import GeminiServer, StandIn
from local.identities import Identities
from local.journal import Journal
from local.line import LineServer
from local.log_lines import LogLines
from local.metadata import MetadataServer
from local.plug import Kill, Plug
from local.processes import OwnProcess, Zygote
from local.queues import EVENTS, REMINDERS
from local.seed import plant
from local.tasks import TasksServer
from local.time_server import TimeServer
from memory.calls import patience
from memory.store import Store
from services.settings import Settings
from services.wiring import Services

INVITATION_CODE = "LOCAL-CODE"
_CHANNEL_ID = "1234567890"
_CHANNEL_SECRET = "local-channel-secret"
_GEMINI_KEY = "local-gemini-key"
_TOKEN = "local-access-token"
_ENVIRON = threading.Lock()


class World:
    """LINE, Gemini, Cloud Tasks, Firestore and the functions, from `with` to its end.

    The functions and their clients are the production ones; only the addresses and the clock are
    others. Each world is a project of its own in the emulator, and is wiped at the end.
    """

    def __init__(
        self,
        clock: FrozenClock | MovableClock,
        firestore: FirestoreServer,
        *,
        settings: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        bot_id: str = "Ubot",
        stand_in: StandIn | None = None,
        zygote: Zygote | None = None,
    ) -> None:
        """Furnish the world.

        Args:
            clock: The time, for everybody in it.
            firestore: The metered Firestore.
            settings: Environment variables of the functions, beside the addresses.
            names: Display names by user id.
            groups: Members by the id of their group or room.
            bot_id: The assistant's own user id.
            stand_in: What answers for Gemini where nothing is scripted.
            zygote: What makes processes, if the functions are each to be in one of their own.
        """
        self._stack = ExitStack()
        self.logs = self._stack.enter_context(LogLines())
        self.clock = clock
        self.plug = Plug()
        environment = dict(settings or {})
        self.journal = Journal(clock, ZoneInfo(environment.get("TIMEZONE", "Asia/Taipei")))
        self.project = f"demo-{uuid.uuid4().hex[:12]}"
        self.firestore = firestore.open(self.project, clock, self.plug)
        self._stack.callback(firestore.close, self.project)
        self._stack.callback(wipe, firestore.emulator, self.project)
        self._firestore_host = firestore.host
        self._furnish(names or {}, groups or {}, stand_in)
        self.environment = self._addresses() | {HOST: firestore.host} | environment
        """The functions' environment variables."""
        self.settings = Settings.from_env(self.environment)
        self.database = _client(firestore.emulator, self.project)
        """A way into the database that is not metered."""
        self.services = self._services()
        """Those of `webhook`, where it is in this process."""
        self.processes = self._own_processes(zygote) if zygote else {}
        self._serve("webhook", self.services)
        self.ringing = self._services()
        """Those of `push`, likewise: another function, so another instance."""
        self._serve("push", self.ringing, only_for=self.settings.tasks_account)
        self.family = Family(clock, bot_id=bot_id)
        self.events: list[Event] = []
        """What the family did, in order."""
        self._bot_id = bot_id
        self.last_status: int | None = None
        """What the last webhook was answered."""
        self._last_body = b""

    def __enter__(self) -> Self:
        servers = (self.line, self.gemini, self.tasks, self.metadata, self.time, self.functions)
        for server in servers:
            server.start()
            self._stack.callback(server.stop)
        return self

    def __exit__(self, *_: object) -> None:
        self._kill_all()
        self._stack.close()

    def kill(self, kill: Kill) -> None:
        """Let a function's process die at a request of its own; without a name, whichever asks."""
        assert self.processes, "only a process of its own can be killed"
        function = "webhook" if kill.at == "answer" else kill.at
        self.plug.arm(kill, self.processes[function].kill if function else self._kill_all)

    def _kill_all(self) -> None:
        for process in self.processes.values():
            process.kill()

    def _services(self) -> Services:
        services = Services(self.settings, clock=self.clock)
        with _environ(HOST, self._firestore_host):
            # The client asks the environment where it is once, when it is made.
            assert services.firestore
        return services

    def _serve(self, function: str, services: Services, *, only_for: str = "") -> None:
        served = self.processes.get(function) or in_process(function, services)
        self.functions.add(function, served, only_for=only_for)

    def _furnish(
        self,
        names: Mapping[str, str],
        groups: Mapping[str, Sequence[str]],
        stand_in: StandIn | None,
    ) -> None:
        border = (self.clock, self.journal)
        identities = Identities()
        self.line = LineServer(
            *border, channel_id=_CHANNEL_ID, channel_secret=_CHANNEL_SECRET, plug=self.plug
        )
        self.line.people.update(names)
        self.line.groups.update({chat: list(members) for chat, members in groups.items()})
        self.gemini = GeminiServer(*border, api_key=_GEMINI_KEY, stand_in=stand_in, plug=self.plug)
        self.tasks = TasksServer(
            *border,
            queues={"events": EVENTS, "reminders": REMINDERS},
            token=_TOKEN,
            identities=identities,
            plug=self.plug,
        )
        # A token and the time are nothing a family does or sees: they have journals of their own.
        self.metadata = MetadataServer(self.clock, Journal(self.clock), token=_TOKEN)
        self.time = TimeServer(self.clock)
        self.functions = Front(self.journal, self.plug, identities)
        self.functions.bill = lambda: self.firestore.take().as_line()

    def _own_processes(self, zygote: Zygote) -> dict[str, OwnProcess]:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        log = self.logs.also_from(Path(folder) / "log")
        return {
            function: OwnProcess(
                zygote, function, self.environment, clock_url=self.time.url, log=log
            )
            for function in ("webhook", "push")
        }

    # What the family does.

    def activate(self, chat: str, seed: Mapping[str, Any] | None = None) -> None:
        """Let a chat be one the family has invited the assistant to, and that remembers a seed."""
        store = self.store(chat)
        store.open()
        if seed:
            plant(store, seed, self.settings, self.clock.now())

    def store(self, chat: str) -> Store:
        """Return what a chat's conversation is kept in, unmetered."""
        return Store(self.database, chat, self.clock, patience=patience(seconds=8))

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
        if "quoteToken" in message:
            message = {**message, "quoteToken": self.line.issue_quote_token(chat)}
        return self.family.message(user, chat, message, reply_token=token)

    def send(self, *events: Event) -> int:
        """Send events in one webhook and let the queue run; return the webhook's status."""
        self.events += events
        return self.post(self.body_of(*events))

    def body_of(self, *events: Event) -> bytes:
        """Return the body of a webhook."""
        body = {"destination": self._bot_id, "events": events}
        return json.dumps(body, ensure_ascii=False).encode()

    def post(self, body: bytes, signature: str | None = None) -> int:
        """Send a webhook's raw body, signed unless a signature is given; let the queue run."""
        status = self.receive(body, signature)
        self.tasks.deliver_due()
        return status

    def receive(self, body: bytes, signature: str | None = None) -> int:
        """Send a webhook's raw body; what is queued waits."""
        self._last_body = body
        self.last_status = self.line.send_webhook(f"{self.functions.url}/webhook", body, signature)
        return self.last_status

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
            "TASKS_ACCOUNT": f"tasks@{self.project}.iam.gserviceaccount.com",
            "FUNCTIONS_URL": self.functions.url,
            "LINE_URL": self.line.url,
            "GEMINI_URL": self.gemini.url,
            "TASKS_URL": self.tasks.url,
            "GCE_METADATA_HOST": self.metadata.host,
        }


@contextmanager
def _environ(name: str, value: str) -> Iterator[None]:
    """Have an environment variable for a moment."""
    with _ENVIRON:
        before = os.environ.get(name)
        os.environ[name] = value
        try:
            yield
        finally:
            os.environ.pop(name)
            if before is not None:
                os.environ[name] = before


def _client(host: str, project: str) -> firestore.Client:
    with _environ(HOST, host):
        return firestore.Client(project=project)
