"""What LINE shows of a model's words: within its limits, whole signs, no marks of Markdown."""

from itertools import accumulate

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.bubbles import bubbles, plain, split, units

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
    ],
    ids=["paragraph", "line", "。", "！", "？", ". ", " ", "the last of its kind"],
)
def test_a_part_ends_where_the_text_takes_a_breath(expected: list[str], text: str) -> None:
    """A part ends with a paragraph, else with a line, a sentence, a blank, in this order."""
    assert expected == list(split(text, 19))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (["aaaaa。bbbbbb", "bbbbbbbbb"], "aaaaa。bbbbbbbbbbbbbbb"),
        (["aaaaaa。", "bbbbbbbbbb"], "aaaaaa。bbbbbbbbbb"),
        (["aaaaaaaaaaaa", "aaaa"], "a" * 16),
        (["aaaaa\nbbbbb\n", "cc"], "aaaaa\nbbbbb\ncc"),
    ],
    ids=["first half", "second half", "nowhere", "full"],
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
def test_bubbles_are_within_lines_limits(markdown: str, limit: int, most: int) -> None:
    """Whatever a model writes, LINE takes it: not too many, not too long, none of them blank."""
    shown = bubbles(markdown, cut_note=CUT, limit=limit, most=most)

    assert len(shown) <= most
    assert [] == [bubble for bubble in shown if units(bubble) > limit or not bubble.strip()]


@pytest.mark.parametrize("markdown", ["", " ", "\n\n", "　\n \t\n", "#", "![](https://a.tw/c.png)"])
def test_nothing_to_show_is_no_bubble(markdown: str) -> None:
    """Where no word is left to be read, there is no message to send."""
    assert [] == bubbles(markdown, cut_note=CUT)


def test_bubbles_are_plain() -> None:
    """A bubble is what is left of the Markdown, as one message where one is enough."""
    assert ["採買清單\n・牛奶\n・蛋"] == bubbles("## **採買清單**\n- 牛奶\n- 蛋", cut_note=CUT)


def test_five_bubbles_are_shown_whole() -> None:
    """What fits into the bubbles of one call is not cut, and nothing is said of cutting."""
    assert ["家" * 5000] * 5 == bubbles("家" * 25000, cut_note=CUT)


def test_what_is_more_than_five_bubbles_is_said_to_be_cut() -> None:
    """The last of five bubbles makes room for saying that there was more, within the limit."""
    shown = bubbles("家" * 25001, cut_note=CUT)

    assert ["家" * 5000] * 4 + ["家" * (5000 - units(CUT)) + CUT] == shown
    assert [5000] * 5 == list(map(units, shown))


@pytest.mark.parametrize(
    ("expected", "markdown", "most"),
    [
        (["aaaaaaaaaa", "bbbbbbb …"], "aaaaaaaaaabbbbbbb cccccc", 2),
        (["aaaaaaaaa…"], "a" * 11, 1),
        (["x🎉🎉🎉🎉…"], "x" + "🎉" * 9, 1),
        (["aaaaaa …"], "aaaaaa bbbb", 1),
    ],
    ids=["short", "full", "emoji", "blank"],
)
def test_the_note_stands_behind_whole_signs_and_words(
    expected: list[str], markdown: str, most: int
) -> None:
    """Making room for the note cuts no sign, and ends where the text takes a breath."""
    assert expected == bubbles(markdown, cut_note="…", limit=10, most=most)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        (["aaaaaaaaaa", "\nbbb"], f"```\n{'a' * 10}{' ' * 20}\nbbb\n```"),
        (["aaaaaaaaaa", "b"], f"```\n{'a' * 10}{' ' * 10}b\n```"),
    ],
)
def test_a_bubble_of_blanks_is_not_shown(expected: list[str], markdown: str) -> None:
    """A part without a word in it is left out: LINE would refuse it, nobody would miss it."""
    assert expected == bubbles(markdown, cut_note=CUT, limit=10)


def test_blank_parts_do_not_count_as_bubbles() -> None:
    """What is left out does not push anything over the number of bubbles."""
    markdown = f"```\n{'a' * 10}{' ' * 20}bbbbbbbbbb\n```"

    assert ["a" * 10, "b" * 10] == bubbles(markdown, cut_note=CUT, limit=10, most=2)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("重點：內容", "**重點：**內容"),
        ("前面「重點」後面", "前面**「重點」**後面"),
        ("「重點」內容", "「**重點**」內容"),
        ("甲：一、乙：二", "**甲：**一、**乙：**二"),
        ("說明：內容", "# **說明：**內容"),
        ("・說明：內容", "- **說明：**內容"),
        ("跨\n行：後", "**跨\n行：**後"),
        ("粗 斜 粗斜 粗 斜", "**粗** *斜* ***粗斜*** __粗__ _斜_"),
        ("3個", "**3**個"),
        ("真（的）好", "真**（的）**好"),
    ],
)
def test_emphasis_leaves_only_its_words(expected: str, markdown: str) -> None:
    """No asterisk is left of bold or italics, not even next to Chinese punctuation."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("標題", "# 標題"),
        ("標題", "###### 標題 ##"),
        ("標題\n內文", "# 標題\n內文"),
        ("標題\n\n內文", "# 標題\n\n內文"),
        ("前\n標題\n後", "前\n## 標題\n後"),
        ("標題\n內文", "標題\n---\n內文"),
        ("標題\n\n內文", "標題\n===\n\n內文"),
        ("#家庭 日", "#家庭 日"),
    ],
)
def test_a_heading_is_a_line(expected: str, markdown: str) -> None:
    """A heading keeps its words and the distance to what follows, and loses its marks."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("・甲\n・乙", "- 甲\n- 乙"),
        ("・甲\n・乙", "* 甲\n* 乙"),
        ("・甲\n・乙", "+ 甲\n\n+ 乙"),
        ("・甲\n　・乙\n　　・丙\n・丁", "- 甲\n  - 乙\n    - 丙\n- 丁"),
        ("1. 甲\n2. 乙", "1. 甲\n2. 乙"),
        ("1. 甲\n2. 乙", "1. 甲\n1. 乙"),
        ("3. 甲\n4. 乙", "3. 甲\n4. 乙"),
        ("0. 甲\n1. 乙", "0. 甲\n1. 乙"),
        ("9. 甲\n10. 乙", "9) 甲\n10) 乙"),
        ("1. 甲\n　・乙\n　・丙\n2. 丁", "1. 甲\n   - 乙\n   - 丙\n2. 丁"),
        ("・甲\n　1. 乙\n　2. 丙", "- 甲\n  1. 乙\n  2. 丙"),
        ("・甲\n　第二行", "- 甲\n  第二行"),
        ("・[ ] 甲\n・[x] 乙", "- [ ] 甲\n- [x] 乙"),
        ("2026. 12. 1", "2026. 12. 1"),
    ],
)
def test_a_list_keeps_its_order_and_depth(expected: str, markdown: str) -> None:
    """Items have a dot or their number, and stand one step further in than what they belong to."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("日｜事\n一｜買菜\n二｜", "| 日 | 事 |\n|---|---|\n| 一 | **買**菜 |\n| 二 | |"),
        ("甲｜乙\n1｜2", "甲|乙\n:-|-:\n1|2"),
        ("前\n\n甲\n1\n\n後", "前\n\n|甲|\n|-|\n|1|\n\n後"),
    ],
)
def test_a_table_is_lines_of_cells(expected: str, markdown: str) -> None:
    """A table's rows are lines, its cells parted by a bar, its ruler gone."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("a = b**2\n\nif x:\n    _y_", "```python\na = b**2\n\nif x:\n    _y_\n```"),
        ("# 不是標題\n- 不是清單", "~~~\n# 不是標題\n- 不是清單\n~~~"),
        ("前\nx = 1\n後", "前\n```\nx = 1\n```\n後"),
        ("  縮排\n\n後", "```\n  縮排\n```\n\n後"),
        ("未完 **x**", "```\n未完 **x**"),
        ("a*b*c", "    a*b*c"),
        ("・甲\n　x", "- 甲\n  ```\n  x\n  ```"),
    ],
)
def test_code_is_verbatim(expected: str, markdown: str) -> None:
    """Between its fences nothing is a mark; the fences themselves are gone."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("用 a_b_c 試試", "用 `a_b_c` 試試"),
        ("a`b", "`` a`b ``"),
        ("*x*", "`*x*`"),
        ("**x**", "`**x**`"),
        ("a**b**c", "`a**b**c`"),
    ],
)
def test_code_within_a_line_is_verbatim(expected: str, markdown: str) -> None:
    """Between backticks nothing is a mark either."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("食譜 https://a.tw/b", "[食譜](https://a.tw/b)"),
        ("食譜 https://a.tw/b", "**[食譜](https://a.tw/b)**"),
        ("食譜 https://a.tw/b", '[**食譜**](https://a.tw/b "標題")'),
        ("https://a.tw/b", "[https://a.tw/b](https://a.tw/b)"),
        ("https://a.tw/b", "<https://a.tw/b>"),
        ("看食譜 https://a.tw/b。", "看[食譜](https://a.tw/b)。"),
        ("貓", "![貓](https://a.tw/c.png)"),
        ("[食譜", "[食譜"),
    ],
)
def test_a_link_is_its_words_and_its_address(expected: str, markdown: str) -> None:
    """LINE makes an address clickable, so it stands behind the words, and only once."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("https://zh.wikipedia.org/wiki/臺灣", "<https://zh.wikipedia.org/wiki/臺灣>"),
        ("mei@example.tw", "<mei@example.tw>"),
    ],
)
def test_an_address_in_angle_brackets_is_shown_once(expected: str, markdown: str) -> None:
    """An address that is its own words is not repeated in another spelling."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    "text",
    [
        "https://a.tw/a_b_c?x=d_e&copy=1",
        "看 https://a.tw/my_long_name_ 吧",
        "https://a.tw/?q=1*2&r=3*4",
        "https://a.tw/_a_/b",
        "https://en.wikipedia.org/wiki/A_(b)_and_(c)_d",
    ],
)
def test_a_bare_address_is_left_alone(text: str) -> None:
    """Underscores and asterisks in an address belong to it: without them it leads nowhere."""
    assert text == plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4",
        "2*3*4*5=120",
        "一共 10*20*30 元",
        "3*x*2",
        "2 * 3 * 4 = 24",
        "5 ** 2 = 25",
        "2**10 = 1024",
        "2**10 和 3**2",
        "2**3**2",
        "2*3和4*5",
        "x_1 + x_2",
    ],
)
def test_arithmetic_is_left_alone(text: str) -> None:
    """Asterisks between numbers multiply, and are no marks."""
    assert text == plain(text)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("2*3*4", r"2\*3\*4"),
        ("*不斜*", r"\*不斜\*"),
        ("**不粗**", r"\*\*不粗\*\*"),
        ("_不斜_", r"\_不斜\_"),
        ("# 不是標題", r"\# 不是標題"),
        ("1. 不是清單", r"1\. 不是清單"),
        ("[x](y)", r"\[x\](y)"),
        ("C:\\家\\照片", r"C:\家\照片"),
    ],
)
def test_what_is_escaped_is_shown(expected: str, markdown: str) -> None:
    """A mark with a backslash before it is meant to be read; before anything else it is one."""
    assert expected == plain(markdown)


@pytest.mark.parametrize(
    "text", ["密碼：********", "a ** b ** c", "五星 ★***★", "**", "1 < 2 > 0", "~~x~~"]
)
def test_signs_that_mark_nothing_are_kept(text: str) -> None:
    """A sign that begins no emphasis is one the model meant."""
    assert text == plain(text)


@pytest.mark.parametrize(
    "text", ["<b>粗</b>", "一<br>二", "<div>\n塊\n</div>", "<!-- 註 -->", "<script>x</script>"]
)
def test_html_is_text(text: str) -> None:
    """LINE shows no HTML, so what looks like it is shown as it stands."""
    assert text == plain(text)


@pytest.mark.parametrize("text", ["[提醒]: 明天帶傘", "[小美]: 好"])
def test_no_line_vanishes(text: str) -> None:
    """A line that looks like the definition of a link is something said all the same."""
    assert text == plain(text)


@pytest.mark.parametrize(
    ("expected", "markdown"),
    [
        ("一\n二\n\n三", "一\n二\n\n三"),
        ("一\n\n二", "一\n\n\n\n二"),
        ("一\n二", "一  \n二"),
        ("一\n二", "一\\\n二"),
        ("前\n・甲\n\n後", "前\n- 甲\n\n後"),
        ("前\n\n・甲\n　・乙\n\n後", "前\n\n- 甲\n  - 乙\n\n\n後"),
        ("甲：\n・一\n\n乙：\n・二", "**甲**：\n- 一\n\n**乙**：\n- 二"),
        ("・甲\n\n1. 乙", "- 甲\n\n1. 乙"),
        ("引\n用\n\n後", "> 引\n> 用\n\n後"),
        ("引\n\n用", "> 引\n>\n> 用"),
        ("前\n\n———\n\n後", "前\n\n---\n\n後"),
        ("前\n———\n後", "前\n***\n後"),
    ],
)
def test_blocks_are_as_far_apart_as_the_model_left_them(expected: str, markdown: str) -> None:
    """One blank line stands where the model left any, and none where it left none."""
    assert expected == plain(markdown)
