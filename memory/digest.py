"""The digest: what leaves the window is folded into the summary and the board, by one call."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from memory.conversation import Conversation, Entry, Size, Turn
from memory.dates import local_date
from memory.draft import Draft, Outcome, Relation
from memory.facts import Candidate, Fact, normalised
from memory.forms import Folded, Operation, Told, Verdicts
from memory.gates import Gates, cleaned
from memory.recall import Recall
from memory.store import Store
from memory.summary import Sentence, rewritten
from memory.usage import Calls
from services.errors import Refused, Unavailable, Withheld
from services.wiring import Services

log = logging.getLogger(__name__)

_TRIES = 6
"""How often a draft is worked out anew because the family went on talking."""
_REPAIRED = 80
"""Facts embedded later, with one digest."""


Compared = tuple[Candidate, Sequence[Fact]]
"""A new fact, and known ones it may have to do with."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What the model is given for a digest."""

    system: str
    text: str
    speakers: Mapping[str, Collection[str]]
    """LINE's ids by the names that the text calls them; two may go by the same."""
    names: Mapping[str, str]
    """Display names by LINE's ids."""


@dataclass(slots=True)
class _Proposal:
    """An operation that has passed the gates."""

    index: int
    candidate: Candidate
    turn: Turn
    relation: Relation
    number: int | None
    known: tuple[Fact, ...] = ()
    """Facts that were not on the board when the model was asked."""


@dataclass(slots=True)
class _Thought:
    """What the model has made of the turns that leave."""

    summary: tuple[Sentence, ...]
    """The old one, by which the sentences are told."""
    turns: tuple[Turn, ...]
    told: Sequence[Told]
    proposals: Sequence[_Proposal]
    skipped: Mapping[int, str]
    """Why operations were not taken up, by their place."""
    vectors: Mapping[str, Sequence[float]]
    names: Mapping[str, str]
    calls: int = 0
    """Of the model, at most."""


_NOTHING = _Thought((), (), (), (), {}, {}, {})


class Digest:
    """Digests one conversation.

    ::

        claim ─ ours ──► call ──► work out a draft ──► commit: summary, facts, window, done
          │                          └─◄── the family went on talking ──┘
          └ another's: nothing to do

    The claim is made before the call, so that a burst pays once. Nothing leaves the window but in
    the commit that stores what was made of it; what was forgotten, unsent or edited meanwhile is
    not found any more when the draft is worked out again.
    """

    def __init__(
        self,
        store: Store,
        services: Services,
        gates: Gates,
        *,
        fold: Callable[[Conversation, Sequence[Turn]], Brief],
        judge: Callable[[Conversation, Sequence[Compared]], tuple[str, str]],
    ) -> None:
        """Take what it works with.

        Args:
            store: The conversation's.
            services: The model, and how much is kept.
            gates: What may become a fact.
            fold: What the model is given of the turns that leave.
            judge: What it is given of new facts and known ones: system instruction and text.
        """
        self._store = store
        self._services = services
        self._settings = services.settings
        self._recall = Recall(store, services)
        self._gates = gates
        self._fold = fold
        self._judge = judge

    def run(self, quiet_since: datetime | None = None) -> Mapping[str, Any] | None:
        """Digest what is to leave; return the report, or None where there was nothing to do.

        Args:
            quiet_since: Turns said before it have been followed by a long silence.
        """
        conversation = self._store.read()
        leaving = self._leaving(conversation, quiet_since)
        if not leaving or conversation.has_spent(
            self._recall.today(conversation), self._settings.daily_calls
        ):
            return None
        if not self._store.begin_digest(conversation):
            return None
        try:
            thought = self._thought(conversation, leaving)
        except Withheld:
            # Asked again it would be stopped again, and the window grow for ever.
            log.warning("digest withheld by the model's filters: its turns leave all the same")
            thought = _NOTHING
        except (Unavailable, Refused):
            log.warning("no digest", exc_info=True)
            self._store.give_up_digest(conversation)
            return None
        report = self._stored(conversation, leaving, thought)
        if report is None:
            log.warning("digest not stored: the conversation kept changing")
            self._store.give_up_digest(conversation)
            return None
        log.info("digest", extra=_counted(report))
        return report

    def _leaving(
        self, conversation: Conversation, quiet_since: datetime | None
    ) -> tuple[Entry, ...]:
        settings = self._settings
        limit = Size(settings.window_turns, settings.window_characters)
        leaving = conversation.leaving(limit)
        if quiet_since:
            # A few stay, for the talk to go on from; and a few are not worth a call.
            old = conversation.left_behind(quiet_since, keep=settings.window_turns // 8)
            if len(old) >= settings.window_turns // 4:
                return max(leaving, old, key=len)
        return leaving

    # What the model makes of it.

    def _thought(self, conversation: Conversation, leaving: Sequence[Entry]) -> _Thought:
        turns = tuple(entry.turn() for entry in leaving if not entry.unsent)
        if not turns:
            return _NOTHING
        brief = self._fold(conversation, turns)
        folded = self._services.gemini.fill(brief.system, brief.text, Folded)
        if conversation.summary and not any(told.text.strip() for told in folded.summary):
            raise Unavailable("the model returned no summary")
        zone = conversation.zone_or(self._settings.timezone)
        proposals, skipped = self._proposals(folded.operations, turns, brief.speakers, zone)
        vectors = self._vectors(proposals)
        if conversation.hidden:
            proposals = self._judged(conversation, proposals, vectors)
        return _Thought(
            conversation.summary,
            turns,
            folded.summary,
            proposals,
            skipped,
            vectors,
            brief.names,
            calls=2 if conversation.hidden else 1,
        )

    def _proposals(
        self,
        operations: Sequence[Operation],
        turns: Sequence[Turn],
        speakers: Mapping[str, Collection[str]],
        zone: ZoneInfo,
    ) -> tuple[list[_Proposal], dict[int, str]]:
        proposals: list[_Proposal] = []
        skipped: dict[int, str] = {}
        if self._settings.memory != "facts":
            return proposals, skipped
        for index, operation in enumerate(operations):
            turn = _evidenced(operation, turns, speakers)
            if not turn:
                skipped[index] = "no evidence"
                continue
            candidate = cleaned(_candidate(operation), local_date(turn.said_at, zone))
            reason = self._gates.refusal(candidate, turn)
            if reason:
                skipped[index] = reason
                continue
            proposals.append(
                _Proposal(index, candidate, turn, operation.relation, operation.number)
            )
        return proposals, skipped

    def _vectors(self, proposals: Sequence[_Proposal]) -> dict[str, Sequence[float]]:
        texts = [proposal.candidate.text for proposal in proposals]
        try:
            return dict(zip(texts, self._services.gemini.embed(texts, "document"), strict=True))
        except (Unavailable, Refused):
            log.warning("facts not embedded: later", exc_info=True)
            return {}

    def _judged(
        self,
        conversation: Conversation,
        proposals: list[_Proposal],
        vectors: Mapping[str, Sequence[float]],
    ) -> list[_Proposal]:
        """Compare what seemed new with the facts that were not shown."""
        for proposal in proposals:
            vector = vectors.get(proposal.candidate.text)
            proposal.known = tuple(
                self._recall.candidates(proposal.candidate, vector, conversation)
            )
        doubtful = [
            proposal
            for proposal in proposals
            if proposal.relation == "add"
            and proposal.known
            and not any(fact.equals(proposal.candidate) for fact in proposal.known)
        ]
        if not doubtful:
            return proposals
        asked = [(proposal.candidate, proposal.known) for proposal in doubtful]
        system, text = self._judge(conversation, asked)
        for verdict in self._services.gemini.fill(system, text, Verdicts).verdicts:
            if 1 <= verdict.candidate <= len(doubtful):
                proposal = doubtful[verdict.candidate - 1]
                proposal.relation, proposal.number = verdict.relation, verdict.number
        return proposals

    # What becomes of it.

    def _stored(
        self, conversation: Conversation, leaving: Sequence[Entry], thought: _Thought
    ) -> Mapping[str, Any] | None:
        started = conversation.watermark
        for _ in range(_TRIES):
            draft, report = self._draft(conversation, leaving, thought)
            calls = Calls(self._recall.today(conversation), thought.calls, conversation.calls)
            if self._store.commit(
                draft,
                vectors=thought.vectors,
                model=self._settings.embed_model,
                report=report,
                calls=calls if thought.calls else None,
            ):
                with suppress(Unavailable, Refused):
                    if calls.are_told:
                        self._store.tell(calls, self._settings.daily_calls_everywhere)
                with suppress(Unavailable, Refused):
                    self._repair(draft)
                return report
            conversation = self._store.read()
            if conversation.watermark != started:
                return None
            self._refresh(thought)
        return None

    def _refresh(self, thought: _Thought) -> None:
        """Forget the facts that were compared and have been forgotten meanwhile."""
        numbers = {fact.no for proposal in thought.proposals for fact in proposal.known}
        standing = {fact.no: fact for fact in self._store.records.get(numbers)}
        for proposal in thought.proposals:
            proposal.known = tuple(
                standing[fact.no] for fact in proposal.known if fact.no in standing
            )

    def _draft(
        self, conversation: Conversation, leaving: Sequence[Entry], thought: _Thought
    ) -> tuple[Draft, dict[str, Any]]:
        draft = self._recall.draft(conversation)
        keys = {entry.key for entry in leaving}
        standing = {turn.id: turn for turn in conversation.turns}
        kept = {turn.id for turn in thought.turns if standing.get(turn.id) == turn}
        # What was edited meanwhile has not been digested, and stays for the next time.
        draft.leaving = tuple(
            entry
            for entry in conversation.entries
            if entry.key in keys and (entry.unsent or not thought.turns or entry.key in kept)
        )
        draft.names = thought.names
        self._count_hidden(draft)
        draft.summary = self._summary(conversation, thought, kept)
        outcomes = [Outcome("skipped", reason=reason) for reason in thought.skipped.values()]
        for proposal in thought.proposals:
            outcomes.append(_taken(draft, proposal, kept))
        draft.bury([entry for entry in conversation.entries if entry not in draft.leaving])
        draft.clear_board(self._recall.today(conversation))
        return draft, _report(outcomes, len(draft.leaving))

    def _count_hidden(self, draft: Draft) -> None:
        """Set the count of what is not shown right, and show all if all fits again."""
        if not draft.hidden:
            return
        if draft.has_much_room:
            draft.show(self._store.records.all())
        else:
            draft.hidden = max(0, self._store.records.count() - len(draft.board))

    def _summary(
        self, conversation: Conversation, thought: _Thought, kept: set[str]
    ) -> tuple[Sentence, ...]:
        sources: dict[str, Sentence] = {
            f"t{n}": _source(turn, thought.turns) for n, turn in enumerate(thought.turns, 1)
        }
        sources |= {f"s{n}": sentence for n, sentence in enumerate(thought.summary, 1)}
        standing = {
            label
            for label, source in sources.items()
            if (source.sources[0] in kept if label[0] == "t" else source in conversation.summary)
        }
        told = [(one.text, one.sources) for one in thought.told]
        limit = self._settings.summary_characters
        return rewritten(conversation.summary, told, sources, standing, limit)

    def _repair(self, draft: Draft) -> None:
        """Embed what could not be embedded before, and retire what is too much."""
        settings = self._settings
        if draft.before.unembedded:
            facts = self._store.records.unembedded(_REPAIRED)
            vectors = self._services.gemini.embed([fact.text for fact in facts], "document")
            self._store.records.embed(
                {fact.no: vector for fact, vector in zip(facts, vectors, strict=True)},
                settings.embed_model,
            )
            if len(facts) < _REPAIRED:
                self._store.mark_embedded()
        excess = len(draft.board) + draft.hidden - settings.most_facts
        if excess > 0:
            retiring = self._recall.draft(self._store.read())
            retiring.retire(self._store.records.least(excess))
            self._store.commit(retiring)


def _evidenced(
    operation: Operation, turns: Sequence[Turn], speakers: Mapping[str, Collection[str]]
) -> Turn | None:
    """Return the turn in which its speaker says what an operation quotes."""
    who = speakers.get(operation.speaker.strip(), ())
    words = normalised(operation.evidence)
    for turn in turns:
        own_words = turn.speaker in who and not turn.kind
        if own_words and words and words in normalised(turn.text):
            return turn
    return None


def _candidate(operation: Operation) -> Candidate:
    expires_on = None
    with suppress(ValueError):
        expires_on = date.fromisoformat(operation.expires_on or "")
    return Candidate(
        text=operation.text,
        subject=operation.subject,
        category=operation.category,
        kind=operation.kind,
        importance=operation.importance,
        expires_on=expires_on,
        evidence=operation.evidence,
    )


def _taken(draft: Draft, proposal: _Proposal, kept: set[str]) -> Outcome:
    """Take a proposal into a draft, if what it rests on still stands."""
    if proposal.turn.id not in kept:
        return Outcome("skipped", reason="forgotten")
    if proposal.relation == "add":
        return draft.take(proposal.candidate, proposal.turn, known=proposal.known)
    shown = {fact.no: fact for fact in proposal.known} | draft.board
    fact = shown.get(proposal.number or 0)
    if not fact:
        # Forgotten meanwhile: what was the same is forgotten too, what takes its place is new.
        was_there = 0 < (proposal.number or 0) < draft.before.next_no
        if proposal.relation == "same" or not was_there:
            return Outcome("skipped", reason="unknown number")
        return draft.take(proposal.candidate, proposal.turn)
    return draft.take(proposal.candidate, proposal.turn, proposal.relation, [fact])


def _source(turn: Turn, turns: Sequence[Turn]) -> Sentence:
    """Return where a sentence on a turn comes from: that on a reply from the question, too."""
    answered = [one for one in turns if one.id == turn.answers]
    speakers = (one.speaker for one in (turn, *answered) if one.speaker)
    keys = (turn.id, turn.answers) if turn.answers else (turn.id,)
    return Sentence("", keys, tuple(dict.fromkeys(speakers)), turn.said_at)


def _report(outcomes: Sequence[Outcome], turns: int) -> dict[str, Any]:
    """Return what became of everything, without a word of it."""
    report: dict[str, Any] = {"turns": turns}
    for outcome in outcomes:
        told: Any = outcome.reason if outcome.fate == "skipped" else outcome.no
        report.setdefault(outcome.fate, []).append(told)
    return report


def _counted(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report as the log has it."""
    counts: dict[str, Any] = {
        fate: len(told) for fate, told in report.items() if isinstance(told, list)
    }
    if "skipped" in report:
        counts["skipped"] = dict(Counter(report["skipped"]))
    return {"turns": report["turns"], **counts}
