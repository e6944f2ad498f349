"""The log, as Cloud Logging would get it."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from services.logs import JsonFormatter


class LogLines(logging.Handler):
    """Keeps what is logged in this process, and in one other, from `with` to its end."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[dict[str, Any]] = []
        self._file: Path | None = None
        self.setFormatter(JsonFormatter())

    def __enter__(self) -> Self:
        logging.getLogger().addHandler(self)
        logging.getLogger().setLevel(logging.INFO)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines so far."""
        return [*self._lines, *self._from_file()]

    def also_from(self, file: Path) -> Path:
        """Keep what another process writes to a file as well."""
        self._file = file
        return file

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        self._lines.append(json.loads(self.format(record)))

    def _from_file(self) -> Iterator[dict[str, Any]]:
        if not self._file or not self._file.exists():
            return
        for line in self._file.read_text().splitlines():
            # Beside ours there are the server's own, which are no JSON.
            if line.startswith("{"):
                yield json.loads(line)
