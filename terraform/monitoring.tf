resource "google_monitoring_notification_channel" "email" {
  count = var.alert_email == "" ? 0 : 1

  display_name = "Family assistant"
  type         = "email"
  labels       = { email_address = var.alert_email }

  depends_on = [time_sleep.apis]
}

resource "google_monitoring_alert_policy" "errors" {
  count = var.alert_email == "" ? 0 : 1

  display_name          = "Family assistant: errors"
  combiner              = "OR"
  notification_channels = [google_monitoring_notification_channel.email[0].name]

  conditions {
    display_name = "A function has logged an error"
    condition_matched_log {
      filter = join(" AND ", [
        "resource.type=\"cloud_run_revision\"",
        "resource.labels.service_name=(${join(" OR ", [for name in keys(local.functions) : "\"${name}\""])})",
        "severity>=ERROR",
      ])
    }
  }

  alert_strategy {
    auto_close = "86400s"
    notification_rate_limit {
      period = "3600s"
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "Logs, without anybody's words in them: ${local.console.logs}"
  }
}

resource "google_billing_budget" "monthly" {
  count    = var.budget == null ? 0 : 1
  provider = google.billing

  billing_account = var.budget.billing_account
  display_name    = "Family assistant"

  budget_filter {
    projects = ["projects/${google_storage_bucket.source.project_number}"]
  }

  amount {
    specified_amount {
      units = tostring(var.budget.amount)
    }
  }

  dynamic "threshold_rules" {
    for_each = [0.5, 0.9, 1]
    content {
      threshold_percent = threshold_rules.value
    }
  }

  depends_on = [time_sleep.apis]
}
