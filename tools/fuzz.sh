#!/usr/bin/env bash
# Runs the fuzz targets, so many side by side: tools/fuzz.sh JOBS SECONDS-PER-TARGET [target...]
#
# Begins with the committed corpus (fuzz/corpus/TARGET) and what earlier runs found
# (build-sanitize/corpus/TARGET). An input that breaks something is left in build-sanitize/crashes; once it is
# mended, it belongs in fuzz/corpus/TARGET, where `make test` replays it for good. Needs nothing but
# build-sanitize/fuzz and fuzz/corpus: the rest of both may stay on the machine that compiled them.
set -euo pipefail
cd "$(dirname "$0")/../build-sanitize"
jobs=$1 seconds=$2
shift 2
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
  for corpus in ../fuzz/corpus/*; do targets+=("${corpus##*/}"); done
fi
# Files that targets write; memory is quicker than a disk.
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=16
fuzz() {
  local target=$1 log=corpus/$1.log result=ok
  mkdir -p "corpus/$target" crashes "$scratch/$target"
  TMPDIR=$scratch/$target "fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=20 \
    -rss_limit_mb=1500 -malloc_limit_mb=256 -print_final_stats=1 \
    -artifact_prefix="crashes/$target-" "corpus/$target" "../fuzz/corpus/$target" >"$log" 2>&1 ||
    result=FAILED
  local executions units findings
  executions=$(sed -n 's/stat::number_of_executed_units: *//p' "$log")
  units=$(sed -n 's/stat::new_units_added: *//p' "$log")
  findings=$(find crashes -name "$target-*" -newer "$scratch/began" | wc -l)
  printf '%-14s %12s %10s %9s  %s\n' "$target" "${executions:-?}" "${units:-?}" "$findings" $result \
    >"$scratch/$target.row"
  [ $result = ok ] && return
  echo "fuzz: $target: FAILED"
  grep -E 'ERROR|Failure|runtime error|what\(\)|Test unit written' -A 6 "$log" | head -n 40
  return 1
}
export -f fuzz
export scratch seconds
touch "$scratch/began"
result=0
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I TARGET bash -c 'fuzz TARGET' || result=1
printf '%-14s %12s %10s %9s\n' "$seconds s each" executions 'new units' findings
cat "$scratch"/*.row
exit $result
