# Programs for aarch64 under qemu-user, in a small Debian of that machine with its Python; after
# tools/zig.sh.
. tools/debian.sh
declare -A debian_python=([bookworm]=3.11 [trixie]=3.13)

# emulate SUITE: what runs programs there is then in the array `emulator`.
emulate() {
  tools/setup.sh emulate
  debian_index "$cross/$1-arm64" arm64 "$1"
  debian_packages "$cross/$1-arm64/system" "python${debian_python[$1]}" libstdc++6  # numpy needs it
  emulator=(qemu-aarch64-static -L "$cross/$1-arm64/system")
}

# try_emulated WHEEL: installs it and numpy by the tags of that machine, and tries both.
try_emulated() {
  local suite version site=$cross/trying
  case $1 in
    *-cp311-*) suite=bookworm ;;
    *-abi3-*) suite=trixie ;;
    *) echo "wheels: no emulated Python for it: not tried" && return ;;
  esac
  emulate "$suite"
  version=${debian_python[$suite]}
  rm -rf "$site"
  .venv/bin/python -m pip --disable-pip-version-check --quiet install --target "$site" \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 \
    --platform manylinux2014_aarch64 --only-binary :all: --implementation cp --python-version "$version" \
    --abi "cp${version/./}" --abi abi3 --abi none "$1"
  local python=("${emulator[@]}" "$cross/$suite-arm64/system/usr/bin/python$version")
  PYTHONPATH=$site "${python[@]}" tools/check_installed.py "${python[*]} $site/bin/coppice"
}
