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
build/bench/cliffs
# Against Python and numpy, where the package is built.
if .venv/bin/python -c 'import coppice' 2>/dev/null; then
  for script in python_overhead distribution_numpy; do .venv/bin/python "bench/$script.py"; done
fi
