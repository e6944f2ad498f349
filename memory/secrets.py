"""Secrets: passwords, and the numbers of cards, documents and accounts."""

import regex

from memory.numerals import NUMERAL
from memory.plain import any_of, plain

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
    rf"{_KEY}[^0-9,。;!?]{{0,6}}?(?:就?是|為|:)\s*{NUMERAL}{{2,}}",
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
    """Say whether a text has a password, or the number of a card, a document or an account.

    A password's name alone is none, nor are phones, dates, addresses and plates.
    """
    text = _spelled_out(plain(text))
    # A password may be a birthday, an account's number begin like a phone's.
    if any_of(_PASSWORDS).search(text):
        return True
    undated = any_of(_DAYS).sub("…", text)
    if any_of(_STATED_ACCOUNT).search(undated):
        return True
    rest = any_of(_PHONES).sub("…", undated)
    return bool(any_of(_NUMBERS + _NEAR_PASSWORDS).search(rest))


def _spelled_out(text: str) -> str:
    """Return a text in which digits that were written as three words or more are digits."""
    letter, word = f"[{''.join(_SPELLED)}]", rf"\b(?:{'|'.join(_DIGIT_WORDS)})\b"
    text = regex.sub(
        rf"{letter}(?:[\s、,.-]*{letter}){{2,}}",
        lambda found: "".join(_SPELLED.get(one, "") for one in found[0]),
        text,
    )
    spelled = regex.sub(
        rf"{word}(?:[\s,-]+{word}){{2,}}",
        lambda found: "".join(
            str(_DIGIT_WORDS.index(one)) for one in regex.findall(word, found[0])
        ),
        text,
    )
    return str(spelled)
