#!/usr/bin/env bash
# clang-tidy over what the release build compiles: tools/tidy.sh JOBS
set -euo pipefail
cd "$(dirname "$0")/.."
if ! run-clang-tidy -quiet -p build -j "$1" "^$PWD/(src|cli|examples|bench|fuzz|python|tests)/" \
  >build/tidy.log 2>&1; then
  sed 's/\x1b\[[0-9;]*m//g' build/tidy.log | grep -E '(warning|error):' | sort -u
  echo "tidy: see build/tidy.log"
  exit 1
fi
echo "tidy: no warnings"
