"""What an embedding model's distances say of pairs of facts, and which gate the model needs.

`python -m benchmarks.calibrate [PAIRS.yaml]`: Gemini's EMBED_MODEL if GEMINI_API_KEY is set, else
the local embedder. A gate only proposes what the judge compares; CANDIDATE_DISTANCE sets it.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

import yaml

from local import embedder
from memory.facts import Candidate, Fact, from_document
from services.clock import Clock
from services.settings import Settings
from services.vectors import DIMENSIONS

PAIRS = Path(__file__).parent.parent / "tests/memory/pairs.yaml"
WANTED = 0.99
"""The share of the decisive pairs that must reach the judge."""

Relation = Literal["same", "update", "contradict", "other person", "related", "unrelated"]
"""What the new one of two facts is to the known one."""
DECISIVE: tuple[Relation, ...] = ("same", "update", "contradict")
"""Those in which the known fact is not simply left as it is."""

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Returns a vector of unit length for each text."""

# Settings that nothing here uses must be there all the same; and here is time to ask again.
_DEFAULTS = {
    "PROJECT_ID": "none",
    "REGION": "none",
    "LINE_CHANNEL_SECRET": "none",
    "LINE_CHANNEL_ACCESS_TOKEN": "none",
    "ACCESS": "open",
    "EMBED_PATIENCE": "300",
    "GEMINI_ATTEMPTS": "8",
    "GEMINI_RETRY_DELAY": "1",
}
_NO_GATE = -1.0
"""Within it nothing is."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A fact on the board, a new one, and what somebody who read both says of them."""

    relation: Relation
    known: Fact
    new: Candidate
    merges: bool = False
    """Whether code may say without the judge that they are the same."""

    @property
    def is_merged(self) -> bool:
        """Say whether code does say so."""
        return self.known.equals(self.new)


@dataclass(frozen=True, slots=True)
class Measured:
    """A pair, and how far apart a model finds its texts."""

    pair: Pair
    distance: float

    def reaches(self, gate: float) -> bool:
        """Say whether the judge is asked: about the same subject always, else within the gate."""
        return self.pair.known.is_about(self.pair.new.subject) or self.distance <= gate


def main() -> None:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate")
    parser.add_argument("pairs", nargs="?", type=Path, default=PAIRS, help="labelled pairs")
    pairs = read_pairs(parser.parse_args().pairs)
    settings = Settings.from_env(_DEFAULTS | os.environ)
    model, embed = choose(settings)
    print(f"{len(pairs)} pairs, embedded by {model}\n")
    print("\n".join(report(measure(pairs, embed), settings.candidate_distance)))


def read_pairs(path: Path) -> list[Pair]:
    """Read labelled pairs; raise `ValueError` for a class that is none."""
    return [_read(pair) for pair in yaml.safe_load(path.read_text(encoding="utf-8"))]


def choose(settings: Settings) -> tuple[str, Embed]:
    """Return the model to measure, by its name and as a function."""
    if not settings.gemini_api_key:
        return "the local embedder: these are not Gemini's distances", embed_here
    from services.gemini import Gemini

    gemini = Gemini(settings, Clock(), access_token=lambda: "")
    return f"Gemini's {settings.embed_model}", lambda texts: gemini.embed(texts, "document")


def embed_here(texts: Sequence[str]) -> list[list[float]]:
    """Embed texts on this machine."""
    return [embedder.embed(text, DIMENSIONS) for text in texts]


def measure(pairs: Sequence[Pair], embed: Embed) -> list[Measured]:
    """Return the pairs with their cosine distances; every text is embedded once."""
    texts = list(dict.fromkeys(chain.from_iterable((p.known.text, p.new.text) for p in pairs)))
    vectors = dict(zip(texts, embed(texts), strict=True))
    return [Measured(p, _distance(vectors[p.known.text], vectors[p.new.text])) for p in pairs]


def of(measured: Sequence[Measured], *relations: Relation) -> list[Measured]:
    """Return the pairs of some relations."""
    return [one for one in measured if one.pair.relation in relations]


def share_to_judge(measured: Sequence[Measured], gate: float) -> float:
    """Return the share of pairs that reach the judge; of none, all do."""
    return _share([one.reaches(gate) for one in measured])


def suggested_gate(measured: Sequence[Measured]) -> float:
    """Return the smallest gate, in hundredths, that sends the decisive pairs to the judge."""
    decisive = of(measured, *DECISIVE)
    gates = (hundredths / 100 for hundredths in range(201))
    # No cosine distance is above 2; the last digit of one may be.
    return next((gate for gate in gates if share_to_judge(decisive, gate) >= WANTED), 2.0)


def wrongly_merged(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of different things that code takes for the same; there must be none."""
    return [pair for pair in pairs if pair.relation != "same" and pair.is_merged]


def report(measured: Sequence[Measured], gate: float) -> Iterator[str]:
    """Yield the lines of what is printed."""
    yield f"class           n    min median    max  within {gate:.2f}  to the judge"
    for relation in get_args(Relation):
        if some := of(measured, relation):
            yield _line(relation, some, gate)
    yield ""
    decisive, suggested = of(measured, *DECISIVE), suggested_gate(measured)
    alone = sum(not one.reaches(_NO_GATE) for one in decisive)
    yield f"of {len(decisive)} same, update and contradict {alone} hang on the distance alone"
    yield f"with {gate:.2f}       {share_to_judge(decisive, gate):.1%} of them reach the judge"
    yield f"suggested gate  {suggested:.2f}: {share_to_judge(decisive, suggested):.1%} of them do"
    for relation in get_args(Relation)[len(DECISIVE) :]:
        if some := of(measured, relation):
            yield (
                f"its cost        {share_to_judge(some, suggested):.1%} of {relation} do too, "
                f"{share_to_judge(some, _NO_GATE):.1%} for their subject alone"
            )
    wrong = wrongly_merged([one.pair for one in measured])
    yield f"merged wrongly  {len(wrong)} without asking the judge (must be 0)"
    for pair in wrong:
        yield f"                {pair.known.text} = {pair.new.text}"


def _line(relation: Relation, measured: Sequence[Measured], gate: float) -> str:
    distances = [one.distance for one in measured]
    spread = (min(distances), median(distances), max(distances))
    within = _share([distance <= gate for distance in distances])
    return (
        f"{relation:<12} {len(measured):>4} {' '.join(f'{distance:6.3f}' for distance in spread)}"
        f" {within:12.1%} {share_to_judge(measured, gate):13.1%}"
    )


def _share(answers: Sequence[bool]) -> float:
    return sum(answers) / len(answers) if answers else 1.0


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return max(0.0, 1 - sum(x * y for x, y in zip(one, other, strict=True)))


def _read(pair: Mapping[str, Any]) -> Pair:
    if pair["class"] not in get_args(Relation):
        raise ValueError(f"{pair['class']!r} is none of {', '.join(get_args(Relation))}")
    return Pair(
        relation=pair["class"],
        known=from_document(0, pair["known"]),
        new=Candidate(**pair["new"]),
        merges=pair.get("merges", False),
    )


if __name__ == "__main__":
    main()
