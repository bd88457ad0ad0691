#!/bin/sh
# Deploys a commit after two of three people have approved it, and never the person who deploys:
#
#   MFA_BASE_URL=… MFA_API_KEY=… MFA_DOMAIN_ID=… sh examples/deploy.sh v4.2 /srv/app
#
# DEPLOYER and APPROVERS are usernames. TRUST names the file of `second-factor proof keys`, which you keep outside the service.
# Exits with the code of `second-factor ask`: 0 approved, 1 denied, 2 expired, 3 unknown.
set -eu
umask 077

version=${1:?usage: deploy.sh VERSION FOLDER}
folder=${2:?usage: deploy.sh VERSION FOLDER}
# A tag can move while people read, so they approve a commit, and exactly that commit is deployed.
commit=$(git rev-parse --verify --quiet "$version^{commit}") || { echo "No such version: $version" >&2; exit 3; }
proof=approval-$commit-$(date +%s).json

code=0
npx second-factor ask \
  --approvers "${APPROVERS:-anna,ben,cem}" --needed 2 --requested-by "${DEPLOYER:-$(id -un)}" \
  --title "Deploy $version to production" --detail "Commit=$commit" --detail "Folder=$folder" \
  --expires-in 900 >"$proof" || code=$?
# A denial is proved, too. Without an answer of the service there is nothing to keep.
[ -s "$proof" ] || rm -f "$proof"
[ "$code" -eq 0 ] || exit "$code"
if [ -n "${TRUST:-}" ]; then
  verified=$(npx second-factor proof verify "$proof" --trust "$TRUST") || { echo "$verified" >&2; exit 3; }
  echo "$verified" >&2
  # A valid proof of another deployment is none of this one.
  echo "$verified" | grep -q "^ *Commit  *$commit\$" || { echo "The proof is of another commit." >&2; exit 3; }
fi

mkdir -p -- "$folder"
git archive "$commit" | tar -x -C "$folder"
echo "Deployed $version. The proof is in $proof."
