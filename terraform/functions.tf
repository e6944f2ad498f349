resource "google_cloudfunctions2_function" "this" {
  for_each = local.functions

  name     = each.key
  location = var.region

  build_config {
    runtime           = "python313"
    entry_point       = each.key
    service_account   = google_service_account.build.id
    docker_repository = google_artifact_registry_repository.images.id

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = google_storage_bucket_object.source.name
      }
    }
  }

  service_config {
    # Below one vCPU imports take several times as long, and requests may not share an instance.
    available_cpu                    = "1"
    available_memory                 = "512Mi"
    timeout_seconds                  = each.value.timeout
    max_instance_request_concurrency = local.concurrency
    min_instance_count               = each.value.min_instances
    max_instance_count               = each.value.max_instances
    service_account_email            = google_service_account.function[each.key].email
    ingress_settings                 = "ALLOW_ALL"
    all_traffic_on_latest_revision   = true
    environment_variables            = local.environment

    dynamic "secret_environment_variables" {
      for_each = toset(each.value.secrets)
      content {
        key = secret_environment_variables.value
        # The API answers with the number, and would be told the id again by each plan.
        project_id = tostring(google_storage_bucket.source.project_number)
        secret     = google_secret_manager_secret.this[secret_environment_variables.value].secret_id
        version    = local.secret_versions[secret_environment_variables.value]
      }
    }
  }

  depends_on = [time_sleep.grants]
}
