"""What is typed with a slash: understood by code, without the model."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

_NAMES: dict[str, Literal["activate"]] = {"啟用": "activate", "activate": "activate"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what followed it."""

    name: Literal["activate"]
    argument: str


def parse(text: str) -> Command | None:
    """Return the command a message is; None for a message that is none."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if not plain.startswith("/"):
        return None
    word, _, argument = plain[1:].partition(" ")
    name = _NAMES.get(word.casefold())
    return Command(name, argument.strip()) if name else None
