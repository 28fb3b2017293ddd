#!/usr/bin/env bash
# Formats every C and C++ file of the project and fills the text of its documents; with --check
# only says which C and C++ files are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run -Werror)
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.cpp' '*.h' '*.hpp' |
  xargs -0 clang-format "${mode[@]}"
[ "${1:-}" = --check ] || python3 tools/wrap.py
