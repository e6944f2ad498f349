"""Facts: the lasting things that a conversation's members have told."""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

import regex

Category = Literal["name", "preference", "hobby", "habit", "schedule", "family", "place", "other"]
Kind = Literal["person", "place", "thing", "concept"]
"""What a subject is."""

LONGEST = 500
"""Characters of a fact."""
PINNED = 0.8
"""From this importance on a fact stands on the board whatever else does."""

_SIGN = r"[\p{S}\p{Pd}!-/:-@_]"
_NOISE = regex.compile(
    rf"(?<!\d)[\p{{Z}}\p{{C}}]+|[\p{{Z}}\p{{C}}]+(?!\d)"
    rf"|(?!{_SIGN})\p{{P}}"
    rf"|{_SIGN}(?<![0-9a-z]{_SIGN}+)(?!{_SIGN}*[0-9a-z])"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may become a fact, as the model or a member proposes it."""

    text: str
    subject: str
    """Who or what it is about."""
    category: Category = "other"
    kind: Kind = "concept"
    importance: float = 0.5
    """From 0 to 1."""
    expires_on: date | None = None
    """The last day on which it is of any use."""
    evidence: str = ""
    """The words of a turn that say so; empty where the whole turn does."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One lasting thing, by the number it is known by in its conversation."""

    no: int
    text: str
    subject: str
    by: str
    """LINE's id of whoever told it."""
    said_at: datetime
    category: Category = "other"
    kind: Kind = "concept"
    importance: float = 0.5
    expires_on: date | None = None
    sources: tuple[str, ...] = ()
    """The turns it was told in; the first is where it comes from."""
    confirmed: int = 0
    """How often it was told again."""
    replaces: tuple[int, ...] = ()
    """The facts it superseded, and those superseded by them."""
    disputes: tuple[int, ...] = ()
    """The facts, told by others, that can't be true beside it."""
    holds: bool = True
    """No longer, once it is superseded or retired."""

    @property
    def is_pinned(self) -> bool:
        """Say whether it stands on the board whatever else does."""
        return self.importance >= PINNED

    def is_over(self, today: date) -> bool:
        """Say whether its last day has passed."""
        return self.expires_on is not None and self.expires_on < today

    def is_about(self, subject: str) -> bool:
        """Say whether it is about somebody or something, however that is written."""
        return normalised(self.subject) == normalised(subject)

    def equals(self, candidate: Candidate) -> bool:
        """Say whether a candidate tells the same about the same in the same words.

        The only sameness that code decides: vectors can't tell a paraphrase from a contradiction.
        """
        return self.is_about(candidate.subject) and normalised(self.text) == normalised(
            candidate.text
        )


def normalised(text: str) -> str:
    """Return a text as it is compared: without width, case, spaces and punctuation.

    Marks that touch a letter or digit stay: 1/12 is not 11/2, A+ not A-, and 7.5 not 75.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").strip(" .!?,;:")
    return str(_NOISE.sub("", folded))


def fingerprint(text: str) -> str:
    """Return what a forgotten text is recognised by, and can't be read from."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()[:16]


def to_document(fact: Fact) -> dict[str, Any]:
    """Return a fact as the board and its own document hold it; what is empty is left out."""
    document = {
        "text": fact.text,
        "subject": fact.subject,
        "by": fact.by,
        "said_at": fact.said_at,
        "category": fact.category,
        "kind": fact.kind,
        "importance": fact.importance,
        "expires_on": fact.expires_on.isoformat() if fact.expires_on else "",
        "sources": list(fact.sources),
        "confirmed": fact.confirmed,
        "replaces": list(fact.replaces),
        "disputes": list(fact.disputes),
    }
    kept = {key: value for key, value in document.items() if value not in ("", 0, [])}
    # A query that sorts by a field passes over what lacks it.
    return kept | {"importance": fact.importance}


def from_document(no: int, document: Mapping[str, Any]) -> Fact:
    """Read a fact off the board, or its own document."""
    expires_on = document.get("expires_on")
    return Fact(
        no=no,
        text=document["text"],
        subject=document.get("subject", ""),
        by=document.get("by", ""),
        said_at=document.get("said_at", datetime.fromtimestamp(0, UTC)),
        category=document.get("category", "other"),
        kind=document.get("kind", "concept"),
        importance=document.get("importance", 0.0),
        expires_on=date.fromisoformat(expires_on) if expires_on else None,
        sources=tuple(document.get("sources", ())),
        confirmed=document.get("confirmed", 0),
        replaces=tuple(document.get("replaces", ())),
        disputes=tuple(document.get("disputes", ())),
        holds=document.get("active", True),
    )
