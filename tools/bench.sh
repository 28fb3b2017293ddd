#!/usr/bin/env bash
# Builds and runs every benchmark: tools/bench.sh JOBS [cmake option...]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -f bench/CMakeLists.txt ]; then
  echo "bench: SKIPPED: this version has no benchmarks"
  exit 0
fi
cmake --preset bench "${@:2}"
cmake --build build -j "$1"
for program in build/bench/*_bench; do "$program"; done
