"""Markdown as plain text: what the model writes, as it reads well in a chat."""

import re
from collections.abc import Sequence, Set
from itertools import groupby

from markdown_it import MarkdownIt

# Only what models really write. The rest of CommonMark would eat what a family means literally:
# [小美]: 好 is no link definition, >_< no quotation, --- under a line no heading.
_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.disable(["reference", "blockquote", "lheading", "hr", "code", "html_block"])

_HEADING = re.compile(r"^\s*#{1,6}\s+(.*?)(?:\s+#+)?\s*$")
_BULLET = re.compile(r"^(\s*(?:\d+[.)]\s+)?)[-*+]\s+")
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_INLINE = re.compile(
    r"""
      \\(?P<escaped>[][*_`#.|])
    | (?P<ticks>`+)(?P<code>(?:(?!\n\n).)+?)(?P=ticks)(?!`)
    | !?\[(?P<words>[^][\n]+)\]\((?P<link>(?:[^()\s]|\([^()\s]*\))+)(?:\s"[^"\n]*")?\)
    | <(?P<address>https?://[^<>\s]+)>
    | (?P<url>https?://[^\s<>]+)
    | (?<![0-9A-Za-z*])(?P<stars>\*{2,3})(?=[^\s*])
      (?P<strong>(?:(?!\n\n|\*\*).)+)(?<=\S)(?P=stars)(?![0-9A-Za-z*])
    | (?<![\w*)])\*(?=[^\s*])(?P<emphasis>[^*\n]+)(?<=\S)\*(?![\w*(])
    """,
    re.VERBOSE | re.DOTALL,
)
"""Asterisks that multiply stand between letters or digits; those that stress do not."""


def plain(markdown: str) -> str:
    """Return Markdown without its marks; everything else stays as it was written."""
    markdown = markdown.replace("\r\n", "\n")
    lines: list[str | None] = [*markdown.split("\n")]
    verbatim: set[int] = set()
    for token in _BLOCKS.parse(markdown):
        first, end = token.map or (0, 0)
        match token.type:
            case "heading_open":
                lines[first] = _HEADING.sub(r"\1", lines[first] or "")
            case "list_item_open" if token.markup in "-*+":
                lines[first] = _BULLET.sub(r"\1・", lines[first] or "")
            case "table_open":
                rows = [_row(line or "") for line in lines[first:end]]
                lines[first:end] = [rows[0], None, *rows[2:]]
            case "fence":
                lines[first] = None
                if (lines[end - 1] or "").strip().startswith(token.markup):
                    lines[end - 1] = None
                verbatim |= set(range(first, end))
    return _joined(lines, verbatim)


def _row(line: str) -> str:
    cells = _CELL_EDGE.split(line.strip().removeprefix("|").removesuffix("|"))
    return "｜".join(cell.strip().replace("\\|", "|") for cell in cells)


def _joined(lines: Sequence[str | None], verbatim: Set[int]) -> str:
    parts = []
    for is_verbatim, numbers in groupby(range(len(lines)), key=verbatim.__contains__):
        kept = [line for line in map(lines.__getitem__, numbers) if line is not None]
        if kept:
            text = "\n".join(kept)
            parts.append(text if is_verbatim else _inline(text))
    return "\n".join(parts).strip("\n")


def _inline(text: str) -> str:
    return _INLINE.sub(_unmarked, text)


def _unmarked(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    match kind:
        case "strong" | "emphasis":
            return _inline(match[kind])
        case "link" if match["words"] != match["link"]:
            return f"{_inline(match['words'])} {match['link']}"
        case "code":
            return match[kind].strip()
    return match[kind]
