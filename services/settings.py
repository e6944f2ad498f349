"""What the deployer chose: the environment, read once."""

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

Language = Literal["zh-TW", "en"]


class BadSettings(Exception):
    """The environment lacks or garbles something. The message names the variables, never values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The deployment's settings; each is the environment variable of its name in capitals."""

    project_id: str
    region: str
    line_channel_secret: str = field(repr=False)

    line_channel_id: str = ""
    """With the secret it buys stateless tokens; needless where a long-lived token is given."""
    line_channel_access_token: str = field(default="", repr=False)

    gemini_api_key: str = field(default="", repr=False)
    """Without one, Gemini is reached through Vertex, as the function's own account."""
    gemini_location: str = "global"
    """Vertex only."""
    gemini_model: str = "gemini-3.5-flash-lite"
    thinking_level: Literal["", "minimal", "low", "medium", "high"] = ""
    """Empty: the model's own default."""
    gemini_timeout: float = 25
    """Seconds for one request; under 10 Gemini itself refuses the deadline."""
    gemini_patience: float = 42
    """Seconds for one answer, retries and all: a reply token lives sixty."""
    gemini_attempts: int = 3
    gemini_retry_delay: float = 0.5
    """Seconds before the second request; doubled for the third."""
    max_output_tokens: int = 2048
    embed_model: str = "gemini-embedding-2"
    embed_patience: float = 6
    """Seconds for the vectors of one message; without them, newer facts stand in for nearer."""
    digest_patience: float = 30
    """Seconds for one digest, after the reply has gone out."""

    bot_name: str = "小幫手"
    wake_words: tuple[str, ...] = ()
    """More names the assistant listens to at the start of a message, separated by commas."""
    language: Language = "zh-TW"
    timezone: ZoneInfo = field(default=ZoneInfo("Asia/Taipei"))

    access: Literal["code", "open"] = "code"
    invitation_code: str = field(default="", repr=False)

    window_turns: int = 40
    """Turns kept when the window is cut; it is cut at half as many again."""
    window_characters: int = 8000
    """Likewise, in characters."""
    turn_characters: int = 2000
    """A longer turn is shortened in the window."""

    memory: Literal["window", "summary", "facts"] = "facts"
    """How much is remembered: each has what is before it too."""
    silence_hours: float = 6
    """After so long without a word, what was said before it is digested."""
    summary_characters: int = 600
    prompt_tokens: int = 12000
    """What one prompt may have, by estimate."""
    board_tokens: int = 3000
    """Of it, what facts may take; as long as all fit, all are shown."""
    most_facts: int = 2000
    """In one conversation; beyond it the least important and oldest are retired."""
    importance_floor: float = 0.2
    """Below it nothing becomes a fact."""
    recalled_facts: int = 40
    """How many are looked for by meaning, once not all can be shown."""
    recall_distance: float = 0.9
    """Cosine distance from a message beyond which no fact is recalled; belongs to the model."""
    candidate_distance: float = 0.25
    """Within it two facts may tell the same; belongs to the model: see benchmarks/calibrate.py."""

    daily_calls: int = 300
    """Calls of the model in one conversation and day; then the family is told to wait."""
    daily_calls_everywhere: int = 2000
    """In all conversations together, give or take nine for each."""
    daily_pushes: int = 50
    """Pushes in one conversation and day; then reminders are told with the next reply."""

    answer_timeout: int = 90
    """Seconds the function may take for one event."""
    answer_attempts: int = 9
    """How often the events queue delivers a task before it gives up."""
    events_queue: str = "events"

    push_timeout: int = 60
    """Seconds the function may take for one alarm."""
    push_attempts: int = 30
    """How often the reminders queue delivers a task before it gives up."""
    reminders_queue: str = "reminders"
    tasks_account: str = ""
    """The account as which the reminders queue calls `push`, which lets in nobody else."""
    most_reminders: int = 50
    """Pending in one conversation: the agenda stands in every prompt."""

    functions_url: str = ""
    """Where the functions are; by default Cloud Functions' computed address."""
    line_url: str = "https://api.line.me"
    gemini_url: str = ""
    """Empty: the SDK's own address."""
    tasks_url: str = "https://cloudtasks.googleapis.com"
    gce_metadata_host: str = "metadata.google.internal"
    firestore_patience: float = 8
    """Seconds one Firestore call may be retried."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings; raise `BadSettings` naming everything that is wrong at once."""
        values: dict[str, Any] = {}
        wrong: list[str] = []
        types = get_type_hints(cls)
        for setting in fields(cls):
            name = setting.name.upper()
            raw = environ.get(name, "")
            if not raw:
                if setting.default is MISSING:
                    wrong.append(f"{name} is missing")
                continue
            try:
                values[setting.name] = _read(raw, types[setting.name])
            except (ValueError, LookupError, OSError):
                wrong.append(f"{name} can't be read")
        wrong += _contradictions(values)
        if wrong:
            raise BadSettings("; ".join(wrong))
        return cls(**values)

    def function_url(self, name: str) -> str:
        """Return a function's address, which Cloud Functions computes from these three."""
        base = self.functions_url or f"https://{self.region}-{self.project_id}.cloudfunctions.net"
        return f"{base}/{name}"


def _contradictions(values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with settings that are each right by themselves."""
    wrong = []
    if not values.keys() & {"line_channel_access_token", "line_channel_id"}:
        wrong.append("LINE_CHANNEL_ID or LINE_CHANNEL_ACCESS_TOKEN is missing")
    if values.get("access") != "open" and "invitation_code" not in values:
        wrong.append("INVITATION_CODE is missing (or ACCESS=open)")
    room = {**_defaults("board_tokens", "prompt_tokens"), **values}
    if room["board_tokens"] * 2 > room["prompt_tokens"]:
        wrong.append("BOARD_TOKENS is more than half of PROMPT_TOKENS")
    return wrong


def _defaults(*names: str) -> dict[str, Any]:
    return {one.name: one.default for one in fields(Settings) if one.name in names}


def _read(raw: str, kind: Any) -> Any:
    if get_origin(kind) is Literal:
        if raw not in get_args(kind):
            raise ValueError(kind)
        return raw
    if get_origin(kind) is tuple:
        return tuple(part.strip() for part in re.split("[,，、]", raw) if part.strip())
    value = kind(raw)
    # A count is at least one; a number of seconds may be none, but not less and not for ever.
    least = {int: 1, float: 0}.get(kind)
    if least is not None and not least <= value < math.inf:
        raise ValueError(kind)
    return value
