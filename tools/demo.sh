#!/usr/bin/env bash
# What `make demo` shows: the best trees of a few bundled English sentences, and a page of them.
set -euo pipefail
cd "$(dirname "$0")/.."
scores=data/ud-scores/English-EWT.npz
text=data/en_ewt-ud-test.conllu
page=out/demo.html

if [ ! -x build/coppice ]; then  # a build without the program
  build/examples/kbest
  exit
fi
show() { printf '\n$ %s\n' "$*" && "$@"; }
mkdir -p out
show build/coppice decode "$scores" --text "$text" --shard 1/500 -k 3 --root single --format text
show build/coppice view "$scores" --text "$text" --shard 1/50 -k 20 --root single -o "$page"
printf '\nThe same trees to walk through in a browser: %s\n' "$page"
