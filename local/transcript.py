"""A world as its family sees it: chats, and what was stored of them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import yaml
from google.cloud.firestore_v1.vector import Vector

from assistant.messages import words
from assistant.wording import wording
from local.family import Event
from local.world import World
from memory.conversation import from_milliseconds


class Transcript:
    """Reads out what has been said since it was last asked."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._events = 0
        self._sent = 0
        self._logged = 0

    def lines(self) -> Iterator[str]:
        """Yield what is new: of the family, of the assistant, and what it made of it afterwards."""
        yield from self.family_lines()
        yield from self.assistant_lines()
        yield from self.digest_lines()

    def family_lines(self) -> Iterator[str]:
        """Yield a line for each new thing the family did."""
        new = self._world.events[self._events :]
        self._events += len(new)
        for event in new:
            yield f"{self._time(event)} {self._place(event)}{self._what(event)}"

    def assistant_lines(self) -> Iterator[str]:
        """Yield the lines of each new bubble of the assistant's."""
        new = self._world.line.sent[self._sent :]
        self._sent += len(new)
        for sent in new:
            for text in sent.texts:
                mark = "  " if sent.via == "reply" else "📣"
                lines = text.replace("\n", "\n        ")
                yield f"     {mark} {self._world.settings.bot_name}：{lines}"

    def digest_lines(self) -> Iterator[str]:
        """Yield a line for each new digest."""
        new = self._world.logs.lines[self._logged :]
        self._logged += len(new)
        for line in new:
            if line["message"] == "digest":
                learned = sum(line.get(fate, 0) for fate in ("stored", "updated", "disputed"))
                noted = f"，記下 {learned} 件事" if learned else ""
                yield f"     📝 （較早的 {line['turns']} 句整理成摘要{noted}）"

    def _time(self, event: Event) -> str:
        local = from_milliseconds(event["timestamp"]).astimezone(self._zone)
        return f"{local:%m/%d %H:%M}"

    def _place(self, event: Event) -> str:
        source = event["source"]
        who = self._name(source.get("userId", ""))
        where = source.get("groupId") or source.get("roomId")
        return f"【{where}】{who}" if where else who

    def _what(self, event: Event) -> str:
        language = wording(self._world.settings.language)
        if event["type"] == "message":
            return f"：{words(event['message'], language)}"
        return f"（{event['type']}）"

    def _name(self, user: str) -> str:
        return self._world.line.people.get(user, user)

    @property
    def _zone(self) -> ZoneInfo:
        return self._world.settings.timezone


def stored(world: World) -> str:
    """Return everything that is stored, as YAML by path."""
    return yaml.safe_dump(
        {path: _plain(document) for path, document in sorted(world.documents().items())},
        allow_unicode=True,
        default_flow_style=None,
        width=110,
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    if isinstance(value, Vector):
        return f"{len(value)} numbers"
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value
