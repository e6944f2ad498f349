"""Queues: what the tests and the demo run on is what is deployed."""

from dataclasses import asdict
from datetime import timedelta

import pytest

from local import queues
from local.queues import Queue

LOCAL = {name.lower(): one for name, one in vars(queues).items() if isinstance(one, Queue)}
SERVED_BY = {"events": "webhook", "reminders": "push"}


def deployed(applied):
    return {
        one["name"].rpartition("-")[0]: one for one in applied.google.of("google_cloud_tasks_queue")
    }


def seconds(duration):
    return timedelta(seconds=float(duration.removesuffix("s")))


def test_there_are_the_queues_the_tests_know(applied):
    """
    The local Cloud Tasks has the same queues.
    """
    assert set(LOCAL) == set(deployed(applied))


@pytest.mark.parametrize("name", LOCAL)
def test_a_queue_is_as_patient_as_its_twin(applied, name):
    """
    Whatever local/queues.py says of a queue, Terraform says too.
    """
    queue = deployed(applied)[name]
    (retry,), (rate,) = queue["retry_config"], queue["rate_limits"]

    assert asdict(LOCAL[name]) == {
        "max_attempts": retry["max_attempts"],
        "min_backoff": seconds(retry["min_backoff"]),
        "max_backoff": seconds(retry["max_backoff"]),
        "max_doublings": retry["max_doublings"],
        "max_concurrent": rate["max_concurrent_dispatches"],
    }


@pytest.mark.parametrize("name", LOCAL)
def test_a_queue_never_asks_more_than_its_function_can_do(applied, name):
    """
    Its concurrent deliveries fit into the instances there may be, with room for webhooks.
    """
    functions = applied.google.of("google_cloudfunctions2_function")
    (config,) = next(one for one in functions if one["name"] == SERVED_BY[name])["service_config"]
    served = config["max_instance_count"] * config["max_instance_request_concurrency"]
    (rate,) = deployed(applied)[name]["rate_limits"]

    assert rate["max_concurrent_dispatches"] < served
    assert 10 == rate["max_dispatches_per_second"]
