"""Reminders that are set without a model, and what came of them at LINE."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from werkzeug.test import Client

from handlers.alarms import Alarms
from local.functions import in_process
from memory.draft import Draft
from memory.reminders import Reminder
from memory.schedule import Schedule

TAIPEI = "Asia/Taipei"


def change(world, chat, work, *, alarms=True):
    """
    Work on a draft of a chat as its handlers do; set the alarms and return what the work returns.
    """
    store = world.store(chat)
    draft = Draft(store.read(), world.clock.now(), room=3000)
    result = work(draft)
    assert store.commit(draft)
    if alarms:
        Alarms(chat, world.services).set(draft.alarms)
    return result


def remind(world, chat, text, due, *, zone=TAIPEI, rule="", alarms=True, **more):
    """
    Set a reminder, due at a moment or a wall time of its zone; return it.
    """
    moment = due if isinstance(due, datetime) else datetime.fromisoformat(due)
    if moment.tzinfo:
        moment = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    first_due = Schedule(moment, ZoneInfo(zone), rule).first_due()

    def work(draft):
        reminder = Reminder(
            no=draft.next_no,
            text=text,
            due=first_due,
            first=moment,
            zone=zone,
            rule=rule,
            by=more.pop("by", "U1"),
            **more,
        )
        draft.remind(reminder)
        return reminder

    return change(world, chat, work, alarms=alarms)


def alter(world, chat, no, **fields):
    """
    Change a pending reminder, as the tools do; return it as it is then, or None if it is over.
    """

    def work(draft):
        before = draft.agenda.get(no)
        if not before:
            return None
        draft.remind(replace(before, rev=before.rev + 1, **fields))
        return draft.reminded[no]

    return change(world, chat, work)


def ring(world, body, retries=0, **headers):
    """
    Ring an alarm as the queue does; return the status.
    """
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"X-CloudTasks-TaskRetryCount": str(retries), **headers}
    return Client(in_process("push", world.ringing)).post("/", data=raw, headers=named).status_code


def alarm_for(chat, reminder, **more):
    """
    Return the body of a reminder's alarm at its time.
    """
    due = int(reminder.due.astimezone(UTC).timestamp() * 1000)
    body = {"chat": chat, "at": due, "no": reminder.no, "rev": reminder.rev, "due": due}
    return {**body, "attempt": 0, **more}


def pushed(world, chat=""):
    """
    Return the words of each push that reached a chat, or any chat.
    """
    return [
        sent.texts for sent in world.line.sent if sent.via == "push" and chat in {"", sent.chat_id}
    ]


def pushes(world):
    """
    Return every request to push, whatever came of it.
    """
    return [line for line in world.journal.lines if line.get("call") == "push"]


def outcomes(world):
    """
    Return the status of each alarm that rang.
    """
    lines = [line for line in world.journal.lines if line.get("from") == "push"]
    return [line["status"] for line in lines if "status" in line]
