# Runs a snippet and compares what it prints with what the document shows:
# cmake -DCOMMAND=... [-DEXPECTED=file] -P run.cmake
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(EXPECTED)
  file(READ ${EXPECTED} expected)
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "The document shows:\n${expected}\nThe snippet prints:\n${printed}")
  endif()
endif()
