#!/bin/sh
# Deploys only after two of three people have approved this commit: ./deploy.sh <requester> <command …>
# It needs MFA_BASE_URL, MFA_API_KEY and MFA_DOMAIN_ID, and trust.json from `second-factor proof keys`, stored beforehand.
set -eu

requester=$1
shift
commit=$(git rev-parse HEAD)

# The exit code is 1 after a denial, 2 where the time was over, and 3 where the outcome is unknown: none of them deploys.
second-factor ask --approvers "${APPROVERS:-anna,ben,cem}" --needed 2 --requested-by "$requester" --expires-in 900 \
  --title 'Deploy to production' --detail "commit=$commit" --detail "command=$*" > "proof-$commit.json"
second-factor proof verify "proof-$commit.json" --trust trust.json

# What was approved is what runs: the commit may have changed meanwhile.
[ "$(git rev-parse HEAD)" = "$commit" ]
exec "$@"
