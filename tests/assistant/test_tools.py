"""The tools: what the model may do, what it is told, and what becomes of it in the end."""

import itertools
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from assistant.agenda import Agenda
from assistant.persona import Persona
from assistant.prompt import Prompt
from assistant.reminder_tools import ReminderTools
from assistant.tools import Toolbox
from assistant.wording import wording
from local.clock import FrozenClock
from local.loopback import Answer
from local.world import World
from memory.calls import patience
from memory.conversation import Conversation, Turn
from memory.draft import Draft
from memory.facts import Candidate
from memory.gates import Gates
from memory.recall import Recall
from memory.store import Store
from services.dialogue import Call
from services.vectors import DIMENSIONS
from tests.conftest import NAMES, NOW

MOM, DAD = "U1", "U2"
REMINDERS = ["set_reminder", "change_reminder", "cancel_reminder"]
SAID = NOW - timedelta(seconds=30)
CHATS = itertools.count(1)
AXES: dict[str, int] = {}
REFUSED = wording("zh-TW").refused


@dataclass(frozen=True)
class Chat:
    """A chat of a world, and what is done in it."""

    world: World
    id: str
    language: str = "zh-TW"

    @property
    def store(self):
        """What it is kept in."""
        services = self.world.services
        return Store(services.firestore, self.id, self.world.clock, patience=patience(2))

    def toolbox(self, text="", *, remembers=True, **more):
        """Return the tools for something that 媽媽 has just said."""
        turn = Turn(**{"id": "m9", "speaker": MOM, "text": text, "said_at": SAID} | more)
        prompt = Prompt(
            self.store.read().knowing(NAMES),
            Persona("小幫手"),
            wording(self.language),
            self.world.settings.timezone,
            remembers=remembers,
        )
        services = self.world.services
        gates = Gates(("小幫手",), self.world.settings.importance_floor)
        reminders = ReminderTools(Agenda(prompt, NOW), turn, most=50)
        return Toolbox(
            turn, prompt, gates, Recall(self.store, services), services.gemini, reminders
        )

    def remember(self, *texts, by=MOM, shown=True):
        """Store facts, each about whoever stands first in it; some are not shown."""
        draft = Draft(self.store.read(), NOW, 10_000)
        for text in texts:
            told = Turn("m1", by, "", NOW - timedelta(days=1))
            no = draft.take(Candidate(text, text[:2]), told).no
            if not shown:
                del draft.board[no]
                draft.hidden += 1
        vectors = {} if shown else {text: self.axis(text) for text in texts}
        assert self.store.commit(draft, vectors=vectors, model=self.world.settings.embed_model)

    def axis(self, text):
        """Return a vector for a text that is at right angles to all others, and let it have it."""
        number = AXES.setdefault(text, len(AXES))
        vector = [0.0] * number + [1.0] + [0.0] * (DIMENSIONS - number - 1)
        self.world.gemini.embed({text: vector})
        return vector


@pytest.fixture(scope="module")
def shared(firestore):
    """One world for many chats: what is scripted in it is used up, or does not matter."""
    with World(FrozenClock(NOW), firestore, names=NAMES) as world:
        yield world


@pytest.fixture
def chat(shared):
    """A chat in which nothing is remembered."""
    chat = f"C{next(CHATS)}"
    shared.activate(chat)
    return Chat(shared, chat)


def remember(text, subject="", category="other"):
    """Return a call of `remember`."""
    return Call(
        "remember", {"text": text, "subject": subject or text[:2], "category": category}, ""
    )


def forget(*numbers):
    """Return a call of `forget`."""
    return Call("forget", {"numbers": [*numbers]}, "")


def board(draft):
    return {no: fact.text for no, fact in draft.board.items()}


# What is offered.


def test_what_is_offered_depends_on_what_there_is(chat):
    """
    Looking for more is offered only where more is remembered than is shown.
    """
    chat.remember("媽媽喜歡貓")
    assert ["remember", "forget", *REMINDERS] == [tool.name for tool in chat.toolbox().tools]
    chat.remember("媽媽怕狗", shown=False)

    tools = ["remember", "forget", "recall", *REMINDERS]
    assert tools == [tool.name for tool in chat.toolbox().tools]


def test_without_facts_there_are_only_reminders(chat):
    """
    Where facts are not kept nothing is offered for them, and a call of it does nothing.
    """
    toolbox = chat.toolbox("我喜歡貓", remembers=False)

    assert REMINDERS == [tool.name for tool in toolbox.tools]
    assert {"error": "there is no tool remember"} == toolbox.run(remember("媽媽喜歡貓"))
    assert not toolbox.draft(chat.store.read()).changes_anything


# Remembering.


def test_what_is_remembered_is_told_by_its_number(chat):
    """
    The model reads what was stored and as which number; the family can be told the same.
    """
    chat.axis("媽媽喜歡貓")
    toolbox = chat.toolbox("記住我喜歡貓")

    assert {"result": "記下了：#1「媽媽喜歡貓」"} == toolbox.run(remember("媽媽喜歡貓"))
    assert ["記下了：#1「媽媽喜歡貓」"] == toolbox.told
    fact = toolbox.draft(chat.store.read()).written[1]
    assert (MOM, SAID, ("m9",), 0.6) == (fact.by, fact.said_at, fact.sources, fact.importance)


def test_nothing_is_stored_before_the_answer_is_kept(shared, chat):
    """
    While the model thinks, its tools write nothing.
    """
    chat.axis("媽媽喜歡貓")
    before = shared.documents()
    toolbox = chat.toolbox("記住我喜歡貓")
    toolbox.run(remember("媽媽喜歡貓"))
    toolbox.vectors()

    assert before == shared.documents()


@pytest.mark.parametrize(
    ("reason", "said", "text", "subject"),
    [
        ("empty", "記住", "", "媽媽"),
        ("empty", "記住我喜歡貓", "媽媽喜歡貓", "。"),
        ("too long", "記住" + "貓" * 600, "媽媽" + "貓" * 600, "媽媽"),
        ("no evidence", "記住我喜歡貓", "媽媽有一臺紅色的腳踏車", "媽媽"),
        ("no evidence", "記住我喜歡貓", "Mom likes cats", "Mom"),
        ("instruction", "以後都用英文回答", "以後都用英文回答", "規則"),
        ("secret", "我的提款卡密碼是 1234", "媽媽的提款卡密碼是 1234", "媽媽"),
        ("assistant", "小幫手最笨了", "小幫手最笨", "小幫手"),
    ],
)
def test_the_model_reads_why_something_is_not_remembered(chat, reason, said, text, subject):
    """
    What a gate stops is not done, and why is told in the family's language.
    """
    toolbox = chat.toolbox(said)

    assert {"error": REFUSED[reason]} == toolbox.run(remember(text, subject))
    assert ([], False) == (toolbox.told, toolbox.draft(chat.store.read()).changes_anything)


def test_whoever_is_not_known_is_remembered_nothing_of(chat):
    """
    A speaker LINE does not tell is no member who could have a fact.
    """
    toolbox = chat.toolbox("記住我喜歡貓", speaker="")

    assert {"error": REFUSED["not a member"]} == toolbox.run(remember("媽媽喜歡貓"))


def test_a_picture_is_no_evidence(chat):
    """
    The words that stand for a file are not its sender's.
    """
    toolbox = chat.toolbox("（傳了檔案：我喜歡貓.pdf）", kind="file")

    assert {"error": REFUSED["no evidence"]} == toolbox.run(remember("媽媽喜歡貓"))


@pytest.mark.parametrize(
    ("expected", "kind"),
    [({"result": "記下了：#1「爸爸對蝦過敏」"}, ""), ({"error": REFUSED["no evidence"]}, "file")],
    ids=["words", "a file"],
)
def test_a_quoted_message_is_evidence(chat, expected, kind):
    """
    「記住這個」 to somebody's words remembers those; to a picture's placeholder it does not.
    """
    quoted = Turn("m5", DAD, "我對蝦過敏", SAID, message_ids=("5",), kind=kind)
    chat.store.hear("e5", quoted, done=True)
    chat.axis("爸爸對蝦過敏")

    toolbox = chat.toolbox("記住這個", quotes="5")
    assert expected == toolbox.run(remember("爸爸對蝦過敏"))


def test_relative_days_are_remembered_as_dates(chat):
    """
    A day is stored by the calendar of when it was said, and an appointment ends with it.
    """
    chat.axis("媽媽2026-12-02要考試")
    toolbox = chat.toolbox("我明天要考試")
    toolbox.run(remember("媽媽明天要考試", category="schedule"))

    fact = toolbox.draft(chat.store.read()).board[1]
    assert ("媽媽2026-12-02要考試", "2026-12-02") == (fact.text, str(fact.expires_on))


@pytest.mark.parametrize(
    ("expected", "subject", "category"),
    [
        ("person", "媽媽", "preference"),
        ("person", "媽媽", "other"),
        ("person", "奶奶", "family"),
        ("place", "嘉義", "place"),
        ("person", "媽媽", "place"),
        ("thing", "車子", "other"),
    ],
)
def test_a_subject_is_of_a_kind(chat, expected, subject, category):
    """
    What is remembered at once is listed with people, places or things; a member is a person.
    """
    chat.axis(f"{subject}很好")
    toolbox = chat.toolbox(f"{subject}很好")
    toolbox.run(remember(f"{subject}很好", subject, category))

    assert expected == toolbox.draft(chat.store.read()).board[1].kind


def test_what_is_known_already_is_confirmed(chat):
    """
    The same words again are not stored again, and the model is told so.
    """
    chat.remember("媽媽喜歡貓")
    toolbox = chat.toolbox("記住我喜歡貓")

    assert {"result": "這件事我已經記得了：#1"} == toolbox.run(remember("媽媽喜歡貓。"))
    assert 1 == toolbox.draft(chat.store.read()).board[1].confirmed


def test_hidden_facts_that_are_like_it_are_shown(chat):
    """
    Where not all is shown, the model learns what is remembered about the same.
    """
    chat.remember("媽媽喜歡貓", shown=False)
    chat.axis("媽媽怕貓")
    toolbox = chat.toolbox("記住我怕貓")

    assert {"result": "記下了：#2「媽媽怕貓」\n#1 「媽媽喜歡貓」（媽媽 記的）"} == (
        toolbox.run(remember("媽媽怕貓"))
    )


def test_equal_calls_are_done_once(shared, chat):
    """
    A model that repeats itself gets the same answer, and changes nothing more.
    """
    chat.axis("媽媽喜歡貓")
    chat.remember("爸爸釣魚")
    toolbox = chat.toolbox("記住我喜歡貓")
    since = len(shared.journal.lines)
    calls = [remember("媽媽喜歡貓"), forget(1), forget(9)]
    results = [[toolbox.run(call) for call in calls] for _ in range(3)]

    assert results[0] == results[1] == results[2]
    assert ["result", "result", "error"] == [key for result in results[0] for key in result]
    toolbox.vectors()
    assert ["embed"] == [line["call"] for line in shared.journal.since(since)]
    assert {2: "媽媽喜歡貓"} == board(toolbox.draft(chat.store.read()))
    assert 2 == len(toolbox.told)


# Forgetting.


def test_what_is_forgotten_is_told_by_its_number(chat):
    """
    Facts that are shown and facts that are not are forgotten alike, each once.
    """
    chat.remember("媽媽喜歡貓", shown=False)
    chat.remember("媽媽怕狗", "爸爸釣魚")
    toolbox = chat.toolbox("忘記一和二")

    assert {"result": "忘掉了：#2 #1"} == toolbox.run(forget(1, 2, 1))
    assert {"媽媽喜歡貓", "媽媽怕狗"} == {fact.text for fact in toolbox.erased}
    draft = toolbox.draft(chat.store.read())
    assert ({3: "爸爸釣魚"}, {1, 2}, 0) == (board(draft), draft.deleted, draft.hidden)


def test_numbers_that_are_not_there_are_named_and_nothing_is_forgotten(chat):
    """
    A call with one wrong number is not done in part.
    """
    chat.remember("媽媽喜歡貓")
    toolbox = chat.toolbox("忘記")

    assert {"error": "沒有這個號碼：#7 #8"} == toolbox.run(forget(8, 1, 7))
    assert not toolbox.draft(chat.store.read()).changes_anything


def test_what_has_just_been_forgotten_is_not_there(chat):
    """
    A second call for the same fact is told which number there is no more.
    """
    chat.remember("媽媽喜歡貓")
    toolbox = chat.toolbox("忘記")
    toolbox.run(forget(1))

    assert {"error": "沒有這個號碼：#1"} == toolbox.run(forget(1, 1))


@pytest.mark.parametrize(
    ("expected", "calls"),
    [
        ("/忘記 #1 #2 #3 #4", [[1, 2, 3, 4]]),
        ("/忘記 #3 #4", [[1, 2], [3, 4]]),
        ("/忘記 #4", [[1], [2], [3], [4]]),
        ("忘掉了：#3", [[1], [2, 1], [3]]),
    ],
)
def test_the_model_forgets_no_more_than_three(chat, expected, calls):
    """
    More than three facts in one turn a member has to type: the model is told what.
    """
    chat.remember(*(f"媽媽第{number}件" for number in "一二三四"))
    toolbox = chat.toolbox("全部忘記")
    results = [toolbox.run(forget(*numbers)) for numbers in calls]

    (last,) = results[-1].values()
    assert expected in last
    assert len(toolbox.draft(chat.store.read()).deleted) <= 3


def test_what_was_just_forgotten_is_not_remembered_by_the_same_message(chat):
    """
    A message that asks to forget does not bring back what it names.
    """
    chat.remember("媽媽喜歡貓")
    toolbox = chat.toolbox("忘記我喜歡貓")
    toolbox.run(forget(1))

    assert {"error": REFUSED["forgotten"]} == toolbox.run(remember("媽媽喜歡貓"))
    assert {} == board(toolbox.draft(chat.store.read()))


# Looking for more.


def test_the_model_reads_what_it_looked_for(chat):
    """
    What is found is told as it would stand on the board; where nothing is near, that is told.
    """
    chat.remember("媽媽喜歡貓", "媽媽喜歡狗", shown=False)
    chat.world.gemini.embed({"什麼寵物": chat.axis("媽媽喜歡狗"), "沒有的事": chat.axis("別的")})
    toolbox = chat.toolbox("我喜歡什麼寵物")

    assert {"result": "#2 「媽媽喜歡狗」（媽媽 記的）"} == toolbox.run(
        Call("recall", {"query": "什麼寵物"}, "")
    )
    assert {"result": "沒有找到相關的事。"} == toolbox.run(
        Call("recall", {"query": "沒有的事"}, "")
    )


@pytest.mark.parametrize("status", [400, 503])
def test_what_can_not_be_looked_for_is_not_found(chat, status):
    """
    A search that fails does not end the answer.
    """
    chat.remember("媽媽喜歡貓", shown=False)
    attempts = chat.world.settings.gemini_attempts if status == 503 else 1
    chat.world.gemini.fail("embed", Answer({}, status), times=attempts)

    assert {"result": "沒有找到相關的事。"} == chat.toolbox("貓呢").run(
        Call("recall", {"query": "貓"}, "")
    )


# Calls that are wrong.


@pytest.mark.parametrize(
    ("expected", "name", "arguments"),
    [
        ("there is no tool order_pizza", "order_pizza", {"text": "媽媽喜歡貓"}),
        ("there is no tool ", "", {}),
        ("subject: Field required; category: Field required", "remember", {"text": "媽媽喜歡貓"}),
        (
            "text: Input should be a valid string",
            "remember",
            {"text": 7, "subject": "媽媽", "category": "other"},
        ),
        (
            "numbers.1: Input should be a valid integer, unable to parse string as an integer",
            "forget",
            {"numbers": [1, "二"]},
        ),
        ("numbers: Field required", "forget", {}),
        ("query: Field required", "recall", {"text": "貓"}),
    ],
)
def test_the_model_reads_what_is_wrong_with_a_call(chat, expected, name, arguments):
    """
    A call that can't be understood is told which of its arguments is wrong, and changes nothing.
    """
    chat.remember("媽媽喜歡貓", shown=False)
    toolbox = chat.toolbox("我喜歡貓")

    assert {"error": expected} == toolbox.run(Call(name, arguments, ""))
    assert not toolbox.draft(chat.store.read()).changes_anything


def test_a_category_that_is_none_is_told_which_there_are(chat):
    """
    The model can choose again: the message has the choices.
    """
    told = chat.toolbox("我喜歡貓").run(remember("媽媽喜歡貓", category="sport"))["error"]

    assert told.startswith("category: Input should be 'name', 'preference'")
    assert told.endswith("or 'other'")


def test_english_deployments_are_told_in_english(chat):
    """
    What the model reads is in the language the family chose.
    """
    chat.axis("Mom likes cats")
    toolbox = replace(chat, language="en").toolbox("I am Mom and I like cats. Mom likes cats")

    assert [
        {"result": 'Noted: #1 "Mom likes cats"'},
        {"error": "There is no #7"},
        {"error": 'At most three at a time. To forget them together, type "/forget #1 #2 #3 #4".'},
    ] == [
        toolbox.run(call)
        for call in (remember("Mom likes cats", "Mom"), forget(7), forget(1, 2, 3, 4))
    ]


# Vectors.


def test_vectors_come_as_far_as_there_are_any(chat):
    """
    What can be embedded is; the rest is stored without, and embedded later.
    """
    vector = chat.axis("媽媽喜歡貓")
    chat.world.gemini.embed({"媽媽怕狗": [0.0]})
    toolbox = chat.toolbox("我喜歡貓，怕狗")
    for text in ("媽媽喜歡貓", "媽媽怕狗"):
        assert "result" in toolbox.run(remember(text))

    assert {"媽媽喜歡貓": vector} == toolbox.vectors()


# On a conversation that has changed meanwhile.


def test_what_was_done_is_done_on_what_the_conversation_has_become(chat):
    """
    A fact takes the next number there is by then, and stands beside what others told meanwhile.
    """
    chat.axis("媽媽喜歡貓")
    toolbox = chat.toolbox("我喜歡貓")
    toolbox.run(remember("媽媽喜歡貓"))
    chat.remember("爸爸釣魚", by=DAD)

    draft = toolbox.draft(chat.store.read())
    assert {1: "爸爸釣魚", 2: "媽媽喜歡貓"} == board(draft)
    assert ([2], 3) == ([*draft.written], draft.next_no)


def test_what_somebody_else_told_meanwhile_is_confirmed(chat):
    """
    The same fact, remembered by two messages at once, is stored once.
    """
    chat.axis("媽媽喜歡貓")
    toolbox = chat.toolbox("我喜歡貓")
    toolbox.run(remember("媽媽喜歡貓"))
    chat.remember("媽媽喜歡貓", by=DAD)

    draft = toolbox.draft(chat.store.read())
    assert ({1: "媽媽喜歡貓"}, 1) == (board(draft), draft.written[1].confirmed)


def test_what_was_forgotten_meanwhile_is_not_remembered(chat):
    """
    Who forgets a thing after it was said, and before it is stored, has the last word.
    """
    chat.axis("媽媽喜歡貓")
    toolbox = chat.toolbox("我喜歡貓")
    toolbox.run(remember("媽媽喜歡貓"))
    chat.remember("媽媽喜歡貓", by=DAD)
    _forget(chat, 1)

    draft = toolbox.draft(chat.store.read())
    assert ({}, False) == (board(draft), draft.changes_anything)


def test_what_repeats_a_forgotten_fact_meanwhile_goes_too(chat):
    """
    Forgetting is done again on the window as it is by then.
    """
    chat.remember("媽媽的車牌是 ABX-7391")
    toolbox = chat.toolbox("忘記我的車牌")
    toolbox.run(forget(1))
    chat.store.hear("e8", Turn("m8", MOM, "ABX-7391 停在樓下", NOW), done=True)

    draft = toolbox.draft(chat.store.read())
    assert (["m8"], {}, {1}) == ([*draft.emptied], board(draft), draft.deleted)


def test_a_fact_forgotten_by_the_message_that_told_it_takes_no_other_along(chat):
    """
    A number that was given in thought is by then another's: that one's fact stays.
    """
    chat.axis("媽媽喜歡貓")
    toolbox = chat.toolbox("記住我喜歡貓，算了，忘記")
    toolbox.run(remember("媽媽喜歡貓"))
    toolbox.run(forget(1))
    chat.remember("爸爸釣魚", by=DAD)

    draft = toolbox.draft(chat.store.read())
    assert {1: "爸爸釣魚"} == board(draft)
    assert 1 not in draft.deleted


def test_what_a_message_told_and_took_back_is_not_taken_from_it_later(chat):
    """
    A message that has something remembered and forgotten again is no source of it any more.
    """
    chat.axis("媽媽喜歡貓")
    toolbox = chat.toolbox("記住我喜歡貓，算了，忘記")
    toolbox.run(remember("媽媽喜歡貓"))
    toolbox.run(forget(1))

    draft = toolbox.draft(chat.store.read())
    said = Turn("m9", MOM, "", SAID)
    assert "skipped" == draft.take(Candidate("媽媽喜歡貓", "媽媽"), said).fate


def test_what_is_undone_is_not_stored(chat):
    """
    Where the model's filters stop a message after all, what was remembered of it goes as well.
    """
    chat.axis("媽媽喜歡貓")
    chat.remember("爸爸釣魚")
    toolbox = chat.toolbox("我喜歡貓")
    toolbox.run(remember("媽媽喜歡貓"))
    toolbox.run(forget(1))
    toolbox.undo()

    draft = toolbox.draft(chat.store.read())
    assert (False, {1: "爸爸釣魚"}) == (draft.changes_anything, board(draft))
    assert ([], []) == (toolbox.told, toolbox.erased)


def test_what_has_changed_hands_is_still_forgotten(chat):
    """
    A fact that is gone by then can be forgotten again without harm.
    """
    chat.remember("媽媽喜歡貓", "爸爸釣魚")
    toolbox = chat.toolbox("忘記第一則")
    toolbox.run(forget(1))
    _forget(chat, 1)
    draft = toolbox.draft(chat.store.read())

    assert chat.store.commit(draft)
    assert {2: "爸爸釣魚"} == board(chat.store.read())


def test_a_draft_can_be_worked_out_any_number_of_times(chat):
    """
    What the tools did is the same on the same conversation, each time.
    """
    chat.axis("媽媽喜歡貓")
    chat.remember("爸爸釣魚")
    toolbox = chat.toolbox("記住我喜歡貓，忘記第一則")
    toolbox.run(remember("媽媽喜歡貓"))
    toolbox.run(forget(1))
    conversation = chat.store.read()

    assert toolbox.draft(conversation) == toolbox.draft(conversation)
    assert not toolbox.draft(Conversation()).deleted - {1}


def test_a_board_that_overflows_is_cleared(new_world):
    """
    What the model remembers has its place on the board: the oldest leave.
    """
    world = new_world(board_tokens=40)
    world.activate("C1")
    chat = Chat(world, "C1")
    chat.remember("媽媽怕狗", "爸爸釣魚")
    chat.axis("媽媽喜歡貓咪和老虎")
    toolbox = chat.toolbox("我喜歡貓咪和老虎")
    toolbox.run(remember("媽媽喜歡貓咪和老虎"))

    draft = toolbox.draft(chat.store.read())
    assert ({3: "媽媽喜歡貓咪和老虎"}, 2) == (board(draft), draft.hidden)


def _forget(chat, no):
    draft = Draft(chat.store.read(), NOW, 10_000)
    draft.forget([draft.board[no]])
    assert chat.store.commit(draft)
