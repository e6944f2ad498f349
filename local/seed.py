"""What is already remembered when a story begins."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime, timedelta
from typing import Any

from local.embedder import embed
from memory.conversation import Turn
from memory.draft import Draft
from memory.facts import Candidate
from memory.store import Store
from memory.summary import Sentence
from services.settings import Settings
from services.vectors import DIMENSIONS

_FACT = frozenset(field.name for field in fields(Candidate)) | {"by", "no", "source", "said_at"}


def plant(store: Store, seed: Mapping[str, Any], settings: Settings, now: datetime) -> None:
    """Let a conversation remember facts and sentences, by the ways everything is remembered.

    Args:
        store: The conversation's.
        seed: `facts`, each with a text and what else a fact has; `summary`, texts; `beside`, facts
            with numbers of their own, which count on as if they were not there.
        settings: The deployment's.
        now: When they were told, unless they say so.
    """
    draft = Draft(store.read(), now, settings.board_tokens)
    for number, fact in enumerate(seed.get("facts", ()), 1):
        _take(draft, fact, number)
    following = draft.next_no
    for number, fact in enumerate(seed.get("beside", ()), 1001):
        _take(draft, fact, number)
    draft.next_no = following
    told = [Sentence(text, (f"mseed{n}",)) for n, text in enumerate(seed.get("summary", ()), 1)]
    draft.summary = (*draft.summary, *told)
    draft.clear_board(now.astimezone(settings.timezone).date())
    texts = [fact.text for fact in draft.written.values()]
    vectors = {text: embed(text, DIMENSIONS) for text in texts}
    assert store.commit(draft, vectors=vectors, model=settings.embed_model)


def _take(draft: Draft, fact: Mapping[str, Any], number: int) -> None:
    unknown = set(fact) - _FACT
    if unknown:
        raise ValueError(f"a fact has no {', '.join(sorted(unknown))}")
    turn = Turn(
        fact.get("source", f"mseed{number}"),
        fact.get("by", "U1"),
        fact["text"],
        fact.get("said_at", draft.now - timedelta(days=1)),
    )
    following = draft.next_no
    draft.next_no = fact.get("no", following)
    draft.take(_candidate(fact), turn)
    draft.next_no = max(draft.next_no, following)


def _candidate(fact: Mapping[str, Any]) -> Candidate:
    known = {key: fact[key] for key in fact if key in {field.name for field in fields(Candidate)}}
    known.setdefault("subject", fact.get("by", "U1"))
    if isinstance(known.get("expires_on"), str):
        known["expires_on"] = date.fromisoformat(known["expires_on"])
    return Candidate(**known)
