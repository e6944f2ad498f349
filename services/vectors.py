"""Vectors: what a text is embedded for, and when what comes back can be used."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

Purpose = Literal["query", "document"]
"""What a text is embedded for: to find, or to be found."""

DIMENSIONS = 768
"""The numbers in a vector."""

_TYPES: Mapping[Purpose, str] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
_PREFIXES: Mapping[Purpose, str] = {
    "query": "task: search result | query: ",
    "document": "title: none | text: ",
}


def task(model: str, purpose: Purpose) -> tuple[str | None, str]:
    """Return how a model is told what a text is for: by a task type, or by the text's beginning.

    gemini-embedding-2 takes a task type and pays no attention to it (mteb#4851).
    """
    if model.startswith("gemini-embedding-001"):
        return _TYPES[purpose], ""
    return None, _PREFIXES[purpose]


def unit(vector: Sequence[float]) -> list[float] | None:
    """Return a vector at unit length; None if it has none, or another number of dimensions."""
    length = math.hypot(*vector)
    if len(vector) != DIMENSIONS or not 0 < length < math.inf:
        return None
    return [value / length for value in vector]
