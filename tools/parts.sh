#!/usr/bin/env bash
# Makes one target after the other, and says at the end how long each took:
#   tools/parts.sh MINUTES TARGET...      (within so many minutes, on a machine with nothing else to do)
# Words of several targets, "test-cpp sanitize", are lanes that run side by side; what the second and later
# ones print comes when they have ended.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=$1
shift
record=$(mktemp -d)
total() {
  local failed=$?
  wait
  printf '\nseconds of each part:\n'
  cat "$record/times" 2>/dev/null || true
  rm -rf "$record"
  local verdict=": within the $minutes minutes that this may take"
  [ $SECONDS -le $((minutes * 60)) ] || verdict=": MORE THAN the $minutes minutes that this may take"
  [ $failed = 0 ] || verdict=": FAILED"
  [ -z "$beside" ] || verdict=", beside other targets"
  printf '%6d  in all%s\n' $SECONDS "$verdict"
}
trap total EXIT
lane() {
  local part start
  for part in $1; do
    printf '\n=== make %s\n' "$part"
    start=$SECONDS
    if make --no-print-directory "$part"; then
      printf '%6d  make %s\n' $((SECONDS - start)) "$part" >>"$record/times"
    else
      printf '%6d  make %s FAILED\n' $((SECONDS - start)) "$part" >>"$record/times"
      return 1
    fi
  done
}
beside=${PARTS_BESIDE:-}
lanes=()
for part in "$@"; do
  case $part in
    *\ *) lanes+=("$part") ;;
    *) lane "$part" || exit 1 ;;
  esac
done
[ ${#lanes[@]} -gt 0 ] || exit 0
export PARTS_BESIDE=1
for i in "${!lanes[@]}"; do
  [ "$i" != 0 ] || continue
  lane "${lanes[i]}" >"$record/lane$i" 2>&1 &
  running[i]=$!
done
ended=0
lane "${lanes[0]}" || ended=1
for i in "${!lanes[@]}"; do
  [ "$i" != 0 ] || continue
  wait "${running[i]}" || ended=1
  cat "$record/lane$i"
done
exit $ended
