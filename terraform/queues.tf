locals {
  # As local/queues.py has them, for the tests and the demo.
  queues = {
    events = {
      max_attempts   = 9
      min_backoff    = "10s"
      max_backoff    = "300s"
      max_doublings  = 5
      max_concurrent = 20
    }
    reminders = {
      max_attempts   = 30
      min_backoff    = "10s"
      max_backoff    = "300s"
      max_doublings  = 5
      max_concurrent = 10
    }
  }
}

resource "google_cloud_tasks_queue" "this" {
  for_each = local.queues

  # The name of a deleted queue is blocked for days.
  name     = "${each.key}-${random_id.suffix.hex}"
  location = var.region

  retry_config {
    max_attempts  = each.value.max_attempts
    min_backoff   = each.value.min_backoff
    max_backoff   = each.value.max_backoff
    max_doublings = each.value.max_doublings
  }

  rate_limits {
    max_concurrent_dispatches = each.value.max_concurrent
    max_dispatches_per_second = 10
  }

  depends_on = [time_sleep.apis]
}
