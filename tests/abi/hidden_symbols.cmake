# LIBRARY exports what it was written to export and no symbol of flowgraph. Variables: LIBRARY, NM.

execute_process(COMMAND "${NM}" -D -C --defined-only "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "loss_after_hidden")
  message(FATAL_ERROR "the library should export loss_after_hidden, but exports\n${symbols}")
endif()
string(REGEX MATCHALL "[^\n]*flowgraph::[^\n]*" visible "${symbols}")
if(visible)
  list(JOIN visible "\n" visible)
  message(FATAL_ERROR "visible symbols of flowgraph:\n${visible}")
endif()
