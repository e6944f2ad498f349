"""What LINE takes and what it refuses: its SDK's models in a round trip, and its limits."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator
from typing import Any

import regex

from local.loopback import Answer, Rejected

# Messaging API reference, "Text message (v2)": doubled braces are literal, others enclose a key.
BRACES = re.compile(r"\{\{|\}\}|\{([0-9a-zA-Z_]{1,20})\}")
_MAX_OF_A_KIND = 20

_MENTIONEE = re.compile(r"messages\[\d\]\.substitution\.\w+\.mentionee")
_QUOTE_TOKEN = re.compile(r"messages\[\d\]\.quoteToken")


def error(status: int, message: str) -> Rejected:
    """Return a refusal in LINE's shape."""
    return Rejected(Answer({"message": message}, status))


def invalid(*details: dict[str, str]) -> Rejected:
    """Return the refusal of a body, with what is wrong where."""
    message = f"The request body has {len(details)} error(s)"
    return Rejected(Answer({"message": message, "details": list(details)}, 400))


def check_body(model: str, body: Any) -> None:
    """Raise `Rejected` unless a body is what LINE documents for a request.

    Args:
        model: The SDK's name for the request.
        body: The JSON body.
    """
    # Not at the top of the module: line-bot-sdk takes two seconds to import.
    from linebot.v3 import messaging

    try:
        kept = getattr(messaging, model).from_dict(body).to_dict()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise invalid({"message": str(error)}) from error
    # The models silently drop what they do not know.
    known = {path for path, _ in walk(kept)}
    unknown = [path for path, _ in walk(body) if path not in known]
    details = [{"message": "Unknown property", "property": path} for path in unknown]
    details = details or [*_over_limit(body), *_wrong_substitutions(body), *_uneven(body)]
    if details:
        raise invalid(*details)


def check_mentions(messages: list[dict[str, Any]], members: Container[str] | None) -> None:
    """Raise `Rejected` for a mention of somebody who is not in the chat.

    Args:
        messages: Messages that were checked otherwise.
        members: Who is in the group or room; None in a one-to-one chat.
    """
    # Messaging API reference, "Mention object": only in groups and rooms, only their members.
    for path, part in walk({"messages": messages}):
        if not _MENTIONEE.fullmatch(path):
            continue
        if members is None or (part["type"] == "user" and part["userId"] not in members):
            raise invalid({"message": "May only mention members of a group", "property": path})


def check_quotes(messages: list[dict[str, Any]], tokens: Container[str]) -> None:
    """Raise `Rejected` for a quote token that was not given out in the chat.

    Args:
        messages: Messages that were checked otherwise.
        tokens: All that were given out there; one may be used again and does not expire.
    """
    # Messaging API docs, "Get quote tokens": only in the chat of the message that is quoted.
    for path, part in walk({"messages": messages}):
        if _QUOTE_TOKEN.fullmatch(path) and part not in tokens:
            raise invalid({"message": "Invalid quote token", "property": path})


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Go through all parts of a JSON value, each with its path as LINE's errors write it."""
    yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from walk(part, f"{path}.{key}" if path else key)
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from walk(part, f"{path}[{index}]")


def _over_limit(body: Any) -> Iterator[dict[str, str]]:
    for path, value in walk(body):
        for pattern, length, least, most in _LIMITS:
            if re.fullmatch(pattern, path) and not least <= length(value) <= most:
                message = f"Length must be between {least} and {most}"
                yield {"message": message, "property": path}


def _wrong_substitutions(body: Any) -> Iterator[dict[str, str]]:
    for index, message in enumerate(body.get("messages", [])):
        if message["type"] != "textV2":
            continue
        where = f"messages[{index}].text"
        substitution = message.get("substitution", {})
        keys = [key for key in BRACES.findall(message["text"]) if key]
        if re.search("[{}]", BRACES.sub("", message["text"])) or set(keys) - set(substitution):
            yield {"message": "Braces must be escaped or hold a substitution", "property": where}
        kinds = Counter(substitution[key]["type"] for key in keys if key in substitution)
        if max(kinds.values(), default=0) > _MAX_OF_A_KIND:
            yield {"message": "Too many mentions or emojis", "property": where}


def _uneven(body: Any) -> Iterator[dict[str, str]]:
    """Yield the carousels whose columns are not alike."""
    for index, message in enumerate(body.get("messages", [])):
        columns = message.get("template", {}).get("columns", [])
        # Messaging API reference, "Carousel": "Keep the number of actions consistent for all
        # columns. If you use an image or title for a column, make sure to do the same for all
        # other columns." An image carousel's columns have neither.
        alike = {
            (len(column.get("actions", [])), "title" in column, "thumbnailImageUrl" in column)
            for column in columns
        }
        if len(alike) > 1:
            where = f"messages[{index}].template.columns"
            yield {"message": "Columns must be alike", "property": where}


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _graphemes(text: str) -> int:
    return len(regex.findall(r"\X", text))


def _label_graphemes(button: dict[str, Any]) -> int:
    return _graphemes(button.get("action", {}).get("label", ""))


def _column_text(column: dict[str, Any]) -> int:
    """Return the length of a column's text, doubled where half as much is all that is allowed."""
    if "text" not in column:
        return 1  # An image carousel's columns have none.
    beside = "title" in column or "thumbnailImageUrl" in column
    return _graphemes(column["text"]) * (2 if beside else 1)


_COLUMN = r"messages\[\d\]\.template\.columns\[\d+\]"
_ACTION = r"messages\[\d\]\.(quickReply|template|contents)\..*[aA]ctions?(\[\d+\])?"

# Messaging API reference, "Message objects", "Action objects" and "Specifications of the label";
# units: Messaging API docs, "Character counting in a text". That a postback's data has at most 300
# characters, the SDK's model says itself.
_LIMITS: list[tuple[str, Callable[[Any], int], int, int]] = [
    (r"messages\[\d\]\.text", _utf16_units, 1, 5000),
    (r"messages\[\d\]\.altText", _utf16_units, 1, 1500),
    (r"messages\[\d\]\.substitution", len, 0, 100),
    (r"messages\[\d\]\.quickReply\.items\[\d+\]", _label_graphemes, 1, 20),
    (r"messages\[\d\]\.template\.columns", len, 1, 10),
    (_COLUMN, _column_text, 1, 120),
    (rf"{_COLUMN}\.title", _graphemes, 1, 40),
    (rf"{_COLUMN}\.actions", len, 1, 3),
    (rf"{_ACTION}\.(displayText|text)", _graphemes, 1, 300),
    (r"messages\[\d\]\.template\..*\.label", _graphemes, 1, 20),
    (r"messages\[\d\]\.contents\..*\.label", _graphemes, 1, 40),
]
