locals {
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
  description = "What is left to do by hand."
  value       = <<-EOT
    接下來：
      1. 到 ${local.console.line} 打開頻道的 Messaging API 分頁，把 Webhook URL 設為 ${local.webhook_url}，
         按「Verify」，並開啟「Use webhook」。
      2. 在 LINE Official Account Manager 關閉「自動回應訊息」；要在群組使用，請開啟「接受邀請加入群組或多人聊天室」。
      3. 取得邀請碼：terraform output -raw invitation_code
         加好友後，在聊天室輸入：/啟用 邀請碼

    Next:
      1. At ${local.console.line}, on the channel's Messaging API tab, set the Webhook URL to ${local.webhook_url},
         press "Verify" and turn "Use webhook" on.
      2. In LINE Official Account Manager turn auto-reply messages off; for groups, allow the account to join them.
      3. Get the invitation code: terraform output -raw invitation_code
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
