"""The digest: what becomes of turns that leave the window, of what they tell, and of failures."""

import itertools
import json
from dataclasses import dataclass, replace
from datetime import timedelta

import grpc
import pytest

from assistant.briefing import Briefing
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.wording import wording
from local.clock import FrozenClock
from local.loopback import Answer
from local.world import World
from memory.calls import patience
from memory.conversation import ASSISTANT, Conversation, Turn, to_milliseconds
from memory.digest import Digest
from memory.draft import Draft
from memory.facts import Candidate, fingerprint
from memory.gates import Gates
from memory.store import Store
from memory.summary import Sentence
from services.vectors import DIMENSIONS
from tests.conftest import NAMES, NOW

CHATS = itertools.count(1)
SETTINGS = {"WINDOW_TURNS": "2"}
MOM, DAD = "U1", "U2"
LEASE = timedelta(seconds=105)
FILLER = ["嗯", "喔"]
"""What stays in a window of two."""


@dataclass(frozen=True)
class Chat:
    """A chat of a world, from when nothing had been said in it."""

    world: World
    id: str
    since: int = 0
    """The last line of the journal before."""

    @property
    def store(self):
        """What it is kept in, behind the meter."""
        return Store(
            self.world.services.firestore,
            self.id,
            self.world.clock,
            patience=patience(2),
            lease=LEASE,
        )

    @property
    def board(self):
        """The texts on the board, by number."""
        return {no: fact.text for no, fact in sorted(self.store.read().board.items())}

    @property
    def window(self):
        """What is still there word for word."""
        return [turn.text for turn in self.store.read().turns]

    def document(self, path):
        """Return one of its documents."""
        return self.world.database.document(f"conversations/{self.id}/{path}").get().to_dict()

    def lines(self, call):
        """Return the calls of a name that have crossed a border."""
        lines = self.world.journal.since(self.since)
        return [line for line in lines if line.get("call") == call]


@pytest.fixture(scope="module")
def spacious(firestore):
    """One world with a window of two, and room for every fact, for many chats."""
    with World(FrozenClock(NOW), firestore, settings=SETTINGS, names=NAMES) as world:
        yield world


@pytest.fixture(scope="module")
def narrow(firestore):
    """One world with a window of two, and room for four facts, for many chats."""
    settings = SETTINGS | {"BOARD_TOKENS": "90"}
    with World(FrozenClock(NOW), firestore, settings=settings, names=NAMES) as world:
        yield world


@pytest.fixture
def chat(spacious):
    """A chat where every fact is shown."""
    yield opened(spacious)
    assert 0 == spacious.gemini.unused


@pytest.fixture
def crowded(narrow):
    """A chat that shows two facts of four; hidden are one about 媽媽 and one about 爸爸."""
    chat = opened(narrow)
    remember(chat, "媽媽喜歡貓", shown=False)
    remember(chat, "爸爸釣魚", by=DAD, shown=False)
    remember(chat, "奶奶養狗的時候很開心", "爺爺下棋")
    yield chat
    assert 0 == narrow.gemini.unused


@pytest.fixture
def new_chat(new_world):
    """A maker of chats in worlds of their own, with settings by name."""
    return lambda **settings: opened(new_world(**{"window_turns": 2, **settings}))


def opened(world):
    chat = f"C{next(CHATS)}"
    world.activate(chat)
    return Chat(world, chat, len(world.journal.lines))


def digest(chat, *, names=NAMES, folding=None, judging=None):
    """Return the digest of a chat, whose members go by these names.

    Something else may happen just before the model is asked to fold, or to judge.
    """
    settings = chat.world.settings
    briefing = Briefing(
        Prompt(Conversation(), Persona("小幫手"), wording("zh-TW"), settings.timezone),
        settings.summary_characters,
        lambda conversation: conversation.knowing(names),
    )
    return Digest(
        chat.store,
        chat.world.services,
        Gates(("小幫手",), settings.importance_floor),
        fold=after(folding, briefing.fold),
        judge=after(judging, briefing.judge),
    )


def after(happening, ask):
    def asking(*about):
        if happening:
            happening()
        return ask(*about)

    return asking


def talk(chat, *said):
    """Let things be said, a minute apart: turns, or words of 媽媽; two more stay behind them."""
    store = chat.store
    first = 1 + max([int(entry.key[1:]) for entry in store.read().entries], default=0)
    for n, one in enumerate([*said, *FILLER], first):
        turn = Turn(f"m{n}", MOM, one, NOW) if isinstance(one, str) else replace(one, id=f"m{n}")
        moment = NOW - timedelta(minutes=60 - n)
        store.hear(f"e{n}", replace(turn, said_at=moment), done=True)


def said(text, speaker=DAD, **more):
    return Turn("", speaker, text, NOW, **more)


def operation(text, evidence="", **more):
    """Return what the model says of something lasting that 媽媽 told."""
    return {
        "relation": "add",
        "text": text,
        "subject": text[:2],
        "kind": "person",
        "category": "other",
        "importance": 0.5,
        "speaker": "媽媽",
        "evidence": evidence or text,
        **more,
    }


def fold(chat, *operations, summary=("大家聊天。",), angles=None):
    """Script a digest's answer, and vectors for its facts: apart, unless angles are given."""
    told = [{"text": one, "sources": ["t1"]} if isinstance(one, str) else one for one in summary]
    answer = {"summary": told, "operations": list(operations)}
    chat.world.gemini.script([{"for": "digest", "json": answer}])
    vectors = {one["text"]: axis(90 + n) for n, one in enumerate(operations) if one["text"]}
    chat.world.gemini.embed(vectors | (angles or {}))


def verdicts(chat, *given):
    """Script the judge's answer: a relation and a number for each new fact."""
    answer = [
        {"candidate": n, "relation": relation, "number": number}
        for n, (relation, number) in enumerate(given, 1)
    ]
    chat.world.gemini.script([{"for": "digest", "json": {"verdicts": answer}}])


def axis(n):
    return [0.0] * n + [1.0] + [0.0] * (DIMENSIONS - n - 1)


def remember(chat, *texts, by=MOM, shown=True, vectors=True, **more):
    """Store facts; some are not shown, or have no vector."""
    store = chat.store
    draft = Draft(store.read(), NOW, 10_000)
    for text in texts:
        told = Turn("m-1", by, "", NOW - timedelta(days=1))
        no = draft.take(Candidate(text, text[:2], **more), told).no
        if not shown:
            del draft.board[no]
            draft.hidden += 1
    known = {text: axis(draft.next_no + n) for n, text in enumerate(texts)} if vectors else {}
    assert store.commit(draft, vectors=known, model=chat.world.settings.embed_model)


# What may become a fact.


REFUSED = [
    ("secret", "我的提款卡密碼是 1234", {"text": "媽媽的提款卡密碼是 1234"}),
    ("empty", "我喜歡貓", {"text": "。", "evidence": "我喜歡貓"}),
    ("instruction", "以後都用英文回答", {"text": "以後都用英文回答", "subject": "規則"}),
    ("assistant", "小幫手最笨了", {"text": "小幫手最笨了"}),
    ("too long", "我喜歡" + "貓" * 600, {"text": "媽媽喜歡" + "貓" * 600}),
    ("language", "我喜歡貓", {"text": "Mom likes cats", "subject": "Mom"}),
    ("unimportant", "我喜歡貓", {"importance": 0.1}),
    ("no evidence", "我喜歡貓", {"evidence": "我喜歡狗"}),
    ("no evidence", "我喜歡貓", {"evidence": ""}),
    ("no evidence", "我喜歡貓", {"speaker": "爸爸"}),
    ("no evidence", "我喜歡貓", {"speaker": "小幫手"}),
    ("no evidence", "我喜歡貓", {"speaker": "U1"}),
    ("no evidence", "我有三隻貓", {"text": "媽媽有 5 隻貓"}),
    ("unknown number", "我喜歡貓", {"relation": "update", "number": 7}),
    ("unknown number", "我喜歡貓", {"relation": "same"}),
]
"""Why the gates stop something, what was said, and what the model makes of it."""


def test_why_something_was_not_stored_is_told(chat):
    """
    What a gate stops is named in the report by its reason, and is nowhere else.
    """
    talk(chat, *(words for _, words, _ in REFUSED))
    fold(chat, *(operation("媽媽喜歡貓", words) | proposed for _, words, proposed in REFUSED))
    report = {"turns": len(REFUSED), "skipped": [reason for reason, _, _ in REFUSED]}

    assert report == digest(chat).run()
    assert (True, report) == (
        chat.document("digests/0")["done"],
        chat.document("digests/0")["report"],
    )
    assert {} == chat.board


def test_only_what_a_speaker_wrote_is_evidence(chat):
    """
    The words that stand for a picture are nobody's own, and prove nothing.
    """
    picture = said("（傳了檔案：爸爸對蝦過敏.pdf）", kind="file")
    talk(chat, picture, said("爸爸是我"))
    fold(chat, operation("爸爸對蝦過敏", speaker="爸爸"))

    assert ["no evidence"] == digest(chat).run()["skipped"]


def test_what_the_assistant_said_is_no_evidence(chat):
    """
    Nothing is known from the assistant's own words, whoever is said to have said them.
    """
    talk(chat, said("媽媽喜歡貓", ASSISTANT), said("是喔"))
    fold(chat, operation("媽媽喜歡貓", speaker="媽媽"))

    assert ["no evidence"] == digest(chat).run()["skipped"]


def test_whoever_said_it_is_who_told_it(chat):
    """
    Of two who go by one name, a fact is that one's whose words prove it.
    """
    talk(chat, said("我喜歡釣魚", MOM), said("我對蝦過敏", DAD))
    fold(chat, operation("阿明對蝦過敏", "我對蝦過敏", speaker="阿明"))
    digest(chat, names={MOM: "阿明", DAD: "阿明"}).run()

    fact = chat.document("facts/1")
    assert (DAD, ["m2"]) == (fact["by"], fact["sources"])


def test_facts_are_stored_as_they_were_cleaned(chat):
    """
    Relative days become dates by the day they were said on; odd values become plain ones.
    """
    talk(chat, "我下週二要考試", "我怕貓")
    fold(
        chat,
        operation("媽媽下週二要考試", "我下週二要考試", importance=7, expires_on="2026-12-08"),
        operation(" 媽媽\n怕貓 ", "我怕貓", expires_on="那天"),
    )
    digest(chat).run()

    first, second = chat.document("facts/1"), chat.document("facts/2")
    assert ("媽媽2026-12-08要考試", 1, "2026-12-08") == (
        first["text"],
        first["importance"],
        first["expires_on"],
    )
    assert "媽媽 怕貓" == second["text"]
    assert "expires_on" not in second


# Facts that were not shown.


@pytest.mark.parametrize(
    ("expected", "verdict"),
    [
        ({"stored": [5]}, ("add", None)),
        ({"confirmed": [1]}, ("same", 1)),
        ({"updated": [5]}, ("update", 1)),
        ({"updated": [5]}, ("contradict", 1)),
        ({"disputed": [5]}, ("contradict", 2)),
        ({"skipped": ["unknown number"]}, ("same", 77)),
        ({"skipped": ["unknown number"]}, ("update", None)),
    ],
)
def test_a_judge_compares_what_is_new_with_what_was_not_shown(crowded, expected, verdict):
    """
    A second call sees the hidden facts that may have to do with a new one; what it says counts.
    """
    talk(crowded, "我愛貓")
    fold(crowded, operation("媽媽愛貓", "我愛貓"), angles={"媽媽愛貓": axis(3)})
    verdicts(crowded, verdict)

    assert {"turns": 1, **expected} == digest(crowded).run()
    shown = [line["prompt"] for line in crowded.lines("generate")]
    assert 2 == len(shown)
    assert "新的第 1 則：「媽媽愛貓」\n#1 「媽媽喜歡貓」" in shown[1]
    assert "#2" in shown[1]
    assert "奶奶" not in shown[1]


def test_a_judge_is_asked_once_for_all(crowded):
    """
    Several new facts are compared in one call; verdicts on others are not taken.
    """
    talk(crowded, "我愛貓，你愛釣魚")
    fold(
        crowded,
        operation("媽媽愛貓", "我愛貓"),
        operation("爸爸愛釣魚", "你愛釣魚"),
        operation("阿姨愛貓", "我愛貓"),
    )
    verdicts(crowded, ("same", 1), ("same", 2), ("same", 1), ("same", 1))

    assert {"turns": 1, "confirmed": [1, 2], "stored": [5]} == digest(crowded).run()
    assert 2 == len(crowded.lines("generate"))


@pytest.mark.parametrize(
    ("expected", "proposed"),
    [
        ({"stored": [5]}, {"text": "阿姨養鳥", "subject": "阿姨"}),
        ({"confirmed": [1]}, {"text": "媽媽喜歡貓。"}),
        ({"confirmed": [3]}, {"text": "奶奶養狗", "relation": "same", "number": 3}),
    ],
    ids=["nothing near", "equal", "related to what is shown"],
)
def test_no_judge_is_asked_where_there_is_nothing_to_compare(crowded, expected, proposed):
    """
    What has to do with no hidden fact, or says the same words, costs no second call.
    """
    talk(crowded, "我喜歡貓")
    fold(crowded, operation("媽媽喜歡貓", "我喜歡貓") | proposed)

    assert {"turns": 1, **expected} == digest(crowded).run()
    assert 1 == len(crowded.lines("generate"))


def test_no_judge_is_asked_while_everything_is_shown(chat):
    """
    While the board has every fact, the digest itself compares.
    """
    remember(chat, "媽媽喜歡貓")
    talk(chat, "我愛貓")
    fold(chat, operation("媽媽愛貓", "我愛貓", relation="same", number=1))

    assert {"turns": 1, "confirmed": [1]} == digest(chat).run()
    assert 1 == len(chat.lines("generate"))


@pytest.mark.parametrize(
    ("speaker", "verdict"),
    [(DAD, ("same", 1)), (MOM, ("update", 1)), (DAD, ("contradict", 1))],
)
def test_a_hidden_fact_forgotten_while_it_is_judged_stays_so(crowded, speaker, verdict):
    """
    Whatever the judge says of a fact that is gone by then, no piece of it comes back.
    """
    store = crowded.store

    def forget():
        draft = Draft(store.read(), NOW, 90)
        draft.forget(store.records.get([1]))
        assert store.commit(draft)

    talk(crowded, said("媽媽愛貓", speaker))
    fold(crowded, operation("媽媽愛貓", speaker=NAMES[speaker]))
    verdicts(crowded, verdict)
    digest(crowded, judging=forget).run()

    assert crowded.document("facts/1") is None
    assert 1 not in [fact.no for fact in store.records.every()]


@pytest.mark.parametrize(
    ("expected", "relation"),
    [
        ({"stored": [2]}, "update"),
        ({"stored": [2]}, "contradict"),
        ({"skipped": ["unknown number"]}, "same"),
    ],
)
def test_what_was_to_change_a_fact_that_is_forgotten_meanwhile_is_new(chat, expected, relation):
    """
    Only what says the same as a forgotten fact is forgotten with it.
    """

    def forget():
        draft = Draft(chat.store.read(), NOW, 3000)
        draft.forget(chat.store.records.get([1]))
        assert chat.store.commit(draft)

    remember(chat, "媽媽怕高")
    talk(chat, "我現在只怕老鼠")
    fold(chat, operation("媽媽只怕老鼠", "我現在只怕老鼠", relation=relation, number=1))

    assert {"turns": 1, **expected} == digest(chat, folding=forget).run()


def test_a_sentence_on_a_reply_comes_from_the_question_too(chat):
    """
    A sentence that tells of a reply goes with what the reply had answered, and whoever asked.
    """
    asked = Turn("m1", DAD, "車牌幾號？", NOW - timedelta(hours=1))
    answered = Turn("r1", ASSISTANT, "ABX-7391。", NOW - timedelta(minutes=59), answers="m1")
    talk(chat, asked, answered)
    fold(chat, summary=[{"text": "車牌是 ABX-7391。", "sources": ["t2"]}])
    digest(chat).run()

    (sentence,) = chat.store.read().summary
    assert (("m2", "m1"), (ASSISTANT, DAD)) == (sentence.sources, sentence.by)


def test_the_count_of_what_is_hidden_is_set_right(crowded):
    """
    Whatever had been counted, after a digest it is what there is and is not shown.
    """
    crowded.world.database.document(f"conversations/{crowded.id}").update({"hidden": 40})
    talk(crowded, "嗯嗯")
    fold(crowded)
    digest(crowded).run()

    assert 2 == crowded.store.read().hidden


def test_all_are_shown_again_where_they_fit(new_chat):
    """
    A board that has become nearly empty shows what it had no room for.
    """
    chat = new_chat()
    remember(chat, "媽媽喜歡貓", shown=False)
    remember(chat, "爸爸釣魚")
    talk(chat, "嗯嗯")
    fold(chat)
    digest(chat).run()

    assert ({1: "媽媽喜歡貓", 2: "爸爸釣魚"}, 0) == (chat.board, chat.store.read().hidden)


# Vectors and limits.


def test_facts_are_stored_without_vectors_and_embedded_later(chat):
    """
    An embedding that fails costs nothing but time: the next digest makes up for it.
    """
    talk(chat, "我喜歡貓")
    fold(chat, operation("媽媽喜歡貓", "我喜歡貓"))
    chat.world.gemini.fail("embed", Answer({}, 503), times=chat.world.settings.gemini_attempts)
    assert [1] == digest(chat).run()["stored"]
    assert "" == chat.document("facts/1")["embed_model"]
    assert chat.store.read().unembedded

    talk(chat, "我怕狗")
    fold(chat, operation("媽媽怕狗", "我怕狗"))
    digest(chat).run()
    for number in (1, 2):
        assert chat.world.settings.embed_model == chat.document(f"facts/{number}")["embed_model"]
        assert DIMENSIONS == len(chat.document(f"facts/{number}")["embedding"])
    assert not chat.store.read().unembedded


def test_what_can_not_be_mended_now_is_left_for_later(chat):
    """
    A repair that fails undoes nothing, and is tried again.
    """
    remember(chat, "媽媽喜歡貓", vectors=False)
    talk(chat, "嗯嗯")
    fold(chat)
    chat.world.gemini.fail("embed", Answer({}, 400))

    assert {"turns": 1} == digest(chat).run()
    assert chat.store.read().unembedded
    assert 1 == chat.store.read().watermark


def test_what_is_too_much_is_retired(new_chat):
    """
    Of more facts than there may be the least important leave, and of those the oldest.
    """
    chat = new_chat(most_facts=3)
    remember(chat, "媽媽打呵欠", "媽媽哼歌", importance=0.3)
    remember(chat, "媽媽怕狗", importance=0.9)
    talk(chat, "我喜歡貓")
    fold(chat, operation("媽媽喜歡貓", "我喜歡貓"))
    digest(chat).run()

    assert {2: "媽媽哼歌", 3: "媽媽怕狗", 4: "媽媽喜歡貓"} == chat.board
    assert not chat.document("facts/1")["active"]


def test_as_many_as_there_may_be_stay(new_chat):
    """
    No fact is retired before there are too many.
    """
    chat = new_chat(most_facts=2)
    remember(chat, "媽媽打呵欠", importance=0.3)
    talk(chat, "我喜歡貓")
    fold(chat, operation("媽媽喜歡貓", "我喜歡貓"))
    digest(chat).run()

    assert [1, 2] == [*chat.board]


# Summary and window.


def test_a_sentence_knows_where_it_comes_from(chat):
    """
    It has the turns it tells of, directly or by an older sentence, who said those, and when.
    """
    store = chat.store
    draft = Draft(store.read(), NOW, 90)
    old = Sentence("爸爸釣魚。", ("m-5",), (DAD,), NOW - timedelta(days=1))
    draft.summary = (old,)
    draft.forgets = True
    assert store.commit(draft)
    talk(chat, "我也釣魚", "好冷")
    told = {"text": "爸媽都釣魚，很冷。", "sources": ["s1", "t1", "t2", "t9", "x"]}
    fold(chat, summary=[told, {"text": " ", "sources": ["t1"]}])
    digest(chat).run()

    said_at = NOW - timedelta(minutes=58)
    assert (Sentence("爸媽都釣魚，很冷。", ("m-5", "m1", "m2"), (DAD, MOM), said_at),) == (
        store.read().summary
    )


def test_a_sentence_without_sources_comes_from_everything(chat):
    """
    What does not say where it comes from is forgotten with anything it may come from.
    """
    talk(chat, "我喜歡貓", said("我釣魚"))
    fold(chat, summary=[{"text": "爸媽聊天。", "sources": []}])
    digest(chat).run()

    (sentence,) = chat.store.read().summary
    assert (("m1", "m2"), (MOM, DAD)) == (sentence.sources, sentence.by)


def test_a_summary_is_no_longer_than_it_may_be(new_chat):
    """
    However long the model's sentences are, the summary has its limit.
    """
    chat = new_chat(summary_characters=20)
    talk(chat, "說很多")
    fold(chat, summary=["很長" * 30, "短的。"])
    digest(chat).run()

    assert ["短的。"] == [one.text for one in chat.store.read().summary]


def test_names_that_were_asked_for_are_kept(chat):
    """
    Whoever's name was asked for to be shown to the model is known from then on.
    """
    talk(chat, "我喜歡貓")
    fold(chat)
    digest(chat).run()

    assert NAMES == chat.store.read().names


def test_turns_leave_and_the_last_ones_stay(chat):
    """
    What was digested is gone from the window, which is cut to its limit.
    """
    talk(chat, "一", "二", "三")
    fold(chat)

    assert {"turns": 3} == digest(chat).run()
    assert FILLER == [turn.text for turn in chat.store.read().turns]


def test_without_anything_to_leave_nothing_is_done(chat):
    """
    A window within its limit costs a read, and no call.
    """
    talk(chat)

    assert digest(chat).run() is None
    assert [] == chat.lines("generate")
    assert chat.document("digests/0") is None


def test_what_was_unsent_leaves_without_a_call(chat):
    """
    Turns that have no words need no model to be dropped.
    """
    talk(chat, "我喜歡貓")
    chat.store.unsend("u1", "m1", NOW - timedelta(minutes=59))

    assert {"turns": 1} == digest(chat).run()
    assert [] == chat.lines("generate")
    assert 2 == len(chat.store.read().entries)


def test_tombstones_go_when_nothing_can_bring_back_what_they_stand_for(chat):
    """
    With the last turn of before a forgetting its mark leaves too, a week later at the earliest.
    """
    talk(chat, "一", "二")
    marks = {
        fingerprint(text): to_milliseconds(NOW - timedelta(days=days))
        for text, days in (("從前", 7.1), ("剛才", 6.9))
    }
    chat.world.database.document(f"conversations/{chat.id}").update({"tombstones": marks})
    fold(chat)
    digest(chat).run()

    assert [fingerprint("剛才")] == [*chat.store.read().tombstones]


def test_a_turn_edited_meanwhile_keeps_the_tombstones_of_what_it_said(chat):
    """
    What stays for the next digest may still bring back what was forgotten since it was said.
    """
    old = Turn("m-9", MOM, "一", NOW - timedelta(days=9))
    chat.store.hear("old", old, done=True)
    talk(chat, "二")
    mark = {fingerprint("從前"): to_milliseconds(NOW - timedelta(days=8))}
    chat.world.database.document(f"conversations/{chat.id}").update({"tombstones": mark})
    fold(chat)
    edit = replace(old, text="一一", said_at=NOW)
    digest(chat, folding=lambda: chat.store.hear("edit", edit, done=True)).run()

    assert ["一一", *FILLER] == chat.window
    assert mark == chat.store.read().tombstones


@pytest.mark.parametrize(("expected", "turns"), [({"turns": 3}, 3), ({"turns": 2}, 2), (None, 1)])
def test_after_a_silence_what_was_said_before_it_leaves(new_chat, expected, turns):
    """
    Hours later the old turns are digested but for a last few, if there are enough for a call.
    """
    chat = new_chat(window_turns=8)
    talk(chat, *("舊" * turns))
    if expected:
        fold(chat)
    quiet_since = NOW - timedelta(minutes=60 - turns - 1.5)

    assert expected == digest(chat).run(quiet_since)
    assert bool(expected) == bool(chat.lines("generate"))


def test_where_only_summaries_are_kept_there_are_no_facts(new_chat):
    """
    A deployment without facts stores none, whatever the model finds, and embeds nothing.
    """
    chat = new_chat(memory="summary")
    talk(chat, "我喜歡貓")
    fold(chat, operation("媽媽喜歡貓", "我喜歡貓"))

    assert {"turns": 1} == digest(chat).run()
    assert ({}, None) == (chat.board, chat.document("facts/1"))
    assert [] == chat.lines("embed")


# What goes wrong.


def test_what_the_filters_stop_leaves_all_the_same(chat):
    """
    Turns the model must not see would be stopped again for ever: they go, the summary stays.
    """
    store = chat.store
    draft = Draft(store.read(), NOW, 90)
    draft.summary = (Sentence("爸爸釣魚。", ("m-5",), (DAD,), NOW),)
    draft.forgets = True
    assert store.commit(draft)
    talk(chat, "壞話")
    chat.world.gemini.script([{"for": "digest", "block": "SAFETY"}])

    assert {"turns": 1} == digest(chat).run()
    assert FILLER == [turn.text for turn in store.read().turns]
    assert ("爸爸釣魚。",) == tuple(one.text for one in store.read().summary)
    assert chat.document("digests/0")["done"]


@pytest.mark.parametrize("answers", [[{"error": 503}] * 3, [{"error": 400}]], ids=["503", "400"])
def test_without_the_model_nothing_leaves_and_it_is_tried_after_a_pause(new_chat, answers):
    """
    A digest that fails changes nothing but when the next may be.
    """
    chat = new_chat()
    talk(chat, "我喜歡貓")
    before = chat.store.read()
    chat.world.gemini.script([{**answer, "for": "digest"} for answer in answers])
    assert digest(chat).run() is None
    assert before == chat.store.read()

    fold(chat)
    assert digest(chat).run() is None
    chat.world.clock.advance(timedelta(minutes=10))
    assert {"turns": 1} == digest(chat).run()


def test_a_judge_that_fails_lets_nothing_leave(crowded):
    """
    What could not be compared is not stored unseen: the whole digest is tried again.
    """
    talk(crowded, "我愛貓")
    fold(crowded, operation("媽媽愛貓", "我愛貓"))
    crowded.world.gemini.script([{"for": "digest", "error": 400}])

    assert digest(crowded).run() is None
    assert 3 == len(crowded.store.read().turns)
    assert crowded.document("facts/5") is None


def test_a_digest_of_the_dead_is_taken_over(new_chat):
    """
    Who dies while thinking blocks nobody for longer than the lease.
    """
    chat = new_chat()
    talk(chat, "我喜歡貓")
    store = chat.store
    assert store.begin_digest(store.read())
    fold(chat)
    assert digest(chat).run() is None
    chat.world.clock.advance(LEASE)

    assert {"turns": 1} == digest(chat).run()


def test_one_of_many_heirs_digests(new_chat):
    """
    A dead digest's lease is taken over once.
    """
    chat = new_chat()
    talk(chat, "我喜歡貓")
    stores = [chat.store for _ in range(3)]
    conversation = stores[0].read()
    assert stores[0].begin_digest(conversation)
    chat.world.clock.advance(LEASE)

    assert [True, False, False] == [store.begin_digest(conversation) for store in stores]


def test_what_is_done_is_not_done_again(new_chat):
    """
    Whoever read the conversation before it was digested finds that digest done, however late.
    """
    chat = new_chat()
    talk(chat, "我喜歡貓")
    before = chat.store.read()
    fold(chat)
    assert digest(chat).run()
    chat.world.clock.advance(timedelta(days=1))

    assert not chat.store.begin_digest(before)


def test_a_commit_whose_answer_is_lost_is_not_a_failure(chat):
    """
    What has been stored is stored, though nobody said so: nothing is tried again.
    """
    talk(chat, "我喜歡貓")
    fold(chat, operation("媽媽喜歡貓", "我喜歡貓"))
    digest(chat, folding=lambda: chat.world.firestore.fail("Commit", lost=True)).run()

    store = chat.store
    assert {1: "媽媽喜歡貓"} == chat.board
    assert (1, FILLER) == (store.read().watermark, [turn.text for turn in store.read().turns])
    assert chat.document("digests/0")["done"]


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED])
def test_a_firestore_that_stumbles_is_asked_again(chat, code):
    """
    A commit that fails for a moment goes through the next time, once.
    """
    talk(chat, "我喜歡貓")
    fold(chat, operation("媽媽喜歡貓", "我喜歡貓"))
    stumbling = digest(chat, folding=lambda: chat.world.firestore.fail("Commit", code))

    assert {"turns": 1, "stored": [1]} == stumbling.run()
    assert {1: "媽媽喜歡貓"} == chat.board


def test_the_log_tells_how_much_and_nothing_of_what(new_chat):
    """
    A digest's line has counts and reasons; a family's words, names and ids are in no line.
    """
    chat = new_chat()
    talk(chat, "我喜歡貓", "我的提款卡密碼是 1234")
    fold(
        chat,
        operation("媽媽喜歡貓", "我喜歡貓"),
        operation("媽媽的提款卡密碼是 1234", "我的提款卡密碼是 1234"),
        operation("媽媽會飛"),
        operation("媽媽會唱歌"),
    )
    digest(chat).run()

    (line,) = [line for line in chat.world.logs.lines if line["message"] == "digest"]
    assert {"turns": 2, "stored": 1, "skipped": {"secret": 1, "no evidence": 2}}.items() <= (
        line.items()
    )
    log = json.dumps(chat.world.logs.lines, ensure_ascii=False)
    assert [] == [word for word in ("媽媽", "貓", "密碼", "1234", '"U1"', "聊天") if word in log]
