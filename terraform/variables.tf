variable "alert_email" {
  description = "Who is told by mail when a function logs an error; empty: nobody."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.alert_email == "" || can(regex("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", var.alert_email))
    error_message = "alert_email is a mail address, or empty."
  }
}

variable "bot_name" {
  description = "What the assistant is called. Whoever begins a message with it is answered, in groups too."
  type        = string
  default     = "小幫手"
  nullable    = false

  validation {
    condition     = length(trimspace(var.bot_name)) > 0 && length(var.bot_name) <= 20
    error_message = "bot_name has 1 to 20 characters."
  }
}

variable "budget" {
  description = "A monthly sum, in the billing account's currency, at half, nine tenths and all of which Google writes to its administrators. It stops nothing. None by default: making one takes rights on the billing account."
  type = object({
    billing_account = string
    amount          = number
  })
  default = null

  validation {
    condition     = var.budget == null || can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.budget.billing_account))
    error_message = "budget.billing_account looks like 012345-6789AB-CDEF01: see the console, under Billing."
  }

  validation {
    condition     = var.budget == null || try(var.budget.amount >= 1 && floor(var.budget.amount) == var.budget.amount, false)
    error_message = "budget.amount is a whole number, at least 1."
  }
}

variable "database_exists" {
  description = "The project has its (default) Firestore database already, as after a destroy that kept the data: it is taken over instead of made."
  type        = bool
  default     = false
  nullable    = false
}

variable "embed_model" {
  description = "The model that turns facts into vectors. After a change: python -m memory.upkeep reembed."
  type        = string
  default     = "gemini-embedding-2"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9.-]*$", var.embed_model))
    error_message = "embed_model is a model's id, such as gemini-embedding-2."
  }
}

variable "firestore_location" {
  description = "Where the memory is kept; by default in the region. It can never be changed."
  type        = string
  default     = null

  validation {
    condition     = var.firestore_location == null || can(regex("^([a-z]+-[a-z]+[0-9]+|nam5|nam7|eur3)$", var.firestore_location))
    error_message = "firestore_location is a region, such as asia-east1, or one of nam5, nam7 and eur3."
  }
}

variable "gemini_api_key" {
  description = "Key of the Gemini API, of a paid project; only where model_service is gemini."
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  ephemeral   = true

  validation {
    condition     = var.model_service != "gemini" || can(regex("^\\S{20,}$", var.gemini_api_key))
    error_message = "model_service is gemini, so gemini_api_key has to be the key: at least 20 characters, no blanks."
  }

  validation {
    condition     = var.model_service != "vertex" || var.gemini_api_key == ""
    error_message = "There is a gemini_api_key, but model_service is vertex, which needs none: leave one of them away."
  }
}

variable "gemini_model" {
  description = "The model that answers."
  type        = string
  default     = "gemini-3.5-flash-lite"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9.-]*$", var.gemini_model))
    error_message = "gemini_model is a model's id, such as gemini-3.5-flash-lite."
  }
}

variable "keep_data" {
  description = "Whether terraform destroy leaves the database, with all that is remembered; false for trials."
  type        = bool
  default     = true
  nullable    = false
}

variable "language" {
  description = "The language the assistant's own sentences are in: zh-TW or en."
  type        = string
  default     = "zh-TW"
  nullable    = false

  validation {
    condition     = contains(["zh-TW", "en"], var.language)
    error_message = "language is zh-TW or en."
  }
}

variable "line_channel_id" {
  description = "The Messaging API channel's id: LINE Developers console, Basic settings."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[0-9]{10}$", var.line_channel_id))
    error_message = "line_channel_id has ten digits: LINE Developers console, Basic settings, Channel ID."
  }
}

variable "line_channel_secret" {
  description = "The Messaging API channel's secret: LINE Developers console, Basic settings."
  type        = string
  nullable    = false
  sensitive   = true
  ephemeral   = true

  validation {
    condition     = can(regex("^[0-9a-f]{32}$", var.line_channel_secret))
    error_message = "line_channel_secret has 32 digits from 0 to f: LINE Developers console, Basic settings, Channel secret."
  }
}

variable "min_instances" {
  description = "How many webhooks are kept warm; each costs about 10 USD a month, and none makes the first answer after a pause a few seconds slower."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = contains([0, 1, 2], var.min_instances)
    error_message = "min_instances is 0, 1 or 2."
  }
}

variable "model_service" {
  description = "Whose terms the family's words are sent to the model on: vertex (Google Cloud's, paid, by this project's own account) or gemini (the Gemini API's, by gemini_api_key; what an unpaid key is told, Google may learn from)."
  type        = string
  default     = "vertex"
  nullable    = false

  validation {
    condition     = contains(["vertex", "gemini"], var.model_service)
    error_message = "model_service is vertex or gemini."
  }
}

variable "project_id" {
  description = "The Google Cloud project everything is made in."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id is the project's id, not its name or number: 6 to 30 small letters, digits and hyphens."
  }
}

variable "region" {
  description = "Where the functions and queues are."
  type        = string
  default     = "asia-east1"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region is one of Google Cloud's, such as asia-east1."
  }
}

variable "secrets_version" {
  description = "Raise it by one whenever line_channel_secret or gemini_api_key has changed: Terraform keeps no secret to compare with."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = var.secrets_version >= 1 && floor(var.secrets_version) == var.secrets_version
    error_message = "secrets_version is a whole number, at least 1."
  }
}

variable "settings" {
  description = "Any other setting of services/settings.py, by its name in capitals, such as { WINDOW_TURNS = \"60\" }."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setsubtract(keys(var.settings), local.tunable)) == 0
    error_message = "settings has names that are none, or that have a variable of their own: ${join(", ", setsubtract(keys(var.settings), local.tunable))}."
  }
}

variable "timezone" {
  description = "Where the family lives, as the IANA time zone database calls it."
  type        = string
  default     = "Asia/Taipei"
  nullable    = false

  validation {
    condition     = can(regex("^(UTC|[A-Z][A-Za-z_]+(/[A-Z][A-Za-z_+-]+)+)$", var.timezone))
    error_message = "timezone is a name such as Asia/Taipei."
  }
}
