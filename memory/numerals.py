"""Chinese numerals: 三千五 is 3500."""

import regex

_NUMERALS = dict(zip("零〇一二兩三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_SCALES = {"十": 10, "百": 100, "千": 1000, "萬": 10000}
NUMERAL = f"[{''.join((*_NUMERALS, *_SCALES))}]"
"""The pattern of a letter that numerals are written with."""


def arabic(text: str) -> str:
    """Return a plain text with its Chinese numerals as numbers, those in 「一起」 as well."""
    return str(regex.sub(f"{NUMERAL}{{1,16}}", lambda numeral: str(value(numeral[0])), text))


def value(numeral: str) -> int:
    """Return the number that a numeral is: 一〇二 and 一百零二 are 102, and 一萬二 is 12000."""
    if not _SCALES.keys() & set(numeral):
        return int("".join(str(_NUMERALS[letter]) for letter in numeral))
    total = section = digit = 0
    for letter in numeral:
        scale = _SCALES.get(letter, 0)
        if scale == _SCALES["萬"]:
            total, section = (total + section + digit or 1) * scale, 0
        elif scale:
            section += (digit or 1) * scale
        digit = 0 if scale else _NUMERALS[letter]
    # 三千五 is 3500, 三千零五 3005.
    return total + section + digit * max(1, _SCALES.get(numeral[-2:-1], 0) // 10)
