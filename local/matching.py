"""What a story expects, held against what came."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from local.journal import Line


def _words(came: Any) -> str:
    return "\n".join(map(str, came)) if isinstance(came, list) else str(came)


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "contains": lambda came, wanted: str(wanted) in _words(came),
    "lacks": lambda came, wanted: str(wanted) not in _words(came),
    "regex": lambda came, wanted: re.search(wanted, _words(came)) is not None,
    "any": lambda came, wanted: any(matches(one, came) for one in wanted),
    "below": lambda came, wanted: came < wanted,
    "above": lambda came, wanted: came > wanted,
}


def matches(wanted: Any, came: Any) -> bool:
    """Say whether a value is what was wanted.

    Scalars are equal; of mappings the wanted keys; lists element by element. A mapping of operators
    (contains, lacks, regex, any, below, above) stands for a value that passes them all.
    """
    if isinstance(wanted, Mapping):
        if _is_operators(wanted):
            return all(_OPERATORS[name](came, value) for name, value in wanted.items())
        if not isinstance(came, Mapping):
            return False
        return all(key in came and matches(value, came[key]) for key, value in wanted.items())
    if isinstance(wanted, list):
        if not isinstance(came, list) or len(wanted) != len(came):
            return False
        return all(map(matches, wanted, came))
    return bool(wanted == came)


def missing(wanted: Any, lines: Sequence[Line]) -> str:
    """Return what an `expect` wants and the lines don't have, in words; empty if nothing.

    A mapping: at least one line matches, or with `count` exactly so many. A list: these lines in
    this order, with others between.
    """
    if isinstance(wanted, list):
        return _missing_in_order(wanted, lines)
    count = wanted.get("count")
    line = {key: value for key, value in wanted.items() if key != "count"}
    found = sum(matches(line, came) for came in lines)
    if count is None:
        return "" if found else "no line matches"
    return "" if found == count else f"{found} lines match, not {count}"


def _missing_in_order(wanted: Sequence[Any], lines: Sequence[Line]) -> str:
    rest = iter(lines)
    for number, line in enumerate(wanted, 1):
        if not any(matches(line, came) for came in rest):
            return f"no line matches number {number} of the list, behind those before it"
    return ""


def nearest(wanted: Any, lines: Sequence[Line]) -> str:
    """Return what keeps the nearest line from matching; empty where none is near.

    Of a list of wanted lines, the first one that is missing is looked at.
    """
    if isinstance(wanted, list):
        wanted = next((one for one in wanted if missing(one, lines)), wanted[-1])
    line = {key: value for key, value in wanted.items() if key != "count"}
    differing = [(list(_differences(line, came)), came) for came in lines]
    told = [(found, came) for found, came in differing if found and len(found) < len(line)]
    if not told:
        return ""
    found, came = min(told, key=lambda pair: len(pair[0]))
    return "\n".join([f"nearest is line {came['n']}, but", *(f"  {one}" for one in found)])


def _differences(wanted: Any, came: Any, path: str = "") -> Iterator[str]:
    if isinstance(wanted, Mapping) and isinstance(came, Mapping) and not _is_operators(wanted):
        for key, value in wanted.items():
            where = f"{path}.{key}" if path else str(key)
            if key not in came:
                yield f"{where}: wanted {value!r}, and there is none"
            else:
                yield from _differences(value, came[key], where)
    elif not matches(wanted, came):
        yield f"{path}: wanted {wanted!r}, came {came!r}"


def _is_operators(wanted: Mapping[str, Any]) -> bool:
    return bool(wanted) and set(wanted) <= set(_OPERATORS)
