#!/usr/bin/env bash
# Formats every C and C++ file of the project and fills the text of its documents; with --check
# only says which files are not.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run -Werror)
python3 tools/wrap.py "$@"
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.cpp' '*.h' '*.hpp' |
  xargs -0 clang-format "${mode[@]}"
