"""The summary: what was said before the window, as sentences that know where they come from."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_SHRUNK = 3
"""A summary that is so many times shorter than the one before has not taken it up."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a summary."""

    text: str
    sources: tuple[str, ...] = ()
    """The turns it tells of."""
    by: tuple[str, ...] = ()
    """Who said those."""
    said_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    """When the last of them was said."""


def length(sentences: Iterable[Sentence]) -> int:
    """Return how many characters sentences have."""
    return sum(len(sentence.text) for sentence in sentences)


def carried_forward(
    old: Sequence[Sentence], new: Sequence[Sentence], cited: set[int], limit: int
) -> tuple[Sentence, ...]:
    """Return a new summary with what it passed over of the old one, as far as there is room.

    A model that rewrites a summary again and again loses what it had in it (google/adk-go#1431).
    What it did not take up stays word for word; if that is too much, the oldest goes first.

    Args:
        old: The sentences there were.
        new: The sentences there shall be.
        cited: Which of the old ones, from 0, the new ones tell again.
        limit: Characters.
    """
    if length(new) < length(old) / _SHRUNK:
        cited = set()
    told = "".join(sentence.text for sentence in new)
    kept = [
        sentence
        for number, sentence in enumerate(old)
        if number not in cited and sentence.text not in told
    ]
    sentences = [*kept, *new]
    while len(sentences) > 1 and length(sentences) > limit:
        del sentences[0]
    return tuple(sentences)


def rewritten(
    old: Sequence[Sentence],
    told: Iterable[tuple[str, Sequence[str]]],
    sources: Mapping[str, Sentence],
    standing: Collection[str],
    limit: int,
) -> tuple[Sentence, ...]:
    """Return a new summary, as a model told it.

    Args:
        old: The sentences there are.
        told: The new ones, each with the labels of what it tells of.
        sources: Turns and old sentences by their labels, as the model was shown them.
        standing: The labels of those that still stand: of what was forgotten, nothing is told.
        limit: Characters.
    """
    new: list[Sentence] = []
    cited: set[Sentence] = set()
    for text, labels in told:
        named = [label for label in labels if label in sources]
        # Of a sentence that does not say where it comes from, everything is the source.
        used = named or list(sources)
        if text.strip() and all(label in standing for label in used):
            new.append(_sentence(text[:limit], [sources[label] for label in used]))
            cited |= {sources[label] for label in named}
    numbers = {number for number, sentence in enumerate(old) if sentence in cited}
    return carried_forward(old, new, numbers, limit)


def _sentence(text: str, sources: Sequence[Sentence]) -> Sentence:
    return Sentence(
        text.strip(),
        tuple(dict.fromkeys(key for source in sources for key in source.sources)),
        tuple(dict.fromkeys(who for source in sources for who in source.by)),
        max(source.said_at for source in sources),
    )


def to_document(sentence: Sentence) -> dict[str, Any]:
    """Return a sentence as it is stored."""
    return {
        "text": sentence.text,
        "sources": list(sentence.sources),
        "by": list(sentence.by),
        "said_at": sentence.said_at,
    }


def from_document(document: Mapping[str, Any]) -> Sentence:
    """Read a stored sentence."""
    return Sentence(
        document["text"], tuple(document["sources"]), tuple(document["by"]), document["said_at"]
    )
