"""What goes out into LINE's chats, as plain values that know no SDK and can be stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

EVERYONE = "all"
"""Whom to mention for the whole group; no user's id is like it."""
MENTIONS = 20
"""In one text (Messaging API reference, text message v2)."""
CARDS = 10
"""In one message (Messaging API reference, carousel template)."""
CARD_TEXT = 120
"""Graphemes on a card without title and image (Messaging API reference, column object)."""
BUTTONS = 3
"""Under a card (Messaging API reference, column object)."""
LABEL = 20
"""Graphemes on a button (Messaging API reference, specifications of the label)."""
_ALT = 1500
"""UTF-16 units (Messaging API reference, template messages)."""
_DATA = 300
"""Characters (Messaging API reference, postback action)."""
_SAID = 300
"""Graphemes (Messaging API reference, postback action)."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody who is called by an @ that rings; only in groups, only their members."""

    user: str
    """LINE's id, or `EVERYONE`."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text in which people may be mentioned.

    LINE takes no more than `MENTIONS` of them; what is beyond is left out.
    """

    parts: tuple[str | Mention, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """A button that tells us it was tapped; raises ValueError where LINE would not take it."""

    label: str
    data: str
    """What we are told."""
    said: str = ""
    """What the chat shows as words of whoever tapped; empty for nothing."""

    def __post_init__(self) -> None:
        _check("a button's label", _graphemes(self.label), 1, LABEL)
        _check("a button's data", _units(self.data), 1, _DATA)
        _check("a button's words", _graphemes(self.said), 0, _SAID)


@dataclass(frozen=True, slots=True)
class Card:
    """Words with buttons under them; raises ValueError where LINE would not take it."""

    text: str
    buttons: tuple[Button, ...]

    def __post_init__(self) -> None:
        _check("a card's text", _graphemes(self.text), 1, CARD_TEXT)
        _check("the buttons of a card", len(self.buttons), 1, BUTTONS)


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards side by side, in one message; raises ValueError where LINE would not take it."""

    alt: str
    """What the list of chats shows, and whatever can't show cards."""
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        _check("the alternative text", _units(self.alt), 1, _ALT)
        _check("the cards of a message", len(self.cards), 1, CARDS)
        if len({len(card.buttons) for card in self.cards}) > 1:
            raise ValueError("the cards of a message have different numbers of buttons")


Message = str | Text | Cards
"""One bubble; a str is a text without mentions."""


def to_document(message: Message) -> str | dict[str, Any]:
    """Return a message as it is stored: what `from_document` gives back is the very same."""
    match message:
        case str():
            return message
        case Text(parts):
            return {"parts": [part if isinstance(part, str) else _mention(part) for part in parts]}
        case Cards(alt, cards):
            return {"alt": alt, "cards": [_card(card) for card in cards]}


def from_document(document: str | Mapping[str, Any]) -> Message:
    """Read a stored message."""
    if isinstance(document, str):
        return document
    if "parts" in document:
        parts = document["parts"]
        return Text(tuple(one if isinstance(one, str) else Mention(one["user"]) for one in parts))
    return Cards(
        document["alt"],
        tuple(
            Card(card["text"], tuple(Button(**button) for button in card["buttons"]))
            for card in document["cards"]
        ),
    )


def _mention(mention: Mention) -> dict[str, Any]:
    return {"user": mention.user}


def _card(card: Card) -> dict[str, Any]:
    buttons = [
        {"label": button.label, "data": button.data, "said": button.said} for button in card.buttons
    ]
    return {"text": card.text, "buttons": buttons}


def _check(what: str, length: int, least: int, most: int) -> None:
    if not least <= length <= most:
        raise ValueError(f"{what}: {length}, not {least} to {most}")


def _graphemes(text: str) -> int:
    return len(regex.findall(r"\X", text))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
