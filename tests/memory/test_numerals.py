"""Chinese numerals, and the numbers they are."""

import pytest

from memory.numerals import arabic, value


@pytest.mark.parametrize(
    ("expected", "numeral"),
    [
        (0, "零"),
        (2, "兩"),
        (10, "十"),
        (12, "十二"),
        (20, "二十"),
        (102, "一〇二"),
        (102, "一百零二"),
        (120, "一百二"),
        (3500, "三千五"),
        (3005, "三千零五"),
        (12000, "一萬二"),
        (10000, "萬"),
        (1205000, "一百二十萬五千"),
    ],
)
def test_a_numeral_is_a_number(expected: int, numeral: str) -> None:
    """
    Digit by digit or with scales, and the last scale may go without saying.
    """
    assert expected == value(numeral)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("我生日3月5日", "我生日三月五日"),
        ("1起去", "一起去"),
        ("住3樓", "住3樓"),
        ("愛喝茶", "愛喝茶"),
    ],
)
def test_numerals_become_arabic(expected: str, text: str) -> None:
    """
    Each stretch of numerals becomes its number, and all else stays.
    """
    assert expected == arabic(text)
