# For other machines and older systems, to be read by other scripts: `. tools/cross.sh`. The compiler of
# PyPI's ziglang, which makes programs for them:
#   zig_setup ARCH      (x86_64, aarch64), then CMake with cmake/Zig.cmake and $COPPICE_THIRD_PARTY
# Debian's packages, of any machine, unpacked beside what the system has: that needs no root and changes
# nothing of the system. And programs for aarch64 under qemu-user, in a small Debian with its Python.
cross=$PWD/build/cross
glibc=2.17  # that of manylinux2014
export COPPICE_THIRD_PARTY=$PWD/build/third_party
export COPPICE_LOCKED=1  # what is released is made by what requirements/ names, with its digests

zig_setup() {
  local tool target
  export COPPICE_ARCH=$1 COPPICE_ZIG=$cross/$1
  tools/python.sh requirements cross
  tools/third_party.sh build/third_party
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_COMPILERTYPE=clang CCACHE_DEPEND=1
    export CCACHE_COMPILERCHECK='%compiler% --version'  # its file is written anew each time
  fi
  mkdir -p "$COPPICE_ZIG"
  for tool in cc c++ ar ranlib; do
    target=
    case $tool in c*) target="-target $1-linux-gnu.$glibc" ;; esac
    printf '#!/bin/sh\nexec "%s" -m ziglang %s %s "$@"\n' "$PWD/.venv/bin/python" "$tool" "$target" \
      >"$COPPICE_ZIG/$tool"
    chmod +x "$COPPICE_ZIG/$tool"
  done
}

# debian_index FOLDER ARCH SUITE: what there is.
debian_index() {
  local folder=$1 arch=$2 suite=$3
  local key=/usr/share/keyrings/debian-archive-keyring.gpg mirror=http://deb.debian.org/debian
  export APT_CONFIG=$folder/apt.conf
  [ ! -e "$folder/ready" ] || return 0
  mkdir -p "$folder"/{state/lists,cache/archives}/partial
  : >"$folder/state/status"
  for kind in deb deb-src; do echo "$kind [signed-by=$key] $mirror $suite main"; done >"$folder/sources.list"
  cat >"$APT_CONFIG" <<CONF
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$folder/state";
Dir::State::status "$folder/state/status";
Dir::Cache "$folder/cache";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "root";
CONF
  apt-get -qq update
  touch "$folder/ready"
}

# debian_sources FOLDER PACKAGE...: each unpacked as FOLDER/PACKAGE. Of the last index.
debian_sources() {
  local folder=$1 package
  shift
  mkdir -p "$folder"
  for package in "$@"; do
    [ ! -d "$folder/$package" ] || continue
    (cd "$folder" && apt-get -qq source --download-only --only-source "$package" &&
      dpkg-source --no-check -x "$package"_*.dsc "$package" >/dev/null)
  done
}

# debian_packages FOLDER PACKAGE...: these and all that they need, unpacked into FOLDER.
debian_packages() {
  local folder=$1 package
  shift
  [ ! -e "$folder/ready" ] || return 0
  apt-get -qq -y --no-install-recommends --download-only install "$@" >/dev/null
  mkdir -p "$folder"
  for package in "$(dirname "$APT_CONFIG")"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
  [ -e "$folder/lib" ] || ln -s usr/lib "$folder/lib"  # newer Debians have one folder
  touch "$folder/ready"
}

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
