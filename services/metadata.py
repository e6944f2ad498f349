"""The function's own account, as the metadata server on every instance vouches for it."""

import threading
from datetime import datetime, timedelta

import urllib3

from services.clock import Clock
from services.errors import Unavailable

_PATH = "/computeMetadata/v1/instance/service-accounts/default/token"
_EARLY = timedelta(minutes=4)
"""The metadata server itself hands out a new token five minutes before the old one ends."""


class MetadataToken:
    """An access token, asked for when called and kept until shortly before it expires.

    google.auth would do this too, for more start-up time than the whole path to the first 200.
    """

    def __init__(self, host: str, clock: Clock, http: urllib3.PoolManager) -> None:
        self._url = f"http://{host}{_PATH}"
        self._clock = clock
        self._http = http
        self._token = ""
        self._good_until: datetime | None = None
        self._lock = threading.Lock()

    def __call__(self) -> str:
        """Return a token that is good for minutes; raise `Unavailable` when none is to be had."""
        with self._lock:
            if not self._good_until or self._clock.now() >= self._good_until:
                self._fetch()
            return self._token

    def _fetch(self) -> None:
        try:
            response = self._http.request("GET", self._url, headers={"Metadata-Flavor": "Google"})
        except urllib3.exceptions.HTTPError as error:
            raise Unavailable("metadata server") from error
        if response.status != 200:
            raise Unavailable("metadata server")
        try:
            answer = response.json()
            token, lifetime = str(answer["access_token"]), timedelta(seconds=answer["expires_in"])
        except (ValueError, LookupError, TypeError) as error:
            raise Unavailable("metadata server") from error
        self._token = token
        self._good_until = self._clock.now() + lifetime - _EARLY
