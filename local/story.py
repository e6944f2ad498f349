"""Stories: the YAML files in which behaviour is described. This reads them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

_EMPTY: Mapping[str, Any] = {}
_SAY = frozenset({"from", "in", "text", "mention", "quote", "as"})
_WHERE = frozenset({"in", "from"})
_FAULT = frozenset({"call", "status", "body", "times", "slow", "lost"})
_KEYS: dict[str, frozenset[str] | None] = {
    "say": _SAY,
    "send": None,
    "tap": frozenset({"from", "in", "button", "card", "back"}),
    "event": None,
    "webhook": frozenset({"body", "signature"}),
    "batch": None,
    "redeliver": frozenset(),
    "edit": frozenset({"message", "text"}),
    "unsend": frozenset({"message"}),
    "join": _WHERE,
    "leave": _WHERE,
    "follow": _WHERE,
    "unfollow": _WHERE,
    "joined": _WHERE | {"members"},
    "left": _WHERE | {"members"},
    "gemini": None,
    "embed": None,
    "line": _FAULT,
    "tasks": _FAULT,
    "firestore": _FAULT - {"body"},
    "quota": frozenset({"limit", "used"}),
    "advance": None,
    "hold": None,
    "release": None,
    "deliver": frozenset({"queue", "times", "order", "late"}),
    "parallel": None,
    "kill": frozenset({"at", "request", "before"}),
    "expect": None,
    "expect_store": frozenset({"path", "has", "lacks", "nowhere"}),
}
"""What each step may say; None where the step itself looks."""
_STORY = frozenset({"now", "timezone", "bot", "members", "settings", "seed", "steps"})


class BadStory(Exception):
    """A story that can't be read. The message says where and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens, or that is expected to have happened."""

    line: int
    verb: str
    value: Any


@dataclass(frozen=True, slots=True)
class Story:
    """A story, read and checked as far as reading can."""

    path: Path
    now: datetime
    zone: ZoneInfo
    steps: tuple[Step, ...]
    bot: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, list[str]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    seed: Mapping[str, Any] = field(default_factory=dict)
    """What is remembered already, by chat."""


def read_moment(written: Any, zone: ZoneInfo) -> datetime:
    """Read a date and time; without an offset it is the zone's."""
    moment = written if isinstance(written, datetime) else datetime.fromisoformat(str(written))
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def read_story(path: Path) -> Story:
    """Read a story; raise `BadStory` with the line where it can't be."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise BadStory(f"{path}: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("steps"), list):
        raise BadStory(f"{path}: a story is a mapping with a list of steps")
    unknown = set(content) - _STORY
    if unknown:
        raise BadStory(f"{path}: a story has no {', '.join(sorted(unknown))}")
    return _story(path, content, tuple(_steps(path, root, content["steps"])))


def _story(path: Path, content: Mapping[str, Any], steps: tuple[Step, ...]) -> Story:
    members = content.get("members") or _EMPTY
    settings = content.get("settings") or _EMPTY
    try:
        zone = ZoneInfo(content.get("timezone", "Asia/Taipei"))
        return Story(
            path=path,
            now=read_moment(content.get("now", "2026-12-01T18:00:00"), zone),
            zone=zone,
            steps=steps,
            bot=content.get("bot") or _EMPTY,
            names={who: name for who, name in members.items() if isinstance(name, str)},
            groups={chat: them for chat, them in members.items() if isinstance(them, list)},
            settings={name: str(value) for name, value in settings.items()},
            seed=content.get("seed") or _EMPTY,
        )
    except (ValueError, LookupError, AttributeError, OSError) as error:
        raise BadStory(f"{path}: {error}") from error


def _steps(path: Path, root: Any, steps: list[Any]) -> Iterator[Step]:
    nodes = next(value for key, value in root.value if key.value == "steps").value
    for node, step in zip(nodes, steps, strict=True):
        line = node.start_mark.line + 1
        if not isinstance(step, dict) or len(step) != 1:
            raise BadStory(f"{path}:{line}: a step is one verb with what it needs")
        ((verb, value),) = step.items()
        if verb not in _KEYS:
            raise BadStory(f"{path}:{line}: there is no step {verb!r}: {', '.join(_KEYS)}")
        _check_keys(f"{path}:{line}: {verb}", value, _KEYS[verb])
        yield Step(line, verb, value)


def _check_keys(where: str, value: Any, keys: frozenset[str] | None) -> None:
    if keys is None:
        return
    if not isinstance(value, dict):
        raise BadStory(f"{where}: needs a mapping")
    unknown = set(map(str, value)) - keys
    if unknown:
        raise BadStory(f"{where}: has no {', '.join(sorted(unknown))}, only {', '.join(keys)}")
