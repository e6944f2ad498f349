"""The tokens LINE gives out, and whether it still takes them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import UTC, datetime, timedelta

from local.line_rules import error
from local.loopback import Answer
from services.clock import Clock

# Messaging API reference, "Issue stateless channel access token" and "Send reply message".
ACCESS_TOKEN_LASTS = timedelta(minutes=15)
REPLY_TOKEN_LASTS = timedelta(minutes=1)


class AccessTokens:
    """The channel's access tokens."""

    def __init__(
        self,
        clock: Clock,
        numbers: Iterator[int],
        *,
        channel_id: str,
        channel_secret: str,
        long_lived: str = "",
    ) -> None:
        """Take the clock, numbers that don't come twice, and whose tokens they are."""
        self._clock = clock
        self._numbers = numbers
        self._credentials = {
            "grant_type": "client_credentials",
            "client_id": channel_id,
            "client_secret": channel_secret,
        }
        self._expire: dict[str, datetime] = {}
        if long_lived:
            self._expire[long_lived] = datetime.max.replace(tzinfo=UTC)

    def issue(self, form: Mapping[str, str]) -> Answer:
        """Answer "Issue stateless channel access token"."""
        if not self._credentials.items() <= form.items():
            wrong = {"error": "invalid_client", "error_description": "invalid client credentials"}
            return Answer(wrong, 400)
        token = f"stateless-{next(self._numbers)}"
        self._expire[token] = self._clock.now() + ACCESS_TOKEN_LASTS
        seconds = int(ACCESS_TOKEN_LASTS.total_seconds())
        return Answer({"token_type": "Bearer", "access_token": token, "expires_in": seconds})

    def check(self, authorization: str) -> None:
        """Raise `Rejected` unless an Authorization header has a token that is still good."""
        scheme, _, token = authorization.partition(" ")
        expires = self._expire.get(token)
        if scheme != "Bearer" or not expires or self._clock.now() >= expires:
            raise error(
                401,
                "Authentication failed. "
                "Confirm that the access token in the authorization header is valid.",
            )


class ReplyTokens:
    """The reply tokens that webhooks came with."""

    def __init__(self, clock: Clock, numbers: Iterator[int]) -> None:
        self._clock = clock
        self._numbers = numbers
        self._issued: dict[str, tuple[str, datetime]] = {}

    def issue(self, chat_id: str) -> str:
        """Return a new reply token, good for one reply within a minute."""
        token = f"{next(self._numbers):032x}"
        self._issued[token] = (chat_id, self._clock.now() + REPLY_TOKEN_LASTS)
        return token

    def chat_of(self, token: str) -> str:
        """Return where a token replies to; raise `Rejected` for one that is spent or too old."""
        chat_id, expires = self._issued.get(token, ("", None))
        if not expires or self._clock.now() > expires:
            raise error(400, "Invalid reply token")
        return chat_id

    def spend(self, token: str) -> None:
        """Let a token have been used."""
        del self._issued[token]


class QuoteTokens:
    """The quote tokens that messages came with; one may be used in its chat again and again."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._issued: defaultdict[str, set[str]] = defaultdict(set)

    def issue(self, chat_id: str) -> str:
        """Return a new quote token, of a message that was received."""
        token = f"quote-{next(self._numbers)}"
        self._issued[chat_id].add(token)
        return token

    def issue_for(self, chat_id: str, ids: Iterable[str]) -> list[str]:
        """Return the quote tokens of messages that the bot sent."""
        tokens = [f"q{id_}" for id_ in ids]
        self._issued[chat_id].update(tokens)
        return tokens

    def of(self, chat_id: str) -> Set[str]:
        """Return all that were given out in a chat."""
        return self._issued[chat_id]
