"""Who may do what: all of it, and not a right more."""

import pytest

from local.google_provider import members

WEBHOOK = "serviceAccount:line-webhook@demo-family.iam.gserviceaccount.com"
PUSH = "serviceAccount:line-push@demo-family.iam.gserviceaccount.com"
TASKS = "serviceAccount:line-tasks@demo-family.iam.gserviceaccount.com"
BUILD = "serviceAccount:line-build@demo-family.iam.gserviceaccount.com"
TASKS_ACCOUNT = (
    "projects/demo-family/serviceAccounts/line-tasks@demo-family.iam.gserviceaccount.com"
)
ASK_MODEL = "projects/demo-family/roles/familyAssistantAskModel"

# Member, role, on what. XXXX is what this deployment's names end in.
RIGHTS = {
    # LINE has no account, so that the door is open and the signature is the lock.
    ("allUsers", "roles/run.invoker", "webhook"),
    # services/wiring.py firestore; the project is the smallest that it is granted on.
    (WEBHOOK, "roles/datastore.user", "demo-family"),
    # handlers/webhook.py _enqueue.
    (WEBHOOK, "roles/cloudtasks.enqueuer", "events-XXXX"),
    # An alarm for a reminder that is set, and the identity it rings with.
    (WEBHOOK, "roles/cloudtasks.enqueuer", "reminders-XXXX"),
    (WEBHOOK, "roles/iam.serviceAccountUser", TASKS_ACCOUNT),
    # services/settings.py.
    (WEBHOOK, "roles/secretmanager.secretAccessor", "line-channel-secret"),
    (WEBHOOK, "roles/secretmanager.secretAccessor", "invitation-code"),
    (WEBHOOK, "roles/secretmanager.secretAccessor", "gemini-api-key"),
    # The alarms, and nobody else.
    (TASKS, "roles/run.invoker", "push"),
    (PUSH, "roles/datastore.user", "demo-family"),
    # The next alarm of what repeats, or is still far off.
    (PUSH, "roles/cloudtasks.enqueuer", "reminders-XXXX"),
    (PUSH, "roles/iam.serviceAccountUser", TASKS_ACCOUNT),
    (PUSH, "roles/secretmanager.secretAccessor", "line-channel-secret"),
    (PUSH, "roles/secretmanager.secretAccessor", "invitation-code"),
    # What Cloud Build does for a function.
    (BUILD, "roles/logging.logWriter", "demo-family"),
    (BUILD, "roles/artifactregistry.writer", "functions"),
    (BUILD, "roles/storage.objectViewer", "demo-family-source-XXXX"),
    (BUILD, "roles/storage.objectViewer", "demo-family"),  # On condition, see below.
}


def suffix(deployment):
    return deployment.google.of("google_storage_bucket")[0]["name"].rpartition("-")[2]


def granted(deployment):
    """Return who may do what, with the names' random ends hidden."""
    end = suffix(deployment)
    return {
        (member, role, on.replace(f"-{end}", "-XXXX"))
        for member, role, on in members(deployment.google)
    }


def test_each_right_is_in_the_table(applied):
    """
    The plan grants what the table says, each with the code that needs it, and nothing else.
    """
    assert RIGHTS == granted(applied)


def test_every_grant_is_of_a_type_that_is_counted(applied):
    """
    Whatever resource has to do with rights is one the table was made from.
    """
    kinds = {kind for kind, _ in applied.google.made if "iam" in kind or "policy" in kind}

    assert {
        "google_artifact_registry_repository_iam_member",
        "google_cloud_run_v2_service_iam_binding",
        "google_cloud_run_v2_service_iam_member",
        "google_cloud_tasks_queue_iam_member",
        "google_project_iam_member",
        "google_secret_manager_secret_iam_member",
        "google_service_account_iam_member",
        "google_storage_bucket_iam_member",
    } == kinds


def test_the_build_reads_the_functions_copies_only(applied):
    """
    Its right on the project's buckets holds for those the Functions API copies the source into.
    """
    (conditional,) = [
        grant for grant in applied.google.of("google_project_iam_member") if grant["condition"]
    ]
    (condition,) = conditional["condition"]

    assert BUILD == conditional["member"]
    assert (
        'resource.name.startsWith("projects/_/buckets/gcf-v2-sources-123456789012-asia-east1")'
        == condition["expression"]
    )


def test_with_vertex_the_webhook_may_ask_the_model_and_read_no_key(new_deployment):
    """
    A right of a single permission takes the place of the key.
    """
    deployment = new_deployment(model_service="vertex", gemini_api_key="").apply()
    (role,) = deployment.google.of("google_project_iam_custom_role")

    assert ["aiplatform.endpoints.predict"] == role["permissions"]
    assert RIGHTS - {(WEBHOOK, "roles/secretmanager.secretAccessor", "gemini-api-key")} | {
        (WEBHOOK, ASK_MODEL, "demo-family")
    } == granted(deployment)


@pytest.mark.parametrize("stranger", ["allUsers", "user:somebody@example.com"])
def test_whoever_was_let_into_push_by_hand_is_shut_out_again(deployment, stranger):
    """
    The next apply leaves the tasks' account alone.
    """
    (binding,) = deployment.google.of("google_cloud_run_v2_service_iam_binding")
    binding["members"] = [*binding["members"], stranger]
    address = 'google_cloud_run_v2_service_iam_binding.tasks_only["push"]'

    assert {address: ["update"]} == deployment.changes()
    assert (stranger, "roles/run.invoker", "push") not in granted(deployment.apply())
