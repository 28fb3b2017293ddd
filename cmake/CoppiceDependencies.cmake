# The libraries that are needed, all found here; those that are missing are named together, with the
# commands that get them.

# coppice_needs(PACKAGE DEBIAN VCPKG CONDA BREW [option of find_package...]): finds it, unless it is
# compiled along, or remembers what it is called elsewhere.
macro(coppice_needs package debian vcpkg conda brew)
  if(NOT ${package} IN_LIST COPPICE_COMPILED_ALONG)
    find_package(${package} QUIET ${ARGN})
  endif()
  if(NOT ${package}_FOUND AND NOT ${package} IN_LIST COPPICE_COMPILED_ALONG)
    string(APPEND missing " ${package}")
    string(APPEND missing_debian " ${debian}")
    string(APPEND missing_vcpkg " ${vcpkg}")
    string(APPEND missing_conda " ${conda}")
    string(APPEND missing_brew " ${brew}")
  endif()
endmacro()

set(missing)
# The library alone.
coppice_needs(hwy libhwy-dev highway libhwy highway CONFIG)
coppice_needs(Eigen3 libeigen3-dev eigen3 eigen eigen NO_MODULE)
if(COPPICE_BUILD_CLI)
  coppice_needs(fmt libfmt-dev fmt fmt fmt)
  coppice_needs(nlohmann_json nlohmann-json3-dev nlohmann-json nlohmann_json nlohmann-json)
  coppice_needs(EXPAT libexpat1-dev expat libexpat expat)
  coppice_needs(ZLIB zlib1g-dev zlib zlib zlib)
  coppice_needs(CLI11 libcli11-dev cli11 cli11 cli11)
endif()
if(COPPICE_BUILD_TESTS)
  coppice_needs(GTest libgtest-dev gtest gtest googletest)
endif()
if(COPPICE_BUILD_BENCH)
  coppice_needs(benchmark libbenchmark-dev benchmark benchmark google-benchmark)
endif()
if(missing)
  set(advice)
  if(COPPICE_BUILD_CLI OR COPPICE_BUILD_TESTS)
    set(advice "\n  The library alone, with hwy and Eigen3: -DCOPPICE_BUILD_CLI=OFF -DCOPPICE_BUILD_TESTS=OFF")
  endif()
  message(FATAL_ERROR
    "coppice: not found:${missing}\n"
    "  Debian, Ubuntu:  apt-get install${missing_debian}\n"
    "  vcpkg:           vcpkg install${missing_vcpkg}\n"
    "  conda:           conda install -c conda-forge${missing_conda}\n"
    "  Homebrew:        brew install${missing_brew}\n"
    "  Installed elsewhere? Say where: -DCMAKE_PREFIX_PATH=FOLDER, or vcpkg's CMAKE_TOOLCHAIN_FILE."
    "${advice}")
endif()
if(Eigen3_VERSION AND Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "coppice: Eigen ${Eigen3_VERSION} is too old, 3.4 or later is needed")
endif()
