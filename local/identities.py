"""Who calls a function: what Google signs for Cloud Tasks, and what IAM reads of it."""

import os

from itsdangerous import BadSignature, URLSafeSerializer


class Identities:
    """OIDC tokens as Google signs them for Cloud Tasks, and as IAM reads them."""

    def __init__(self) -> None:
        self._signer = URLSafeSerializer(os.urandom(16).hex())

    def token(self, email: str, audience: str) -> str:
        """Return a token that says who calls, and whom."""
        return str(self._signer.dumps({"email": email, "aud": audience}))

    def caller(self, authorization: str, audience: str) -> str:
        """Return whose token for this audience stands in a header; empty if it is none."""
        try:
            claims = self._signer.loads(authorization.removeprefix("Bearer "))
        except BadSignature:
            return ""
        return str(claims["email"]) if claims["aud"] == audience else ""
