"""Plain reading: a text as it is meant, however it is written.

Whoever wants to slip something past a pattern writes it full-width, as the mainland does, or with
letters nobody sees; a phone does so by chance.
"""

import unicodedata
from functools import cache

import regex

_HIDDEN = r"(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]"
"""Characters nobody sees; the selectors that make a sign an emoji are harmless."""
_CHINESE = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}"
CJK = f"[{_CHINESE}]"
"""The pattern of a letter of Chinese and its neighbours."""
UNSPACED = rf"[{_CHINESE}\p{{Thai}}\p{{Lao}}\p{{Khmer}}\p{{Myanmar}}]"
"""The pattern of a letter of what is written without spaces between words."""
WORD = rf"(?:(?!{UNSPACED})[\p{{L}}\p{{M}}]){{2,}}"
"""The pattern of a word where words are spaced."""
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


def plain(text: str) -> str:
    """Return a text as patterns read it: half-width, small, traditional, and in sight.

    「Ｗｉ－Ｆｉ 密码」 becomes 「wi-fi 密碼」, and any script's digits become 0 to 9.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_TRADITIONAL)
    spaced = regex.sub(r"\s", " ", folded)
    shown = regex.sub(rf"{_HIDDEN}|[\uFE0E\uFE0F\u20E3]", "", spaced)
    return str(regex.sub(r"[^\P{Nd}0-9]", _ascii_digit, shown))


def _ascii_digit(found: regex.Match[str]) -> str:
    return str(unicodedata.digit(found[0], found[0]))


def one_line(text: str) -> str:
    """Return a text as it looks, in one line: without what is unseen, and without prompts' marks.

    「<s>媽媽  愛喝茶</s>」 becomes 「媽媽 愛喝茶」. Marks that only come out by that go as well.
    """
    before = None
    while before != text:
        before = text
        text = regex.sub(_HIDDEN, "", " ".join(text.split()))
        text = regex.sub(_MARK, " ", text, flags=regex.IGNORECASE)
        text = unicodedata.normalize("NFC", " ".join(text.split()))
    return text


def is_marked(text: str) -> bool:
    """Say whether a text, not yet in one line, has a mark of prompts, such as <|system|>."""
    return bool(regex.search(_MARK, text, regex.IGNORECASE))


def whole_word(name: str) -> str:
    """Return the pattern of a name. "Amy" is not in "Amyloid", but is in 「請Amy記」."""
    begins, ends = (rf"(?:(?<!{_LETTER})|(?!{_LETTER}))" for _ in range(2))
    return rf"{begins}{regex.escape(name)}{ends}"


def without_name(text: str, name: str) -> str:
    """Return a plain text with a space wherever it names somebody or something."""
    name = plain(name).strip()
    return str(regex.sub(whole_word(name), " ", text)) if name else text


@cache
def any_of(rows: tuple[str, ...]) -> regex.Pattern[str]:
    """Return the pattern of a table of patterns, made when it is first asked for."""
    return regex.compile("|".join(rows))
