#!/usr/bin/env bash
# Tracked files must not name folders of one person's machine.
set -euo pipefail
cd "$(dirname "$0")/.."
if git grep -InE '(^|[^A-Za-z0-9_.~/-])/(home|root|work|Users|mnt)/[A-Za-z0-9._]' -- . ':!data'; then
  echo "words: absolute paths of a machine, see above"
  exit 1
fi
echo "words: no absolute paths"
