#!/usr/bin/env bash
# Makes what cloudbuild.yaml needs, after a first `terraform apply` by hand. May be run again at any
# time; after a change of terraform.tfvars it should be.
#
#   terraform/pipeline.sh PROJECT_ID [REGION]
#
# It expects terraform/terraform.tfvars with line_channel_secret (and gemini_api_key) in it: a
# pipeline can't be asked.
set -euo pipefail

project=${1:?which project? terraform/pipeline.sh PROJECT_ID [REGION]}
region=${2:-asia-east1}
here=$(cd "$(dirname "$0")" && pwd)
tfvars=$here/terraform.tfvars
bucket=gs://$project-terraform-state
account=line-deploy@$project.iam.gserviceaccount.com

if [[ ! -f $tfvars ]]; then
  echo "There is no $tfvars: copy terraform.tfvars.example, and add the secrets." >&2
  exit 1
fi

# What the account may do in the project. It changes functions, queues and indexes; the rest it only
# reads, to compare. It makes no account, grants no right and reads no document of the database by
# itself. But the functions run what is pushed, with their rights: who may push to the main branch
# may read what the family says.
roles=(
  roles/artifactregistry.reader
  roles/browser
  roles/cloudfunctions.developer
  roles/cloudtasks.queueAdmin
  roles/datastore.indexAdmin
  roles/iam.roleViewer
  roles/iam.securityReviewer
  roles/iam.serviceAccountViewer
  roles/logging.logWriter
  roles/monitoring.viewer
  roles/secretmanager.viewer
  roles/serviceusage.serviceUsageViewer
)
# Deploying a function means acting as the accounts it is built and run by, and as no other.
acted_as=(line-build line-push line-webhook)

there() { "$@" > /dev/null 2>&1; }
quietly() { "$@" > /dev/null; }

# The state: its old versions are kept, should one be lost.
there gcloud storage buckets describe "$bucket" --project="$project" ||
  gcloud storage buckets create "$bucket" --project="$project" --location="$region" \
    --uniform-bucket-level-access --public-access-prevention
quietly gcloud storage buckets update "$bucket" --versioning

there gcloud iam service-accounts describe "$account" --project="$project" ||
  gcloud iam service-accounts create line-deploy --project="$project" \
    --display-name="Deploys, from Cloud Build"

there gcloud secrets describe deploy-tfvars --project="$project" ||
  gcloud secrets create deploy-tfvars --project="$project" --replication-policy=automatic
quietly gcloud secrets versions add deploy-tfvars --project="$project" --data-file="$tfvars"

for role in "${roles[@]}"; do
  quietly gcloud projects add-iam-policy-binding "$project" \
    --member="serviceAccount:$account" --role="$role" --condition=None
done
for name in "${acted_as[@]}"; do
  quietly gcloud iam service-accounts add-iam-policy-binding \
    "$name@$project.iam.gserviceaccount.com" --project="$project" \
    --member="serviceAccount:$account" --role=roles/iam.serviceAccountUser
done
quietly gcloud storage buckets add-iam-policy-binding "$bucket" \
  --member="serviceAccount:$account" --role=roles/storage.objectUser
quietly gcloud secrets add-iam-policy-binding deploy-tfvars --project="$project" \
  --member="serviceAccount:$account" --role=roles/secretmanager.secretAccessor

# What has a random name, or is there only with a key: as the state knows it.
source=$(terraform -chdir="$here" output -raw source_bucket)
quietly gcloud storage buckets add-iam-policy-binding "gs://$source" \
  --member="serviceAccount:$account" --role=roles/storage.objectUser
quietly gcloud storage buckets add-iam-policy-binding "gs://$source" \
  --member="serviceAccount:$account" --role=roles/storage.legacyBucketReader
for secret in $(terraform -chdir="$here" output -json secrets | tr -cs 'a-z-' ' '); do
  for role in roles/secretmanager.secretAccessor roles/secretmanager.secretVersionManager; do
    quietly gcloud secrets add-iam-policy-binding "$secret" --project="$project" \
      --member="serviceAccount:$account" --role="$role"
  done
done

cat << EOF

What is left, once:
  1. Move the state into the bucket:
       cp terraform/backend.tf.example terraform/backend.tf
       terraform -chdir=terraform init -migrate-state -backend-config=bucket=${bucket#gs://}
  2. Connect the repository, and let its main branch trigger cloudbuild.yaml as $account:
       https://console.cloud.google.com/cloud-build/triggers?project=$project
EOF
