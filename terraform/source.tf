locals {
  root = abspath("${path.module}/..")

  deployed = ["assistant", "handlers", "main.py", "memory", "requirements.txt", "services"]
  # Whatever else lies at the top, so that nothing gets in by not having been thought of here.
  beside = setsubtract(
    flatten([
      for depth in ["*", "*/*", "*/*/*"] : [for path in fileset(local.root, depth) : split("/", path)[0]]
    ]),
    local.deployed,
  )
}

data "archive_file" "source" {
  type       = "zip"
  source_dir = local.root
  # No pattern may fit ".", which is the folder itself: nothing would be left.
  excludes         = setunion(local.beside, ["**/__pycache__", "**/*.pyc", "**/.?*"])
  output_file_mode = "0644" # The same zip from every machine.
  output_path      = "${path.module}/.terraform/source.zip"
}

resource "google_storage_bucket" "source" {
  name                        = "${var.project_id}-source-${random_id.suffix.hex}"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true

  # Git has the old versions; here they would only be paid for.
  soft_delete_policy {
    retention_duration_seconds = 0
  }

  depends_on = [time_sleep.apis]
}

# Under the same name a change would go unseen by the functions.
resource "google_storage_bucket_object" "source" {
  bucket = google_storage_bucket.source.name
  name   = "source-${data.archive_file.source.output_md5}.zip"
  source = data.archive_file.source.output_path
}

resource "google_artifact_registry_repository" "images" {
  repository_id          = "functions"
  location               = var.region
  format                 = "DOCKER"
  description            = "What Cloud Build makes of the functions' source."
  cleanup_policy_dry_run = false

  # Each deployment leaves an image per function, and Google deletes none by itself.
  cleanup_policies {
    id     = "keep-recent"
    action = "KEEP"
    most_recent_versions {
      keep_count = 2
    }
  }

  cleanup_policies {
    id     = "delete-old"
    action = "DELETE"
    condition {
      older_than = "604800s"
    }
  }

  depends_on = [time_sleep.apis]
}
