"""Stories: how they are read, what they expect, and how they fail."""

from datetime import UTC, datetime, timedelta

import pytest

from handlers.alarms import Alarms
from local.line import Sent
from local.matching import matches, missing, nearest
from local.player import Player, StoryFailed
from local.story import BadStory, read_story
from memory.reminders import Alarm


@pytest.fixture
def story(tmp_path):
    """A maker of stories from their text."""

    def make(text):
        path = tmp_path / "story.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return make


def play(path, firestore):
    with Player(read_story(path), firestore) as player:
        for _ in player.play():
            pass


def test_a_story_is_read_with_its_zone_and_lines(story):
    """
    A time without an offset is the story's zone's, and each step knows its line.
    """
    read = read_story(
        story(
            "now: 2026-12-01T18:00\ntimezone: Asia/Taipei\nmembers: {U1: 媽媽, C1: [U1]}\nsteps:\n"
            "  - say: {from: U1, text: 你好}\n\n  - expect: {to: line}\n"
        )
    )

    assert datetime(2026, 12, 1, 10, tzinfo=UTC) == read.now
    assert [(5, "say"), (7, "expect")] == [(step.line, step.verb) for step in read.steps]
    assert ({"U1": "媽媽"}, {"C1": ["U1"]}) == (read.names, read.groups)
    assert {} == read.seed


def test_what_is_known_already_is_planted_before_the_story_begins(story, firestore):
    """
    A story's seed are facts and a summary of a chat, which is as if it had told them itself.
    """
    path = story(
        "members: {U1: 媽媽, U2: 爸爸, C1: [U1, U2]}\n"
        "seed:\n"
        "  C1:\n"
        "    summary: [全家去了宜蘭。]\n"
        "    facts:\n"
        "      - {text: 週二考試, expires_on: '2026-12-08'}\n"
        "      - {text: 爸爸怕狗, subject: 爸爸, by: U2, 'no': 7, importance: 0.9}\n"
        "steps:\n"
        "  - gemini: [{text: 好}]\n"
        "  - say: {from: U1, in: C1, text: '@小幫手 早'}\n"
        "  - expect:\n"
        "      to: gemini\n"
        "      prompt:\n"
        "        contains: |-\n"
        "          【記事板】\n"
        "          #1 「週二考試」（媽媽 記的）\n"
        "          #7 「爸爸怕狗」（爸爸 記的）\n"
        "\n"
        "          【更早之前】\n"
        "          - 全家去了宜蘭。\n"
        "  - expect_store: {path: C1/facts/7, has: {by: U2, importance: 0.9}}\n"
        "  - expect_store: {path: C1/facts/1, has: {expires_on: '2026-12-08'}}\n"
        "  - expect_store: {path: C1, has: {next_no: 8}}\n"
        "  - say: {from: U1, text: /記憶}\n"
        "  - expect: {to: line, texts: {contains: 還沒有}}\n"
    )
    assert {"C1"} == set(read_story(path).seed)
    play(path, firestore)


def test_who_leaves_and_who_joins_is_known_to_line(story, firestore):
    """
    A story's `left` and `joined` change who is in the group, for all that LINE then answers.
    """
    path = story(
        "members: {U1: 媽媽, U2: 爸爸, U3: 小美, C1: [U1, U2]}\nsteps:\n"
        "  - left: {in: C1, members: [U2]}\n  - joined: {in: C1, members: [U3]}\n"
    )
    with Player(read_story(path), firestore) as player:
        for _ in player.play():
            pass
        assert ["U1", "U3"] == player.world.line.groups["C1"]


def cards(*texts):
    """Return a carousel as the bot sends one, a button under each card."""
    columns = [
        {"text": text, "actions": [{"type": "postback", "label": "完成", "data": f"done {text}"}]}
        for text in texts
    ]
    template = {"type": "carousel", "columns": columns}
    return {"type": "template", "altText": "提醒", "template": template}


@pytest.mark.parametrize(
    ("which", "data"),
    [
        ("", "done 買菜"),
        (", card: 倒", "done 倒垃圾"),
        (", back: 1", "done 倒垃圾"),
        (", card: 買, back: 1", "done 買藥"),
    ],
)
def test_a_button_of_a_card_is_tapped(story, firestore, which, data):
    """
    The button last shown, or that of a card, or of one before: a postback with a fresh token.
    """
    path = story(f"members: {{U1: 媽媽}}\nsteps:\n  - tap: {{from: U1, button: 完成{which}}}\n")
    with Player(read_story(path), firestore) as player:
        line = player.world.line
        for message in (cards("買藥"), cards("買菜", "倒垃圾"), {"type": "text", "text": "好"}):
            line.sent.append(Sent("U1", "push", [message], ("1",)))
        line.sent.append(Sent("U2", "push", [cards("別人的")], ("2",)))
        for _ in player.play():
            pass

        [event] = player.world.events
        assert ("postback", {"data": data}) == (event["type"], event["postback"])
        assert {"type": "user", "userId": "U1"} == event["source"]
        assert event["replyToken"]


ALARMED = """
steps:
  - {manner}
  - advance: {until}
  - expect: {{from: push, status: 200, count: {before}}}
  - release: push
  - expect: {{from: push, status: 200, count: {after}}}
"""


@pytest.mark.parametrize(
    ("manner", "until", "before", "after"),
    [
        ("hold: push", "45d", 0, 1),
        ("hold: reminders", "45d", 0, 1),
        ("hold: answer", "45d", 1, 0),
        ("deliver: {queue: reminders, times: 3}", "45d", 3, 0),
        ("deliver: {queue: push, late: 5h}", "64m", 0, 1),
        ("deliver: {queue: reminders, late: 5h}", "6h", 1, 0),
    ],
)
def test_alarms_ring_as_a_story_wants(story, firestore, manner, until, before, after):
    """
    An alarm an hour ahead can be held, doubled and late, by the function's or the queue's name.
    """
    told = ALARMED.format(manner=manner, until=until, before=before, after=after)
    with Player(read_story(story(told)), firestore) as player:
        at = player.world.clock.now() + timedelta(hours=1)
        Alarms("U1", player.world.services).set([Alarm(7, 1, at, at)])
        for _ in player.play():
            pass


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("steps: [", "while parsing"),
        ("- say: {}", "a mapping with a list of steps"),
        ("now: never\nsteps: []", "Invalid isoformat"),
        ("timezone: Asia/Nowhere\nsteps: []", "Asia/Nowhere"),
        ("wether: x\nsteps: []", "has no wether"),
        ("steps:\n  - sing: {}", r":2: there is no step 'sing'"),
        ("steps:\n  - say: {}\n    expect: {}", r":2: a step is one verb"),
        ("steps:\n  - expect: {}\n  - say: {form: U1}", r":3: say: has no form"),
        ("steps:\n  - say: hello", r":2: say: needs a mapping"),
    ],
)
def test_what_can_not_be_read_is_named_with_its_line(story, text, complaint):
    """
    Whoever writes a story is told what is wrong with it, and where.
    """
    with pytest.raises(BadStory, match=complaint):
        read_story(story(text))


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("say: {from: U1}", r":2: say: can't be read: KeyError\('text'\)"),
        ("say: {from: U1, text: x, quote: m9}", r":2: say: can't be read: KeyError\('m9'\)"),
        ("advance: soon", r":2: advance: can't be read"),
        ("gemini: [{txet: x}]", r":2: gemini: can't be read"),
        ("hold: everything", r":2: hold: can't be read"),
        ("deliver: {queue: view}", r":2: deliver: can't be read"),
        ("tap: {from: U1, button: 完成}", r":2: tap: can't be read"),
        ("embed: {一: {like: 1, as: 2}}", r":2: embed: can't be read"),
    ],
)
def test_a_step_that_can_not_be_played_is_named_with_its_line(story, firestore, step, complaint):
    """
    What only playing shows to be wrong is the story's fault too, not a failure.
    """
    with pytest.raises(BadStory, match=complaint):
        play(story(f"steps:\n  - {step}\n"), firestore)


def test_a_failure_names_step_line_wanted_and_came(story, firestore):
    """
    A story that fails says which step, what was wanted, what came, and what was nearly right.
    """
    path = story(
        "members: {U1: 媽媽}\nsteps:\n  - gemini: [{text: 壞}]\n  - say: {from: U1, text: 你好}\n"
        "  - expect: {to: line, call: reply, texts: [好]}\n"
    )
    with pytest.raises(StoryFailed) as failed:
        play(path, firestore)

    said = str(failed.value)
    assert f"{path}:5: expect: no line matches\nwanted:\nto: line\ncall: reply" in said
    assert "texts: wanted ['好'], came ['壞']" in said
    assert '"call": "profile"' in said


def test_what_was_scripted_and_not_asked_for_is_a_failure(story, firestore):
    """
    An answer nobody asked for means that something did not happen.
    """
    with pytest.raises(StoryFailed, match="not asked for 1 more"):
        play(story("steps:\n  - gemini: [{text: 好}]\n"), firestore)


@pytest.mark.parametrize(
    ("expected", "wanted", "came"),
    [
        (True, 3, 3),
        (False, 3, 4),
        (True, {"a": 1}, {"a": 1, "b": 2}),
        (False, {"a": 1}, {"b": 1}),
        (False, {"a": 1}, 1),
        (True, [1, {"a": 1}], [1, {"a": 1, "b": 2}]),
        (False, [1], [1, 2]),
        (True, {"contains": "好"}, ["你好", "嗎"]),
        (False, {"lacks": "好"}, ["你好"]),
        (True, {"contains": "你", "lacks": "我"}, "你好"),
        (True, {"regex": "^你.$"}, "你好"),
        (True, {"any": [1, {"above": 5}]}, 7),
        (False, {"any": [1, {"above": 5}]}, 3),
        (True, {"below": 3}, 2),
        (False, {"below": 3}, 3),
        (True, {}, {"a": 1}),
    ],
)
def test_a_value_matches_what_was_wanted(expected, wanted, came):
    """
    Scalars are equal, mappings partly, lists element by element, operators as they say.
    """
    assert expected == matches(wanted, came)


LINES = [{"n": 1, "to": "line", "call": "reply"}, {"n": 2, "to": "gemini", "call": "generate"}]


@pytest.mark.parametrize(
    ("expected", "wanted"),
    [
        ("", {"to": "line"}),
        ("no line matches", {"to": "tasks"}),
        ("", {"to": "tasks", "count": 0}),
        ("1 lines match, not 0", {"to": "line", "count": 0}),
        ("", [{"to": "line"}, {"to": "gemini"}]),
        (
            "no line matches number 2 of the list, behind those before it",
            [{"to": "gemini"}, {"to": "line"}],
        ),
    ],
)
def test_lines_are_looked_for(expected, wanted):
    """
    A mapping wants one line or exactly a count of them, a list wants them in order.
    """
    assert expected == missing(wanted, LINES)


def test_the_nearest_line_tells_what_is_different():
    """
    Of the lines that nearly match, the one with the fewest differences is told about.
    """
    assert "nearest is line 2, but\n  call: wanted 'embed', came 'generate'" == nearest(
        {"to": "gemini", "call": "embed"}, LINES
    )
    assert "" == nearest({"to": "tasks"}, LINES)
