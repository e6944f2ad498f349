"""LINE's messages as words, for those who can only read."""

from collections.abc import Mapping
from typing import Any

from assistant.wording import Wording


def words(message: Mapping[str, Any], wording: Wording) -> str:
    """Return what a message says, whatever kind it is."""
    match message.get("type"):
        case "text":
            return _string(message, "text") or wording.something
        case "image":
            return wording.image
        case "video":
            return wording.video
        case "audio":
            return wording.audio
        case "file":
            return wording.file.format(name=_string(message, "fileName") or "?")
        case "location":
            place = " ".join(filter(None, (_string(message, "title"), _string(message, "address"))))
            return wording.location.format(place=place or _coordinates(message))
        case "sticker":
            return wording.sticker.format(meaning=_meaning(message) or "?")
    return wording.something


def _meaning(message: Mapping[str, Any]) -> str:
    """Return the text of a message sticker, else the keywords LINE offers: a random few of them."""
    keywords = message.get("keywords")
    known = keywords if isinstance(keywords, list) else []
    return _string(message, "text") or "、".join(str(word) for word in known[:3])


def _coordinates(message: Mapping[str, Any]) -> str:
    at = [message.get("latitude"), message.get("longitude")]
    return "?" if None in at else "{}, {}".format(*at)


def _string(message: Mapping[str, Any], key: str) -> str:
    value = message.get(key)
    return value if isinstance(value, str) else ""
