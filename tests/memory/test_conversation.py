"""A conversation's window: whatever order its parts came in, and what must leave it."""

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.conversation import (
    ASSISTANT,
    Conversation,
    Entry,
    Size,
    Turn,
    Upgrade,
    brought_up,
    from_document,
    from_milliseconds,
    shortened,
    to_milliseconds,
)
from memory.facts import Fact
from memory.facts import to_document as fact_to_document
from memory.summary import Sentence
from memory.summary import to_document as sentence_to_document

NOON = datetime(2026, 12, 1, 4, tzinfo=UTC)
MOMENT = 1796097600000
"""The same in milliseconds."""


def said(key: str, text: str, *, speaker: str = "U-mei", second: int = 0) -> Entry:
    """Return what was said some seconds after noon; LINE's id for it is the key's number."""
    return Entry(key, speaker, {MOMENT + second * 1000: text}, message_ids=(key[1:],))


def talk(*texts: str) -> Conversation:
    """Return a conversation in which these were said, one a second."""
    return Conversation(tuple(said(f"m{n}", text, second=n) for n, text in enumerate(texts)))


def keys(entries: tuple[Entry, ...]) -> list[str]:
    """Return the keys of some entries."""
    return [entry.key for entry in entries]


def test_an_empty_document_is_an_empty_conversation() -> None:
    """In a conversation that was deleted, or has just been opened, nothing was said."""
    opened = {
        "schema": 1,
        "window": {},
        "size": {"turns": 0, "characters": 0},
        "watermark": 0,
        "members": {},
    }
    assert [Conversation(), Conversation()] == [from_document({}), from_document(opened)]


def test_a_document_is_read_whole() -> None:
    """All that is stored of a conversation is in it: who said what, and how much there is."""
    document = {
        "window": {
            "rE1": {
                "by": ASSISTANT,
                "texts": {"1796097602000": "火鍋。"},
                "answers": "m7",
                "ids": ["8", "9"],
            },
            "m7": {
                "by": "U-mei",
                "texts": {"1796097600000": "晚餐？", "1796097601500": "晚餐吃什麼？"},
                "quotes": "5",
                "ids": ["7"],
                "unsent": 0,
            },
            "m6": {"texts": {"1796097599000": "早"}},
            "m4": {"texts": {"1796097598000": ""}, "unsent": 1},
        },
        "members": {"U-mei": "小美", "U-wei": ""},
        "watermark": 12,
        "size": {"turns": 5, "characters": 13},
    }
    assert Conversation(
        entries=(
            Entry("m4", "", {MOMENT - 2000: ""}, unsent=True),
            Entry("m6", "", {MOMENT - 1000: "早"}),
            Entry(
                "m7",
                "U-mei",
                {MOMENT: "晚餐？", MOMENT + 1500: "晚餐吃什麼？"},
                quotes="5",
                message_ids=("7",),
            ),
            Entry(
                "rE1",
                ASSISTANT,
                {MOMENT + 2000: "火鍋。"},
                answers="m7",
                message_ids=("8", "9"),
            ),
        ),
        names={"U-mei": "小美", "U-wei": ""},
        watermark=12,
        size=Size(5, 13),
    ) == from_document(document)


def test_what_is_remembered_of_the_rest_is_read_whole() -> None:
    """
    Summary, board and all that is known of forgetting come back as they were stored.
    """
    facts = {
        7: Fact(7, "小美愛畫畫", "小美", "U-mei", NOON),
        12: Fact(
            12,
            "阿偉週二考試",
            "阿偉",
            "U-wei",
            NOON,
            "schedule",
            "person",
            0.75,
            date(2026, 12, 8),
            ("m5", "m7"),
            confirmed=2,
            replaces=(3, 1),
            disputes=(9,),
        ),
    }
    sentences = (
        Sentence("全家去了宜蘭。", ("m1", "r1"), ("U-mei", ASSISTANT), NOON),
        Sentence("買了新車。"),
    )
    document = {
        "board": {str(no): fact_to_document(fact) for no, fact in facts.items()},
        "summary": list(map(sentence_to_document, sentences)),
        "hidden": 4,
        "next_no": 13,
        "tombstones": {"0123456789abcdef": MOMENT},
        "forgotten": 5,
        "unembedded": True,
    }
    assert Conversation(
        summary=sentences,
        board=facts,
        hidden=4,
        next_no=13,
        tombstones={"0123456789abcdef": MOMENT},
        forgotten=5,
        unembedded=True,
    ) == from_document(document)


def test_a_conversations_version_is_firestores() -> None:
    """
    The mark of the state that was read is kept, and says nothing about what was said.
    """
    assert "mark" == from_document({}, "mark").version
    assert from_document({}) == from_document({}, "mark")


@pytest.mark.parametrize(("expected", "stored"), [("", {}), ("image", {"kind": "image"})])
def test_a_turn_knows_whether_its_words_are_its_speakers(
    expected: str, stored: dict[str, Any]
) -> None:
    """
    Of what was no text, LINE's type is kept with the words that tell what came.
    """
    window = {"m1": {"by": "U-mei", "texts": {"1": "（傳了一張圖片）"}, **stored}}
    (turn,) = from_document({"window": window}).turns

    assert expected == turn.kind


def test_an_entry_without_texts_is_not_read() -> None:
    """What is left of a turn that a late write touched after it had left the window is no turn."""
    stored = {"m1": {"unsent": 0}, "m2": {"by": "U-mei", "texts": {}}, "m3": {"texts": {"5": "早"}}}

    assert (Entry("m3", "", {5: "早"}),) == from_document({"window": stored}).entries


@pytest.mark.parametrize("order", [*permutations(["m2", "m10", "m3", "r1"])])
def test_the_window_is_in_the_order_it_was_said(order: tuple[str, ...]) -> None:
    """Turns stand by their first moment, and by their key within one; not as they are stored."""
    stored = {
        "m2": {"texts": {"9": "早"}},
        "m10": {"texts": {"10": "安", "99": "安安"}},
        "m3": {"texts": {"10": "嗨"}},
        "r1": {"texts": {"11": "你好"}},
    }
    conversation = from_document({"window": {key: stored[key] for key in order}})

    assert ["m2", "m10", "m3", "r1"] == keys(conversation.entries)


@pytest.mark.parametrize(
    "order",
    [*permutations([("9999", "晚餐？"), ("10000", "晚餐吃什麼"), ("10001", "晚餐吃什麼？")])],
)
def test_edits_make_the_same_turn_in_any_order(order: tuple[tuple[str, str], ...]) -> None:
    """A turn keeps its first moment and its last words, in whatever order its edits came."""
    stored: dict[str, Any] = {"by": "U-mei", "ids": ["1"], "quotes": "0", "texts": dict(order)}

    conversation = from_document({"window": {"m1": stored}})

    assert (
        Turn(
            "m1",
            "U-mei",
            "晚餐吃什麼？",
            datetime(1970, 1, 1, 0, 0, 9, 999000, tzinfo=UTC),
            quotes="0",
            message_ids=("1",),
        ),
    ) == conversation.turns


@pytest.mark.parametrize(
    "order", [*permutations([("10000", "密碼1234"), ("10001", "密碼****"), ("10002", "")])]
)
def test_an_unsent_turn_is_gone_in_any_order(order: tuple[tuple[str, str], ...]) -> None:
    """Once unsent, a turn is no turn, whether words of it came before that or after."""
    stored = {"by": "U-mei", "ids": ["1"], "texts": dict(order), "unsent": 1}
    conversation = from_document({"window": {"m1": stored}})
    turn = Turn("m1", "U-mei", "密碼1234", NOON)

    assert ((), None, True) == (
        conversation.turns,
        conversation.find("1"),
        conversation.has_forgotten(turn),
    )


@pytest.mark.parametrize(("expected", "unsent"), [(False, 0), (True, 1), (True, 2), (False, None)])
def test_a_turn_is_unsent_however_often_that_was_said(expected: bool, unsent: int | None) -> None:
    """The count of unsendings says whether there was one; hearing the turn adds nothing to it."""
    window = {"m1": {"texts": {"1": "早"}, "unsent": unsent}, "m2": {"texts": {"2": "安"}}}
    conversation = from_document({"window": window})
    first, second, gone = (Turn(key, "U-mei", "", NOON) for key in ("m1", "m2", "m3"))

    assert [expected, False, False] == list(map(conversation.has_forgotten, (first, second, gone)))
    assert (["m2"] if expected else ["m1", "m2"]) == [turn.id for turn in conversation.turns]


@pytest.mark.parametrize(
    ("expected", "cleared"),
    [
        (False, {}),
        (True, {"U-mei": MOMENT}),
        (True, {"everybody": MOMENT}),
        (True, {"U-mei": MOMENT + 1, "everybody": 0}),
        (False, {"U-mei": MOMENT - 1, "everybody": MOMENT - 1}),
        (False, {"U-bo": MOMENT}),
    ],
)
def test_a_turn_is_forgotten_with_all_that_was_said_before(
    expected: bool, cleared: dict[str, int]
) -> None:
    """What somebody said, or anybody, up to a moment is forgotten, wherever it stands now."""
    conversation = from_document({"cleared": cleared})
    assert expected == conversation.has_forgotten(Turn("m1", "U-mei", "早", NOON))


@pytest.mark.parametrize(
    ("expected", "stored"),
    [("abc", {}), ("abc", {"schema": 1}), ("bc", {"schema": 2}), ("", {"schema": 4})],
)
def test_a_document_of_before_is_brought_up_when_it_is_read(
    expected: str, stored: dict[str, int]
) -> None:
    """Each change of form since then is made, in order, and none twice."""

    def upgrade(mark: str) -> Upgrade:
        return lambda document: {**document, "marks": document.get("marks", "") + mark}

    assert expected == brought_up(stored, [*map(upgrade, "abc")]).get("marks", "")


def test_an_entry_is_a_turn() -> None:
    """A turn carries all its entry knows."""
    entry = Entry("r1", ASSISTANT, {MOMENT: "好。"}, "5", "m1", ("6", "7"), "image")

    assert Turn("r1", ASSISTANT, "好。", NOON, "5", "m1", ("6", "7"), "image") == entry.turn()


@pytest.mark.parametrize(
    ("size", "superseded", "texts"),
    [
        (Size(1, 2), [], {5: "早安"}),
        (Size(1, 4), [5], {5: "早安", 7: "大家早安"}),
        (Size(1, 1), [5, 7], {9: "早", 5: "早安", 7: "早安！"}),
        (Size(1, 0), [], {5: ""}),
    ],
)
def test_superseded_words_take_no_room(
    size: Size, superseded: list[int], texts: dict[int, str]
) -> None:
    """Only the last words of a turn are said and count: a cut removes the others anyway."""
    entry = Entry("m1", "U-mei", texts)

    assert (size, superseded) == (entry.size, entry.superseded)


@pytest.mark.parametrize(
    ("expected", "size"),
    [
        (False, Size(0, 0)),
        (False, Size(4, 10)),
        (True, Size(5, 10)),
        (True, Size(4, 11)),
        (True, Size(5, 11)),
        (True, Size(5, 0)),
    ],
)
def test_a_size_exceeds_a_limit_in_any_respect(expected: bool, size: Size) -> None:
    """More turns or more characters are too much; as many are not."""
    assert expected == size.exceeds(Size(4, 10))


def test_sizes_are_reckoned_with() -> None:
    """A size can be multiplied, to whole turns and characters, and grown or lessened by another."""
    assert Size(7, 16) == Size(5, 11) * 1.5
    assert (Size(3, 7), Size(7, 15)) == (Size(5, 11) - Size(2, 4), Size(5, 11) + Size(2, 4))


@pytest.mark.parametrize(
    ("leaving", "limit"),
    [
        ([], Size(4, 10)),
        ([], Size(9, 99)),
        (["m0"], Size(3, 10)),
        (["m0", "m1"], Size(2, 99)),
        (["m0"], Size(4, 9)),
        (["m0"], Size(4, 6)),
        (["m0", "m1"], Size(4, 5)),
        (["m0", "m1", "m2"], Size(2, 2)),
        (["m0", "m1", "m2", "m3"], Size(4, 0)),
        (["m0", "m1", "m2", "m3"], Size(0, 99)),
    ],
)
def test_the_oldest_turns_leave_until_the_rest_is_within_the_limit(
    leaving: list[str], limit: Size
) -> None:
    """As few turns as possible leave, from the front, be there too many or too long ones."""
    assert leaving == keys(talk("四個字的", "一", "三個字", "二二").leaving(limit))


def test_nothing_leaves_an_empty_window() -> None:
    """A window without turns is within every limit."""
    assert () == Conversation().leaving(Size(0, 0))


def test_what_was_unsent_leaves_too() -> None:
    """An unsent turn counts as a turn; superseded words do not count."""
    entries = (
        Entry("m1", "U-mei", {1: ""}, unsent=True),
        Entry("m2", "U-mei", {2: "早安", 3: "早"}),
        said("m3", "嗨"),
    )
    conversation = Conversation(entries)

    assert [[], ["m1"], ["m1", "m2"]] == [
        keys(conversation.leaving(Size(turns, characters)))
        for turns, characters in ((3, 2), (2, 2), (3, 1))
    ]


@pytest.mark.parametrize(
    ("expected", "message_id"),
    [("m1", "1"), ("r1", "2"), ("r1", "3"), (None, "4"), (None, "9"), (None, "m1"), (None, "")],
)
def test_a_turn_is_found_by_any_of_lines_ids(expected: str | None, message_id: str) -> None:
    """A quoted message is found by each of its bubbles' ids, unless it is gone or was unsent."""
    conversation = Conversation(
        (
            said("m1", "早"),
            Entry("r1", ASSISTANT, {MOMENT: "早。"}, message_ids=("2", "3")),
            Entry("m4", "U-mei", {MOMENT: ""}, message_ids=("4",), unsent=True),
            Entry("m5", "U-mei", {MOMENT: "安"}, message_ids=("",)),
        )
    )
    found = conversation.find(message_id)

    assert expected == (found.id if found else None)


def test_names_that_were_asked_for_are_known_as_well() -> None:
    """New names join the known ones and overrule them; the conversation read stays as it was."""
    conversation = Conversation((said("m1", "早"),), {"U-mei": "小美", "U-wei": ""}, 3, Size(1, 1))

    knowing = conversation.knowing({"U-wei": "阿偉", "U-ann": "安"})

    assert (
        Conversation(
            (said("m1", "早"),), {"U-mei": "小美", "U-wei": "阿偉", "U-ann": "安"}, 3, Size(1, 1)
        )
        == knowing
    )
    assert {"U-mei": "小美", "U-wei": ""} == conversation.names


def test_only_speakers_not_yet_asked_about_are_nameless() -> None:
    """Not asked about are ourselves, nobody, the unsent, and whoever LINE knows no name of."""
    conversation = Conversation(
        (
            said("m1", "早", speaker="U-mei"),
            said("m2", "早", speaker="U-wei"),
            said("m3", "早", speaker="U-ann"),
            said("m4", "安", speaker="U-ann"),
            said("m5", "早", speaker=""),
            said("r5", "早。", speaker=ASSISTANT),
            Entry("m6", "U-tom", {MOMENT: ""}, unsent=True),
        ),
        {"U-mei": "小美", "U-wei": ""},
    )
    assert {"U-ann"} == conversation.nameless()


def test_who_told_a_fact_is_asked_about_too() -> None:
    """
    Whoever stands on the board has a name there, though their turns have left the window.
    """
    conversation = Conversation(
        (said("m1", "早", speaker="U-mei"),),
        {"U-mei": "小美"},
        board={
            no: Fact(no, "…", "…", by, NOON)
            for no, by in enumerate(("U-mei", "U-wei", "U-wei", "", ASSISTANT), 1)
        },
    )
    assert {"U-wei"} == conversation.nameless()


@pytest.mark.parametrize(
    ("expected", "today"),
    [
        ([2, 3, 7, 10], date(2026, 12, 7)),
        ([2, 3, 7, 10], date(2026, 12, 8)),
        ([2, 3, 10], date(2026, 12, 9)),
        ([2, 10], date(2027, 1, 1)),
    ],
)
def test_the_facts_of_a_day_stand_by_number(expected: list[int], today: date) -> None:
    """
    Shown is what has no last day, or not passed it; by number, however they were stored.
    """
    last_days = {10: None, 7: date(2026, 12, 8), 2: None, 3: date(2026, 12, 31)}
    conversation = Conversation(
        board={
            no: Fact(no, "…", "…", "U-mei", NOON, expires_on=last_day)
            for no, last_day in last_days.items()
        }
    )
    assert expected == [fact.no for fact in conversation.facts(today)]


@pytest.mark.parametrize(
    ("seconds", "asked"),
    [
        (0, said("m0", "早", second=-60)),
        (0, said("m1", "早", second=0)),
        (60, said("m9", "安", second=60)),
        (3600, said("m2", "安", second=3600)),
        (600, said("m9", "安", second=4200)),
        (1200, said("m9", "安", second=6000)),
    ],
    ids=["nothing before", "the first", "after the first", "the second", "not unsent", "not ours"],
)
def test_a_silence_is_how_long_nobody_had_spoken(seconds: int, asked: Entry) -> None:
    """
    It ends with a turn and began with the last that was said before, by whoever, unsent or not.
    """
    conversation = Conversation(
        (
            said("m1", "早", second=0),
            said("m2", "安", second=3600),
            Entry("m3", "U-mei", {MOMENT + 3_600_000: ""}, unsent=True),
            said("r2", "安。", speaker=ASSISTANT, second=4800),
        )
    )
    assert timedelta(seconds=seconds) == conversation.silence(asked.turn())


def test_a_turn_is_not_its_own_silence() -> None:
    """
    What was said at the same moment, as the turn itself, breaks no silence.
    """
    conversation = Conversation((said("m1", "早"), said("m2", "早", second=60), said("m3", "安")))

    assert timedelta(seconds=60) == conversation.silence(said("m2", "早", second=60).turn())
    assert timedelta(0) == Conversation((said("m1", "早"),)).silence(said("m1", "早").turn())


@pytest.mark.parametrize(
    ("expected", "before", "keep"),
    [
        (["m0", "m1", "m2"], 3, 0),
        (["m0", "m1"], 3, 1),
        (["m0"], 3, 2),
        ([], 3, 3),
        ([], 3, 99),
        ([], 0, 0),
        (["m0"], 1, 0),
        (["m0", "m1", "m2", "m3"], 99, 0),
        (["m0", "m1"], 99, 2),
    ],
)
def test_what_a_silence_leaves_behind_leaves_but_for_the_last(
    expected: list[str], before: int, keep: int
) -> None:
    """
    Of what was said before a moment, the last few stay for the talk to go on from.
    """
    moment = NOON + timedelta(seconds=before)

    assert expected == keys(talk("一", "二", "三", "四").left_behind(moment, keep))


@pytest.mark.parametrize(
    ("expected", "text", "limit"),
    [
        ("", "", 20),
        ("一二三四五", "一二三四五", 20),
        ("家" * 20, "家" * 20, 20),
        ("前" * 11 + "\n……\n" + "後" * 5, "前" * 11 + "後" * 10, 20),
        ("前" * 1496 + "\n……\n" + "後" * 500, "前" * 2000 + "後" * 2000, 2000),
        ("頭\n……\n尾", "頭中中中中中尾", 6),
        ("頭中中", "頭中中中中尾", 3),
    ],
)
def test_a_long_text_keeps_its_beginning_and_its_end(expected: str, text: str, limit: int) -> None:
    """Of a longer text a quarter of the limit is its end, and what else fits its beginning."""
    assert expected == shortened(text, limit)


@given(st.text(max_size=200), st.integers(8, 100))
def test_a_shortened_text_is_within_the_limit(text: str, limit: int) -> None:
    """A shortened text is the text itself, or fills the limit from its beginning and its end."""
    short = shortened(text, limit)
    beginning, _, end = short.rpartition("\n……\n")

    assert short == text or (
        (limit, True, True) == (len(short), text.startswith(beginning), text.endswith(end))
    )


@pytest.mark.parametrize("limit", [0, 4])
def test_a_limit_too_small_for_both_ends_is_kept_too(limit: int) -> None:
    """A limit is a limit, though it leaves no room for the mark between beginning and end."""
    assert len(shortened("一二三四五六七八", limit)) <= limit


@pytest.mark.parametrize(
    ("milliseconds", "moment"),
    [
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1001, datetime(1970, 1, 1, 0, 0, 1, 1000, tzinfo=UTC)),
        (MOMENT, NOON),
        (MOMENT + 1, NOON + timedelta(milliseconds=1)),
        (MOMENT + 999, NOON + timedelta(milliseconds=999)),
    ],
)
def test_a_moment_is_written_as_line_writes_it(milliseconds: int, moment: datetime) -> None:
    """A moment and LINE's milliseconds say the same, both ways."""
    assert (milliseconds, moment) == (to_milliseconds(moment), from_milliseconds(milliseconds))


def test_a_moment_in_any_zone_is_the_same_moment() -> None:
    """A moment's zone does not change its milliseconds, and what is read of them is UTC."""
    taipei = NOON.astimezone(timezone(timedelta(hours=8)))

    assert MOMENT == to_milliseconds(taipei)
    assert UTC is from_milliseconds(MOMENT).tzinfo


@given(st.integers(0, 4102444800000))
def test_milliseconds_survive_the_round_trip(milliseconds: int) -> None:
    """No millisecond of this century is lost by reading it and writing it again."""
    assert milliseconds == to_milliseconds(from_milliseconds(milliseconds))
