"""Who the assistant is, and how it thinks."""
