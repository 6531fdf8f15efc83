# The comments of public headers, which the reference is made from, are plain English as the guide is. Variables: AWK, SOURCE (the source tree).

cmake_minimum_required(VERSION 3.24)

set(script "${CMAKE_CURRENT_LIST_DIR}/guide.awk")
file(GLOB_RECURSE headers RELATIVE "${SOURCE}" "${SOURCE}/include/flowgraph/*.hpp")
list(FILTER headers EXCLUDE REGEX "/(detail|impl)/|/elsewhere\\.hpp$")
list(LENGTH headers count)
if(count LESS 300)
  message(FATAL_ERROR "only ${count} headers to check were found below ${SOURCE}")
endif()
execute_process(COMMAND "${AWK}" -f "${script}" ${headers} WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(found)
  message(FATAL_ERROR "comments that readers do not understand at the first reading:\n${found}")
endif()

# The two planted comments are found, the one over two lines and the one behind code, and nothing else.
execute_process(COMMAND "${AWK}" -f "${script}" fixture/planted.hpp WORKING_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}"
  OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "planted.hpp:[0-9]+: [^:]*" found "${found}")
set(expected "planted.hpp:8: a clause with 'what' as its subject" "planted.hpp:14: 'stands'")
if(NOT "${found}" STREQUAL "${expected}")
  message(FATAL_ERROR "expected: ${expected}\nfound: ${found}")
endif()
message("${count} headers, the planted comments found")
