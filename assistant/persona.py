"""Who the assistant is in a conversation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Persona:
    """A name and what else it listens to."""

    name: str
    wake_words: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it can be called by."""
        return (self.name, *self.wake_words)
