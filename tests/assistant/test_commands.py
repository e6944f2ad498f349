"""What is typed with a slash, in all the ways phones type it."""

import pytest

from assistant.commands import Command, parse


@pytest.mark.parametrize(
    "text",
    [
        "/啟用 kite-7",
        "／啟用 kite-7",
        "/啟用　kite-7",
        "／啟用　ｋｉｔｅ－７",
        "  /啟用 kite-7",
        "/啟用   kite-7  ",
        "\n/啟用 kite-7\n",
        "/activate kite-7",
        "/Activate kite-7",
        "/ACTIVATE kite-7",
        "／ａｃｔｉｖａｔｅ kite-7",
    ],
)
def test_a_command_is_understood_in_either_language_width_and_case(text: str) -> None:
    """A phone's full-width signs, capitals and stray blanks do not change what a command is."""
    assert Command("activate", "kite-7") == parse(text)


@pytest.mark.parametrize("text", ["/啟用", "/activate", "／啟用", "/啟用   "])
def test_a_command_may_stand_alone(text: str) -> None:
    """A command that nothing follows has an empty argument."""
    assert Command("activate", "") == parse(text)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("our  secret code", "/activate our  secret code"),
        ("陳家 2026", "/啟用 陳家 2026"),
        ("一行\n二行", "/啟用 一行\n二行"),
        ("KiTe", "/啟用 KiTe"),
        ("/啟用 x", "/啟用 /啟用 x"),
    ],
)
def test_an_argument_is_kept_as_it_was_typed(argument: str, text: str) -> None:
    """All that follows a command is its argument, with its case and its inner blanks."""
    assert Command("activate", argument) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "/",
        "／",
        "/ 啟用 kite-7",
        "//啟用 kite-7",
        "啟用 kite-7",
        "activate kite-7",
        "請輸入 /啟用 kite-7",
        "/停用",
        "/deactivate",
        "/activated kite-7",
        "/help",
        "/啟用吧 kite-7",
        "\\啟用 kite-7",
    ],
)
def test_anything_else_is_no_command(text: str) -> None:
    """What has no slash at its start, or an unknown word behind it, is an ordinary message."""
    assert parse(text) is None
