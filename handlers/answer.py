"""An event comes back as a task: claim it, remember it, and answer where we are addressed."""

import logging
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from assistant.addressing import calls
from assistant.admission import admits, turn_away
from assistant.agenda import Agenda
from assistant.announcements import tapped
from assistant.briefing import Briefing
from assistant.chat import Chat
from assistant.commands import Command, parse
from assistant.messages import words
from assistant.notices import Notices
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.reminder_tools import ReminderTools
from assistant.reminder_wording import reminder_wording
from assistant.taps import Taps
from assistant.thinking import said, think
from assistant.tools import Toolbox
from assistant.wording import wording
from handlers.alarms import Alarms
from handlers.events import Event, pseudonym
from memory.calls import patience
from memory.conversation import ASSISTANT, Conversation, Size, Turn, shortened
from memory.digest import Digest
from memory.draft import Draft
from memory.gates import Gates
from memory.recall import Recall
from memory.reminders import Alarm, alarm
from memory.store import Claim, Reply, Store
from memory.stranger import Stranger
from memory.usage import Calls
from services.allowance import Left
from services.errors import Refused, Unavailable
from services.wiring import Services

log = logging.getLogger(__name__)

_LEASE_MARGIN = timedelta(seconds=15)
"""How much longer a lease is than the function's time-out."""
_ROOM = 1.5
"""A window may grow to this many times what it is cut to."""
_TOO_MUCH = 4
"""A window that no digest could shorten is cut all the same beyond this many times its size."""
_GRACE = timedelta(days=28)
"""How long we wait to be let in again before everything is deleted."""
_TRIES = 6
"""How often changes are worked out anew because the family went on talking."""

Work = Callable[[Conversation], tuple[Reply, Draft]]
"""What is said, and what it changes, in a conversation as it is now."""


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
        self._begun = services.clock.now()
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
        self._alarms = Alarms(event.chat_id, services)
        self._mended: list[Alarm] = []
        """Alarms that were missing, and have been set."""
        self._names: dict[str, str] = {}
        self._gates = Gates(self._persona.names, settings.importance_floor)

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
            case "unfollow" | "leave":
                return self._left_chat()
            case "postback":
                return self._tapped()
        return "event ignored"

    def give_up(self) -> None:
        """Tell the family that a message of theirs is not going to be answered."""
        if self._event.type != "message":
            return
        if not (self._is_called() or parse(self._words(), self._persona)):
            return
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"lost/{self._event.id}"))
        with suppress(Refused, Unavailable):
            self._chat.send((self._wording.lost,), key)

    # One method for each kind of event.

    def _message(self) -> str:
        command = parse(self._words(), self._persona)
        if command:
            return self._activate(command) if command.name == "activate" else self._obey(command)
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
        if not claim:
            return "not invited"
        if claim.done:
            return "duplicate"
        with self._releasing(claim):
            self._forget_turn(claim, key)
            self._store.finish(claim)
        return "unsent"

    def _obey(self, command: Command) -> str:
        """Do what a command says; whoever types it, and whether or not we are called."""
        claim = self._claimed(lambda: self._store.claim(self._event.id))
        if not claim:
            return self._turned_away() if self._is_called() else "not invited"
        if claim.done:
            return "duplicate"
        with self._releasing(claim):
            if claim.reply:
                return self._said(claim, claim.reply)
            conversation = self._store.read()
            agenda = self._agenda(self._named(conversation))
            notices = Notices(self._turn(), agenda, self._gates, self._recall(), self._store)
            if command.name == "usage":
                notices = replace(notices, left=self._left())
            reply = self._kept(claim, conversation, lambda now: notices.obey(command, now))
            return self._said(claim, reply)

    def _left_chat(self) -> str:
        """Note that we were put out or blocked; weeks later all there is will be deleted."""
        claim = self._store.leave(self._event.id, self._event.at)
        if not claim:
            return "not invited"
        if claim.done:
            return "duplicate"
        with self._releasing(claim):
            self._alarms.purge_at(self._event.at + _GRACE, self._event.at)
            self._store.finish(claim)
        return "left"

    def _tapped(self) -> str:
        """Do what a button under a reminder says."""
        tap = tapped(self._event.postback)
        if not tap:
            return "event ignored"
        claim = self._claimed(lambda: self._store.claim(self._event.id))
        if not claim:
            return "not invited"
        if claim.done:
            return "duplicate"
        with self._releasing(claim):
            if claim.reply:
                return self._said(claim, claim.reply)
            conversation = self._store.read()
            named = self._named(conversation, {self._event.user_id} - {""})
            taps = Taps(self._agenda(named), self._event.user_id, self._event.at, self._store.diary)
            reply = self._kept(
                claim, conversation, lambda now: taps.take(tap, self._recall().draft(now))
            )
            return self._said(claim, reply)

    def _joined(self) -> str:
        claim = self._claimed(lambda: self._store.come_back(self._event.id, self._event.at))
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
            return self._said(claim, claim.reply, turn)
        conversation = self._store.read()
        if conversation.has_forgotten(turn):
            self._store.finish(claim)
            return "unsent before it was answered"
        quoted = conversation.find(turn.quotes)
        if not called and not (quoted and quoted.speaker == ASSISTANT):
            self._store.finish(claim)
            self._tidy(claim)
            return "heard"
        reply = self._thought(claim, conversation, turn)
        return self._said(claim, reply, turn, silence=conversation.silence(turn))

    def _greeted(self, claim: Claim) -> str:
        if claim.done:
            return "duplicate"
        greeting = self._wording.greeting.format(
            name=self._persona.name, model=self._services.settings.gemini_model
        )
        with self._releasing(claim):
            reply = claim.reply or Reply((greeting,))
            if not claim.reply:
                self._store.keep(claim, reply)
            return self._said(claim, reply)

    def _thought(self, claim: Claim, conversation: Conversation, turn: Turn) -> Reply:
        """Think, and keep what came of it: the reply, and what the model did with its tools."""
        services = self._services
        today = self._recall().today(conversation)
        if conversation.has_spent(today, services.settings.daily_calls):
            return self._kept(claim, conversation, self._spent)
        with self._chat.loading_shown(), ThreadPoolExecutor(2) as thread:
            recall = self._recall()
            before = [one.text for one in conversation.turns if one.said_at < turn.said_at][-1:]
            query = "\n".join([*before, turn.text])
            found = thread.submit(recall.beside, conversation, query)
            mending = thread.submit(self._mend_alarms, conversation)
            named = self._named(conversation)
            prompt = replace(self._prompt(named), recalled=found.result())
            agenda = Agenda(prompt, services.clock.now())
            reminders = ReminderTools(agenda, turn, services.settings.most_reminders)
            toolbox = Toolbox(turn, prompt, self._gates, recall, services.gemini, reminders)
            thought = think(turn, agenda, toolbox, services.gemini)
            mending.result()

        def work(now: Conversation) -> tuple[Reply, Draft]:
            draft = toolbox.draft(now)
            lines = [*toolbox.confirmed, *agenda.owed(draft)]
            instead = "\n".join([agenda.wording.not_set, *toolbox.told])
            calls = Calls(today, thought.calls, conversation.calls)
            reply = said(thought, lines, self._wording)
            return replace(reply, instead=instead, calls=calls), draft

        return self._kept(claim, conversation, work, toolbox.vectors())

    def _spent(self, conversation: Conversation) -> tuple[Reply, Draft]:
        """Return what is said where the model may not be asked any more today."""
        draft = self._recall().draft(conversation)
        owed = self._agenda(conversation).owed(draft)
        return Reply(("\n\n".join([self._wording.spent, *owed]),)), draft

    def _kept(
        self,
        claim: Claim,
        conversation: Conversation,
        work: Work,
        vectors: Mapping[str, Sequence[float]] | None = None,
    ) -> Reply:
        """Keep what is to be said, together with what it changes; return it as it was kept."""
        # As it was when the reply was thought: it may tell what others have forgotten since.
        forgotten = conversation.forgotten
        for _ in range(_TRIES):
            reply, draft = work(conversation)
            reply = replace(
                reply,
                forgotten=forgotten + draft.forgets,
                alarms=draft.alarms,
                unchanged={alarm.no: draft.before.agenda.get(alarm.no) for alarm in draft.alarms},
            )
            if not draft.changes_anything:
                self._store.keep(claim, reply)
                return reply
            if draft.forgets:
                self._store.drop_kept_replies(claim)
                self._store.diary.drop_rings(draft.dropped)
            if draft.clears:
                self._names.clear()
            model = self._services.settings.embed_model
            if self._store.commit(draft, vectors=vectors, model=model, claim=claim, reply=reply):
                return reply
            kept = self._store.kept(claim)
            if kept:
                return kept
            conversation = self._store.read()
        raise Unavailable("the conversation kept changing")

    def _said(
        self,
        claim: Claim,
        reply: Reply,
        turn: Turn | None = None,
        silence: timedelta = timedelta(),
    ) -> str:
        """Say what was kept, once its alarms are set, and mark the event done."""
        reply = self._with_alarms(claim, reply)
        try:
            ids = self._chat.send(reply.bubbles, claim.retry_key)
        except Refused:
            log.exception("reply refused by LINE", extra={"event": pseudonym(self._event.id)})
            reply = Reply(())
            ids = []
        spoken = self._reply_turn(reply, turn, ids) if reply.remembered else None
        forgotten = self._store.finish(
            claim,
            said=spoken,
            withheld=turn if reply.withheld else None,
            names=self._names,
            alarms=[*reply.alarms, *self._mended],
            calls=reply.calls,
        )
        if spoken and forgotten != reply.forgotten:
            # It may tell what was forgotten or unsent while it was thought.
            self._store.withdraw(spoken)
        if reply.calls and reply.calls.are_told:
            self._store.tell(reply.calls, self._services.settings.daily_calls_everywhere)
        self._tidy(claim, silence)
        return "answered"

    # Alarms.

    def _with_alarms(self, claim: Claim, reply: Reply) -> Reply:
        """Set the alarms of what a reply tells; where that can't be done, tell that instead.

        Set again, where an earlier delivery died: an alarm of the same name is the same alarm.
        """
        try:
            self._alarms.set(reply.alarms)
        except Unavailable:
            log.warning("alarm not set", exc_info=True)
            return self._undone(claim, reply)
        except Refused:
            log.exception("alarm refused: may this account make tasks?")
            return self._undone(claim, reply)
        return reply

    def _undone(self, claim: Claim, reply: Reply) -> Reply:
        """Let reminders be again as they were before, and return what is said instead."""
        not_set = reminder_wording(self._services.settings.language).not_set
        instead = Reply((reply.instead or not_set,))
        for _ in range(_TRIES):
            draft = self._recall().draft(self._store.read())
            for one in reply.alarms:
                draft.put_back(one, reply.unchanged.get(one.no))
            if self._store.commit(draft, claim=claim, reply=instead):
                return instead
        raise Unavailable("the conversation kept changing")

    def _mend_alarms(self, conversation: Conversation) -> None:
        """Set the alarms that are missing or have failed to ring: nobody polls for them."""
        now = self._services.clock.now()
        missing = [alarm(reminder, now) for reminder in conversation.unalarmed(now)]
        try:
            self._alarms.set(missing)
        except (Refused, Unavailable):
            log.warning("alarms not mended", exc_info=True)
        else:
            self._mended = missing

    # What is remembered.

    def _prompt(self, conversation: Conversation) -> Prompt:
        settings = self._services.settings
        return Prompt(
            conversation,
            self._persona,
            self._wording,
            conversation.zone_or(settings.timezone),
            room=settings.prompt_tokens,
            remembers=settings.memory == "facts",
        )

    def _agenda(self, conversation: Conversation) -> Agenda:
        return Agenda(self._prompt(conversation), self._services.clock.now())

    def _left(self) -> Left | None:
        """Return what is left of the month's pushes; None where LINE does not say."""
        allowance = self._services.allowance
        allowance.forget()
        with suppress(Refused, Unavailable):
            return allowance.left(self._chat.id)
        return None

    def _recall(self) -> Recall:
        return Recall(self._store, self._services)

    def _named(self, conversation: Conversation, others: Collection[str] = ()) -> Conversation:
        """Return the conversation with the names of everybody in it, asked for if need be."""
        nameless = conversation.nameless() | set(others) - set(conversation.names)
        self._names |= self._chat.ask_names(nameless - set(self._names))
        return conversation.knowing(self._names)

    def _forget_turn(self, claim: Claim, key: str) -> None:
        """Forget what came of a turn that was unsent: facts, sentences, answers."""
        self._store.drop_kept_replies(claim)
        recall = self._recall()
        for _ in range(_TRIES):
            # In this order: what is stored after the conversation was read makes the commit fail.
            draft = recall.draft(self._store.read())
            told = self._store.records.from_turn(key)
            own = [fact for fact in told if fact.sources[0] == key]
            draft.forget(recall.lineage(own), {key})
            draft.drop(self._store.diary.from_turn(key))
            self._store.diary.drop_rings(draft.dropped)
            if self._store.commit(draft):
                return
        raise Unavailable("the conversation kept changing")

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
            kind="" if event.message.get("type") == "text" else str(event.message.get("type")),
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

    def _tidy(self, claim: Claim, silence: timedelta = timedelta()) -> None:
        """Cut a window that has grown too big; what fails now succeeds after a later event."""
        settings = self._services.settings
        grown = claim.size.exceeds(self._limit * _ROOM)
        long_silence = timedelta(hours=settings.silence_hours)
        quiet_since = self._event.at - long_silence if silence > long_silence else None
        with suppress(Unavailable):
            if settings.memory == "window":
                if grown:
                    self._store.trim(self._limit)
                return
            if grown or quiet_since:
                self._digest(quiet_since)
            if claim.size.exceeds(self._limit * _TOO_MUCH):
                log.error("no digest for long: the oldest turns are lost")
                self._store.trim(self._limit * _ROOM)

    def _digest(self, quiet_since: datetime | None) -> None:
        half = timedelta(seconds=self._services.settings.answer_timeout) / 2
        if self._services.clock.now() - self._begun > half:
            # It might not be over in time, and a later event will find the window as it is.
            return
        briefing = Briefing(
            self._prompt(Conversation()),
            self._services.settings.summary_characters,
            self._named,
        )
        Digest(
            self._store,
            self._services,
            self._gates,
            fold=briefing.fold,
            judge=briefing.judge,
        ).run(quiet_since)
