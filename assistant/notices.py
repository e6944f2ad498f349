"""What the commands say and do: everything remembered, shown, corrected, forgotten."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from assistant.agenda import Agenda, in_order
from assistant.bubbles import BUBBLE, BUBBLES, bubbles, fitted, split, units
from assistant.commands import Command
from assistant.prompt import Prompt
from assistant.zones import zone_named
from memory.conversation import Conversation, Turn
from memory.dates import local_date
from memory.draft import Draft
from memory.facts import Candidate, Fact
from memory.gates import Gates, cleaned
from memory.recall import Recall
from memory.store import Reply, Store
from services.allowance import Left

_NAMED = 40
"""UTF-16 units of a name that is said back."""
_YES = frozenset({"確定", "yes"})


@dataclass(frozen=True, slots=True)
class Notices:
    """The commands of one conversation. None of them asks the model anything."""

    turn: Turn
    """The command, as somebody said it."""
    agenda: Agenda
    """With language, zone, and the names of everybody."""
    gates: Gates
    recall: Recall
    store: Store
    left: Left | None = None
    """What is left of the month's pushes, as far as LINE told."""

    @property
    def prompt(self) -> Prompt:
        """Language, zone, and the names of everybody."""
        return self.agenda.prompt

    def obey(self, command: Command, conversation: Conversation) -> tuple[Reply, Draft]:
        """Return what is said to a command, and what it changes."""
        draft = self.recall.draft(conversation)
        said = bubbles(self._obeyed(command, draft), cut_note=self.prompt.wording.cut)
        return Reply(tuple(said)), draft

    def _obeyed(self, command: Command, draft: Draft) -> str:
        wording = self.prompt.wording
        match command.name:
            case "help":
                return wording.help.format(name=self.prompt.persona.name)
            case "export":
                return self._page(self._export(draft.before), command, "export")
            case "delete_all":
                return self._delete_all(command, draft)
            case "forget_me":
                return self._forget_me(draft)
            case "reminders":
                return self._reminders(draft)
            case "cancel":
                return self._cancel(command, draft)
            case "usage":
                return self._usage()
            case "zone":
                return self._zone(command, draft)
        if not self.prompt.remembers:
            return wording.off
        match command.name:
            case "memory":
                return self._page(self._memory(draft.before), command, "memory")
            case "forget":
                return self._forget(command, draft)
        return self._change(command, draft)

    # Showing.

    def _memory(self, conversation: Conversation) -> Iterator[str]:
        """Yield the lines of everything that is remembered: by person, place and thing."""
        wording = self.prompt.wording
        facts = self._all(conversation)
        if not facts:
            yield wording.no_memory
            return
        yield wording.memory.format(count=len(facts))
        for kind, heading in wording.kinds.items():
            of_kind = [fact for fact in facts if fact.kind == kind]
            if of_kind:
                yield heading
            for subject in dict.fromkeys(fact.subject for fact in of_kind):
                yield subject
                yield from (self._listed(fact) for fact in of_kind if fact.subject == subject)
        yield wording.memory_end

    def _export(self, conversation: Conversation) -> Iterator[str]:
        """Yield the lines of everything there is: facts, summary, window."""
        wording = self.prompt.wording
        yield wording.export.format(
            date=f"{self.agenda.now.astimezone(self.prompt.zone):%Y-%m-%d %H:%M}"
        )
        yield wording.board
        yield from map(self._listed, self._all(conversation))
        yield wording.export_summary
        yield from (sentence.text for sentence in conversation.summary)
        yield wording.export_window
        yield from map(self.prompt.line, conversation.turns)

    def _all(self, conversation: Conversation) -> list[Fact]:
        facts = self.store.records.all() if conversation.hidden else conversation.board.values()
        return sorted(
            (fact for fact in facts if not fact.is_over(self.recall.today(conversation))),
            key=lambda fact: fact.no,
        )

    def _listed(self, fact: Fact) -> str:
        wording = self.prompt.wording
        date = f"{fact.said_at.astimezone(self.prompt.zone):%Y-%m-%d}"
        notes = [date]
        if fact.expires_on:
            notes.append(wording.expires.format(date=fact.expires_on))
        if fact.disputes:
            numbers = " ".join(f"#{no}" for no in fact.disputes)
            notes.append(wording.disputed.format(numbers=numbers))
        by = self.prompt.name(fact.by)
        return wording.listed.format(no=fact.no, text=fact.text, by=by, date="; ".join(notes))

    def _page(self, lines: Iterable[str], command: Command, name: str) -> str:
        """Return one page of lines: of more than LINE takes at once, the one asked for."""
        pages = list(_pages(lines))
        asked = command.numbers[0] if command.numbers else 1
        number = min(max(asked, 1), len(pages))
        page = pages[number - 1].rstrip("\n")
        if len(pages) == 1:
            return page
        wording = self.prompt.wording
        typed = f"{wording.commands[name]} {number % len(pages) + 1}"
        return f"{page}\n{wording.page.format(page=number, pages=len(pages), command=typed)}"

    def _reminders(self, draft: Draft) -> str:
        wording = self.agenda.wording
        pending = in_order(draft.agenda.values())
        if not pending:
            return wording.none
        heading = wording.listed.format(count=len(pending))
        return "\n".join([heading, *map(self.agenda.pending, pending), wording.list_end])

    def _usage(self) -> str:
        wording = self.agenda.wording
        if not self.left:
            return self.prompt.wording.line_silent
        if self.left.limit is None:
            return wording.unlimited.format(used=self.left.used)
        return wording.usage.format(
            used=self.left.used,
            limit=self.left.limit,
            left=max(0, self.left.limit - self.left.used),
            cost=self.left.cost,
        )

    # Changing.

    def _cancel(self, command: Command, draft: Draft) -> str:
        wording = self.agenda.wording
        told = []
        for number in command.numbers:
            reminder = draft.agenda.get(number)
            if reminder:
                draft.remind(replace(reminder, state="cancelled", rev=reminder.rev + 1))
                told.append(wording.cancelled.format(reminder=self.agenda.confirmed(reminder)))
            else:
                told.append(self.prompt.wording.unknown.format(numbers=f"#{number}"))
        return "\n".join(told) or wording.which

    def _zone(self, command: Command, draft: Draft) -> str:
        wording = self.agenda.wording
        zone = zone_named(command.argument) if command.argument else self.prompt.zone
        if not zone:
            return wording.no_zone.format(name=fitted(command.argument, _NAMED))
        agenda = replace(self.agenda, prompt=replace(self.prompt, zone=zone))
        told = [wording.zone.format(zone=zone.key, now=agenda.when(agenda.now))]
        if zone != self.prompt.zone:
            draft.zone = zone.key
            told += [wording.zone_kept] if draft.agenda else []
        return "\n".join(told)

    def _forget(self, command: Command, draft: Draft) -> str:
        wording = self.prompt.wording
        numbers = command.numbers
        facts = self.recall.facts(numbers, draft.board)
        told = []
        if facts:
            draft.forget(self.recall.lineage(facts))
            told.append(wording.forgotten.format(numbers=_numbers(fact.no for fact in facts)))
        unknown = set(numbers) - {fact.no for fact in facts}
        if unknown:
            told.append(wording.unknown.format(numbers=_numbers(sorted(unknown))))
        return "\n".join(told) or wording.which

    def _change(self, command: Command, draft: Draft) -> str:
        wording = self.prompt.wording
        form = re.fullmatch(r"[#＃]?\s*(\d{1,99})\s+(.+)", command.argument, re.DOTALL)
        if not form:
            return wording.which
        number, text = int(form[1]), form[2]
        facts = self.recall.facts([number], draft.board)
        if not facts:
            return wording.unknown.format(numbers=_numbers([number]))
        (fact,) = facts
        said_on = local_date(self.turn.said_at, self.prompt.zone)
        proposed = Candidate(
            text=text,
            subject=fact.subject,
            category=fact.category,
            kind=fact.kind,
            importance=fact.importance,
        )
        candidate = cleaned(proposed, said_on)
        reason = self.gates.refusal(candidate, replace(self.turn, text=text))
        if reason:
            return wording.refused[reason]
        outcome = draft.supersede(fact, candidate, self.turn)
        draft.clear_board(self.recall.today(draft.before))
        return wording.updated.format(no=outcome.no, known=outcome.known, text=candidate.text)

    def _forget_me(self, draft: Draft) -> str:
        speaker = self.turn.speaker
        known = {fact.no: fact for fact in self.store.records.by(speaker)}
        known |= {no: fact for no, fact in draft.board.items() if fact.by == speaker}
        facts = [fact for fact in known.values() if fact.said_at <= self.turn.said_at]
        draft.forget(self.recall.lineage(facts))
        draft.forget_speaker(speaker, self.turn.said_at)
        draft.drop(self.store.diary.by(speaker))
        count = sum(fact.holds for fact in facts)
        return self.prompt.wording.all_mine.format(count=count)

    def _delete_all(self, command: Command, draft: Draft) -> str:
        wording = self.prompt.wording
        if command.argument.casefold() not in _YES:
            return wording.confirm_deletion
        known = {fact.no: fact for fact in self.store.records.every()} | dict(draft.board)
        draft.clear(known.values(), self.turn.said_at)
        draft.drop(self.store.diary.every())
        return wording.deleted


def _pages(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as pages: each is what LINE takes at once, with room for a note below it."""
    page, size, full = "", 0, 0
    for line in lines:
        for part in split(f"{line}\n", BUBBLE):
            length = units(part)
            if size + length > BUBBLE:
                size, full = 0, full + 1
            if full == BUBBLES - 1:
                yield page
                page, full = "", 0
            page += part
            size += length
    yield page


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(f"#{no}" for no in numbers)
