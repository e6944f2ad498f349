locals {
  labels = { app = "family-assistant" }
  vertex = var.model_service == "vertex"

  # How many requests an instance serves together: gunicorn's threads.
  concurrency = 8

  # What is deployed, by its entry point in main.py; the addresses follow from these names.
  functions = {
    webhook = {
      public        = true # Whoever calls proves by LINE's signature that they are LINE.
      queues        = ["events", "reminders"]
      secrets       = concat(["INVITATION_CODE", "LINE_CHANNEL_SECRET"], local.vertex ? [] : ["GEMINI_API_KEY"])
      thinks        = true
      timeout       = 90 # Seconds; what the code reckons with, too.
      min_instances = var.min_instances
      max_instances = 4
    }
    push = {
      public        = false # Only the tasks' account may call.
      queues        = ["reminders"]
      secrets       = ["INVITATION_CODE", "LINE_CHANNEL_SECRET"]
      thinks        = false
      timeout       = 60
      min_instances = 0
      max_instances = 2
    }
  }

  environment = merge(
    {
      ANSWER_ATTEMPTS = tostring(local.queues.events.max_attempts)
      ANSWER_TIMEOUT  = tostring(local.functions.webhook.timeout)
      BOT_NAME        = var.bot_name
      EMBED_MODEL     = var.embed_model
      EVENTS_QUEUE    = google_cloud_tasks_queue.this["events"].name
      GEMINI_MODEL    = var.gemini_model
      LANGUAGE        = var.language
      LINE_CHANNEL_ID = var.line_channel_id
      PROJECT_ID      = var.project_id
      PUSH_ATTEMPTS   = tostring(local.queues.reminders.max_attempts)
      PUSH_TIMEOUT    = tostring(local.functions.push.timeout)
      REGION          = var.region
      REMINDERS_QUEUE = google_cloud_tasks_queue.this["reminders"].name
      TASKS_ACCOUNT   = google_service_account.tasks.email
      THREADS         = tostring(local.concurrency)
      TIMEZONE        = var.timezone
    },
    var.settings,
  )

  # What var.settings may set: the settings that have no variable and follow from nothing else.
  tunable = [
    "ACCESS",
    "BOARD_TOKENS",
    "CANDIDATE_DISTANCE",
    "DAILY_CALLS",
    "DAILY_CALLS_EVERYWHERE",
    "DAILY_PUSHES",
    "DIGEST_PATIENCE",
    "EMBED_PATIENCE",
    "FIRESTORE_PATIENCE",
    "GEMINI_ATTEMPTS",
    "GEMINI_LOCATION",
    "GEMINI_PATIENCE",
    "GEMINI_RETRY_DELAY",
    "GEMINI_TIMEOUT",
    "IMPORTANCE_FLOOR",
    "MAX_OUTPUT_TOKENS",
    "MEMORY",
    "MOST_FACTS",
    "MOST_REMINDERS",
    "PROMPT_TOKENS",
    "RECALLED_FACTS",
    "RECALL_DISTANCE",
    "SILENCE_HOURS",
    "SUMMARY_CHARACTERS",
    "THINKING_LEVEL",
    "TURN_CHARACTERS",
    "WAKE_WORDS",
    "WINDOW_CHARACTERS",
    "WINDOW_TURNS",
  ]
}

# Names that Google blocks for days once they were used, or that the whole world shares, end in it.
resource "random_id" "suffix" {
  byte_length = 2
}
