#!/usr/bin/env bash
# The Python package in .venv, and what runs with it:
#   tools/python.sh environment|build|test light|test all|sanitize|lint|docs|gallery|wheel|sdist
#   tools/python.sh requirements GROUP | lock [GROUP...] | experiments|peers [option...]
#
# Packages are installed and locked by uv. Skipped, in plain words, where there is nothing to build or no
# package index can be reached. A package that does not build although its dependencies could be fetched
# is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/.venv
uv=0.13.8
sources="python bench examples experiments tools tests/mutants docs/site"
export VIRTUAL_ENV=$venv UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy
export UV_FIND_LINKS=${UV_FIND_LINKS:-${PIP_FIND_LINKS:-}}  # wheels on disk

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

environment() {
  local python
  [ ! -x "$venv/bin/uv" ] || return 0
  python=$(find_python) || skip "no Python >= 3.10 with venv and headers (python3-venv, python3-dev)"
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip install --quiet --retries 1 uv==$uv ||
    skip "no Python package index could be reached"
}

# lock GROUP...: writes requirements/GROUP.txt, what the group of pyproject.toml asks for and all that
# these need, with versions and hashes, for every Python and machine that is supported. CI and the
# wheels install these and nothing else (COPPICE_LOCKED=1). To be run after a change to pyproject.toml.
lock() {
  local group least
  for group in "$@"; do
    case $group in test*) least=3.11 ;; *) least=3.10 ;; esac  # the networkx that is tested needs it
    "$venv/bin/uv" pip compile --quiet --no-header --no-annotate --group "$group" --universal \
      --python-version $least --generate-hashes --upgrade |
      sed -e ':more' -e '/\\$/{N;s/ *\\\n */ /;b more' -e '}' >"requirements/$group.txt"
    echo "lock: $(grep -c == "requirements/$group.txt") packages for '$group'"
  done
}

# install_requirements GROUP, once for every version of pyproject.toml
install_requirements() {
  local how stamp=$venv/$1-requirements-of.toml
  cmp -s pyproject.toml "$stamp" && return
  environment
  how=(--group "pyproject.toml:$1")
  if [ -n "${COPPICE_LOCKED:-}" ] && [ -e "requirements/$1.txt" ]; then
    how=(--require-hashes --requirement "requirements/$1.txt")
  fi
  echo "python: installing into .venv what '$1' needs: ${how[*]}"
  if ! "$venv/bin/uv" pip install --quiet "${how[@]}"; then
    # Wheels on disk are no index.
    UV_FIND_LINKS='' "$venv/bin/uv" pip install --quiet --dry-run --no-cache --reinstall-package uv uv 2>/dev/null ||
      skip "no Python package index could be reached"
    exit 1
  fi
  cp pyproject.toml "$stamp"
}

# In the build of the library and the program, once that has been configured for it: one compilation of
# all.
settings=(-C build-dir=build -C cmake.define.COPPICE_BUILD_TESTS=ON -C cmake.define.COPPICE_BUILD_EXAMPLES=ON)
build() {
  "$venv/bin/uv" pip install --quiet --no-build-isolation --no-deps --reinstall-package coppice "${settings[@]}" .
}

# The tests with the extension of `make python-sanitize`, the objects being those of `make sanitize`.
# Leaks are not looked for: an interpreter that ends leaves much behind.
sanitize() {
  local package=build-sanitize/package preload
  cmake --preset sanitize -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache >/dev/null && echo ccache)" \
    -DPython_EXECUTABLE="$venv/bin/python" -Dnanobind_DIR="$("$venv/bin/python" -m nanobind --cmake_dir)" \
    -DCOPPICE_BUILD_PYTHON=ON >/dev/null
  cmake --build build-sanitize -j "${JOBS:-$(nproc)}" --target coppice_python
  # The package as it is in the sources, with this extension in it.
  rm -rf $package
  mkdir -p $package
  cp -r python/coppice $package/
  cp build-sanitize/python/_core*.so $package/coppice/
  # Python itself does not link the C++ library, whose exceptions the sanitizer must find at the start.
  preload="$(clang++ -print-file-name="libclang_rt.asan-$(uname -m).so") $(clang++ -print-file-name=libstdc++.so)"
  # Not the tests that start other programs (Spark, wheels, type checkers) or are of other packages.
  # What the sanitizer says goes to the real standard error, which pytest would keep to itself.
  env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$package \
    "$venv/bin/python" -m pytest -q -p no:cacheprovider --capture=sys python/tests --durations=20 \
    --ignore=python/tests/test_wheel.py --ignore=python/tests/test_corpora.py \
    --ignore=python/tests/test_torch.py --ignore=python/tests/test_device.py --ignore=python/tests/test_package.py \
    --ignore=python/tests/test_program.py --ignore=python/tests/test_experiments.py --ignore=python/tests/test_gallery.py \
    --ignore=python/tests/test_networkx_backend.py --ignore=python/tests/test_stanza.py --ignore=python/tests/test_supar.py
}

export CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}
[ "$1" = options ] || environment
case $1 in
  environment) install_requirements build ;;
  options)  # of CMake, to compile the extension along
    [ ! -e "$venv/build-requirements-of.toml" ] || echo "-DCOPPICE_BUILD_PYTHON=ON" \
      "-DPython_EXECUTABLE=$venv/bin/python -Dnanobind_DIR=$("$venv/bin/python" -m nanobind --cmake_dir)"
    ;;
  build) install_requirements build && build ;;
  test)
    install_requirements test
    if [ "${2:-light}" = all ]; then
      install_requirements test-all
    else
      echo "python: without the tests of torch, ray and datasets (make test PYTHON_TESTS=all)"
    fi
    "$venv/bin/python" -m pytest python/tests --durations=20
    ;;
  sanitize) install_requirements build && install_requirements test && sanitize ;;
  requirements) install_requirements "$2" ;;
  lock) if [ $# -gt 1 ]; then lock "${@:2}"; else lock build test test-all lint docs wheel cross; fi ;;
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
    "$venv/bin/python" docs/site/build.py
    ;;
  sdist) # with the sources of the libraries that a build needs
    install_requirements build
    trap 'rm -rf third_party' EXIT
    tools/third_party.sh third_party
    rm -r third_party/googletest  # the tests need it, no user does
    "$venv/bin/python" -c 'from scikit_build_core.build import build_sdist; print("dist/" + build_sdist("dist"))'
    ;;
  wheel) # one that brings the shared libraries it needs along
    install_requirements wheel
    rm -rf dist/unrepaired dist/*.whl
    "$venv/bin/python" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist/unrepaired "${settings[@]}" .
    PATH="$venv/bin:$PATH" "$venv/bin/auditwheel" repair --wheel-dir dist dist/unrepaired/*.whl
    ;;
esac
