"""The pipeline: each step's own words, as far as this machine can follow them."""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from local.deployment import CHANNEL_SECRET, GEMINI_KEY, PROJECT, Deployment
from local.state_bucket import StateBucket

ROOT = Path(__file__).parent.parent.parent
BUILD = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text(encoding="utf-8"))
STEPS = {step["id"]: step for step in BUILD["steps"]}
TFVARS = f"""
project_id = "{PROJECT}"
line_channel_id = "1234567890"
line_channel_secret = "{CHANNEL_SECRET}"
model_service = "gemini"
gemini_api_key = "{GEMINI_KEY}"
"""
SECRETS = {"TFVARS": TFVARS}
"""What Secret Manager has, by the variables it becomes."""

# What the account may do in the whole project, and why.
PROJECT_ROLES = {
    "roles/artifactregistry.reader": "compares the repository",
    "roles/browser": "finds the project",
    "roles/cloudfunctions.developer": "deploys the functions",
    "roles/cloudtasks.queueAdmin": "changes the queues",
    "roles/datastore.indexAdmin": "changes indexes and TTL, and can read no document",
    "roles/iam.roleViewer": "compares the role that asks the model",
    "roles/iam.securityReviewer": "compares who may do what",
    "roles/iam.serviceAccountViewer": "compares the accounts",
    "roles/logging.logWriter": "writes its own log",
    "roles/monitoring.viewer": "compares the alert",
    "roles/secretmanager.viewer": "compares the secrets' names",
    "roles/serviceusage.serviceUsageViewer": "compares the APIs",
}


def executable(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def follow(step, folder, environment):
    """Run a step's script as Cloud Build does: by its first line, in its folder, with its env."""
    script = folder / "script"
    executable(script, step["script"])
    given = dict(one.split("=", 1) for one in step.get("env", []))
    given = {name: value.replace("$PROJECT_ID", PROJECT) for name, value in given.items()}
    given |= {name: SECRETS[name] for name in step.get("secretEnv", [])}
    return subprocess.run(
        [script],
        cwd=folder / step.get("dir", ""),
        env=environment | given,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def builder(tmp_path):
    """A machine that has what Cloud Build's image has, and for make a rehearsal."""
    tools = tmp_path / "tools"
    tools.mkdir()
    # What it would install is there already, or not needed to see what would be run.
    executable(tools / "apt-get", "#!/bin/sh\n")
    for name in ("Makefile", "requirements-dev.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    return tmp_path, os.environ | {"PATH": path, "MAKEFLAGS": "--dry-run"}


def test_nothing_is_deployed_that_was_not_looked_at():
    """
    Lint comes before the tests, the tests before the plan, the plan before the apply.
    """
    assert ["tools", "lint", "test", "plan", "apply"] == [step["id"] for step in BUILD["steps"]]
    assert not any("waitFor" in step or "allowFailure" in step for step in BUILD["steps"])


def test_the_file_has_only_words_cloud_build_knows():
    """
    A word that is misspelt would be found by the first build only.
    """
    assert {
        *("steps", "availableSecrets", "serviceAccount", "timeout", "options"),
    } == set(BUILD)
    known = {"id", "name", "script", "dir", "env", "secretEnv"}
    assert set() == set().union(*BUILD["steps"]) - known
    assert all(step["script"].startswith("#!") for step in BUILD["steps"])


def test_it_runs_as_its_own_account():
    """
    An account of one's own has to say where the logs go, or the build does not start.
    """
    assert (
        "projects/$PROJECT_ID/serviceAccounts/line-deploy@$PROJECT_ID.iam.gserviceaccount.com"
        == BUILD["serviceAccount"]
    )
    assert "CLOUD_LOGGING_ONLY" == BUILD["options"]["logging"]


def test_secrets_come_from_secret_manager_and_to_the_plan_alone():
    """
    Neither the tests nor what they install get to see a secret.
    """
    (secret,) = BUILD["availableSecrets"]["secretManager"]

    assert "projects/$PROJECT_ID/secrets/deploy-tfvars/versions/latest" == secret["versionName"]
    assert set(SECRETS) == {secret["env"]}
    assert ["plan"] == [name for name, step in STEPS.items() if "secretEnv" in step]


def test_terraform_is_taken_along(builder):
    """
    The tests find the very Terraform that is to apply.
    """
    folder, environment = builder
    followed = follow(STEPS["tools"], folder, environment)
    carried = subprocess.run(
        [folder / ".venv/tools/terraform", "version"], capture_output=True, text=True, check=False
    )

    assert 0 == followed.returncode, followed.stderr
    assert "Terraform v1." in carried.stdout
    assert {STEPS["plan"]["name"]} == {STEPS[name]["name"] for name in ("tools", "plan", "apply")}


@pytest.mark.parametrize(
    ("step", "commands"),
    [
        ("lint", ["ruff format", "ruff check", "mypy", "lint-imports"]),
        ("test", ["ruff format", "ruff check", "mypy", "lint-imports", "pytest"]),
    ],
)
def test_the_project_is_looked_at_as_on_every_machine(builder, step, commands):
    """
    The steps leave to make what is to be run, and make knows it: here it says so and stops.
    """
    folder, environment = builder
    rehearsed = follow(STEPS[step], folder, environment)

    assert 0 == rehearsed.returncode, rehearsed.stderr
    assert all(command in rehearsed.stdout for command in commands)


def test_plan_and_apply_deploy_and_keep_the_state_in_the_bucket(tmp_path):
    """
    From a fresh checkout each time, the second run finds nothing to do, and no secret is stored.
    """
    with Deployment(tmp_path / "checkout") as deployment, StateBucket(BUCKET) as bucket:
        environment = deployment.environment | bucket.environment
        for name in ("plan", "apply"):
            followed = follow(STEPS[name], deployment.folder, environment)
            assert 0 == followed.returncode, followed.stdout + followed.stderr
        told = stat.S_IMODE((deployment.terraform / "terraform.tfvars").stat().st_mode)
        for left in ("backend.tf", "terraform.tfvars", "deploy.tfplan", ".terraform"):
            remove(deployment.terraform / left)
        again = follow(STEPS["plan"], deployment.folder, environment)

    assert "No changes." in again.stdout
    assert 0o600 == told
    assert ["family-assistant/default.tfstate"] == list(bucket.objects)
    assert not any(
        secret.encode() in state
        for state in bucket.objects.values()
        for secret in (CHANNEL_SECRET, GEMINI_KEY)
    )
    assert not (deployment.terraform / "terraform.tfstate").exists()


BUCKET = f"{PROJECT}-terraform-state"


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def test_a_state_made_by_hand_moves_into_the_bucket(deployment):
    """
    The commands that the script prints move the state, and nothing is made anew.
    """
    shutil.copy(deployment.terraform / "backend.tf.example", deployment.terraform / "backend.tf")
    with StateBucket(BUCKET) as bucket:
        deployment.environment |= bucket.environment
        deployment.do("init", "-migrate-state", "-force-copy", f"-backend-config=bucket={BUCKET}")
        assert {} == deployment.changes()

    assert ["family-assistant/default.tfstate"] == list(bucket.objects)


# What makes it: terraform/pipeline.sh, with a gcloud that writes down what it is asked.

RECORDER = """#!/usr/bin/env bash
printf '%q ' gcloud "$@" >> "$RECORD"
echo >> "$RECORD"
[[ " $* " != *" describe "* ]]
"""


@pytest.fixture(scope="module")
def prepared(applied, tmp_path_factory):
    """What gcloud is asked by the script, and what the script says in the end."""
    place = tmp_path_factory.mktemp("gcloud")
    executable(place / "gcloud", RECORDER)
    record = place / "record"
    tfvars = applied.terraform / "terraform.tfvars"
    tfvars.write_text(TFVARS, encoding="utf-8")
    finished = subprocess.run(
        [applied.terraform / "pipeline.sh", PROJECT],
        env=applied.environment
        | {"PATH": f"{place}{os.pathsep}{os.environ['PATH']}", "RECORD": str(record)},
        capture_output=True,
        text=True,
        check=False,
    )
    tfvars.unlink()
    assert 0 == finished.returncode, finished.stderr
    return record.read_text(encoding="utf-8").splitlines(), finished.stdout


def grants(commands):
    """Return the rights that are granted: on what, and which."""
    found = set()
    for command in map(shlex.split, commands):
        if "add-iam-policy-binding" in command:
            (role,) = [word.removeprefix("--role=") for word in command if "--role=" in word]
            on = command[command.index("add-iam-policy-binding") + 1]
            assert f"--member=serviceAccount:line-deploy@{PROJECT}.iam.gserviceaccount.com" in (
                command
            )
            found.add((on, role))
    return found


def test_the_account_may_do_what_the_table_says(prepared, applied):
    """
    It changes what is pushed often and reads the rest; it grants nothing and reads no document.
    """
    commands, _ = prepared
    (source,) = [one["name"] for one in applied.google.of("google_storage_bucket")]
    secrets = ["line-channel-secret", "gemini-api-key", "invitation-code"]

    assert {
        *((PROJECT, role) for role in PROJECT_ROLES),
        *(
            (f"{name}@{PROJECT}.iam.gserviceaccount.com", "roles/iam.serviceAccountUser")
            for name in ("line-build", "line-push", "line-webhook")
        ),
        (f"gs://{BUCKET}", "roles/storage.objectUser"),
        (f"gs://{source}", "roles/storage.objectUser"),
        (f"gs://{source}", "roles/storage.legacyBucketReader"),
        ("deploy-tfvars", "roles/secretmanager.secretAccessor"),
        *((secret, "roles/secretmanager.secretAccessor") for secret in secrets),
        *((secret, "roles/secretmanager.secretVersionManager") for secret in secrets),
    } == grants(commands)


def test_the_script_and_the_build_speak_of_the_same_things(prepared):
    """
    The account, the secret and the bucket are made under the names cloudbuild.yaml has for them.
    """
    commands, said = prepared
    asked = "\n".join(commands)

    assert f"gcloud storage buckets create gs://{BUCKET} " in asked
    assert "gcloud iam service-accounts create line-deploy " in asked
    assert "gcloud secrets create deploy-tfvars " in asked
    assert f"-backend-config=bucket={BUCKET}" in said
    assert CHANNEL_SECRET not in asked + said


def linted(commands, place):
    """Return what gcloud's own linter finds, offline; None where this gcloud has none."""
    listed = place / "commands.json"
    listed.write_text(json.dumps([{"command_string": one} for one in commands]), encoding="utf-8")
    try:
        ended = subprocess.run(
            ["gcloud", "meta", "lint-gcloud-commands", f"--commands-file={listed}"],
            env=os.environ | {"CLOUDSDK_CONFIG": str(place)},
            capture_output=True,
            text=True,
            check=True,
        )
        return {one["command_string"]: one["error_message"] for one in json.loads(ended.stdout)}
    except (OSError, subprocess.CalledProcessError, ValueError, LookupError, TypeError):
        return None


def test_gcloud_knows_the_commands(prepared, tmp_path):
    """
    Google's own command line finds no word in them that it does not know.
    """
    commands, _ = prepared
    shapes = {re.sub(r"--role=\S+", "--role=roles/viewer", one.strip()) for one in commands}
    misspelt = f"gcloud secrets create deploy-tfvars --projekt={PROJECT}"
    found = linted(sorted({*shapes, misspelt}), tmp_path)
    if found is None:
        pytest.skip("there is no gcloud on this machine that checks commands")

    assert shapes | {misspelt} == set(found)
    assert [misspelt] == [command for command, error in found.items() if error]
