"""A body is LINE's when LINE's signature fits exactly its bytes, and in no other case."""

import pytest

from services.signature import BadSignature, sign, verify

SECRET = "channel secret"
BODY = b'{"destination":"U","events":[]}'
# printf '{"destination":"U","events":[]}' | openssl dgst -sha256 -hmac 'channel secret' -binary |
# base64
SIGNATURE = "QwkrJRiFFNGA5/Ii9LgQqelNB2w7eGes1OenBOrj2Vw="


def test_the_signature_is_the_one_of_the_documentation() -> None:
    """A signature is the base64 of the body's HMAC-SHA256 under the channel secret."""
    assert SIGNATURE == sign(BODY, SECRET)


def test_the_right_signature_passes() -> None:
    """What LINE signed is LINE's."""
    verify(BODY, SIGNATURE, SECRET)


@pytest.mark.parametrize("body", [b"", "哈囉".encode(), b"\xff\x00\r\n"])
def test_any_bytes_can_be_signed(body: bytes) -> None:
    """The signature is one of bytes, whether they are text or not."""
    verify(body, sign(body, "祕密"), "祕密")


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "wrong",
        SIGNATURE[:-1],
        SIGNATURE + "=",
        f" {SIGNATURE}",
        f"{SIGNATURE}\n",
        SIGNATURE.swapcase(),
        "é" * len(SIGNATURE),
        "簽名",
        "\udcff",
        "\0",
        "x" * 100_000,
        sign(BODY, "another secret"),
    ],
)
def test_any_other_signature_is_turned_away(signature: str) -> None:
    """A missing, wrong, shortened or outlandish signature is a bad one, and never a crash."""
    with pytest.raises(BadSignature):
        verify(BODY, signature, SECRET)


@pytest.mark.parametrize(
    "body",
    [b"", BODY + b"\n", BODY.replace(b",", b", "), b"\xef\xbb\xbf" + BODY, BODY.swapcase()],
)
def test_other_bytes_of_the_same_meaning_are_not_what_was_signed(body: bytes) -> None:
    """LINE signs bytes, not JSON: the same object written differently is somebody else's."""
    with pytest.raises(BadSignature):
        verify(body, SIGNATURE, SECRET)
