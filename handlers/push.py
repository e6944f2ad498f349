"""An alarm has rung: say what is due, and set the next alarms. No model is asked anything."""

import json
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta

from assistant.agenda import Agenda, as_due
from assistant.announcements import Announcement, Due
from assistant.bubbles import BUBBLE, fitted
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.wording import wording
from handlers.alarms import Alarms
from handlers.events import Malformed
from memory.calls import patience
from memory.conversation import Conversation, from_milliseconds, to_milliseconds
from memory.fields import push_fields
from memory.purge import purge
from memory.reminders import Alarm, Reminder, alarm
from memory.rings import Read, Ring, Rings
from services.allowance import Left
from services.errors import Gone, OverQuota, Refused, Unavailable
from services.outgoing import EVERYONE, Message, from_document, to_document
from services.tasks import CONNECTIONS
from services.wiring import Services

log = logging.getLogger(__name__)

_LEASE_MARGIN = timedelta(seconds=15)
_TRIES = 6
"""How often what is due is claimed anew because somebody changed it meanwhile."""
_FEW = 5
"""So many pushes before the last we begin to say how many are left."""


def push(body: bytes, services: Services, *, last_try: bool = False) -> None:
    """Do what an alarm is for; once, however often and in whatever order alarms come.

    Args:
        body: As `handlers.alarms` made it.
        services: The outside.
        last_try: The queue will not come again.

    Raises:
        Malformed: It is no alarm of ours.
        Busy: Another delivery is at it.
        Unavailable: Firestore, LINE or Cloud Tasks is out of reach; nothing is lost.
    """
    rung = _read(body)
    outcome = _Delivery(rung, services, last_try=last_try).run()
    log.info(outcome)


class _Delivery:
    """One delivery of one alarm."""

    def __init__(self, rung: Mapping[str, Any], services: Services, *, last_try: bool) -> None:
        settings = services.settings
        self._rung = rung
        self._services = services
        self._last_try = last_try
        self._now = services.clock.now()
        self._chat_id: str = rung["chat"]
        self._in_group = not self._chat_id.startswith("U")
        self._alarms = Alarms(self._chat_id, services)
        self._rings = Rings(
            services.firestore,
            self._chat_id,
            services.clock,
            patience=patience(settings.firestore_patience),
            lease=timedelta(seconds=settings.push_timeout) + _LEASE_MARGIN,
        )

    def run(self) -> str:
        """Do what it is for; return what became of it, for the log."""
        if "left" in self._rung:
            return self._purge()
        return self._pay() if "owed" in self._rung else self._ring()

    # Reminders.

    def _ring(self) -> str:
        no, rev = self._rung["no"], self._rung["rev"]
        for _ in range(_TRIES):
            conversation, known = self._rings.read([no])
            read = known.get(no)
            if not read or read.reminder.rev != rev or read.reminder.state == "cancelled":
                # It may have been so only since an earlier delivery of this alarm died.
                self._say_unfinished()
                return "cancelled or changed"
            if not read.reminder.is_due(self._now):
                return self._moved_on(read.reminder)
            reads = sorted(
                [read, *self._due_besides(conversation, no)],
                key=lambda one: (one.reminder.due, one.reminder.no),
            )
            ring, after = self._announced(conversation, reads)
            claimed = list(zip(reads[: len(after)], after, strict=True))
            day = self._today(conversation)
            if self._rings.claim(ring, claimed, push_fields(day, conversation.pushes)):
                enough = conversation.pushes.get(day, 0) < self._services.settings.daily_pushes
                here = not conversation.left_at
                outcome = self._say(ring, after, reachable=here, allowed=enough)
                if no in ring.numbers:
                    return outcome
        raise Unavailable("the reminders kept changing")

    def _today(self, conversation: Conversation) -> str:
        """Return the family's date."""
        zone = conversation.zone_or(self._services.settings.timezone)
        return str(self._now.astimezone(zone).date())

    def _due_besides(self, conversation: Conversation, no: int) -> list[Read]:
        """Return the other reminders that are due here: they travel in the same push."""
        others = [
            other
            for other, reminder in sorted(conversation.agenda.items())
            if other != no and reminder.is_due(self._now)
        ]
        known = self._rings.reminders(others)
        return [read for read in known.values() if read.reminder.is_due(self._now)]

    def _moved_on(self, reminder: Reminder) -> str:
        """Finish what an earlier delivery may have left, and see to the next alarm."""
        self._say_unfinished()
        if not reminder.is_pending:
            return "rung before"
        following = self._next_alarm(reminder)
        self._alarms.set([following])
        self._rings.note([following])
        return "still ahead"

    def _say_unfinished(self) -> None:
        """Say what an earlier delivery had claimed, unless all of it has been cancelled since."""
        for ring in self._rings.unfinished():
            known = [read.reminder for read in self._rings.reminders(ring.numbers).values()]
            if ring.numbers and all(reminder.state == "cancelled" for reminder in known):
                self._rings.finish(ring)
            else:
                self._say(ring, known)

    def _next_alarm(self, reminder: Reminder) -> Alarm:
        following = alarm(reminder, self._now)
        if to_milliseconds(following.at) == self._rung["at"]:
            # It rang too early: its own name is taken as long as it rings.
            return replace(following, attempt=self._rung["attempt"] + 1)
        return following

    def _announced(
        self, conversation: Conversation, reads: Sequence[Read]
    ) -> tuple[Ring, list[Reminder]]:
        """Return what is to be said of the first that are due, and what they are afterwards.

        Mostly it is all of them, but one push takes only so many words.
        """
        ring_id = reads[0].reminder.occasion
        rung = [read.reminder.rung(self._now) for read in reads]
        whom = self._in_group and not conversation.left_at
        due = [
            Due(replace(read.reminder, whom=read.reminder.whom if self._in_group else ()), times)
            for read, (_, times) in zip(reads, rung, strict=True)
        ]
        announcement = Announcement(
            self._agenda(conversation),
            due,
            ring_id,
            here=self._here(due) if whom else (),
            note=self._note(conversation) if whom else "",
        )
        while not announcement.fits and len(announcement.due) > 1:
            announcement = replace(announcement, due=announcement.due[:-1])
        ring = Ring(
            ring_id,
            tuple(map(to_document, announcement.messages())),
            announcement.words(),
        )
        said = rung[: len(announcement.due)]
        return ring, [replace(after, ring=ring_id) for after, _ in said]

    def _say(
        self,
        ring: Ring,
        rung: Sequence[Reminder],
        *,
        reachable: bool = True,
        allowed: bool = True,
    ) -> str:
        """Say a ring while the next alarms are set; then it is done.

        Args:
            ring: What is to be said.
            rung: Its reminders as they are from now on.
            reachable: We are in the chat.
            allowed: There have not been too many pushes today.
        """
        following = [alarm(one, self._now) for one in rung if one.is_pending]
        unsaid = "owed" if reachable else "undelivered"
        try:
            with ThreadPoolExecutor(1) as thread:
                made = thread.submit(self._set, following)
                outcome = self._pushed_or_owed(ring) if reachable and allowed else unsaid
                following = made.result()
            match outcome:
                case "owed":
                    self._owe(ring, following)
                case "undelivered":
                    self._rings.finish(ring, following, state="undelivered")
                case _:
                    self._rings.finish(ring, following)
        except Unavailable:
            with suppress(Unavailable):
                self._rings.release(ring)
            raise
        return outcome

    def _set(self, following: list[Alarm]) -> list[Alarm]:
        """Set the next alarms; return those that were set.

        What is due is said whether or not they can be: an answer finds out that they are missing.
        """
        try:
            self._alarms.set(following)
        except Unavailable:
            if not self._last_try:
                raise
            log.exception("the last try has failed: no alarm is set")
            return []
        except Refused:
            log.exception("alarm refused: may this account make tasks?")
            return []
        return following

    def _pushed_or_owed(self, ring: Ring) -> str:
        """Push a ring's words; what can't be pushed to the end is told with the next reply."""
        try:
            return self._pushed(ring)
        except Unavailable:
            if not self._last_try:
                raise
            log.exception("the last try has failed: it is told with the next reply")
            return "owed"

    def _pushed(self, ring: Ring) -> str:
        """Push a ring's words; return what came of it."""
        if not ring.words:
            return "forgotten"
        if not self._can_push():
            return "owed"
        try:
            if ring.messages:
                messages = [from_document(stored) for stored in ring.messages]
                return self._sent(messages, self._rings.retry_key(ring))
        except Gone:
            log.warning("nobody is there to push to", exc_info=True)
            return "undelivered"
        except Refused:
            log.warning("push refused: it is tried in plain words", exc_info=True)
        return self._pushed_plainly(ring)

    def _pushed_plainly(self, ring: Ring) -> str:
        """Push a ring's words alone: whoever was mentioned may have left since they were asked."""
        try:
            return self._sent([fitted(ring.plain, BUBBLE)], self._rings.retry_key(ring, "plain"))
        except Refused:
            log.exception("push refused for good")
            return "undelivered"

    def _sent(self, messages: Sequence[Message], key: str) -> str:
        """Push messages, and count them; return what came of it."""
        try:
            self._services.line.push(self._chat_id, messages, key)
        except OverQuota:
            self._services.allowance.forget()
            return "owed"
        self._services.allowance.spend(self._chat_id)
        return "pushed"

    def _can_push(self) -> bool:
        """Say whether the month's quota has room for a push to a group, as far as LINE says."""
        left = self._left()
        return left is None or left.pushes is None or left.pushes > 0

    def _left(self) -> Left | None:
        if not self._in_group:
            return None
        try:
            return self._services.allowance.left(self._chat_id)
        except (Refused, Unavailable):
            log.warning("LINE does not tell its quota", exc_info=True)
            return None

    def _note(self, conversation: Conversation) -> str:
        """Return what is said of the quota once little of it is left."""
        left = self._left()
        if left is None or left.pushes is None or not 0 < left.pushes <= _FEW:
            return ""
        return self._agenda(conversation).wording.few.format(count=left.pushes - 1)

    def _here(self, due: Sequence[Due]) -> set[str]:
        """Return whom of those to be reminded LINE can mention: whoever is still in the group."""
        users = {user for one in due for user in one.reminder.whom}
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            asked = {user: threads.submit(self._is_here, user) for user in users}
        return {user for user, here in asked.items() if here.result()}

    def _is_here(self, user: str) -> bool:
        try:
            return user == EVERYONE or self._services.line.is_member(self._chat_id, user)
        except (Refused, Unavailable):
            # One who can't be mentioned would spoil the whole push.
            return False

    # What could not be pushed.

    def _owe(self, ring: Ring, alarms: Sequence[Alarm]) -> None:
        """Keep a ring's words for the next reply, or for when the month has turned."""
        try:
            self._alarms.pay_at(self._next_month())
        except Unavailable:
            if not self._last_try:
                raise
            log.exception("the last try has failed: it is told with the next reply only")
        except Refused:
            log.exception("alarm refused: may this account make tasks?")
        self._rings.owe(ring, alarms)

    def _next_month(self) -> datetime:
        """Return the morning of the first of next month, when the quota begins anew."""
        local = self._now.astimezone(self._services.settings.timezone)
        turn = relativedelta(months=1, day=1, hour=9, minute=0, second=0, microsecond=0)
        turned: datetime = local + turn
        return turned

    def _pay(self) -> str:
        """Tell what is owed, unless it was told with a reply."""
        due = from_milliseconds(self._rung["owed"])
        if self._now < due:
            self._alarms.pay_at(due)
            return "still ahead"
        self._say_unfinished()
        for _ in range(_TRIES):
            conversation, _ = self._rings.read([])
            if not conversation.owed or conversation.left_at:
                return "nothing is owed"
            wording = self._agenda(conversation).wording
            told = "\n".join([wording.owed, *as_due(conversation.owed)])
            ring = Ring(f"owed-{self._rung['owed']}", (fitted(told, BUBBLE),), conversation.owed)
            if self._rings.pay(ring, conversation):
                return self._say(ring, [])
        return "owed no longer, or told before"

    def _purge(self) -> str:
        """Delete everything of a conversation we left long ago, unless we are back."""
        conversation, _ = self._rings.read([])
        left = conversation.left_at
        if conversation.version and (not left or to_milliseconds(left) != self._rung["left"]):
            return "came back"
        settings = self._services.settings
        purge(self._services.firestore, self._chat_id, patience(settings.firestore_patience))
        return "purged"

    def _agenda(self, conversation: Conversation) -> Agenda:
        settings = self._services.settings
        prompt = Prompt(
            conversation,
            Persona(settings.bot_name, settings.wake_words),
            wording(settings.language),
            conversation.zone_or(settings.timezone),
        )
        return Agenda(prompt, self._now)


def _read(body: bytes) -> dict[str, Any]:
    """Read an alarm's body."""
    try:
        rung = json.loads(body)
        kind = next(kind for kind in ("no", "left", "owed") if kind in rung)
        numbers = ("no", "rev", "at", "attempt") if kind == "no" else (kind,)
        chat = rung["chat"]
        named = isinstance(chat, str) and chat and "/" not in chat
        if named and all(type(rung[one]) is int for one in numbers):
            return dict(rung)
    except (ValueError, LookupError, TypeError, StopIteration):
        pass
    raise Malformed("the body is no alarm of ours")
