"""What stands in front of the functions, and the hand on the plug of their process."""

import json

import pytest
import urllib3
from werkzeug.wrappers import Response

from local.clock import FrozenClock
from local.functions import Died, Front
from local.identities import Identities
from local.journal import Journal
from local.plug import Kill, Killed, Plug
from local.queues import EVENTS, Manner
from local.tasks import TasksServer

ACCOUNT = "tasks@project.iam.gserviceaccount.com"


@pytest.fixture
def identities():
    """Google's signature, for one world."""
    return Identities()


@pytest.fixture
def front(identities, now):
    """A front that lets the tasks' account into `push`, and everybody into `webhook`."""
    clock = FrozenClock(now)
    served = Front(Journal(clock), Plug(), identities)
    served.add("webhook", Response("public"))
    served.add("push", Response("private"), only_for=ACCOUNT)
    served.add("dead", died)
    served.start()
    yield served
    served.stop()


@pytest.fixture
def now():
    """A moment."""
    from datetime import UTC, datetime

    return datetime(2026, 12, 1, 10, 0, tzinfo=UTC)


def died(environ, start_response):
    raise Died


def post(front, path, token=""):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return urllib3.request("POST", f"{front.url}/{path}", headers=headers, timeout=60).status


def test_iam_lets_nobody_but_the_tasks_account_in(front, identities):
    """
    A private function answers its one account, for a token that names it, and nobody else.
    """
    right = identities.token(ACCOUNT, f"{front.url}/push")

    assert 200 == post(front, "push", right)
    for token in (
        "",
        "forged",
        identities.token("somebody@else", f"{front.url}/push"),
        identities.token(ACCOUNT, f"{front.url}/webhook"),
        Identities().token(ACCOUNT, f"{front.url}/push"),
    ):
        assert 403 == post(front, "push", token)
    assert 200 == post(front, "webhook")


def test_what_is_no_function_is_not_found(front):
    """
    A path without a function's name in front leads nowhere.
    """
    assert 404 == post(front, "nothing/answer")


def test_a_function_that_dies_answers_500_and_is_recorded(front):
    """
    Whoever called hears 500, and the journal has it, with what Firestore would bill.
    """
    assert 500 == post(front, "dead/answer")
    assert [{"from": "answer", "status": 500}, {"from": "answer", "meter": {}}] == [
        {key: line[key] for key in line if key not in {"n", "at"}} for line in front._journal.lines
    ]


def test_the_tasks_server_signs_for_the_account_a_task_names(front, identities, now):
    """
    A task with an OIDC token gets into a private function; one without does not.
    """
    clock = FrozenClock(now)
    tasks = TasksServer(
        clock, Journal(clock), queues={"q": EVENTS}, token="t", identities=identities
    )
    tasks.start()
    parent = f"{tasks.url}/v2/projects/p/locations/l/queues/q/tasks"
    signed = {"serviceAccountEmail": ACCOUNT, "audience": f"{front.url}/push"}
    for extra in ({"oidcToken": signed}, {}):
        task = {"httpRequest": {"url": f"{front.url}/push", **extra}}
        body = json.dumps({"task": task}).encode()
        urllib3.request("POST", parent, body=body, headers={"Authorization": "Bearer t"})
    tasks.deliver_due()
    tasks.stop()

    assert [200, 403] == [line["status"] for line in front._journal.lines if "status" in line]


def test_a_plug_is_pulled_before_or_after_the_request_it_was_told(now):
    """
    Before: the request has no effect. After: it has, and nobody hears of it. Only once.
    """
    for before, served in ((True, ["first"]), (False, ["first", "second"])):
        plug, pulled, done = Plug(), [], []
        plug.arm(Kill(2, before=before), lambda pulled=pulled: pulled.append(True))

        def ask(name, plug=plug, done=done):
            with plug.request(name):
                done.append(name)

        ask("first")
        with pytest.raises(Killed):
            ask("second")
        assert (served, [True]) == (done, pulled)
        ask("third")
        assert ["first", "second", "third"] == plug.names


def test_requests_are_counted_within_the_function_that_is_to_die(now):
    """
    A kill at a function counts from that function's call on, whatever was asked for before.
    """
    plug, pulled = Plug(), []
    plug.arm(Kill(1, at="answer"), lambda: pulled.append(True))
    plug.called("answer")

    with pytest.raises(Killed), plug.request("any"):
        pass
    assert [True] == pulled


@pytest.mark.parametrize(
    ("manner", "order"),
    [
        (Manner(), ["a", "b"]),
        (Manner(reversed=True), ["b", "a"]),
        (Manner(times=2), ["a", "a", "b", "b"]),
    ],
)
def test_a_queue_delivers_in_the_manner_it_is_told(front, now, manner, order):
    """
    More than once, in another order: all that Cloud Tasks does not promise.
    """
    clock = FrozenClock(now)
    tasks = TasksServer(clock, Journal(clock), queues={"q": EVENTS}, token="t")
    tasks.start()
    tasks.manners["q"] = manner
    parent = "projects/p/locations/l/queues/q"
    for name in ("a", "b"):
        task = {
            "name": f"{parent}/tasks/{name}",
            "httpRequest": {"url": f"{front.url}/webhook/answer"},
        }
        urllib3.request(
            "POST",
            f"{tasks.url}/v2/{parent}/tasks",
            body=json.dumps({"task": task}).encode(),
            headers={"Authorization": "Bearer t"},
        )
    tasks.hold_queue("q")
    assert 0 == tasks.deliver_due()
    tasks.release_queue("q")
    tasks.deliver_due()
    tasks.stop()

    delivered = [line["task"] for line in front._journal.lines if "task" in line]
    assert order == (sorted(delivered) if manner.times > 1 else delivered)
