# Programs for aarch64 under qemu-user, in a small Debian of that machine: for tools/wheels.sh, after
# tools/zig.sh.
. tools/debian.sh

# emulated_system SUITE PACKAGE...
emulated_system() {
  tools/setup.sh emulate
  debian_index "$cross/$1-arm64" arm64 "$1"
  debian_packages "$cross/$1-arm64/system" "${@:2}"
}

# try_emulated WHEEL: installs it and numpy by the tags of that machine, and tries both. There are
# Pythons of two Debians.
try_emulated() {
  local suite version site=$cross/trying
  case $1 in
    *-cp311-*) suite=bookworm version=3.11 ;;
    *-abi3-*) suite=trixie version=3.13 ;;
    *) echo "wheels: no emulated Python for it: not tried" && return ;;
  esac
  emulated_system "$suite" "python$version"
  rm -rf "$site"
  .venv/bin/python -m pip --disable-pip-version-check --quiet install --target "$site" \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 \
    --platform manylinux2014_aarch64 --only-binary :all: --implementation cp --python-version "$version" \
    --abi "cp${version/./}" --abi abi3 --abi none "$1"
  local system=$cross/$suite-arm64/system
  local python=(qemu-aarch64-static -L "$system" "$system/usr/bin/python$version")
  PYTHONPATH=$site "${python[@]}" tools/check_installed.py "${python[*]} $site/bin/coppice"
}
