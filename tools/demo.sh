#!/usr/bin/env bash
# What `make demo` shows: the best trees of a few bundled English sentences, and a page of them.
#   tools/demo.sh JOBS [option of cmake...]
#
# From nothing it compiles the program alone, a few large pieces at a time (preset "demo"); where
# there is a build already, that one is brought up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1
scores=data/ud-scores/English-EWT.npz
text=data/en_ewt-ud-test.conllu
page=out/demo.html

build=build
if [ ! -f build/build.ninja ]; then
  build=build-demo
  echo "demo: compiling the program (about a minute where nothing is compiled yet)"
  cmake --preset demo "${@:2}" >/dev/null
fi
cmake --build $build -j "$jobs" --target coppice_program
coppice=$build/coppice

show() { printf '\n$ %s\n' "$*" && "$@"; }
mkdir -p out
show $coppice decode $scores --text $text --shard 1/500 -k 3 --root single --format text
show $coppice view $scores --text $text --shard 1/50 -k 20 --root single -o $page
cat <<END

The same trees to walk through, lock and correct in a browser: $page
What to try next:
  $coppice decode $scores --text $text -k 5 --root single -o out/trees.jsonl   # a whole test set
  $coppice confidence $scores --text $text --root single -o out/sure.conllu   # how sure every head is
  $coppice decode --help    # your own scores: .npy, .npz, JSON lines, edge lists, GraphML, DOT
  make build    # the library, the Python package in .venv, the tests; then docs/python.md, docs/cli.md
END
