"""Gates: what a candidate must pass before it is stored, whoever proposes it.

Neither the model nor what a family pastes can be trusted; so all of this is decided by code.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Literal

import regex

from memory.conversation import ASSISTANT, Turn
from memory.dates import is_relative, resolved
from memory.facts import LONGEST, Candidate, normalised

Reason = Literal[
    "secret",
    "empty",
    "too long",
    "instruction",
    "assistant",
    "not a member",
    "no evidence",
    "language",
    "relative date",
    "unimportant",
]
"""Why a candidate is not stored; of several reasons the most telling is given, in this order.

secret: It has a password, or a card's, document's or account's number.
empty: There is no letter or digit in its text, or in its subject.
too long: It has more than `LONGEST` characters, or its subject has.
instruction: It gives the assistant an order or a rule, or imitates those who may.
assistant: It is about the assistant.
not a member: The assistant said it, or nobody known.
no evidence: The turn does not say so.
language: It was said in Chinese, and is told in another language.
relative date: It speaks of a day as seen from when it was said.
unimportant: It is below the floor.
"""


def cleaned(candidate: Candidate, said_on: date) -> Candidate:
    """Return a candidate in one clean line each, with dates for 「明天」 and importance in bounds.

    Its evidence stays as it is, to be found in the turn.
    """
    text = _line(candidate.text)
    return replace(
        candidate,
        # What is far too long is not worth the time.
        text=resolved(text, said_on) if len(text) <= 2 * LONGEST else text,
        subject=_line(candidate.subject),
        # In this order NaN, which is not greater than anything, becomes 0.
        importance=min(max(0.0, candidate.importance), 1.0),
    )


@dataclass(frozen=True, slots=True)
class Gates:
    """What candidates must pass in one deployment."""

    names: tuple[str, ...]
    """Everything the assistant is called by."""
    floor: float
    """The importance below which nothing is kept."""

    def refusal(self, candidate: Candidate, turn: Turn, also: Sequence[str] = ()) -> Reason | None:
        """Return why a cleaned candidate is not to be stored, or None.

        Args:
            candidate: What is proposed.
            turn: The turn that is said to tell it.
            also: Texts that count as said with the turn, such as the words it quotes.
        """
        return next(self._refusals(candidate, turn, also), None)

    def _refusals(self, candidate: Candidate, turn: Turn, also: Sequence[str]) -> Iterator[Reason]:
        text, subject = candidate.text, candidate.subject
        # What is too long for a fact is too long for patterns as well.
        if is_secret(f"{subject[:LONGEST]}: {text[: 2 * LONGEST]}"):
            yield "secret"
        if not (_says_something(text) and _says_something(subject)):
            yield "empty"
        if max(len(text), len(subject)) > LONGEST:
            yield "too long"
        if _is_order(candidate, turn):
            yield "instruction"
        if self._is_about_assistant(candidate):
            yield "assistant"
        if turn.speaker in {"", ASSISTANT}:
            yield "not a member"
        if not is_evidenced(candidate, turn, also):
            yield "no evidence"
        if self._is_translated(candidate, turn):
            yield "language"
        if is_relative(text):
            yield "relative date"
        if not candidate.importance >= self.floor:
            yield "unimportant"

    def _is_about_assistant(self, candidate: Candidate) -> bool:
        if _is_self(candidate.subject):
            return True
        told = _plain(f"{candidate.subject}\n{candidate.text}")
        return any(regex.search(_whole_word(name), told) for name in self._plain_names())

    def _is_translated(self, candidate: Candidate, turn: Turn) -> bool:
        """Say whether Chinese words became others, be it all but the subject's name."""
        said = _plain(candidate.evidence if candidate.evidence.strip() else turn.text)
        for name in (*self._plain_names(), _plain(candidate.subject)):
            said = said.replace(name, " ") if name else said
        if not regex.search(_CJK, said):
            return False
        text = _plain(candidate.text)
        rest = _without_subject(text, candidate)
        if regex.search(_CJK, rest):
            return False
        told = set(regex.findall(_WORD, _plain(turn.text)))
        return not regex.search(_CJK, text) or not told.issuperset(regex.findall(_WORD, rest))

    def _plain_names(self) -> list[str]:
        return [name for name in map(_plain, self.names) if name.strip()]


# What is read as it is meant, however it is written.

_HIDDEN = r"(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]"
"""Characters nobody sees; the selectors that make a sign an emoji are harmless."""
_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}]"
_UNSPACED = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
_WORD = rf"(?:(?!{_UNSPACED})[\p{{L}}\p{{M}}]){{2,}}"
_LETTER = r"[\p{Lu}\p{Ll}\p{Lt}\p{Nd}]"
"""What words of letters are made of; Chinese has no words that go on."""
_MAINLAND = (
    "码碼帐帳账帳号號户戶护護证證验驗认認锁鎖钥鑰银銀张張岁歲块塊开開启啟现現从從来來后後须須应應"
    "该該许許听聽话話语語词詞说說讲講记記忆憶录錄规規则則统統视視组組对對给給诉訴显顯输輸传傳"
    "设設绝絕总總远遠这這个個请請员員过過盖蓋废廢执執将將关關别別让讓们們为為长長没沒会會复覆"
    "点點谁誰贴貼头頭条條楼樓辆輛颗顆间間栋棟钟鐘礼禮两兩万萬无無"
)
"""Letters of our patterns as the mainland writes them, each before the one Taiwan writes."""
_TRADITIONAL = str.maketrans(dict(zip(_MAINLAND[::2], _MAINLAND[1::2], strict=True)))
_MARK = (
    r"[<＜]\s*[|｜][^<>＜＞]{0,40}[|｜]\s*[>＞]"
    r"|[\[［]\s*/?\s*(?:INST|SYS|SYSTEM)\s*[\]］]"
    r"|[<＜]{1,2}\s*/?\s*(?:s|sys|bos|eos|system|developer|assistant|user|human|model|prompt|tool"
    r"|instructions?|im_start|im_end|(?:start|end|begin)_of_(?:turn|text|sequence)"
    r"|(?:function|tool)_(?:calls?|results?))\s*/?\s*[>＞]{1,2}"
    r"|(?<![#＃])[#＃]{2,}\s*(?:instructions?|system|response|input|human|assistant|user|指示|指令|系統)\b"
    r"\s*[:：]?"
)
"""What marks a speaker's role in prompts. No family writes such."""


def _line(text: str) -> str:
    """Return a text as one line without marks, for as long as that brings out no further ones."""
    before = None
    while before != text:
        before = text
        text = regex.sub(_HIDDEN, "", " ".join(text.split()))
        text = regex.sub(_MARK, " ", text, flags=regex.IGNORECASE)
        text = unicodedata.normalize("NFC", " ".join(text.split()))
    return text


def _plain(text: str) -> str:
    """Return a text as patterns read it: half-width, small, traditional, and in sight."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_TRADITIONAL)
    spaced = regex.sub(r"\s", " ", folded)
    shown = regex.sub(rf"{_HIDDEN}|[\uFE0E\uFE0F\u20E3]", "", spaced)
    return _replaced(r"[^\P{Nd}0-9]", _ascii_digit, shown)


def _replaced(pattern: str, by: str | Callable[[regex.Match[str]], str], text: str) -> str:
    return str(regex.sub(pattern, by, text))


def _ascii_digit(found: regex.Match[str]) -> str:
    return str(unicodedata.digit(found[0], found[0]))


def _says_something(text: str) -> bool:
    return bool(regex.search(r"[\p{L}\p{N}]", text))


def _without_subject(text: str, candidate: Candidate) -> str:
    subject = _plain(candidate.subject).strip()
    return _replaced(_whole_word(subject), " ", text) if subject else text


def _whole_word(name: str) -> str:
    """Return the pattern of a name. "Amy" is not in "Amyloid", but is in 「請Amy記」."""
    begins, ends = (rf"(?:(?<!{_LETTER})|(?!{_LETTER}))" for _ in range(2))
    return rf"{begins}{regex.escape(name)}{ends}"


@cache
def _any_of(rows: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile("|".join(f"(?:{row})" for row in rows))


# Is it said there?

_DATE = (
    r"(?<![0-9])(?:19|20)[0-9]{2}(?:-[0-9]{2}(?:-[0-9]{2})?(?![0-9])"
    r"|年(?:[0-9]{1,2}月(?:[0-9]{1,2}[日號])?)?)"
)
"""A date as it is resolved, or as a model writes it."""
_WEEKDAY = r"(?:[週周]|星期|禮拜)[一二三四五六日天1-7]|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMERALS = dict(zip("零〇一二兩三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_SCALES = {"十": 10, "百": 100, "千": 1000, "萬": 10000}
_NUMERAL = f"[{''.join((*_NUMERALS, *_SCALES))}]"
_COUNTED = (
    rf"(?!兩(?:個人|位)){_NUMERAL}{{1,16}}(?=[個隻條頭匹歲月日號樓年班名位台輛部次顆粒天週元塊度杯瓶"
    r"包盒本件間棟坪]|點(?!檔)|公[斤分尺里]|小時|分鐘)"
)
"""A Chinese numeral that counts something; in 「一起」 and 「萬一」 it doesn't."""
_NUMBER = r"[0-9]+(?:-[0-9]+)+|[0-9]+(?: [0-9]+)*"
"""A number, or several that may be one with dashes or spaces."""


def is_evidenced(candidate: Candidate, turn: Turn, also: Sequence[str] = ()) -> bool:
    """Say whether a turn tells what a candidate says it does.

    Quoted evidence must stand in the turn word for word; without it, a third of the text must. No
    number may be in the text that was not told, but for dates reckoned from the day it was said.
    """
    told = [turn.text, *also]
    if candidate.evidence.strip():
        words = _comparable(candidate.evidence)
        if len(words) < 2 or words not in _comparable(turn.text):
            return False
    elif not _is_shared(candidate, told):
        return False
    return _has_no_other_numbers(candidate, turn, told)


def _comparable(text: str) -> str:
    # Models write straight quotes where phones write round ones.
    return normalised(text.translate(str.maketrans("‘’“”", "''\"\"")))


def _is_shared(candidate: Candidate, told: Sequence[str]) -> bool:
    said = _arabic(" ".join(map(_plain, told)))
    letters = regex.sub(r"[^\p{L}\p{M}]+", "", said)
    words, numbers = set(regex.findall(_WORD, said)), _told(told)
    text = _arabic(regex.sub(_DATE, " ", _plain(candidate.text)))
    parts = _parts(_without_subject(text, candidate)) or _parts(text)
    shared = [
        part
        for part in parts
        if part in words or (_is_unspaced(part) and part in letters) or _is_told(part, numbers)
    ]
    return 0 < len(parts) <= 3 * len(shared)


def _parts(text: str) -> list[str]:
    """Return what a text consists of: words, numbers, and pairs of letters of unspaced writing."""
    parts = []
    for run in regex.findall(rf"{_UNSPACED}+|{_WORD}|{_NUMBER}", text):
        is_split = _is_unspaced(run) and len(run) > 2
        parts += [run[at : at + 2] for at in range(len(run) - 1)] if is_split else [run]
    return parts


def _is_unspaced(run: str) -> bool:
    return bool(regex.match(_UNSPACED, run))


def _has_no_other_numbers(candidate: Candidate, turn: Turn, told: Sequence[str]) -> bool:
    text = _plain(candidate.text)
    if regex.fullmatch(r"\p{L}+[0-9]+", _plain(candidate.subject)):
        text = _without_subject(text, candidate)  # Somebody may call themselves Amy2.
    known = _told(told)
    if _tells_only(text, known):
        return True
    # Which day it was where the family lives, a day more or less may tell.
    said_on = turn.said_at.date()
    days = [said_on + timedelta(more) for more in (-1, 0, 1)]
    known |= _told([resolved(one, day) for one in told for day in days])
    known |= {str(said_on.year + more) for more in (-1, 0, 1)}
    if regex.search(_WEEKDAY, _plain(" ".join(told))):
        text = regex.sub(
            _DATE, lambda near: " " if abs(int(near[0][:4]) - said_on.year) <= 1 else near[0], text
        )
    return _tells_only(text, known)


def _tells_only(text: str, known: set[str]) -> bool:
    """Say whether a text has no number but known ones."""
    text = regex.sub(r"(?<=[0-9]):00(?![0-9])", "", _without_commas(text))
    counted = {_value(numeral) for numeral in regex.findall(_COUNTED, text)} - {1}
    numbers = regex.findall(_NUMBER, text)
    return known.issuperset(map(str, counted)) and all(_is_told(one, known) for one in numbers)


def _is_told(number: str, known: set[str]) -> bool:
    """Say whether a number is known, wherever a phone's dashes stand."""
    digits = regex.findall("[0-9]+", number)
    return bool(digits) and (_joined(number) in known or known.issuperset(map(_joined, digits)))


def _told(texts: Iterable[str]) -> set[str]:
    """Return the numbers that texts tell, and in what other ways they may be written."""
    text = _without_commas(_arabic(" ".join(map(_plain, texts))))
    numbers = {_joined(one) for one in regex.findall("[0-9]+", text)}
    for between in ("-", "[ ()-]{1,2}"):
        phones = regex.findall(f"[0-9]+(?:{between}[0-9]+)+", text)
        numbers |= {_joined(one) for one in phones if len(_joined(one)) > 5}
    if regex.search("下午|傍晚|晚上|[0-9] ?p[.]?m", text):
        numbers |= {str(int(hour) + 12) for hour in regex.findall(r"(?<![0-9])[0-9]{1,2}", text)}
    if regex.search("點半|half", text):
        numbers.add("30")
    # 民國 75 年 is 1986.
    years = [int(year) for year in regex.findall(r"(?<![0-9])([0-9]{2,4}) ?年", text)]
    return numbers | {str(year + off) for year in years for off in (-1911, 1911)}


def _joined(number: str) -> str:
    return _replaced("[^0-9]", "", number).lstrip("0") or "0"


def _without_commas(text: str) -> str:
    return _replaced("(?<=[0-9]),(?=[0-9]{3}(?![0-9]))", "", text)


def _arabic(text: str) -> str:
    """Return a text with its Chinese numerals as numbers, those in 「一起」 as well."""
    return _replaced(f"{_NUMERAL}{{1,16}}", lambda numeral: str(_value(numeral[0])), text)


def _value(numeral: str) -> int:
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


# Is it an order?

_SELF = "助理|助手|(?:聊天)?機器人|ai|(?:chat)?bot|assistant|系統|system|[你妳您]|you|yourself"
"""Subjects that are the assistant, whatever it is called."""
_ADDRESSED = (
    r"(?:(?:也|就|還有|另外|但是?|而且|並且?|然後|以及|記住|記得|牢記|注意|切記|重要"
    r"|please|remember(?: to| that)?|note|important|also|and|but|then|hey|ok(?:ay)?)[\s,:]*){0,3}"
)
_START = rf"(?:^|(?<=[,.:;!?。、「『“\"'(\[【>》]\s?)){_ADDRESSED}"
"""Where a sentence begins, as an order does that names nobody."""
_RESTART = rf"(?:{_START}|(?<={_CJK} ){_ADDRESSED})"
"""Or where one may: Chinese has spaces only between sentences, and around names."""
_YOU = r"(?:[你妳您](?!好(?!好))們?)"
_BOT = "(?:助理|助手|(?:聊天)?機器人|ai|bot|assistant|chatbot|模型)"
_FROM_NOW = (
    r"(?:從(?:現在|今天?|此刻?|這一?刻|[0-9-]{10})(?:開始|起|以後)?|自今|[今以往之]後|接下來)"
)
_MUST = (
    r"(?:必[須需]|一定[要得]|務必|應[該當]|只[能准許可]|不[准許得能可]|不要|不應|[別勿]再|絕對?[不要]|永遠|總是"
    r"|一律|都[要得]|禁止|得要|無條件|聽從|服從|遵守)"
)
_MAY = (
    r"(?:可以|不?需要|不[必用會]|沒有(?:任何)?限制|(?<!「.)要(?!的)|得(?!到)|能|有權|被允許|允許)"
)
_SAY = r"(?:回[答覆應話]|作答|答覆|說話|講話|稱呼|輸出|自稱)"
_REPLY = (
    rf"(?:{_SAY}|叫我|喊我|改口|推薦|扮演|假裝|服從|遵[守從]|聽我的"
    r"|[用以講說].{1,6}(?:文|語|話|口吻|語氣|口氣)(?:說|講|聊|溝通|對話|交談|回|[跟和]我|$))"
)
_RULES = (
    r"(?:指示|指令|規則|提示[詞語]?|命令|限制|人設|守則|準則|(?:系統|角色|安全|你的?)(?:設定|規定)"
    r"|instructions?|prompts?|rules?)"
)
_ALL = "(?:其他|其它|[別他]的|[別他]人|所有|全部|系統|隱藏|私[人下]|你|妳|這個)"
_OTHERS = (
    r"(?:聊天室?|群組|對話|記憶|[紀記]錄|提示[詞語]?|指令|指示|私訊|秘密|家庭|使用者|用戶|prompts?)"
)
_TELL = (
    r"(?:透露|洩[漏露]|公開|顯示|列出|印出|輸出|告訴(?:我們?|大家)|[說講唸念讀交]出|[重複]述|重複"
    r"|給我看|分享)"
)
_NOW = rf"(?:請|立刻|現在|開始|{_FROM_NOW})*"

_CHINESE_ORDERS = (
    # To you.
    rf"{_YOU}.{{0,6}}?{_MUST}|{_YOU}(?:現在|也|都|就|其實)?{_MAY}",
    rf"(?:請|命令|要求|希望|麻煩|允許|准許|[要叫讓]){_YOU}(?!們?家)",
    rf"{_FROM_NOW}.{{0,4}}?{_YOU}",
    rf"{_YOU}.{{0,4}}?{_FROM_NOW}(?:就|都|要|只|不|是|叫)",
    rf"{_YOU}(?:現在|已經|不再|其實|從此)(?:就)?(?:是|叫|變成)",
    rf"(?:^[「『“\"']?|(?<=[,.:;!?。、]\s?)){_ADDRESSED}{_YOU}",
    rf"[把向]{_YOU}|[跟對]{_YOU}[說講]過?的",
    rf"{_YOU}的(?:系統|新|真正|唯一)?的?(?:提示[詞語]?|指令|prompt|記憶|規則|人設|設定|指示|限制"
    r"|任務|職責|使命|目標|角色|身[分份]|主人|名字(?:就?是|叫|改))",
    # To the assistant, or without saying to whom.
    rf"{_RESTART}(?:這個|本|所有)?(?:{_FROM_NOW})?{_BOT}"
    rf"(?:\s?[,:!]|.{{0,3}}(?:{_MUST}|{_FROM_NOW}))",
    rf"{_RESTART}(?:{_FROM_NOW}|{_MUST}|請(?![假客教安]))+.{{0,12}}?{_REPLY}",
    rf"{_START}[只都改要](?![會能聽]).{{0,8}}?{_REPLY}",
    rf"{_START}{_SAY}.{{0,10}}?(?:要|請|一律|都|必|應|別|不[准要可]|用|為|得)",
    rf"{_START}(?:使?用|以).{{1,8}}?{_SAY}",
    rf"{_RESTART}(?:每一?[次則句]|所有|任何)的?(?:{_SAY}|訊息|答案).{{0,10}}?(?:要|必|都|用|加|以)",
    rf"{_RESTART}(?:每次|每則訊息|每句話).{{0,4}}?(?:最後|結尾|開頭|後面).{{0,4}}?(?:加|放|附|說|寫)",
    rf"{_RESTART}(?:永遠|千萬|請|拜託|絕對)*"
    r"(?:不[准許要得可能]以?|別(?![人的名墅處針])|請?勿|禁止|嚴禁)再?"
    r".{0,4}?(?:提[到及起醒]|[說講](?![話的])|告訴|透露|洩[漏露]|回[答覆]|回.{0,4}訊息|拒絕|質疑)",
    rf"{_RESTART}{_NOW}(?:如果|若|只要|每當|當|凡是|一旦|不管|無論|[看聽收提談聊]到).{{0,16}}?"
    r"(?:就|都|要|請|則|時|一律|必須)(?![會很]).{0,6}?(?:[說講](?!不出)|回[答覆]|告訴|推薦|稱讚|拒絕"
    r"|輸出|列出|公開|打開|點開|執行|傳[給送])",
    rf"{_START}(?:有?誰|凡是|別人|有人)?[問提][到起]?.{{0,6}}?(?:就|都|一律)(?:說|講|回)",
    rf"{_START}{_NOW}(?:扮演|假裝|模擬|充當)",
    rf"{_START}(?:請|幫我)*(?:[把將].{{1,12}}?)?"
    r"(?:告訴(?:我們?|大家|所有人|別人)|說出[來去]|公開(?!場))",
    rf"{_START}{_NOW}(?:啟用|進入|開啟|切換[成到]?|打開).{{0,4}}?"
    r"(?:開發者|管理員?|除錯|越獄|無限制|上帝)模式",
    rf"{_START}{_NOW}(?:關閉|解除|取消|刪除|清[空除]|停用|繞過).{{0,6}}?"
    r"(?:過濾|限制|記憶|記事|安全|規則)",
    r"(?:呼叫|使用|執行|call|use|run)(?: the)? ?(?:remember|forget|recall)\b",
    # Away with other orders, and new ones.
    rf"(?:忽[略視]|無視|不[要用必]?[理管]會?|不理會|別管|忘[記掉了]|跳過|推翻|覆蓋|取代|作廢|停止遵守|違反)"
    r".{0,4}?(?:之前|先前|以前|前面|上面|上述|以上|所有|一切|全部|任何|原[本來]|既有|系統|你|妳)"
    rf".{{0,6}}?{_RULES}",
    rf"{_RESTART}{_NOW}(?:忽略|無視|忘[記掉])(?:你|之前|先前|以上|上面|前面|所有|一切)",
    rf"{_RESTART}(?:(?:這[條個]|新增?|最高|重要|系統|以下|核心|這是|隱藏|唯一|指導|我的|你的|管理員)的?)*"
    r"(?:規則|指令|指示|命令|守則|準則|(?:指導)?原則|(?:系統)?提示詞?)"
    r"(?:[:是為]| |第?[0-9一二三#])",
    rf"(?:之前|先前|以上|所有|全部|原[本來]|舊)的?{_RULES}.{{0,4}}?(?:作廢|無效|失效)",
    r"(?:遵[守從循]|服從|聽從|執行|按?照).{0,3}?(?:我的|以下|下列|這些|新的|我說的).{0,3}?"
    r"(?:指示|指令|規則|命令|話)",
    "系統提示詞?(?:是|為|:|說)|新的(?:系統)?提示詞?",
    "(?:指令|命令|的話|規則).{0,3}?(?:優先|為準|高於|凌駕)",
    # Out with what others said.
    rf"[把將].{{0,3}}?{_ALL}.{{0,8}}?{_OTHERS}.{{0,8}}?"
    r"(?:說|講|列|印|給|告訴|顯示|輸出|公開|貼|傳|分享|複製)",
    rf"{_RESTART}(?:請|幫我|可以|直接|逐字)*{_TELL}.{{0,8}}?(?:{_ALL}.{{0,6}}?{_OTHERS}|{_YOU}(?:[記知]|被|的))",
    rf"(?:看到?|查看|讀取?|存取|知道|取得).{{0,3}}?{_ALL}人?的?.{{0,3}}?"
    r"(?:聊天室|群組|記憶|對話|提示詞)",
)
_SPEAK = (
    r"(?:answer|respond|reply|speak|talk|say|tell|mention|remind|output|print|reveal|refuse|obey"
    r"|comply|pretend|role-?play|act|address|refer|recommend|include|translate|use|call|be|agree"
    r"|praise|trust|add|end|follow)"
)
_ANSWERS = r"(?:repl(?:y|ies)|answers?|responses?)"
_ENGLISH_ORDERS = (
    # To you.
    r"\byou (?:must|should|shall|have to|need to|ought to|may (?:not|only)|can ?not|can'?t|can"
    r"|always|never|now|only)\b|\byou(?: a|')re (?:now|to|no longer|required|allowed)\b"
    r"|\byou(?: wi|')ll (?:now|always|never|only)\b"
    r"|\b(?:want|need|ask|order|expect)(?:s|ed)? you to\b",
    rf"{_START}you(?: a|')re\b|{_START}your\b|{_START}{_BOT} ?[,:!]",
    rf"{_START}(?:obey|comply|say)\b|\b(?:attention|dear|note to|hey),? (?:the )?{_BOT}\b",
    rf"\byour (?:new )?(?:{_ANSWERS}|(?:system )?prompt|instructions|programming|rules"
    r"|task|role|purpose|guidelines|memory|memories)\b",
    r"\bfrom (?:now|today|[0-9-]{10}) on(?:wards?)?\b\W+(?:\w+\W+)?(?:you|always|never|only"
    r"|do not|don'?t|answer|respond|reply|speak|call me|act|pretend|ignore)\b"
    r"|\byou\b.{0,40}?\bfrom now on\b",
    # To the assistant, or without saying to whom.
    rf"{_START}(?:the|this|an?)? ?(?:{_BOT}|language model) (?:must|should|shall|has to|needs to"
    r"|cannot|can'?t|may (?:not|only)|always|never)\b",
    rf"{_START}(?:(?:always|never|only|just|do not|don'?t|must|in future|please) ){{1,2}}"
    rf"(?:\w+ ){{0,2}}?{_SPEAK}\b",
    rf"{_START}(?:answer|respond|reply|speak|talk) (?:(?:to|every|all|any|each) (?:\w+ )?)?"
    r"(?:questions? )?(?:only|always|in|as|like|with)\b|\bcall me\b",
    rf"{_START}(?:use|speak|write)(?: only)? (?:english|chinese|japanese|mandarin|taiwanese)\b"
    r"|^(?:english|chinese|japanese|mandarin|taiwanese) only\b",
    rf"{_START}(?:act|behave|pretend|(?:let'?s )?role-?play|be)"
    r"(?: (?:as|to be|like|that|you|concise|brief)\b|:)",
    rf"\b(?:in|to|of|for|end|start|begin|before|after) (?:every|each|all|your) {_ANSWERS}\b"
    rf"|{_START}(?:every|each|all|any|keep) (?:the )?{_ANSWERS} "
    r"(?:must|should|ha[sv]e?|needs?|short|brief)\b",
    rf"{_START}(?:if|when(?:ever)?|once|(?:each|every) time|no matter|whatever|whoever)\b.{{0,50}}?"
    r"\b(?:asks?|asked|says?|mentions?|mentioned|types?|requests?)\b.{0,40}?"
    r"(?:, ?(?:then )?|\bthen )(?:please )?"
    r"(?:you|say|answer|reply|respond|tell|recommend|always|never|pretend|refuse|send)\b",
    rf"{_START}(?:enter|enable|activate|switch to|start) (?:\w+ )?mode\b",
    # Away with other orders, and new ones.
    r"\b(?:ignore|disregard|forget|override|overwrite|bypass)\b\W+(?:\w+\W+){0,3}?"
    r"(?:previous|prior|above|earlier|all|any|your|system|these|those|existing)\b\W+"
    r"(?:\w+\W+){0,4}?(?:instructions?|prompts?|rules|guidelines|directives?|commands?|orders)\b"
    r"|\boverrides? (?:the |all |any |every )?(?:system|rules|instructions|other)\b",
    rf"{_START}(?:ignore|disregard|forget) (?:the |everything |all )?(?:above|before|previous|prior"
    r"|that was|you)\b|\bforget (?:everything|all)\b.{0,20}?\b(?:you|above|before|told)\b",
    rf"{_START}(?:(?:new|system|secret|this|the) )?(?:rules?|instructions?|prompt)(?: \d+)?:"
    r"|\bsystem prompt\b",
    # Out with what others said.
    rf"{_START}(?:reveal|show|print|repeat|leak|dump|output|expose|disclose|display|list|share|tell"
    r"|give|delete|erase|clear|forget)\b.{0,30}?\b"
    r"(?:(?:system|hidden|initial|secret) (?:prompt|instructions?|messages?)"
    r"|above|(?:memor|fact|secret)\w*|other (?:chat|group|conversation|user|famil)\w*"
    r"|all (?:the )?(?:chat|conversation|memor|message)\w*)",
    r"\b(?:see|read|access|view) (?:all|other|every) (?:the )?(?:other )?"
    r"(?:chat|conversation|memor|message|group)\w*",
)
_ROLES = (
    r"(?:^|[\s「『\"'(\[>])(?:(?:system|assistant|developer|admin(?:istrator)?|override|root)"
    r"(?: (?:prompt|message|note|override))?|系統(?:訊息|管理員|更新|公告)?|管理員|助理)\s*:",
    r"[\[【(<{](?:系統|管理員|開發者|system|admin|developer)[^\]】)>}]{0,8}[\]】)>}]",
)


def _is_self(subject: str) -> bool:
    return bool(regex.fullmatch(_SELF, normalised(_plain(subject))))


def _is_order(candidate: Candidate, turn: Turn) -> bool:
    """Say whether a candidate orders the assistant about, or comes of what imitates a prompt."""
    if any(
        regex.search(_MARK, text, regex.IGNORECASE)
        for text in (candidate.text, candidate.subject, candidate.evidence, turn.text)
    ):
        return True
    rows = _any_of(_CHINESE_ORDERS + _ENGLISH_ORDERS + _ROLES)
    plain = [_plain(candidate.text)]
    if not _is_self(candidate.subject):
        plain.append(_plain(candidate.subject))
    # 「忽 略」 is still 「忽略」.
    dense = [regex.sub(rf"(?<={_CJK})[\s·•*_~.|/\\-]+(?={_CJK})", "", text) for text in plain]
    return any(rows.search(text) for text in plain + dense)


# Is it a secret?

_KEY = (
    r"(?:密碼|通行碼|驗證碼|認證碼|安全碼|檢[查核]碼|解鎖碼|開機碼|授權碼|恢復碼|復原碼|金鑰|密鑰|私鑰|助記詞"
    r"|pass(?:word|code|phrase)s?|passwd"
    r"|(?<![a-z])(?:pwd?|pin(?:[ -]?(?:code|number|碼))?|otp|cvv2?|cvc2?)(?![a-z])"
    r"|(?:recovery|security|verification|access|unlock|gate|door|alarm) codes?)"
    r"(?![學箱機棒盤子器]|[ -]?protect)"
)
_IS = (
    r"(?:[就還仍]?是|為|叫做?|等於|[改換設變](?:成|為|定為?|到)?|用|[:=]|\b(?:is|are|was|to|be)\b)"
)
_IN_QUOTES = r"[「『“\"'][^「」『』“”\"']{2,40}[」』”\"']"
_UNIT = (
    r"\s*(?:元|塊|個|位|次|年|歲|樓|天|度|字|多|種|組|人|公|萬|分|頁|號(?!碼)|月|日|小時|教室|室)"
)
_VALUE = rf"(?>[0-9](?:[\s.、-]?[0-9]){{2,64}})(?!{_UNIT})"
_TOKEN = r"(?=[!-~]{0,40}?[0-9])(?=[!-~]{0,40}?[a-z])[!-~]{4,64}"
"""Letters and digits, as a password has them."""
_ENDS = r"(?=\s*(?:$|[」』。,;!?)]|[喔哦啦呦唷呀耶]))"
_HARMLESS = (
    r"(?!(?:weak|strong|wrong|long|short|lost|expired|missing|required|needed|secret|unknown"
    r"|changed|saved|easy|hard|simple|same|private|old|new|broken|forgotten|different)\b)"
)
_OWN = r"(?:生日|電話|手機|門號|車牌|身[分份]證|名字|門牌|學號|紀念日|統編|統一編號|birthday|phone)"
_PASSWORDS = (
    rf"{_KEY}鎖?[^0-9,。;!?]{{0,8}}?{_IS}\s*[「『“\"'(]?\s*(?:{_VALUE}|{_TOKEN})",
    rf"{_KEY}(?!鎖)[^0-9,。;!?]{{0,8}}?{_IS}\s*{_HARMLESS}[!-~]{{4,64}}{_ENDS}",
    rf"{_KEY}(?!鎖)[^0-9,。;!?]{{0,8}}?{_IS}\s*{_IN_QUOTES}",
    rf"{_KEY}(?!鎖)\s*(?:{_TOKEN}|{_IN_QUOTES}|(?<=碼 ?)[!-~]{{4,64}}{_ENDS})",
    rf"{_KEY}(?!鎖)[^0-9,。;!?]{{0,6}}?(?:就?是|[設改]成|為|:|\bis\b).{{0,8}}?{_OWN}",
    rf"{_KEY}[^0-9,。;!?]{{0,6}}?(?:就?是|為|:)\s*{_NUMERAL}{{2,}}",
    rf"(?:{_VALUE}|{_TOKEN})\s*[」』”\"')]?\s*(?:就?是|為|[:=(]|\b(?:is|was)\b)"
    rf"[^0-9,。;!?]{{0,16}}?{_KEY}(?!鎖)",
)
_NEAR_PASSWORDS = (
    rf"{_KEY}(?!鎖)(?:(?!在|問|寫|貼|放|忘|存|於|打|找|\b(?:at|in|on|ask|call)\b)[^0-9,。;!?]){{0,12}}"
    rf"[,、:\s]*{_VALUE}",
)
_NUMBERS = (
    # Cards: thirteen digits and more, in groups of three and more or one by one.
    r"(?<![0-9])(?<![0-9][ .-])(?:[0-9]{3}(?:[ ._–—-]{0,2}[0-9]){10,}|[0-9](?:[ -][0-9]){12,})",
    # Identity cards and resident certificates.
    r"(?<![a-z0-9])[a-z][ -]?(?:[1289]|[a-d])(?:[ -]?[0-9]){8}(?![0-9])",
    r"(?:身[分份]證|居留證|統一證號|駕照號碼|\bid (?:card|number))"
    r"[^0-9,。;!?]{0,10}[a-z]?[0-9]{6,}",
    r"(?:護照|passport)[^0-9,。;!?]{0,12}[0-9]{7,9}(?!\s*(?:到期|過期))",
    r"(?<![0-9])[0-9]{8,9}(?![0-9])[^0-9,。;!?]{0,8}?(?:護照|passport)",
    r"(?:健保卡?|health (?:insurance )?card|\bnhi\b)[^0-9,。;!?]{0,14}[0-9](?:[ -]?[0-9]){7,}",
    r"(?:帳號|帳戶|戶頭|存[簿摺]|局號|卡號|信用卡|金融卡|提款卡"
    r"|\biban\b|account|card (?:number|no\b))"
    r"[^0-9,。;!?]{0,16}(?<![a-z])[0-9](?:[ ()-]{0,2}[0-9]){7,}",
    r"(?<![0-9])[0-9](?:[ -]?[0-9]){7,}(?![0-9])\s*(?:就?是|為|is)[^0-9,。;!?]{0,10}?"
    r"(?:帳號|帳戶|account)",
    # Keys of programs.
    r"(?<![\w/.-])(?:(?:sk|pk|rk|ghp|gho|xox[abp]|hf|glpat|github_pat)[-_][\w-]{12,}|aiza[\w-]{30,}"
    r"|akia[0-9a-z]{16}|eyj[\w-]{10,}\.[\w-]+)|-----begin",
    r"(?<![\w/.@+=-])(?=[\w+=]*[0-9])(?=[\w+=]*[a-z])[a-z0-9+=_]{24,}",
)
_STATED_ACCOUNT = (
    r"(?:帳號|帳戶|戶頭|卡號|account)\s*(?:號碼|number|no\.?)?\s*(?:就?是|為|:|=|is)\s*"
    r"[0-9](?:[ ()-]{0,2}[0-9]){7,}",
)
_DAYS = (
    r"(?<![0-9])(?:19|20)[0-9]{2}\s?[-/.年]\s?[0-9]{1,2}(?:\s?[-/.月]\s?[0-9]{1,2}\s?[日號]?)?(?![0-9])"
    r"|(?<![0-9])[0-9]{1,2}\s?[月/]\s?[0-9]{1,2}(?![0-9])|(?<![0-9])[0-9]{1,2}:[0-9]{2}(?![0-9])",
)
_PHONES = (
    r"(?<![0-9])(?<![0-9]-)(?:\(?0[2-8][0-9]{0,2}\)?[ -]?[0-9]{3,4}[ -]?[0-9]{3,4}"
    r"|09[0-9]{2}[ -]?[0-9]{3}[ -]?[0-9]{3}|0800[ -]?[0-9]{3}[ -]?[0-9]{3}"
    r"|\+[0-9]{1,3}(?:[ -]?\(?[0-9]{1,4}\)?){2,4})(?!-?[0-9])",
)
_SPELLED = dict(
    zip("零〇一二三四五六七八九壹貳參肆伍陸柒捌玖", "00123456789123456789", strict=True)
)
_DIGIT_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def is_secret(text: str) -> bool:
    """Say whether a text has a password, or the number of a card, a document or an account."""
    text = _spelled_out(_plain(text))
    # A password may be a birthday, an account's number begin like a phone's.
    if _any_of(_PASSWORDS).search(text):
        return True
    undated = _any_of(_DAYS).sub("…", text)
    if _any_of(_STATED_ACCOUNT).search(undated):
        return True
    rest = _any_of(_PHONES).sub("…", undated)
    return bool(_any_of(_NUMBERS + _NEAR_PASSWORDS).search(rest))


def _spelled_out(text: str) -> str:
    """Return a text in which digits that were written as three words or more are digits."""
    letter, word = f"[{''.join(_SPELLED)}]", rf"\b(?:{'|'.join(_DIGIT_WORDS)})\b"
    text = _replaced(
        rf"{letter}(?:[\s、,.-]*{letter}){{2,}}",
        lambda found: "".join(_SPELLED.get(one, "") for one in found[0]),
        text,
    )
    return _replaced(
        rf"{word}(?:[\s,-]+{word}){{2,}}",
        lambda found: "".join(
            str(_DIGIT_WORDS.index(one)) for one in regex.findall(word, found[0])
        ),
        text,
    )
