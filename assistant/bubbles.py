"""An answer in bubbles: as many messages as LINE takes, none longer than it shows."""

from collections.abc import Iterator, Sequence

import regex

BUBBLE = 5000
"""UTF-16 code units in one text message (Messaging API reference, text message)."""
BUBBLES = 5
"""Message objects in one call (Messaging API reference, send reply message)."""

_ENDS = ("\n\n", "\n", "。」", "。", "！", "？", ". ", " ")
_CLOSING = frozenset("」』）)”’")


def bubbles(text: str, *, cut_note: str, limit: int = BUBBLE, most: int = BUBBLES) -> list[str]:
    """Return a text as messages, each within the limit; what is too much is said to be cut.

    Args:
        text: The words.
        cut_note: What the last bubble ends with when there was more.
        limit: UTF-16 code units in a bubble.
        most: Bubbles.
    """
    parts = [part for part in split(text, limit) if part.strip()]
    if len(parts) <= most:
        return parts
    last = next(split(parts[most - 1], limit - units(cut_note)))
    return [*parts[: most - 1], last + cut_note]


def fitted(text: str, limit: int) -> str:
    """Return a text of at most so many UTF-16 units: of a longer one the beginning, and a mark."""
    return text if units(text) <= limit else next(split(text, limit - 1)) + "…"


def units(text: str) -> int:
    """Return a text's length in UTF-16 code units, as LINE counts it."""
    return len(text.encode("utf-16-le")) // 2


def split(text: str, limit: int) -> Iterator[str]:
    """Split a text into parts of at most so many UTF-16 units, which joined are the text.

    No grapheme cluster is cut, unless one alone is longer than a part. Where a paragraph, line or
    sentence ends in the second half of a part, the part ends there.
    """
    clusters = list(_clusters(text, limit))
    start = 0
    while start < len(clusters):
        end = _reach(clusters, start, limit)
        if end < len(clusters):
            end = _well_ended(clusters, start, end)
        yield "".join(clusters[start:end])
        start = end


def _clusters(text: str, limit: int) -> Iterator[str]:
    for cluster in regex.findall(r"\X", text):
        if units(cluster) <= limit:
            yield cluster
        else:
            yield from cluster


def _reach(clusters: Sequence[str], start: int, limit: int) -> int:
    """Return the end of the longest part from here; one cluster at the least."""
    end, size = start + 1, units(clusters[start])
    while end < len(clusters) and size + units(clusters[end]) <= limit:
        size += units(clusters[end])
        end += 1
    return end


def _well_ended(clusters: Sequence[str], start: int, end: int) -> int:
    """Return where a part that must end by `end` ends best."""
    for mark in _ENDS:
        for at in range(end, (start + end) // 2, -1):
            before = "".join(clusters[max(start, at - 2) : at])
            if before.endswith(mark) and clusters[at] not in _CLOSING:
                return at
    return end
