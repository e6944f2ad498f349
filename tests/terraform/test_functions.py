"""What is deployed, and what it finds when it starts."""

import ast
import json
import subprocess
import sys
import zipfile
from dataclasses import MISSING, fields, replace
from pathlib import Path

import pytest

from local.deployment import ANSWERS, CHANNEL_SECRET, GEMINI_KEY
from local.google_provider import environment
from services.settings import Settings

ROOT = Path(__file__).parent.parent.parent
FUNCTIONS = ["push", "webhook"]
SECRETS = {one.name.upper() for one in fields(Settings) if not one.repr}
LEFT_AT_DEFAULT = {
    "FUNCTIONS_URL": "Cloud Functions computes the address, and so does the code",
    "GCE_METADATA_HOST": "every instance has it under its one name",
    "GEMINI_URL": "the SDK knows it",
    "LINE_CHANNEL_ACCESS_TOKEN": "id and secret buy tokens that end by themselves",
    "LINE_URL": "LINE has one address",
    "TASKS_URL": "Cloud Tasks has one address",
}
FOR_THE_FRAMEWORK = {"THREADS"}
"""functions-framework reads it: how many requests an instance serves together."""


def deployed(applied, name):
    functions = applied.google.of("google_cloudfunctions2_function")
    return next(one for one in functions if one["name"] == name)


def service(applied, name):
    return deployed(applied, name)["service_config"][0]


def tunable(applied):
    """Return which settings the variable `settings` takes."""
    listed = subprocess.run(
        ["terraform", "console", "-no-color"],
        input="jsonencode(local.tunable)",
        cwd=applied.terraform,
        env=applied.environment | {f"TF_VAR_{name}": told for name, told in ANSWERS.items()},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(json.loads(listed.stdout)))


def entry_points():
    """Return the names main.py gives functions-framework."""
    tree = ast.parse((ROOT / "main.py").read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("functions_framework" in ast.unparse(one) for one in node.decorator_list)
    }


def test_every_entry_point_is_deployed(applied):
    """
    What main.py offers is what there is in the cloud, under the same names.
    """
    functions = applied.google.of("google_cloudfunctions2_function")

    assert entry_points() == {one["name"] for one in functions}
    assert all(one["name"] == one["build_config"][0]["entry_point"] for one in functions)


def test_every_setting_has_its_place(applied):
    """
    Each setting is set, may be set by `settings`, or is left at its default for a reason.
    """
    names = {one.name.upper() for one in fields(Settings)}
    found = set(environment(applied.google, "webhook")) - FOR_THE_FRAMEWORK
    places = [found, tunable(applied), set(LEFT_AT_DEFAULT)]

    assert names == set().union(*places)
    assert len(names) == sum(map(len, places))


def test_what_may_be_tuned_is_no_secret_and_has_a_default(applied):
    """
    Whatever stands in `settings` is in the plan, and can be left away.
    """
    required = {one.name.upper() for one in fields(Settings) if one.default is MISSING}

    assert set() == tunable(applied) & (SECRETS | required)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_secrets_come_from_secret_manager(applied, function):
    """
    No secret is a plain variable, and no plain value a secret.
    """
    plain = set(service(applied, function)["environment_variables"])
    secret = {one["key"] for one in service(applied, function)["secret_environment_variables"]}

    assert set() == plain & SECRETS
    assert set() == secret - SECRETS


def test_the_functions_start_with_what_they_find(applied):
    """
    The settings can be read from it, and are the deployer's answers; all else is the code's.
    """
    code = json.loads(applied.do("output", "-json", "invitation_code"))
    found = Settings.from_env(environment(applied.google, "webhook"))
    end = found.events_queue.removeprefix("events")
    answered = Settings(
        project_id="demo-family",
        region="asia-east1",
        line_channel_id="1234567890",
        line_channel_secret=CHANNEL_SECRET,
        gemini_api_key=GEMINI_KEY,
        invitation_code=code,
        events_queue=f"events{end}",
        reminders_queue=f"reminders{end}",
        tasks_account="line-tasks@demo-family.iam.gserviceaccount.com",
    )

    assert answered == found
    assert replace(answered, gemini_api_key="") == Settings.from_env(
        environment(applied.google, "push")
    )


def test_the_key_stays_away_from_what_does_not_think(applied):
    """
    Whoever breaks into `push` finds no key of the model.
    """
    assert "GEMINI_API_KEY" in environment(applied.google, "webhook")
    assert "GEMINI_API_KEY" not in environment(applied.google, "push")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_addresses_are_those_the_code_computes(applied, function):
    """
    A function is where the others look for it.
    """
    settings = Settings.from_env(environment(applied.google, function))

    assert deployed(applied, function)["url"] == settings.function_url(function)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_instance_is_one_cpu_and_half_a_gibibyte(applied, function):
    """
    As measured: less makes imports slower than it saves.
    """
    config = service(applied, function)

    assert ("1", "512Mi") == (config["available_cpu"], config["available_memory"])
    assert "python313" == deployed(applied, function)["build_config"][0]["runtime"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_many_threads_as_requests(applied, function):
    """
    What Cloud Run sends an instance together, gunicorn serves together.
    """
    config = service(applied, function)

    assert config["max_instance_request_concurrency"] == int(
        config["environment_variables"]["THREADS"]
    )


def test_time_outs_are_those_the_code_reckons_with(applied):
    """
    A lease outlasts the function's time-out only if both speak of the same seconds.
    """
    settings = Settings.from_env(environment(applied.google, "webhook"))

    assert settings.answer_timeout == service(applied, "webhook")["timeout_seconds"]
    assert settings.push_timeout == service(applied, "push")["timeout_seconds"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_bill_is_bounded(applied, function):
    """
    Instances come and go, none is kept by default, and there are never more than a handful.
    """
    config = service(applied, function)

    assert 0 == config["min_instance_count"]
    assert 1 <= config["max_instance_count"] <= 5


def test_old_images_are_deleted(applied):
    """
    Two of each function stay, what is older than a week goes, and that is no dry run.
    """
    (repository,) = applied.google.of("google_artifact_registry_repository")
    policies = {one["action"]: one for one in repository["cleanup_policies"]}

    assert repository["cleanup_policy_dry_run"] is False
    assert 2 == policies["KEEP"]["most_recent_versions"][0]["keep_count"]
    assert "604800s" == policies["DELETE"]["condition"][0]["older_than"]


# The source.


@pytest.fixture(scope="module")
def source(applied):
    """The zip that was uploaded."""
    (uploaded,) = applied.google.of("google_storage_bucket_object")
    with zipfile.ZipFile(applied.terraform / uploaded["source"]) as opened:
        yield opened


def test_the_source_is_what_the_functions_need(source):
    """
    It has main.py, the requirements and our four packages, and nothing that is compiled or hidden.
    """
    names = source.namelist()

    assert {"assistant", "handlers", "main.py", "memory", "requirements.txt", "services"} == {
        name.partition("/")[0] for name in names
    }
    assert [] == [name for name in names if "__pycache__" in name or "/." in f"/{name}"]


def test_the_source_is_complete(source):
    """
    Every module of the four packages is in it.
    """
    packages = ("assistant", "handlers", "memory", "services")
    modules = {
        str(path.relative_to(ROOT)) for one in packages for path in (ROOT / one).rglob("*.py")
    }

    assert modules < set(source.namelist())


def test_names_tell_sources_apart(applied):
    """
    The object is named by its content, so that a change can't go unseen.
    """
    (uploaded,) = applied.google.of("google_storage_bucket_object")
    (stored,) = deployed(applied, "webhook")["build_config"][0]["source"][0]["storage_source"]

    assert uploaded["name"] == stored["object"]
    assert 32 == len(uploaded["name"].removeprefix("source-").removesuffix(".zip"))


BOOT = """
import functions_framework, json, sys
clients = {
    name: functions_framework.create_app(name, "main.py").test_client() for name in sys.argv[1:]
}
answers = {name: client.get("/") for name, client in clients.items()}
answers["forged"] = clients["webhook"].post("/", headers={"X-Line-Signature": "forged"})
print(json.dumps({name: answer.status_code for name, answer in answers.items()}))
"""


def test_the_source_serves_the_functions_in_their_environment(applied, source, tmp_path):
    """
    Unpacked somewhere else, with the plan's environment alone, every entry point starts.
    """
    source.extractall(tmp_path)
    booted = subprocess.run(
        [sys.executable, "-c", BOOT, *FUNCTIONS],
        cwd=tmp_path,
        env=environment(applied.google, "webhook"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert {"push": 405, "webhook": 405, "forged": 401} == json.loads(
        booted.stdout.splitlines()[-1]
    ), booted.stderr
