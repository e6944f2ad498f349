locals {
  apis = setunion(
    [
      "artifactregistry.googleapis.com",
      "cloudbuild.googleapis.com",
      "cloudfunctions.googleapis.com",
      "cloudresourcemanager.googleapis.com",
      "cloudtasks.googleapis.com",
      "firestore.googleapis.com",
      "iam.googleapis.com",
      "logging.googleapis.com",
      "run.googleapis.com",
      "secretmanager.googleapis.com",
      "storage.googleapis.com",
    ],
    local.vertex ? ["aiplatform.googleapis.com"] : [],
    var.alert_email == "" ? [] : ["monitoring.googleapis.com"],
    var.budget == null ? [] : ["billingbudgets.googleapis.com"],
  )
}

resource "google_project_service" "this" {
  for_each = local.apis

  service            = each.value
  disable_on_destroy = false
}

# An API that is just enabled answers 403 for up to a minute.
resource "time_sleep" "apis" {
  create_duration = "60s"
  triggers        = { apis = join(" ", local.apis) }

  depends_on = [google_project_service.this]
}
