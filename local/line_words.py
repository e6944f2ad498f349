"""The words of what the bot sends, as they are read in a chat."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from local.line_rules import BRACES

Names = Mapping[str, str]
"""Display names by user id."""


def words_of(body: Any, names: Names) -> list[str]:
    """Return the words of a request's messages, in order, as far as they can be read.

    Of a text with mentions they are what it shows, with @name; of a carousel its cards' texts; of
    what else has no text of its own, its alternative text.
    """
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list):
        return []
    return [words for message in messages for words in _words(message, names)]


def _words(message: Any, names: Names) -> Iterator[str]:
    match message:
        case {"type": "textV2", "text": str(text)}:
            yield BRACES.sub(lambda found: _shown(found, message, names), text)
        case {"template": {"columns": [*columns]}}:
            yield from (column["text"] for column in columns if _has_text(column))
        case {"template": {"text": text}} | {"text": text} | {"altText": text}:
            yield text


def _has_text(column: Any) -> bool:
    return isinstance(column, dict) and "text" in column


def _shown(found: "re.Match[str]", message: Any, names: Names) -> str:
    """Return what stands for a pair of braces, or for what it encloses."""
    if not found[1]:
        return found[0][0]
    substitution = message.get("substitution")
    match substitution.get(found[1]) if isinstance(substitution, dict) else None:
        case {"mentionee": {"type": "all"}}:
            return "@all"
        case {"mentionee": {"userId": str(user)}}:
            return f"@{names.get(user, user)}"
    return found[0]
