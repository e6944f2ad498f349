"""Gates: what a candidate must pass before it is stored, whoever proposes it.

Neither the model nor what a family pastes can be trusted; so all of this is decided by code.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import regex

from memory.conversation import ASSISTANT, Turn
from memory.dates import is_relative, resolved
from memory.evidence import is_evidenced
from memory.facts import LONGEST, Candidate
from memory.orders import is_order, is_self
from memory.plain import CJK, WORD, one_line, plain, whole_word, without_name
from memory.secrets import is_secret

Reason = Literal[
    "secret",
    "empty",
    "too long",
    "instruction",
    "assistant",
    "not a member",
    "no evidence",
    "language",
    "relative date",
    "unimportant",
]
"""Why a candidate is not stored; of several reasons the most telling is given, in this order.

secret: It has a password, or a card's, document's or account's number.
empty: There is no letter or digit in its text, or in its subject.
too long: It has more than `LONGEST` characters, or its subject has.
instruction: It gives the assistant an order or a rule, or imitates those who may.
assistant: It is about the assistant.
not a member: The assistant said it, or nobody known.
no evidence: The turn does not say so.
language: It was said in Chinese, and is told in another language.
relative date: It speaks of a day as seen from when it was said.
unimportant: It is below the floor.
"""


def cleaned(candidate: Candidate, said_on: date) -> Candidate:
    """Return a candidate in one clean line each, with dates for 「明天」 and importance in bounds.

    Its evidence stays as it is, to be found in the turn.
    """
    text = one_line(candidate.text)
    return replace(
        candidate,
        # What is far too long is not worth the time.
        text=resolved(text, said_on) if len(text) <= 2 * LONGEST else text,
        subject=one_line(candidate.subject),
        # In this order NaN, which is not greater than anything, becomes 0.
        importance=min(max(0.0, candidate.importance), 1.0),
    )


@dataclass(frozen=True, slots=True)
class Gates:
    """What candidates must pass in one deployment."""

    names: tuple[str, ...]
    """Everything the assistant is called by."""
    floor: float
    """The importance below which nothing is kept."""

    def refusal(self, candidate: Candidate, turn: Turn, also: Sequence[str] = ()) -> Reason | None:
        """Return why a cleaned candidate is not to be stored, or None.

        Args:
            candidate: What is proposed.
            turn: The turn that is said to tell it.
            also: Texts that count as said with the turn, such as the words it quotes.
        """
        return next(self._refusals(candidate, turn, also), None)

    def _refusals(self, candidate: Candidate, turn: Turn, also: Sequence[str]) -> Iterator[Reason]:
        text, subject = candidate.text, candidate.subject
        # What is too long for a fact is too long for patterns as well.
        if is_secret(f"{subject[:LONGEST]}: {text[: 2 * LONGEST]}"):
            yield "secret"
        if not (_says_something(text) and _says_something(subject)):
            yield "empty"
        if max(len(text), len(subject)) > LONGEST:
            yield "too long"
        if is_order(candidate, turn):
            yield "instruction"
        if self._is_about_assistant(candidate):
            yield "assistant"
        if turn.speaker in {"", ASSISTANT}:
            yield "not a member"
        if not is_evidenced(candidate, turn, also):
            yield "no evidence"
        if self._is_translated(candidate, turn):
            yield "language"
        if is_relative(text):
            yield "relative date"
        if not candidate.importance >= self.floor:
            yield "unimportant"

    def _is_about_assistant(self, candidate: Candidate) -> bool:
        if is_self(candidate.subject):
            return True
        told = plain(f"{candidate.subject}\n{candidate.text}")
        return any(regex.search(whole_word(name), told) for name in self._plain_names())

    def _is_translated(self, candidate: Candidate, turn: Turn) -> bool:
        """Say whether Chinese words became others, be it all but the subject's name."""
        said = plain(candidate.evidence if candidate.evidence.strip() else turn.text)
        for name in (*self._plain_names(), plain(candidate.subject)):
            said = said.replace(name, " ") if name else said
        if not regex.search(CJK, said):
            return False
        text = plain(candidate.text)
        rest = without_name(text, candidate.subject)
        if regex.search(CJK, rest):
            return False
        told = set(regex.findall(WORD, plain(turn.text)))
        return not regex.search(CJK, text) or not told.issuperset(regex.findall(WORD, rest))

    def _plain_names(self) -> list[str]:
        return [name for name in map(plain, self.names) if name.strip()]


def _says_something(text: str) -> bool:
    return bool(regex.search(r"[\p{L}\p{N}]", text))
