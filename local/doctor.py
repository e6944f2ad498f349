"""Connect LINE to a deployment, test it, and say what only a person can do.

    python3 -m local.doctor --project my-family-123456 --channel 1234567890

With `--check` it changes nothing and only tells why the bot may be silent. It runs where the
deployer is, on a fresh checkout: with Python's standard library alone.
"""

import argparse
import getpass
import http.client
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from local.doctor_wording import DOCTOR_WORDINGS, DoctorWording
from services.settings import Settings

_DEVELOPERS = "https://developers.line.biz/console/"
_MANAGER = "https://manager.line.biz/"
_LOGS = (
    "https://console.cloud.google.com/logs/query;"
    "query=resource.type%3D%22cloud_run_revision%22?project="
)
_SECONDS = 15
"""LINE's test takes as long as the function does, and gives up after two seconds."""


class NoAnswer(Exception):
    """LINE could not be reached."""


class Denied(Exception):
    """LINE does not tell. The message is its answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What LINE answered."""

    status: int
    body: Mapping[str, Any]

    def __str__(self) -> str:
        words = [self.status, *map(self.body.get, ("message", "error", "error_description"))]
        details = self.body.get("details")
        return " · ".join(str(word) for word in [*words, details] if word)


class LineApi:
    """The few calls of LINE's Messaging API that are about the channel itself."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._token = ""

    def log_in(self, channel_id: str, channel_secret: str) -> Answer:
        """Buy a token for a quarter of an hour, with which the other calls are made."""
        form = {
            "grant_type": "client_credentials",
            "client_id": channel_id,
            "client_secret": channel_secret,
        }
        request = urllib.request.Request(
            f"{self._url}/oauth2/v3/token", urlencode(form).encode(), method="POST"
        )
        answer = _answer(request)
        self._token = str(answer.body.get("access_token", ""))
        return answer

    def call(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Answer:
        """Make a call; raise `NoAnswer` where LINE can't be reached."""
        request = urllib.request.Request(
            f"{self._url}/v2/bot/{path}",
            json.dumps(body).encode() if body else None,
            {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            method=method,
        )
        return _answer(request)

    def get(self, path: str) -> Mapping[str, Any]:
        """Return what LINE tells; raise `Denied` where it does not."""
        answer = self.call("GET", path)
        if answer.status != 200:
            raise Denied(str(answer))
        return answer.body


class _AsItIs(urllib.request.HTTPErrorProcessor):
    """Takes every status for an answer, and follows nobody anywhere with a token."""

    def http_response(self, request: object, response: Any) -> Any:
        """Return the response."""
        return response

    https_response = http_response


def _answer(request: urllib.request.Request) -> Answer:
    try:
        opener = urllib.request.build_opener(_AsItIs)
        with opener.open(request, timeout=_SECONDS) as response:
            return Answer(response.status, _read(response.read()))
    except urllib.error.URLError as error:
        raise NoAnswer(str(error.reason)) from error
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(type(error).__name__) from error


def _read(raw: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(raw or b"{}")
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look has found."""

    text: str
    todo: str = ""
    """What is to be done about it; empty where all is well."""

    def __str__(self) -> str:
        return f"✗ {self.text}\n  → {self.todo}" if self.todo else f"✓ {self.text}"


@dataclass(slots=True)
class Doctor:
    """Looks at one channel and one deployment, from LINE's side."""

    line: LineApi
    settings: Settings
    wording: DoctorWording
    _basic_id: str = field(default="", init=False)
    """What the official account is called by the Manager, once LINE has told it."""

    def examine(self, *, change: bool) -> Iterator[Finding]:
        """Look at one thing after another, until one is missing without which nothing works.

        Args:
            change: Whether LINE may be given another address.
        """
        wording = self.wording
        try:
            known = self._known()
            yield known
            if known.todo:
                return
            if change:
                yield self._connected()
            yield self._tested()
            yield self._in_use(just_set=change)
            yield self._account()
            yield self._pushes()
        except NoAnswer as error:
            yield Finding(wording.unreachable.format(reason=error), wording.unreachable_todo)
        except Denied as error:
            yield Finding(wording.refused + self._says(error), wording.refused_todo)

    def by_hand(self) -> Iterator[str]:
        """Tell what LINE has no call for, and where a person finds it."""
        yield self.wording.by_hand
        for switch in self.wording.switches:
            yield f"· {switch.format(**self._places)}"

    @property
    def url(self) -> str:
        """Where LINE is to send what is said."""
        return self.settings.function_url("webhook")

    @property
    def _places(self) -> Mapping[str, str]:
        channel = f"{_DEVELOPERS}channel/{self.settings.line_channel_id}"
        account = f"{_MANAGER}account/{self._basic_id}" if self._basic_id else _MANAGER
        settings = f"{account}/setting" if self._basic_id else account
        return {
            "url": self.url,
            "api": f"{channel}/messaging-api",
            "basics": f"{channel}/basics",
            "manager": account,
            "account": settings,
            "response": f"{settings}/response" if self._basic_id else account,
            "logs": f"{_LOGS}{self.settings.project_id}",
        }

    def _says(self, answer: object) -> str:
        return self.wording.says.format(answer=answer)

    def _known(self) -> Finding:
        settings = self.settings
        answer = self.line.log_in(settings.line_channel_id, settings.line_channel_secret)
        if answer.status == 200:
            return Finding(self.wording.known)
        if answer.status not in {400, 401}:
            raise Denied(str(answer))
        text = self.wording.unknown + self._says(answer)
        return Finding(text, self.wording.unknown_todo.format(**self._places))

    def _connected(self) -> Finding:
        answer = self.line.call("PUT", "channel/webhook/endpoint", {"endpoint": self.url})
        if answer.status == 200:
            return Finding(self.wording.set)
        text = self.wording.not_set + self._says(answer)
        return Finding(text, self.wording.not_set_todo.format(**self._places))

    def _tested(self) -> Finding:
        answer = self._test()
        if answer.body.get("reason") == "REQUEST_TIMEOUT":
            # A function that nobody has called for a while takes longer, once.
            answer = self._test()
        if answer.status != 200:
            text = self.wording.untested + self._says(answer)
            return Finding(text, self.wording.untested_todo)
        told = answer.body
        status, reason = str(told.get("statusCode")), str(told.get("reason"))
        said = self._says(" · ".join(dict.fromkeys([status, reason, str(told.get("detail"))])))
        if told.get("success"):
            return Finding(self.wording.tested + said)
        causes = self.wording.causes
        cause = causes.get(reason) or causes.get(status) or self.wording.other_cause
        return Finding(self.wording.failed + said, cause.format(**self._places))

    def _test(self) -> Answer:
        # The address is named, for the one just set may take LINE a minute to learn.
        return self.line.call("POST", "channel/webhook/test", {"endpoint": self.url})

    def _account(self) -> Finding:
        told = self.line.get("info")
        self._basic_id = str(told.get("basicId", ""))
        named = {"name": told.get("displayName"), "id": self._basic_id}
        if told.get("chatMode") == "bot":
            return Finding(self.wording.account.format(**named))
        text = self.wording.chat_on.format(**named)
        if told.get("markAsReadMode") == "manual":
            text += self.wording.read_by_hand
        return Finding(text, self.wording.chat_on_todo.format(**self._places))

    def _in_use(self, *, just_set: bool) -> Finding:
        wording = self.wording
        answer = self.line.call("GET", "channel/webhook/endpoint")
        if answer.status == 404:
            return Finding(wording.no_address, wording.address_todo)
        if answer.status != 200:
            raise Denied(str(answer))
        endpoint = answer.body.get("endpoint")
        if endpoint != self.url and not just_set:
            return Finding(wording.other_address.format(endpoint=endpoint), wording.address_todo)
        if answer.body.get("active"):
            return Finding(wording.in_use)
        return Finding(wording.switched_off, wording.switched_off_todo.format(**self._places))

    def _pushes(self) -> Finding:
        wording = self.wording
        quota = self.line.get("message/quota")
        used = self.line.get("message/quota/consumption").get("totalUsage", 0)
        limit = quota.get("value")
        if quota.get("type") != "limited" or limit is None:
            return Finding(wording.unlimited.format(used=used))
        if used < limit:
            return Finding(wording.used.format(used=used, limit=limit))
        text = wording.used_up.format(used=used, limit=limit)
        return Finding(text, wording.used_up_todo.format(**self._places))


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine what the command line names; return 0 where all is well, 1 where it is not."""
    options = _options(arguments)
    wording = DOCTOR_WORDINGS[options.language]
    channel_id = _told("LINE_CHANNEL_ID", options.channel, wording.asks_id)
    secret = _told("LINE_CHANNEL_SECRET", "", wording.asks_secret)
    if not (channel_id and secret):
        print(wording.lacking, file=sys.stderr)
        return 2
    settings = Settings(
        project_id=options.project,
        region=options.region,
        line_channel_id=channel_id,
        line_channel_secret=secret,
    )
    line = LineApi(os.environ.get("LINE_URL", settings.line_url))
    doctor = Doctor(line, settings, wording)
    print(f"{doctor.url}\n")
    well = True
    for finding in doctor.examine(change=not options.check):
        print(finding, flush=True)
        well = well and not finding.todo
    print("", *doctor.by_hand(), "", sep="\n")
    print(wording.healthy if well else wording.first)
    return 0 if well else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m local.doctor",
        description="Set LINE's webhook address, test it, and say what is left to do by hand.",
        epilog="The channel secret is read from LINE_CHANNEL_SECRET or "
        "TF_VAR_line_channel_secret, or asked for, or comes through a pipe.",
    )
    parser.add_argument("--project", required=True, help="the Google Cloud project's id")
    parser.add_argument("--region", default="asia-east1", help="by default %(default)s")
    parser.add_argument("--channel", default="", help="LINE's channel ID, ten digits")
    parser.add_argument("--language", choices=list(DOCTOR_WORDINGS), default="zh-TW")
    parser.add_argument("--check", action="store_true", help="look, and change nothing")
    return parser.parse_args(arguments)


def _told(name: str, option: str, question: str) -> str:
    """Return what an option or the environment says, or else whoever sits there."""
    told = option or os.environ.get(name) or os.environ.get(f"TF_VAR_{name.lower()}")
    if told:
        return told.strip()
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return (getpass.getpass if "SECRET" in name else input)(question).strip()


if __name__ == "__main__":
    sys.exit(main())
