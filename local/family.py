"""What a family does in LINE, as LINE tells it: webhook events."""

import hashlib
import itertools
from collections.abc import Mapping
from typing import Any

from memory.conversation import to_milliseconds
from services.clock import Clock

Event = dict[str, Any]

_CHATS = {"C": ("group", "groupId"), "R": ("room", "roomId")}


class Family:
    """Makes events as LINE would, with ids in the order in which they are made.

    A chat is named by its LINE id: U… is a one-to-one chat with that person, C… a group, R… a room.
    """

    def __init__(self, clock: Clock, *, bot_id: str) -> None:
        self._clock = clock
        self._bot_id = bot_id
        self._numbers = itertools.count(1)

    def message(
        self, user: str, chat: str, message: Mapping[str, Any], *, reply_token: str
    ) -> Event:
        """Return a message event; `message` needs no id."""
        given = {"id": str(500_000_000_000 + next(self._numbers)), **message}
        return self.event("message", user, chat, replyToken=reply_token, message=given)

    def text(self, text: str, *, mention: str = "", quote: str = "") -> dict[str, Any]:
        """Return a text message.

        Args:
            text: The words.
            mention: "self" for the assistant, or a member's id, whose @name stands in the text.
            quote: The id of the message it quotes.
        """
        message: dict[str, Any] = {"type": "text", "text": text, "quoteToken": ""}
        if mention:
            message["mention"] = {"mentionees": [self._mentionee(text, mention)]}
        if quote:
            message["quotedMessageId"] = quote
        return message

    def event(self, type: str, user: str, chat: str, **properties: Any) -> Event:
        """Return an event of any type."""
        return {
            "type": type,
            "mode": "active",
            "timestamp": to_milliseconds(self._clock.now()),
            "source": self._source(user, chat),
            "webhookEventId": self._ulid(),
            "deliveryContext": {"isRedelivery": False},
            **properties,
        }

    def _source(self, user: str, chat: str) -> dict[str, str]:
        kind, key = _CHATS.get(chat[:1], ("user", "userId"))
        source = {"type": kind, key: chat}
        if user:
            source["userId"] = user
        return source

    def _mentionee(self, text: str, who: str) -> dict[str, Any]:
        index = max(text.find("@"), 0)
        length = len(text[index:].split(" ")[0])
        mentionee: dict[str, Any] = {"index": index, "length": length, "type": "user"}
        if who == "self":
            return mentionee | {"userId": self._bot_id, "isSelf": True}
        return mentionee | {"userId": who, "isSelf": False}

    def _ulid(self) -> str:
        return "01" + hashlib.sha256(str(next(self._numbers)).encode()).hexdigest()[:24].upper()
