"""An event comes back as a task: claim it, remember it, and answer where we are addressed."""

import logging
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta

from assistant.addressing import calls
from assistant.admission import admits, turn_away
from assistant.chat import Chat
from assistant.commands import Command, parse
from assistant.messages import words
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.thinking import think
from assistant.wording import wording
from handlers.events import Event, pseudonym
from memory.calls import patience
from memory.conversation import ASSISTANT, Conversation, Size, Turn, shortened
from memory.store import Claim, Reply, Store
from memory.stranger import Stranger
from services.errors import Refused, Unavailable
from services.wiring import Services

log = logging.getLogger(__name__)

_LEASE_MARGIN = timedelta(seconds=15)
"""How much longer a lease is than the function's time-out."""
_ROOM = 1.5
"""A window may grow to this many times what it is cut to."""


def answer(event: Event, services: Services) -> None:
    """Do what one event asks for; once, however often it is delivered.

    Raises:
        Busy: Another delivery is at it.
        Unavailable: Firestore or LINE is out of reach; nothing is lost, and the lease is free.
    """
    outcome = _Delivery(event, services).run()
    log.info(outcome, extra={"event": pseudonym(event.id)})


def give_up(event: Event, services: Services) -> None:
    """Tell the family, if that can be done, that a message of theirs will not be answered."""
    _Delivery(event, services).give_up()


class _Delivery:
    """One delivery of one event."""

    def __init__(self, event: Event, services: Services) -> None:
        settings = services.settings
        self._event = event
        self._services = services
        self._wording = wording(settings.language)
        self._persona = Persona(settings.bot_name, settings.wake_words)
        self._patience = patience(settings.firestore_patience)
        self._limit = Size(settings.window_turns, settings.window_characters)
        self._store = Store(
            services.firestore,
            event.chat_id,
            services.clock,
            lease=timedelta(seconds=settings.answer_timeout) + _LEASE_MARGIN,
            patience=self._patience,
        )
        self._chat = Chat(event.chat_id, event.in_group, event.reply_token, event.at, services)
        self._names: dict[str, str] = {}

    def run(self) -> str:
        """Handle the event; return what became of it, for the log."""
        match self._event.type:
            case "message":
                return self._message()
            case "messageEdited":
                return self._heard(self._turn())
            case "unsend":
                return self._unsent()
            case "follow" | "join":
                return self._joined()
        return "event ignored"

    def give_up(self) -> None:
        """Tell the family that a message of theirs is not going to be answered."""
        if self._event.type != "message" or not self._is_called():
            return
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"lost/{self._event.id}"))
        with suppress(Refused, Unavailable):
            self._chat.send((self._wording.lost,), key)

    # One method for each kind of event.

    def _message(self) -> str:
        command = parse(self._words())
        if command:
            return self._activate(command)
        turn = self._turn()
        called = self._is_called()
        if not called and not turn.quotes:
            return self._heard(turn)
        claim = self._claimed(lambda: self._store.hear(self._event.id, turn, done=False))
        if not claim:
            return self._turned_away() if called else "not invited"
        if claim.done:
            return "duplicate"
        with self._releasing(claim):
            return self._answered(claim, turn, called=called)

    def _heard(self, turn: Turn) -> str:
        claim = self._claimed(lambda: self._store.hear(self._event.id, turn, done=True))
        if not claim:
            return "not invited"
        if claim.unsent:
            self._store.finish(claim, withheld=turn)
        self._tidy(claim)
        return "heard"

    def _unsent(self) -> str:
        key = f"m{self._event.unsent_id}"
        claim = self._claimed(lambda: self._store.unsend(self._event.id, key, self._event.at))
        return "unsent" if claim else "not invited"

    def _joined(self) -> str:
        claim = self._claimed(lambda: self._store.claim(self._event.id))
        return self._greeted(claim) if claim else self._turned_away()

    def _activate(self, command: Command) -> str:
        claim = self._claimed(lambda: self._store.claim(self._event.id))
        if not claim:
            code = self._services.settings.invitation_code
            if not admits(command.argument, code, self._stranger(), self._chat, self._wording):
                return "activation refused"
            self._store.open()
            claim = self._store.claim(self._event.id)
        return self._greeted(claim) if claim else "not invited"

    # Whom we serve.

    def _claimed(self, begin: Callable[[], Claim | None]) -> Claim | None:
        """Claim the event; where everybody is welcome, in a conversation made for it."""
        claim = begin()
        if claim is None and self._services.settings.access == "open":
            self._store.open()
            claim = begin()
        return claim

    def _stranger(self) -> Stranger:
        services = self._services
        return Stranger(services.firestore, self._chat.id, services.clock, patience=self._patience)

    def _turned_away(self) -> str:
        turn_away(self._stranger(), self._chat, self._wording)
        return "not invited"

    # What we say.

    def _answered(self, claim: Claim, turn: Turn, *, called: bool) -> str:
        if claim.unsent:
            self._store.finish(claim, withheld=turn)
            return "unsent before it came"
        if claim.reply:
            return self._settled(claim, claim.reply, turn)
        conversation = self._store.read()
        if conversation.is_unsent(turn):
            self._store.finish(claim)
            return "unsent before it was answered"
        quoted = conversation.find(turn.quotes)
        if not called and not (quoted and quoted.speaker == ASSISTANT):
            self._store.finish(claim)
            self._tidy(claim)
            return "heard"
        return self._settled(claim, self._thought(conversation, turn), turn)

    def _greeted(self, claim: Claim) -> str:
        if claim.done:
            return "duplicate"
        greeting = self._wording.greeting.format(
            name=self._persona.name, model=self._services.settings.gemini_model
        )
        with self._releasing(claim):
            return self._settled(claim, claim.reply or Reply((greeting,)))

    def _settled(self, claim: Claim, reply: Reply, turn: Turn | None = None) -> str:
        """Keep what we say, say it, and mark the event done."""
        if not claim.reply:
            self._store.keep(claim, reply)
        try:
            ids = self._chat.send(reply.bubbles, claim.retry_key)
        except Refused:
            log.exception("reply refused by LINE", extra={"event": pseudonym(self._event.id)})
            reply = Reply(())
            ids = []
        self._store.finish(
            claim,
            said=self._reply_turn(reply, turn, ids) if reply.remembered else None,
            withheld=turn if reply.withheld else None,
            names=self._names,
        )
        self._tidy(claim)
        return "answered"

    def _thought(self, conversation: Conversation, turn: Turn) -> Reply:
        services = self._services
        self._names = self._chat.ask_names(conversation.nameless())
        prompt = Prompt(
            conversation.knowing(self._names),
            self._persona,
            self._wording,
            services.settings.timezone,
        )
        with self._chat.loading_shown():
            return think(turn, prompt, services.gemini, services.clock.now())

    # What is said, as turns.

    def _words(self) -> str:
        return words(self._event.message, self._wording)

    def _is_called(self) -> bool:
        event = self._event
        if not event.in_group or event.mentions_us:
            return True
        return event.message.get("type") == "text" and calls(self._words(), self._persona)

    def _turn(self) -> Turn:
        event = self._event
        return Turn(
            id=f"m{event.message_id}",
            speaker=event.user_id,
            text=self._shortened(self._words()),
            said_at=event.at,
            quotes=event.quotes,
            message_ids=(event.message_id,),
        )

    def _reply_turn(self, reply: Reply, turn: Turn | None, ids: Sequence[str]) -> Turn:
        return Turn(
            id=f"r{self._event.id}",
            speaker=ASSISTANT,
            text=self._shortened(reply.remembered),
            said_at=self._services.clock.now(),
            answers=turn.id if turn else "",
            message_ids=tuple(ids),
        )

    def _shortened(self, text: str) -> str:
        return shortened(text, self._services.settings.turn_characters)

    # Leaving things tidy.

    @contextmanager
    def _releasing(self, claim: Claim) -> Iterator[None]:
        """Let go of the event where we give up, so that the next delivery need not wait."""
        try:
            yield
        except Unavailable:
            with suppress(Unavailable):
                self._store.release(claim)
            raise

    def _tidy(self, claim: Claim) -> None:
        """Cut a window that has grown too big; what fails now succeeds after the next event."""
        if claim.size.exceeds(self._limit * _ROOM):
            with suppress(Unavailable):
                self._store.trim(self._limit)
