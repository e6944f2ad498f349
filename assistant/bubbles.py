"""From what the model wrote to what LINE shows: plain text, in bubbles."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import regex
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

BUBBLE = 5000
"""UTF-16 code units in one text message (Messaging API reference, text message)."""
BUBBLES = 5
"""Message objects in one call (Messaging API reference, send reply message)."""

_MARKDOWN = MarkdownIt("commonmark").enable("table").disable(["html_block", "html_inline"])
_MISSED_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.DOTALL)
"""CommonMark sees no emphasis where its end stands between Chinese punctuation and a character."""
_ENDS = ("\n\n", "\n", "。", "！", "？", ". ", " ")


def bubbles(markdown: str, *, cut_note: str, limit: int = BUBBLE, most: int = BUBBLES) -> list[str]:
    """Return a model's words as LINE messages: plain, within the limits, the rest said to be cut.

    Args:
        markdown: What the model wrote.
        cut_note: What the last bubble ends with when there was more.
        limit: UTF-16 code units in a bubble.
        most: Bubbles.
    """
    parts = [part for part in split(plain(markdown), limit) if part.strip()]
    if len(parts) <= most:
        return parts
    last = next(split(parts[most - 1], limit - units(cut_note)))
    return [*parts[: most - 1], last + cut_note]


def units(text: str) -> int:
    """Return a text's length in UTF-16 code units, as LINE counts it."""
    return len(text.encode("utf-16-le")) // 2


def split(text: str, limit: int) -> Iterator[str]:
    """Split a text into parts of at most so many UTF-16 units, which joined are the text.

    No grapheme cluster is cut, unless one alone is longer than a part. Where a paragraph, line or
    sentence ends in the second half of a part, the part ends there.
    """
    part, size = "", 0
    for cluster in _clusters(text, limit):
        if size + units(cluster) > limit:
            ended = _well_ended(part)
            yield ended
            part = part[len(ended) :]
            size = units(part)
        part += cluster
        size += units(cluster)
    if part:
        yield part


def plain(markdown: str) -> str:
    """Return Markdown as plain text that reads well in a chat."""
    return _blocks(SyntaxTreeNode(_MARKDOWN.parse(markdown)).children)


def _clusters(text: str, limit: int) -> Iterator[str]:
    for cluster in regex.findall(r"\X", text):
        if units(cluster) <= limit:
            yield cluster
        else:
            yield from cluster


def _well_ended(part: str) -> str:
    for end in _ENDS:
        at = part.rfind(end, len(part) // 2)
        if at >= 0:
            return part[: at + len(end)]
    return part


def _blocks(nodes: Sequence[SyntaxTreeNode]) -> str:
    """Return blocks one under the other, with the blank lines the model left between them."""
    if not nodes:
        return ""
    texts = [_block(nodes[0])]
    for before, node in pairwise(nodes):
        touching = node.map and _end(before) >= node.map[0]
        texts += ["\n" if touching else "\n\n", _block(node)]
    return "".join(texts)


def _end(node: SyntaxTreeNode) -> int:
    """Return the line after a block; a list's own map counts the blank lines behind it too."""
    if node.children and node.children[-1].map:
        return _end(node.children[-1])
    return node.map[1] if node.map else 0


def _block(node: SyntaxTreeNode) -> str:
    match node.type:
        case "bullet_list":
            return "\n".join("・" + _item(item) for item in node.children)
        case "ordered_list":
            first = int(node.attrs.get("start", 1))
            return "\n".join(f"{n}. {_item(item)}" for n, item in enumerate(node.children, first))
        case "table":
            rows = [row for part in node.children for row in part.children]
            return "\n".join("｜".join(_blocks(cell.children) for cell in r.children) for r in rows)
        case "fence" | "code_block":
            return node.content.rstrip("\n")
        case "inline":
            return _inline(node)
        case "hr":
            return "———"
    return _blocks(node.children)


def _item(node: SyntaxTreeNode) -> str:
    return _blocks(node.children).replace("\n", "\n　")


def _inline(node: SyntaxTreeNode) -> str:
    match node.type:
        case "softbreak" | "hardbreak":
            return "\n"
        case "link":
            words, url = _inlines(node), str(node.attrs["href"])
            return url if words == url else f"{words} {url}"
        case "image":
            return node.content
        case "em" if _is_arithmetic(node):
            return f"*{_inlines(node)}*"
    return _inlines(node) if node.children else node.content


def _inlines(node: SyntaxTreeNode) -> str:
    return _MISSED_STRONG.sub(r"\1", "".join(map(_inline, node.children)))


def _is_arithmetic(node: SyntaxTreeNode) -> bool:
    """Say whether these asterisks multiply, as in 2*3*4."""
    before, after = node.previous_sibling, node.next_sibling
    if not (before and after):
        return False
    return before.content[-1:].isdigit() and after.content[:1].isdigit()
