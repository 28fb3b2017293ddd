#!/usr/bin/env bash
# Python tests with the extension module compiled with the sanitizers. Leaks are not looked
# for: an interpreter that ends leaves much behind.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/python.sh build
tools/python.sh requirements test
python=$PWD/.venv/bin/python
[ -x "$python" ] || exit 0 # tools/python.sh has said why
# The objects of `make sanitize`, and the extension.
build=build-sanitize
cmake --preset sanitize -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" \
  -DCOPPICE_BUILD_PYTHON=ON >/dev/null
cmake --build $build -j "${JOBS:-$(nproc)}" --target coppice_python
# The package as it is in the sources, with this extension in it.
package=$build/package
rm -rf $package
mkdir -p $package
cp -r python/coppice $package/
cp $build/python/_core*.so $package/coppice/
# Python itself does not link the C++ library, whose exceptions the sanitizer must find at the start.
preload="$(clang++ -print-file-name="libclang_rt.asan-$(uname -m).so") $(clang++ -print-file-name=libstdc++.so)"
# Not the tests that start other programs (Spark, wheels, type checkers). What the sanitizer says goes to
# the real standard error, which pytest would keep to itself.
env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$package \
  "$python" -m pytest -q -p no:cacheprovider --capture=sys python/tests \
  --ignore=python/tests/test_wheel.py --ignore=python/tests/test_corpora.py \
  --ignore=python/tests/test_torch.py --ignore=python/tests/test_package.py \
  --ignore=python/tests/test_program.py
