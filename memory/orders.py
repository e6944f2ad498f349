"""Orders: what tells the assistant how to behave, or imitates those who may."""

import regex

from memory.conversation import Turn
from memory.facts import Candidate, normalised
from memory.plain import CJK, any_of, is_marked, plain

_SELF = "助理|助手|(?:聊天)?機器人|ai|(?:chat)?bot|assistant|系統|system|[你妳您]|you|yourself"
"""Subjects that are the assistant, whatever it is called."""
_ADDRESSED = (
    r"(?:(?:也|就|還有|另外|但是?|而且|並且?|然後|以及|記住|記得|牢記|注意|切記|重要"
    r"|please|remember(?: to| that)?|note|important|also|and|but|then|hey|ok(?:ay)?)[\s,:]*){0,3}"
)
_START = rf"(?:^|(?<=[,.:;!?。、「『“\"'(\[【>》]\s?)){_ADDRESSED}"
"""Where a sentence begins, as an order does that names nobody."""
_RESTART = rf"(?:{_START}|(?<={CJK} ){_ADDRESSED})"
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


def is_self(subject: str) -> bool:
    """Say whether a subject is the assistant, called by no name: 「機器人」, "you"."""
    return bool(regex.fullmatch(_SELF, normalised(plain(subject))))


def is_order(candidate: Candidate, turn: Turn) -> bool:
    """Say whether a candidate orders the assistant about, or comes of what imitates a prompt.

    Args:
        candidate: What is proposed, cleaned or not.
        turn: The turn that is said to tell it; no mark of a prompt may be in it.
    """
    if any(map(is_marked, (candidate.text, candidate.subject, candidate.evidence, turn.text))):
        return True
    texts = [plain(candidate.text)]
    if not is_self(candidate.subject):
        texts.append(plain(candidate.subject))
    # 「忽 略」 is still 「忽略」.
    dense = [regex.sub(rf"(?<={CJK})[\s·•*_~.|/\\-]+(?={CJK})", "", text) for text in texts]
    orders = any_of(_CHINESE_ORDERS + _ENGLISH_ORDERS + _ROLES)
    return any(map(orders.search, texts + dense))
