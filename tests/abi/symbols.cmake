# LIBRARY exports what it was written to export. Of flowgraph it shows no symbol if NAME is 'hidden'; otherwise NAME is its version, and every
# symbol has this tag, so that no other version of the library can take its place. Variables: LIBRARY, NAME, NM.

cmake_minimum_required(VERSION 3.24)

execute_process(COMMAND "${NM}" -D -C --defined-only "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "loss_after_${NAME}")
  message(FATAL_ERROR "the library should export loss_after_${NAME}, but exports\n${symbols}")
endif()
string(REPLACE ";" "," symbols "${symbols}")
string(REGEX MATCHALL "[^\n]*flowgraph::[^\n]*" visible "${symbols}")
list(LENGTH visible count)
if(NOT NAME STREQUAL "hidden")
  if(count LESS 1000)
    message(FATAL_ERROR "the library should show all of flowgraph, but shows ${count} symbols of it")
  endif()
  list(TRANSFORM visible REPLACE "flowgraph::${NAME}_" "")
  list(FILTER visible INCLUDE REGEX "flowgraph::")
endif()
if(visible)
  list(JOIN visible "\n" visible)
  message(FATAL_ERROR "these symbols of flowgraph should not be visible, or should have their version's tag:\n${visible}")
endif()
message("${count} visible symbols of flowgraph")
