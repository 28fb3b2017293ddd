# The compiler of PyPI's ziglang, which makes programs for other machines and older systems:
#   . tools/zig.sh; zig_setup ARCH      (x86_64, aarch64)
# then CMake with cmake/Zig.cmake and $COPPICE_THIRD_PARTY.
cross=$PWD/build/cross
glibc=2.17  # that of manylinux2014
export COPPICE_THIRD_PARTY=$PWD/build/third_party

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
