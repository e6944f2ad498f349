"""What a story's family does, as events of LINE."""

import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from local.family import Event
from local.line_content import Content
from local.world import World

_QUOTABLE = {"quoteToken": ""}
_MEDIA = {"contentProvider": {"type": "line"}}
_MESSAGES: dict[str, Mapping[str, Any]] = {
    "image": _MEDIA | _QUOTABLE,
    "video": _MEDIA | _QUOTABLE | {"duration": 1000},
    "audio": _MEDIA | {"duration": 1000},
    "file": {"fileName": "file.pdf", "fileSize": 1000},
    "sticker": {"packageId": "1", "stickerId": "1", "stickerResourceType": "STATIC", **_QUOTABLE},
    "location": {"latitude": 23.97, "longitude": 121.6},
}
"""What LINE always sends along with each type; quote tokens are given when it is sent."""
_OURS = frozenset({"from", "in", "as", "content"})


class Deeds:
    """Makes the event of each step, and remembers the messages a story has given names."""

    def __init__(self, world: World, folder: Path) -> None:
        """Take the world, and the folder in which the files are that people send."""
        self._world = world
        self._folder = folder
        self._messages: dict[str, tuple[str, str, str]] = {}

    def event(self, verb: str, value: Mapping[str, Any]) -> Event:
        """Return the event of a step; raise LookupError where it names what is not there."""
        match verb:
            case "say" | "send":
                return self._message(value)
            case "tap":
                return self._tap(value)
            case "edit" | "unsend":
                return self._change(verb, value)
            case "event":
                return dict(value)
        return self._membership(verb, value)

    def _message(self, value: Mapping[str, Any]) -> Event:
        user = value["from"]
        chat = value.get("in", user)
        event = self._world.message(user, chat, self._content(value, chat))
        message_id = event["message"]["id"]
        if "as" in value:
            self._messages[value["as"]] = (message_id, user, chat)
        if "content" in value:
            self._world.line.contents[message_id] = self._file(**value["content"])
        return event

    def _file(self, file: str, status: Sequence[int] = ()) -> Content:
        media_type = mimetypes.guess_type(file)[0] or "application/octet-stream"
        return Content((self._folder / file).read_bytes(), media_type, list(status))

    def _content(self, value: Mapping[str, Any], chat: str) -> Mapping[str, Any]:
        kind = value.get("type", "text")
        if kind == "text":
            return self._world.family.text(
                value["text"],
                mention=value.get("mention", ""),
                quote=self._quoted(value.get("quote", ""), chat),
            )
        return {**_MESSAGES[kind], **{key: value[key] for key in value if key not in _OURS}}

    def _quoted(self, name: str, chat: str) -> str:
        if name != "reply":
            return self._messages[name][0] if name else ""
        return [sent.ids[-1] for sent in self._world.line.sent if sent.chat_id == chat][-1]

    def _change(self, verb: str, value: Mapping[str, Any]) -> Event:
        message_id, user, chat = self._messages[value["message"]]
        family = self._world.family
        if verb == "unsend":
            self._world.line.unsend(message_id)
            return family.event("unsend", user, chat, unsend={"messageId": message_id})
        text = family.text(value["text"]) | {"id": message_id}
        return family.event("messageEdited", user, chat, message=text, **self._token(chat))

    def _membership(self, verb: str, value: Mapping[str, Any]) -> Event:
        chat = value["in"]
        users = value.get("members", [])
        members = [{"type": "user", "userId": user} for user in users]
        events: dict[str, tuple[str, Mapping[str, Any]]] = {
            "join": ("join", self._token(chat)),
            "leave": ("leave", {}),
            "follow": ("follow", {**self._token(chat), "follow": {"isUnblocked": False}}),
            "unfollow": ("unfollow", {}),
            "joined": ("memberJoined", {**self._token(chat), "joined": {"members": members}}),
            "left": ("memberLeft", {"left": {"members": members}}),
        }
        event, properties = events[verb]
        if verb in {"leave", "unfollow"}:
            self._world.line.leave(chat)
        if verb in {"join", "follow"}:
            self._world.line.join(chat)
        if verb == "joined":
            self._world.line.add_members(chat, users)
        if verb == "left":
            self._world.line.remove_members(chat, users)
        return self._world.family.event(event, value.get("from", ""), chat, **properties)

    def _tap(self, value: Mapping[str, Any]) -> Event:
        user = value["from"]
        chat = value.get("in", user)
        shown = self._buttons(chat, value["button"], value.get("card", ""))
        action = next(islice(shown, value.get("back", 0), None), None)
        if not action:
            raise LookupError(f"no button {value['button']} was shown")
        if action["type"] == "message":
            text = self._world.family.text(action["text"])
            return self._world.message(user, chat, text)
        postback = {"data": action["data"]}
        return self._world.family.event(
            "postback", user, chat, postback=postback, **self._token(chat)
        )

    def _buttons(self, chat: str, label: str, card: str) -> Iterator[Mapping[str, Any]]:
        """Yield the actions of the buttons with a label, the message last shown first.

        Args:
            chat: Where they were shown.
            label: What stands on them.
            card: What stands on their card, or a part of it.
        """
        for sent in reversed(self._world.line.sent):
            if sent.chat_id == chat:
                yield from _actions(sent.messages, label, card)

    def _token(self, chat: str) -> dict[str, str]:
        return {"replyToken": self._world.line.issue_reply_token(chat)}


def _actions(value: Any, label: str, card: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        if value.get("label") == label and value.get("type") in {"postback", "message"}:
            yield value
        for part in value.values():
            yield from _actions(part, label, card)
    if isinstance(value, list):
        for part in value:
            if _is_card(part) and card not in part["text"]:
                continue
            yield from _actions(part, label, card)


def _is_card(value: Any) -> bool:
    return isinstance(value, dict) and "text" in value and "actions" in value
