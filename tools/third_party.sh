#!/usr/bin/env bash
# The sources of the libraries that coppice and its tests use, as Debian has them, in a folder: what an
# sdist brings along, and what is compiled along for other machines (cmake/CoppiceThirdParty.cmake).
#   tools/third_party.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/cross.sh
folder=$1
[ ! -e "$folder/complete" ] || exit 0
cache=$PWD/build/debian
debian_index "$cache/bookworm" amd64 bookworm
debian_sources "$cache/sources" highway fmtlib expat zlib eigen3 cli11 nlohmann-json3 googletest
rm -rf "$folder"

# part LIBRARY SOURCE PATTERN...: these files and folders of the sources, and their terms
part() {
  local to=$PWD/$folder/$1 from=$cache/sources/$2
  mkdir -p "$to"
  cp "$from/debian/copyright" "$to/copyright"
  [ ! -d "$from/expat" ] || from=$from/expat
  (cd "$from" && cp -r --parents ${*:3} "$to")
}
part highway highway 'hwy/*.h' hwy/ops hwy/aligned_allocator.cc hwy/per_target.cc hwy/targets.cc
part fmt fmtlib include src
part expat expat 'lib/*.[ch]'
part zlib zlib '*.[ch]'
part eigen eigen3 Eigen
part cli11 cli11 include
part json nlohmann-json3 include
part googletest googletest googletest/include googletest/src
touch "$folder/complete"
