"""What is typed with a slash, in all the ways phones type it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.commands import Command, Name, parse
from assistant.persona import Persona

HELPER = Persona("小幫手", ("Amy", "Amy Bot", "阿福(管家)"))


@pytest.mark.parametrize(
    "text",
    [
        "/啟用 kite-7",
        "／啟用 kite-7",
        "/啟用　kite-7",
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
    assert Command("activate", "kite-7") == parse(text, HELPER)


@pytest.mark.parametrize(
    ("name", "chinese", "english"),
    [
        ("activate", "啟用", "activate"),
        ("memory", "記憶", "memory"),
        ("forget", "忘記", "forget"),
        ("change", "改", "change"),
        ("forget_me", "忘記我", "forgetme"),
        ("export", "匯出", "export"),
        ("delete_all", "全部刪除", "deleteall"),
        ("help", "說明", "help"),
    ],
)
def test_every_command_has_a_name_in_either_language(
    name: Name, chinese: str, english: str
) -> None:
    """
    Whatever language the deployment speaks, both names are understood, and none is another's.
    """
    expected = Command(name), Command(name, "x")

    assert expected == (parse(f"/{chinese}", HELPER), parse(f"／{chinese} x", HELPER))
    assert expected == (parse(f"/{english}", HELPER), parse(f"／{english.upper()} x", HELPER))


@pytest.mark.parametrize("text", ["/啟用", "/activate", "／啟用", "/啟用   "])
def test_a_command_may_stand_alone(text: str) -> None:
    """A command that nothing follows has an empty argument."""
    assert Command("activate", "") == parse(text, HELPER)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("our  secret code", "/activate our  secret code"),
        ("陳家 2026", "/啟用 陳家 2026"),
        ("一行\n二行", "/啟用 一行\n二行"),
        ("KiTe", "/啟用 KiTe"),
        ("/啟用 x", "/啟用 /啟用 x"),
        ("@小幫手 /啟用", "/啟用 @小幫手 /啟用"),
    ],
)
def test_an_argument_is_kept_as_it_was_typed(argument: str, text: str) -> None:
    """All that follows a command is its argument, with its case and its inner blanks."""
    assert Command("activate", argument) == parse(text, HELPER)


def test_an_arguments_punctuation_is_the_familys() -> None:
    """
    What a fact is changed to keeps the full-width signs that Chinese is written with.
    """
    assert Command("change", "#3 小美對花生過敏，很嚴重！") == parse(
        "/改 #3 小美對花生過敏，很嚴重！", HELPER
    )


@pytest.mark.parametrize(
    "text",
    [
        "@小幫手 /記憶",
        "＠小幫手　／記憶",
        "小幫手/記憶",
        "小幫手 /記憶",
        "小幫手，/記憶",
        "小幫手：／記憶",
        "小幫手, : /memory",
        "小幫手\n/記憶",
        "  @小幫手 /記憶  ",
        "@amy /Memory",
        "ＡＭＹ /memory",
        "@Amy Bot /memory",
        "@阿福(管家) /記憶",
        "@阿福（管家） /記憶",
    ],
)
def test_the_assistant_may_be_called_before_a_command(text: str) -> None:
    """
    As one does in a group, the command may follow a name, with @ or without.
    """
    assert Command("memory") == parse(text, HELPER)


@pytest.mark.parametrize(
    "text",
    [
        "@媽媽 /記憶",
        "嗨 /記憶",
        "@@小幫手 /記憶",
        "@小幫手 請 /記憶",
        "我說小幫手 /記憶",
        "小幫手們 /記憶",
        "@Amyloid /memory",
        "阿福 /記憶",
    ],
)
def test_only_its_own_name_may_stand_before_a_command(text: str) -> None:
    """
    What is said to somebody else, or more than called, is an ordinary message.
    """
    assert parse(text, HELPER) is None


@pytest.mark.parametrize(
    ("expected", "argument"),
    [
        ([], ""),
        ([], "John 的"),
        ([12], "#12"),
        ([12], "12"),
        ([12], "＃１２"),
        ([12], "第12則"),
        ([3, 12], "#3 #12"),
        ([3, 12], "#3、#12"),
        ([12, 3], "12,3"),
        ([12, 3], "＃１２　＃３"),
        ([12, 3, 1], "#12#3\n#1"),
        ([3, 12], "#3 #12 #3"),
        ([0], "#0"),
        ([123456789], "#123456789"),
    ],
)
def test_facts_are_named_by_their_numbers(expected: list[int], argument: str) -> None:
    """
    The numbers stand as they were typed, with # or without, each once.
    """
    command = parse(f"/忘記 {argument}", HELPER)

    assert command
    assert expected == command.numbers


def test_a_number_is_one_number_however_it_is_written() -> None:
    """
    Whoever types a number with a zero before it means the same fact.
    """
    assert [12] == Command("forget", "#12 #012").numbers


@pytest.mark.parametrize("argument", ["0912345678", "電話 0912345678", "1234567890123"])
def test_a_telephone_number_names_no_other_fact(argument: str) -> None:
    """
    A run of digits is one number, or none: its end is not the number of a fact.
    """
    assert not {8, 0, 123} & set(Command("forget", argument).numbers)


@given(st.text(alphabet="0123456789#,、 x", max_size=30))
def test_numbers_are_whole_and_never_said_twice(argument: str) -> None:
    """
    Whatever was typed, every number was typed as it is: between what are no digits.
    """
    numbers = Command("forget", argument).numbers
    runs = {int(run) for run in "".join(c if c.isdigit() else " " for c in argument).split()}

    assert len(numbers) == len(set(numbers))
    assert set(numbers) <= runs


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
        "/forget_me",
        "/delete_all",
        "/啟用吧 kite-7",
        "\\啟用 kite-7",
        "小幫手",
        "@小幫手",
        "@小幫手 /",
        "小幫手 記憶",
        "1/2 記憶",
    ],
)
def test_anything_else_is_no_command(text: str) -> None:
    """What has no slash at its start, or an unknown word behind it, is an ordinary message."""
    assert parse(text, HELPER) is None


@given(st.text())
def test_whatever_is_typed_is_a_command_or_none(text: str) -> None:
    """
    No message breaks the reading of it, and one without a slash is no command.
    """
    command = parse(text, HELPER)

    assert command is None or "/" in text or "／" in text
