#!/usr/bin/env bash
# The C++ tests for aarch64 under qemu-user:
#   tools/test_aarch64.sh [JOBS [TEST...]]      (all unless told: core_test, ..., c_calls, program)
#
# By the compiler of the wheels (tools/cross.sh), with their flags. Every test of every program, of the
# long series of random graphs one in twenty; and the tests of `coppice` itself, among them the digest
# of lists, which is that of every machine.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/cross.sh
jobs=${1:-$(nproc)}
build=$cross/tests-aarch64
zig_setup aarch64
emulate bookworm
export COPPICE_EMULATOR=$(IFS=';' && echo "${emulator[*]}")  # which lists the tests
cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/Zig.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCOPPICE_THIRD_PARTY="$COPPICE_THIRD_PARTY" -DCOPPICE_TOGETHER=ON -DCOPPICE_TEST_ONE_OF=20 \
  -DCOPPICE_TEST_BUILD=OFF -DCOPPICE_BUILD_FUZZ=OFF -DCOPPICE_BUILD_EXAMPLES=OFF
tests=("${@:2}")
if [ ${#tests[@]} = 0 ]; then
  tests=($(ninja -C "$build" -t targets all | sed -nE 's|^tests/(.*/)?(\w+_test): CXX_EXE.*|\2|p') c_calls program)
fi
cmake --build "$build" -j "$jobs" --target "${tests[@]/%program/coppice_program}"

run_test() {
  if [ "$1" != program ]; then
    "${emulator[@]}" "$(find "$build/tests" -type f -name "$1")" --gtest_brief=1
    return
  fi
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${emulator[*]}" "$build/coppice" >"$build/emulated"
  chmod +x "$build/emulated"
  python3 tests/cli/program_test.py "$build/emulated" "$PWD/data"
}

failed=()
for name in "${tests[@]}"; do
  echo "test-aarch64: $name"
  run_test "$name" || failed+=("$name")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "test-aarch64: failed: ${failed[*]}" >&2
  exit 1
fi
