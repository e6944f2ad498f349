"""LINE's Messaging API on this machine: what it takes from a bot, and what it sends to one."""

import base64
import hashlib
import hmac
import itertools
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import urllib3
from flask import Response, g, request

from local.journal import Journal
from local.line_rules import check_body, error, invalid, walk
from local.loopback import Answer, Loopback, Rejected
from local.plug import Plug
from services.clock import Clock

Messages = list[dict[str, Any]]
View = Callable[..., Answer]

# Messaging API reference, "Issue stateless channel access token", "Send reply message" and
# "Retrying an API request".
ACCESS_TOKEN_LASTS = timedelta(minutes=15)
REPLY_TOKEN_LASTS = timedelta(minutes=1)
RETRY_KEY_LASTS = timedelta(hours=24)

# Messaging API reference, "Display a loading animation".
LOADING_SECONDS = range(5, 61, 5)

WORDS = re.compile(r"messages\[\d+\]\.(text|altText)")
MENTIONEE = re.compile(r"messages\[\d\]\.substitution\.\w+\.mentionee")
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Sent:
    """Messages that reached a chat, as the bot sent them, and the ids they were given."""

    chat_id: str
    via: Literal["reply", "push"]
    messages: Messages
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A push that came with a retry key and was accepted."""

    at: datetime
    request_id: str
    body: Any
    answer: Answer


class LineServer(Loopback):
    """LINE, with its people and groups; what the bot said to them is in `sent`."""

    name = "line"

    def __init__(
        self,
        clock: Clock,
        journal: Journal,
        *,
        channel_id: str,
        channel_secret: str,
        access_token: str = "",
        plug: Plug | None = None,
    ) -> None:
        super().__init__(clock, journal, plug=plug)
        self.people: dict[str, str] = {}
        self.groups: dict[str, list[str]] = {}
        self.sent: list[Sent] = []
        self._channel_id = channel_id
        self._channel_secret = channel_secret
        self._access_tokens: dict[str, datetime] = {}
        self._reply_tokens: dict[str, tuple[str, datetime]] = {}
        self._accepted: dict[str, _Accepted] = {}
        # As long as LINE's message ids, and not given again after a restart.
        self._numbers = itertools.count(int(clock.now().timestamp()) * 10**8)
        if access_token:
            self._access_tokens[access_token] = datetime.max.replace(tzinfo=UTC)
        self._add_routes()

    def issue_reply_token(self, chat_id: str) -> str:
        """Return a new reply token, good for one reply within a minute."""
        token = f"{next(self._numbers):032x}"
        self._reply_tokens[token] = (chat_id, self.clock.now() + REPLY_TOKEN_LASTS)
        return token

    def sign(self, body: bytes) -> str:
        """Return the signature LINE sends with a webhook of this body."""
        digest = hmac.digest(self._channel_secret.encode(), body, hashlib.sha256)
        return base64.b64encode(digest).decode()

    def send_webhook(self, url: str, body: bytes, signature: str | None = None) -> int:
        """Send a webhook, signed unless a signature is given, and return the bot's status."""
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "x-line-signature": self.sign(body) if signature is None else signature,
            "User-Agent": "LineBotWebhook/2.0",
        }
        return urllib3.request("POST", url, body=body, headers=headers, retries=False).status

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Add the words of the bubbles to what the bot sends."""
        if call not in ("reply", "push"):
            return {}
        return {"texts": [value for path, value in walk(body) if WORDS.fullmatch(path)]}

    def _add_routes(self) -> None:
        self.app.before_request(self._number_request)
        self.app.after_request(_show_request_number)
        self.route("POST", "/oauth2/v3/token", "token", self._token)
        self._route("POST", "message/reply", "reply", self._reply)
        self._route("POST", "message/push", "push", self._push)
        self._route("GET", "profile/<user_id>", "profile", self._profile)
        self._route("GET", "group/<group_id>/member/<user_id>", "member", self._member)
        self._route("GET", "room/<group_id>/member/<user_id>", "member", self._member)
        self._route("POST", "chat/loading/start", "loading", self._loading)
        for method in ("GET", "POST", "PUT", "DELETE"):
            self.route(method, "/<path:rest>", "unknown", _unknown)

    def _route(self, method: str, rule: str, call: str, view: View) -> None:
        def authenticated(body: Any, **path: str) -> Answer:
            self._check_access_token()
            return view(body, **path)

        self.route(method, f"/v2/bot/{rule}", call, authenticated)

    def _number_request(self) -> None:
        g.request_id = str(uuid.UUID(int=next(self._numbers)))

    def _check_access_token(self) -> None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        expires = self._access_tokens.get(token)
        if scheme != "Bearer" or not expires or self.clock.now() >= expires:
            raise error(
                401,
                "Authentication failed. "
                "Confirm that the access token in the authorization header is valid.",
            )

    def _token(self, _: Any) -> Answer:
        right = {
            "grant_type": "client_credentials",
            "client_id": self._channel_id,
            "client_secret": self._channel_secret,
        }
        if not right.items() <= request.form.to_dict().items():
            wrong = {"error": "invalid_client", "error_description": "invalid client credentials"}
            return Answer(wrong, 400)
        token = f"stateless-{next(self._numbers)}"
        self._access_tokens[token] = self.clock.now() + ACCESS_TOKEN_LASTS
        seconds = int(ACCESS_TOKEN_LASTS.total_seconds())
        return Answer({"token_type": "Bearer", "access_token": token, "expires_in": seconds})

    def _reply(self, body: Any) -> Answer:
        if "X-Line-Retry-Key" in request.headers:
            # Messaging API docs, "Retry failed API requests": "Retry only with supported APIs".
            raise error(400, "X-Line-Retry-Key is not supported here")
        check_body("ReplyMessageRequest", body)
        with self._lock:
            chat_id, expires = self._reply_tokens.get(body["replyToken"], ("", None))
            if not expires or self.clock.now() > expires:
                raise error(400, "Invalid reply token")
            self._check_mentions(chat_id, body["messages"])
            del self._reply_tokens[body["replyToken"]]
            return self._send(chat_id, "reply", body["messages"])

    def _push(self, body: Any) -> Answer:
        key = _retry_key()
        check_body("PushMessageRequest", body)
        with self._lock:
            accepted = self._accepted.get(key)
            if accepted and self.clock.now() < accepted.at + RETRY_KEY_LASTS:
                raise _already_accepted(accepted, body)
            self._check_recipient(body["to"])
            self._check_mentions(body["to"], body["messages"])
            answer = self._send(body["to"], "push", body["messages"])
            if key:
                self._accepted[key] = _Accepted(self.clock.now(), g.request_id, body, answer)
            return answer

    def _check_recipient(self, chat_id: str) -> None:
        if not re.match("[UCR]", chat_id):
            raise error(
                400, "The property, 'to', in the request body is invalid (line: -, column: -)"
            )
        if not chat_id.startswith("U") and chat_id not in self.groups:
            raise error(400, "Failed to send messages")

    def _check_mentions(self, chat_id: str, messages: Messages) -> None:
        # Messaging API reference, "Mention object": only in groups and rooms, only their members.
        members = self.groups.get(chat_id)
        for path, part in walk({"messages": messages}):
            if not MENTIONEE.fullmatch(path):
                continue
            if members is None or (part["type"] == "user" and part["userId"] not in members):
                raise invalid({"message": "May only mention members of a group", "property": path})

    def _send(self, chat_id: str, via: Literal["reply", "push"], messages: Messages) -> Answer:
        ids = tuple(str(next(self._numbers)) for _ in messages)
        # Messaging API reference, "Send push message": 200 for who is no friend, but not delivered.
        if via == "reply" or chat_id in self.people or chat_id in self.groups:
            self.sent.append(Sent(chat_id, via, messages, ids))
        return Answer({"sentMessages": [{"id": id_, "quoteToken": f"q{id_}"} for id_ in ids]})

    def _profile(self, _: Any, user_id: str) -> Answer:
        if user_id not in self.people:
            raise error(404, "Not found")
        return Answer({"displayName": self.people[user_id], "userId": user_id})

    def _member(self, _: Any, group_id: str, user_id: str) -> Answer:
        if user_id not in self.groups.get(group_id, []):
            raise error(404, "Not found")
        return Answer({"displayName": self.people.get(user_id, user_id), "userId": user_id})

    def _loading(self, body: Any) -> Answer:
        check_body("ShowLoadingAnimationRequest", body)
        if not body["chatId"].startswith("U"):
            raise invalid({"message": "Must be a user ID", "property": "chatId"})
        if body.get("loadingSeconds", 20) not in LOADING_SECONDS:
            raise invalid({"message": "Must be 5, 10, ... 60", "property": "loadingSeconds"})
        return Answer({}, 202)


def _show_request_number(response: Response) -> Response:
    response.headers["x-line-request-id"] = g.request_id
    return response


def _unknown(_: Any, rest: str) -> Answer:
    raise error(404, "Not found")


def _retry_key() -> str:
    key = request.headers.get("X-Line-Retry-Key", "")
    if key and not UUID.fullmatch(key):
        raise error(400, "X-Line-Retry-Key must be a UUID")
    return key


def _already_accepted(accepted: _Accepted, body: Any) -> Rejected:
    if body != accepted.body:
        return error(400, "X-Line-Retry-Key was used for another request")
    message = {"message": "The retry key is already accepted", **accepted.answer.body}
    return Rejected(Answer(message, 409, {"x-line-accepted-request-id": accepted.request_id}))
