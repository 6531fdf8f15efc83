# A translation unit that includes HEADER alone preprocesses to at most LIMIT lines.
# Variables: COMPILER, INCLUDE, HEADER, LIMIT, DEFINITIONS.

execute_process(COMMAND "${COMPILER}" -std=c++20 -E -P "-I${INCLUDE}" ${DEFINITIONS} -include "${HEADER}" -x c++ /dev/null
  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[^\n]" "" lines "${text}")
string(LENGTH "${lines}" lines)
message("${HEADER} ${DEFINITIONS}: ${lines} lines, budget ${LIMIT}")
if(lines EQUAL 0 OR lines GREATER LIMIT)
  message(FATAL_ERROR "over budget")
endif()
