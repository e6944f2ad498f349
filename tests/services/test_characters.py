"""Characters go out as the outside takes them, and are counted as it counts them."""

import pytest

from services.characters import tokens, whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("吃水餃 👨‍👩‍👧", "吃水餃 👨‍👩‍👧"),
        ("水\ud83e", "水\ufffd"),
        ("\udd5f水", "\ufffd水"),
        ("\ud83e\udd5f", "🥟"),
    ],
)
def test_half_a_character_is_replaced(text: str, expected: str) -> None:
    """
    What UTF-8 can't carry becomes a replacement character; two halves of one are that one.
    """
    assert expected == whole(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("一", 1), ("一" * 10, 7), ("一二ab", 2)],
)
def test_a_token_is_more_than_a_character_of_latin_and_less_of_chinese(
    text: str, expected: int
) -> None:
    """
    A CJK character is 0.7 of a token and any other 0.25; the sum is rounded up.
    """
    assert expected == tokens(text)


@pytest.mark.parametrize("character", ["、", "ㄅ", "か", "한", "，", "𠮷", "豈"])
def test_east_asian_characters_count_as_chinese(character: str) -> None:
    """
    Punctuation, syllables and rare characters of the script cost what its words do.
    """
    assert 7 == tokens(character * 10)
