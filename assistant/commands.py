"""What is typed with a slash: understood by code, without the model."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

_FORM = re.compile(r"/(\S+)\s*(.*)", re.DOTALL)
_NAMES: dict[str, Literal["activate"]] = {"啟用": "activate", "activate": "activate"}


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what followed it."""

    name: Literal["activate"]
    argument: str


def parse(text: str) -> Command | None:
    """Return the command a message is; None for a message that is none."""
    form = _FORM.fullmatch(unicodedata.normalize("NFKC", text).strip())
    name = _NAMES.get(form[1].casefold()) if form else None
    return Command(name, form[2]) if form and name else None
