#!/usr/bin/env bash
# The Python package in .venv, and what runs with it:
#   tools/python.sh build|test light|test all|lint|docs|gallery|wheel|sdist|requirements GROUP|list GROUP, tools/python.sh experiments|peers [option...]
#
# Skipped, in plain words, where there is nothing to build or no package index can be reached. A
# package that does not build although its dependencies could be fetched is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv
sources="python bench examples experiments tools"

skip() {
  echo "python: SKIPPED: $*"
  exit 0
}

# A Python of at least 3.10 that can make environments and compile extensions.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" - 2>/dev/null <<'END' && echo "$python" && return
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 10) and os.path.exists(header)))
END
  done
  return 1
}

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# What pyproject.toml asks for: to build the package and run it; or its dependency group of that name.
requirements() {
  "$venv/bin/python" - "$1" <<'END'
import sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
if sys.argv[1] == "build":
    wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
else:
    wanted = project["dependency-groups"][sys.argv[1]]
print("\n".join(wanted))
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

# Versions and hashes are those of one Python on one kind of machine (tools/lock.sh).
lock_fits() {
  local here
  here=$("$venv/bin/python" -c 'import platform as p
print(f"# Python {p.python_version_tuple()[0]}.{p.python_version_tuple()[1]}, {p.system()}, {p.machine()};")')
  [ -f "tools/locks/$1.txt" ] && [[ $(head -n 1 "tools/locks/$1.txt") == "$here"* ]] && return
  echo "python: there is no lock file of '$1' for this Python: versions are what the index has"
  return 1
}

# install_requirements build|GROUP, once for every version of pyproject.toml
install_requirements() {
  local python log stamp=$venv/$1-requirements-of.toml
  cmp -s pyproject.toml "$stamp" && return
  python=$(find_python) || skip "no Python >= 3.10 with venv and headers (python3-venv, python3-dev)"
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  local how=($(requirements "$1"))
  if [ -n "${COPPICE_LOCKED:-}" ] && lock_fits "$1"; then
    how=(--require-hashes --requirement "tools/locks/$1.txt")
  fi
  echo "python: installing into $venv what '$1' needs${COPPICE_LOCKED:+, as locked}:" \
    $(requirements "$1")
  if ! log=$(pip install --quiet --retries 1 "${how[@]}" 2>&1); then
    index_answers || skip "no Python package index could be reached"
    echo "$log" >&2
    exit 1
  fi
  cp pyproject.toml "$stamp"
}

export CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}
# By the same name as in the build of the program, so that the cache knows what that compiled.
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CXX=${CXX:-c++}; fi
if [ "$1" = list ]; then  # of the packages that a group asks for
  requirements "$2"
  exit
fi
install_requirements build
case $1 in
  build) pip install --quiet --no-build-isolation --no-deps . ;;
  test)
    install_requirements test
    if [ "${2:-light}" = all ]; then
      install_requirements test-all
    else
      echo "python: without the tests of torch, ray and datasets (make test PYTHON_TESTS=all)"
    fi
    "$venv/bin/python" -m pytest python/tests
    ;;
  requirements) install_requirements "$2" ;;
  lint)
    install_requirements lint
    "$venv/bin/ruff" check $sources
    "$venv/bin/ruff" format --check $sources
    "$venv/bin/mypy" python/coppice
    ;;
  experiments)
    install_requirements experiments
    "$venv/bin/python" -m experiments "${@:2}"
    ;;
  peers) "$venv/bin/python" -m bench.peers "${@:2}" ;;
  gallery)
    for example in examples/gallery/*.py; do
      "$venv/bin/python" "$example" "docs/images/gallery/$(basename "$example" .py).svg"
    done
    ;;
  docs)
    install_requirements docs
    "$venv/bin/python" tools/site/build.py
    ;;
  sdist) # with the sources of the libraries that a build needs
    trap 'rm -rf third_party' EXIT
    tools/third_party.sh third_party
    rm -r third_party/googletest  # the tests need it, no user does
    "$venv/bin/python" -c 'from scikit_build_core.build import build_sdist; print("dist/" + build_sdist("dist"))'
    ;;
  wheel) # one that brings the shared libraries it needs along
    install_requirements wheel
    rm -rf dist
    pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist/unrepaired .
    PATH="$PWD/$venv/bin:$PATH" "$venv/bin/auditwheel" repair --wheel-dir dist dist/unrepaired/*.whl
    ;;
esac
