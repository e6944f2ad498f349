"""What waits for what: Terraform makes everything at once that does not."""

import re

import pytest

from local.provider_schemas import TERRAFORM, used

GOOGLE = sorted(name for name in used(TERRAFORM) if name.startswith("google_"))
APIS = "google_project_service.this"
FUNCTIONS = "google_cloudfunctions2_function.this"


def waiting(deployment):
    """Return what each resource waits for, near and far, as Terraform's own graph has it."""
    graph = deployment.do("graph")
    arrows = re.findall(r'^\s*"(\S+?)" -> "(\S+?)";$', graph, re.M)
    near = {name: set() for name in re.findall(r'^\s*"(\S+?)" \[label', graph, re.M)}
    for one, other in arrows:
        near[one].add(other)

    def far(name):
        return near[name].union(*map(far, near[name]))

    return {name: far(name) for name in near}


@pytest.fixture(scope="module")
def waits(applied):
    return waiting(applied)


def test_the_graph_has_everything(waits):
    """
    Each type that is used is in it.
    """
    assert set(GOOGLE) <= {name.partition(".")[0] for name in waits}


def test_everything_waits_for_the_apis(waits):
    """
    Whatever is Google's is made after the APIs are on, and after the pause they take.
    """
    hasty = {
        name
        for name, others in waits.items()
        if name.startswith("google_") and not {APIS, "time_sleep.apis"} <= others
    }

    assert {APIS} == hasty


def test_functions_wait_for_their_rights(waits):
    """
    A function is deployed when its account may read, and the build may build; calling comes after.
    """
    rights = {name for name in waits if "_iam_" in name}
    not_awaited = rights - waits[FUNCTIONS]

    assert {
        "google_cloud_run_v2_service_iam_binding.tasks_only",
        "google_cloud_run_v2_service_iam_member.anyone",
        "google_cloud_tasks_queue_iam_member.enqueue",
        "google_service_account_iam_member.act_as_tasks",
    } == not_awaited


def test_fields_wait_for_the_rest_of_their_collection(waits):
    """
    What is indexed is an exception from what is not, and comes after it.
    """
    for name in ("indexed", "expiring"):
        assert "google_firestore_field.unindexed" in waits[f"google_firestore_field.{name}"]


@pytest.mark.parametrize(
    ("file", "line", "hasty"),
    [
        ("queues.tf", "  depends_on = [time_sleep.apis]\n", "google_cloud_tasks_queue.this"),
        ("firestore.tf", "  depends_on = [time_sleep.apis]\n", "google_firestore_index.least"),
    ],
)
def test_who_does_not_wait_is_seen(deployment, file, line, hasty):
    """
    Without depends_on a resource would meet an API that is off, now and then.
    """
    assert APIS not in waiting(deployment.edit(file, line, ""))[hasty]
