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

# Sources that cannot be compiled together with others of their room (preset "demo"): they are compiled
# several times over, for different processors, or have local names that another one has, too.
function(coppice_alone target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
