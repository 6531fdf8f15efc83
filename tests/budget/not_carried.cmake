# A linked program lacks functions that it has no use for. Variables: PROGRAM; NM; ABSENT, patterns of demangled names, with | between them.

cmake_minimum_required(VERSION 3.24)
include("${CMAKE_CURRENT_LIST_DIR}/refuse_symbols.cmake")

execute_process(COMMAND "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NM}" --defined-only -C "${PROGRAM}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "flowgraph::")
  message(FATAL_ERROR "the program has no symbols to look at")
endif()
refuse_symbols("${symbols}" "[^\n]*(${ABSENT})" "which the program has no use for")
