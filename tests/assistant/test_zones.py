"""Time zones by the names people give them."""

import pytest

from assistant.zones import zone_named

NAMED = [
    ("台灣", "Asia/Taipei"),
    ("臺北", "Asia/Taipei"),
    (" 東京 ", "Asia/Tokyo"),
    ("舊金山", "America/Los_Angeles"),
    ("胡志明市", "Asia/Ho_Chi_Minh"),
    ("Asia/Tokyo", "Asia/Tokyo"),
    ("asia/tokyo", "Asia/Tokyo"),
    ("Ａｓｉａ／Ｔｏｋｙｏ", "Asia/Tokyo"),
    ("Tokyo", "Asia/Tokyo"),
    ("los angeles", "America/Los_Angeles"),
    ("America/New York", "America/New_York"),
    ("NEW YORK", "America/New_York"),
    ("UTC", "UTC"),
    ("Japan", "Japan"),
]
UNKNOWN = [
    "",
    " ",
    "亞特蘭提斯",
    "Atlantis",
    "Asia",
    "Asia/",
    "../../etc/passwd",
    "/etc/localtime",
    "localtime",
    "Factory",
    "posixrules",
    "UTC+8",
    "\0",
    "東京\n台北",
]


@pytest.mark.parametrize(("name", "zone"), NAMED)
def test_a_zone_is_known_by_many_names(name, zone):
    """
    Cities in Chinese and English, and IANA names, however they are written.
    """
    assert zone == zone_named(name).key


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_no_place_has_no_zone(name):
    """
    A name that stands for no place, or for wherever the function runs, is unknown.
    """
    assert zone_named(name) is None
