"""What remembering costs over a long conversation, and whether what was told is there when asked.

`python -m benchmarks.memory [--data DIR]` replays 566 exchanges as one conversation on the
production code, with 50 facts told along the way and asked for at the end; once with the default
settings, once with a board so small that facts have to be recalled. What the model says is
scripted, and the clock is moved along the dates.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.wording import wording
from benchmarks.memory_bank import FOLDER, ZONE, Exchange, Known, load, planted, questions
from local.clock import FrozenClock
from local.emulator import metered_emulator
from local.firestore import FirestoreServer
from local.stand_in_memory import filled
from local.world import World
from memory.conversation import Conversation, Turn
from services.characters import tokens
from services.settings import Settings

_GROUP = "C1"
_CALL = "@小幫手 "
_SMALL = {"BOARD_TOKENS": "600"}
"""A board that can't show all facts."""
_COMPARED = slice(450, 550)
"""The messages whose prompts are compared with the whole history."""
_LABELLED = re.compile(r"^([st]\d+) (.*(?:\n  .*)*)", re.MULTILINE)
_LINE = re.compile(r"\[(\S+) [^]]*\] (.+?)：(?:@\S+ )?(.*)")


@dataclass(slots=True)
class Model:
    """A model that answers as it is told, and digests what it is shown.

    It rewrites the summary each time, as the real one does: what leaves becomes a sentence, and of
    the old ones the two oldest become one where there are many.
    """

    facts: Sequence[Known]
    """What it takes for worth keeping."""
    answer: str = ""
    """What it says next."""

    def __call__(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer a request, as a script writes it."""
        schema = request.get("generationConfig", {}).get("responseSchema")
        if not schema:
            return {"text": self.answer}
        text = request["contents"][0]["parts"][0]["text"]
        if "verdicts" in schema["properties"]:
            return {"json": filled(schema, "", text)}
        return {"json": self._digest(_LABELLED.findall(text))}

    def _digest(self, labelled: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
        old = [{"text": text, "sources": [label]} for label, text in labelled if label[:1] == "s"]
        leaving = {label: text for label, text in labelled if label[:1] == "t"}
        told = [fact for fact in self.facts if any(fact.told in text for text in leaving.values())]
        return {
            "summary": [*_merged(old), self._sentence(leaving)],
            "operations": [_operation(fact) for fact in told],
        }

    def _sentence(self, leaving: Mapping[str, str]) -> Mapping[str, Any]:
        """Tell of what leaves, without a word of what is kept as a fact."""
        said = [found for text in leaving.values() if (found := _LINE.match(text))]
        small_talk = [one for one in said if not any(fact.told in one[3] for fact in self.facts)]
        text = "；".join(f"{one[2]}：「{one[3][:16]}」" for one in small_talk[:2])
        return {"text": f"{said[0][1] if said else ''} {text}。", "sources": list(leaving)}


_SENTENCES = 7
"""Of a summary; they have to have room in it."""


def _merged(old: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    if len(old) < _SENTENCES:
        return list(old)
    first, second, *others = old
    both = first["text"][:40] + second["text"][:30]
    return [{"text": both, "sources": first["sources"] + second["sources"]}, *others]


def _operation(fact: Known) -> Mapping[str, Any]:
    return {
        "relation": "add",
        "text": fact.text,
        "subject": fact.thing,
        "kind": "thing",
        "category": "other",
        "importance": 0.5,
        "speaker": fact.speaker,
        "evidence": fact.told,
    }


@dataclass(frozen=True, slots=True)
class Message:
    """What one message of the replay came to."""

    prompts: Mapping[str, Sequence[int]]
    """Tokens of the prompts, by what the model was asked for."""
    bill: Mapping[str, Any]
    """What Firestore bills for it."""
    document: int
    """Bytes of the conversation's document afterwards."""
    history: int
    """Tokens of a prompt with everything that had been said."""
    asks: Known | None = None
    found: bool = False
    """Whether what it asks for stood in its prompt."""

    def calls(self, *kinds: str) -> int:
        """Return how often the model was asked."""
        return sum(len(self.prompts.get(kind, ())) for kind in kinds)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    name: str
    value: float
    form: str = "{:.2f}"
    limit: float | None = None
    least: bool = False
    """Whether the limit is one from below."""

    @property
    def fails(self) -> bool:
        """Say whether the value is beyond its limit."""
        if self.limit is None:
            return False
        return self.value < self.limit if self.least else self.value > self.limit

    def __str__(self) -> str:
        limit = ""
        if self.limit is not None:
            limit = f"  {'at least' if self.least else 'at most'} {self.form.format(self.limit)}"
        mark = "  FAILS" if self.fails else ""
        return f"  {self.name:<58} {self.form.format(self.value):>10}{limit}{mark}"


class Replay:
    """A conversation, said again message by message."""

    def __init__(
        self,
        firestore: FirestoreServer,
        exchanges: Sequence[Exchange],
        facts: Sequence[Known],
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Take what is to be said, and the facts that are to be remembered of it."""
        self._exchanges = [*exchanges, *questions(facts, exchanges[-1].at)]
        people = list(dict.fromkeys(exchange.speaker for exchange in exchanges))
        self._users = {person: f"U{number}" for number, person in enumerate(people, 1)}
        self._model = Model(facts)
        self.world = World(
            FrozenClock(exchanges[0].at),
            firestore,
            settings=settings,
            names={user: person for person, user in self._users.items()},
            groups={_GROUP: list(self._users.values())},
            stand_in=self._model,
        )
        names = {user: person for person, user in self._users.items()}
        made = self.world.settings
        self._prompt = Prompt(
            Conversation(names=names), Persona(made.bot_name), wording(made.language), ZONE
        )
        self._history = tokens(self._prompt.instruction)

    def run(self) -> list[Message]:
        """Say everything; return what each message came to."""
        with self.world:
            self.world.activate(_GROUP)
            return [self._say(exchange) for exchange in self._exchanges]

    def _say(self, exchange: Exchange) -> Message:
        world = self.world
        world.pass_time(max(exchange.at, world.clock.now()))
        self._model.answer = exchange.answer
        seen = len(world.journal.lines)
        user = self._users[exchange.speaker]
        world.say(user, f"{_CALL}{exchange.text}", _GROUP, mention="self")
        lines = world.journal.lines[seen:]
        turn = Turn("m1", user, f"{_CALL}{exchange.text}", world.clock.now())
        self._history += tokens(self._prompt.line(turn))
        history = self._history
        self._history += tokens(exchange.answer)
        asked = [line for line in lines if (line.get("to"), line.get("call")) == _ASKED]
        prompts: dict[str, list[int]] = {"reply": [], "digest": []}
        for line in asked:
            form = "responseSchema" in line["body"].get("generationConfig", {})
            prompts["digest" if form else "reply"].append(line["tokens"])
        fact = exchange.asks
        return Message(
            prompts,
            bill=next(line["meter"] for line in reversed(lines) if "meter" in line),
            document=self._document_size(),
            history=history,
            asks=fact,
            found=fact is not None and fact.detail in asked[0]["prompt"],
        )

    def _document_size(self) -> int:
        document = self.world.database.document(f"conversations/{_GROUP}").get().to_dict()
        return len(json.dumps(document, ensure_ascii=False, default=str).encode())


_ASKED = ("gemini", "generate")


def rows(messages: Sequence[Message], settings: Settings, compared: slice = _COMPARED) -> list[Row]:
    """Return what a replay measures.

    Args:
        messages: All of them.
        settings: The deployment's.
        compared: Those whose prompts are compared with the whole history.
    """
    answered = [message for message in messages if message.prompts["reply"]]
    digests = sum(message.calls("digest") for message in messages)
    few, which = messages[compared], f"messages {compared.start + 1} to {compared.stop}"
    replies = sum(message.prompts["reply"][0] for message in few)
    ours = replies + sum(sum(message.prompts["digest"]) for message in few)
    prompts = [one for message in messages for kind in message.prompts.values() for one in kind]
    asked = [message for message in messages if message.asks]
    found = sum(message.found for message in asked)
    return [
        Row("messages", len(messages), "{:.0f}"),
        Row("digest calls for a message", digests / len(messages), limit=0.2),
        Row(
            "calls of the model for a message",
            sum(message.calls("reply", "digest") for message in messages) / len(messages),
        ),
        Row("largest prompt, tokens", max(prompts), "{:.0f}", limit=settings.prompt_tokens),
        Row(f"mean prompt of a reply, {which}, tokens", replies / len(few), "{:.0f}"),
        Row(
            f"all prompts / whole histories, {which}",
            ours / sum(message.history for message in few),
            "{:.3f}",
            limit=0.35,
        ),
        Row("facts asked for", len(asked), "{:.0f}"),
        Row("of them in the prompt", found / len(asked), limit=0.95, least=True),
        *(
            Row(f"{what} for an answered message, mean", mean(m.bill[what] for m in answered))
            for what in ("reads", "writes")
        ),
        *(
            Row(
                f"bytes {what} for an answered message, median",
                median(message.bill[f"bytes_{what}"] for message in answered),
                "{:.0f}",
            )
            for what in ("read", "written")
        ),
        Row("document, median, bytes", median(m.document for m in messages), "{:.0f}"),
        Row("document, largest, bytes", max(m.document for m in messages), "{:.0f}", 200_000),
    ]


def main() -> int:
    """Replay twice; return 1 if a limit does not hold with the default settings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--data", type=Path, default=FOLDER, help="MemoryBank's folder")
    which, exchanges = load(parser.parse_args().data)
    told, facts = planted(exchanges)
    print(f"Exchanges: {which}; facts told along the way: {len(facts)}.")
    fails = False
    with metered_emulator() as firestore:
        for settings in ({}, _SMALL):
            replay = Replay(firestore, told, facts, settings)
            table = rows(replay.run(), replay.world.settings)
            about = "BOARD_TOKENS=600: recalled by the local embedder's vectors, and by words"
            print(f"\n{about if settings else 'Default settings'}")
            print(*table, sep="\n", flush=True)
            fails |= not settings and any(row.fails for row in table)
    return int(fails)


if __name__ == "__main__":
    sys.exit(main())
