locals {
  # The fields each collection is searched by. Nothing else is indexed: not the family's words, not
  # the vectors, not moments that only ever grow. Collections that are read by path have none.
  indexed = {
    conversations = {}
    digests       = {}
    events        = { done = "ASCENDING" }
    facts = {
      about       = "ASCENDING"
      active      = "ASCENDING"
      by          = "ASCENDING"
      embed_model = "ASCENDING"
      sources     = "CONTAINS"
    }
    reminders = {
      by     = "ASCENDING"
      source = "ASCENDING"
    }
    rings     = { done = "ASCENDING" }
    strangers = {}
    threads   = {}
    usage     = {}
  }

  indexed_fields = merge([
    for collection, fields in local.indexed :
    { for field, kind in fields : "${collection}/${field}" => { collection = collection, field = field, kind = kind } }
  ]...)

  # Where expires_at says when a document may go.
  expiring = toset(["digests", "events", "facts", "reminders", "rings", "strangers", "usage"])
}

resource "google_firestore_database" "this" {
  name                    = "(default)" # The one of a project that has a free quota.
  location_id             = coalesce(var.firestore_location, var.region)
  type                    = "FIRESTORE_NATIVE"
  delete_protection_state = var.keep_data ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = var.keep_data ? "ABANDON" : "DELETE"

  depends_on = [time_sleep.apis]
}

import {
  for_each = var.database_exists ? toset(["projects/${var.project_id}/databases/(default)"]) : toset([])
  to       = google_firestore_database.this
  id       = each.value
}

resource "google_firestore_field" "unindexed" {
  for_each = local.indexed

  database   = google_firestore_database.this.name
  collection = each.key
  field      = "*"

  index_config {}
}

resource "google_firestore_field" "indexed" {
  for_each = local.indexed_fields

  database   = google_firestore_database.this.name
  collection = each.value.collection
  field      = each.value.field

  index_config {
    indexes {
      query_scope  = "COLLECTION"
      order        = each.value.kind == "CONTAINS" ? null : each.value.kind
      array_config = each.value.kind == "CONTAINS" ? "CONTAINS" : null
    }
  }

  depends_on = [google_firestore_field.unindexed]
}

resource "google_firestore_field" "expiring" {
  for_each = local.expiring

  database   = google_firestore_database.this.name
  collection = each.value
  field      = "expires_at"

  ttl_config {}
  index_config {}

  depends_on = [google_firestore_field.unindexed]
}

# The facts nearest to a vector, of those that the same model has embedded.
resource "google_firestore_index" "nearest" {
  database    = google_firestore_database.this.name
  collection  = "facts"
  query_scope = "COLLECTION"

  fields {
    field_path = "embed_model"
    order      = "ASCENDING"
  }

  # The API puts it here; where it is left away, every plan wants to build the index anew.
  fields {
    field_path = "__name__"
    order      = "ASCENDING"
  }

  fields {
    field_path = "embedding"
    vector_config {
      dimension = 768
      flat {}
    }
  }
}

# The facts that would be missed least.
resource "google_firestore_index" "least" {
  database    = google_firestore_database.this.name
  collection  = "facts"
  query_scope = "COLLECTION"

  dynamic "fields" {
    for_each = ["active", "importance", "said_at", "__name__"]
    content {
      field_path = fields.value
      order      = "ASCENDING"
    }
  }
}
