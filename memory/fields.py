"""What changes of a conversation look like to Firestore: values by path."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from google.cloud.firestore import DELETE_FIELD, Increment, Maximum
from google.cloud.firestore_v1.field_path import FieldPath

from memory import facts, reminders, summary
from memory.conversation import EVERYBODY, Conversation, Entry, Size, Turn, to_milliseconds
from memory.draft import Draft
from memory.reminders import Alarm
from memory.usage import Calls

Fields = dict[tuple[str, ...], Any]
"""Values by path: what an update merges into a document."""


def by_path(fields: Fields) -> dict[str, Any]:
    """Return fields as the client wants them."""
    return {FieldPath(*path).to_api_repr(): value for path, value in fields.items()}


def turn_fields(turn: Turn) -> Fields:
    """Return what adds a turn to the window, or newer words to one."""
    entry = ("window", turn.id)
    fields: Fields = {
        (*entry, "texts", str(to_milliseconds(turn.said_at))): turn.text,
        **_counted(len(turn.text)),
    }
    if turn.speaker:
        fields[*entry, "by"] = turn.speaker
    if turn.quotes:
        fields[*entry, "quotes"] = turn.quotes
    if turn.answers:
        fields[*entry, "answers"] = turn.answers
    if turn.message_ids:
        fields[*entry, "ids"] = list(turn.message_ids)
    if turn.kind:
        fields[*entry, "kind"] = turn.kind
    return fields


def asking_fields(turn: Turn) -> Fields:
    """Return what changes nothing, but tells in the commit's answer what became of a turn before.

    It may have been unsent, or everything its speaker said, or anybody, have been forgotten.
    """
    return {
        ("window", turn.id, "unsent"): Increment(0),
        ("cleared", turn.speaker or EVERYBODY): Maximum(0),
        ("cleared", EVERYBODY): Maximum(0),
    }


def unsent_fields(key: str, at: datetime) -> Fields:
    """Return what marks a turn unsent, whether or not its words have come yet.

    They stay until what they have led to has been forgotten as well.
    """
    return {
        ("window", key, "texts", str(to_milliseconds(at))): "",
        ("window", key, "unsent"): Increment(1),
        **_counted(0),
    }


def emptied_fields(key: str, at: datetime) -> Fields:
    """Return what takes the words of a turn away for good."""
    return {
        ("window", key, "texts"): {str(to_milliseconds(at)): ""},
        ("window", key, "unsent"): Increment(1),
    }


def draft_fields(draft: Draft) -> Fields:
    """Return what a draft changes in the conversation's own document."""
    before = draft.before
    fields: Fields = {}
    for no in before.board.keys() | draft.board.keys():
        fact = draft.board.get(no)
        if fact != before.board.get(no):
            fields["board", str(no)] = facts.to_document(fact) if fact else DELETE_FIELD
    if draft.summary != before.summary:
        fields["summary",] = [summary.to_document(sentence) for sentence in draft.summary]
    for name in ("tombstones", "hidden", "next_no"):
        if getattr(draft, name) != getattr(before, name):
            fields[name,] = getattr(draft, name)
    fields |= _agenda_fields(draft)
    if draft.forgets:
        fields["forgotten",] = Increment(1)
    for entry in draft.emptied.values():
        fields |= emptied_fields(entry.key, entry.said_at)
    for user, name in draft.names.items():
        if before.names.get(user) != name:
            fields["members", user] = name
    for whose, until in draft.cleared.items():
        fields["cleared", whose] = until
    if draft.clears:
        fields["members",] = {}
    if draft.leaving or draft.clears:
        fields |= cut_fields(before, draft.leaving)
    return fields


def _agenda_fields(draft: Draft) -> Fields:
    """Return what a draft changes of what is to be said some time."""
    before = draft.before
    fields: Fields = {}
    for no in before.agenda.keys() | draft.agenda.keys():
        reminder = draft.agenda.get(no)
        if reminder != before.agenda.get(no):
            path = ("agenda", str(no))
            fields[path] = reminders.to_document(reminder) if reminder else DELETE_FIELD
    for no in before.alarms:
        # The alarm of before counts no more: without a mark it is made anew when one talks to us.
        if draft.agenda.get(no) != before.agenda.get(no) or no not in draft.agenda:
            fields["alarms", str(no)] = DELETE_FIELD
    for ring in before.owed.keys() - draft.owed.keys():
        fields["owed", ring] = DELETE_FIELD
    if draft.zone != before.zone:
        fields["zone",] = draft.zone
    return fields


def alarm_fields(alarms: Iterable[Alarm]) -> Fields:
    """Return what notes that alarms were made."""
    return {("alarms", str(alarm.no)): to_milliseconds(alarm.at) for alarm in alarms}


def calls_fields(calls: Calls) -> Fields:
    """Return what counts calls of the model, and forgets the days before."""
    return _counted_on("calls", str(calls.day), calls.made, calls.counted)


def push_fields(day: str, counted: Mapping[str, int]) -> Fields:
    """Return what counts one push more on a day, and forgets the days before.

    Args:
        day: The family's date.
        counted: Pushes there were, by day.
    """
    return _counted_on("pushes", day, 1, counted)


def cut_fields(conversation: Conversation, leaving: tuple[Entry, ...]) -> Fields:
    """Return what takes entries out of the window, with all that no longer counts in the others."""
    fields: Fields = {("window", entry.key): DELETE_FIELD for entry in leaving}
    gone = {entry.key for entry in leaving}
    size = Size()
    for entry in conversation.entries:
        if entry.key in gone:
            continue
        size += entry.size
        # The first moment says when the turn was said, and stays without its words.
        for moment in entry.superseded:
            first = moment == min(entry.texts)
            path = ("window", entry.key, "texts", str(moment))
            fields[path] = "" if first else DELETE_FIELD
    miscounted = size - conversation.size
    return fields | {
        ("watermark",): conversation.watermark + 1,
        ("size", "turns"): Increment(miscounted.turns),
        ("size", "characters"): Increment(miscounted.characters),
    }


def _counted_on(what: str, day: str, count: int, counted: Mapping[str, int]) -> Fields:
    more: Fields = {(what, day): Increment(count)}
    return more | {(what, one): DELETE_FIELD for one in counted if one != day}


def _counted(characters: int) -> Fields:
    """Return what counts one entry more, though it may be there: a count never says too little."""
    return {("size", "turns"): Increment(1), ("size", "characters"): Increment(characters)}
