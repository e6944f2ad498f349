"""What goes out keeps LINE's limits from the beginning, and is stored without a loss."""

import json
import subprocess
import sys

import pytest

from services.outgoing import (
    EVERYONE,
    Button,
    Card,
    Cards,
    Mention,
    Message,
    Text,
    from_document,
    to_document,
)

BUTTON = Button("完成", "do=done")
CARD = Card("倒垃圾", (BUTTON,))
FAMILY_EMOJI = "👨\u200d👩\u200d👧\u200d👦"
"""One grapheme of eleven UTF-16 units."""


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{哈囉}",
        Text(()),
        Text(("哈囉",)),
        Text((Mention("U1"), " ", Mention(EVERYONE), "{倒垃圾}")),
        Cards("提醒", (Card("倒垃圾", (Button("完成", "do=done", "好了"), BUTTON)),) * 3),
    ],
)
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    """
    What was stored, as JSON with its keys in any order, is read as the very same message.
    """
    document = json.loads(json.dumps(to_document(message), sort_keys=True))

    assert message == from_document(document)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"label": "字"}, {"label": ""}),
        ({"label": FAMILY_EMOJI * 20}, {"label": "字" * 21}),
        ({"data": "d" * 300}, {"data": "d" * 301}),
        ({"data": "🍎" * 150}, {"data": "🍎" * 150 + "d"}),
        ({"data": "d"}, {"data": ""}),
        ({"said": FAMILY_EMOJI * 300}, {"said": "字" * 301}),
    ],
)
def test_a_button_keeps_the_limits(good: dict[str, str], bad: dict[str, str]) -> None:
    """
    A label of 1 to 20 graphemes, 300 characters for us, 300 graphemes for the chat.
    """
    right = {"label": "完成", "data": "do=done"}

    Button(**{**right, **good})
    with pytest.raises(ValueError, match="button's"):
        Button(**{**right, **bad})


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"text": "字"}, {"text": ""}),
        ({"text": FAMILY_EMOJI * 120}, {"text": "字" * 121}),
        ({"buttons": (BUTTON,) * 3}, {"buttons": (BUTTON,) * 4}),
        ({"buttons": (BUTTON,)}, {"buttons": ()}),
    ],
)
def test_a_card_keeps_the_limits(good: dict[str, object], bad: dict[str, object]) -> None:
    """
    A card has 1 to 120 graphemes and one to three buttons.
    """
    right = {"text": "倒垃圾", "buttons": (BUTTON,)}

    Card(**{**right, **good})
    with pytest.raises(ValueError, match="card"):
        Card(**{**right, **bad})


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"alt": "字"}, {"alt": ""}),
        ({"alt": "🍎" * 750}, {"alt": "🍎" * 750 + "字"}),
        ({"cards": (CARD,) * 10}, {"cards": (CARD,) * 11}),
        ({"cards": (CARD,)}, {"cards": ()}),
        (
            {"cards": (Card("一", (BUTTON,) * 2), Card("二", (BUTTON,) * 2))},
            {"cards": (CARD, Card("二", (BUTTON,) * 2))},
        ),
    ],
)
def test_cards_keep_the_limits(good: dict[str, object], bad: dict[str, object]) -> None:
    """
    One to ten cards, with as many buttons each, and 1500 UTF-16 units in their stead.
    """
    right = {"alt": "提醒", "cards": (CARD,)}

    Cards(**{**right, **good})
    with pytest.raises(ValueError, match=r"alternative|cards"):
        Cards(**{**right, **bad})


def test_no_sdk_is_needed() -> None:
    """
    Whoever writes a message loads neither LINE's SDK nor anything else that is slow.
    """
    code = "import sys, services.outgoing; print([n for n in sys.modules if 'linebot' in n])"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == ran.stdout.strip()
