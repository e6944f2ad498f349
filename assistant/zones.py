"""Time zones by the names people give them."""

import unicodedata
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_CITIES = {
    "台灣": "Asia/Taipei",
    "臺灣": "Asia/Taipei",
    "台北": "Asia/Taipei",
    "臺北": "Asia/Taipei",
    "日本": "Asia/Tokyo",
    "東京": "Asia/Tokyo",
    "大阪": "Asia/Tokyo",
    "首爾": "Asia/Seoul",
    "韓國": "Asia/Seoul",
    "香港": "Asia/Hong_Kong",
    "澳門": "Asia/Macau",
    "上海": "Asia/Shanghai",
    "北京": "Asia/Shanghai",
    "新加坡": "Asia/Singapore",
    "吉隆坡": "Asia/Kuala_Lumpur",
    "曼谷": "Asia/Bangkok",
    "泰國": "Asia/Bangkok",
    "河內": "Asia/Ho_Chi_Minh",
    "胡志明市": "Asia/Ho_Chi_Minh",
    "越南": "Asia/Ho_Chi_Minh",
    "馬尼拉": "Asia/Manila",
    "雅加達": "Asia/Jakarta",
    "印度": "Asia/Kolkata",
    "杜拜": "Asia/Dubai",
    "雪梨": "Australia/Sydney",
    "墨爾本": "Australia/Melbourne",
    "布里斯本": "Australia/Brisbane",
    "伯斯": "Australia/Perth",
    "奧克蘭": "Pacific/Auckland",
    "夏威夷": "Pacific/Honolulu",
    "倫敦": "Europe/London",
    "英國": "Europe/London",
    "巴黎": "Europe/Paris",
    "柏林": "Europe/Berlin",
    "德國": "Europe/Berlin",
    "羅馬": "Europe/Rome",
    "馬德里": "Europe/Madrid",
    "阿姆斯特丹": "Europe/Amsterdam",
    "蘇黎世": "Europe/Zurich",
    "維也納": "Europe/Vienna",
    "布拉格": "Europe/Prague",
    "紐約": "America/New_York",
    "波士頓": "America/New_York",
    "芝加哥": "America/Chicago",
    "休士頓": "America/Chicago",
    "丹佛": "America/Denver",
    "洛杉磯": "America/Los_Angeles",
    "舊金山": "America/Los_Angeles",
    "西雅圖": "America/Los_Angeles",
    "溫哥華": "America/Vancouver",
    "多倫多": "America/Toronto",
}

_NOWHERE = {"Factory", "localtime"}
"""Names that stand for no place; the latter is wherever the function runs."""


def zone_named(name: str) -> ZoneInfo | None:
    """Return the zone of a city, or of an IANA name, however that is written; None if unknown."""
    wanted = _plain(name)
    known = _CITIES.get(wanted) or _known().get(wanted)
    return ZoneInfo(known) if known else None


@cache
def _known() -> dict[str, str]:
    """Return every zone by its name, and by its city's where no other has that."""
    names = sorted(available_timezones() - _NOWHERE)
    cities: dict[str, list[str]] = {}
    for name in names:
        if "/" in name and not name.startswith(("Etc/", "posix/", "right/", "SystemV/", "US/")):
            cities.setdefault(_plain(name.rpartition("/")[2]), []).append(name)
    unique = {city: found[0] for city, found in cities.items() if len(found) == 1}
    return unique | {_plain(name): name for name in names}


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold().replace(" ", "_")
