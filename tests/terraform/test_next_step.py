"""What is to be done after an apply, done as it is printed."""

import json
import os
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from local.clock import FrozenClock
from local.deployment import ANSWERS, CHANNEL_SECRET
from local.doctor_wording import DOCTOR_WORDINGS
from local.functions import Front, in_process
from local.google_provider import environment
from local.identities import Identities
from local.journal import Journal
from local.line import LineServer
from local.plug import Plug
from services.settings import Settings
from services.wiring import Services

ROOT = Path(__file__).parent.parent.parent
CLOCK = FrozenClock(datetime(2026, 12, 1, 10, 0, tzinfo=UTC))


def output(deployment, name):
    return json.loads(deployment.do("output", "-json", name))


@pytest.fixture
def function(applied):
    """The webhook, with the settings it finds in the cloud."""
    settings = Settings.from_env(environment(applied.google, "webhook"))
    front = Front(Journal(CLOCK), Plug(), Identities())
    front.add("webhook", in_process("webhook", Services(settings, clock=CLOCK)))
    front.start()
    yield front
    front.stop()


@pytest.fixture
def line(applied, function):
    """A LINE that has the channel, and reaches the function where the output says it is."""
    line = LineServer(
        CLOCK,
        Journal(CLOCK),
        channel_id=ANSWERS["line_channel_id"],
        channel_secret=CHANNEL_SECRET,
    )
    line.webhook.active = True
    line.webhook.behind[urlsplit(output(applied, "webhook_url")).netloc] = function.url
    line.start()
    yield line
    line.stop()


def run(command, line):
    """Run a printed command in the project's folder; the secret is typed."""
    words = shlex.split(command)
    assert "python3" == words[0]
    return subprocess.run(
        [sys.executable, "-S", *words[1:]],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LINE_URL": line.url, "PYTHONIOENCODING": "utf-8"},
        input=f"{CHANNEL_SECRET}\n",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("language", DOCTOR_WORDINGS)
def test_the_printed_command_connects_line(applied, line, language):
    """
    As it stands there it sets LINE's address to the function's, and finds all well.
    """
    (command,) = re.findall(
        rf"^ +(python3 .* --language {language})$", output(applied, "next_step"), re.M
    )
    ended = run(command, line)

    assert (0, "") == (ended.returncode, ended.stderr), ended.stdout
    assert output(applied, "webhook_url") == line.webhook.endpoint
    assert DOCTOR_WORDINGS[language].healthy in ended.stdout
    assert 0 == run(f"{command} --check", line).returncode


def test_no_secret_is_printed(applied):
    """
    The channel's secret and the invitation code are asked for, not shown.
    """
    printed = output(applied, "next_step")

    assert CHANNEL_SECRET not in printed
    assert output(applied, "invitation_code") not in printed
