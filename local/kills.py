"""Playing a story once for every request at which the functions' process may die."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import takewhile

from local.endings import Ending, differences, ending
from local.firestore import FirestoreServer
from local.player import Player, StoryFailed
from local.plug import Kill
from local.processes import Zygote
from local.steady_model import SteadyModel
from local.story import Story

_AFTERWARDS = timedelta(hours=2)
"""Longer than the queue's patience: whatever is to come of it has come."""
_DELIVERIES = frozenset({"line reply", "line push"})


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
    the model tells the same again. Then everything must have ended as in an undisturbed play, but
    for at most one message said twice: where LINE had accepted it just before. A digest may have
    come later than in that, so that another part of the window is in the summary.

    Raises:
        StoryFailed: The story does not go as it is told even where nobody dies.
    """
    undisturbed = _play(story, firestore, zygote, None)
    for number, request in enumerate(undisturbed.requests, 1):
        for before in (True, False):
            kill = Kill(number, before=before)
            came = _play(story, firestore, zygote, kill)
            yield _outcome(kill, request, undisturbed, came)


def _play(story: Story, firestore: FirestoreServer, zygote: Zygote, kill: Kill | None) -> Ending:
    model = SteadyModel(one for step in story.steps if step.verb == "gemini" for one in step.value)
    told = replace(story, steps=tuple(step for step in story.steps if step.verb != "gemini"))
    with Player(told, firestore, zygote=zygote, stand_in=model.answer) as player:
        world = player.world
        world.plug.begin()
        if kill:
            world.kill(kill)
            player.play_through()
        else:
            for _ in player.play():
                pass
            if model.unused:
                raise StoryFailed(f"{story.path}: Gemini was not asked for {model.unused} more")
        world.pass_time(world.clock.now() + _AFTERWARDS)
        return ending(world, tuple(_failed(player)))


def _failed(player: Player) -> Iterator[str]:
    """Yield what the story expects to be stored at its end, and is not so."""
    last = takewhile(lambda step: step.verb.startswith("expect"), reversed(player.story.steps))
    for step in last:
        if step.verb == "expect_store":
            try:
                player.take(step)
            except StoryFailed as failure:
                yield str(failure)


def _outcome(kill: Kill, request: str, undisturbed: Ending, came: Ending) -> Outcome:
    problems = []
    repeats = 0
    for chat, messages in undisturbed.said.items():
        said = came.said.get(chat, Counter())
        missing = (messages - said).total()
        repeats += (said - messages).total()
        if missing:
            problems.append(f"{missing} messages never came")
    if repeats > _allowed_repeats(kill, undisturbed.requests):
        problems.append(f"{repeats} messages came again")
    for chat, memory in undisturbed.memories.items():
        problems += differences(memory, came.memories[chat])
    if (came.events, came.undone) != (undisturbed.events, 0):
        problems.append(f"{came.events} events, {came.undone} of them not done")
    return Outcome(kill, request, repeats, (*problems, *came.failed))


def _allowed_repeats(kill: Kill, requests: tuple[str, ...]) -> int:
    """Return how many messages may come twice: one, if LINE had taken it just before the death."""
    last_served = kill.request - 1 if kill.before else kill.request
    return int(last_served > 0 and requests[last_served - 1] in _DELIVERIES)
