# Configures, builds and runs one consumer in an empty folder:
# cmake -DKIND=find_package|add_subdirectory -DBUILD=... -DSCRATCH=... -DOPTIONS=... -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(KIND STREQUAL find_package)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
  list(APPEND OPTIONS -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${KIND} -B ${SCRATCH}/build ${OPTIONS})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target consumer)
run(${SCRATCH}/build/consumer)
