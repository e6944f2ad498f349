"""Recall: which facts a message or a new fact may have to do with, once not all are shown."""

import logging
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import regex

from memory.conversation import Conversation
from memory.dates import local_date
from memory.draft import Draft, weight
from memory.facts import Candidate, Fact
from memory.store import Store
from services.errors import Refused, Unavailable
from services.wiring import Services

log = logging.getLogger(__name__)

_COMPARED = 8
"""Facts near a new one, beside those about the same."""
_SEARCHED = 20
"""Facts one search returns."""
_WORDS = 0.3
"""How much nearer a fact is for having all the words of a message: as much as cosine distance."""


class Recall:
    """Looks for facts of one conversation by meaning and by words."""

    def __init__(self, store: Store, services: Services) -> None:
        """Take the conversation's store; the model is only loaded when something is embedded."""
        self._store = store
        self._services = services
        self._settings = services.settings

    def today(self, conversation: Conversation) -> date:
        """Return the family's date."""
        zone = conversation.zone_or(self._settings.timezone)
        return local_date(self._services.clock.now(), zone)

    def draft(self, conversation: Conversation) -> Draft:
        """Return a draft of changes to a conversation."""
        draft = Draft(conversation, self._services.clock.now(), self._settings.board_tokens)
        draft.drop_over(self.today(conversation))
        return draft

    def facts(self, numbers: Iterable[int], board: Mapping[int, Fact]) -> list[Fact]:
        """Return the facts of these numbers: off the board, or else from the records."""
        wanted = set(numbers)
        shown = [board[no] for no in sorted(wanted & board.keys())]
        return [*shown, *self._store.records.get(sorted(wanted - board.keys()))]

    def lineage(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return facts together with those they took the place of: they are forgotten as one."""
        facts = list(facts)
        return [*facts, *self._store.records.replaced(facts)]

    def candidates(
        self, candidate: Candidate, vector: Sequence[float] | None, conversation: Conversation
    ) -> list[Fact]:
        """Return the facts beside the board that a new one may tell again, change or contradict.

        All about the same, at whatever distance, and the nearest within the model's gate: distance
        proposes, and never decides.
        """
        settings = self._settings
        found = {fact.no: fact for fact in self._store.records.about(candidate.subject)}
        if vector:
            near = self._store.records.nearest(
                vector,
                settings.embed_model,
                limit=_COMPARED,
                distance=settings.candidate_distance,
            )
            found |= {fact.no: fact for fact, _ in near}
        return [fact for no, fact in sorted(found.items()) if no not in conversation.board]

    def beside(self, conversation: Conversation, query: str) -> list[Fact]:
        """Return the facts a message may have to do with, beside those on the board.

        None where all are on the board. Where they can't be looked for, the board has the newest.
        """
        if not conversation.hidden:
            return []
        try:
            found = self.search(query, conversation, self._settings.recalled_facts)
        except (Unavailable, Refused):
            log.warning("nothing recalled: newer facts stand in", exc_info=True)
            return []
        room = self._settings.board_tokens - sum(map(weight, conversation.board.values()))
        fitting: list[Fact] = []
        for fact in found:
            if fact.no not in conversation.board and weight(fact) <= room:
                room -= weight(fact)
                fitting.append(fact)
        return fitting

    def search(self, query: str, conversation: Conversation, limit: int = _SEARCHED) -> list[Fact]:
        """Return the facts nearest to a query, by vectors and words together, the nearest first.

        Raises:
            Unavailable: The query can't be embedded, or Firestore does not answer.
            Refused: The query is refused by the model.
        """
        (vector,) = self._services.gemini.embed([query], "query")
        found = self._store.records.nearest(
            vector,
            self._settings.embed_model,
            limit=limit,
            distance=self._settings.recall_distance,
        )
        words = _units(query)
        ranked = sorted(found, key=lambda one: one[1] - _WORDS * _shared(words, one[0]))
        today = self.today(conversation)
        return [fact for fact, _ in ranked if not fact.is_over(today)]


def _shared(words: set[str], fact: Fact) -> float:
    """Return which share of a fact's words a query has."""
    own = _units(fact.text)
    return len(own & words) / len(own) if own else 0.0


def _units(text: str) -> set[str]:
    """Return what texts are compared by: pairs of Chinese characters, and words."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    runs = regex.findall(r"\p{Han}{2,}", plain)
    pairs = {run[n : n + 2] for run in runs for n in range(len(run) - 1)}
    return pairs | set(regex.findall(r"[\p{Latin}\d]{2,}", plain))
