"""LINE's documented limits, met over real HTTP; the good paths through line-bot-sdk itself."""

import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
import urllib3
from flask import request
from linebot.v3 import SignatureValidator, oauth
from linebot.v3.messaging import (
    ApiClient,
    ApiException,
    Configuration,
    MessagingApi,
    PushMessageRequest,
    ReplyMessageRequest,
    ShowLoadingAnimationRequest,
    TextMessage,
    ValidateMessageRequest,
)
from urllib3 import BaseHTTPResponse

from local.clock import FrozenClock
from local.journal import Journal
from local.line import LineServer, Sent
from local.loopback import Answer, Loopback

CHANNEL_ID = "1234567890"
SECRET = "channel secret"
TOKEN = "long-lived token"
MEI, WEI, STRANGER = "U-mei", "U-wei", "U-stranger"
FAMILY, ROOM = "C-family", "R-room"
FAMILY_EMOJI = "👨‍👩‍👧‍👦"
HELLO = {"type": "text", "text": "哈囉"}
CALLS = [
    ("POST", "/v2/bot/message/reply"),
    ("POST", "/v2/bot/message/push"),
    ("POST", "/v2/bot/chat/loading/start"),
    ("GET", f"/v2/bot/profile/{MEI}"),
    ("GET", f"/v2/bot/group/{FAMILY}/member/{MEI}"),
    ("GET", f"/v2/bot/room/{ROOM}/member/{MEI}"),
    ("GET", f"/v2/bot/group/{FAMILY}/members/count"),
    ("GET", f"/v2/bot/room/{ROOM}/members/count"),
    ("GET", "/v2/bot/info"),
    ("PUT", "/v2/bot/channel/webhook/endpoint"),
    ("GET", "/v2/bot/channel/webhook/endpoint"),
    ("POST", "/v2/bot/channel/webhook/test"),
    ("GET", "/v2/bot/message/quota"),
    ("GET", "/v2/bot/message/quota/consumption"),
    ("POST", "/v2/bot/message/validate/reply"),
    ("POST", "/v2/bot/message/validate/push"),
    ("GET", "/v2/bot/message/1/content"),
    ("GET", "/v2/bot/message/1/content/transcoding"),
    ("GET", "/v2/bot/message/1/content/preview"),
]


@pytest.fixture
def clock() -> FrozenClock:
    """Stand still until a test moves on."""
    return FrozenClock(datetime(2026, 12, 1, 12, tzinfo=UTC))


@pytest.fixture
def line(clock: FrozenClock) -> Iterator[LineServer]:
    """Run a LINE where only Mei is a friend of the bot."""
    line = LineServer(
        clock, Journal(clock), channel_id=CHANNEL_ID, channel_secret=SECRET, access_token=TOKEN
    )
    line.people = {MEI: "小美"}
    line.groups = {FAMILY: [MEI, WEI], ROOM: [MEI]}
    line.start()
    yield line
    line.stop()


class Bot(Loopback):
    """Somebody who takes webhooks and keeps their bytes."""

    name = "bot"

    def __init__(self, clock: FrozenClock, journal: Journal) -> None:
        super().__init__(clock, journal)
        self.bodies: list[bytes] = []
        self.route("POST", "/", "webhook", self._webhook)

    def _webhook(self, _: Any) -> Answer:
        self.bodies.append(request.get_data())
        return Answer({}, 418)


@pytest.fixture
def bot(clock: FrozenClock) -> Iterator[Bot]:
    """Run a bot for one test."""
    bot = Bot(clock, Journal(clock))
    bot.start()
    yield bot
    bot.stop()


@pytest.fixture
def api(line: LineServer) -> Iterator[MessagingApi]:
    """Talk to it as the bot does."""
    with ApiClient(Configuration(host=line.url, access_token=TOKEN)) as client:
        yield MessagingApi(client)


def call(
    line: LineServer,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> BaseHTTPResponse:
    """Send one authorised request as it stands, without the SDK's own checks."""
    headers = {"Authorization": f"Bearer {TOKEN}", **(headers or {})}
    return urllib3.request(method, line.url + path, json=body, headers=headers, timeout=60)


def reply(line: LineServer, token: str, *messages: Any, key: str = "") -> BaseHTTPResponse:
    """Reply with some messages, and a retry key if there is one."""
    headers = {"X-Line-Retry-Key": key} if key else {}
    body = {"replyToken": token, "messages": list(messages)}
    return call(line, "POST", "/v2/bot/message/reply", body, headers)


def push(line: LineServer, to: str, *messages: Any, key: str = "") -> BaseHTTPResponse:
    """Push some messages, with a retry key if there is one."""
    headers = {"X-Line-Retry-Key": key} if key else {}
    body = {"to": to, "messages": list(messages)}
    return call(line, "POST", "/v2/bot/message/push", body, headers)


def issue_token(line: LineServer, **wrong: str) -> BaseHTTPResponse:
    """Ask for a stateless token."""
    right = {"grant_type": "client_credentials", "client_id": CHANNEL_ID, "client_secret": SECRET}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return urllib3.request(
        "POST", f"{line.url}/oauth2/v3/token", body=urlencode({**right, **wrong}), headers=headers
    )


def properties(answer: BaseHTTPResponse) -> list[str | None]:
    """Return where an answer says the errors are."""
    return [detail.get("property") for detail in answer.json()["details"]]


def text(words: str, **more: Any) -> dict[str, Any]:
    """Return a text message."""
    return {"type": "text", "text": words, **more}


def text_v2(words: str, **substitution: Any) -> dict[str, Any]:
    """Return a text message (v2)."""
    return {"type": "textV2", "text": words, "substitution": substitution}


def mention(user_id: str) -> dict[str, Any]:
    """Return a substitution that mentions somebody."""
    return {"type": "mention", "mentionee": {"type": "user", "userId": user_id}}


def emoji() -> dict[str, Any]:
    """Return a substitution by one of LINE's emojis."""
    return {"type": "emoji", "productId": "5ac1bfd5040ab15980c9b435", "emojiId": "001"}


def buttons(*labels: str) -> dict[str, Any]:
    """Return quick replies."""
    return quick_reply(*({"type": "message", "label": label, "text": "是"} for label in labels))


def quick_reply(*actions: dict[str, Any]) -> dict[str, Any]:
    """Return quick replies of some actions."""
    return {"items": [{"type": "action", "action": action} for action in actions]}


def flex(alt_text: str = "菜單", label: str = "好", **more: Any) -> dict[str, Any]:
    """Return a Flex message with one button."""
    button = {"type": "button", "action": {"type": "postback", "label": label, "data": "1"}, **more}
    body = {"type": "box", "layout": "vertical", "contents": [button]}
    return {"type": "flex", "altText": alt_text, "contents": {"type": "bubble", "body": body}}


def confirm(label: str) -> dict[str, Any]:
    """Return a confirm template."""
    action = {"type": "message", "label": label, "text": "是"}
    template = {"type": "confirm", "text": "刪除？", "actions": [action, action]}
    return {"type": "template", "altText": "刪除？", "template": template}


def column(label: str = "好", actions: int = 1, said: str = "好", **more: Any) -> dict[str, Any]:
    """Return a column of a carousel with some buttons."""
    action = {"type": "postback", "label": label, "data": "1", "displayText": said}
    return {"text": "倒垃圾", "actions": [action] * actions, **more}


def carousel(*columns: dict[str, Any]) -> dict[str, Any]:
    """Return a carousel."""
    template = {"type": "carousel", "columns": list(columns)}
    return {"type": "template", "altText": "提醒", "template": template}


def postback(data: str) -> dict[str, Any]:
    """Return a button that posts data back."""
    return {"type": "postback", "label": "好", "data": data}


BUTTON = "messages[0].quickReply.items[0]"
COLUMNS = "messages[0].template.columns"
COLUMNS_OF_SECOND = "messages[1].template.columns"
PICTURE = "https://example.com/1.png"
FLEX_BUTTON = "messages[0].contents.body.contents[0]"
REJECTED = {
    "no message": ([], [None]),
    "six messages": ([HELLO] * 6, [None]),
    "a message without type": ([{"text": "哈囉"}], [None]),
    "an unknown type": ([{"type": "poem", "text": "哈囉"}], [None]),
    "a text message without text": ([{"type": "text"}], [None]),
    "a number for a text": ([{"type": "text", "text": 5}], [None]),
    "no object": (["哈囉"], [None]),
    "an empty text": ([text("")], ["messages[0].text"]),
    "5001 characters": ([text("a" * 5001)], ["messages[0].text"]),
    "5001 UTF-16 units": ([text("🍎" * 2500 + "a")], ["messages[0].text"]),
    "5001 characters in v2": ([text_v2("a" * 5001)], ["messages[0].text"]),
    "a bad message after a good one": ([HELLO, text("")], ["messages[1].text"]),
    "two errors": ([text(""), text("")], ["messages[0].text", "messages[1].text"]),
    "an unknown property": ([text("哈囉", colour="red")], ["messages[0].colour"]),
    "an unknown property named like a known one": (
        [{"type": "sticker", "packageId": "446", "stickerId": "1988", "text": 5}],
        ["messages[0].text"],
    ),
    "an unknown property of a button": (
        [text("哈囉", quickReply={"items": [{**buttons("是")["items"][0], "colour": "red"}]})],
        [f"{BUTTON}.colour"],
    ),
    "an unknown property deep in a Flex message": ([flex(colour="red")], [f"{FLEX_BUTTON}.colour"]),
    "an open brace": ([text_v2("if (a) {")], ["messages[0].text"]),
    "a closing brace": ([text_v2("}")], ["messages[0].text"]),
    "JSON": ([text_v2('{"a": 1}')], ["messages[0].text"]),
    "a brace half escaped": ([text_v2("{{name}")], ["messages[0].text"]),
    "a key without substitution": ([text_v2("{name}")], ["messages[0].text"]),
    "a key of 21 characters": (
        [text_v2(f"{{{'k' * 21}}}", **{"k" * 21: emoji()})],
        ["messages[0].text"],
    ),
    "101 substitutions": (
        [text_v2("哈囉", **{f"k{n}": emoji() for n in range(101)})],
        ["messages[0].substitution"],
    ),
    "21 emojis": ([text_v2("{k}" * 21, k=emoji())], ["messages[0].text"]),
    "21 mentions": ([text_v2("{k}" * 21, k=mention(MEI))], ["messages[0].text"]),
    "14 buttons": ([text("哈囉", quickReply=buttons(*"一二三四五六七八九十甲乙丙丁"))], [None]),
    "a label of 21": ([text("哈囉", quickReply=buttons("字" * 21))], [BUTTON]),
    "an empty label": ([text("哈囉", quickReply=buttons(""))], [BUTTON]),
    "a button that does nothing": (
        [text("哈囉", quickReply={"items": [{"type": "action"}]})],
        [BUTTON],
    ),
    "an alternative text of 1501": ([flex("a" * 1501)], ["messages[0].altText"]),
    "an alternative text of 1501 UTF-16 units": (
        [flex("🍎" * 750 + "a")],
        ["messages[0].altText"],
    ),
    "an empty alternative text": ([flex("")], ["messages[0].altText"]),
    "a Flex label of 41": ([flex(label="字" * 41)], [f"{FLEX_BUTTON}.action.label"]),
    "no column": ([carousel()], [COLUMNS]),
    "11 columns": ([carousel(*[column()] * 11)], [COLUMNS]),
    "a column of 121": ([carousel(column(text="字" * 121))], [f"{COLUMNS}[0]"]),
    "an empty column": ([carousel(column(), column(text=""))], [f"{COLUMNS}[1]"]),
    "a column of 61 with a title": (
        [carousel(column(text="字" * 61, title="提醒"))],
        [f"{COLUMNS}[0]"],
    ),
    "a column of 61 with a picture": (
        [carousel(column(text="字" * 61, thumbnailImageUrl=PICTURE))],
        [f"{COLUMNS}[0]"],
    ),
    "a title of 41": ([carousel(column(title="字" * 41))], [f"{COLUMNS}[0].title"]),
    "a column without text": (
        [carousel({"actions": column()["actions"]})],
        [None],
    ),
    "no button": ([carousel(column(actions=0))], [f"{COLUMNS}[0].actions"]),
    "4 buttons": ([carousel(column(actions=4))], [f"{COLUMNS}[0].actions"]),
    "2 buttons beside 3": ([carousel(column(actions=2), column(actions=3))], [COLUMNS]),
    "a title beside none": ([HELLO, carousel(column(title="提醒"), column())], [COLUMNS_OF_SECOND]),
    "a picture beside none": (
        [carousel(column(), column(thumbnailImageUrl=PICTURE))],
        [COLUMNS],
    ),
    "a column's label of 21": (
        [carousel(column("字" * 21))],
        [f"{COLUMNS}[0].actions[0].label"],
    ),
    "301 characters to be said": (
        [carousel(column(said="字" * 301))],
        [f"{COLUMNS}[0].actions[0].displayText"],
    ),
    "301 characters to be said by a quick reply": (
        [text("哈囉", quickReply=quick_reply({**postback("1"), "displayText": "字" * 301}))],
        [f"{BUTTON}.action.displayText"],
    ),
    "301 characters to be sent by a quick reply": (
        [
            text(
                "哈囉",
                quickReply=quick_reply({"type": "message", "label": "好", "text": "字" * 301}),
            )
        ],
        [f"{BUTTON}.action.text"],
    ),
    "301 characters of data": (
        [carousel(column(actions=0) | {"actions": [postback("d" * 301)]})],
        [None],
    ),
    "an alternative text of 1501 for a carousel": (
        [carousel(column()) | {"altText": "a" * 1501}],
        ["messages[0].altText"],
    ),
    "template labels of 21": (
        [confirm("字" * 21)],
        [f"messages[0].template.actions[{n}].label" for n in (0, 1)],
    ),
}
TAKEN = {
    "five messages": [HELLO] * 5,
    "5000 UTF-16 units": [text("🍎" * 2500)],
    "braces in a text message": [text('{"a": 1}')],
    "escaped braces": [text_v2("{{{{}} {{k}} {{{k}}}", k=emoji())],
    "mentions of members and of all": [
        text_v2("{a} {b}", a=mention(WEI), b={"type": "mention", "mentionee": {"type": "all"}})
    ],
    "20 mentions and 20 emojis": [text_v2("{a}{b}" * 20, a=mention(MEI), b=emoji())],
    "13 buttons": [text("哈囉", quickReply=buttons(*"一二三四五六七八九十甲乙丙"))],
    "a label of 20 graphemes": [text("哈囉", quickReply=buttons("👨‍👩‍👧‍👦" * 20))],
    "an alternative text of 1500 UTF-16 units": [flex("🍎" * 750)],
    "a Flex label of 40": [flex(label="字" * 40)],
    "a template": [confirm("字" * 20)],
    "a carousel at its limits": [
        carousel(
            *[column("字" * 20, 3, FAMILY_EMOJI * 300, text=FAMILY_EMOJI * 120)] * 9,
            column(actions=0) | {"actions": [postback("d" * 300)] * 3},
        )
    ],
    "columns of 60 with title and picture": [
        carousel(*[column(text="字" * 60, title="字" * 40, thumbnailImageUrl=PICTURE)] * 2)
    ],
    "an image carousel": [
        {
            "type": "template",
            "altText": "照片",
            "template": {
                "type": "image_carousel",
                "columns": [{"imageUrl": PICTURE, "action": postback("1")}],
            },
        }
    ],
    "a quick reply of 300": [
        text("哈囉", quickReply=quick_reply({**postback("1"), "displayText": "字" * 300}))
    ],
    "a sticker": [{"type": "sticker", "packageId": "446", "stickerId": "1988"}],
}


@pytest.mark.parametrize(("messages", "where"), REJECTED.values(), ids=REJECTED.keys())
def test_an_invalid_message_is_rejected_and_the_reply_token_kept(
    line: LineServer, messages: list[Any], where: list[str | None]
) -> None:
    """One message outside the limits means 400, says where, sends nothing and burns no token."""
    token = line.issue_reply_token(FAMILY)

    answer = reply(line, token, *messages)

    assert 400 == answer.status
    assert f"The request body has {len(where)} error(s)" == answer.json()["message"]
    assert where == properties(answer)
    assert [] == line.sent
    assert 200 == reply(line, token, HELLO).status


@pytest.mark.parametrize(("messages", "where"), REJECTED.values(), ids=REJECTED.keys())
def test_an_invalid_message_is_not_pushed(
    line: LineServer, messages: list[Any], where: list[str | None]
) -> None:
    """The limits of a push are those of a reply, and a rejected push leaves its retry key free."""
    key = str(uuid.uuid4())

    answer = push(line, FAMILY, *messages, key=key)

    assert (400, where) == (answer.status, properties(answer))
    assert [] == line.sent
    assert 200 == push(line, FAMILY, HELLO, key=key).status


@pytest.mark.parametrize("messages", TAKEN.values(), ids=TAKEN.keys())
def test_messages_at_the_limits_arrive(line: LineServer, messages: list[Any]) -> None:
    """What keeps the limits arrives as it was sent, with one id for each message."""
    answer = reply(line, line.issue_reply_token(FAMILY), *messages)

    assert 200 == answer.status
    ids = tuple(sent["id"] for sent in answer.json()["sentMessages"])
    assert [Sent(FAMILY, "reply", messages, ids)] == line.sent
    assert len(messages) == len(set(ids))
    assert all(id_.isdigit() for id_ in ids)


@pytest.mark.parametrize(
    "more", [{"colour": "red"}, {"notificationDisabled": "yes"}, {"replyToken": None}]
)
def test_an_invalid_request_is_rejected(line: LineServer, more: dict[str, Any]) -> None:
    """The request around the messages is checked as strictly as they are."""
    body = {"replyToken": line.issue_reply_token(MEI), "messages": [HELLO], **more}

    assert 400 == call(line, "POST", "/v2/bot/message/reply", body).status
    assert [] == line.sent


@pytest.mark.parametrize("body", [None, [], "哈囉"])
def test_a_body_that_is_no_object_is_rejected(line: LineServer, body: Any) -> None:
    """A request body must be a JSON object."""
    assert 400 == call(line, "POST", "/v2/bot/message/push", body).status


def test_a_body_that_is_no_json_is_rejected(line: LineServer) -> None:
    """A request body must be JSON."""
    headers = {"Authorization": f"Bearer {TOKEN}"}

    answer = urllib3.request(
        "POST", f"{line.url}{CALLS[1][1]}", body=b'{"to": ', headers=headers, timeout=60
    )

    assert 400 == answer.status


def test_a_quiet_message_arrives(line: LineServer) -> None:
    """A message that makes no sound is a message."""
    body = {"to": MEI, "messages": [HELLO], "notificationDisabled": True}

    assert 200 == call(line, "POST", "/v2/bot/message/push", body).status
    assert [[HELLO]] == [sent.messages for sent in line.sent]


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN])
@pytest.mark.parametrize(("method", "path"), CALLS)
def test_a_call_without_a_valid_token_is_refused(
    line: LineServer, method: str, path: str, authorization: str
) -> None:
    """Every call but the token's own needs a bearer token that LINE has issued."""
    answer = call(line, method, path, None, {"Authorization": authorization})

    assert 401 == answer.status
    assert answer.json()["message"].startswith("Authentication failed.")


def test_a_stateless_token_lasts_fifteen_minutes(line: LineServer, clock: FrozenClock) -> None:
    """A stateless token works until its fifteen minutes are over."""
    headers = {"Authorization": f"Bearer {issue_token(line).json()['access_token']}"}

    clock.advance(timedelta(seconds=899))
    assert 200 == call(line, "GET", f"/v2/bot/profile/{MEI}", headers=headers).status

    clock.advance(timedelta(seconds=1))
    assert 401 == call(line, "GET", f"/v2/bot/profile/{MEI}", headers=headers).status


@pytest.mark.parametrize(
    "wrong", [{"grant_type": "password"}, {"client_id": "1"}, {"client_secret": "guess"}]
)
def test_wrong_credentials_give_no_token(line: LineServer, wrong: dict[str, str]) -> None:
    """A token is issued only for the channel's own id and secret."""
    answer = issue_token(line, **wrong)

    assert (400, "invalid_client") == (answer.status, answer.json()["error"])


def test_an_unknown_reply_token_is_refused(line: LineServer) -> None:
    """A reply needs a token that LINE has issued."""
    answer = reply(line, "0" * 32, HELLO)

    assert (400, {"message": "Invalid reply token"}) == (answer.status, answer.json())
    assert [] == line.sent


def test_a_reply_token_is_spent_by_a_reply(line: LineServer) -> None:
    """A reply token works once."""
    token = line.issue_reply_token(MEI)

    assert 200 == reply(line, token, HELLO).status
    answer = reply(line, token, HELLO)

    assert (400, {"message": "Invalid reply token"}) == (answer.status, answer.json())
    assert 1 == len(line.sent)


def test_of_replies_at_once_one_gets_the_token(line: LineServer) -> None:
    """A reply token works once, however many replies come at the same moment."""
    token = line.issue_reply_token(MEI)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: reply(line, token, HELLO).status, range(8)))

    assert [200, *[400] * 7] == sorted(answers)
    assert 1 == len(line.sent)


def test_a_reply_token_lasts_a_minute(line: LineServer, clock: FrozenClock) -> None:
    """A reply token works for one minute, and no longer."""
    in_time, late = line.issue_reply_token(MEI), line.issue_reply_token(MEI)

    clock.advance(timedelta(minutes=1))
    assert 200 == reply(line, in_time, HELLO).status

    clock.advance(timedelta(milliseconds=1))
    answer = reply(line, late, HELLO)
    assert (400, {"message": "Invalid reply token"}) == (answer.status, answer.json())


def test_a_reply_takes_no_retry_key(line: LineServer) -> None:
    """A retry key on a reply is refused, and the reply token kept."""
    token = line.issue_reply_token(MEI)

    assert 400 == reply(line, token, HELLO, key=str(uuid.uuid4())).status
    assert 200 == reply(line, token, HELLO).status


@pytest.mark.parametrize("to", ["", "X-mei", "u-mei", "mei"])
def test_a_push_goes_to_an_id(line: LineServer, to: str) -> None:
    """An id is that of a user, a group or a room, and its case matters."""
    answer = push(line, to, HELLO)

    assert 400 == answer.status
    assert "The property, 'to', in the request body is invalid" in answer.json()["message"]


@pytest.mark.parametrize("to", ["C-left", "R-left", FAMILY.replace("f", "F")])
def test_a_push_to_an_unknown_group_fails(line: LineServer, to: str) -> None:
    """A push to a group or room that the bot is not in is refused."""
    answer = push(line, to, HELLO)

    assert (400, {"message": "Failed to send messages"}) == (answer.status, answer.json())
    assert [] == line.sent


def test_a_push_to_a_stranger_is_taken_and_lost(line: LineServer) -> None:
    """A push to somebody who is no friend gets 200, and nobody sees it."""
    answer = push(line, STRANGER, HELLO)

    assert (200, 1) == (answer.status, len(answer.json()["sentMessages"]))
    assert [] == line.sent


@pytest.mark.parametrize("to", [MEI, FAMILY, ROOM])
def test_a_push_arrives(line: LineServer, to: str) -> None:
    """A push arrives with a friend, in a group and in a room."""
    assert 200 == push(line, to, HELLO).status

    assert [(to, "push", [HELLO])] == [(s.chat_id, s.via, s.messages) for s in line.sent]


@pytest.mark.parametrize("key", ["1", "not-a-uuid", "0" * 32, f"{{{uuid.UUID(int=1)}}}"])
def test_a_retry_key_is_a_uuid(line: LineServer, key: str) -> None:
    """A retry key that is not a UUID is refused."""
    assert 400 == push(line, MEI, HELLO, key=key).status
    assert [] == line.sent


def test_a_push_tried_again_is_not_sent_again(line: LineServer) -> None:
    """The same key and body get 409 with the first answer's messages and request id."""
    key = str(uuid.uuid4())
    first = push(line, MEI, HELLO, key=key)

    again = push(line, MEI, HELLO, key=key)

    assert 409 == again.status
    assert {"message": "The retry key is already accepted", **first.json()} == again.json()
    assert first.headers["x-line-request-id"] == again.headers["x-line-accepted-request-id"]
    assert first.headers["x-line-request-id"] != again.headers["x-line-request-id"]
    assert 1 == len(line.sent)


def test_of_pushes_at_once_with_one_key_one_is_sent(line: LineServer) -> None:
    """A retry key is accepted once, however many pushes come at the same moment."""
    key = str(uuid.uuid4())

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: push(line, MEI, HELLO, key=key).status, range(8)))

    assert [200, *[409] * 7] == sorted(answers)
    assert 1 == len(line.sent)


def test_a_retry_key_belongs_to_one_body(line: LineServer) -> None:
    """The same key with other words is refused, and the other words not sent."""
    key = str(uuid.uuid4())
    push(line, MEI, HELLO, key=key)

    assert 400 == push(line, MEI, text("再見"), key=key).status
    assert [[HELLO]] == [sent.messages for sent in line.sent]


def test_a_retry_key_lasts_a_day(line: LineServer, clock: FrozenClock) -> None:
    """After 24 hours a retry key counts as new, and the message is sent twice."""
    key = str(uuid.uuid4())
    push(line, MEI, HELLO, key=key)

    clock.advance(timedelta(hours=24, milliseconds=-1))
    assert 409 == push(line, MEI, HELLO, key=key).status

    clock.advance(timedelta(milliseconds=1))
    assert 200 == push(line, MEI, HELLO, key=key).status
    assert 2 == len(line.sent)


def test_a_push_whose_answer_was_lost_is_known_when_tried_again(line: LineServer) -> None:
    """A push that arrived although its answer did not is 409 the second time."""
    key = str(uuid.uuid4())
    line.fail("push", lost=True)
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Line-Retry-Key": key}
    body = {"to": MEI, "messages": [HELLO]}

    with pytest.raises(urllib3.exceptions.ProtocolError):
        urllib3.request(
            "POST", f"{line.url}/v2/bot/message/push", json=body, headers=headers, retries=False
        )

    assert 409 == push(line, MEI, HELLO, key=key).status
    assert 1 == len(line.sent)


@pytest.mark.parametrize(("chat_id", "user_id"), [(MEI, MEI), (FAMILY, STRANGER), (ROOM, WEI)])
def test_only_members_of_a_group_are_mentioned(
    line: LineServer, chat_id: str, user_id: str
) -> None:
    """A mention outside a group, or of somebody who is not in it, is refused and burns no token."""
    token = line.issue_reply_token(chat_id)
    message = text_v2("{who} 哈囉", who=mention(user_id))

    for answer in (reply(line, token, message), push(line, chat_id, message)):
        assert (400, ["messages[0].substitution.who.mentionee"]) == (
            answer.status,
            properties(answer),
        )
    assert 200 == reply(line, token, HELLO).status


QUOTING = {
    "text": text("好"),
    "text v2": text_v2("好"),
    "sticker": {"type": "sticker", "packageId": "446", "stickerId": "1988"},
}


@pytest.mark.parametrize("message", QUOTING.values(), ids=QUOTING.keys())
def test_what_was_said_in_a_chat_is_quoted_there(line: LineServer, message: dict[str, Any]) -> None:
    """A quote token works in its chat, as often as one likes, whoever said what is quoted."""
    received = line.issue_quote_token(FAMILY)
    sent = push(line, FAMILY, HELLO).json()["sentMessages"][0]["quoteToken"]

    for token in (received, sent, received):
        quoting = {**message, "quoteToken": token}
        assert 200 == push(line, FAMILY, quoting).status
        assert 200 == reply(line, line.issue_reply_token(FAMILY), quoting).status


@pytest.mark.parametrize("message", QUOTING.values(), ids=QUOTING.keys())
def test_nothing_else_is_quoted(line: LineServer, message: dict[str, Any]) -> None:
    """A quote token of another chat, or of none, is refused; the reply token is kept."""
    token = line.issue_reply_token(FAMILY)
    key = str(uuid.uuid4())
    elsewhere = push(line, MEI, HELLO).json()["sentMessages"][0]["quoteToken"]

    for quoted in (elsewhere, line.issue_quote_token(ROOM), "q1", ""):
        quoting = {**message, "quoteToken": quoted}
        answers = (
            reply(line, token, HELLO, quoting),
            push(line, FAMILY, HELLO, quoting, key=key),
        )
        for answer in answers:
            assert (400, ["messages[1].quoteToken"]) == (answer.status, properties(answer))
    assert [MEI] == [sent.chat_id for sent in line.sent]
    assert 200 == reply(line, token, HELLO).status
    assert 200 == push(line, FAMILY, HELLO, key=key).status


@pytest.mark.parametrize("kind", ["reply", "push"])
@pytest.mark.parametrize(("messages", "where"), REJECTED.values(), ids=REJECTED.keys())
def test_messages_are_validated_as_if_they_were_sent(
    line: LineServer, kind: str, messages: list[Any], where: list[str | None]
) -> None:
    """What would be rejected when sent is rejected when validated, for the same reasons."""
    answer = call(line, "POST", f"/v2/bot/message/validate/{kind}", {"messages": messages})

    assert (400, where) == (answer.status, properties(answer))


@pytest.mark.parametrize("kind", ["reply", "push"])
def test_validated_messages_are_not_sent(line: LineServer, kind: str) -> None:
    """What would be taken is taken with an empty object, for any chat, and reaches none."""
    line.quota(0, 0)
    messages = [text_v2("{who} 哈囉", who=mention(STRANGER)), text("好", quoteToken="q1")]

    answer = call(line, "POST", f"/v2/bot/message/validate/{kind}", {"messages": messages})

    assert (200, {}) == (answer.status, answer.json())
    assert [] == line.sent


@pytest.mark.parametrize("more", [{"to": MEI}, {"replyToken": "1"}, {"notificationDisabled": True}])
def test_only_messages_are_validated(line: LineServer, more: dict[str, Any]) -> None:
    """A validation takes the messages and nothing else."""
    body = {"messages": [HELLO], **more}

    assert 400 == call(line, "POST", "/v2/bot/message/validate/push", body).status


def consumption(line: LineServer) -> int:
    """Return how many pushes LINE has counted."""
    return call(line, "GET", "/v2/bot/message/quota/consumption").json()["totalUsage"]


@pytest.mark.parametrize(
    ("limit", "told"), [(None, {"type": "none"}), (200, {"type": "limited", "value": 200})]
)
def test_the_quota_is_told(line: LineServer, limit: int | None, told: dict[str, Any]) -> None:
    """LINE tells the month's limit, or that there is none, and what has been used of it."""
    line.quota(limit, 7)

    assert told == call(line, "GET", "/v2/bot/message/quota").json()
    assert 7 == consumption(line)


def test_at_first_there_is_no_limit(line: LineServer) -> None:
    """Unless a quota is set there is none, and nothing has been used."""
    assert {"type": "none"} == call(line, "GET", "/v2/bot/message/quota").json()
    assert 0 == consumption(line)


@pytest.mark.parametrize(("to", "cost"), [(MEI, 1), (FAMILY, 2), (ROOM, 1), (STRANGER, 0)])
def test_a_push_costs_its_recipients(line: LineServer, to: str, cost: int) -> None:
    """A push counts once for each person it reaches, however many bubbles it has."""
    assert 200 == push(line, to, HELLO, HELLO, HELLO).status

    assert cost == consumption(line)


def test_a_reply_is_free(line: LineServer) -> None:
    """A reply counts nothing, and arrives though the quota is used up."""
    line.quota(0, 0)

    assert 200 == reply(line, line.issue_reply_token(FAMILY), HELLO).status
    assert 0 == consumption(line)


def test_a_push_accepted_before_is_not_counted_again(line: LineServer) -> None:
    """A push that is tried again with its retry key costs once, also at the limit."""
    line.quota(2, 0)
    key = str(uuid.uuid4())

    statuses = [push(line, FAMILY, HELLO, key=key).status for _ in range(3)]

    assert [200, 409, 409] == statuses
    assert 2 == consumption(line)


@pytest.mark.parametrize(
    ("to", "message"),
    [(FAMILY, text("")), (FAMILY, text("好", quoteToken="q1")), ("C-left", HELLO)],
)
def test_a_push_that_fails_costs_nothing(
    line: LineServer, to: str, message: dict[str, Any]
) -> None:
    """What is refused does not count."""
    assert 400 == push(line, to, message).status

    assert 0 == consumption(line)


def test_a_push_over_the_limit_is_refused(line: LineServer) -> None:
    """A push that does not fit into the month reaches nobody and leaves its retry key free."""
    line.quota(200, 199)
    key = str(uuid.uuid4())

    answer = push(line, FAMILY, HELLO, key=key)

    assert (429, {"message": "You have reached your monthly limit."}) == (
        answer.status,
        answer.json(),
    )
    assert ([], 199) == (line.sent, consumption(line))
    assert 200 == push(line, MEI, HELLO).status
    assert 429 == push(line, MEI, HELLO).status
    line.quota(400, 200)
    assert 200 == push(line, FAMILY, HELLO, key=key).status


def test_of_pushes_at_once_only_those_within_the_limit_are_sent(line: LineServer) -> None:
    """The limit holds, however many pushes come at the same moment."""
    line.quota(3, 0)

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(lambda _: push(line, MEI, HELLO).status, range(8)))

    assert [200] * 3 + [429] * 5 == sorted(statuses)
    assert (3, 3) == (len(line.sent), consumption(line))


@pytest.mark.parametrize(
    ("told", "used"),
    [
        ("2026-12-31T14:59:59+00:00", 7),
        ("2026-12-31T15:00:00+00:00", 0),
        ("2027-12-02T00:00:00+00:00", 0),
    ],
)
def test_the_quota_begins_anew_with_the_month(
    line: LineServer, clock: FrozenClock, told: str, used: int
) -> None:
    """When the month turns in Tokyo nothing is used, and the limit stays."""
    line.quota(7, 7)
    assert 429 == push(line, MEI, HELLO).status

    clock.advance_to(datetime.fromisoformat(told))

    assert used == consumption(line)
    assert (200 if used == 0 else 429) == push(line, MEI, HELLO).status
    assert {"type": "limited", "value": 7} == call(line, "GET", "/v2/bot/message/quota").json()


def test_a_push_in_a_new_month_is_its_first(line: LineServer, clock: FrozenClock) -> None:
    """The month turns also where nobody has asked before somebody pushes."""
    line.quota(2, 2)
    clock.advance(timedelta(days=31))

    assert 200 == push(line, FAMILY, HELLO).status
    assert 2 == consumption(line)


def test_who_has_left_a_group_is_no_member(line: LineServer) -> None:
    """They have no profile there, are not counted, can't be mentioned, and cost nothing."""
    message = text_v2("{who}", who=mention(WEI))
    line.remove_members(FAMILY, [WEI, STRANGER])

    assert 404 == call(line, "GET", f"/v2/bot/group/{FAMILY}/member/{WEI}").status
    assert {"count": 1} == call(line, "GET", f"/v2/bot/group/{FAMILY}/members/count").json()
    assert (400, 200) == (push(line, FAMILY, message).status, push(line, FAMILY, HELLO).status)
    assert 1 == consumption(line)


def test_who_has_come_into_a_group_is_a_member(line: LineServer) -> None:
    """They have a profile there, are counted once, and can be mentioned."""
    line.add_members(ROOM, [WEI, MEI])

    assert 200 == call(line, "GET", f"/v2/bot/room/{ROOM}/member/{WEI}").status
    assert {"count": 2} == call(line, "GET", f"/v2/bot/room/{ROOM}/members/count").json()
    assert 200 == push(line, ROOM, text_v2("{who}", who=mention(WEI))).status


def test_a_group_is_not_made_by_leaving_it(line: LineServer) -> None:
    """Where the bot is not, nobody's leaving makes it be."""
    line.remove_members("C-left", [MEI])

    assert 400 == push(line, "C-left", HELLO).status


@pytest.mark.parametrize(("chat_id", "kind"), [(FAMILY, "group"), (ROOM, "room")])
def test_a_chat_that_was_left_is_out_of_reach(line: LineServer, chat_id: str, kind: str) -> None:
    """After leaving a group or room the bot can't push there, nor ask who is in it."""
    token = line.issue_reply_token(chat_id)
    line.leave(chat_id)

    answer = push(line, chat_id, HELLO)

    assert (400, {"message": "Failed to send messages"}) == (answer.status, answer.json())
    assert 404 == call(line, "GET", f"/v2/bot/{kind}/{chat_id}/member/{MEI}").status
    assert 404 == call(line, "GET", f"/v2/bot/{kind}/{chat_id}/members/count").status
    reply(line, token, HELLO)
    assert ([], 0) == (line.sent, consumption(line))


def test_a_friend_who_blocked_the_bot_hears_nothing(line: LineServer) -> None:
    """A push to who has blocked the bot gets 200 and is lost; the profile is not found."""
    token = line.issue_reply_token(MEI)
    line.leave(MEI)

    assert (200, 200) == (push(line, MEI, HELLO).status, reply(line, token, HELLO).status)

    assert ([], 0) == (line.sent, consumption(line))
    assert 404 == call(line, "GET", f"/v2/bot/profile/{MEI}").status
    member = call(line, "GET", f"/v2/bot/group/{FAMILY}/member/{MEI}").json()
    assert "小美" == member["displayName"]


@pytest.mark.parametrize("chat_id", [MEI, FAMILY, ROOM])
def test_the_bot_may_come_back(line: LineServer, chat_id: str) -> None:
    """Who was left and comes back is reached as before."""
    line.leave(chat_id)
    line.join(chat_id)

    assert 200 == push(line, chat_id, HELLO).status
    assert [chat_id] == [sent.chat_id for sent in line.sent]


@pytest.mark.parametrize("chat_id", [FAMILY, ROOM])
def test_the_loading_animation_is_for_one_to_one_chats(line: LineServer, chat_id: str) -> None:
    """The loading animation is refused in groups and rooms."""
    answer = call(line, "POST", "/v2/bot/chat/loading/start", {"chatId": chat_id})

    assert (400, ["chatId"]) == (answer.status, properties(answer))


@pytest.mark.parametrize("seconds", [0, 4, 7, 12.5, 61, 65, "20", True])
def test_the_loading_animation_lasts_a_multiple_of_five(line: LineServer, seconds: Any) -> None:
    """The loading animation lasts 5, 10, and so on to 60 seconds."""
    body = {"chatId": MEI, "loadingSeconds": seconds}

    assert 400 == call(line, "POST", "/v2/bot/chat/loading/start", body).status


@pytest.mark.parametrize("more", [{}, *({"loadingSeconds": n} for n in (5, 10, 55, 60))])
def test_the_loading_animation_is_shown(line: LineServer, more: dict[str, int]) -> None:
    """The loading animation is taken with 202 and an empty object."""
    answer = call(line, "POST", "/v2/bot/chat/loading/start", {"chatId": MEI, **more})

    assert (202, {}) == (answer.status, answer.json())


@pytest.mark.parametrize(
    "path",
    [
        f"/v2/bot/profile/{STRANGER}",
        f"/v2/bot/group/{FAMILY}/member/{STRANGER}",
        f"/v2/bot/group/C-left/member/{MEI}",
        f"/v2/bot/room/{ROOM}/member/{WEI}",
        "/v2/bot/group/C-left/members/count",
        f"/v2/bot/room/{MEI}/members/count",
        "/v2/bot/insight/demographic",
        "/v2/bot/message/reply",
    ],
)
def test_what_line_does_not_know_is_not_found(line: LineServer, path: str) -> None:
    """A profile asked for in the wrong place, and a call that does not exist, are not found."""
    answer = call(line, "GET", path)

    assert (404, {"message": "Not found"}) == (answer.status, answer.json())


def test_a_member_need_not_be_a_friend(line: LineServer) -> None:
    """The group knows all its members, whoever is a friend of the bot."""
    assert 404 == call(line, "GET", f"/v2/bot/profile/{WEI}").status
    assert 200 == call(line, "GET", f"/v2/bot/group/{FAMILY}/member/{WEI}").status


@pytest.mark.parametrize(("method", "path"), [*CALLS, ("POST", "/oauth2/v3/token"), ("GET", "/")])
def test_every_answer_carries_its_request_id(line: LineServer, method: str, path: str) -> None:
    """Good or bad, an answer names its request, and no other has that name."""
    ids = [call(line, method, path).headers["x-line-request-id"] for _ in range(2)]

    assert ids == [str(uuid.UUID(id_)) for id_ in ids]
    assert 2 == len(set(ids))


def test_an_answer_that_a_test_ordered_carries_its_request_id(line: LineServer) -> None:
    """A failure on demand looks like LINE's own."""
    line.fail("push", Answer({"message": "You have reached your monthly limit."}, 429))

    answer = push(line, MEI, HELLO)

    assert 429 == answer.status
    assert answer.headers["x-line-request-id"]


def test_the_journal_shows_what_was_said(line: LineServer) -> None:
    """A line of a reply or a push has the words of its bubbles, other lines have none."""
    reply(line, line.issue_reply_token(MEI), HELLO, flex("菜單"), text_v2("好"))
    push(line, MEI, text("十"))
    push(line, MEI, "not a message")
    call(line, "POST", "/v2/bot/message/validate/push", {"messages": [text("一"), text("二")]})
    call(line, "GET", f"/v2/bot/profile/{MEI}")
    call(line, "GET", "/v2/bot/insight/demographic")

    said = [(entry["call"], entry.get("texts")) for entry in line.journal.lines]
    assert [
        ("reply", ["哈囉", "菜單", "好"]),
        ("push", ["十"]),
        ("push", []),
        ("validate", ["一", "二"]),
        ("profile", None),
        ("unknown", None),
    ] == said


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            text_v2(
                "{m0}{all} {{{m0}}} {k}",
                m0=mention(MEI),
                all={"type": "mention", "mentionee": {"type": "all"}},
                k=emoji(),
            ),
            ["@小美@all {@小美} {k}"],
        ),
        (text_v2("{m0}", m0=mention(WEI)), [f"@{WEI}"]),
        (text_v2("{m0} {", m0=5), ["{m0} {"]),
        ({"type": "textV2", "text": "{m0}", "substitution": 5}, ["{m0}"]),
        (carousel(column(), column(text="買菜")), ["倒垃圾", "買菜"]),
        (carousel(column(text=5), {}, "no column"), [5]),
        (confirm("好"), ["刪除？"]),
        (flex("菜單"), ["菜單"]),
        ({"type": "template", "altText": "照片", "template": 5}, ["照片"]),
    ],
)
def test_the_journal_shows_words_as_they_are_read(
    line: LineServer, message: dict[str, Any], words: list[Any]
) -> None:
    """Mentions are shown by name and cards by their texts, in whatever is refused, too."""
    push(line, FAMILY, message)

    assert [words] == [entry["texts"] for entry in line.journal.lines]
    assert all(sent.texts == tuple(words) for sent in line.sent)


@pytest.mark.parametrize(("given", "signed"), [(None, True), ("forged", False)])
def test_a_webhook_is_signed(line: LineServer, bot: Bot, given: str | None, signed: bool) -> None:
    """A webhook arrives byte for byte, signed so that line-bot-sdk believes it, or as forged."""
    body = '{ "destination": "U-bot",  "events": [], "哈囉": 1 }'

    status = line.send_webhook(f"{bot.url}/", body.encode(), given)

    headers = {name.lower(): value for name, value in bot.journal.lines[0]["headers"].items()}
    assert (418, [body.encode()]) == (status, bot.bodies)
    assert "application/json; charset=utf-8" == headers["content-type"]
    assert "LineBotWebhook/2.0" == headers["user-agent"]
    assert signed == SignatureValidator(SECRET).validate(body, headers["x-line-signature"])


def test_the_sdk_gets_a_token_and_may_speak_with_it(line: LineServer) -> None:
    """line-bot-sdk issues a stateless token with the channel's id and secret, and uses it."""
    with oauth.ApiClient(oauth.Configuration(host=line.url)) as client:
        issued = oauth.ChannelAccessToken(client).issue_stateless_channel_token_by_client_secret(
            CHANNEL_ID, SECRET
        )

    assert ("Bearer", 900) == (issued.token_type, issued.expires_in)
    with ApiClient(Configuration(host=line.url, access_token=issued.access_token)) as client:
        assert "小美" == MessagingApi(client).get_profile(MEI).display_name


def test_the_sdk_gets_no_token_with_a_wrong_secret(line: LineServer) -> None:
    """line-bot-sdk raises what LINE answers to a wrong secret."""
    with oauth.ApiClient(oauth.Configuration(host=line.url)) as client:
        channel = oauth.ChannelAccessToken(client)
        with pytest.raises(oauth.ApiException) as raised:
            channel.issue_stateless_channel_token_by_client_secret(CHANNEL_ID, "guess")

    assert (400, "invalid_client") == (raised.value.status, json.loads(raised.value.body)["error"])


def test_the_sdk_replies(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk replies, and reads the ids and quote tokens of what it sent."""
    messages = [TextMessage(text="哈囉"), TextMessage(text="再見")]
    token = line.issue_reply_token(FAMILY)

    sent = api.reply_message(ReplyMessageRequest(reply_token=token, messages=messages))

    assert line.sent[0].ids == tuple(message.id for message in sent.sent_messages)
    assert all(message.quote_token for message in sent.sent_messages)
    assert (FAMILY, ["哈囉", "再見"]) == (
        line.sent[0].chat_id,
        [message["text"] for message in line.sent[0].messages],
    )


def test_the_sdk_pushes_once(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk pushes with a retry key, and raises the 409 with what was sent at first."""
    key = str(uuid.uuid4())
    hello = PushMessageRequest(to=MEI, messages=[TextMessage(text="哈囉")])
    first = api.push_message(hello, x_line_retry_key=key)

    with pytest.raises(ApiException) as raised:
        api.push_message(hello, x_line_retry_key=key)

    sent = json.loads(raised.value.body)["sentMessages"]
    assert 409 == raised.value.status
    assert [message.to_dict() for message in first.sent_messages] == sent
    assert raised.value.headers["x-line-accepted-request-id"]
    assert 1 == len(line.sent)


def test_the_sdk_asks_who_is_who(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk reads the profile of a friend and of a member of a group or room."""
    assert "小美" == api.get_profile(MEI).display_name
    assert "小美" == api.get_group_member_profile(FAMILY, MEI).display_name
    assert "小美" == api.get_room_member_profile(ROOM, MEI).display_name


def test_the_sdk_shows_the_loading_animation(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk starts the loading animation and reads LINE's 202."""
    loading = ShowLoadingAnimationRequest(chat_id=MEI, loading_seconds=20)

    assert 202 == api.show_loading_animation_with_http_info(loading).status_code


def test_the_sdk_asks_how_much_may_be_pushed(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk reads the quota, what was used of it, and what a push to a group would cost."""
    line.quota(200, 12)

    assert ("limited", 200) == (api.get_message_quota().type, api.get_message_quota().value)
    assert 12 == api.get_message_quota_consumption().total_usage
    assert 2 == api.get_group_member_count(FAMILY).count
    assert 1 == api.get_room_member_count(ROOM).count
    assert ["quota", "quota", "consumption", "count", "count"] == [
        entry["call"] for entry in line.journal.lines
    ]


def test_the_sdk_hears_that_the_limit_is_reached(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk raises the 429 of a push that does not fit into the month."""
    line.quota(1, 1)

    with pytest.raises(ApiException) as raised:
        api.push_message(PushMessageRequest(to=MEI, messages=[TextMessage(text="哈囉")]))

    assert (429, {"message": "You have reached your monthly limit."}) == (
        raised.value.status,
        json.loads(raised.value.body),
    )


def test_the_sdk_quotes_what_it_sent(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk quotes its own message by the token it got for it."""
    first = api.push_message(PushMessageRequest(to=MEI, messages=[TextMessage(text="一")]))
    token = first.sent_messages[0].quote_token

    api.push_message(
        PushMessageRequest(to=MEI, messages=[TextMessage(text="二", quote_token=token)])
    )

    assert token == line.sent[1].messages[0]["quoteToken"]


def test_the_sdk_validates(line: LineServer, api: MessagingApi) -> None:
    """line-bot-sdk lets messages be checked, and raises what is wrong with them."""
    api.validate_push(ValidateMessageRequest(messages=[TextMessage(text="哈囉")]))

    with pytest.raises(ApiException) as raised:
        api.validate_reply(ValidateMessageRequest(messages=[TextMessage(text="a" * 5001)]))

    assert 400 == raised.value.status
    assert [("validate", 200), ("validate", 400)] == [
        (entry["call"], entry["status"]) for entry in line.journal.lines
    ]
