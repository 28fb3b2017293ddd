#!/usr/bin/env bash
# Writes tools/locks/GROUP.txt: the packages that pyproject.toml asks for and all that these need,
# with versions and hashes, for the Python at hand. CI installs these and nothing else
# (tools/python.sh with COPPICE_LOCKED=1). To be run after a change to pyproject.toml.
set -euo pipefail
cd "$(dirname "$0")/.."
for group in ${*:-build test test-all lint docs wheel}; do
  wanted=$(tools/python.sh list "$group")
  report=$(mktemp)
  .venv/bin/python -m pip --disable-pip-version-check install --quiet --dry-run --ignore-installed \
    --report "$report" $wanted 2>/dev/null
  .venv/bin/python - "$report" >"tools/locks/$group.txt" <<'END'
import json
import platform
import sys

with open(sys.argv[1]) as file:
    found = json.load(file)["install"]
version = ".".join(platform.python_version_tuple()[:2])
print(f"# Python {version}, {platform.system()}, {platform.machine()}; written by tools/lock.sh")
for package in sorted(found, key=lambda package: package["metadata"]["name"].lower()):
    name, number = package["metadata"]["name"], package["metadata"]["version"]
    digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
    print(f"{name}=={number} --hash=sha256:{digest}")
END
  rm -f "$report"
  echo "lock: $(grep -c == "tools/locks/$group.txt") packages for '$group'"
done
