"""Logs: JSON lines for Cloud Logging, without a family's words."""

import json
import logging
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any, TextIO

log = logging.getLogger(__name__)

_ROOT = f"{Path(__file__).parent.parent}/"
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """One JSON object a line: severity, message, logger, extras.

    Only the constant part of a message is written, never its arguments, and of an exception only
    its type and our own frames: libraries put bodies, addresses and ids into both.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "severity": record.levelname,
            "message": str(record.msg),
            "logger": record.name,
        }
        line |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info and record.exc_info[1]:
            line["error"] = _chain(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


def configure() -> None:
    """Send every log line of this process to standard error, as JSON, if nobody has done so."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    warnings.showwarning = _log_warning
    # At INFO httpx2 writes the address of each request.
    logging.getLogger("httpx2").setLevel(logging.WARNING)


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Log that a library warns, and where; what it says may have values in it."""
    place = f"{Path(filename).name}:{lineno}"
    log.warning("a library warns", extra={"category": category.__name__, "place": place})


def _chain(error: BaseException | None) -> list[str]:
    """Return the types of an error and its causes, each with the places of ours it came through."""
    lines: list[str] = []
    seen: set[int] = set()
    while error and id(error) not in seen:
        seen.add(id(error))
        frames = [
            f"{frame.filename.removeprefix(_ROOT)}:{frame.lineno}"
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.startswith(_ROOT) and "site-packages" not in frame.filename
        ]
        lines.append(" ".join([f"{type(error).__module__}.{type(error).__qualname__}", *frames]))
        error = error.__cause__ or error.__context__
    return lines
