"""Is this said to the assistant, or among the family?"""

import unicodedata

import regex

from assistant.persona import Persona

_LETTER = r"[\p{Lu}\p{Ll}\p{Lt}\p{Nd}]"
"""What words of letters are made of; Chinese has no words that go on."""


def calls(text: str, persona: Persona) -> bool:
    """Say whether a text calls the assistant: by @name anywhere, or by a name at its start.

    Some clients type the @ without marking a mention, and phones in Taiwan type it full-width.
    """
    plain = _plain(text)
    return any(
        regex.search(rf"(?<!{_LETTER})@{name}|^\s*{name}", plain)
        for name in map(_whole_word, map(_plain, persona.names))
    )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _whole_word(name: str) -> str:
    """Return the pattern of a name. "Amy" is not called by "Amyloid", but is by 「Amy幫我」."""
    return rf"{regex.escape(name)}(?:(?<!{_LETTER})|(?!{_LETTER}))"
