"""Promises: whether the model says that it has seen to a reminder."""

import regex

_QUOTED = regex.compile(r"「[^」]*」|\"[^\"]*\"")
_CLAUSE = regex.compile(r"(?:[^，,。！!？?；;：～~\n.:]|[.:](?!\s|$))+[？?：:]?")
"""Up to the next mark, of which only a question's and a colon belong to it."""

_CLAIMS = regex.compile(
    r"""
      ⏰
      # It will say it: 八點會提醒你, 提醒爸爸買牛奶, 我七點叫你.
    | 提醒 (?:[你妳您他她]|大家|全家) (?!$)
    | (?:我|會|再|到時|屆時|時候|點|半|後|天|週|早|晚|每) .{0,16}
      (?<![個則項有的]) 提醒 (?!\s*(?:[我過是在的：:]|事項|清單|功能))
    | (?:我|再|到時|屆時|時候|點|半|後|天|週|早|晚|每) .{0,16}
      (?:通知|叫醒|叫|喊) (?:[你妳您他她爸媽]|大家|全家)
    | (?:提醒|鬧鐘|鬧鈴) 會
    | (?:到時|屆時|時候|點|半|後) .{0,10} (?:[跟和][你妳您大]家?說|告訴[你妳您大]|說一聲)
      # It has seen to it: 提醒設好了, 已取消 #3, 幫你把鬧鐘改到七點.
    | ^(?=.*(?:提醒|鬧鐘|鬧鈴|[#＃]\s?\d))
      (?=.*(?:已|好|完成|成功|了|囉|喔|[幫為替][你妳您大]|[設改]在|[設改]到|[設改]成|更新為))
      .*(?:設|建立|新增|加|排|改|更新|調|取消|刪|移)(?!不)
    | 設定?(?:好|完成|成功)

    | \b(?:I|we)(?:'ll|\ will|\ shall|\ won't\ forget|'m\ going\ to|\ am\ going\ to)\b .{0,30}
      \b(?:remind|notify|alert|ping|text|message|wake|let\ \w+\ know|tell|call)\b
    | \breminding\ (?!me\b)\w
    | \byou(?:'ll|\ will)\ (?:get|receive|have|be)\b .{0,20} \b(?:remind|alarm)
    | \b(?:reminder|alarm)s?\b .{0,30}
      \b(?:now|set|scheduled|cancell?ed|changed|updated|created|added|moved|removed|deleted)\b
    | (?<!\bto\ )
      \b(?:set|scheduled|changed|updated|created|added|moved|cancell?ed|removed|deleted)\b
      .{0,30} (?:\b(?:reminder|alarm)|\#\d)
    """,
    regex.IGNORECASE | regex.VERBOSE,
)
_NOT_SO = regex.compile(
    r"""
      要不要 | 需要我 | 是否 | (?<!你)要我 | 可以(?![喔啊的]) | 如果 | 輸入 | 告訴我 | 跟我說
    | 沒(?!問題|錯|關係|空|事) | 無法 | 尚未 | 不會(?!忘) | 不[能行了]
    | \b(?:I|we)\ can\b | \b(?:shall|should|could)\ I\b | \b(?:would|do)\ you\b
    | \b(?:not|unable|nothing|no\ (?:reminder|alarm)s?)\b | (?<!\bwo)n't\b | \bwon't(?!\ forget)
    """,
    regex.IGNORECASE | regex.VERBOSE,
)
"""Before a claim: it is denied, or offered. Behind it, it may belong to what is to be said."""
_LEFT_OPEN = regex.compile(
    r"[？?]$|[嗎呢]$|的話$|失敗|\bif (?:you|it)\b.{0,8}\b(?:want|like|prefer|helps)(?: me to)?$",
    regex.IGNORECASE,
)


def promises(text: str) -> bool:
    """Say whether a text claims that a reminder is set, changed or cancelled, or will be said.

    A question does not, nor does what denies it. In doubt it does: where that is wrong, the model
    is asked once more, which costs a call; the other way, a family misses what it counted on.
    """
    return any(map(_claims, _CLAUSE.findall(_QUOTED.sub("「」", text.replace("’", "'")))))


def _claims(clause: str) -> bool:
    clause = clause.strip()
    claim = _CLAIMS.search(clause)
    if not claim or _LEFT_OPEN.search(clause):
        return False
    return not _NOT_SO.search(clause, endpos=claim.end())
