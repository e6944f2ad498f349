"""How a story ended: what was said, what is remembered, and whether that is whole."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from local.world import World
from memory.conversation import Conversation, Size, from_document
from memory.facts import Fact
from memory.facts import from_document as fact_from_document
from memory.reminders import Reminder
from memory.reminders import from_document as reminder_from_document

Documents = Mapping[str, Mapping[str, Any]]
"""Stored documents, by path."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered in one chat."""

    window: Counter[tuple[str, str]]
    """Who said what, and how often; without what was unsent or forgotten."""
    digested: int
    """Turns that have left the window by a digest."""
    summary: tuple[str, ...]
    facts: Mapping[int, tuple[str, str, int, bool]]
    """Words, who said them, how often they were confirmed, and whether they hold."""
    tombstones: frozenset[str]
    unembedded: bool
    reminders: Mapping[int, tuple[str, str, str, int]]
    """Words, when they are due, what state they are in, and how often they were changed."""
    owed: frozenset[str]
    faults: tuple[str, ...]
    """What is wrong with it, whatever it ought to be."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a story ended."""

    said: Mapping[str, Counter[tuple[str, ...]]]
    """What was said in each chat, and how often: the bubbles of one message together."""
    memories: Mapping[str, Memory]
    """By chat."""
    undone: int
    """Events and rings that were claimed and never done."""
    events: int
    requests: tuple[str, ...]
    """What left the functions, in order."""
    failed: tuple[str, ...] = ()
    """What the story expects to be stored at its end, and is not so."""


def ending(world: World, failed: tuple[str, ...] = ()) -> Ending:
    """Return how a story has ended in a world."""
    documents = world.documents()
    claims = [one for path, one in documents.items() if "/events/" in path or "/rings/" in path]
    alarms = [json.loads(payload) for payload in world.tasks.payloads() if '"no"' in payload]
    today = world.clock.now().astimezone(world.settings.timezone).date()
    said: dict[str, Counter[tuple[str, ...]]] = {}
    for sent in world.line.sent:
        said.setdefault(sent.chat_id, Counter())[sent.texts] += 1
    return Ending(
        said=said,
        memories={
            path.partition("/")[2]: _memory(path, documents, today, alarms)
            for path in documents
            if path.count("/") == 1 and path.startswith("conversations/")
        },
        undone=sum(not one["done"] or "reply" in one or "messages" in one for one in claims),
        events=len(claims),
        requests=tuple(world.plug.names),
        failed=failed,
    )


def differences(wanted: Memory, came: Memory) -> Iterator[str]:
    """Yield what is remembered otherwise; what a digest took sooner or later is no difference."""
    gone, more = wanted.window - came.window, came.window - wanted.window
    if gone and more:
        yield "another window"
    elif gone.total() - more.total() != came.digested - wanted.digested:
        yield f"a window with {more.total()} turns more and {gone.total()} less"
    for what in ("summary", "facts", "tombstones", "unembedded", "reminders", "owed"):
        if getattr(wanted, what) != getattr(came, what):
            yield f"{what}: {getattr(came, what)} instead of {getattr(wanted, what)}"
    yield from came.faults


def _memory(
    path: str, documents: Documents, today: date, alarms: Sequence[Mapping[str, Any]]
) -> Memory:
    conversation = from_document(documents[path])
    reminders = {
        int(one.rpartition("/")[2]): reminder_from_document(int(one.rpartition("/")[2]), document)
        for one, document in documents.items()
        if one.startswith(f"{path}/reminders/")
    }
    set_for = {(one["no"], one["rev"]) for one in alarms if f"conversations/{one['chat']}" == path}
    facts = {
        int(one.rpartition("/")[2]): document
        for one, document in documents.items()
        if one.startswith(f"{path}/facts/")
    }
    digests = [one for key, one in documents.items() if key.startswith(f"{path}/digests/")]
    return Memory(
        window=Counter((turn.speaker, turn.text) for turn in conversation.turns),
        digested=sum(digest.get("report", {}).get("turns", 0) for digest in digests),
        summary=tuple(sentence.text for sentence in conversation.summary),
        facts={
            no: (fact["text"], fact["by"], fact.get("confirmed", 0), fact["active"])
            for no, fact in facts.items()
        },
        tombstones=frozenset(conversation.tombstones),
        unembedded=conversation.unembedded,
        reminders={
            no: (one.text, one.due.isoformat(), one.state, one.rev) for no, one in reminders.items()
        },
        owed=frozenset(conversation.owed.values()),
        faults=(
            *_faults(conversation, facts, today),
            *_unheard(conversation, reminders, set_for),
        ),
    )


def _unheard(
    conversation: Conversation,
    reminders: Mapping[int, Reminder],
    set_for: set[tuple[int, int]],
) -> Iterator[str]:
    """Yield what does not fit together in an agenda, its reminders and their alarms."""
    pending = {no: one for no, one in reminders.items() if one.is_pending}
    if pending != conversation.agenda:
        yield f"an agenda of {sorted(conversation.agenda)} where {sorted(pending)} are pending"
    for no, reminder in sorted(pending.items()):
        if (no, reminder.rev) not in set_for:
            yield f"#{no} has no alarm"
    if conversation.next_no <= max(reminders, default=0):
        yield "a reminder's number that will be given twice"


def _faults(
    conversation: Conversation, facts: Mapping[int, Mapping[str, Any]], today: date
) -> Iterator[str]:
    """Yield what does not fit together in a conversation and its facts."""
    known = {no: fact_from_document(no, fact) for no, fact in facts.items()}
    holding = {no: fact for no, fact in known.items() if fact.holds and not fact.is_over(today)}
    board = {fact.no: fact for fact in conversation.facts(today)}
    if not _shows(board, holding, conversation.hidden):
        yield f"a board of {sorted(board)} where {sorted(holding)} hold"
    if conversation.next_no <= max(known, default=0):
        yield "a number that will be given twice"
    for no, fact in sorted(facts.items()):
        if not fact["active"] and "embedding" in fact:
            yield f"#{no} holds no longer, and has a vector"
        if fact["active"] and "embedding" not in fact and not conversation.unembedded:
            yield f"#{no} has no vector, and nobody knows"
    size = sum((entry.size for entry in conversation.entries), Size())
    if size.exceeds(conversation.size):
        yield "a window larger than it is counted"


def _shows(board: Mapping[int, Fact], holding: Mapping[int, Fact], hidden: int) -> bool:
    """Say whether a board has just the facts that hold, as far as none are left out."""
    return board == holding if not hidden else board.items() <= holding.items()
