#!/usr/bin/env bash
# Makes one target after the other, and says at the end how long each took:
#   tools/parts.sh MINUTES TARGET...      (within so many minutes, on a machine with nothing else to do)
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=$1
shift
times=()
total() {
  printf '\nseconds of each part:\n'
  printf '%6d  make %s\n' "${times[@]}"
  printf '%6d  in all: %s the %d minutes that this may take\n' $SECONDS \
    "$([ $SECONDS -le $((minutes * 60)) ] && echo within || echo MORE THAN)" "$minutes"
}
trap total EXIT
for part in "$@"; do
  printf '\n=== make %s\n' "$part"
  start=$SECONDS
  times+=("0" "$part, not finished")
  make --no-print-directory "$part"
  times[-2]=$((SECONDS - start))
  times[-1]=$part
done
