"""Dialogue: what is said to the model, and what it says and asks for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pydantic import BaseModel

Said = tuple[Literal["user", "model"], str]
"""One content of a prompt: who said it, and the words."""


class ToolError(Exception):
    """The model asked for something impossible. The message is for the model to read."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may ask for."""

    name: str
    description: str
    arguments: "type[BaseModel]"
    """What it is called with; a field's description is the model's to read, a docstring is not."""


@dataclass(frozen=True, slots=True)
class Call:
    """A function the model asks for."""

    name: str
    arguments: Mapping[str, Any]
    """As the model gave them: nobody has checked them."""
    id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said; `cut` when it ran out of tokens before it was done."""

    text: str
    cut: bool
    calls: tuple[Call, ...] = ()
    content: Any = field(default=None, compare=False, repr=False)
    """The SDK's own, to go back unchanged: it carries the model's signatures."""


@dataclass(frozen=True, slots=True)
class Step:
    """What the model asked for, and what came of each call, in order."""

    asked: Answer
    results: tuple[Mapping[str, Any], ...] = ()
    note: str = ""
    """What the model is told of an answer in which it asked for nothing."""
