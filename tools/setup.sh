#!/usr/bin/env bash
# Debian packages: tools/setup.sh GROUP...   (groups: program, build, test, lint, valgrind, wasm, emulate)
#
# Installs what is missing where it can (apt-get, as root), else prints the command that would.
# Does nothing, quickly, when all is there.
set -euo pipefail

program="build-essential ccache cmake ninja-build libhwy-dev libeigen3-dev
         libfmt-dev libcli11-dev nlohmann-json3-dev libexpat1-dev zlib1g-dev"
build="$program pkg-config libgtest-dev libbenchmark-dev python3-venv python3-dev"
# The page is tested in a browser, the engine in JavaScript; without them those tests are skipped.
test="chromium firefox-esr nodejs"
lint="clang clang-format clang-tidy libclang-rt-14-dev"
valgrind="valgrind"
emulate="qemu-user-static"
wasm="emscripten node-acorn zopfli libhwy-dev libeigen3-dev"

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system, nothing installed. On Debian 12 these packages are used:" \
    $build $test $lint
  exit 0
fi

# The packages among "$@" that are not installed.
missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install() {
  [ "$(id -u)" = 0 ] || return 1
  echo "setup: installing" "$@"
  export DEBIAN_FRONTEND=noninteractive
  local log status=0
  log=$(mktemp)
  { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1 || status=1
  [ $status = 0 ] || tail -n 20 "$log" >&2
  rm -f "$log"
  return $status
}

exec 9>"${TMPDIR:-/tmp}/coppice-setup.lock" && flock 9  # two targets may be made side by side
for group in "$@"; do
  packages=$(missing ${!group})
  if [ -z "$packages" ] || install $packages; then continue; fi
  echo "setup: these Debian packages are missing and could not be installed. As root:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends" $packages >&2
  if [ "$group" = test ]; then echo "setup: the tests that need them are skipped." >&2; else exit 1; fi
done
