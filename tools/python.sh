#!/usr/bin/env bash
# The Python package in .venv: tools/python.sh build|test|lint
#
# Skipped, in plain words, where there is nothing to build or no package index can be reached. A
# package that does not build although its dependencies could be fetched is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv
stamp=$venv/installed-for.toml  # the pyproject.toml whose requirements are installed

skip() {
  echo "python: SKIPPED: $*"
  exit 0
}

# A Python of at least 3.9 that can make environments and compile extensions.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" - 2>/dev/null <<'END' && echo "$python" && return
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 9) and os.path.exists(header)))
END
  done
  return 1
}

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# What pyproject.toml asks for: to build the package, to run it, and its dependency group "dev".
requirements() {
  "$venv/bin/python" - <<'END'
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
wanted = project["build-system"]["requires"] + project["project"].get("dependencies", [])
print("\n".join(wanted + project.get("dependency-groups", {}).get("dev", [])))
END
}

index_answers() {
  local scratch status=0
  scratch=$(mktemp -d)
  # Wheels on disk are no index.
  PIP_FIND_LINKS= pip download --quiet --retries 1 --no-deps --dest "$scratch" pip >/dev/null 2>&1 || status=1
  rm -rf "$scratch"
  return $status
}

install_requirements() {
  cmp -s pyproject.toml "$stamp" && return
  local python log
  python=$(find_python) || skip "no Python >= 3.9 with venv and headers (python3-venv, python3-dev)"
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  echo "python: installing what the package needs into $venv"
  if ! log=$(pip install --quiet --retries 1 --requirement <(requirements) 2>&1); then
    index_answers || skip "no Python package index could be reached"
    echo "$log" >&2
    exit 1
  fi
  cp pyproject.toml "$stamp"
}

[ -f pyproject.toml ] || skip "this version has no Python package"
if [ "$1" = build ]; then
  install_requirements
  pip install --quiet --no-build-isolation --no-deps .
  exit
fi
cmp -s pyproject.toml "$stamp" || skip "the package was not built (see above)"
case $1 in
  test) "$venv/bin/python" -m pytest python/tests ;;
  lint)
    "$venv/bin/ruff" check python
    "$venv/bin/ruff" format --check python
    "$venv/bin/mypy" --strict python/coppice
    ;;
esac
