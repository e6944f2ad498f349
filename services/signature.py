"""LINE's signature: the one proof that a body is LINE's."""

import base64
import hashlib
import hmac


class BadSignature(Exception):
    """The body was not signed by LINE."""


def sign(body: bytes, secret: str) -> str:
    """Return the signature LINE puts on a body (Messaging API, "Verify webhook signature")."""
    return base64.b64encode(hmac.digest(secret.encode(), body, hashlib.sha256)).decode()


def verify(body: bytes, signature: str, secret: str) -> None:
    """Raise `BadSignature` unless LINE signed exactly these bytes."""
    if not hmac.compare_digest(sign(body, secret).encode(), signature.encode(errors="replace")):
        raise BadSignature
