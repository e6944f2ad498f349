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
from services.errors import Refused, Unavailable
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
        texts: Sequence[str],
        *,
        chat_id: str,
        reply_token: str,
        said_at: datetime,
        retry_key: str,
    ) -> list[str]:
        """Send up to five texts once: a free reply if it can be, a push if it must be.

        ::

            reply ── sent
              ├─ token spent ───────────────────────────────► push (retry key; 409 = sent)
              └─ no answer ── reply again ── sent
                                ├─ token spent, older than 45 s ──► push
                                ├─ token spent, younger ── the first reply had arrived
                                └─ no answer ── Unavailable: the task comes again

        Args:
            texts: The bubbles; the same ones whenever the retry key is the same.
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
                return self.reply(reply_token, texts)
            except SpentToken:
                pass
            except Unavailable:
                try:
                    return self.reply(reply_token, texts)
                except SpentToken:
                    if self._clock.now() - said_at < _SURELY_ALIVE:
                        return []
        return self.push(chat_id, texts, retry_key)

    def reply(self, token: str, texts: Sequence[str]) -> list[str]:
        """Send up to five texts with a reply token, free of charge; return the message ids.

        Raises:
            SpentToken: The token is used or too old.
            Unavailable: LINE did not answer, and may or may not have sent them.
            Refused: LINE never will send them.
        """
        request = messaging.ReplyMessageRequest(
            replyToken=token, messages=[messaging.TextMessage(text=text) for text in texts]
        )
        with _errors_translated():
            answer = self._api().reply_message(request, _request_timeout=_TIMEOUT)
            return [message.id for message in answer.sent_messages]

    def push(self, chat_id: str, texts: Sequence[str], retry_key: str) -> list[str]:
        """Send up to five texts, at the cost of the month's quota; return the message ids.

        A second call with the same key (a UUID) and the same texts within a day sends nothing more
        and returns the first one's ids.

        Raises:
            Unavailable: LINE did not answer.
            Refused: LINE never will send them, or not this month.
        """
        request = messaging.PushMessageRequest(
            to=chat_id, messages=[messaging.TextMessage(text=text) for text in texts]
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
        api = self._api()
        with _errors_translated():
            if chat_id.startswith("C"):
                return str(
                    api.get_group_member_profile(
                        chat_id, user_id, _request_timeout=_TIMEOUT
                    ).display_name
                )
            if chat_id.startswith("R"):
                return str(
                    api.get_room_member_profile(
                        chat_id, user_id, _request_timeout=_TIMEOUT
                    ).display_name
                )
            return str(api.get_profile(user_id, _request_timeout=_TIMEOUT).display_name)

    def show_loading(self, user_id: str) -> None:
        """Show in a one-to-one chat that an answer is on its way."""
        request = messaging.ShowLoadingAnimationRequest(
            chatId=user_id, loadingSeconds=_LOADING_SECONDS
        )
        with _errors_translated():
            self._api().show_loading_animation(request, _request_timeout=_TIMEOUT)

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
        return Refused("LINE's monthly limit is reached")
    if status in {0, 429} or status >= 500:
        return Unavailable(f"LINE answered {status}")
    log.info("LINE said no", extra={"status": status, "request": _request_id(error)})
    return Refused(f"LINE answered {status}")


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
