locals {
  secrets = toset(flatten([for function in local.functions : function.secrets]))

  secret_versions = merge(
    {
      INVITATION_CODE     = google_secret_manager_secret_version.invitation_code.version
      LINE_CHANNEL_SECRET = google_secret_manager_secret_version.line_channel_secret.version
    },
    { for version in google_secret_manager_secret_version.gemini_api_key : "GEMINI_API_KEY" => version.version },
  )
}

# Each is named for the environment variable it becomes.
resource "google_secret_manager_secret" "this" {
  for_each = local.secrets

  secret_id = lower(replace(each.value, "_", "-"))

  replication {
    auto {}
  }

  depends_on = [time_sleep.apis]
}

resource "google_secret_manager_secret_version" "line_channel_secret" {
  secret                 = google_secret_manager_secret.this["LINE_CHANNEL_SECRET"].id
  secret_data_wo         = var.line_channel_secret
  secret_data_wo_version = tostring(var.secrets_version)

  lifecycle {
    create_before_destroy = true # The functions read the old one until they are deployed anew.
  }
}

resource "google_secret_manager_secret_version" "gemini_api_key" {
  count = local.vertex ? 0 : 1

  secret                 = google_secret_manager_secret.this["GEMINI_API_KEY"].id
  secret_data_wo         = var.gemini_api_key
  secret_data_wo_version = tostring(var.secrets_version)

  lifecycle {
    create_before_destroy = true
  }
}

# The one secret that is in the state: it is there to be told. Without letters that look alike;
# capitals or not is all the same to who reads it.
resource "random_password" "invitation_code" {
  length           = 12
  lower            = false
  upper            = false
  numeric          = false
  special          = true
  override_special = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
}

resource "google_secret_manager_secret_version" "invitation_code" {
  secret                 = google_secret_manager_secret.this["INVITATION_CODE"].id
  secret_data_wo         = random_password.invitation_code.result
  secret_data_wo_version = sha256(random_password.invitation_code.result)

  lifecycle {
    create_before_destroy = true
  }
}
