#!/usr/bin/env bash
# Wheels for Linux in dist/, for other Pythons, machines and older systems than this one, each tried:
#   tools/wheels.sh [ARCH...]      (x86_64, aarch64; both unless told)
#
# Made by the compiler of tools/cross.sh for glibc 2.17, with the libraries of tools/third_party.sh; for
# CPython 3.10, 3.11 and one for 3.12 and later, of those interpreters that are here with their headers
# (on PATH, in /usr/bin or in pyenv's folder), or of those that PYTHONS names. docs/release.md says more.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/cross.sh
most_bytes=3000000
versions=${PYTHONS:-3.10 3.11 3.12 3.13 3.14}

# interpreter VERSION: a Python of this version that can make environments and has its headers.
interpreter() {
  local python
  for python in "$(command -v "python$1" || true)" "/usr/bin/python$1" "$HOME"/.pyenv/versions/"$1".*/bin/"python$1"; do
    [ -x "$python" ] && "$python" - "$1" 2>/dev/null <<'CODE' && echo "$python" && return
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (os.path.exists(header) and sys.version.startswith(sys.argv[1] + ".")))
CODE
  done
  return 1
}

# environment NAME PYTHON: a fresh one below build/cross; prints its folder.
environment() {
  rm -rf "$cross/$1"
  "$2" -m venv "$cross/$1"
  echo "$cross/$1"
}

pip_of() { "$1/bin/python" -m pip --disable-pip-version-check --quiet "${@:2}"; }

# make_wheel ARCH PYTHON
make_wheel() {
  local here suffix env
  here=$(uname -m)
  suffix=$("$2" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  env=$(environment making "$2")
  pip_of "$env" install --require-hashes --requirement requirements/build.txt
  # The last two tell scikit-build-core for which machine it is.
  CMAKE_TOOLCHAIN_FILE=$PWD/cmake/Zig.cmake CMAKE_GENERATOR=Ninja \
    CMAKE_ARGS="-DCOPPICE_THIRD_PARTY=$COPPICE_THIRD_PARTY" CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} \
    _PYTHON_HOST_PLATFORM=linux-$1 SETUPTOOLS_EXT_SUFFIX=${suffix/$here/$1} \
    pip_of "$env" wheel --no-deps --no-build-isolation --wheel-dir "$cross/unrepaired" \
    --config-settings "build-dir=$cross/python-{wheel_tag}" .
}

# check_wheel WHEEL: for old systems, small, and without libraries of others beside the module.
check_wheel() {
  local bytes
  [[ $1 == *manylinux_${glibc/./_}_* ]] || { echo "wheels: $1 is not for glibc $glibc" >&2; exit 1; }
  bytes=$(stat -c %s "$1")
  echo "wheels: $(basename "$1"): $bytes bytes"
  [ "$bytes" -lt $most_bytes ] || { echo "wheels: more than $most_bytes bytes" >&2; exit 1; }
  if python3 -m zipfile -l "$1" | grep -q 'coppice\.libs/'; then
    echo "wheels: it carries shared libraries" >&2
    exit 1
  fi
}

# Installs the wheel in environments that have nothing else, and tries it; prints digests.
try_here() {
  local version python env
  for version in $versions; do
    case $1 in *-cp312-abi3-*) [[ $version > 3.11 ]] || continue ;; *-cp"${version/./}"-*) ;; *) continue ;; esac
    python=$(interpreter "$version") || continue
    env=$(environment trying "$python")
    pip_of "$env" install "$1"
    "$env/bin/python" -I tools/check_installed.py "$env/bin/coppice"
  done
}

try_wheel() {
  case $1 in
    *_"$(uname -m)".whl) try_here "$1" ;;
    *_aarch64.whl) try_emulated "$1" ;;
  esac
}

mkdir -p dist
tools/python.sh requirements wheel
[ $# -gt 0 ] || set -- x86_64 aarch64
for arch in "$@"; do
  zig_setup "$arch"
  rm -rf "$cross/unrepaired"
  for version in $versions; do
    python=$(interpreter "$version") || continue
    echo "wheels: $arch, Python $version"
    make_wheel "$arch" "$python"
    [[ $version < 3.12 ]] || break  # it is for all later ones, too
  done
  rm -f dist/coppice-*_"$arch".whl
  for wheel in "$cross"/unrepaired/*.whl; do
    # It finds the tag, since it takes none of another machine.
    PATH="$PWD/.venv/bin:$PATH" .venv/bin/auditwheel repair --wheel-dir dist "$wheel"
  done
done
for wheel in dist/coppice-*.whl; do
  check_wheel "$wheel"
  try_wheel "$wheel"
done | tee "$cross/tried"
if [ "$(grep -o 'trees: .*' "$cross/tried" | sort -u | wc -l)" != 1 ]; then
  echo "wheels: the lists of trees differ" >&2
  exit 1
fi
echo "wheels: all lists of trees are the same"
