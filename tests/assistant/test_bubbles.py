"""What LINE shows of a long text: within its limits, and whole signs."""

from itertools import accumulate

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.bubbles import bubbles, split, units

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
"""One sign of four people: 11 units."""
TAIWAN = "🇹🇼"
"""One flag of two letters: 4 units."""
CUT = "\n（太長了，後面先省略。）"

SIGNS = [
    *"ab 。！？.\n\r家",
    "🎉",
    "👍🏽",
    FAMILY,
    TAIWAN,
    "❤\ufe0f",
    "\u0301",
    "\u200d",
    "e\u0301\u0308",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(SIGNS), max_size=60).map("".join))


def inner_cuts(text: str, parts: list[str], limit: int) -> list[str]:
    """Return the grapheme clusters that could have stayed whole and were cut."""
    cuts = set(accumulate(map(len, parts)))
    return [
        cluster[0]
        for cluster in regex.finditer(r"\X", text)
        if units(cluster[0]) <= limit and cuts & set(range(cluster.start() + 1, cluster.end()))
    ]


@pytest.mark.parametrize(
    ("expected", "text"),
    [(0, ""), (3, "abc"), (2, "你好"), (2, "🎉"), (4, TAIWAN), (11, FAMILY), (2, "e\u0301")],
)
def test_length_is_counted_as_line_counts_it(expected: int, text: str) -> None:
    """A sign outside the basic plane is two units, and a joined one the sum of its parts."""
    assert expected == units(text)


def test_no_emoji_is_cut_at_the_limit_of_a_message() -> None:
    """Where an emoji would be cut by the limit, the part ends one unit before it."""
    text = "x" + "🎉" * 2500

    parts = list(split(text, 5000))

    assert ["x" + "🎉" * 2499, "🎉"] == parts
    assert [4999, 2] == list(map(units, parts))


@pytest.mark.parametrize(
    ("expected", "text", "limit"),
    [
        ([FAMILY, FAMILY], FAMILY * 2, 21),
        ([FAMILY * 2], FAMILY * 2, 22),
        (["x" + TAIWAN * 2, TAIWAN], "x" + TAIWAN * 3, 12),
        (["abcd", "e\u0301"], "abcde\u0301", 5),
        (["abcd", "e\u0301\u0308\u0327"], "abcde\u0301\u0308\u0327", 6),
        (["好👍🏽", "👍🏽"], "好👍🏽👍🏽", 8),
        (["好", "❤\ufe0f"], "好❤\ufe0f", 2),
        (["ab", "\r\nc"], "ab\r\nc", 3),
        (["\u1112\u1161", "\u1100\u116e"], "\u1112\u1161\u1100\u116e", 3),
    ],
    ids=["family", "families", "flags", "accent", "accents", "skin", "heart", "newline", "hangul"],
)
def test_no_grapheme_is_cut(expected: list[str], text: str, limit: int) -> None:
    """What a reader sees as one sign stays in one part."""
    assert expected == list(split(text, limit))


@pytest.mark.parametrize(
    ("expected", "text", "limit"),
    [
        (["👨\u200d👩\u200d", "👧\u200d👦"], FAMILY, 6),
        (["ab👨\u200d", "👩\u200d👧\u200d", "👦c"], f"ab{FAMILY}c", 6),
        (["e\u0301\u0301", "\u0301\u0301\u0301", "\u0301x"], "e" + "\u0301" * 6 + "x", 3),
    ],
    ids=["alone", "in a text", "accents"],
)
def test_a_grapheme_longer_than_a_part_is_cut(expected: list[str], text: str, limit: int) -> None:
    """Of what can't be whole in any part, as much as fits stands in each, and nothing is lost."""
    assert expected == list(split(text, limit))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["aaaa aaaaa\n\n", "bb\nb。bb bbbb"], "aaaa aaaaa\n\nbb\nb。bb bbbb"),
        (["aaaaaaaaaa\n", "bb。b！bbbbbb"], "aaaaaaaaaa\nbb。b！bbbbbb"),
        (["aaaaaaaaaa。", "bb！b？bbbbbb"], "aaaaaaaaaa。bb！b？bbbbbb"),
        (["aaaaaaaaaa！", "bb？b. bbbbb"], "aaaaaaaaaa！bb？b. bbbbb"),
        (["aaaaaaaaaa？", "bb. b bbbbbb"], "aaaaaaaaaa？bb. b bbbbbb"),
        (["aaaaaaaaaa. ", "bb b bbbbbbb"], "aaaaaaaaaa. bb b bbbbbbb"),
        (["aaaaaaaaaa b ", "bbbbbbbbbbbb"], "aaaaaaaaaa b bbbbbbbbbbbb"),
        (["aaaaaaa。bbb。", "cccccccccc"], "aaaaaaa。bbb。cccccccccc"),
        (["「aaaaaaa。bbb。」", "cccccccccc"], "「aaaaaaa。bbb。」cccccccccc"),
    ],
    ids=["paragraph", "line", "。", "！", "？", ". ", " ", "the last of its kind", "。」"],
)
def test_a_part_ends_where_the_text_takes_a_breath(expected: list[str], text: str) -> None:
    """A part ends with a paragraph, else with a line, a sentence, a blank, in this order."""
    assert expected == list(split(text, 19))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["aaaaa。bbbbbb", "bbbbbbbbb"], "aaaaa。bbbbbbbbbbbbbbb"),
        (["aaaaaa。", "bbbbbbbbbb"], "aaaaaa。bbbbbbbbbb"),
        (["aaaaaa。", "bbbbbccccccc", "ccc"], "aaaaaa。bbbbbcccccccccc"),
        (["aaaaaaaaaaaa", "aaaa"], "a" * 16),
        (["aaaaa\nbbbbb\n", "cc"], "aaaaa\nbbbbb\ncc"),
    ],
    ids=["first half", "second half", "and the rest", "nowhere", "full"],
)
def test_a_part_is_at_least_half_full(expected: list[str], text: str) -> None:
    """A breath in the first half of a part is too early: the part is filled instead."""
    assert expected == list(split(text, 12))


@pytest.mark.parametrize(
    ("expected", "text"), [([], ""), (["a"], "a"), (["abcde"], "abcde"), (["🎉🎉a"], "🎉🎉a")]
)
def test_what_fits_is_one_part(expected: list[str], text: str) -> None:
    """A text no longer than a part is left alone, and of nothing there are no parts."""
    assert expected == list(split(text, 5))


@settings(deadline=None)
@given(TEXTS, st.integers(2, 60))
def test_parts_make_up_the_text(text: str, limit: int) -> None:
    """Whatever the text, its parts joined are the text, and none of them is empty."""
    parts = list(split(text, limit))

    assert (text, True) == ("".join(parts), all(parts))


@settings(deadline=None)
@given(TEXTS, st.integers(2, 60))
@example(f"aaa 🎉🎉🎉{FAMILY}b", 11)
def test_parts_are_within_the_limit(text: str, limit: int) -> None:
    """Whatever the text, none of its parts is longer than LINE takes."""
    assert [] == [part for part in split(text, limit) if units(part) > limit]


@settings(deadline=None)
@given(TEXTS, st.integers(2, 60))
@example("aaaaaaaa \u0301bbbb", 10)
@example("家家家家家。\u0301家家家", 7)
def test_parts_end_between_graphemes(text: str, limit: int) -> None:
    """Whatever the text, no sign that fits into a part is cut."""
    assert [] == inner_cuts(text, list(split(text, limit)), limit)


@settings(deadline=None)
@given(TEXTS, st.integers(20, 60), st.integers(1, 5))
def test_bubbles_are_within_lines_limits(text: str, limit: int, most: int) -> None:
    """Whatever a model writes, LINE takes it: not too many, not too long, none of them blank."""
    shown = bubbles(text, cut_note=CUT, limit=limit, most=most)

    assert len(shown) <= most
    assert [] == [bubble for bubble in shown if units(bubble) > limit or not bubble.strip()]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "　\n \t\n"])
def test_nothing_to_show_is_no_bubble(text: str) -> None:
    """Where no word is left to be read, there is no message to send."""
    assert [] == bubbles(text, cut_note=CUT)


def test_five_bubbles_are_shown_whole() -> None:
    """What fits into the bubbles of one call is not cut, and nothing is said of cutting."""
    assert ["家" * 5000] * 5 == bubbles("家" * 25000, cut_note=CUT)


def test_what_is_more_than_five_bubbles_is_said_to_be_cut() -> None:
    """The last of five bubbles makes room for saying that there was more, within the limit."""
    shown = bubbles("家" * 25001, cut_note=CUT)

    assert ["家" * 5000] * 4 + ["家" * (5000 - units(CUT)) + CUT] == shown
    assert [5000] * 5 == list(map(units, shown))


@pytest.mark.parametrize(
    ("expected", "text", "most"),
    [
        (["aaaaaaaaaa", "bbbbbbb …"], "aaaaaaaaaabbbbbbb cccccc", 2),
        (["aaaaaaaaa…"], "a" * 11, 1),
        (["x🎉🎉🎉🎉…"], "x" + "🎉" * 9, 1),
        (["aaaaaa …"], "aaaaaa bbbb", 1),
    ],
    ids=["short", "full", "emoji", "blank"],
)
def test_the_note_stands_behind_whole_signs_and_words(
    expected: list[str], text: str, most: int
) -> None:
    """Making room for the note cuts no sign, and ends where the text takes a breath."""
    assert expected == bubbles(text, cut_note="…", limit=10, most=most)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["aaaaaaaaaa", "\nbbb"], f"{'a' * 10}{' ' * 20}\nbbb"),
        (["aaaaaaaaaa", "b"], f"{'a' * 10}{' ' * 10}b"),
    ],
)
def test_a_bubble_of_blanks_is_not_shown(expected: list[str], text: str) -> None:
    """A part without a word in it is left out: LINE would refuse it, nobody would miss it."""
    assert expected == bubbles(text, cut_note=CUT, limit=10)


def test_blank_parts_do_not_count_as_bubbles() -> None:
    """What is left out does not push anything over the number of bubbles."""
    text = f"{'a' * 10}{' ' * 20}bbbbbbbbbb"

    assert ["a" * 10, "b" * 10] == bubbles(text, cut_note=CUT, limit=10, most=2)
