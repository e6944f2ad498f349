"""LINE's events, read tolerantly: its schema grows without notice."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from services.characters import whole
from services.signature import verify

_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
"""What an id of LINE's looks like, and what can name a document."""
_DUMMY_TOKENS = frozenset({"0" * 32, "f" * 32})
"""Old Verify buttons sent these; nobody is there to be answered (line-bot-sdk-python#186)."""
_CHATS = {"user": "userId", "group": "groupId", "room": "roomId"}
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


class Malformed(Exception):
    """Signed by LINE, yet not what a webhook is. The message is a constant."""


@dataclass(frozen=True, slots=True)
class Event:
    """What we use of one webhook event."""

    id: str
    type: str
    chat_id: str
    """LINE's id of the user, group or room."""
    in_group: bool
    """Others are listening: a group or a room."""
    user_id: str
    """Empty where LINE does not tell."""
    reply_token: str
    at: datetime
    message: Mapping[str, Any] = field(default_factory=dict)
    """The message of a message event, raw."""
    unsent_id: str = ""
    postback: str = ""
    """What a button told us when it was tapped."""

    @property
    def message_id(self) -> str:
        """LINE's id of the message, or one made of the event's."""
        return _id(self.message.get("id")) or self.id

    @property
    def quotes(self) -> str:
        """LINE's id of the message that is quoted."""
        return _id(self.message.get("quotedMessageId"))

    @property
    def mentions_us(self) -> bool:
        """Say whether the message mentions the assistant's own account."""
        mention = self.message.get("mention")
        mentionees = mention.get("mentionees") if isinstance(mention, dict) else None
        if not isinstance(mentionees, list):
            return False
        return any(isinstance(one, dict) and one.get("isSelf") is True for one in mentionees)


def signed_events(body: bytes, signature: str, secret: str) -> list[Any]:
    """Return the raw events of a webhook body.

    Raises:
        BadSignature: LINE did not sign it.
        Malformed: It is not JSON with a list of events.
    """
    verify(body, signature, secret)
    try:
        webhook = json.loads(body)
        if _SURROGATE_ESCAPE.search(body):
            webhook = json.loads(whole(json.dumps(webhook, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise Malformed("the body is not JSON") from error
    events = webhook.get("events") if isinstance(webhook, dict) else None
    if not isinstance(events, list):
        raise Malformed("the body has no list of events")
    return events


def event_at(number: str, body: bytes, signature: str, secret: str, now: datetime) -> Event | None:
    """Read one event of a webhook body; None where it asks for nothing.

    Args:
        number: The event's place in the body, from 0, in digits.
        body: The body, as LINE signed it.
        signature: LINE's.
        secret: The channel's.
        now: When the event happened, if it does not say so itself.

    Raises:
        BadSignature: LINE did not sign the body.
        Malformed: It is no webhook, or has no such event.
    """
    events = signed_events(body, signature, secret)
    if not re.fullmatch("[0-9]{1,6}", number) or int(number) >= len(events):
        raise Malformed("the body has no event of this number")
    event = events[int(number)]
    return read(event, now) if is_for_us(event) else None


def is_for_us(event: Any) -> bool:
    """Say whether an event asks for anything: not one that another channel is to answer."""
    return (
        isinstance(event, dict)
        and event.get("mode") != "standby"
        and str(event.get("replyToken")) not in _DUMMY_TOKENS
    )


def event_id(event: Mapping[str, Any]) -> str:
    """Return the event's own id, or one that is the same for the same content."""
    given = _id(event.get("webhookEventId"))
    if given:
        return given
    # A redelivered event differs in nothing but its delivery context.
    content = {key: value for key, value in event.items() if key != "deliveryContext"}
    canonical = json.dumps(content, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def pseudonym(event_id: str) -> str:
    """Return the name an event goes by in task names and logs: even, and telling nothing."""
    return hashlib.sha256(event_id.encode()).hexdigest()[:32]


def read(event: Mapping[str, Any], now: datetime) -> Event | None:
    """Read an event; None where it belongs to no chat.

    Args:
        event: The raw event.
        now: When it happened, if it does not say so itself.
    """
    source = _mapping(event.get("source"))
    kind = source.get("type")
    chat_id = _id(source.get(_CHATS.get(kind, ""))) if isinstance(kind, str) else ""
    if not chat_id:
        return None
    token = event.get("replyToken")
    return Event(
        id=event_id(event),
        type=str(event.get("type")),
        chat_id=chat_id,
        in_group=kind != "user",
        user_id=_id(source.get("userId")),
        reply_token=token if isinstance(token, str) else "",
        at=_moment(event.get("timestamp"), now),
        message=_mapping(event.get("message")),
        unsent_id=_id(_mapping(event.get("unsend")).get("messageId")),
        postback=str(_mapping(event.get("postback")).get("data", "")),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _id(value: Any) -> str:
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _moment(milliseconds: Any, now: datetime) -> datetime:
    """Return the moment, or now for one that is none, or in the future: it would never leave."""
    if not isinstance(milliseconds, int) or milliseconds <= 0:
        return now
    if milliseconds > now.timestamp() * 1000:
        return now
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
