# What each account may do, and nothing beside it; tests/terraform/test_iam.py has the whole table.

locals {
  enqueuing = merge([
    for name, function in local.functions :
    { for queue in function.queues : "${name}/${queue}" => { function = name, queue = queue } }
  ]...)

  reading = merge([
    for name, function in local.functions :
    { for secret in function.secrets : "${name}/${secret}" => { function = name, secret = secret } }
  ]...)
}

# The accounts.

resource "google_service_account" "function" {
  for_each = local.functions

  account_id   = "line-${each.key}"
  display_name = "Runs the function ${each.key}"

  depends_on = [time_sleep.apis]
}

resource "google_service_account" "tasks" {
  account_id   = "line-tasks"
  display_name = "Calls private functions, in Cloud Tasks' hands"

  depends_on = [time_sleep.apis]
}

resource "google_service_account" "build" {
  account_id   = "line-build"
  display_name = "Builds the functions' images"

  depends_on = [time_sleep.apis]
}

# Who may call.

resource "google_cloud_run_v2_service_iam_member" "anyone" {
  for_each = { for name, function in local.functions : name => function if function.public }

  name     = google_cloudfunctions2_function.this[each.key].name
  location = var.region
  role     = "roles/run.invoker"
  member   = "allUsers"
}

# A binding and no member: whoever else was let in by hand is shut out by the next apply.
resource "google_cloud_run_v2_service_iam_binding" "tasks_only" {
  for_each = { for name, function in local.functions : name => function if !function.public }

  name     = google_cloudfunctions2_function.this[each.key].name
  location = var.region
  role     = "roles/run.invoker"
  members  = [google_service_account.tasks.member]
}

# What the functions may do.

resource "google_project_iam_member" "firestore" {
  for_each = local.functions

  project = var.project_id
  role    = "roles/datastore.user"
  member  = google_service_account.function[each.key].member
}

resource "google_cloud_tasks_queue_iam_member" "enqueue" {
  for_each = local.enqueuing

  name     = google_cloud_tasks_queue.this[each.value.queue].name
  location = var.region
  role     = "roles/cloudtasks.enqueuer"
  member   = google_service_account.function[each.value.function].member
}

# A task that carries an account's token may only be made by who may act as that account.
resource "google_service_account_iam_member" "act_as_tasks" {
  for_each = { for name, function in local.functions : name => function if contains(function.queues, "reminders") }

  service_account_id = google_service_account.tasks.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.function[each.key].member
}

resource "google_secret_manager_secret_iam_member" "read" {
  for_each = local.reading

  secret_id = google_secret_manager_secret.this[each.value.secret].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.function[each.value.function].member
}

# roles/aiplatform.user could start training jobs, at the family's cost.
resource "google_project_iam_custom_role" "ask_model" {
  count = local.vertex ? 1 : 0

  role_id     = "familyAssistantAskModel"
  title       = "Ask the model"
  description = "Send prompts and texts to Vertex AI's models, and nothing else."
  permissions = ["aiplatform.endpoints.predict"]

  depends_on = [time_sleep.apis]
}

resource "google_project_iam_member" "ask_model" {
  for_each = { for name, function in local.functions : name => function if function.thinks && local.vertex }

  project = var.project_id
  role    = google_project_iam_custom_role.ask_model[0].id
  member  = google_service_account.function[each.key].member
}

# What the build may do.

resource "google_project_iam_member" "build_logs" {
  project = var.project_id
  role    = "roles/logging.logWriter"
  member  = google_service_account.build.member
}

resource "google_artifact_registry_repository_iam_member" "build_images" {
  repository = google_artifact_registry_repository.images.name
  location   = var.region
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

resource "google_storage_bucket_iam_member" "build_source" {
  bucket = google_storage_bucket.source.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}

# The API builds from its own copy of the source, in a bucket that is there only after the first
# deployment: no grant on the bucket itself can come before it.
resource "google_project_iam_member" "build_copied_source" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = google_service_account.build.member

  condition {
    title      = "copied-source"
    expression = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${google_storage_bucket.source.project_number}-${var.region}\")"
  }
}

# Grants take up to a minute to be known everywhere; a function that can't read its secrets by then
# is not deployed.
resource "time_sleep" "grants" {
  create_duration = "60s"
  triggers        = { functions = join(" ", keys(local.functions)), secrets = join(" ", local.secrets) }

  depends_on = [
    google_artifact_registry_repository_iam_member.build_images,
    google_project_iam_member.ask_model,
    google_project_iam_member.build_copied_source,
    google_project_iam_member.build_logs,
    google_project_iam_member.firestore,
    google_secret_manager_secret_iam_member.read,
    google_storage_bucket_iam_member.build_source,
  ]
}
