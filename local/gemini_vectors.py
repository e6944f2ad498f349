"""What the Gemini API embeds: the rules, the words that count, and the vectors."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from google.ai.generativelanguage_v1beta import BatchEmbedContentsRequest, EmbedContentRequest

from local import embedder
from local.gemini_rules import check_parts, invalid

# https://ai.google.dev/gemini-api/docs/embeddings
SIZES = range(128, 3073)
MOST_AT_ONCE = 100

# gemini-embedding-2 takes no task type: its texts begin with what they are for (same page). A type
# is not looked at for gemini-embedding-001 either: this embedder has one vector for a text.
_TASK = re.compile(r"\A(?:task: [^|]* \| query|title: none \| text): ")


def check_batch(asked: BatchEmbedContentsRequest, model: str) -> None:
    """Raise `Rejected` for what the protobuf lets pass and the API, asked for a model, does not."""
    if not asked.requests:
        raise invalid("* BatchEmbedContentsRequest.requests: must not be empty")
    if len(asked.requests) > MOST_AT_ONCE:  # langchain-ai/langchainjs#4491
        raise invalid(
            "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"
        )
    for number, one in enumerate(asked.requests):
        _check_request(f"requests[{number}]", one, model)


def _check_request(name: str, one: EmbedContentRequest, model: str) -> None:
    if one.model != f"models/{model}":
        raise invalid(f"{name}.model: {one.model!r} is not models/{model}, which was asked.")
    if "output_dimensionality" in one and one.output_dimensionality not in SIZES:
        raise invalid(f"{name}.output_dimensionality must be between 128 and 3072.")
    check_parts(f"{name}.content", one.content)
    if any("text" not in part for part in one.content.parts):
        raise invalid(f"{name}.content: here only text is embedded.")


def texts(asked: BatchEmbedContentsRequest) -> list[str]:
    """Return what is embedded: the words of each content, without what they are for."""
    return [_text(one) for one in asked.requests]


def _text(one: EmbedContentRequest) -> str:
    text = "\n".join(part.text for part in one.content.parts)
    if one.model.startswith("models/gemini-embedding-2"):
        return _TASK.sub("", text)
    return text


class Vectors:
    """The vectors of texts: the local embedder's, where nothing else was scripted."""

    def __init__(self) -> None:
        self._scripted: dict[str, Sequence[float] | str] = {}

    def script(self, vectors: Mapping[str, Any]) -> None:
        """Give texts other vectors from now on; none if one can't be read.

        Args:
            vectors: For each text a list of numbers, or `{"like": other_text}` for the embedder's
                vector of another text.
        """
        self._scripted |= {text: _read(text, vector) for text, vector in vectors.items()}

    def embed(self, asked: BatchEmbedContentsRequest) -> list[list[float]]:
        """Return a vector for each request of a batch."""
        return [self._embed(_text(one), one.output_dimensionality) for one in asked.requests]

    def _embed(self, text: str, size: int) -> list[float]:
        vector = self._scripted.get(text, text)
        size = size or SIZES[-1]
        if isinstance(vector, str):
            return embedder.embed(vector, size)
        return embedder.fit(vector, size)


def _read(text: str, vector: Any) -> Sequence[float] | str:
    match vector:
        case {"like": str(other), **rest} if not rest:
            return other
        case [_, *_] if all(type(value) in (int, float) for value in vector):
            return [float(value) for value in vector]
    raise ValueError(f"{text}: {vector!r} is no vector: a list of numbers, or like: another text")
