"""A long conversation to replay: MemoryBank's Chinese dialogues, or ones of the same shape.

MemoryBank-SiliconFriend (MIT, zhongwanjun) tells of 15 people who talk to their assistant on each
of 10 days. Their days are laid on one another, so that the 15 are one group.
"""

import json
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

FOLDER = Path(__file__).parent.parent.parent / "shared/data/memorybank-cn"
ZONE = ZoneInfo("Asia/Taipei")

_FILE = "memory_bank_cn.json"
_PEOPLE = (
    *("王美玲", "陳志明", "林淑芬", "張家豪", "李雅婷", "黃俊傑", "吳佩珊", "劉建宏", "蔡宜君"),
    *("楊承翰", "許惠如", "鄭文雄", "謝欣怡", "郭明哲", "洪麗華"),
)
_FIRST_DAY, _DAYS = date(2023, 4, 27), 10
_SHAPES = ((math.log(34), 0.35), (math.log(49), 0.55))
"""Of the lengths of what people say and are answered: as log-normal as MemoryBank's are."""
_LONGEST = 200
_MORNING = time(8)
_BETWEEN = timedelta(minutes=55)
"""From one person's first words on a day to the next one's."""


@dataclass(frozen=True, slots=True)
class Known:
    """A fact about somebody's home, as it is told, remembered, and asked for."""

    speaker: str
    thing: str
    detail: str
    """What nothing else in the conversation says."""

    @property
    def told(self) -> str:
        """The words of it, as they stand in a message."""
        return f"我家的{self.thing}{self.detail}"

    @property
    def text(self) -> str:
        """The fact, as others would say it."""
        return f"{self.speaker}家的{self.thing}{self.detail}"

    @property
    def question(self) -> str:
        """What asks for it."""
        return f"還記得我家的{self.thing}嗎？"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What somebody said, and what the assistant answered."""

    at: datetime
    speaker: str
    """A display name."""
    text: str
    answer: str
    asks: Known | None = None
    """The fact it asks for."""


def load(folder: Path) -> tuple[str, list[Exchange]]:
    """Return MemoryBank's exchanges from its folder, or generated ones; and which they are."""
    path = folder / _FILE
    if path.exists():
        return f"MemoryBank's, from {folder}", read(path)
    return f"generated ones, for there is no {path}", generated()


def read(path: Path) -> list[Exchange]:
    """Read MemoryBank's file."""
    people = json.loads(path.read_text(encoding="utf-8"))
    return _timed(
        (date.fromisoformat(day), name, said["query"], said["response"])
        for name, person in people.items()
        for day, session in person["history"].items()
        for said in session
    )


def generated(exchanges: int = 566, seed: int = 1) -> list[Exchange]:
    """Return invented exchanges, as many people's and days' as MemoryBank's and as long."""
    rng = random.Random(seed)
    asked, answered = (_CLAUSES.split(), _REPLIES.split())
    return _timed(
        (
            _FIRST_DAY + timedelta(rng.randrange(_DAYS)),
            rng.choice(_PEOPLE),
            _words(rng, asked, rng.lognormvariate(*_SHAPES[0])),
            _words(rng, answered, rng.lognormvariate(*_SHAPES[1])),
        )
        for _ in range(exchanges)
    )


def planted(exchanges: Sequence[Exchange]) -> tuple[list[Exchange], list[Known]]:
    """Let facts be told along the way, each by whoever has just spoken; return them too."""
    details = [line.split() for line in _THINGS.splitlines() if line]
    told: list[Exchange] = []
    facts: list[Known] = []
    for number, exchange in enumerate(exchanges, 1):
        told.append(exchange)
        if number * len(details) // len(exchanges) > len(facts):
            facts.append(Known(exchange.speaker, *details[len(facts)]))
            words, at = f"記得喔，{facts[-1].told}。", exchange.at + timedelta(minutes=1)
            told.append(Exchange(at, exchange.speaker, words, "好，我知道了。"))
    return told, facts


def questions(facts: Iterable[Known], after: datetime) -> Iterator[Exchange]:
    """Yield a question for each fact, the first the day after; the answers give nothing away."""
    for number, fact in enumerate(facts):
        at = after + timedelta(days=1, minutes=number)
        yield Exchange(at, fact.speaker, fact.question, "記得，怎麼了？", asks=fact)


def _timed(said: Iterable[tuple[date, str, str, str]]) -> list[Exchange]:
    """Return exchanges day by day, person by person, and a few minutes apart."""
    said = list(said)
    order = {
        name: number for number, name in enumerate(dict.fromkeys(name for _, name, *_ in said))
    }
    exchanges: list[Exchange] = []
    for day, name, text, answer in sorted(said, key=lambda one: (one[0], order[one[1]])):
        begun = datetime.combine(day, _MORNING, ZONE) + order[name] * _BETWEEN
        before = exchanges[-1].at + timedelta(minutes=2) if exchanges else begun
        exchanges.append(Exchange(max(begun, before), name, text, answer))
    return exchanges


def _words(rng: random.Random, clauses: Sequence[str], length: float) -> str:
    text = rng.choice(clauses)
    while len(text) < min(length, _LONGEST):
        text += f"，{rng.choice(clauses)}"
    return f"{text}。"


_CLAUSES = """
早安 今天去公園走了一大圈 看到好多人在放風箏 最近在學做清蒸鱸魚 味道還不錯 工作有點累
想找一本好看的小說 你有什麼推薦嗎 昨晚睡得不太好 孩子的功課越來越難了 我想換個新的興趣
聽說附近開了一家咖啡店 週末打算去爬山 不知道要帶什麼 媽媽說想去看海 朋友約我去打羽球
我的肩膀一直很緊 是不是該去看醫生 剛看完一部電影 結局讓我想了很久 陽光真好 心情也跟著好起來
我正在練一首新的曲子 總是彈不順 鄰居送了一袋橘子 甜得不得了 下雨天只想待在家裡 你呢
想問問怎麼存錢比較好 老闆又臨時要開會 我們吵了一架 後來還是和好了 謝謝你聽我說這些
"""
_REPLIES = """
聽起來很棒呢 真為你高興 可以先從簡單的開始 慢慢來就好 記得多喝水 也要早點休息
你可以找幾個朋友一起去 這樣比較有伴 如果一直不舒服 還是去給醫生看看比較安心
我覺得這個想法很好 不妨試試看 每天花十分鐘練習 過一陣子就會看到進步 書店裡有不少這類的書
可以先翻翻目錄再決定 那家店的評價不錯 不過假日人比較多 吵架的時候先冷靜一下 再好好把話說開
你已經做得很好了 不要給自己太大的壓力 山上早晚溫差大 外套和雨具都要帶著 有什麼事隨時跟我說
我會一直在這裡聽你說 祝你有美好的一天 橘子可以做成果醬 放在冰箱裡能吃很久
"""
_THINGS = """
備用鑰匙 藏在玄關的花盆下
冷氣遙控器 收在電視櫃左邊的抽屜
貓 名字叫芝麻糊
狗 名字叫大麥
鸚鵡 只聽阿嬤的口哨
烏龜 名字叫石頭公
洗衣機 只放無香的洗衣精
車子 停在地下二樓的柱子旁
腳踏車 鎖在巷口麵包店的門口
掃地機器人 名字叫小旋風
飲水機 要用藍色的濾心
窗簾 是永樂市場的布行訂做的
沙發 是芥末黃的貓抓布
鋼琴 固定請林師傅來調音
信箱 卡住時要往右邊抬一下
陽台 種了香椿和紫蘇
冷凍庫 最下層是外婆包的水餃
咖啡豆 都買衣索比亞的淺焙
熱水器 是天然氣的數位恆溫款
醫藥箱 在浴室鏡子後面
族譜 由三叔公保管
年夜飯 一定有佛跳牆
電鍋 是大同的紅色十人份
書房 牆壁漆成霧灰藍
相簿 整套放在床底的藤箱
縫紉機 是祖母留下的勝家牌
吉他 弦要換最細的那一種
露營帳篷 借給了隔壁的阿泰
魚缸 養的是孔雀魚和水晶蝦
除濕機 水箱每個禮拜一倒
門鈴 壞了所以要用敲的
印表機 只認得黑色原廠碳粉
網路 是社區合約的光纖
米 固定跟池上的農會訂
醬油 只用西螺的黑豆釀
地毯 是土耳其旅行帶回來的
時鐘 比標準時間快五分鐘
桌遊 最常玩的是璀璨寶石
水電師傅 是廟口那位阿坤
牛奶 要買零乳糖的
嬰兒床 已經送給表姊了
雨傘 最大的那把是高爾夫傘
望遠鏡 可以看到土星環
烤箱 預熱要比食譜久一點
枕頭 要用蕎麥殼做的
棉被 是新竹那家老店打的
樓梯 第七階會吱吱叫
頂樓 有一座蜂箱
檯燈 燈泡是暖白光的
神明桌 初一十五供鮮花
"""
