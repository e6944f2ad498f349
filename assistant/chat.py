"""The LINE chat an event came from: what is said into it, and who is in it."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime

from services.errors import Refused, Unavailable
from services.wiring import Services

_AT_ONCE = 8
"""Profiles asked for side by side."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat, for as long as one of its events is answered.

    LINE's SDK is loaded when it is first needed, and not before.
    """

    id: str
    in_group: bool
    reply_token: str
    """The event's; good once, for about a minute from `at`."""
    at: datetime
    services: Services

    def send(self, texts: Sequence[str], retry_key: str) -> list[str]:
        """Say something once, whatever it takes; return LINE's message ids, as far as it told."""
        return self.services.line.deliver(
            texts,
            chat_id=self.id,
            reply_token=self.reply_token,
            said_at=self.at,
            retry_key=retry_key,
        )

    def reply(self, text: str) -> None:
        """Say something if it is free: no push is spent on strangers."""
        with suppress(Refused):
            self.services.line.reply(self.reply_token, [text])

    def ask_names(self, users: Iterable[str]) -> dict[str, str]:
        """Return display names by user id: empty where LINE has none, absent if it did not say."""
        asked = list(users)
        if not asked:
            return {}
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            names = list(threads.map(self._ask_name, asked))
        return {user: name for user, name in zip(asked, names, strict=True) if name is not None}

    @contextmanager
    def loading_shown(self) -> Iterator[None]:
        """Show in a one-to-one chat that we have heard, while something else is waited for."""
        if self.in_group:
            yield
            return
        over = threading.Event()
        with ThreadPoolExecutor(1) as thread:
            thread.submit(self._show_loading, over)
            try:
                yield
            finally:
                # The animation ends when a message arrives: begun after it, it would only puzzle.
                over.set()

    def _show_loading(self, over: threading.Event) -> None:
        line = self.services.line
        if not over.is_set():
            with suppress(Refused, Unavailable):
                line.show_loading(self.id)

    def _ask_name(self, user_id: str) -> str | None:
        try:
            return self.services.line.display_name(self.id, user_id)
        except Refused:
            return ""
        except Unavailable:
            return None
