#!/usr/bin/env bash
# clang-tidy: tools/tidy.sh JOBS all|changed
#
# `changed`: the public headers, and the sources that differ from where this branch left main (or,
# on main, from the commit before), at most so many: a rewrite of everything is for `all`.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1 which=$2 most=40
build=build-tidy log=build-tidy/tidy.log
# Each source by itself, without precompiled headers: they include what they need.
cmake --preset release -B $build -DCOPPICE_PRECOMPILE=OFF -DCOPPICE_TOGETHER=OFF >/dev/null

# What the build compiles, below the project.
compiled() {
  python3 - <<'END'
import json, os
for entry in json.load(open("build-tidy/compile_commands.json")):
    path = os.path.relpath(entry["file"])
    if not path.startswith(("..", "build")):
        print(path)
END
}

# The sources among "$@" themselves; for a header one source that includes it.
sources_of() {
  local file
  for file in "$@"; do
    case $file in
      *.cpp) echo "$file" ;;
      src/*.hpp) git grep -lF "#include \"${file#src/}\"" -- '*.cpp' | head -n 1 || true ;;
      *.hpp) git grep -lE "#include [\"<](.*/)?${file##*/}[\">]" -- '*.cpp' | head -n 1 || true ;;
    esac
  done
}

# Where this branch left main; on main the commit before.
base() {
  local branch left
  for branch in origin/main main; do
    left=$(git merge-base HEAD $branch 2>/dev/null) || continue
    if [ "$left" != "$(git rev-parse HEAD)" ]; then
      echo "$left"
      return
    fi
  done
  git rev-parse --verify --quiet HEAD~1
}

# Also what is not committed yet. Those that changed most come first.
changed() {
  git diff --numstat --diff-filter=d "$1" -- '*.cpp' '*.hpp' | sort -rn | cut -f 3
  git ls-files --others --exclude-standard -- '*.cpp' '*.hpp'
}

mapfile -t files < <(compiled | sort -u)
if [ "$which" = changed ] && from=$(base); then
  mapfile -t wanted < <(changed "$from")
  mapfile -t files < <(sources_of "${wanted[@]}" | awk '!seen[$0]++' |
    grep -Fx -f <(printf '%s\n' "${files[@]}"))
  if [ ${#files[@]} -gt $most ]; then
    echo "tidy: ${#files[@]} sources changed; the $most that changed most are looked at"
    files=("${files[@]:0:$most}")
  fi
fi

# The public headers as their users see them.
headers=$build/public_headers.cpp
for header in include/coppice/*.hpp; do echo "#include <${header#include/}>"; done >$headers
status=0
: >$log
clang-tidy -quiet $headers -- -std=c++20 -Iinclude >>$log 2>&1 || status=1
if [ ${#files[@]} -gt 0 ]; then
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" clang-tidy -quiet -p $build >>$log 2>&1 || status=1
fi
if [ $status != 0 ]; then
  sed 's/\x1b\[[0-9;]*m//g' $log | grep -E '(warning|error):' | sort -u
  echo "tidy: see $log"
  exit 1
fi
echo "tidy: ${#files[@]} sources and the public headers, no warnings"
