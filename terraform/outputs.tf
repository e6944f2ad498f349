locals {
  doctor      = "python3 -m local.doctor --project ${var.project_id} --region ${var.region} --channel ${var.line_channel_id}"
  webhook_url = google_cloudfunctions2_function.this["webhook"].url

  console = {
    database = "https://console.cloud.google.com/firestore/databases/-default-/data?project=${var.project_id}"
    line     = "https://developers.line.biz/console/"
    logs     = "https://console.cloud.google.com/logs/query;query=resource.type%3D%22cloud_run_revision%22?project=${var.project_id}"
    queues   = "https://console.cloud.google.com/cloudtasks?project=${var.project_id}"
  }
}

output "console" {
  description = "Where to look: LINE's channel, and in Google Cloud the logs, queues and database."
  value       = local.console
}

output "invitation_code" {
  description = "What the family types once in each chat: /啟用 and this code. Shown by: terraform output -raw invitation_code."
  value       = random_password.invitation_code.result
  sensitive   = true
}

output "next_step" {
  description = "What is left to do."
  value       = <<-EOT
    接下來，在專案的資料夾裡：
      1. 接上 LINE（會問 Channel secret）：
           ${local.doctor} --language zh-TW
         它把 LINE 的 Webhook URL 設為 ${local.webhook_url}，測試，
         再說出哪些開關只有人能按。以後機器人不出聲，同一行加上 --check，它會說為什麼。
      2. 取得邀請碼：terraform -chdir=terraform output -raw invitation_code
         加好友後，在聊天室輸入：/啟用 邀請碼

    Next, in the project's folder:
      1. Connect LINE (it asks for the channel secret):
           ${local.doctor} --language en
         It sets LINE's webhook URL to ${local.webhook_url}, tests it,
         and says which switches only a person can flip. Later, when the bot is silent, the same line
         with --check says why.
      2. Get the invitation code: terraform -chdir=terraform output -raw invitation_code
         Add the account as a friend and type in the chat: /activate CODE
  EOT
}

output "secrets" {
  description = "The secrets' names in Secret Manager."
  value       = sort([for secret in google_secret_manager_secret.this : secret.secret_id])
}

output "source_bucket" {
  description = "The bucket the functions' source is in."
  value       = google_storage_bucket.source.name
}

output "webhook_url" {
  description = "The address LINE is to call."
  value       = local.webhook_url
}
