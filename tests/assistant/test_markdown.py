"""What is left of Markdown in a chat: its words, and nothing that was meant literally is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.markdown import plain


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
        ("粗 斜 粗斜 __粗__ _斜_", "**粗** *斜* ***粗斜*** __粗__ _斜_"),
        ("3個", "**3**個"),
        ("我*說*2次", "我*說*2次"),
        ("粗 `", "**粗** `"),
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
        ("標題\n---\n內文", "標題\n---\n內文"),
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
        ("・甲\n\n・乙", "+ 甲\n\n+ 乙"),
        ("・甲\n  ・乙\n    ・丙\n・丁", "- 甲\n  - 乙\n    - 丙\n- 丁"),
        ("1. 甲\n2. 乙", "1. 甲\n2. 乙"),
        ("3. 甲\n4. 乙", "3. 甲\n4. 乙"),
        ("0. 甲\n1. 乙", "0. 甲\n1. 乙"),
        ("9) 甲\n10) 乙", "9) 甲\n10) 乙"),
        ("1. 甲\n   ・乙\n   ・丙\n2. 丁", "1. 甲\n   - 乙\n   - 丙\n2. 丁"),
        ("・甲\n  1. 乙\n  2. 丙", "- 甲\n  1. 乙\n  2. 丙"),
        ("・甲\n  第二行", "- 甲\n  第二行"),
        ("・[ ] 甲\n・[x] 乙", "- [ ] 甲\n- [x] 乙"),
        ("2026. 12. 1", "2026. 12. 1"),
    ],
)
def test_a_list_keeps_its_order_and_depth(expected: str, markdown: str) -> None:
    """A bullet becomes a dot; numbers and depth stay as they were written."""
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
        ("    a*b*c", "    a*b*c"),
        ("・甲\n  x", "- 甲\n  ```\n  x\n  ```"),
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
        ("貓 https://a.tw/c.png", "![貓](https://a.tw/c.png)"),
        ("https://a.tw/A_(b)", "[https://a.tw/A_(b)](https://a.tw/A_(b))"),
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
        ("<mei@example.tw>", "<mei@example.tw>"),
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
    "text",
    [
        "密碼：********",
        ">_< 哈",
        "長*寬*高",
        "(2)*3*(4)",
        "我*說*2次",
        "a ** b ** c",
        "五星 ★***★",
        "**",
        "1 < 2 > 0",
        "~~x~~",
    ],
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
        ("前\n・甲\n\n後", "前\n- 甲\n\n後"),
        ("前\n\n・甲\n  ・乙\n\n後", "前\n\n- 甲\n  - 乙\n\n後"),
        ("前\n\n・甲\n\n\n後", "前\n\n* 甲\n\n\n後"),
        ("甲：\n・一\n\n乙：\n・二", "**甲**：\n- 一\n\n**乙**：\n- 二"),
        ("・甲\n\n1. 乙", "- 甲\n\n1. 乙"),
        ("> 引\n> 用\n\n後", "> 引\n> 用\n\n後"),
        ("前\n\n---\n\n後", "前\n\n---\n\n後"),
    ],
)
def test_blocks_stay_as_far_apart_as_the_model_left_them(expected: str, markdown: str) -> None:
    """Whatever is no mark stays as it was written, blank lines too."""
    assert expected == plain(markdown)


@settings(deadline=None)
@given(st.text("ab 1*_[]()#-|>\\\n家。", max_size=80))
def test_no_letter_is_lost(text: str) -> None:
    """
    Whatever stands in a text, plain text keeps every letter and digit of it, in order.
    """
    letters = [sign for sign in text if sign.isalnum()]

    assert letters == [sign for sign in plain(text) if sign.isalnum()]
