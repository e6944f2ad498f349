"""Playing a story: its steps, one after another, in a fresh world."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from typing import Any, Self

import grpc
import yaml

from local.clock import FrozenClock
from local.deeds import Deeds
from local.durations import read_duration
from local.family import Event
from local.firestore import FirestoreServer
from local.gemini import StandIn
from local.holds import Hold
from local.journal import Line
from local.loopback import Answer
from local.matching import matches, missing, nearest
from local.plug import Kill
from local.processes import Zygote
from local.queues import Manner
from local.story import BadStory, Step, Story, read_moment
from local.world import World

_QUEUES = {"answer": "events", "push": "reminders"}
"""The queues by what they deliver to; stories call them by both names."""
_BY_CODE = {code.value[0]: code for code in grpc.StatusCode}


class StoryFailed(Exception):
    """What was expected did not come. The message says which step, what was wanted, what came."""


class Player:
    """Plays one story in a world of its own, from `with` to its end."""

    def __init__(
        self,
        story: Story,
        firestore: FirestoreServer,
        *,
        settings: Mapping[str, str] | None = None,
        stand_in: StandIn | None = None,
        zygote: Zygote | None = None,
        more_facts: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Furnish the story's world, with settings, a model and facts it does not know of itself.

        The functions run in this process; where the story kills them, each in one of its own, made
        by the zygote (of whoever plays many such stories, else by one for this story).
        """
        environment = {"TIMEZONE": story.zone.key, **story.settings, **(settings or {})}
        if "name" in story.bot:
            environment["BOT_NAME"] = story.bot["name"]
        self.story = story
        self._stack = ExitStack()
        if any(step.verb == "kill" for step in story.steps) and not zygote:
            zygote = self._stack.enter_context(Zygote())
        self.world = World(
            FrozenClock(story.now),
            firestore,
            settings=environment,
            names=story.names,
            groups=story.groups,
            bot_id=story.bot.get("id", "Ubot"),
            stand_in=stand_in,
            zygote=zygote,
        )
        self._deeds = Deeds(self.world, story.path.parent)
        self._invited: set[str] = set()
        self._more_facts = more_facts
        self._seen = 0
        self._holds: dict[str, Hold] = {}
        self._running: list[Future[Any]] = []
        self._threads = self._stack.enter_context(ThreadPoolExecutor(16))

    def __enter__(self) -> Self:
        self._stack.enter_context(self.world)
        return self

    def __exit__(self, *_: object) -> None:
        for hold in self._holds.values():
            hold.release()
        self._stack.close()

    def play(self) -> Iterator[Step]:
        """Play the story, yielding each step once it has happened.

        Raises:
            StoryFailed: Something expected did not come, or something scripted was left over.
            BadStory: A step can't be read.
        """
        for step in self.story.steps:
            try:
                self.take(step)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise BadStory(f"{self._where(step)}: can't be read: {error!r}") from error
            yield step
        self._check_script()

    def play_through(self) -> None:
        """Play the story whatever comes of it, with a LINE that redelivers what got no 200."""
        for step in self.story.steps:
            if step.verb not in {"expect", "expect_store"}:
                self.take(step)
                if self.world.last_status not in {None, 200}:
                    self.world.redeliver()

    def _check_script(self) -> None:
        if self.world.gemini.unused:
            raise StoryFailed(
                f"{self.story.path}: Gemini was not asked for {self.world.gemini.unused} more"
            )

    def _where(self, step: Step) -> str:
        return f"{self.story.path}:{step.line}: {step.verb}"

    def take(self, step: Step) -> None:
        """Let one step happen, or look whether it has."""
        value = step.value
        match step.verb:
            case "webhook":
                self._run(lambda: self.world.post(value["body"].encode(), value.get("signature")))
            case "batch":
                events = [self._event(*next(iter(one.items()))) for one in value]
                self._run(lambda: self.world.send(*events))
            case "redeliver":
                self._run(self.world.redeliver)
            case "parallel":
                self._parallel(value)
            case "gemini":
                self.world.gemini.script(value)
            case "embed":
                self.world.gemini.embed(value)
            case "quota":
                self.world.line.quota(value.get("limit"), value.get("used", 0))
            case "line" | "tasks" | "firestore":
                self._fault(step.verb, value)
            case "advance":
                self._advance(value)
            case "hold":
                self._hold(value)
            case "release":
                self._release(value)
            case "deliver":
                self._deliver(value)
            case "kill":
                kill = Kill(value["request"], value.get("at", ""), value.get("before", False))
                self.world.kill(kill)
            case "expect":
                self._expect(step)
            case "expect_store":
                self._expect_store(step)
            case _:
                event = self._event(step.verb, value)
                self._run(lambda: self.world.send(event))

    # What the family does.

    def _event(self, verb: str, value: Mapping[str, Any]) -> Event:
        event = self._deeds.event(verb, value)
        self._invite(event.get("source", {}))
        return event

    def _invite(self, source: Mapping[str, str]) -> None:
        """Activate a chat before it is first heard of, unless the story says who is activated."""
        chat = source.get("groupId") or source.get("roomId") or source.get("userId") or ""
        activated = self.story.bot.get("activated", "all")
        if chat and chat not in self._invited and (activated == "all" or chat in activated):
            self.world.activate(chat, self._seed(chat))
            self._invited.add(chat)

    def _seed(self, chat: str) -> Mapping[str, Any]:
        seed = {**self.story.seed.get(chat, {}), "beside": self._more_facts}
        return seed if any(seed.values()) else {}

    def _run(self, work: Callable[[], Any]) -> None:
        """Let something happen; where calls are held, until it is over or all of it is held."""
        if not self._holds:
            work()
            return
        before = self._held()
        running = self._threads.submit(work)
        self._running.append(running)
        while not running.done() and not before < self._held() >= self.world.functions.under_way:
            wait([running], timeout=0.002)

    def _held(self) -> int:
        return sum(hold.held for hold in self._holds.values())

    def _parallel(self, steps: Sequence[Mapping[str, Any]]) -> None:
        events = [self._event(*next(iter(step.items()))) for step in steps]
        bodies = [self.world.body_of(event) for event in events]
        self.world.events += events
        list(self._threads.map(self.world.receive, bodies))
        self._run(lambda: self.world.tasks.deliver_due(at_once=len(bodies)))

    # What the world does.

    def _fault(self, border: str, value: Mapping[str, Any]) -> None:
        how = {
            "times": value.get("times", 1),
            "slow": read_duration(value.get("slow", 0)),
            "lost": value.get("lost", False),
        }
        status = value.get("status")
        if border == "firestore":
            code = grpc.StatusCode[status] if isinstance(status, str) else None
            self.world.firestore.fail(value["call"], code, **how)
            return
        answer = Answer(value.get("body", {}), status) if status else None
        getattr(self.world, border).fail(value["call"], answer, **how)

    def _advance(self, value: Any) -> None:
        if isinstance(value, Mapping):
            until = read_moment(value["to"], self.story.zone)
        else:
            until = self.world.clock.now() + read_duration(value)
        self._run(lambda: self.world.pass_time(until))
        self.world.tasks.manners.clear()

    def _hold(self, value: Any) -> None:
        if isinstance(value, str):
            self.world.tasks.hold_queue(_queue(value))
            return
        self._holds[_name(value)] = getattr(self.world, value["at"]).hold(value["call"])

    def _release(self, value: Any) -> None:
        if isinstance(value, str):
            self.world.tasks.release_queue(_queue(value))
            self._run(self.world.tasks.deliver_due)
            self.world.tasks.manners.clear()
            return
        self._holds.pop(_name(value)).release()
        if not self._holds:
            for running in self._running:
                running.result()
            self._running.clear()

    def _deliver(self, value: Mapping[str, Any]) -> None:
        self.world.tasks.manners[_queue(value["queue"])] = Manner(
            times=value.get("times", 1),
            reversed=value.get("order") == "reversed",
            late=read_duration(value.get("late", 0)),
        )

    # What must have come of it.

    def _expect(self, step: Step) -> None:
        lines = self.world.journal.since(self._seen)
        self._seen += len(lines)
        what = missing(step.value, lines)
        if what:
            came = "\n".join(map(_brief, lines))
            self._fail(step, what, f"{came}\n{nearest(step.value, lines)}".rstrip())

    def _expect_store(self, step: Step) -> None:
        value = step.value
        if "nowhere" in value:
            self._expect_nowhere(step, str(value["nowhere"]))
            return
        document = self.world.documents().get(f"conversations/{value['path']}")
        words = json.dumps(document, ensure_ascii=False, default=str)
        if "has" in value and not _has(document, words, value["has"]):
            self._fail(step, "the document is not so", words)
        if "lacks" in value and str(value["lacks"]) in words:
            self._fail(step, "the document has it", words)

    def _expect_nowhere(self, step: Step, words: str) -> None:
        places = {
            **self.world.documents(),
            "a queued task": self.world.tasks.payloads(),
            "the log": self.world.logs.lines,
        }
        found = [
            place
            for place, content in places.items()
            if words in json.dumps(content, ensure_ascii=False, default=str)
        ]
        if found:
            self._fail(step, "it is still there", "\n".join(found))

    def _fail(self, step: Step, what: str, came: str) -> None:
        wanted = yaml.safe_dump(step.value, allow_unicode=True, sort_keys=False).rstrip()
        raise StoryFailed(f"{self._where(step)}: {what}\nwanted:\n{wanted}\ncame:\n{came}")


def _queue(name: str) -> str:
    return name if name in _QUEUES.values() else _QUEUES[name]


def _name(hold: Mapping[str, Any]) -> str:
    return f"{hold['at']} {hold['call']}"


def _has(document: Any, words: str, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        return matches(wanted, document)
    return document is not None and str(wanted) in words


def _brief(line: Line) -> str:
    """Return a line as it is read at a glance."""
    shown = {key: line[key] for key in line if key not in {"headers", "body", "answer", "payload"}}
    return json.dumps(shown, ensure_ascii=False)
