"""Characters as the outside takes them."""


def whole(text: str) -> str:
    """Replace halves of characters, which JSON can carry and UTF-8 cannot."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
