# What a linked program does not carry. Variables: PROGRAM; NM; ABSENT, patterns of demangled names, with | between them.

execute_process(COMMAND "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NM}" --defined-only -C "${PROGRAM}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "flowgraph::")
  message(FATAL_ERROR "the program has no symbols to look at")
endif()
string(REGEX MATCHALL "[^\n]*flowgraph::[^\n]*(${ABSENT})[^\n]*" found "${symbols}")
list(LENGTH found count)
if(count GREATER 0)
  list(SUBLIST found 0 20 first)
  list(JOIN first "\n  " first)
  message(FATAL_ERROR "${count} symbols that the program has no use for:\n  ${first}")
endif()
