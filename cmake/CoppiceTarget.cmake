# What every target of ours is compiled with, in one place.
function(coppice_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Sources include each other as <folder>/<file>.hpp below src/.
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${target} PRIVATE ${COPPICE_OPTIMIZE})
  # The same sums on every machine: no fused multiply-add that the source does not ask for (MSVC fuses
  # nothing by itself).
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /permissive- /utf-8 /bigobj /fp:precise
                                             $<$<CXX_COMPILER_ID:Clang>:/clang:-ffp-contract=off>
                                             $<$<BOOL:${COPPICE_WERROR}>:/WX>)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off
                                             $<$<BOOL:${COPPICE_WERROR}>:-Werror>)
  endif()
endfunction()

# Headers that most sources of a target need, parsed once (option COPPICE_PRECOMPILE). Sources include
# what they need all the same: clang-tidy compiles them without (tools/tidy.sh).
set(CMAKE_PCH_PROLOGUE "")  # or nothing would be said against our own
set(COPPICE_COMMON_HEADERS <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <functional> <limits> <map> <memory>
    <numeric> <optional> <span> <stdexcept> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
# What a compiler cache wants (the Makefile sets CCACHE_SLOPPINESS as well).
function(coppice_cached_headers target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                                           "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()
function(coppice_precompile target)
  if(COPPICE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    coppice_cached_headers(${target})
  endif()
endfunction()

# Small sources of a target that are compiled several at a time (option COPPICE_TOGETHER), so that what they
# include is read once. They share no local names: clang-tidy alone looks at each by itself.
function(coppice_together target)
  if(COPPICE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# The sources of a room of the library that are one piece.
function(coppice_piece name)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY coppice PROPERTIES UNITY_GROUP ${name})
endfunction()

# Sources that have local names that another one has, too, or are compiled several times over, for
# different processors.
function(coppice_alone target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
