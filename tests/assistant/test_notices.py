"""The commands: what they show, page by page, and what they change."""

import itertools
import json
import re
from dataclasses import dataclass
from datetime import date, timedelta

import pytest

from assistant.agenda import Agenda
from assistant.bubbles import BUBBLE, BUBBLES, units
from assistant.commands import parse
from assistant.notices import Notices
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.wording import wording
from local.clock import FrozenClock
from local.world import World
from memory.calls import patience
from memory.conversation import ASSISTANT, Turn
from memory.draft import Draft
from memory.facts import Candidate, Fact, to_document
from memory.gates import Gates
from memory.recall import Recall
from memory.store import Store
from memory.summary import Sentence
from tests.conftest import NAMES, NOW

MOM, DAD = "U1", "U2"
CHATS = itertools.count(1)
HELPER = Persona("小幫手")


@dataclass(frozen=True)
class Chat:
    """A chat of a world, and what is typed in it."""

    world: World
    id: str
    language: str = "zh-TW"

    @property
    def store(self):
        """What it is kept in."""
        services = self.world.services
        return Store(services.firestore, self.id, self.world.clock, patience=patience(4))

    def obey(self, text, *, by=MOM, said_at=NOW, remembers=True):
        """Return what is said to a command, and the draft of what it changes."""
        conversation = self.store.read()
        settings = self.world.settings
        prompt = Prompt(
            conversation.knowing(NAMES),
            HELPER,
            wording(self.language),
            settings.timezone,
            remembers=remembers,
        )
        notices = Notices(
            Turn("m9", by, text, said_at),
            Agenda(prompt, NOW),
            Gates(HELPER.names, settings.importance_floor),
            Recall(self.store, self.world.services),
            self.store,
        )
        reply, draft = notices.obey(parse(text, HELPER), conversation)
        return list(reply.bubbles), draft

    def done(self, text, **how):
        """Let a command be done; return what is said to it."""
        bubbles, draft = self.obey(text, **how)
        assert self.store.commit(draft)
        return bubbles

    def remember(self, *texts, by=MOM, days=1, shown=True, **more):
        """Store facts, each about whoever stands first in it; some are not shown."""
        draft = Draft(self.store.read(), NOW, 100_000)
        for text in texts:
            told = Turn(f"m-{days}", by, "", NOW - timedelta(days=days))
            candidate = Candidate(text, **{"subject": text[:2], "kind": "person", **more})
            no = draft.take(candidate, told).no
            if not shown:
                del draft.board[no]
                draft.hidden += 1
        assert self.store.commit(draft)

    def crowd(self, count, text="媽媽的第 {no} 件事", *, by=MOM):
        """Store many facts at once, none of them shown."""
        told = {"by": by, "said_at": NOW - timedelta(days=1), "sources": ("m-1",), "kind": "person"}
        crowd = [Fact(no, text.format(no=no), "媽媽", **told) for no in range(1, count + 1)]
        conversation = self.world.database.document(f"conversations/{self.id}")
        for first in range(0, count, 500):
            batch = self.world.database.batch()
            for fact in crowd[first : first + 500]:
                document = conversation.collection("facts").document(str(fact.no))
                batch.create(document, to_document(fact) | {"active": True})
            batch.commit()
        conversation.update({"hidden": count, "next_no": count + 1})

    def hear(self, *said, minutes=10):
        """Let things be said: pairs of who and what."""
        for number, (speaker, text) in enumerate(said, 1):
            turn = Turn(f"m{number}", speaker, text, NOW - timedelta(minutes=minutes - number))
            self.store.hear(f"e{self.id}{minutes}-{number}", turn, done=True)

    def summarize(self, *sentences):
        draft = Draft(self.store.read(), NOW, 100_000)
        draft.summary, draft.forgets = sentences, True
        assert self.store.commit(draft)

    @property
    def documents(self):
        """Everything of it, as text."""
        conversation = self.world.database.document(f"conversations/{self.id}")
        snapshots = [conversation.get()]
        for name in ("facts", "events", "digests"):
            snapshots += conversation.collection(name).get()
        everything = [snapshot.to_dict() for snapshot in snapshots]
        return json.dumps(everything, ensure_ascii=False, default=str)


@pytest.fixture(scope="module")
def shared(firestore):
    """One world for many chats."""
    with World(FrozenClock(NOW), firestore, names=NAMES) as world:
        yield world


@pytest.fixture
def chat(shared):
    """A chat in which nothing is remembered."""
    chat = f"C{next(CHATS)}"
    shared.activate(chat)
    return Chat(shared, chat)


@pytest.fixture
def english(chat):
    """The same, of a family that has chosen English."""
    return Chat(chat.world, chat.id, "en")


def fits(bubbles):
    """Say whether LINE takes these in one reply, and shows all of them."""
    return len(bubbles) <= BUBBLES and all(units(bubble) <= BUBBLE for bubble in bubbles)


# Showing.


def test_facts_are_listed_by_person_place_and_thing(chat):
    """
    What is remembered stands under whom or what it is about, with who told it, and when.
    """
    chat.remember("媽媽喜歡貓")
    chat.remember("嘉義有阿公", by=DAD, days=2, kind="place")
    chat.remember("爸爸釣魚", by="U9")
    chat.remember("媽媽考試", expires_on=date(2026, 12, 1))
    chat.remember("車子停 B2", kind="thing")
    chat.remember("過年回家", kind="concept")

    (bubble,), draft = chat.obey("/記憶")
    assert (
        "我記得 6 件事：\n"
        "【人】\n"
        "媽媽\n"
        "#1 媽媽喜歡貓（媽媽，2026-11-30）\n"
        "#4 媽媽考試（媽媽，2026-11-30; 到 2026-12-01）\n"
        "爸爸\n"
        "#3 爸爸釣魚（成員D72F，2026-11-30）\n"
        "【地方】\n"
        "嘉義\n"
        "#2 嘉義有阿公（爸爸，2026-11-29）\n"
        "【東西】\n"
        "車子\n"
        "#5 車子停 B2（媽媽，2026-11-30）\n"
        "【其他】\n"
        "過年\n"
        "#6 過年回家（媽媽，2026-11-30）\n"
        "要我忘記：/忘記 #號碼　要改：/改 #號碼 新的內容"
    ) == re.sub("成員[0-9A-F]{4}", "成員D72F", bubble)
    assert not draft.changes_anything


def test_a_day_is_the_familys(chat):
    """
    What was told late in the evening was told on the family's next day, or the day before.
    """
    told = Turn("m1", MOM, "", NOW.replace(hour=17))
    draft = Draft(chat.store.read(), NOW, 3000)
    draft.take(Candidate("媽媽喜歡貓", "媽媽"), told)
    assert chat.store.commit(draft)

    assert "（媽媽，2026-12-02）" in chat.obey("/記憶")[0][0]


def test_what_others_say_otherwise_is_shown(chat):
    """
    Both of two statements that can't be true together name the other.
    """
    chat.remember("媽媽喜歡貓")
    draft = Draft(chat.store.read(), NOW, 3000)
    told = Turn("m2", DAD, "", NOW)
    draft.take(Candidate("媽媽怕貓", "媽媽"), told, "contradict", [draft.board[1]])
    assert chat.store.commit(draft)

    (bubble,), _ = chat.obey("/記憶")
    assert "#1 媽媽喜歡貓（媽媽，2026-11-30; 和 #2 說法不同）" in bubble
    assert "#2 媽媽怕貓（爸爸，2026-12-01; 和 #1 說法不同）" in bubble


def test_what_is_not_on_the_board_is_listed_too(chat):
    """
    A list shows everything that holds, however little of it fits a prompt.
    """
    chat.remember("媽媽喜歡貓", shown=False)
    chat.remember("媽媽考完試", shown=False, expires_on=date(2026, 11, 30))
    chat.remember("爸爸釣魚")

    (bubble,), _ = chat.obey("/記憶")
    assert bubble.startswith("我記得 2 件事：")
    assert ["#1", "#3"] == re.findall(r"^#\d+", bubble, re.MULTILINE)


def test_where_nothing_is_remembered_that_is_said(chat, english):
    """
    An empty list tells how something gets onto it.
    """
    assert ["我還沒有記下什麼事。跟我說「記住…」，或平常聊天就好。"] == chat.obey("/記憶")[0]
    assert ['I have noted nothing yet. Say "remember …", or just talk.'] == (
        english.obey("/memory")[0]
    )


def test_an_export_has_everything(chat):
    """
    Facts, summary and window are printed, with names and the family's time.
    """
    chat.remember("媽媽喜歡貓")
    chat.summarize(Sentence("爸爸釣魚。"), Sentence("媽媽去日本。"))
    chat.hear((DAD, "早安"), (ASSISTANT, "早！"))

    (bubble,), draft = chat.obey("/匯出")
    assert (
        "我記得的一切（2026-12-01 18:00）\n"
        "【記事板】\n"
        "#1 媽媽喜歡貓（媽媽，2026-11-30）\n"
        "【更早之前的摘要】\n"
        "爸爸釣魚。\n"
        "媽媽去日本。\n"
        "【最近的對話】\n"
        "[2026-12-01 (二) 17:51] 爸爸：早安\n"
        "[2026-12-01 (二) 17:52] 小幫手：早！"
    ) == bubble
    assert not draft.changes_anything


def test_a_list_in_english_is_in_english(english):
    """
    Headings, notes and what to type are in the language the family chose.
    """
    english.remember("Mom likes cats", subject="Mom", expires_on=date(2026, 12, 8))

    assert [
        "I remember 1 things:\n"
        "[People]\n"
        "Mom\n"
        "#1 Mom likes cats (媽媽, 2026-11-30; until 2026-12-08)\n"
        "To forget one: /forget #number. To correct one: /change #number new words"
    ] == english.obey("/memory")[0]


# Pages.


def test_two_thousand_facts_are_read_page_by_page(chat):
    """
    However much is remembered, every fact stands on exactly one page, and LINE takes each page.
    """
    chat.crowd(2000)
    pages = []
    asked = "/記憶"
    while asked:
        bubbles, _ = chat.obey(asked)
        assert fits(bubbles)
        pages.append("\n".join(bubbles))
        note = re.search(r"（第 (\d)／(\d) 頁，看別頁請輸入「(/記憶 \d)」）$", pages[-1])
        assert (str(len(pages)), True) == (note[1], int(note[2]) > 1)
        asked = note[3] if note[1] < note[2] else ""

    listed = re.findall(r"^#(\d+) ", "\n".join(pages), re.MULTILINE)
    assert [str(no) for no in range(1, 2001)] == listed
    assert "省略" not in "".join(pages)
    assert "/記憶 1" == note[3]


def test_line_takes_every_page_of_an_export(world):
    """
    A long export goes out in as many bubbles as one reply may have; the second page is asked for.
    """
    chat = Chat(world, "U1")
    chat.crowd(60, "媽媽的第 {no} 件事是" + "很長" * 235)
    for text in ("/匯出", "/匯出 2", "/匯出 99"):
        world.say("U1", text)

    pages = [[message["text"] for message in sent.messages] for sent in world.line.sent]
    assert all(map(fits, pages))
    assert 2 < len(pages[0]) <= 5
    numbers = [re.findall(r"^#(\d+) ", "\n".join(page), re.MULTILINE) for page in pages]
    assert [str(no) for no in range(1, 61)] == numbers[0] + numbers[1]
    assert pages[1] == pages[2]
    assert pages[0][-1].endswith("（第 1／2 頁，看別頁請輸入「/匯出 2」）")
    assert [] == [line for line in world.journal.lines if line.get("to") == "gemini"]


@pytest.mark.parametrize("letters", ["長" * 1700, "🎉" * 1350, "長 " * 900])
def test_pages_of_long_turns_lose_nothing(chat, letters):
    """
    However the lines fall into bubbles, an export has all that was said, on one page or another.
    """
    chat.hear(
        *((MOM, f"開始{number}。{letters}結束{number}。") for number in range(14)), minutes=30
    )
    pages = []
    for number in range(1, 6):
        bubbles, _ = chat.obey(f"/匯出 {number}")
        assert fits(bubbles)
        pages += [bubbles] if bubbles not in pages else []

    printed = "\n".join("".join(bubbles) for bubbles in pages)
    assert [] == [
        mark
        for number in range(14)
        for mark in (f"開始{number}。", f"結束{number}。")
        if mark not in printed
    ]
    assert "省略" not in printed


@pytest.mark.parametrize(
    ("page", "typed"),
    [
        ("1", ""),
        ("1", " 1"),
        ("2", " 2"),
        ("2", " 99"),
        ("1", " 0"),
        ("1", " 下一頁"),
        ("2", "　２"),
    ],
)
def test_a_page_is_asked_for_by_number(english, page, typed):
    """
    Without a number it is the first page, beyond the last it is the last.
    """
    english.hear(*((MOM, f"{number} " + "long " * 380) for number in range(15)), minutes=30)

    bubbles, _ = english.obey(f"/export{typed}")
    other = {"1": "2", "2": "1"}[page]
    assert bubbles[-1].endswith(f'(Page {page} of 2; type "/export {other}" for another)')


# Forgetting some.


def test_hidden_facts_are_forgotten_like_others(chat):
    """
    What is not on the board is forgotten by its number, and counted off.
    """
    chat.remember("媽媽喜歡貓", "媽媽怕狗", shown=False)
    chat.remember("爸爸釣魚")

    assert ["忘掉了：#3 #1"] == chat.done("/忘記 #1 #3")
    conversation = chat.store.read()
    assert ({}, 1) == (conversation.board, conversation.hidden)
    assert "貓" not in chat.documents
    assert "狗" in chat.documents


def test_numbers_that_are_not_there_are_told(chat, english):
    """
    What can be forgotten is; of the rest the family learns which it was.
    """
    chat.remember("媽媽喜歡貓")

    assert ["忘掉了：#1\n沒有這個號碼：#7 #8"] == chat.done("/忘記 8、1 7")
    assert ["There is no #1"] == english.obey("/forget #1")[0]


@pytest.mark.parametrize("typed", ["/忘記", "/忘記 貓", "/改", "/改 #1", "/改 貓 狗", "/改 #一 狗"])
def test_a_command_without_a_number_changes_nothing(chat, typed):
    """
    Whoever does not say which fact is told how.
    """
    chat.remember("媽媽喜歡貓")

    (bubble,), draft = chat.obey(typed)
    assert "請寫出號碼" in bubble
    assert not draft.changes_anything


def test_line_takes_the_answer_to_a_thousand_numbers(chat):
    """
    However many numbers are typed, what is said to them fits a message.
    """
    bubbles, draft = chat.obey(f"/忘記 {' '.join(map(str, range(1, 1101)))}")

    assert fits(bubbles)
    assert not draft.changes_anything


def test_somebody_elses_fact_may_be_forgotten(chat):
    """
    A notice board has no owners: whoever sees a fact may have it forgotten.
    """
    chat.remember("爸爸釣魚", by=DAD)

    assert ["忘掉了：#1"] == chat.done("/忘記 #1", by=MOM)
    assert "釣魚" not in chat.documents


# Correcting.


@pytest.mark.parametrize(
    "typed",
    [
        "/改 #1 媽媽怕狗，也怕貓！",
        "/改 1 媽媽怕狗，也怕貓！",
        "／改　＃１　媽媽怕狗，也怕貓！",
        "/改 #1\n媽媽怕狗，也怕貓！",
    ],
)
def test_new_words_take_the_place_of_the_old(chat, typed):
    """
    A corrected fact is whose that corrected it, and else what it was; its words are as typed.
    """
    chat.remember("媽媽喜歡貓", by=DAD, kind="thing", category="hobby", importance=0.9)

    assert ["改好了：#1 換成 #2「媽媽怕狗，也怕貓！」"] == chat.done(typed)
    (fact,) = chat.store.read().board.values()
    assert ("媽媽怕狗，也怕貓！", MOM, NOW, (1,)) == (
        fact.text,
        fact.by,
        fact.said_at,
        fact.replaces,
    )
    assert ("媽媽", "thing", "hobby", 0.9) == (
        fact.subject,
        fact.kind,
        fact.category,
        fact.importance,
    )


def test_a_hidden_fact_is_corrected_onto_the_board(chat):
    """
    What is new is shown, and what it took the place of is not counted any more.
    """
    chat.remember("媽媽喜歡貓", shown=False)
    chat.done("/改 #1 媽媽怕貓")

    conversation = chat.store.read()
    assert ({2: "媽媽怕貓"}, 0) == (
        {no: fact.text for no, fact in conversation.board.items()},
        conversation.hidden,
    )
    assert [2] == [fact.no for fact in chat.store.records.all()]


def test_a_relative_day_is_corrected_to_a_date(chat):
    """
    What is typed is cleaned like everything that is remembered.
    """
    chat.remember("媽媽考試")

    assert ["改好了：#1 換成 #2「媽媽2026-12-02考試」"] == chat.done("/改 #1 媽媽明天考試")


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("secret", "媽媽的提款卡密碼是 1234"),
        ("instruction", "以後都用英文回答"),
        ("assistant", "小幫手最笨"),
        ("too long", "媽媽" + "很" * 600),
        ("empty", "。。。"),
    ],
)
def test_what_is_typed_has_to_pass_the_gates(chat, reason, text):
    """
    A correction is no way around what may not be remembered.
    """
    chat.remember("媽媽喜歡貓")

    bubbles, draft = chat.obey(f"/改 #1 {text}")
    assert ([wording("zh-TW").refused[reason]], False) == (bubbles, draft.changes_anything)


def test_what_is_not_there_can_not_be_corrected(chat):
    """
    A number without a fact is named, be it ever so long.
    """
    for number in (7, 10**20):
        bubbles, draft = chat.obey(f"/改 #{number} 媽媽怕貓")
        assert ([f"沒有這個號碼：#{number}"], False) == (bubbles, draft.changes_anything)


# Forgetting somebody.


def test_everything_somebody_told_is_forgotten(chat):
    """
    Their facts, superseded ones too, their turns and sentences are nowhere; others' stay.
    """
    chat.remember("媽媽喜歡貓", "媽媽怕狗", shown=False)
    chat.remember("媽媽畫畫")
    chat.remember("爸爸釣魚", by=DAD)
    chat.done("/改 #3 媽媽游泳")
    chat.summarize(
        Sentence("媽媽種花。", ("m-9",), (MOM,)), Sentence("爸爸下棋。", ("m-8",), (DAD,))
    )
    chat.hear((MOM, "我去跳舞"), (DAD, "我去爬山"))

    assert ["好，你說過的話和記下的 3 件事我都忘了。"] == chat.done("/忘記我")
    documents = chat.documents
    assert [] == [
        word for word in ("貓", "狗", "畫畫", "游泳", "種花", "跳舞") if word in documents
    ]
    assert [] == [word for word in ("釣魚", "下棋", "爬山") if word not in documents]
    assert 0 == chat.store.read().hidden


def test_of_hundreds_of_facts_none_is_left(chat):
    """
    More than one batch can delete is forgotten all the same, and the others are not touched.
    """
    chat.crowd(450)
    chat.remember("爸爸釣魚", by=DAD)
    chat.remember("媽媽喜歡貓")

    assert ["好，你說過的話和記下的 451 件事我都忘了。"] == chat.done("/忘記我")
    assert ["爸爸釣魚"] == [fact.text for fact in chat.store.records.every()]
    assert [451] == [*chat.store.read().board]
    assert 0 == chat.store.read().hidden


def test_what_somebody_says_later_is_not_forgotten(chat):
    """
    A command that comes late forgets what had been told when it was typed.
    """
    chat.remember("媽媽喜歡貓", days=2)
    chat.remember("媽媽畫畫", days=0)
    chat.hear((MOM, "從前"), minutes=90)
    chat.store.hear("later", Turn("m8", MOM, "後來", NOW - timedelta(minutes=1)), done=True)
    chat.done("/忘記我", said_at=NOW - timedelta(minutes=5))

    assert {2: "媽媽畫畫"} == {no: fact.text for no, fact in chat.store.read().board.items()}
    assert ["後來"] == [turn.text for turn in chat.store.read().turns]


# Deleting everything.


@pytest.mark.parametrize(
    "typed", ["/全部刪除", "/全部刪除 好", "/全部刪除 不確定", "/deleteall no"]
)
def test_deleting_everything_is_asked_once_more(chat, typed):
    """
    Without the word that says so nothing is deleted.
    """
    chat.remember("媽媽喜歡貓")

    (bubble,), draft = chat.obey(typed)
    assert ("請輸入「/全部刪除 確定」" in bubble, draft.changes_anything) == (True, False)


@pytest.mark.parametrize("typed", ["/全部刪除 確定", "/全部刪除　確定", "/deleteall YES"])
def test_everything_is_deleted(chat, typed):
    """
    Facts that are shown, hidden, superseded or retired, summary, window and names are gone.
    """
    chat.remember("媽媽喜歡貓", "媽媽怕狗", shown=False)
    chat.remember("媽媽畫畫", "爸爸釣魚")
    chat.done("/改 #3 媽媽游泳")
    retiring = Draft(chat.store.read(), NOW, 3000)
    retiring.retire(chat.store.records.get([2]))
    retiring.names = NAMES
    assert chat.store.commit(retiring)
    chat.summarize(Sentence("媽媽種花。", ("m-9",), (MOM,)))
    chat.hear((MOM, "我去跳舞"))

    assert ["都刪掉了。我在這裡什麼都不記得了，可以重新開始。"] == chat.done(typed)
    assert [] == chat.store.records.every()
    documents = chat.documents
    assert [] == [word for word in ("媽媽", "爸爸", "跳舞", "種花") if word in documents]
    assert 6 == chat.store.read().next_no


def test_a_deletion_keeps_what_was_said_after_it(chat):
    """
    A command that comes late deletes what there was when it was typed.
    """
    chat.remember("媽媽喜歡貓", days=2)
    chat.remember("媽媽畫畫", days=0)
    chat.summarize(
        Sentence("從前。", said_at=NOW - timedelta(days=1)), Sentence("後來。", said_at=NOW)
    )
    chat.hear((MOM, "從前"), minutes=90)
    chat.store.hear("later", Turn("m8", MOM, "後來", NOW - timedelta(minutes=1)), done=True)
    chat.done("/全部刪除 確定", said_at=NOW - timedelta(minutes=5))

    conversation = chat.store.read()
    assert {2: "媽媽畫畫"} == {no: fact.text for no, fact in conversation.board.items()}
    assert [2] == [fact.no for fact in chat.store.records.every()]
    assert ["後來。"] == [sentence.text for sentence in conversation.summary]
    assert ["後來"] == [turn.text for turn in conversation.turns]


def test_a_deletion_leaves_no_name_behind(world):
    """
    Also a name that was asked for only now, to do what was typed, is forgotten with the rest.
    """
    for user in (MOM, DAD):
        world.say(user, "早安", "C1")
    world.say(MOM, "/全部刪除 確定", "C1")

    documents = json.dumps(world.documents(), ensure_ascii=False, default=str)
    assert [] == [word for word in ("媽媽", "爸爸", "早安") if word in documents]


# Elsewhere, and whatever the model does.


def test_one_chat_is_not_anothers_to_see_or_delete(shared, chat):
    """
    Commands reach the chat they are typed in, also where another's id begins like it.
    """
    other = Chat(shared, f"{chat.id}0")
    shared.activate(other.id)
    other.remember("爸爸釣魚")
    other.hear((DAD, "晚安"))

    for typed in ("/記憶", "/匯出", "/忘記 #1", "/忘記我", "/全部刪除 確定"):
        assert "釣魚" not in "".join(chat.obey(typed, by=DAD)[0])
    chat.done("/全部刪除 確定")
    assert {1: "爸爸釣魚"} == {no: fact.text for no, fact in other.store.read().board.items()}
    assert [1] == [fact.no for fact in other.store.records.all()]


@pytest.mark.parametrize("typed", ["/記憶", "/忘記 #1", "/改 #1 媽媽怕貓"])
def test_where_no_facts_are_kept_that_is_said(chat, english, typed):
    """
    Commands for facts tell that there are none in this deployment.
    """
    chat.remember("媽媽喜歡貓")

    bubbles, draft = chat.obey(typed, remembers=False)
    assert (["這裡沒有開啟長久記憶，我只記得最近的對話。"], False) == (
        bubbles,
        draft.changes_anything,
    )
    assert "switched off" in english.obey(typed, remembers=False)[0][0]


def test_where_no_facts_are_kept_the_rest_can_be_seen_and_forgotten(chat):
    """
    Whatever a deployment keeps, a member can print it and have it deleted.
    """
    chat.hear((MOM, "我去跳舞"), (DAD, "我去爬山"))
    assert "跳舞" in chat.obey("/匯出", remembers=False)[0][0]
    chat.done("/忘記我", remembers=False)
    assert ["我去爬山"] == [turn.text for turn in chat.store.read().turns]
    chat.done("/全部刪除 確定", remembers=False)

    assert () == chat.store.read().entries


def test_help_tells_every_command(chat, english):
    """
    What can be typed is told in the family's language, with the assistant's name.
    """
    (help_page,), draft = chat.obey("/說明")
    for typed in (
        "/記憶",
        "/忘記 #12",
        "/改 #12",
        "/忘記我",
        "/匯出",
        "/全部刪除",
        "/說明",
        "小幫手",
    ):
        assert typed in help_page
    (english_page,), _ = english.obey("/help")
    for typed in ("/memory", "/forget #12", "/change #12", "/forgetme", "/export", "/deleteall"):
        assert typed in english_page
    assert not draft.changes_anything
