"""Mistakes are found here and not in the cloud: so that a green test means something."""

import json
import re

import pytest

INVALID = {
    "a misspelt argument": (
        "queues.tf",
        "max_attempts  = each",
        "max_attemps = each",
        "Unsupported argument",
    ),
    "a missing argument": (
        "firestore.tf",
        '  collection  = "facts"\n',
        "",
        "Missing required argument",
    ),
    "a block of another name": (
        "functions.tf",
        "service_config {",
        "service {",
        "Unsupported block type",
    ),
    "a block too many": (
        "queues.tf",
        "  rate_limits {",
        "  rate_limits {}\n  rate_limits {",
        "Too many rate_limits blocks",
    ),
    "a word that is none": (
        "firestore.tf",
        '"FIRESTORE_NATIVE"',
        '"NATIVE"',
        "expected type to be one of",
    ),
    "a value of another type": (
        "firestore.tf",
        "dimension = 768",
        'dimension = "many"',
        "a number is required",
    ),
    "an attribute there is not": (
        "outputs.tf",
        '["webhook"].url',
        '["webhook"].address',
        "Unsupported attribute",
    ),
    "a resource there is not": (
        "functions.tf",
        "google_service_account.build.id",
        "google_service_account.builder.id",
        "Reference to undeclared resource",
    ),
    "something only Google sets": (
        "iam.tf",
        '"line-build"',
        '"line-build"\n  email = "x"',
        "Value for unconfigurable attribute",
    ),
    "an account's name that is too short": (
        "iam.tf",
        'account_id   = "line-build"',
        'account_id   = "b"',
        "doesn't match regexp",
    ),
    "a secret where it is kept": (
        "secrets.tf",
        "  secret_data_wo         = var.line_channel_secret\n",
        "  secret_data = var.line_channel_secret\n",
        "Invalid use of ephemeral value",
    ),
    "a secret that no version tells of": (
        "secrets.tf",
        "  secret_data_wo_version = sha256(random_password.invitation_code.result)\n",
        "",
        "must be specified",
    ),
}
REFUSED = {
    "an API nobody switches on": (
        "apis.tf",
        '      "firestore.googleapis.com",\n',
        "",
        "firestore.googleapis.com has not been used or is disabled",
    ),
    "a pattern that fits everything": (
        "source.tf",
        '"**/.?*"',
        '"**/.*"',
        "archive has not been created as it would be empty",
    ),
    "a secret the function may not read": (
        "iam.tf",
        '"roles/secretmanager.secretAccessor"',
        '"roles/secretmanager.viewer"',
        "may not read the secret",
    ),
    "a build that may not log": (
        "iam.tf",
        '"roles/logging.logWriter"',
        '"roles/logging.viewer"',
        "lacks roles/logging.logWriter",
    ),
}


def words(ended):
    """Return what a command printed on one line: Terraform breaks lines, and draws boxes."""
    return re.sub(r"[\s│]+", " ", ended.stdout + ended.stderr)


@pytest.mark.parametrize("mistake", INVALID)
def test_a_mistake_does_not_pass_validation(new_deployment, mistake):
    """
    What the real provider's schema does not know, `terraform validate` refuses.
    """
    name, right, wrong, said = INVALID[mistake]
    ended = new_deployment().edit(name, right, wrong).run("validate")

    assert 1 == ended.returncode
    assert said in words(ended)


@pytest.mark.parametrize("mistake", REFUSED)
def test_a_mistake_does_not_get_applied(new_deployment, mistake):
    """
    What the cloud would refuse to make, it refuses here too.
    """
    name, right, wrong, said = REFUSED[mistake]
    ended = new_deployment().edit(name, right, wrong).run("apply", "-auto-approve")

    assert 1 == ended.returncode
    assert said in words(ended)


def test_a_vector_index_without_the_name_is_built_anew_for_ever(deployment):
    """
    The API puts the document's name before the vector; a plan that lacks it sees a change.
    """
    nameless = '  fields {\n    field_path = "__name__"\n    order      = "ASCENDING"\n  }\n'
    deployment.edit("firestore.tf", nameless, "").apply()

    assert {"google_firestore_index.nearest": ["delete", "create"]} == deployment.changes()


def test_a_public_push_is_seen(new_deployment):
    """
    If `push` were open to strangers, the plan would say so, and the table of rights would differ.
    """
    deployment = new_deployment().edit("locals.tf", "public        = false", "public        = true")
    grants = [
        (change["change"]["after"]["name"], change["change"]["after"].get("member"))
        for change in deployment.plan()["resource_changes"]
        if change["type"].startswith("google_cloud_run_v2_service_iam")
    ]

    assert [("push", "allUsers"), ("webhook", "allUsers")] == sorted(grants)


def test_a_stranger_is_refused_by_push_in_the_plan(applied):
    """
    As it is planned, the tasks' account alone may invoke `push`, and the webhook is open.
    """
    planned = json.loads(applied.do("show", "-json"))["values"]["root_module"]["resources"]
    invokers = {
        one["values"]["name"]: one["values"].get("members") or [one["values"]["member"]]
        for one in planned
        if one["type"].startswith("google_cloud_run_v2_service_iam")
    }

    assert {
        "push": ["serviceAccount:line-tasks@demo-family.iam.gserviceaccount.com"],
        "webhook": ["allUsers"],
    } == invokers


def test_a_renamed_queue_is_a_new_queue(deployment):
    """
    Whoever renames a queue is told that its tasks go with it.
    """
    deployment.edit("queues.tf", '"${each.key}-${random', '"line-${each.key}-${random')
    replaced = deployment.changes()

    assert ["delete", "create"] == replaced['google_cloud_tasks_queue.this["events"]']


def test_another_function_takes_one_entry(deployment):
    """
    A function more is an entry in the table, and gets account, rights and door by it.
    """
    entry = """  functions = {
    view = {
      public        = true
      queues        = []
      secrets       = ["INVITATION_CODE", "LINE_CHANNEL_SECRET"]
      thinks        = false
      timeout       = 30
      min_instances = 0
      max_instances = 2
    }
"""
    deployment.edit("locals.tf", "  functions = {\n", entry)
    created = {
        address for address, actions in deployment.changes().items() if actions == ["create"]
    }

    assert {
        'google_cloud_run_v2_service_iam_member.anyone["view"]',
        'google_cloudfunctions2_function.this["view"]',
        'google_project_iam_member.firestore["view"]',
        'google_secret_manager_secret_iam_member.read["view/INVITATION_CODE"]',
        'google_secret_manager_secret_iam_member.read["view/LINE_CHANNEL_SECRET"]',
        'google_service_account.function["view"]',
    } == created
