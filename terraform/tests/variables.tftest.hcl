# What a variable takes, and the sentence it refuses the rest with: `terraform test`. Google's
# provider is only mocked, so that neither a project nor an account is needed.

mock_provider "google" {}

mock_provider "google" {
  alias = "billing"
}

variables {
  project_id          = "demo-family"
  line_channel_id     = "1234567890"
  line_channel_secret = "0123456789abcdef0123456789abcdef"
  gemini_api_key      = ""
}

run "three_answers_are_enough" {
  command = plan

  assert {
    condition     = local.vertex && google_firestore_database.this.location_id == "asia-east1"
    error_message = "By default it is Vertex, in Taiwan."
  }
}

run "with_a_key_there_are_four_secrets_and_no_right_to_vertex" {
  command = plan

  variables {
    model_service  = "gemini"
    gemini_api_key = "not-a-key-of-anybody-0123456789"
  }

  assert {
    condition     = length(google_secret_manager_secret.this) == 3 && length(google_project_iam_custom_role.ask_model) == 0
    error_message = "The key is one more secret, and stands in the place of a right."
  }
}

run "settings_reach_the_functions" {
  command = plan

  variables {
    bot_name           = "Amy"
    firestore_location = "nam5"
    language           = "en"
    min_instances      = 1
    settings           = { MEMORY = "summary", WINDOW_TURNS = "60" }
    timezone           = "America/Argentina/Buenos_Aires"
  }

  assert {
    condition     = google_firestore_database.this.location_id == "nam5"
    error_message = "The database may be somewhere else than the functions."
  }

  assert {
    condition     = google_cloudfunctions2_function.this["webhook"].service_config[0].min_instance_count == 1 && google_cloudfunctions2_function.this["push"].service_config[0].min_instance_count == 0
    error_message = "Only the webhook is kept warm."
  }

  assert {
    condition = tomap({
      for name, value in google_cloudfunctions2_function.this["push"].service_config[0].environment_variables :
      name => value if contains(["BOT_NAME", "LANGUAGE", "MEMORY", "TIMEZONE", "WINDOW_TURNS"], name)
      }) == tomap({
      BOT_NAME     = "Amy"
      LANGUAGE     = "en"
      MEMORY       = "summary"
      TIMEZONE     = "America/Argentina/Buenos_Aires"
      WINDOW_TURNS = "60"
    })
    error_message = "What is set is what the functions find."
  }
}

run "a_project_has_an_id" {
  command = plan
  variables {
    project_id = "My Family"
  }
  expect_failures = [var.project_id]
}

run "a_channel_id_is_a_number" {
  command = plan
  variables {
    line_channel_id = "@family"
  }
  expect_failures = [var.line_channel_id]
}

run "a_channel_secret_is_no_token" {
  command = plan
  variables {
    line_channel_secret = "eyJhbGciOiJIUzI1NiJ9"
  }
  expect_failures = [var.line_channel_secret]
}

run "there_are_two_model_services" {
  command = plan
  variables {
    model_service = "openai"
  }
  expect_failures = [var.model_service]
}

run "the_gemini_api_needs_a_key" {
  command = plan
  variables {
    model_service = "gemini"
  }
  expect_failures = [var.gemini_api_key]
}

run "vertex_needs_no_key" {
  command = plan
  variables {
    gemini_api_key = "not-a-key-of-anybody-0123456789"
  }
  expect_failures = [var.gemini_api_key]
}

run "a_model_has_an_id" {
  command = plan
  variables {
    gemini_model = "Gemini Flash"
    embed_model  = ""
  }
  expect_failures = [var.gemini_model, var.embed_model]
}

run "a_bot_has_a_name" {
  command = plan
  variables {
    bot_name = " "
  }
  expect_failures = [var.bot_name]
}

run "it_speaks_two_languages" {
  command = plan
  variables {
    language = "zh"
  }
  expect_failures = [var.language]
}

run "a_time_zone_is_no_offset" {
  command = plan
  variables {
    timezone = "UTC+8"
  }
  expect_failures = [var.timezone]
}

run "a_region_is_no_zone" {
  command = plan
  variables {
    region             = "asia-east1-a"
    firestore_location = "Taiwan"
  }
  expect_failures = [var.region, var.firestore_location]
}

run "few_instances_are_kept_warm" {
  command = plan
  variables {
    min_instances = 10
  }
  expect_failures = [var.min_instances]
}

run "versions_of_secrets_are_counted" {
  command = plan
  variables {
    secrets_version = 1.5
  }
  expect_failures = [var.secrets_version]
}

run "mail_goes_to_an_address" {
  command = plan
  variables {
    alert_email = "mother"
  }
  expect_failures = [var.alert_email]
}

run "a_budget_is_a_sum_on_a_billing_account" {
  command = plan
  variables {
    budget = { billing_account = "My Billing Account", amount = 300 }
  }
  expect_failures = [var.budget]
}

run "a_budget_is_more_than_nothing" {
  command = plan
  variables {
    budget = { billing_account = "012345-6789AB-CDEF01", amount = 0 }
  }
  expect_failures = [var.budget]
}

run "a_setting_that_is_none_is_named" {
  command = plan
  variables {
    settings = { WINDOW_TURN = "60" }
  }
  expect_failures = [var.settings]
}

run "what_has_a_variable_is_no_setting" {
  command = plan
  variables {
    settings = { BOT_NAME = "Amy", LINE_CHANNEL_SECRET = "x" }
  }
  expect_failures = [var.settings]
}
