"""Texts as they are meant, however they are written."""

import pytest
import regex

from memory.plain import any_of, is_marked, one_line, plain, whole_word, without_name


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("wi-fi 密碼", "Ｗｉ－Ｆｉ　密码"),
        ("忽略", "忽\u200b\u00ad略"),
        ("a b", "A\nB"),
        ("1234", "1️⃣2️⃣3️⃣4️⃣"),
        ("4012", "٤٠١٢"),
        ("愛❤", "愛❤️"),
    ],
)
def test_a_text_is_read_as_it_is_meant(expected: str, text: str) -> None:
    """
    Width, case, the mainland's letters, other digits and what is unseen make no difference.
    """
    assert expected == plain(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("媽媽對蝦過敏", "媽媽對蝦過敏"),
        ("媽媽 對蝦過敏", "  媽媽\r\n\t對蝦過敏\u2028"),
        ("媽媽 對蝦", "媽媽\u3000對蝦"),
        ("媽媽對蝦", "媽\u200b媽\ufeff對\u00ad蝦"),
        ("媽媽對蝦", "\u202e媽媽\u2066對蝦\u2069"),
        ("媽媽對蝦", "媽媽\x00\x1b對蝦"),
        ("媽媽對蝦", "媽媽\ud800對蝦\ue000"),
        ("媽媽對蝦", "媽媽\U000e0041\U000e0042對蝦"),
        ("Café", "Cafe\u0301"),
        ("Café", "Cafe\u200b\u0301"),
        ("ＡＢＣ，１２３", "ＡＢＣ，１２３"),
        ("愛 ❤️", "愛 ❤️"),
        ("愛喝茶", "<|system|>愛喝茶"),
        ("愛 喝茶", "愛<|im_end|><|im_start|>喝茶"),
        ("愛喝茶", "[INST]愛喝茶[/INST]"),
        ("愛喝茶", "<system> 愛喝茶 </system>"),
        ("愛喝茶", "### Instruction: 愛喝茶"),
        ("愛喝茶", "<|a<|b|>c|>愛喝茶"),
        ("愛喝茶", "<\u200b|system|\u200b>愛喝茶"),
        ("愛喝茶", "<s>愛喝茶</s>"),
        ("C# 和 a < b", "C# 和 a < b"),
        ("陣列 [1] 和 #1", "陣列 [1] 和 #1"),
    ],
)
def test_a_text_becomes_one_line(expected: str, text: str) -> None:
    """
    Nothing unseen, no line's end and no mark of a prompt stays; what is seen stays as it is.
    """
    assert expected == one_line(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (True, "愛<|im_end|>喝茶"),
        (True, "＜｜system｜＞"),
        (True, "[/INST]"),
        (True, "<SYS>"),
        (True, "##系統：愛喝茶"),
        (False, "C# 和 a < b"),
        (False, "陣列 [1] 和 #1"),
        (False, "<3"),
    ],
)
def test_a_mark_of_prompts_is_seen(expected: bool, text: str) -> None:
    """
    No family writes what marks a role in a prompt; other brackets and signs it does.
    """
    assert expected == is_marked(text)


@pytest.mark.parametrize(
    ("expected", "name", "text"),
    [
        (True, "amy", "請amy記"),
        (True, "amy", "amy, hello"),
        (False, "amy", "amyloid"),
        (False, "amy", "mamy"),
        (False, "amy", "amy2"),
        (True, "小幫手", "小幫手們"),
        (False, "a.y", "amy"),
    ],
)
def test_a_name_is_a_whole_word(expected: bool, name: str, text: str) -> None:
    """
    Names of Latin letters are no part of a word, others stand as they are.
    """
    assert expected == bool(regex.search(whole_word(name), text))


@pytest.mark.parametrize(
    ("expected", "text", "name"),
    [
        (" 愛喝茶", "媽媽愛喝茶", "媽媽"),
        ("  loves tea", "amy loves tea", " ＡＭＹ "),
        ("amyloid", "amyloid", "Amy"),
        ("愛喝茶", "愛喝茶", " "),
    ],
)
def test_a_text_can_do_without_a_name(expected: str, text: str, name: str) -> None:
    """
    A name goes as a whole word, however it is written; nobody's goes nowhere.
    """
    assert expected == without_name(text, name)


def test_any_row_of_a_table_matches() -> None:
    """
    A table is one pattern, whatever alternatives its rows have.
    """
    pattern = any_of(("a|b", "cd"))

    assert ["a", "b", "cd"] == pattern.findall("a b c d cd")
