"""What is typed with a slash: understood by code, without the model."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from assistant.persona import Persona

Name = Literal[
    "activate",
    "memory",
    "forget",
    "change",
    "forget_me",
    "reminders",
    "cancel",
    "usage",
    "zone",
    "export",
    "delete_all",
    "help",
]

_FORM = re.compile(r"([^/／]*)[/／](\S+)\s*(.*)", re.DOTALL)
_NAMES: dict[str, Name] = {
    "啟用": "activate",
    "activate": "activate",
    "記憶": "memory",
    "memory": "memory",
    "忘記": "forget",
    "forget": "forget",
    "改": "change",
    "change": "change",
    "忘記我": "forget_me",
    "forgetme": "forget_me",
    "匯出": "export",
    "export": "export",
    "全部刪除": "delete_all",
    "deleteall": "delete_all",
    "提醒": "reminders",
    "reminders": "reminders",
    "取消": "cancel",
    "cancel": "cancel",
    "用量": "usage",
    "usage": "usage",
    "時區": "zone",
    "timezone": "zone",
    "說明": "help",
    "help": "help",
}


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what followed it."""

    name: Name
    argument: str = ""

    @property
    def numbers(self) -> list[int]:
        """The numbers in it, as in #12, each once."""
        found = re.findall(r"(?<!\d)\d{1,9}(?!\d)", self.argument)
        return list(dict.fromkeys(map(int, found)))


def parse(text: str, persona: Persona) -> Command | None:
    """Return the command a message is; None for a message that is none.

    The assistant may be called before it, as one does in a group.
    """
    form = _FORM.fullmatch(text.strip())
    if not form or not _calls(_plain(form[1]).strip(), persona):
        return None
    name = _NAMES.get(_plain(form[2]))
    return Command(name, form[3].strip()) if name else None


def _calls(before: str, persona: Persona) -> bool:
    """Say whether what stands before a command is nothing, or a name of the assistant's."""
    names = "|".join(re.escape(_plain(name)) for name in persona.names)
    return re.fullmatch(rf"(?:@?(?:{names})[\s,:]*)?", before) is not None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
