"""LINE's Messaging API on this machine: what it takes from a bot, and what it sends to one."""

import base64
import hashlib
import hmac
import itertools
import json
import re
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import urllib3
from flask import Response, g, request

from local.journal import Journal
from local.line_content import Content
from local.line_quota import Quota
from local.line_retries import RetryKeys, read_retry_key
from local.line_rules import check_body, check_mentions, check_quotes, error, invalid
from local.line_tokens import AccessTokens, QuoteTokens, ReplyTokens
from local.line_webhook import Webhook
from local.line_words import words_of
from local.loopback import Answer, Loopback
from local.plug import Plug
from services.clock import Clock

Messages = list[dict[str, Any]]
View = Callable[..., Answer]

# Messaging API reference, "Display a loading animation".
LOADING_SECONDS = range(5, 61, 5)


@dataclass(frozen=True, slots=True)
class Sent:
    """Messages that reached a chat, as the bot sent them, and the ids they were given."""

    chat_id: str
    via: Literal["reply", "push"]
    messages: Messages
    ids: tuple[str, ...]
    texts: tuple[str, ...] = field(default=(), compare=False)
    """The words as they are read there."""


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
        self.contents: dict[str, Content] = {}
        self.sent: list[Sent] = []
        self.bot = {
            "userId": "Ubot",
            "basicId": "@123abcde",
            "displayName": "小幫手",
            "chatMode": "bot",
            "markAsReadMode": "auto",
        }
        """What the official account says of itself."""
        self.webhook = Webhook(clock, self._send_no_events)
        self._channel_secret = channel_secret
        # As long as LINE's message ids, and not given again after a restart.
        self._numbers = itertools.count(int(clock.now().timestamp()) * 10**8)
        self._access_tokens = AccessTokens(
            clock,
            self._numbers,
            channel_id=channel_id,
            channel_secret=channel_secret,
            long_lived=access_token,
        )
        self._reply_tokens = ReplyTokens(clock, self._numbers)
        self._quote_tokens = QuoteTokens(self._numbers)
        self._retry_keys = RetryKeys(clock)
        self._quota = Quota(clock)
        self._left: set[str] = set()
        self._unsent: set[str] = set()
        self._add_routes()

    def issue_reply_token(self, chat_id: str) -> str:
        """Return a new reply token, good for one reply within a minute."""
        return self._reply_tokens.issue(chat_id)

    def issue_quote_token(self, chat_id: str) -> str:
        """Return a new quote token, as a message that was received in a chat comes with."""
        return self._quote_tokens.issue(chat_id)

    def quota(self, limit: int | None, used: int) -> None:
        """Let the bot push to so many people a month (None: to all), and have pushed to some."""
        self._quota = Quota(self.clock, limit, used)

    def leave(self, chat_id: str) -> None:
        """Let the bot be out of a group or room, or be blocked by a friend."""
        self._left.add(chat_id)

    def join(self, chat_id: str) -> None:
        """Let the bot be back in a chat that it had left."""
        self._left.discard(chat_id)

    def add_members(self, chat_id: str, users: Iterable[str]) -> None:
        """Let people have come into a group or room."""
        members = self.groups.setdefault(chat_id, [])
        members += [user for user in users if user not in members]

    def remove_members(self, chat_id: str, users: Iterable[str]) -> None:
        """Let people have left a group or room."""
        for user in users:
            if user in self.groups.get(chat_id, []):
                self.groups[chat_id].remove(user)

    def unsend(self, message_id: str) -> None:
        """Let a message have been taken back, with what came with it."""
        self._unsent.add(message_id)

    def sign(self, body: bytes) -> str:
        """Return the signature LINE sends with a webhook of this body."""
        digest = hmac.digest(self._channel_secret.encode(), body, hashlib.sha256)
        return base64.b64encode(digest).decode()

    def send_webhook(self, url: str, body: bytes, signature: str | None = None) -> int:
        """Send a webhook, signed unless a signature is given, and return the bot's status."""
        # LINE itself gives up after two seconds; here it is told how it would have ended.
        return self._send_webhook(url, body, signature, 60)

    def shorthands(self, call: str, body: Any) -> dict[str, Any]:
        """Add the words of the bubbles to what the bot sends."""
        if call not in ("reply", "push", "validate"):
            return {}
        return {"texts": words_of(body, self.people)}

    def _send_no_events(self, url: str, seconds: float) -> int:
        """Send a webhook that has nothing to tell, as LINE tests an address; return the status."""
        body = json.dumps({"destination": self.bot["userId"], "events": []}).encode()
        return self._send_webhook(url, body, None, seconds)

    def _send_webhook(self, url: str, body: bytes, signature: str | None, seconds: float) -> int:
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "x-line-signature": self.sign(body) if signature is None else signature,
            "User-Agent": "LineBotWebhook/2.0",
        }
        return urllib3.request(
            "POST", url, body=body, headers=headers, retries=False, timeout=seconds
        ).status

    def _add_routes(self) -> None:
        self.app.before_request(self._number_request)
        self.app.after_request(_show_request_number)
        self.route("POST", "/oauth2/v3/token", "token", self._token)
        self._route("POST", "message/reply", "reply", self._reply)
        self._route("POST", "message/push", "push", self._push)
        for kind in ("reply", "push"):
            self._route("POST", f"message/validate/{kind}", "validate", _validate)
        self._route("GET", "message/quota", "quota", lambda _: self._quota.target())
        consumption = "message/quota/consumption"
        self._route("GET", consumption, "consumption", lambda _: self._quota.consumption())
        self._route("GET", "info", "info", lambda _: Answer(self.bot))
        self._route("PUT", "channel/webhook/endpoint", "set", self.webhook.set)
        self._route("GET", "channel/webhook/endpoint", "endpoint", lambda _: self.webhook.get())
        self._route("POST", "channel/webhook/test", "test", self.webhook.test)
        self._route("GET", "profile/<user_id>", "profile", self._profile)
        for kind in ("group", "room"):
            self._route("GET", f"{kind}/<group_id>/member/<user_id>", "member", self._member)
            self._route("GET", f"{kind}/<group_id>/members/count", "count", self._count)
        # LINE serves these three from a host of their own, api-data.line.me.
        self._content_route("content", "content", Content.read)
        self._content_route("content/transcoding", "transcoding", Content.preparation)
        self._content_route("content/preview", "preview", Content.preview)
        self._route("POST", "chat/loading/start", "loading", self._loading)
        for method in ("GET", "POST", "PUT", "DELETE"):
            self.route(method, "/<path:rest>", "unknown", _unknown)

    def _route(self, method: str, rule: str, call: str, view: View) -> None:
        def authenticated(body: Any, **path: str) -> Answer:
            self._access_tokens.check(request.headers.get("Authorization", ""))
            return view(body, **path)

        self.route(method, f"/v2/bot/{rule}", call, authenticated)

    def _content_route(self, rule: str, call: str, give: Callable[[Content], Answer]) -> None:
        def view(_: Any, message_id: str) -> Answer:
            with self._lock:
                return give(self._content(message_id))

        self._route("GET", f"message/<message_id>/{rule}", call, view)

    def _number_request(self) -> None:
        g.request_id = str(uuid.UUID(int=next(self._numbers)))

    def _token(self, _: Any) -> Answer:
        return self._access_tokens.issue(request.form.to_dict())

    def _reply(self, body: Any) -> Answer:
        if "X-Line-Retry-Key" in request.headers:
            # Messaging API docs, "Retry failed API requests": "Retry only with supported APIs".
            raise error(400, "X-Line-Retry-Key is not supported here")
        check_body("ReplyMessageRequest", body)
        with self._lock:
            chat_id = self._reply_tokens.chat_of(body["replyToken"])
            self._check_messages(chat_id, body["messages"])
            self._reply_tokens.spend(body["replyToken"])
            return self._send(chat_id, "reply", body["messages"])

    def _push(self, body: Any) -> Answer:
        key = read_retry_key()
        check_body("PushMessageRequest", body)
        with self._lock:
            self._retry_keys.check(key, body)
            self._check_recipient(body["to"])
            self._check_messages(body["to"], body["messages"])
            self._quota.spend(self._recipients(body["to"]))
            answer = self._send(body["to"], "push", body["messages"])
            self._retry_keys.accept(key, g.request_id, body, answer)
            return answer

    def _check_recipient(self, chat_id: str) -> None:
        if not re.match("[UCR]", chat_id):
            raise error(
                400, "The property, 'to', in the request body is invalid (line: -, column: -)"
            )
        if not chat_id.startswith("U") and self._members(chat_id) is None:
            raise error(400, "Failed to send messages")

    def _check_messages(self, chat_id: str, messages: Messages) -> None:
        check_mentions(messages, self._members(chat_id))
        check_quotes(messages, self._quote_tokens.of(chat_id))

    def _members(self, chat_id: str) -> list[str] | None:
        """Return who is in a group or room with the bot; None for any other chat."""
        return None if chat_id in self._left else self.groups.get(chat_id)

    def _is_friend(self, user_id: str) -> bool:
        return user_id in self.people and user_id not in self._left

    def _recipients(self, chat_id: str) -> int:
        # Messaging API docs, "Messaging API pricing": people count, whatever the number of
        # messages; who gets nothing does not.
        members = self._members(chat_id)
        return int(self._is_friend(chat_id)) if members is None else len(members)

    def _send(self, chat_id: str, via: Literal["reply", "push"], messages: Messages) -> Answer:
        ids = tuple(str(next(self._numbers)) for _ in messages)
        if self._arrives(chat_id, via):
            texts = tuple(words_of({"messages": messages}, self.people))
            self.sent.append(Sent(chat_id, via, messages, ids, texts))
        tokens = self._quote_tokens.issue_for(chat_id, ids)
        sent = zip(ids, tokens, strict=True)
        return Answer({"sentMessages": [{"id": id_, "quoteToken": token} for id_, token in sent]})

    def _arrives(self, chat_id: str, via: Literal["reply", "push"]) -> bool:
        if via == "reply":
            return chat_id not in self._left
        # Messaging API reference, "Send push message": 200 for who is no friend, but not delivered.
        return self._is_friend(chat_id) or self._members(chat_id) is not None

    def _profile(self, _: Any, user_id: str) -> Answer:
        if not self._is_friend(user_id):
            raise error(404, "Not found")
        return Answer({"displayName": self.people[user_id], "userId": user_id})

    def _member(self, _: Any, group_id: str, user_id: str) -> Answer:
        if user_id not in (self._members(group_id) or []):
            raise error(404, "Not found")
        return Answer({"displayName": self.people.get(user_id, user_id), "userId": user_id})

    def _count(self, _: Any, group_id: str) -> Answer:
        members = self._members(group_id)
        if members is None:
            raise error(404, "Not found")
        return Answer({"count": len(members)})

    def _content(self, message_id: str) -> Content:
        if message_id in self._unsent:
            raise error(410, "Gone")
        if message_id not in self.contents:
            raise error(404, "Not found")
        return self.contents[message_id]

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


def _validate(body: Any) -> Answer:
    # Which chat it will be is not said, so neither members nor quote tokens can be looked at.
    check_body("ValidateMessageRequest", body)
    return Answer({})


def _unknown(_: Any, rest: str) -> Answer:
    raise error(404, "Not found")
