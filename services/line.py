"""LINE's Messaging API, through its SDK."""

import json
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import urllib3
from linebot.v3 import messaging, oauth
from linebot.v3.messaging.exceptions import ApiException
from linebot.v3.oauth.exceptions import ApiException as OAuthException

from services.clock import Clock
from services.errors import Gone, OverQuota, Refused, Unavailable
from services.outgoing import EVERYONE, MENTIONS, Card, Cards, Mention, Message, Text
from services.settings import Settings

log = logging.getLogger(__name__)

CONNECTIONS = 8
"""How many requests are under way together, at most."""
_TIMEOUT = (3, 8)
"""Seconds to connect and to answer; the SDK would wait for ever."""
_EARLY = timedelta(minutes=1)
_LOADING_SECONDS = 60
"""The animation ends by itself when the answer arrives, and at the latest after this."""
_SURELY_ALIVE = timedelta(seconds=45)
"""A younger reply token is refused only when it was used: LINE promises a minute."""


class SpentToken(Refused):
    """The reply token was used before, or is too old."""


class NotFound(Refused):
    """LINE knows nothing of the sort."""


class Line:
    """Talk in LINE's chats."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._current: messaging.MessagingApi | None = None
        self._good_until = datetime.max.replace(tzinfo=UTC)
        self._lock = threading.Lock()

    def deliver(
        self,
        messages: Sequence[Message],
        *,
        chat_id: str,
        reply_token: str,
        said_at: datetime,
        retry_key: str,
    ) -> list[str]:
        """Send up to five messages once: a free reply if it can be, a push if it must be.

        ::

            reply ── sent
              ├─ token spent ───────────────────────────────► push (retry key; 409 = sent)
              └─ no answer ── reply again ── sent
                                ├─ token spent, older than 45 s ──► push
                                ├─ token spent, younger ── the first reply had arrived
                                └─ no answer ── Unavailable: the task comes again

        Args:
            messages: The bubbles; the same ones whenever the retry key is the same.
            chat_id: The chat, for the push.
            reply_token: Empty where the event had none.
            said_at: When the event happened that the token came with.
            retry_key: A UUID that stands for these words.

        Returns:
            The message ids, as far as LINE told them.

        Raises:
            Unavailable: LINE can't be reached.
            Refused: LINE will not take these words.
        """
        if reply_token:
            try:
                return self.reply(reply_token, messages)
            except SpentToken:
                pass
            except Unavailable:
                try:
                    return self.reply(reply_token, messages)
                except SpentToken:
                    if self._clock.now() - said_at < _SURELY_ALIVE:
                        return []
        return self.push(chat_id, messages, retry_key)

    def reply(self, token: str, messages: Sequence[Message]) -> list[str]:
        """Send up to five messages with a reply token, free of charge; return their ids.

        Raises:
            SpentToken: The token is used or too old.
            Unavailable: LINE did not answer, and may or may not have sent them.
            Refused: LINE never will send them.
        """
        request = messaging.ReplyMessageRequest(
            replyToken=token, messages=[_rendered(message) for message in messages]
        )
        with _errors_translated():
            answer = self._api().reply_message(request, _request_timeout=_TIMEOUT)
            return [message.id for message in answer.sent_messages]

    def push(self, chat_id: str, messages: Sequence[Message], retry_key: str) -> list[str]:
        """Send up to five messages, at the cost of the month's quota; return their ids.

        A second call with the same key (a UUID) and the same messages within a day sends nothing
        more and returns the first one's ids.

        Raises:
            Unavailable: LINE did not answer.
            OverQuota: LINE sends nothing more this month.
            Gone: There is nobody to send to.
            Refused: LINE never will send them.
        """
        request = messaging.PushMessageRequest(
            to=chat_id, messages=[_rendered(message) for message in messages]
        )
        with _errors_translated():
            try:
                answer = self._api().push_message(
                    request, x_line_retry_key=retry_key, _request_timeout=_TIMEOUT
                )
            except ApiException as error:
                if error.status == 409:
                    return _ids_sent_before(error)
                raise
            return [message.id for message in answer.sent_messages]

    def display_name(self, chat_id: str, user_id: str) -> str:
        """Return the name somebody goes by in a chat; raise `Refused` where LINE knows none."""
        with _errors_translated():
            return str(self._profile(chat_id, user_id).display_name)

    def is_member(self, chat_id: str, user_id: str) -> bool:
        """Say whether somebody is in a chat, as far as LINE tells.

        Raises:
            Unavailable: LINE did not answer.
            Refused: LINE does not say.
        """
        try:
            with _errors_translated():
                self._profile(chat_id, user_id)
        except NotFound:
            return False
        return True

    def members(self, chat_id: str) -> int:
        """Return how many people are in a chat, and so what a push there costs.

        Raises:
            Unavailable: LINE did not answer.
            Refused: LINE does not say, as of a group that was left.
        """
        if chat_id.startswith("U"):
            return 1
        with _errors_translated():
            api = self._api()
            count = (
                api.get_group_member_count if chat_id.startswith("C") else api.get_room_member_count
            )
            return int(count(chat_id, _request_timeout=_TIMEOUT).count)

    def quota(self) -> int | None:
        """Return how many people may be pushed to this month; None where there is no limit.

        Raises:
            Unavailable: LINE did not answer.
            Refused: LINE does not say.
        """
        with _errors_translated():
            quota = self._api().get_message_quota(_request_timeout=_TIMEOUT)
            return int(quota.value) if quota.type == messaging.QuotaType.LIMITED else None

    def used(self) -> int:
        """Return how many people were pushed to this month, which LINE counts only roughly.

        Raises:
            Unavailable: LINE did not answer.
            Refused: LINE does not say.
        """
        with _errors_translated():
            consumption = self._api().get_message_quota_consumption(_request_timeout=_TIMEOUT)
            return int(consumption.total_usage)

    def show_loading(self, user_id: str) -> None:
        """Show in a one-to-one chat that an answer is on its way."""
        request = messaging.ShowLoadingAnimationRequest(
            chatId=user_id, loadingSeconds=_LOADING_SECONDS
        )
        with _errors_translated():
            self._api().show_loading_animation(request, _request_timeout=_TIMEOUT)

    def _profile(self, chat_id: str, user_id: str) -> Any:
        """Return somebody's profile, from where LINE has it for this chat."""
        api = self._api()
        if chat_id.startswith("C"):
            return api.get_group_member_profile(chat_id, user_id, _request_timeout=_TIMEOUT)
        if chat_id.startswith("R"):
            return api.get_room_member_profile(chat_id, user_id, _request_timeout=_TIMEOUT)
        return api.get_profile(user_id, _request_timeout=_TIMEOUT)

    def _api(self) -> messaging.MessagingApi:
        """Return the API with an access token that is good for a minute at least."""
        with self._lock:
            if not self._current or self._clock.now() >= self._good_until:
                token = self._settings.line_channel_access_token or self._issue_token()
                configuration = messaging.Configuration(
                    host=self._settings.line_url, access_token=token
                )
                # Retries are decided where it is known what a second try would do.
                configuration.retries = False
                configuration.connection_pool_maxsize = CONNECTIONS
                self._current = messaging.MessagingApi(messaging.ApiClient(configuration))
            return self._current

    def _issue_token(self) -> str:
        """Buy a stateless token: fifteen minutes, as many as one likes, nothing to rotate."""
        configuration = oauth.Configuration(host=self._settings.line_url)
        configuration.retries = False
        with _errors_translated(), oauth.ApiClient(configuration) as client:
            issued = oauth.ChannelAccessToken(
                client
            ).issue_stateless_channel_token_by_client_secret(
                self._settings.line_channel_id,
                self._settings.line_channel_secret,
                _request_timeout=_TIMEOUT,
            )
        self._good_until = self._clock.now() + timedelta(seconds=issued.expires_in) - _EARLY
        return str(issued.access_token)


def _rendered(message: Message) -> messaging.Message:
    """Return a message as the SDK sends it."""
    match message:
        case str():
            return messaging.TextMessage(text=message)
        case Text(parts):
            if any(isinstance(part, Mention) for part in parts):
                return _with_mentions(parts)
            return messaging.TextMessage(text="".join(map(str, parts)))
        case Cards(alt, cards):
            template = messaging.CarouselTemplate(columns=[_column(card) for card in cards])
            return messaging.TemplateMessage(altText=alt, template=template)


def _with_mentions(parts: Sequence[str | Mention]) -> messaging.TextMessageV2:
    text = ""
    mentioned: dict[str, messaging.MentionSubstitutionObject] = {}
    for part in parts:
        if isinstance(part, str):
            text += part.replace("{", "{{").replace("}", "}}")
        elif len(mentioned) < MENTIONS:
            key = f"m{len(mentioned)}"
            text += f"{{{key}}}"
            mentioned[key] = messaging.MentionSubstitutionObject(mentionee=_mentionee(part))
    return messaging.TextMessageV2(text=text, substitution=mentioned)


def _mentionee(mention: Mention) -> messaging.MentionTarget:
    if mention.user == EVERYONE:
        return messaging.AllMentionTarget()
    return messaging.UserMentionTarget(userId=mention.user)


def _column(card: Card) -> messaging.CarouselColumn:
    actions = [
        messaging.PostbackAction(
            label=button.label, data=button.data, displayText=button.said or None
        )
        for button in card.buttons
    ]
    return messaging.CarouselColumn(text=card.text, actions=actions)


@contextmanager
def _errors_translated() -> Iterator[None]:
    try:
        yield
    except (ApiException, OAuthException) as error:
        raise _translated(error) from error
    except urllib3.exceptions.HTTPError as error:
        raise Unavailable("LINE did not answer") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        # The SDK has no error of its own for a body that is not what its models say.
        raise Unavailable("LINE's answer can't be read") from error


def _translated(error: ApiException | OAuthException) -> Exception:
    status = error.status or 0
    body = _body_of(error)
    message = str(body.get("message", ""))
    if status == 400 and message == "Invalid reply token":
        return SpentToken(message)
    if status == 429 and "monthly limit" in message:
        return OverQuota("LINE's monthly limit is reached")
    if status in {0, 429} or status >= 500:
        return Unavailable(f"LINE answered {status}")
    log.info("LINE said no", extra={"status": status, "request": _request_id(error)})
    if status == 400 and message == "Failed to send messages":
        # So LINE's FAQ says of a recipient that does not exist.
        return Gone(message)
    return (NotFound if status == 404 else Refused)(f"LINE answered {status}")


def _ids_sent_before(error: ApiException) -> list[str]:
    """Return the ids in a 409: this retry key was accepted earlier, which is success."""
    sent = _body_of(error).get("sentMessages")
    messages = sent if isinstance(sent, list) else []
    return [str(one["id"]) for one in messages if isinstance(one, dict) and "id" in one]


def _body_of(error: ApiException | OAuthException) -> dict[str, Any]:
    try:
        body = json.loads(error.body or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _request_id(error: ApiException | OAuthException) -> str | None:
    """Return the id LINE's support asks for."""
    return (error.headers or {}).get("x-line-request-id")
