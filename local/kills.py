"""Playing a story once for every request at which the functions' process may die."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from local.firestore import FirestoreServer
from local.player import Player
from local.plug import Kill
from local.processes import Zygote
from local.story import Story
from memory.conversation import from_document

_AFTERWARDS = timedelta(hours=2)
"""Longer than the queue's patience: whatever is to come of it has come."""
_DELIVERIES = frozenset({"line reply", "line push"})

Said = Mapping[str, Counter[tuple[str, ...]]]
"""What was said in each chat, and how often: the bubbles of one message together."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a story ended."""

    said: Said
    turns: Mapping[str, Counter[tuple[str, str]]]
    """What is remembered in each chat: who said what, and how often."""
    undone: int
    """Events that were claimed and never done."""
    events: int
    requests: tuple[str, ...]
    """What left the functions, in order."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a death at one request led to."""

    kill: Kill
    request: str
    repeats: int
    """Messages the family got twice."""
    problems: tuple[str, ...]
    """What must not happen, and did."""

    def __str__(self) -> str:
        when = "before" if self.kill.before else "after"
        what = "; ".join(self.problems) or "as it should"
        again = f", said twice: {self.repeats}" if self.repeats else ""
        return f"killed {when} request {self.kill.request} ({self.request}){again}: {what}"


def kill_everywhere(story: Story, firestore: FirestoreServer, zygote: Zygote) -> Iterator[Outcome]:
    """Kill the functions' process before and after each request of a story, one play at a time.

    The queue comes again with its own patience, LINE redelivers what was not answered with 200, and
    the model says the same to the same prompt. Then everything must have ended as in an undisturbed
    play, but for at most one message said twice: where LINE had accepted it just before.
    """
    undisturbed = _play(story, firestore, zygote, None)
    for number, request in enumerate(undisturbed.requests, 1):
        for before in (True, False):
            kill = Kill(number, before=before)
            ending = _play(story, firestore, zygote, kill)
            yield _outcome(kill, request, undisturbed, ending)


def _play(story: Story, firestore: FirestoreServer, zygote: Zygote, kill: Kill | None) -> Ending:
    player = Player(story, firestore, zygote=zygote)
    world = player.world
    world.gemini.repeats = True
    with player:
        world.plug.begin()
        if kill:
            world.kill(kill)
        player.play_through()
        world.pass_time(world.clock.now() + _AFTERWARDS)
        documents = world.documents()
        claims = [document for path, document in documents.items() if "/events/" in path]
        return Ending(
            said=_said(player),
            turns=_turns(documents),
            undone=sum(not claim["done"] for claim in claims),
            events=len(claims),
            requests=tuple(world.plug.names),
        )


def _said(player: Player) -> Said:
    said: dict[str, Counter[tuple[str, ...]]] = {}
    for sent in player.world.line.sent:
        texts = tuple(message["text"] for message in sent.messages)
        said.setdefault(sent.chat_id, Counter())[texts] += 1
    return said


def _turns(documents: Mapping[str, Mapping[str, object]]) -> dict[str, Counter[tuple[str, str]]]:
    return {
        path: Counter((turn.speaker, turn.text) for turn in from_document(document).turns)
        for path, document in documents.items()
        if path.count("/") == 1 and path.startswith("conversations/")
    }


def _outcome(kill: Kill, request: str, undisturbed: Ending, ending: Ending) -> Outcome:
    problems = []
    repeats = 0
    for chat, messages in undisturbed.said.items():
        came = ending.said.get(chat, Counter())
        missing = (messages - came).total()
        repeats += (came - messages).total()
        if missing:
            problems.append(f"{missing} messages never came")
    if repeats > _allowed_repeats(kill, undisturbed.requests):
        problems.append(f"{repeats} messages came again")
    if ending.turns != undisturbed.turns:
        problems.append("another window")
    if (ending.events, ending.undone) != (undisturbed.events, 0):
        problems.append(f"{ending.events} events, {ending.undone} of them not done")
    return Outcome(kill, request, repeats, tuple(problems))


def _allowed_repeats(kill: Kill, requests: tuple[str, ...]) -> int:
    """Return how many messages may come twice: one, if LINE had taken it just before the death."""
    last_served = kill.request - 1 if kill.before else kill.request
    return int(last_served > 0 and requests[last_served - 1] in _DELIVERIES)
