"""What is said in LINE's chats arrives once, for free where it can be, or fails honestly."""

import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from local.clock import FrozenClock
from local.journal import Journal
from local.line import LineServer, Sent
from local.loopback import Answer, Server
from services.errors import Gone, OverQuota, Refused, Unavailable
from services.line import Line, SpentToken
from services.outgoing import (
    EVERYONE,
    Button,
    Card,
    Cards,
    Mention,
    Message,
    Text,
    from_document,
    to_document,
)
from services.settings import Settings

CHANNEL_ID, SECRET = "1234567890", "channel-secret"
LONG_LIVED = "long-lived-token"
MEI, WEI, FAMILY, ROOM = "U-mei", "U-wei", "C-family", "R-room"
KEY = "00000000-0000-0000-0000-000000000005"
TEXTS = ["好的，", "八點提醒你。"]
MESSAGES = [{"type": "text", "text": text} for text in TEXTS]
MONTHLY_LIMIT = Answer({"message": "You have reached your monthly limit."}, 429)
RATE_LIMIT = Answer({"message": "The API rate limit has been exceeded. Try again later."}, 429)
UNREADABLE: list[Any] = [{}, [], None, 5, "text", {"sentMessages": [{}]}, {"sentMessages": 5}]

Call = Callable[[Line], object]
Deliver = Callable[..., list[str]]
CALLS: dict[str, Call] = {
    "reply": lambda line: line.reply("token", TEXTS),
    "push": lambda line: line.push(MEI, TEXTS, KEY),
    "profile": lambda line: line.display_name(MEI, MEI),
    "member": lambda line: line.display_name(FAMILY, MEI),
    "quota": lambda line: line.quota(),
    "consumption": lambda line: line.used(),
    "count": lambda line: line.members(FAMILY),
    "loading": lambda line: line.show_loading(MEI),
    "token": lambda line: line.show_loading(MEI),
}
every_call = pytest.mark.parametrize(("name", "call"), CALLS.items(), ids=CALLS)


@pytest.fixture
def server(clock: FrozenClock, journal: Journal) -> Iterator[LineServer]:
    """Run LINE, with a family in it."""
    server = LineServer(
        clock, journal, channel_id=CHANNEL_ID, channel_secret=SECRET, access_token=LONG_LIVED
    )
    server.people = {MEI: "小美"}
    server.groups = {FAMILY: [MEI, WEI], ROOM: [MEI]}
    server.start()
    yield server
    server.stop()


def settings(url: str, **more: str) -> Settings:
    """Return what connects to a LINE."""
    return Settings(
        project_id="family-project",
        region="asia-east1",
        line_channel_secret=SECRET,
        line_channel_id=CHANNEL_ID,
        line_url=url,
        **more,
    )


@pytest.fixture
def line(server: LineServer, clock: FrozenClock) -> Line:
    """Talk to it as the functions do."""
    return Line(settings(server.url), clock)


def of_call(journal: Journal, call: str) -> list[dict[str, Any]]:
    """Return what crossed the border with one call."""
    return [line for line in journal.lines if line["call"] == call]


def calls(journal: Journal) -> list[tuple[str, int]]:
    """Return what was asked of LINE and how it answered, without the buying of tokens."""
    return [(line["call"], line["status"]) for line in journal.lines if line["call"] != "token"]


# On the wire.


def test_a_reply_is_sent_with_its_token(line: Line, server: LineServer, journal: Journal) -> None:
    """A reply takes the event's token, carries all texts at once and returns their ids."""
    token = server.issue_reply_token(MEI)

    ids = line.reply(token, TEXTS)

    [sent] = of_call(journal, "reply")
    assert {"replyToken": token, "messages": MESSAGES, "notificationDisabled": False} == sent[
        "body"
    ]
    assert "X-Line-Retry-Key" not in sent["headers"]
    assert [Sent(MEI, "reply", MESSAGES, tuple(ids))] == server.sent


def test_a_push_is_sent_with_its_retry_key(
    line: Line, server: LineServer, journal: Journal
) -> None:
    """A push names its chat and carries its retry key in the header, and returns the ids."""
    ids = line.push(FAMILY, TEXTS, KEY)

    [sent] = of_call(journal, "push")
    assert {"to": FAMILY, "messages": MESSAGES, "notificationDisabled": False} == sent["body"]
    assert KEY == sent["headers"]["X-Line-Retry-Key"]
    assert [Sent(FAMILY, "push", MESSAGES, tuple(ids))] == server.sent


@pytest.mark.parametrize(
    ("chat", "path"),
    [
        (MEI, f"/v2/bot/profile/{MEI}"),
        (FAMILY, f"/v2/bot/group/{FAMILY}/member/{MEI}"),
        (ROOM, f"/v2/bot/room/{ROOM}/member/{MEI}"),
    ],
)
def test_a_name_is_asked_for_where_the_chat_is(
    line: Line, journal: Journal, chat: str, path: str
) -> None:
    """Only in the chat where somebody speaks does LINE tell their name."""
    assert "小美" == line.display_name(chat, MEI)
    assert path == journal.lines[-1]["path"]


@pytest.mark.parametrize("chat", ["U-stranger", FAMILY, ROOM])
def test_a_stranger_has_no_name(line: Line, chat: str) -> None:
    """Where LINE knows nobody of that id, it refuses."""
    with pytest.raises(Refused):
        line.display_name(chat, "U-stranger")


@pytest.mark.parametrize(
    ("parts", "text", "mentionees"),
    [
        ((Mention(MEI), " 倒垃圾"), "{m0} 倒垃圾", [{"type": "user", "userId": MEI}]),
        ((Mention(EVERYONE), " 吃飯"), "{m0} 吃飯", [{"type": "all"}]),
        (
            ("給 ", Mention(MEI), Mention(WEI), "：{a}"),
            "給 {m0}{m1}：{{a}}",
            [{"type": "user", "userId": MEI}, {"type": "user", "userId": WEI}],
        ),
        (
            (Mention(MEI), "{{m0}}", Mention(MEI), "}"),
            "{m0}{{{{m0}}}}{m1}}}",
            [{"type": "user", "userId": MEI}] * 2,
        ),
    ],
)
def test_people_are_mentioned_and_braces_are_words(
    line: Line,
    server: LineServer,
    parts: tuple[str | Mention, ...],
    text: str,
    mentionees: list[dict[str, str]],
) -> None:
    """A text with mentions holds a key for each, and its own braces are doubled."""
    line.push(FAMILY, [Text(parts)], KEY)

    [sent] = server.sent
    assert [
        {
            "type": "textV2",
            "text": text,
            "substitution": {
                f"m{n}": {"type": "mention", "mentionee": mentionee}
                for n, mentionee in enumerate(mentionees)
            },
        }
    ] == sent.messages


def test_no_more_are_mentioned_than_line_takes(line: Line, server: LineServer) -> None:
    """The first twenty mentions ring; those beyond would spoil the whole message."""
    line.push(FAMILY, [Text((Mention(MEI),) * 21 + ("！",))], KEY)

    [sent] = server.sent
    [message] = sent.messages
    assert "".join(f"{{m{n}}}" for n in range(20)) + "！" == message["text"]


def test_a_text_without_mentions_is_a_plain_one(line: Line, server: LineServer) -> None:
    """Where nobody is mentioned, braces are words as they are."""
    line.push(MEI, [Text(("{", "a}")), "{b}"], KEY)

    texts = [{"type": "text", "text": text} for text in ("{a}", "{b}")]
    assert [texts] == [sent.messages for sent in server.sent]


def cards(*texts: str) -> Cards:
    """Return cards with two buttons each, one of which says something."""
    buttons = (Button("完成", "do=done", "倒垃圾完成了"), Button("明天", "do=tomorrow"))
    return Cards("提醒", tuple(Card(text, buttons) for text in texts))


def test_cards_are_a_carousel(line: Line, server: LineServer) -> None:
    """Cards go out as columns of one message, their buttons as postbacks."""
    line.push(MEI, [cards("倒垃圾", "買菜")], KEY)

    actions = [
        {"type": "postback", "label": "完成", "data": "do=done", "displayText": "倒垃圾完成了"},
        {"type": "postback", "label": "明天", "data": "do=tomorrow"},
    ]
    [sent] = server.sent
    assert [
        {
            "type": "template",
            "altText": "提醒",
            "template": {
                "type": "carousel",
                "columns": [{"text": text, "actions": actions} for text in ("倒垃圾", "買菜")],
            },
        }
    ] == sent.messages


MIXED: list[Message] = ["哈囉", Text((Mention(MEI), " {倒垃圾}")), cards("倒垃圾")]


def test_every_kind_is_replied_as_it_is_pushed(line: Line, server: LineServer) -> None:
    """What can be pushed can be replied, and is the same."""
    line.reply(server.issue_reply_token(FAMILY), MIXED)
    line.push(FAMILY, MIXED, KEY)

    replied, pushed = server.sent
    assert replied.messages == pushed.messages


def test_what_was_stored_is_the_same_push(line: Line, server: LineServer) -> None:
    """A message that was stored in between is known by LINE as what was sent before."""
    first = line.push(FAMILY, MIXED, KEY)
    stored = json.dumps([to_document(message) for message in MIXED], sort_keys=True)

    again = line.push(FAMILY, [from_document(one) for one in json.loads(stored)], KEY)

    assert first == again
    assert 1 == len(server.sent)


def test_loading_is_shown_for_a_minute(line: Line, journal: Journal) -> None:
    """The animation lasts as long as LINE allows; the answer ends it."""
    line.show_loading(MEI)

    [sent] = of_call(journal, "loading")
    assert {"chatId": MEI, "loadingSeconds": 60} == sent["body"]


# Access tokens.


def test_a_token_is_bought_once_with_the_secret(line: Line, journal: Journal) -> None:
    """A stateless token costs a request and serves every other one."""
    line.show_loading(MEI)
    line.display_name(MEI, MEI)

    [bought] = of_call(journal, "token")
    assert {
        "grant_type": "client_credentials",
        "client_id": CHANNEL_ID,
        "client_secret": SECRET,
    } == bought["body"]
    bearer = f"Bearer {bought['answer']['access_token']}"
    assert [bearer] * 2 == [line["headers"]["Authorization"] for line in journal.lines[1:]]


def test_everybody_shares_the_token(line: Line, journal: Journal) -> None:
    """Threads that ask at the same moment buy one token together."""
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(lambda _: line.display_name(FAMILY, MEI), range(8)))

    assert ["小美"] * 8 == names
    assert 1 == len(of_call(journal, "token"))


def test_a_token_is_bought_again_a_minute_before_its_end(
    line: Line, journal: Journal, clock: FrozenClock
) -> None:
    """A token is good for a quarter of an hour; for its last minute it is not relied on."""
    line.show_loading(MEI)
    clock.advance(timedelta(minutes=14, seconds=-1))
    line.show_loading(MEI)
    assert 1 == len(of_call(journal, "token"))

    clock.advance(timedelta(seconds=1))
    line.show_loading(MEI)

    newest = of_call(journal, "token")[1]["answer"]["access_token"]
    assert f"Bearer {newest}" == journal.lines[-1]["headers"]["Authorization"]


def test_a_given_token_buys_none(server: LineServer, journal: Journal, clock: FrozenClock) -> None:
    """A long-lived token needs no other, however long the instance lives."""
    line = Line(settings(server.url, line_channel_access_token=LONG_LIVED), clock)

    line.show_loading(MEI)
    clock.advance(timedelta(days=365))
    line.show_loading(MEI)

    assert [("loading", 202)] * 2 == calls(journal)
    assert [] == of_call(journal, "token")
    assert f"Bearer {LONG_LIVED}" == journal.lines[-1]["headers"]["Authorization"]


def test_a_wrong_secret_is_refused(server: LineServer, clock: FrozenClock) -> None:
    """A channel that LINE does not know gets no token, now or later."""
    server.fail("token", Answer({"error": "invalid_client"}, 400))

    with pytest.raises(Refused):
        Line(settings(server.url), clock).show_loading(MEI)


def test_a_token_that_could_not_be_bought_is_asked_for_again(
    line: Line, server: LineServer, journal: Journal
) -> None:
    """A failure is not kept: the next call buys the token."""
    server.fail("token", Answer(status=503))

    with pytest.raises(Unavailable):
        line.show_loading(MEI)
    line.show_loading(MEI)

    assert [503, 200] == [bought["status"] for bought in of_call(journal, "token")]


# What goes wrong.


@every_call
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_an_outage_is_unavailable(
    line: Line, server: LineServer, name: str, call: Call, status: int
) -> None:
    """A 5xx says that LINE may be asked again."""
    server.fail(name, Answer(status=status))

    with pytest.raises(Unavailable):
        call(line)


@every_call
def test_too_many_requests_are_unavailable(
    line: Line, server: LineServer, name: str, call: Call
) -> None:
    """Whoever asked too fast may ask again."""
    server.fail(name, RATE_LIMIT)

    with pytest.raises(Unavailable):
        call(line)


@every_call
def test_a_lost_answer_is_unavailable(
    line: Line, server: LineServer, journal: Journal, name: str, call: Call
) -> None:
    """Without an answer nobody knows; and nothing is sent twice behind the caller's back."""
    server.fail(name, lost=True)

    with pytest.raises(Unavailable):
        call(line)
    assert 1 == len(of_call(journal, name))


@every_call
def test_nobody_there_is_unavailable(
    closed_host: str, clock: FrozenClock, name: str, call: Call
) -> None:
    """Where nobody listens, LINE can't be talked to now."""
    with pytest.raises(Unavailable):
        call(Line(settings(f"http://{closed_host}"), clock))


@every_call
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_no_is_a_no(line: Line, server: LineServer, name: str, call: Call, status: int) -> None:
    """A 4xx says that asking again is of no use."""
    server.fail(name, Answer({"message": "no"}, status))

    with pytest.raises(Refused):
        call(line)


@pytest.mark.parametrize("name", ["reply", "push", "profile", "quota", "consumption", "count"])
@pytest.mark.parametrize("body", UNREADABLE, ids=str)
def test_an_answer_that_can_not_be_read_is_unavailable(
    line: Line, server: LineServer, name: str, body: Any
) -> None:
    """LINE said yes in words that nobody knows: what it did has to be asked again."""
    server.fail(name, Answer(body))

    with pytest.raises(Unavailable):
        CALLS[name](line)


@pytest.mark.parametrize("body", [{}, [], None, 5, "text", {"access_token": "t"}], ids=str)
def test_a_token_that_can_not_be_read_is_unavailable(
    line: Line, server: LineServer, body: Any
) -> None:
    """Without a readable token nothing can be sent now."""
    server.fail("token", Answer(body))

    with pytest.raises(Unavailable):
        line.show_loading(MEI)


@pytest.mark.parametrize(("status", "error"), [("502 Oh", Unavailable), ("403 No", Refused)])
def test_an_error_page_is_known_by_its_status(
    clock: FrozenClock, status: str, error: type[Exception]
) -> None:
    """Something between LINE and us may answer in its place, and not in JSON."""

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        start_response(status, [("Content-Type", "text/html")])
        return [b"<html>"]

    proxy = Server(answer)
    proxy.start()

    with pytest.raises(error):
        Line(settings(proxy.url, line_channel_access_token=LONG_LIVED), clock).show_loading(MEI)
    proxy.stop()


def test_a_spent_token_is_told_apart(line: Line, server: LineServer) -> None:
    """A reply token that was used is refused in a way of its own."""
    token = server.issue_reply_token(MEI)
    line.reply(token, TEXTS)

    with pytest.raises(SpentToken):
        line.reply(token, TEXTS)


def test_an_old_token_is_a_spent_one(line: Line, server: LineServer, clock: FrozenClock) -> None:
    """A reply token that waited too long is as good as used."""
    token = server.issue_reply_token(MEI)
    clock.advance(timedelta(seconds=61))

    with pytest.raises(SpentToken):
        line.reply(token, TEXTS)


def test_what_line_does_not_take_is_refused(line: Line, server: LineServer) -> None:
    """A text beyond LINE's limits is refused, and its token is not taken for a spent one."""
    with pytest.raises(Refused) as refused:
        line.reply(server.issue_reply_token(MEI), ["a" * 5001])

    assert Refused is refused.type


def test_the_month_is_over_for_pushes(line: Line, server: LineServer) -> None:
    """A used-up quota does not come back by asking again."""
    server.fail("push", MONTHLY_LIMIT)

    with pytest.raises(OverQuota):
        line.push(MEI, TEXTS, KEY)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (RATE_LIMIT, Unavailable),
        (Answer({"message": "You have reached your limit."}, 429), Unavailable),
        (Answer({"message": "You have reached your monthly limit."}, 400), Refused),
        (Answer({"message": "The request body has 1 error(s)"}, 400), Refused),
        (Answer({"message": "Failed to send messages"}, 500), Unavailable),
    ],
)
def test_not_every_no_is_that_of_the_month_or_the_chat(
    line: Line, server: LineServer, answer: Answer, error: type[Exception]
) -> None:
    """Only its own answer says that the month is over, or that nobody is there."""
    server.fail("push", answer)

    with pytest.raises(error) as raised:
        line.push(MEI, TEXTS, KEY)
    assert error is raised.type


@pytest.mark.parametrize("chat", ["C-left", "R-left"])
def test_a_chat_that_was_left_is_gone(line: Line, chat: str) -> None:
    """Where the bot is no longer, nothing will ever be taken."""
    with pytest.raises(Gone):
        line.push(chat, TEXTS, KEY)


# How much, and to whom.


@pytest.mark.parametrize("limit", [None, 0, 200])
def test_the_quota_is_read(line: Line, server: LineServer, limit: int | None) -> None:
    """LINE says how many people may be pushed to this month, and how many were."""
    server.quota(limit, 12)

    assert (limit, 12) == (line.quota(), line.used())


def test_a_limit_that_is_not_told_is_unavailable(line: Line, server: LineServer) -> None:
    """A quota that is limited by nobody knows what is not taken for unlimited."""
    server.fail("quota", Answer({"type": "limited"}))

    with pytest.raises(Unavailable):
        line.quota()


@pytest.mark.parametrize(
    ("chat", "count", "asked"),
    [
        (FAMILY, 2, [f"/v2/bot/group/{FAMILY}/members/count"]),
        (ROOM, 1, [f"/v2/bot/room/{ROOM}/members/count"]),
        (MEI, 1, []),
    ],
)
def test_who_is_in_a_chat_is_counted(
    line: Line, journal: Journal, chat: str, count: int, asked: list[str]
) -> None:
    """LINE counts the people of a group or room without the bot; a user is one, unasked."""
    assert count == line.members(chat)
    assert asked == [one["path"] for one in of_call(journal, "count")]


def test_a_chat_that_was_left_is_not_counted(line: Line) -> None:
    """Who is in a chat without the bot, LINE does not say."""
    with pytest.raises(Refused):
        line.members("C-left")


@pytest.mark.parametrize(
    ("chat", "user", "there"),
    [
        (FAMILY, WEI, True),
        (ROOM, WEI, False),
        (ROOM, MEI, True),
        (MEI, MEI, True),
        (WEI, WEI, False),
        ("C-left", MEI, False),
    ],
)
def test_a_member_is_known_in_the_chat(line: Line, chat: str, user: str, there: bool) -> None:
    """Somebody is in a chat if LINE has a profile of them there."""
    assert there is line.is_member(chat, user)


@pytest.mark.parametrize(
    ("status", "error"), [(400, Refused), (403, Refused), (429, Unavailable), (500, Unavailable)]
)
def test_who_is_not_answered_does_not_know_of_a_member(
    line: Line, server: LineServer, status: int, error: type[Exception]
) -> None:
    """Only a 404 says that somebody is not there."""
    server.fail("member", Answer({"message": "no"}, status))

    with pytest.raises(error):
        line.is_member(FAMILY, MEI)


def test_a_refusal_is_logged_without_words(line: Line, caplog: pytest.LogCaptureFixture) -> None:
    """LINE's support asks for the request's id; nobody may read the family's words."""
    with pytest.raises(Refused), caplog.at_level(logging.INFO, "services.line"):
        line.push("C-unknown", TEXTS, KEY)

    [record] = caplog.records
    assert 400 == record.status
    assert record.request
    assert "C-unknown" not in str(vars(record))
    assert TEXTS[1] not in str(vars(record))


# Once.


def test_a_push_sent_again_is_the_first_one(line: Line, server: LineServer) -> None:
    """The same retry key and the same texts send nothing more and return the first ids."""
    first = line.push(MEI, TEXTS, KEY)

    assert first == line.push(MEI, TEXTS, KEY)
    assert [Sent(MEI, "push", MESSAGES, tuple(first))] == server.sent


@pytest.mark.parametrize(
    "body", [{}, [], {"sentMessages": None}, {"sentMessages": [{}]}, {"sentMessages": 5}], ids=str
)
def test_a_push_known_already_is_success_whatever_is_said_of_it(
    line: Line, server: LineServer, body: Any
) -> None:
    """A 409 is success even where it does not tell the ids."""
    server.fail("push", Answer(body, 409))

    assert [] == line.push(MEI, TEXTS, KEY)


@pytest.mark.parametrize("name", ["reply", "profile", "loading"])
def test_a_conflict_means_something_to_pushes_only(
    line: Line, server: LineServer, name: str
) -> None:
    """Where no retry key was sent, a 409 is a no like any other."""
    server.fail(name, Answer({"message": "conflict"}, 409))

    with pytest.raises(Refused):
        CALLS[name](line)


# Delivering.


@pytest.fixture
def deliver(line: Line, server: LineServer, clock: FrozenClock) -> Deliver:
    """Deliver an answer to Mei, by default to what she said just now."""

    def deliver(
        *, token: str | None = None, age: timedelta = timedelta(), texts: list[str] = TEXTS
    ) -> list[str]:
        return line.deliver(
            texts,
            chat_id=MEI,
            reply_token=server.issue_reply_token(MEI) if token is None else token,
            said_at=clock.now() - age,
            retry_key=KEY,
        )

    return deliver


def test_an_answer_is_a_free_reply(deliver: Deliver, server: LineServer, journal: Journal) -> None:
    """Where there is a reply token, nothing of the month's quota is spent."""
    ids = deliver()

    assert [("reply", 200)] == calls(journal)
    assert [Sent(MEI, "reply", MESSAGES, tuple(ids))] == server.sent


@pytest.mark.parametrize("age", [timedelta(), timedelta(hours=2)])
def test_a_spent_token_is_made_up_for_by_one_push(
    deliver: Deliver, server: LineServer, journal: Journal, age: timedelta
) -> None:
    """What can't be replied is pushed, under the retry key, and once however often it is tried."""
    ids = deliver(token="spent", age=age)
    again = deliver(token="spent", age=age)

    assert [("reply", 400), ("push", 200), ("reply", 400), ("push", 409)] == calls(journal)
    assert [KEY, KEY] == [sent["headers"]["X-Line-Retry-Key"] for sent in of_call(journal, "push")]
    assert ids == again
    assert [Sent(MEI, "push", MESSAGES, tuple(ids))] == server.sent


def test_without_a_token_an_answer_is_pushed(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """An event without a reply token is not tried to be replied to."""
    ids = deliver(token="")

    assert [("push", 200)] == calls(journal)
    assert [Sent(MEI, "push", MESSAGES, tuple(ids))] == server.sent


def test_a_reply_that_never_arrived_is_sent_again(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """After an outage the same token still replies."""
    server.fail("reply", Answer(status=503))

    ids = deliver()

    assert [("reply", 503), ("reply", 200)] == calls(journal)
    assert [Sent(MEI, "reply", MESSAGES, tuple(ids))] == server.sent


def test_a_reply_whose_answer_got_lost_is_not_pushed(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """A token younger than 45 seconds is spent only because the first reply arrived."""
    server.fail("reply", lost=True)

    assert [] == deliver(age=timedelta(seconds=44.9))
    assert [("reply", 200), ("reply", 400)] == calls(journal)
    assert ["reply"] == [sent.via for sent in server.sent]


def test_a_reply_whose_answer_got_lost_is_pushed_when_the_token_was_old(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """From 45 seconds on the token may have died of age, and silence would be worse."""
    server.fail("reply", Answer(status=500))

    ids = deliver(token="too old", age=timedelta(seconds=45))

    assert [("reply", 500), ("reply", 400), ("push", 200)] == calls(journal)
    assert [Sent(MEI, "push", MESSAGES, tuple(ids))] == server.sent


def test_a_slow_outage_makes_a_token_old(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """What counts is the token's age at the second try, not at the first."""
    server.fail("reply", Answer(status=500), slow=timedelta(seconds=8))

    deliver(token="too old", age=timedelta(seconds=37))

    assert [("reply", 500), ("reply", 400), ("push", 200)] == calls(journal)


@pytest.mark.parametrize("lost", [{"lost": True}, {"answer": Answer(status=503)}], ids=str)
def test_after_two_lost_replies_the_task_comes_again(
    deliver: Deliver, server: LineServer, journal: Journal, lost: dict[str, Any]
) -> None:
    """Nobody knows whether they arrived, so nothing is pushed and nothing is given up."""
    server.fail("reply", times=2, **lost)

    with pytest.raises(Unavailable):
        deliver()
    assert ["reply", "reply"] == [call for call, _ in calls(journal)]


def test_words_that_line_refuses_are_not_pushed(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """What LINE does not take as a reply it would not take as a push."""
    with pytest.raises(Refused):
        deliver(texts=[""])

    assert [("reply", 400)] == calls(journal)


def test_a_push_that_fails_comes_again(
    deliver: Deliver, server: LineServer, journal: Journal
) -> None:
    """A push without an answer is unavailable; its retry key makes the next one the same."""
    server.fail("push", lost=True)

    with pytest.raises(Unavailable):
        deliver(token="")
    ids = deliver(token="")

    assert [("push", 200), ("push", 409)] == calls(journal)
    assert [Sent(MEI, "push", MESSAGES, tuple(ids))] == server.sent
