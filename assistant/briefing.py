"""How a digest is put to the model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.prompt import Prompt, folded, quoted
from memory.conversation import ASSISTANT, Conversation, Turn
from memory.digest import Brief
from memory.facts import Candidate, Fact


@dataclass(frozen=True, slots=True)
class Briefing:
    """What leaves a conversation's window, as the model sees it: lines with labels, and no more."""

    prompt: Prompt
    """Of whatever conversation."""
    characters: int
    """How long a summary may be."""
    named: Callable[[Conversation], Conversation]
    """Returns a conversation with the names of everybody in it."""

    def fold(self, conversation: Conversation, turns: Sequence[Turn]) -> Brief:
        """Return the summary, the board and the turns that leave."""
        prompt = self._prompt(conversation)
        wording = prompt.wording
        board = [fact for _, fact in sorted(conversation.board.items())]
        sentences = [
            f"s{n} {folded(sentence.text)}" for n, sentence in enumerate(conversation.summary, 1)
        ]
        lines = [f"t{n} {prompt.line(turn)}" for n, turn in enumerate(turns, 1)]
        blocks = [
            "\n".join([wording.summary, *(sentences or [wording.empty])]),
            "\n".join([wording.board, prompt.facts(board) or wording.empty]),
            "\n".join([wording.leaving, *lines]),
        ]
        system = wording.folding.format(name=prompt.persona.name, characters=self.characters)
        by_name: dict[str, set[str]] = {}
        for speaker in {turn.speaker for turn in turns} - {"", ASSISTANT}:
            by_name.setdefault(prompt.name(speaker), set()).add(speaker)
        return Brief(
            system,
            "\n\n".join(blocks),
            speakers=by_name,
            names=prompt.conversation.names,
        )

    def judge(
        self, conversation: Conversation, asked: Sequence[tuple[Candidate, Sequence[Fact]]]
    ) -> tuple[str, str]:
        """Return new facts, each with the known ones it may have to do with."""
        prompt = self._prompt(conversation)
        blocks = [
            prompt.wording.new_fact.format(number=n, text=quoted(candidate.text))
            + f"\n{prompt.facts(known)}"
            for n, (candidate, known) in enumerate(asked, 1)
        ]
        return prompt.wording.judging, "\n\n".join(blocks)

    def _prompt(self, conversation: Conversation) -> Prompt:
        return replace(self.prompt, conversation=self.named(conversation))
