"""A text is embedded for a purpose, and a vector is one only at unit length."""

import math

import pytest

from services.vectors import DIMENSIONS, Purpose, task, unit


@pytest.mark.parametrize(
    ("model", "purpose", "expected"),
    [
        ("gemini-embedding-2", "query", (None, "task: search result | query: ")),
        ("gemini-embedding-2", "document", (None, "title: none | text: ")),
        ("gemini-embedding-2-preview", "query", (None, "task: search result | query: ")),
        ("gemini-embedding-001", "query", ("RETRIEVAL_QUERY", "")),
        ("gemini-embedding-001", "document", ("RETRIEVAL_DOCUMENT", "")),
    ],
)
def test_each_model_is_told_the_purpose_in_its_own_way(
    model: str, purpose: Purpose, expected: tuple[str | None, str]
) -> None:
    """
    The older model takes a task type, the newer one reads it at the beginning of the text.
    """
    assert expected == task(model, purpose)


@pytest.mark.parametrize("length", [1e-300, 0.5, 1, 700, 1e300])
def test_a_vector_of_any_length_comes_to_unit_length(length: float) -> None:
    """
    A vector says where something is, not how much of it.
    """
    vector = unit([0.6 * length, -0.8 * length, *[0.0] * (DIMENSIONS - 2)])

    assert vector
    assert [0.6, -0.8] == pytest.approx(vector[:2])
    assert 1 == pytest.approx(math.hypot(*vector))


@pytest.mark.parametrize(
    "vector",
    [
        [],
        [1.0],
        [1.0] * (DIMENSIONS - 1),
        [1.0] * (DIMENSIONS + 1),
        [0.0] * DIMENSIONS,
        [math.nan] * DIMENSIONS,
        [math.inf, *[0.0] * (DIMENSIONS - 1)],
        [1e308] * DIMENSIONS,
    ],
    ids=lambda vector: f"{len(vector)} of {vector[:1]}",
)
def test_what_has_no_direction_is_no_vector(vector: list[float]) -> None:
    """
    Nothing, another number of dimensions, zero and what is not finite can't be compared.
    """
    assert unit(vector) is None
