"""From the first apply to the end, with what happens in between."""

import json
import subprocess
from pathlib import Path

from local.deployment import CHANNEL_SECRET, GEMINI_KEY

TERRAFORM = Path(__file__).parent.parent.parent / "terraform"
DATABASE = ("google_firestore_database", "projects/demo-family/databases/(default)")


def state_of(deployment):
    return (deployment.terraform / "terraform.tfstate").read_text(encoding="utf-8")


def output(deployment, name):
    return json.loads(deployment.do("output", "-json", name))


def test_it_is_formatted():
    """
    The configuration stands as `terraform fmt` writes it.
    """
    formatted = subprocess.run(
        ["terraform", "fmt", "-check", "-recursive", TERRAFORM],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, "") == (formatted.returncode, formatted.stdout)


def test_it_is_valid(new_deployment):
    """
    Terraform finds nothing wrong, and nothing to warn of.
    """
    found = json.loads(new_deployment().do("validate", "-json"))

    assert (True, []) == (found["valid"], found["diagnostics"])


def test_a_second_apply_changes_nothing(applied):
    """
    Whatever was applied is as it should be.
    """
    assert {} == applied.changes()


def test_no_secret_is_in_the_state_or_in_a_plan(applied):
    """
    LINE's secret and Gemini's key reach Secret Manager and lie nowhere else.
    """
    applied.do("plan", "-out=plan")
    planned = applied.do("show", "-json", "plan")
    stored = {
        version["secret_data_wo"]
        for version in applied.google.of("google_secret_manager_secret_version")
    }

    assert {CHANNEL_SECRET, GEMINI_KEY} < stored
    for secret in (CHANNEL_SECRET, GEMINI_KEY):
        assert secret not in state_of(applied)
        assert secret not in planned


def test_the_invitation_code_is_told_on_demand_only(applied):
    """
    The code is an output that is shown when it is asked for by name, and what the functions read.
    """
    code = output(applied, "invitation_code")
    stored = {
        version["secret_data_wo"]
        for version in applied.google.of("google_secret_manager_secret_version")
    }

    assert code in stored
    assert 12 == len(code)
    assert code not in applied.do("output")


def test_line_is_told_the_address_the_code_computes(applied):
    """
    The webhook's address follows from region and project, as services/settings.py has it.
    """
    expected = "https://asia-east1-demo-family.cloudfunctions.net/webhook"

    assert expected == output(applied, "webhook_url")
    assert 2 == output(applied, "next_step").count(expected)


def test_everything_that_can_bears_our_label(applied):
    """
    The bill and the console can be filtered by one label.
    """
    labelled = [
        state
        for state in applied.google.made.values()
        if "effective_labels" in state and "labels" in state
    ]

    assert 7 <= len(labelled)
    assert all(state["effective_labels"] == {"app": "family-assistant"} for state in labelled)


def test_a_changed_source_deploys_the_functions_and_touches_nothing_else(deployment):
    """
    After an edit the source is uploaded under another name, and the functions follow in place.
    """
    with (deployment.folder / "main.py").open("a", encoding="utf-8") as main:
        main.write("\n# changed\n")

    assert {
        "google_storage_bucket_object.source": ["delete", "create"],
        'google_cloudfunctions2_function.this["push"]': ["update"],
        'google_cloudfunctions2_function.this["webhook"]': ["update"],
    } == deployment.changes()


def test_what_is_not_deployed_may_change(deployment):
    """
    Tests, documents and whatever else lies about have no part in what is deployed.
    """
    for name in ("tests/test_new.py", "notes.txt", ".env", "memory/__pycache__/x.pyc"):
        path = deployment.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("changed", encoding="utf-8")

    assert {} == deployment.changes()


def test_another_secret_is_taken_up_by_raising_the_version(deployment):
    """
    A rotated secret becomes a new version before the old one goes, and the functions read it.
    """
    rotated = {"line_channel_secret": "f" * 32, "secrets_version": 2}

    assert {
        "google_secret_manager_secret_version.line_channel_secret": ["create", "delete"],
        "google_secret_manager_secret_version.gemini_api_key[0]": ["create", "delete"],
        'google_cloudfunctions2_function.this["push"]': ["update"],
        'google_cloudfunctions2_function.this["webhook"]': ["update"],
    } == deployment.changes(**rotated)


def test_another_invitation_code_is_had_by_asking_for_one(deployment):
    """
    Replacing the code replaces what the functions read.
    """
    old = output(deployment, "invitation_code")
    deployment.do("apply", "-auto-approve", "-replace=random_password.invitation_code")
    new = output(deployment, "invitation_code")
    versions = deployment.google.of("google_secret_manager_secret_version")

    assert old != new
    assert new in [version["secret_data_wo"] for version in versions]
    assert old not in [version["secret_data_wo"] for version in versions]


def test_destroying_keeps_what_is_remembered(deployment):
    """
    The database outlives everything else, unless it is said that it need not.
    """
    deployment.destroy()

    assert [DATABASE] == list(deployment.google.made)


def test_a_trial_leaves_nothing_behind(deployment):
    """
    Once keep_data = false was applied, nothing is left.
    """
    deployment.apply(keep_data=False).destroy()

    assert {} == deployment.google.made


def test_after_a_destroy_it_can_be_applied_again(deployment):
    """
    Queues get names that are not blocked, and the database that was kept is taken over.
    """
    deployment.destroy()
    refused = deployment.run("apply", "-auto-approve")

    assert "already exists (ALREADY_EXISTS)" in refused.stderr
    assert {} == deployment.apply(database_exists=True).changes(database_exists=True)


def test_the_model_service_can_be_changed(deployment):
    """
    From a key to Vertex, which takes no secret, and back: each is a single apply.
    """
    vertex = {"model_service": "vertex", "gemini_api_key": ""}
    deployment.apply(**vertex)
    secrets = {one["secret_id"] for one in deployment.google.of("google_secret_manager_secret")}

    assert {"line-channel-secret", "invitation-code"} == secrets
    assert {} == deployment.changes(**vertex)
    assert {} == deployment.apply().changes()


def test_an_error_can_send_mail_and_a_budget_can_warn(deployment):
    """
    Both are there when they are asked for, and are applied once.
    """
    asked = {
        "alert_email": "mother@example.com",
        "budget": {"billing_account": "012345-6789AB-CDEF01", "amount": 300},
    }
    deployment.apply(**asked)
    (alert,) = deployment.google.of("google_monitoring_alert_policy")
    (budget,) = deployment.google.of("google_billing_budget")

    assert {} == deployment.changes(**asked)
    assert ["projects/123456789012"] == budget["budget_filter"][0]["projects"]
    assert (
        '("push" OR "webhook") AND severity>=ERROR'
        in (alert["conditions"][0]["condition_matched_log"][0]["filter"])
    )
