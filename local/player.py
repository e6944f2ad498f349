"""Playing a story: its steps, one after another, in a fresh world."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from local.clock import FrozenClock
from local.durations import read_duration
from local.family import Event
from local.journal import Line
from local.loopback import Answer
from local.matching import missing
from local.story import BadStory, Step, Story, read_moment
from local.world import World

_MEDIA = {"contentProvider": {"type": "line"}}
_MESSAGES: dict[str, Mapping[str, Any]] = {
    "image": _MEDIA | {"quoteToken": "quote"},
    "video": _MEDIA | {"quoteToken": "quote", "duration": 1000},
    "audio": _MEDIA | {"duration": 1000},
    "file": {"fileName": "file.pdf", "fileSize": 1000},
    "sticker": {"packageId": "1", "stickerId": "1", "stickerResourceType": "STATIC"},
    "location": {"latitude": 23.97, "longitude": 121.6},
}
"""What LINE always sends along with each type."""


class StoryFailed(Exception):
    """What was expected did not come. The message says which step, what was wanted, what came."""


class Player:
    """Plays one story, step by step, in a world of its own (`with player.world`)."""

    def __init__(
        self,
        story: Story,
        *,
        settings: Mapping[str, str] | None = None,
        stand_in: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        """Furnish the story's world, with settings and a model it does not know of itself."""
        environment = {"TIMEZONE": story.zone.key, **story.settings, **(settings or {})}
        if "name" in story.bot:
            environment["BOT_NAME"] = story.bot["name"]
        self.story = story
        self.world = World(
            FrozenClock(story.now),
            settings=environment,
            names=story.names,
            groups=story.groups,
            bot_id=story.bot.get("id", "Ubot"),
            stand_in=stand_in,
        )
        self._invited: set[str] = set()
        self._messages: dict[str, tuple[str, str, str]] = {}
        self._seen = 0

    def play(self) -> Iterator[Step]:
        """Play the story, yielding each step once it has happened.

        Raises:
            StoryFailed: Something expected did not come, or something scripted was left over.
            BadStory: A step can't be read.
        """
        for step in self.story.steps:
            try:
                self._step(step)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise BadStory(f"{self._where(step)}: can't be read: {error!r}") from error
            yield step
        if self.world.gemini.unused:
            raise StoryFailed(
                f"{self.story.path}: Gemini was not asked for {self.world.gemini.unused} more"
            )

    def _where(self, step: Step) -> str:
        return f"{self.story.path}:{step.line}: {step.verb}"

    def _step(self, step: Step) -> None:
        value = step.value
        match step.verb:
            case "say" | "send":
                self._send(self._message(value))
            case "batch":
                self._send(*(self._message(*one.values()) for one in value))
            case "event":
                self._send(value)
            case "edit" | "unsend":
                self._send(self._change(step.verb, value))
            case "join" | "leave" | "follow" | "unfollow":
                self._send(self._membership(step.verb, value))
            case "webhook":
                self.world.post(value["body"].encode(), value.get("signature"))
            case "redeliver":
                self.world.redeliver()
            case "gemini":
                self.world.gemini.script(value)
            case "line" | "tasks":
                self._fault(step.verb, value)
            case "advance":
                self._advance(value)
            case "expect":
                self._expect(step)

    def _send(self, *events: Event) -> None:
        for event in events:
            self._invite(event.get("source", {}))
        self.world.send(*events)

    def _invite(self, source: Mapping[str, str]) -> None:
        """Activate a chat before it is first heard of, unless the story says who is activated."""
        chat = source.get("groupId") or source.get("roomId") or source.get("userId") or ""
        if chat and chat not in self._invited and self._is_activated(chat):
            self.world.activate(chat)
            self._invited.add(chat)

    def _is_activated(self, chat: str) -> bool:
        activated = self.story.bot.get("activated", "all")
        return activated == "all" or chat in activated

    def _message(self, value: Mapping[str, Any]) -> Event:
        user = value["from"]
        chat = value.get("in", user)
        event = self.world.message(user, chat, self._content(value, chat))
        if "as" in value:
            self._messages[value["as"]] = (event["message"]["id"], user, chat)
        return event

    def _content(self, value: Mapping[str, Any], chat: str) -> Mapping[str, Any]:
        kind = value.get("type", "text")
        if kind == "text":
            return self.world.family.text(
                value["text"],
                mention=value.get("mention", ""),
                quote=self._quoted(value.get("quote", ""), chat),
            )
        given = {key: one for key, one in value.items() if key not in {"from", "in", "as"}}
        return {**_MESSAGES[kind], **given}

    def _quoted(self, name: str, chat: str) -> str:
        if name != "reply":
            return self._messages[name][0] if name else ""
        return [sent.ids[-1] for sent in self.world.line.sent if sent.chat_id == chat][-1]

    def _change(self, verb: str, value: Mapping[str, Any]) -> Event:
        message_id, user, chat = self._messages[value["message"]]
        if verb == "unsend":
            return self.world.family.event("unsend", user, chat, unsend={"messageId": message_id})
        text = self.world.family.text(value["text"]) | {"id": message_id}
        token = self.world.line.issue_reply_token(chat)
        return self.world.family.event("messageEdited", user, chat, message=text, replyToken=token)

    def _membership(self, verb: str, value: Mapping[str, Any]) -> Event:
        chat = value["in"]
        properties: dict[str, Any] = {}
        if verb in {"join", "follow"}:
            properties["replyToken"] = self.world.line.issue_reply_token(chat)
        if verb == "follow":
            properties["follow"] = {"isUnblocked": False}
        return self.world.family.event(verb, value.get("from", ""), chat, **properties)

    def _fault(self, server: str, value: Mapping[str, Any]) -> None:
        answer = None
        if "status" in value:
            answer = Answer(value.get("body", {}), value["status"])
        getattr(self.world, server).fail(
            value["call"],
            answer,
            times=value.get("times", 1),
            slow=read_duration(value.get("slow", 0)),
            lost=value.get("lost", False),
        )

    def _advance(self, value: Any) -> None:
        if isinstance(value, Mapping):
            self.world.pass_time(read_moment(value["to"], self.story.zone))
        else:
            self.world.pass_time(self.world.clock.now() + read_duration(value))

    def _expect(self, step: Step) -> None:
        lines = self.world.journal.since(self._seen)
        self._seen += len(lines)
        what = missing(step.value, lines)
        if what:
            raise StoryFailed(
                f"{self._where(step)}: {what}\nwanted:\n{_yaml(step.value)}\ncame:\n"
                + "\n".join(map(_brief, lines))
            )


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False).rstrip()


def _brief(line: Line) -> str:
    """Return a line as it is read at a glance."""
    shown = {key: line[key] for key in line if key not in {"headers", "body", "answer", "payload"}}
    return json.dumps(shown, ensure_ascii=False)
