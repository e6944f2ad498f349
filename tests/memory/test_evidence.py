"""Whether a turn tells what a candidate says it does."""

from datetime import UTC, datetime

import pytest

from memory.conversation import Turn
from memory.evidence import is_evidenced
from memory.facts import Candidate


def said(text: str) -> Turn:
    """Return what was said on Tuesday, at noon in Taipei."""
    return Turn("m1", "U-mei", text, datetime(2026, 12, 1, 4, tzinfo=UTC))


def told(text: str, subject: str = "媽媽", evidence: str = "") -> Candidate:
    """Return a candidate."""
    return Candidate(text, subject, evidence=evidence)


@pytest.mark.parametrize(
    ("expected", "evidence", "words"),
    [
        (True, "我對蝦過敏", "我對蝦過敏"),
        (True, "對蝦過敏", "聽我說，我對蝦過敏啦"),
        (True, "我 對蝦過敏！", "我對「蝦」過敏"),
        (True, "我對蝦ABC過敏", "我對蝦ａｂｃ過敏"),
        (True, "i'm ALLERGIC", "Well, I’m allergic"),
        (True, "我對蝦\n過敏", "我對蝦過敏"),
        (True, "過敏", "我對蝦過敏"),
        (False, "敏", "我對蝦過敏"),
        (False, "。！", "我對蝦過敏。！"),
        (False, "我對蝦不過敏", "我對蝦過敏"),
        (False, "我對蟹過敏", "我對蝦過敏"),
        (False, "我對蝦過敏", ""),
    ],
)
def test_evidence_stands_in_the_turn_word_for_word(
    expected: bool, evidence: str, words: str
) -> None:
    """
    Only width, case, spaces and punctuation may differ; a single letter is no evidence.
    """
    assert expected == is_evidenced(told("媽媽不吃蝦", evidence=evidence), said(words))


@pytest.mark.parametrize(
    ("expected", "text", "words"),
    [
        (True, "媽媽討厭香菜", "記住我不吃香菜"),
        (True, "媽媽對蝦過敏", "我對蝦過敏"),
        (True, "媽媽", "媽媽"),
        (True, "怕狗", "我怕狗"),
        (True, "媽媽愛吃蘋果", "蘋果"),
        (False, "媽媽愛吃蘋果派", "蘋果"),
        (False, "媽媽有三隻貓", "我的提款卡密碼是 1234，記住"),
        (False, "媽媽有貓", "我對蝦過敏"),
        (False, "媽媽", "我對蝦過敏"),
        (False, "媽媽住在台北", "記住"),
        (False, "媽媽住在台北", ""),
        (True, "媽媽 likes Chinese food", "I love Chinese food"),
        (False, "媽媽 has annual leave", "My ann"),
        (False, "2026-12-01", "2026-12-01"),
    ],
)
def test_without_evidence_a_third_of_the_text_must_have_been_said(
    expected: bool, text: str, words: str
) -> None:
    """
    Words and pairs of Chinese letters count, but neither the subject's name nor dates.
    """
    assert expected == is_evidenced(told(text), said(words))


@pytest.mark.parametrize(
    ("expected", "text", "words"),
    [
        # The same number, however it is written.
        (True, "媽媽生日是3月5日", "我生日三月五日"),
        (True, "媽媽生日是三月五日", "我生日3/5"),
        (True, "媽媽生日是03/05", "我生日3月5號"),
        (True, "媽媽生日是１２月２５日", "我生日12月25日"),
        (True, "媽媽生日是十二月二十五日", "我生日12/25"),
        (True, "媽媽有2隻貓", "我有兩隻貓"),
        (True, "媽媽有二十三隻貓", "我有23隻貓"),
        (True, "媽媽的學費是3,500元", "我的學費三千五"),
        (True, "媽媽的學費是3005元", "我的學費三千零五"),
        (True, "媽媽的學費是12000元", "我的學費一萬二"),
        (True, "媽媽的學費是12,000元", "我的學費 12000"),
        (True, "媽媽的教室是一〇二", "我的教室是102"),
        (True, "媽媽下午3點半吃藥", "我15:30吃藥，就是下午三點半"),
        (True, "媽媽15:30吃藥", "我下午三點半吃藥"),
        (True, "媽媽3:00吃藥", "我三點吃藥"),
        (True, "媽媽1986年生", "我民國75年生"),
        (True, "媽媽民國75年生", "我1986年生"),
        (True, "媽媽電話0912345678", "我電話0912-345-678"),
        (True, "媽媽電話0912-345-678", "我電話0912345678"),
        (True, "媽媽電話0912-345678", "我電話0912 345 678 記一下"),
        (True, "媽媽和爸爸兩個人吃了一次", "我和爸爸吃了"),
        (True, "媽媽愛看八點檔", "我愛看連續劇"),
        (True, "媽媽的房子1,205,000元", "我的房子一百二十萬五千"),
        (True, "媽媽住三峽，萬一迷路就找她", "我住三峽，迷路找我"),
        # A number nobody told.
        (False, "媽媽有3隻貓", "我有兩隻貓"),
        (False, "媽媽有三隻貓", "我有兩隻貓"),
        (False, "媽媽有三隻貓", "我有貓"),
        (False, "媽媽的貓12歲", "我的貓1到2歲"),
        (False, "媽媽的貓12歲", "我的貓1-2歲"),
        (False, "媽媽的貓75歲", "我的貓7.5歲"),
        (False, "媽媽15:00吃藥", "我三點吃藥"),
        (False, "媽媽電話0912-345-679", "我電話0912-345-678"),
        (False, "媽媽生日是3月6日", "我生日三月五日"),
        (False, "媽媽1960年生", "我生日3月5日"),
        (False, "媽媽1960-03-05生", "我生日3月5日"),
        (False, "媽媽2024-12-08生日", "我下週二生日"),
        # Dates that follow from the day it was said.
        (True, "媽媽2027-03-05生日", "我生日3月5日"),
        (True, "媽媽2026-12-02生日", "我明天生日"),
        (True, "媽媽2026-12-08生日", "我下週二生日"),
        (True, "媽媽2026-12-05生日", "我週六生日"),
        (True, "媽媽2027年1月生日", "我下個月生日"),
        (True, "媽媽2023年退休", "我三年前退休"),
        (True, "Mom retires on 2026-12-11", "I retire on Friday next week"),
        (False, "媽媽2026-12-05生日", "我生日要到了"),
        (False, "媽媽2026-12-05生日", "我過幾天生日"),
        (False, "媽媽2026-12-05生日", "我明天生日"),
        (False, "媽媽2027-02-06生日", "我過年生日"),
    ],
)
@pytest.mark.parametrize("evidence", [True, False])
def test_no_number_is_invented(expected: bool, text: str, words: str, evidence: bool) -> None:
    """
    Every number in a text was told, in digits or words, or is a date that follows from it.
    """
    subject = "Mom" if "Mom" in text else "媽媽"
    candidate = told(text, subject, evidence=words if evidence else "")

    assert expected == is_evidenced(candidate, said(words))
