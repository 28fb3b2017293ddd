# exports.sh BUILD NM: makes the shared library as docs/c.md says, and compares what it shows with
# coppice.h.
library=$1/tests/c/libcoppice.so
grep -F -A 2 'c++ -shared' docs/c.md | sed '/^python3/,$d' |
  sed "s|out/libcoppice.so|$library|; s|build/libcoppice.a|$1/libcoppice.a|" | bash -e
diff <(grep -oE '^[a-z][a-z0-9_ *]*coppice_[a-z_]+\(' include/coppice/coppice.h |
       grep -oE 'coppice_[a-z_]+\(' | tr -d '(' | sort) \
  <("$2" -D --defined-only "$library" | awk '{print $3}' | sort)
