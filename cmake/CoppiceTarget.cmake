# What every target of ours is compiled with, in one place.
function(coppice_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Sources include each other as <folder>/<file>.hpp below src/.
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # The same sums on every machine: no fused multiply-add that the source does not ask for.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off
                                           $<$<BOOL:${COPPICE_WERROR}>:-Werror>)
endfunction()
