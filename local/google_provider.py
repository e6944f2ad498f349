"""The google provider, and of Google Cloud as much as says no where the real one does."""

import re
from collections.abc import Callable

from local.provider import Kind, SchemaProvider
from local.terraform_plugin import Diagnosis, State

PROJECT_NUMBER = 123456789012
_SLOW = 0.1
"""Seconds; what is made meanwhile without waiting for it is refused."""
_BUILD_ROLES = {
    "roles/artifactregistry.writer",
    "roles/logging.logWriter",
    "roles/storage.objectViewer",
}


def google() -> SchemaProvider:
    """Return the provider, with a project that has nothing in it yet."""
    return SchemaProvider("google", _KINDS)


def members(provider: SchemaProvider) -> set[tuple[str, str, str]]:
    """Return who may do what where: member, role, and resource."""
    return {
        (member, grant["role"], _granted_on(grant))
        for (kind, _), grant in provider.made.items()
        if "_iam_" in kind and "role" in grant
        for member in grant.get("members") or [grant["member"]]
    }


def environment(provider: SchemaProvider, function: str) -> dict[str, str]:
    """Return the environment a function finds, its secrets read."""
    (config,) = _function(provider, function)["service_config"]
    return dict(config["environment_variables"]) | {
        secret["key"]: _payload(provider, secret)
        for secret in config["secret_environment_variables"]
    }


def _function(provider: SchemaProvider, name: str) -> State:
    functions = provider.of("google_cloudfunctions2_function")
    return next(one for one in functions if one["name"] == name)


def _payload(provider: SchemaProvider, secret: State) -> str:
    name = f"projects/{secret['project_id']}/secrets/{secret['secret']}"
    version = provider.made[_VERSION, f"{name}/versions/{secret['version']}"]
    return str(version["secret_data_wo"])


def _granted_on(grant: State) -> str:
    on = ("name", "secret_id", "service_account_id", "bucket", "repository", "project")
    return next(str(grant[name]) for name in on if grant.get(name))


# What the cloud refuses.


def _enabled(api: str, provider: SchemaProvider) -> None:
    if api not in {one["service"] for one in provider.of("google_project_service")}:
        raise Diagnosis(f"Error 403: {api} has not been used or is disabled (SERVICE_DISABLED)")


def _exists(kind: str, identity: str, provider: SchemaProvider) -> None:
    if (kind, identity) not in provider.made:
        raise Diagnosis(f"Error 404: {identity} does not exist (NOT_FOUND)")


Check = Callable[[State, SchemaProvider], None]
"""Raises `Diagnosis` where the cloud would refuse."""


def _needs_api(api: str) -> Check:
    def check(state: State, provider: SchemaProvider) -> None:
        _enabled(api, provider)

    return check


def _check_account(email: str, provider: SchemaProvider) -> None:
    if email not in {one["email"] for one in provider.of("google_service_account")}:
        raise Diagnosis(f"Error 400: Service account {email} does not exist.")


def _check_grant(state: State, provider: SchemaProvider) -> None:
    for member in state.get("members") or [state["member"]]:
        if member.startswith("serviceAccount:"):
            _check_account(member.removeprefix("serviceAccount:"), provider)


def _check_run_grant(state: State, provider: SchemaProvider) -> None:
    _check_grant(state, provider)
    if state["name"] not in {one["name"] for one in provider.of("google_cloudfunctions2_function")}:
        raise Diagnosis(f"Error 404: Resource {state['name']} of kind SERVICE does not exist.")


def _check_function(state: State, provider: SchemaProvider) -> None:
    """Refuse to deploy what could not be built, or could not start."""
    for api in ("cloudfunctions", "cloudbuild", "run", "artifactregistry"):
        _enabled(f"{api}.googleapis.com", provider)
    (build,), (service,) = state["build_config"], state["service_config"]
    _exists("google_artifact_registry_repository", build["docker_repository"], provider)
    (stored,) = build["source"][0]["storage_source"]
    _exists("google_storage_bucket_object", f"{stored['bucket']}-{stored['object']}", provider)
    builder = build["service_account"].rpartition("/")[2]
    _check_account(builder, provider)
    _check_account(service["service_account_email"], provider)
    held = {role for member, role, _ in members(provider) if member == f"serviceAccount:{builder}"}
    if missing := sorted(_BUILD_ROLES - held):
        raise Diagnosis(f"Build failed: {builder} lacks {', '.join(missing)}")
    for secret in service["secret_environment_variables"]:
        _check_secret(secret, service["service_account_email"], provider)


def _check_secret(secret: State, reader: str, provider: SchemaProvider) -> None:
    name = f"projects/{secret['project_id']}/secrets/{secret['secret']}"
    _exists(_VERSION, f"{name}/versions/{secret['version']}", provider)
    needed = (
        f"serviceAccount:{reader}",
        "roles/secretmanager.secretAccessor",
        secret["secret"],
    )
    if needed not in members(provider):
        raise Diagnosis(f"Error 400: {reader} may not read the secret {secret['secret']}")


def _check_queue(state: State, provider: SchemaProvider) -> None:
    _enabled("cloudtasks.googleapis.com", provider)
    deleted = provider.past("delete", "google_cloud_tasks_queue")
    if state["name"] in {one["name"] for one in deleted}:
        raise Diagnosis(f"Error 400: a queue named {state['name']} existed too recently")


def _check_database_deletion(state: State, provider: SchemaProvider) -> None:
    protected = state["delete_protection_state"] == "DELETE_PROTECTION_ENABLED"
    if protected and not _abandoned(state):
        raise Diagnosis("Error 400: the database is protected against deletion")


def _check_in_database(state: State, provider: SchemaProvider) -> None:
    databases = provider.of("google_firestore_database")
    if state["database"] not in {one["name"] for one in databases}:
        raise Diagnosis(f"Error 404: the database {state['database']} does not exist")


def _check_bucket_deletion(state: State, provider: SchemaProvider) -> None:
    held = [one for one in provider.of("google_storage_bucket_object") if _is_in(one, state)]
    if held and not state["force_destroy"]:
        raise Diagnosis(f"Error 409: the bucket {state['name']} is not empty")


def _is_in(stored: State, bucket: State) -> bool:
    return bool(stored["bucket"] == bucket["name"])


# What the cloud works out.


def _settle_account(state: State, provider: SchemaProvider) -> None:
    project = provider.config["project"]
    state["email"] = f"{state['account_id']}@{project}.iam.gserviceaccount.com"
    state["member"] = f"serviceAccount:{state['email']}"
    state["name"] = f"projects/{project}/serviceAccounts/{state['email']}"


def _settle_function(state: State, provider: SchemaProvider) -> None:
    base = f"https://{state['location']}-{provider.config['project']}.cloudfunctions.net"
    state["url"] = f"{base}/{state['name']}"
    _settle_labels(state, provider)


def _settle_labels(state: State, provider: SchemaProvider) -> None:
    labels = {**(provider.config.get("default_labels") or {}), **(state.get("labels") or {})}
    state["effective_labels"] = state["terraform_labels"] = labels


def _settle_bucket(state: State, provider: SchemaProvider) -> None:
    state["project_number"] = PROJECT_NUMBER
    _settle_labels(state, provider)


def _settle_repository(state: State, provider: SchemaProvider) -> None:
    state["name"] = state["repository_id"]
    _settle_labels(state, provider)


def _settle_secret(state: State, provider: SchemaProvider) -> None:
    state["name"] = f"projects/{PROJECT_NUMBER}/secrets/{state['secret_id']}"
    _settle_labels(state, provider)


def _settle_version(state: State, provider: SchemaProvider) -> None:
    if str(state["version"]).isdecimal():
        return
    secret = state["secret"].rpartition("/")[2]
    created = provider.past("create", _VERSION)
    before = sum(one["secret"] == state["secret"] for one in created)
    state["version"] = str(before + 1)
    state["name"] = f"projects/{PROJECT_NUMBER}/secrets/{secret}/versions/{before + 1}"


def _settle_role(state: State, provider: SchemaProvider) -> None:
    state["name"] = f"projects/{state['project']}/roles/{state['role_id']}"


def _settle_index(state: State, provider: SchemaProvider) -> None:
    """Put the document's name behind the last field that is no vector, as the API does."""
    fields = state["fields"]
    if all(field["field_path"] != "__name__" for field in fields):
        plain = [place for place, field in enumerate(fields) if not field["vector_config"]]
        named = {**fields[plain[-1]], "field_path": "__name__", "order": "ASCENDING"}
        fields.insert(plain[-1] + 1, named)
    paths = "-".join(re.sub(r"\W", "", field["field_path"]) for field in fields)
    state["name"] = f"indexes/{paths}"


def _abandoned(state: State) -> bool:
    return state.get("deletion_policy") in {None, "ABANDON"}


_VERSION = "google_secret_manager_secret_version"
_IN_DATABASE = "projects/{project}/databases/{database}/collectionGroups/{collection}"


def _grant(on: str, check: Check = _check_grant) -> Kind:
    """Return the kind of a grant on something: it is never changed, but made anew."""
    return Kind(
        identity=f"{{{on}}}/{{role}}/{{member}}",
        renewed_by=(on, "role", "member", "condition"),
        check=check,
        delay=_SLOW,
    )


_KINDS = {
    "google_project_service": Kind(identity="{project}/{service}", delay=2 * _SLOW),
    "google_service_account": Kind(
        identity="projects/{project}/serviceAccounts/{email}",
        renewed_by=("account_id", "project"),
        patterns={"account_id": r"[a-z](?:[-a-z0-9]{4,28}[a-z0-9])"},
        settle=_settle_account,
        check=_needs_api("iam.googleapis.com"),
    ),
    "google_cloudfunctions2_function": Kind(
        identity="projects/{project}/locations/{location}/functions/{name}",
        renewed_by=("name", "location", "project"),
        patterns={"name": r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?"},
        settle=_settle_function,
        check=_check_function,
    ),
    "google_cloud_tasks_queue": Kind(
        identity="projects/{project}/locations/{location}/queues/{name}",
        renewed_by=("name", "location", "project"),
        patterns={"name": r"[A-Za-z0-9-]{1,100}"},
        check=_check_queue,
    ),
    "google_firestore_database": Kind(
        identity="projects/{project}/databases/{name}",
        renewed_by=("name", "location_id", "database_edition", "project"),
        check=_needs_api("firestore.googleapis.com"),
        check_deletion=_check_database_deletion,
        kept=_abandoned,
    ),
    "google_firestore_index": Kind(
        identity=_IN_DATABASE + "/{name}",
        renewed_by=("database", "collection", "query_scope", "api_scope", "fields"),
        settle=_settle_index,
        check=_check_in_database,
    ),
    "google_firestore_field": Kind(
        identity=_IN_DATABASE + "/fields/{field}",
        renewed_by=("database", "collection", "field"),
        check=_check_in_database,
    ),
    "google_secret_manager_secret": Kind(
        identity="projects/{project}/secrets/{secret_id}",
        renewed_by=("secret_id", "replication", "project"),
        settle=_settle_secret,
        check=_needs_api("secretmanager.googleapis.com"),
    ),
    _VERSION: Kind(
        identity="{name}",
        renewed_by=("secret", "secret_data", "secret_data_wo_version"),
        one_of=(("secret_data", "secret_data_wo"),),
        together=(("secret_data_wo", "secret_data_wo_version"),),
        sensitive=frozenset({"secret_data", "secret_data_wo"}),
        settle=_settle_version,
    ),
    "google_storage_bucket": Kind(
        identity="{name}",
        renewed_by=("name", "location", "project"),
        patterns={"name": r"[a-z0-9][a-z0-9_.-]{1,61}[a-z0-9]"},
        settle=_settle_bucket,
        check=_needs_api("storage.googleapis.com"),
        check_deletion=_check_bucket_deletion,
    ),
    "google_storage_bucket_object": Kind(
        identity="{bucket}-{name}", renewed_by=("bucket", "name", "source")
    ),
    "google_artifact_registry_repository": Kind(
        identity="projects/{project}/locations/{location}/repositories/{repository_id}",
        renewed_by=("repository_id", "location", "format", "project"),
        settle=_settle_repository,
        check=_needs_api("artifactregistry.googleapis.com"),
    ),
    "google_project_iam_custom_role": Kind(
        identity="projects/{project}/roles/{role_id}",
        renewed_by=("role_id", "project"),
        patterns={"role_id": r"[a-zA-Z0-9_.]{3,64}"},
        settle=_settle_role,
        check=_needs_api("iam.googleapis.com"),
    ),
    "google_project_iam_member": _grant("project"),
    "google_service_account_iam_member": _grant("service_account_id"),
    "google_secret_manager_secret_iam_member": _grant("secret_id"),
    "google_storage_bucket_iam_member": _grant("bucket"),
    "google_artifact_registry_repository_iam_member": _grant("repository"),
    "google_cloud_tasks_queue_iam_member": _grant("name"),
    "google_cloud_run_v2_service_iam_member": _grant("name", _check_run_grant),
    "google_cloud_run_v2_service_iam_binding": Kind(
        identity="{name}/{role}",
        renewed_by=("name", "location", "project", "role"),
        check=_check_run_grant,
    ),
    "google_monitoring_alert_policy": Kind(check=_needs_api("monitoring.googleapis.com")),
    "google_monitoring_notification_channel": Kind(
        check=_needs_api("monitoring.googleapis.com"), renewed_by=("type",)
    ),
    "google_billing_budget": Kind(check=_needs_api("billingbudgets.googleapis.com")),
}
