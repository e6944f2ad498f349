"""The command that connects LINE, run as a deployer runs it, against a LINE on this machine."""

import os
import pty
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

import pytest
from werkzeug.wrappers import Response

from local.clock import FrozenClock
from local.doctor import Doctor, LineApi
from local.doctor_wording import DOCTOR_WORDINGS
from local.functions import Front, in_process
from local.identities import Identities
from local.journal import Journal
from local.line import LineServer
from local.loopback import Answer
from local.plug import Plug
from services.settings import Settings
from services.wiring import Services

ROOT = Path(__file__).parent.parent.parent
CHANNEL_ID, SECRET = "1234567890", "0123456789abcdef0123456789abcdef"
HOST = "asia-east1-demo-family.cloudfunctions.net"
URL = f"https://{HOST}/webhook"
CONSOLE = f"https://developers.line.biz/console/channel/{CHANNEL_ID}"
MANAGER = "https://manager.line.biz/account/@123abcde"
IN_BOTH = pytest.mark.parametrize("language", ["zh-TW", "en"])


class Household:
    """A channel of LINE's and a deployment, all of it well but the address, which is not set."""

    def __init__(self):
        self.clock = FrozenClock(datetime(2026, 12, 1, 12, tzinfo=UTC))
        self.line = LineServer(
            self.clock, Journal(self.clock), channel_id=CHANNEL_ID, channel_secret=SECRET
        )
        self.line.webhook.active = True
        self.line.quota(200, 12)
        self.front = Front(Journal(self.clock), Plug(), Identities())
        self.line.webhook.behind[HOST] = self.front.url
        self.settings = Settings(
            project_id="demo-family",
            region="asia-east1",
            line_channel_id=CHANNEL_ID,
            line_channel_secret=SECRET,
        )
        self.deploy(SECRET)

    def deploy(self, secret):
        """Let the webhook be there, with a secret."""
        settings = replace(self.settings, line_channel_secret=secret)
        self.front.add("webhook", in_process("webhook", Services(settings, clock=self.clock)))

    def answer(self, status):
        """Let something else be at the webhook's place, that answers with a status."""
        self.front.add("webhook", Response(status=status))

    def wrong(self, language, *, change=True, secret=SECRET, line_url=""):
        """Have it examined; return what was found wrong, each with what is to be done."""
        settings = replace(self.settings, line_channel_secret=secret)
        line = LineApi(line_url or self.line.url)
        doctor = Doctor(line, settings, DOCTOR_WORDINGS[language])
        found = list(doctor.examine(change=change))
        assert secret not in str(found)
        return [(one.text, one.todo) for one in found if one.todo]

    def run(self, *options, told="", **environment):
        """Run the command with nothing installed; return its status and what it printed."""
        environment = {
            "LINE_URL": self.line.url,
            "LINE_CHANNEL_SECRET": SECRET,
            "PATH": os.environ["PATH"],
            "PYTHONIOENCODING": "utf-8",
        } | environment
        ended = subprocess.run(
            [
                *(sys.executable, "-S", "-m", "local.doctor", "--project", "demo-family"),
                *(() if "--channel" in options or told else ("--channel", CHANNEL_ID)),
                *options,
            ],
            cwd=ROOT,
            env=environment,
            input=told,
            capture_output=True,
            text=True,
            check=False,
        )
        assert SECRET not in ended.stdout + ended.stderr
        assert "stateless-" not in ended.stdout + ended.stderr
        return ended.returncode, ended.stdout + ended.stderr

    @property
    def calls(self):
        """What LINE was asked for."""
        return [entry["call"] for entry in self.line.journal.lines]


@pytest.fixture
def household():
    """A family that has applied, and not yet connected LINE."""
    household = Household()
    for server in (household.line, household.front):
        server.start()
    yield household
    for server in (household.line, household.front):
        server.stop()


@contextmanager
def deaf():
    """Have something that takes connections and never answers; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@IN_BOTH
def test_line_is_connected(household, language):
    """
    The address is set and tested, all is well, and what is left to a person is told, with where.
    """
    status, printed = household.run("--language", language)

    assert (0, URL) == (status, household.line.webhook.endpoint)
    assert printed.startswith(f"{URL}\n")
    assert 6 == printed.count("✓")
    assert "200 · OK" in printed
    assert ["token", "set", "test", "endpoint", "info", "quota", "consumption"] == household.calls
    for place in (
        f"{CONSOLE}/messaging-api",
        f"{MANAGER}/setting/response",
        f"{MANAGER}/setting\n",
    ):
        assert place in printed
    assert printed.endswith(f"{DOCTOR_WORDINGS[language].healthy}\n")


def test_it_is_told_in_the_language_of_the_family():
    """
    zh-TW has its own words for everything, and each language fills in the same things.
    """
    chinese, english = DOCTOR_WORDINGS["zh-TW"], DOCTOR_WORDINGS["en"]
    for one in fields(chinese):
        ours, theirs = getattr(chinese, one.name), getattr(english, one.name)
        assert ours != theirs
        for sentence, other in zip(sentences(ours), sentences(theirs), strict=True):
            assert slots(sentence) == slots(other), one.name
    assert list(chinese.causes) == list(english.causes)


def sentences(said):
    return [said] if isinstance(said, str) else [*getattr(said, "values", said.__iter__)()]


def slots(sentence):
    return sorted(name for _, name, _, _ in Formatter().parse(sentence) if name)


@IN_BOTH
def test_a_check_changes_nothing(household, language):
    """
    With --check the address stays as it was, and that it is another's is told.
    """
    household.line.webhook.endpoint = "https://elsewhere.example/"
    status, printed = household.run("--check", "--language", language)
    wording = DOCTOR_WORDINGS[language]
    text = wording.other_address.format(endpoint="https://elsewhere.example/")

    assert 1 == status
    assert "https://elsewhere.example/" == household.line.webhook.endpoint
    assert "set" not in household.calls
    assert f"✗ {text}\n  → {wording.address_todo}\n" in printed
    assert printed.endswith(f"{wording.first}\n")


def test_line_may_take_a_minute_to_learn_the_address(household):
    """
    That it still tells the old one right after is nothing wrong.
    """
    household.line.fail("endpoint", Answer({"endpoint": "https://old.example/", "active": True}))

    assert [] == household.wrong("en")


def test_a_check_after_connecting_is_well(household):
    """
    What was connected once is found well later, by the same command.
    """
    household.run()

    assert 0 == household.run("--check")[0]


@IN_BOTH
def test_a_check_before_connecting_says_so(household, language):
    """
    A new channel has no address at all.
    """
    wording = DOCTOR_WORDINGS[language]

    assert [(wording.no_address, wording.address_todo)] == household.wrong(language, change=False)


@IN_BOTH
def test_a_wrong_id_or_secret_ends_it(household, language):
    """
    Nothing else can be asked then; where both stand is told, and what LINE says.
    """
    wrong = household.wrong(language, secret="f" * 32)
    wording = DOCTOR_WORDINGS[language]
    said = wording.says.format(answer="400 · invalid_client · invalid client credentials")
    todo = wording.unknown_todo.format(basics=f"{CONSOLE}/basics")

    assert ["token"] == household.calls
    assert [(wording.unknown + said, todo)] == wrong


@IN_BOTH
def test_another_secret_in_the_function_is_found_by_the_test(household, language):
    """
    The function itself refuses LINE's signature, and the secret it has is what is to be changed.
    """
    household.deploy("f" * 32)
    wording = DOCTOR_WORDINGS[language]
    said = wording.says.format(answer="401 · ERROR_STATUS_CODE")

    assert [(wording.failed + said, wording.causes["401"])] == household.wrong(language)
    assert "secrets_version" in wording.causes["401"]


@IN_BOTH
@pytest.mark.parametrize("status", [403, 404, 429, 500, 503, 418])
def test_what_the_function_answers_is_explained(household, status, language):
    """
    For each status there is a likely cause; for what nobody expects there is the log.
    """
    household.answer(status)
    wording = DOCTOR_WORDINGS[language]
    said = wording.says.format(answer=f"{status} · ERROR_STATUS_CODE")
    ((text, todo),) = household.wrong(language)
    cause = wording.causes.get(str(status), wording.other_cause)

    assert wording.failed + said == text
    assert todo.startswith(cause.partition("{")[0])
    assert ("{" in cause) == todo.endswith("?project=demo-family")


@IN_BOTH
def test_nobody_at_the_address_is_told(household, language):
    """
    LINE's own words stand there, whatever they are.
    """
    household.line.webhook.behind.clear()
    wording = DOCTOR_WORDINGS[language]
    said = wording.says.format(answer="0 · COULD_NOT_CONNECT · Connection failed")

    assert [(wording.failed + said, wording.causes["COULD_NOT_CONNECT"])] == household.wrong(
        language
    )


def test_a_function_that_was_asleep_is_tested_again(household):
    """
    The first test wakes it, the second finds it awake.
    """
    slow = {"success": False, "statusCode": 0, "reason": "REQUEST_TIMEOUT", "detail": "…"}
    household.line.fail("test", Answer(slow))

    assert [] == household.wrong("en")
    assert 2 == household.calls.count("test")


@IN_BOTH
def test_a_function_that_stays_asleep_is_told(household, language):
    """
    Twice too slow is too slow.
    """
    household.line.webhook.patience = 0.05
    wording = DOCTOR_WORDINGS[language]
    said = wording.says.format(answer="0 · REQUEST_TIMEOUT · Request timeout")
    with deaf() as url:
        household.line.webhook.behind[HOST] = url
        wrong = household.wrong(language)

    assert 2 == household.calls.count("test")
    assert [(wording.failed + said, wording.causes["REQUEST_TIMEOUT"])] == wrong


@IN_BOTH
def test_an_unused_webhook_is_for_a_person_to_turn_on(household, language):
    """
    LINE has no call for it: where it is turned on is told.
    """
    household.line.webhook.active = False
    wording = DOCTOR_WORDINGS[language]
    todo = wording.switched_off_todo.format(api=f"{CONSOLE}/messaging-api")

    assert [(wording.switched_off, todo)] == household.wrong(language)


@IN_BOTH
@pytest.mark.parametrize("reads", ["auto", "manual"])
def test_a_chat_that_is_on_is_to_be_turned_off(household, reads, language):
    """
    Where people chat as the account, the bot is not alone; what it does not mark as read is told.
    """
    household.line.bot.update(chatMode="chat", markAsReadMode=reads)
    wording = DOCTOR_WORDINGS[language]
    found = wording.chat_on.format(name="小幫手", id="@123abcde")
    todo = wording.chat_on_todo.format(response=f"{MANAGER}/setting/response")
    by_hand = wording.read_by_hand if reads == "manual" else ""

    assert [(found + by_hand, todo)] == household.wrong(language)


@IN_BOTH
@pytest.mark.parametrize(("limit", "used"), [(200, 200), (200, 203), (0, 0)])
def test_a_used_up_month_is_told(household, limit, used, language):
    """
    It is why reminders are silent.
    """
    household.line.quota(limit, used)
    wording = DOCTOR_WORDINGS[language]
    found = wording.used_up.format(limit=limit, used=used)

    assert [(found, wording.used_up_todo.format(manager=MANAGER))] == household.wrong(language)


@IN_BOTH
@pytest.mark.parametrize("limit", [200, None])
def test_what_is_left_of_the_month_is_told(household, limit, language):
    """
    With a limit and without.
    """
    household.line.quota(limit, 199)
    wording = DOCTOR_WORDINGS[language]
    found = (wording.used if limit else wording.unlimited).format(limit=limit, used=199)

    assert f"✓ {found}\n" in household.run("--language", language)[1]


def test_everything_that_is_wrong_is_told_at_once(household):
    """
    What hinders most stands first.
    """
    household.deploy("f" * 32)
    household.line.webhook.active = False
    household.line.bot["chatMode"] = "chat"
    household.line.quota(200, 200)
    english = DOCTOR_WORDINGS["en"]
    found = [text for text, _ in household.wrong("en")]

    assert [english.failed, english.switched_off] == [found[0][: len(english.failed)], found[1]]
    assert 4 == len(found)


@IN_BOTH
def test_an_address_that_line_does_not_take_is_set_by_hand(household, language):
    """
    LINE's refusal is told, and the address to paste.
    """
    household.line.fail("set", Answer({"message": "no", "details": [{"property": "x"}]}, 400))
    wording = DOCTOR_WORDINGS[language]
    text, todo = household.wrong(language)[0]

    assert text.startswith(wording.not_set)
    assert "400 · no · " in text
    assert todo == wording.not_set_todo.format(url=URL, api=f"{CONSOLE}/messaging-api")


@IN_BOTH
def test_line_may_have_tested_enough(household, language):
    """
    After sixty tests in an hour the rest is looked at all the same.
    """
    household.line.fail("test", Answer({"message": "The API rate limit has been exceeded."}, 429))
    wording = DOCTOR_WORDINGS[language]
    ((text, todo),) = household.wrong(language)

    assert text.startswith(wording.untested)
    assert wording.untested_todo == todo
    assert "consumption" in household.calls


@IN_BOTH
@pytest.mark.parametrize("call", ["token", "endpoint", "info", "quota", "consumption"])
def test_line_may_have_trouble_of_its_own(household, call, language):
    """
    A 500 of LINE's is nobody's fault here, and no reason to copy the secret anew.
    """
    household.line.fail(call, Answer(b"<html>", 500))
    wording = DOCTOR_WORDINGS[language]
    said = wording.says.format(answer="500")

    assert [(wording.refused + said, wording.refused_todo)] == household.wrong(language)


@IN_BOTH
def test_without_a_network_it_says_so(household, language):
    """
    With what the machine says of it.
    """
    with deaf() as gone:
        pass
    wording = DOCTOR_WORDINGS[language]
    ((text, todo),) = household.wrong(language, line_url=gone)

    assert text.startswith(wording.unreachable.format(reason="["))
    assert "refused" in text
    assert wording.unreachable_todo == todo


def test_an_answer_that_gets_lost_is_no_traceback(household):
    """
    A connection that breaks is LINE out of reach.
    """
    household.line.fail("info", lost=True)
    assert [DOCTOR_WORDINGS["en"].unreachable_todo] == [todo for _, todo in household.wrong("en")]


# What it is told.


@pytest.mark.parametrize("name", ["LINE_CHANNEL_SECRET", "TF_VAR_line_channel_secret"])
def test_the_secret_may_come_from_the_environment(household, name):
    """
    Also from where Terraform looks for it.
    """
    assert 0 == household.run(**{"LINE_CHANNEL_SECRET": "", name: SECRET})[0]


def test_the_secret_may_come_through_a_pipe(household):
    """
    From Secret Manager, say; then nobody has to type it.
    """
    options = ("--channel", CHANNEL_ID)

    assert 0 == household.run(*options, told=f"{SECRET}\n", LINE_CHANNEL_SECRET="")[0]


@IN_BOTH
def test_without_a_secret_nothing_is_done(household, language):
    """
    It says what is lacking, in no more than a line.
    """
    ended = household.run("--language", language, LINE_CHANNEL_SECRET="")

    assert (2, f"{DOCTOR_WORDINGS[language].lacking}\n") == ended
    assert [] == household.calls


def test_who_sits_there_is_asked_and_the_secret_is_not_shown(household):
    """
    In a terminal both are asked for; only the id is seen as it is typed.
    """
    english = DOCTOR_WORDINGS["en"]
    seen, status = typed(
        ["--project", "demo-family", "--language", "en"],
        {english.asks_id: CHANNEL_ID, english.asks_secret: SECRET},
        {"LINE_URL": household.line.url, "PATH": os.environ["PATH"]},
    )

    assert 0 == status
    assert f"{english.asks_id}{CHANNEL_ID}" in seen
    assert english.asks_secret in seen
    assert SECRET not in seen


def typed(arguments, answers, environment):
    """Run the command in a terminal, answering its questions; return what is seen, and its end."""
    ours, theirs = pty.openpty()
    # A session of its own takes the first terminal it opens for its own.
    start = f"import os; os.close(os.open({os.ttyname(theirs)!r}, os.O_RDWR)); "
    start += "import runpy; runpy.run_module('local.doctor', run_name='__main__', alter_sys=True)"
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", start, *arguments],
        cwd=ROOT,
        env=environment | {"PYTHONIOENCODING": "utf-8"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = ""
    waiting = list(answers.items())
    with open(ours, "rb", buffering=0) as terminal:
        while part := read(terminal):
            seen += part.decode(errors="replace")
            if waiting and waiting[0][0] in seen:
                os.write(ours, f"{waiting.pop(0)[1]}\n".encode())
    return seen, process.wait()


def read(terminal):
    """Return what comes next; nothing once the other side is gone."""
    try:
        return terminal.read(4096)
    except OSError:
        return b""


def test_another_region_is_another_address(household):
    """
    The address is the one the code computes from project and region.
    """
    household.line.webhook.behind["europe-west1-demo-family.cloudfunctions.net"] = (
        household.front.url
    )
    household.run("--region", "europe-west1")

    assert (
        "https://europe-west1-demo-family.cloudfunctions.net/webhook"
        == household.line.webhook.endpoint
    )
