"""A loopback metadata server: what vouches on every instance for the function's own account."""

from typing import Any

from flask import request

from local.journal import Journal
from local.loopback import Answer, Loopback, Rejected
from services.clock import Clock

_TOKEN_PATH = "/computeMetadata/v1/instance/service-accounts/default/token"


class MetadataServer(Loopback):
    """Hands out one access token, to who asks as Google's clients do."""

    name = "metadata"

    def __init__(self, clock: Clock, journal: Journal, *, token: str) -> None:
        super().__init__(clock, journal)
        self._token = token
        self.route("GET", _TOKEN_PATH, "token", self._answer_token)

    @property
    def host(self) -> str:
        """Where it is, as GCE_METADATA_HOST says it."""
        return self.url.removeprefix("http://")

    def _answer_token(self, body: Any) -> Answer:
        if request.headers.get("Metadata-Flavor") != "Google":
            raise Rejected(Answer({"error": "Missing Metadata-Flavor:Google header."}, 403))
        token = {"access_token": self._token, "expires_in": 3599, "token_type": "Bearer"}
        return Answer(token, headers={"Metadata-Flavor": "Google"})
