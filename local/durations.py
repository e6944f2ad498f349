"""Durations as stories write them."""

import re
from datetime import timedelta
from typing import Any

_UNITS = {"": "seconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def read_duration(written: Any) -> timedelta:
    """Read 20s, 10m, 5h, 2d or a number of seconds; raise ValueError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", str(written))
    if not match:
        raise ValueError(f"{written!r} is no duration, such as 20s, 10m, 5h or 2d")
    return timedelta(**{_UNITS[match[2]]: float(match[1])})
