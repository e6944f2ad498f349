"""The environment becomes settings, or one error that names all that is wrong with it."""

import traceback
from dataclasses import FrozenInstanceError
from zoneinfo import ZoneInfo

import pytest

from services.settings import BadSettings, Settings

NEEDED = {
    "PROJECT_ID": "family-project",
    "REGION": "asia-east1",
    "LINE_CHANNEL_SECRET": "channel-secret",
    "LINE_CHANNEL_ID": "1234567890",
    "INVITATION_CODE": "invitation-code",
}
SECRETS = {
    "LINE_CHANNEL_SECRET": "channel-secret",
    "LINE_CHANNEL_ACCESS_TOKEN": "long-lived-token",
    "GEMINI_API_KEY": "gemini-key",
    "INVITATION_CODE": "invitation-code",
}


def settings(**environ: str) -> Settings:
    """Read what is needed, and a little more."""
    return Settings.from_env(NEEDED | environ)


def complaint(environ: dict[str, str]) -> str:
    """Return what is said of an environment that is wrong."""
    with pytest.raises(BadSettings) as bad:
        Settings.from_env(environ)
    return str(bad.value)


def test_what_is_needed_is_enough() -> None:
    """Five variables make a deployment; everything else has a default."""
    read = settings()

    assert ("family-project", "asia-east1") == (read.project_id, read.region)
    assert ("channel-secret", "1234567890") == (read.line_channel_secret, read.line_channel_id)
    assert (ZoneInfo("Asia/Taipei"), "zh-TW", "code") == (read.timezone, read.language, read.access)
    assert "facts" == read.memory


def test_all_that_is_missing_is_named_at_once() -> None:
    """A deployer mends everything in one go: nothing waits for something else to be mended."""
    said = complaint({})

    for name in NEEDED:
        assert name in said


def test_what_is_garbled_is_named_beside_what_is_missing() -> None:
    """A garbled variable is one line among all that are wrong, in the order of the settings."""
    garbled = NEEDED | {"PROJECT_ID": "", "MAX_OUTPUT_TOKENS": "many", "LANGUAGE": "tlh"}

    assert (
        "PROJECT_ID is missing; MAX_OUTPUT_TOKENS can't be read; LANGUAGE can't be read"
        == complaint(garbled)
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LANGUAGE", "zh-tw"),
        ("ACCESS", "OPEN"),
        ("THINKING_LEVEL", "maximal"),
        ("MEMORY", "everything"),
        ("MEMORY", "Facts"),
        ("MAX_OUTPUT_TOKENS", "2048.5"),
        ("BOARD_TOKENS", "3k"),
        ("RECALL_DISTANCE", "near"),
        ("ANSWER_TIMEOUT", "90s"),
        ("GEMINI_TIMEOUT", "twenty"),
        ("TIMEZONE", "Mars/Olympus"),
        ("TIMEZONE", "Asia"),
        ("TIMEZONE", "../../etc/passwd"),
        ("TIMEZONE", "/etc/passwd"),
        ("TIMEZONE", "亞洲/台北"),
        ("TIMEZONE", "x" * 5000),
    ],
)
def test_what_cannot_be_read_is_named_and_not_shown(name: str, value: str) -> None:
    """A garbled value may be a misplaced secret: the variable is named, the value never."""
    with pytest.raises(BadSettings) as bad:
        settings(**{name: value})

    assert f"{name} can't be read" == str(bad.value)
    assert value not in "".join(traceback.format_exception(bad.value))


def test_secrets_are_not_in_the_repr() -> None:
    """Whoever prints the settings prints no secret."""
    shown = repr(settings(**SECRETS))

    assert "family-project" in shown
    assert [] == [secret for secret in SECRETS.values() if secret in shown]


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("LANGUAGE", "en", "en"),
        ("ACCESS", "open", "open"),
        ("THINKING_LEVEL", "minimal", "minimal"),
        ("MAX_OUTPUT_TOKENS", "512", 512),
        ("GEMINI_PATIENCE", "30.5", 30.5),
        ("MEMORY", "window", "window"),
        ("MEMORY", "summary", "summary"),
        ("MEMORY", "facts", "facts"),
        ("SILENCE_HOURS", "0.5", 0.5),
        ("BOARD_TOKENS", "1500", 1500),
        ("IMPORTANCE_FLOOR", "0", 0.0),
        ("RECALL_DISTANCE", "0.85", 0.85),
        ("EMBED_MODEL", "gemini-embedding-001", "gemini-embedding-001"),
        ("TIMEZONE", "Europe/Berlin", ZoneInfo("Europe/Berlin")),
        ("WAKE_WORDS", "助理, Buddy ,,", ("助理", "Buddy")),
        ("WAKE_WORDS", ",", ()),
        ("BOT_NAME", " 小美 ", " 小美 "),
    ],
)
def test_values_are_read_as_what_they_are(name: str, raw: str, expected: object) -> None:
    """A setting has the type it says, whatever an environment variable is made of."""
    assert expected == getattr(settings(**{name: raw}), name.lower())


def test_an_empty_variable_is_an_unset_one() -> None:
    """Terraform writes an empty string where a deployer chose nothing, which means the default."""
    assert settings() == settings(GEMINI_MODEL="", TIMEZONE="", WAKE_WORDS="", THINKING_LEVEL="")


def test_variables_of_others_are_left_alone() -> None:
    """The environment is full of variables that are no settings."""
    assert settings() == settings(PATH="/usr/bin", project_id="lower case")


@pytest.mark.parametrize("given", ["LINE_CHANNEL_ID", "LINE_CHANNEL_ACCESS_TOKEN"])
def test_one_way_to_an_access_token_is_enough(given: str) -> None:
    """A channel's id buys tokens and a long-lived token needs none, so either will do."""
    both = {"LINE_CHANNEL_ID": "", "LINE_CHANNEL_ACCESS_TOKEN": ""}

    assert "given" == getattr(settings(**(both | {given: "given"})), given.lower())
    assert "LINE_CHANNEL_ID or LINE_CHANNEL_ACCESS_TOKEN is missing" == complaint(NEEDED | both)


def test_only_an_open_door_needs_no_code() -> None:
    """Who may use the assistant is decided on purpose: by a code, or by ACCESS=open."""
    assert "" == settings(ACCESS="open", INVITATION_CODE="").invitation_code
    assert "INVITATION_CODE is missing (or ACCESS=open)" == complaint(
        NEEDED | {"INVITATION_CODE": ""}
    )


@pytest.mark.parametrize(
    ("fits", "board", "prompt"),
    [
        (True, "", ""),
        (True, "6000", ""),
        (False, "6001", ""),
        (True, "", "6000"),
        (False, "", "5999"),
        (True, "500", "1000"),
        (False, "501", "1000"),
    ],
)
def test_the_facts_leave_half_of_a_prompt_to_the_rest(fits: bool, board: str, prompt: str) -> None:
    """
    A board that could fill a prompt would leave no room for what was just said.
    """
    environ = NEEDED | {"BOARD_TOKENS": board, "PROMPT_TOKENS": prompt}
    if fits:
        assert Settings.from_env(environ)
    else:
        assert "BOARD_TOKENS is more than half of PROMPT_TOKENS" == complaint(environ)


def test_the_address_of_a_function_is_computed() -> None:
    """Cloud Functions makes a function's address of the region, the project and the name."""
    expected = "https://asia-east1-family-project.cloudfunctions.net/webhook"

    assert expected == settings().function_url("webhook")


def test_another_address_of_the_functions_may_be_given() -> None:
    """Where the functions are somewhere else, their names are added to that."""
    local = settings(FUNCTIONS_URL="http://127.0.0.1:8080")

    assert "http://127.0.0.1:8080/webhook" == local.function_url("webhook")


def test_settings_do_not_change() -> None:
    """Settings are read once and are the same for everybody."""
    with pytest.raises(FrozenInstanceError):
        settings().bot_name = "another"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GEMINI_PATIENCE", "nan"),
        ("GEMINI_PATIENCE", "inf"),
        ("GEMINI_TIMEOUT", "-1"),
        ("GEMINI_ATTEMPTS", "0"),
        ("WINDOW_TURNS", "-5"),
        ("PROMPT_TOKENS", "0"),
        ("MOST_FACTS", "0"),
        ("IMPORTANCE_FLOOR", "-0.1"),
        ("CANDIDATE_DISTANCE", "nan"),
        ("SILENCE_HOURS", "inf"),
    ],
)
def test_a_number_that_makes_no_sense_is_named(name: str, value: str) -> None:
    """
    A count is at least one, and seconds are neither negative nor without end.
    """
    with pytest.raises(BadSettings, match=f"{name} can't be read"):
        Settings.from_env(NEEDED | {name: value})


def test_names_may_be_parted_by_any_comma() -> None:
    """
    Wake words are parted by the comma that is on the deployer's keyboard.
    """
    read = settings(WAKE_WORDS="管家，阿福、Amy, 小幫")

    assert ("管家", "阿福", "Amy", "小幫") == read.wake_words
