# A source without exceptions does not link with an archive that was built with them, and the linker says why. Variables: COMPILER,
# INCLUDE, GENERATED, ARCHIVE, SOURCE, OUTPUT.

cmake_minimum_required(VERSION 3.24)

set(command "${COMPILER}" -std=c++20 -O0 -fno-exceptions -DFLOWGRAPH_COMPILED "-I${INCLUDE}" "-I${GENERATED}")
execute_process(COMMAND ${command} -c "${SOURCE}" -o "${OUTPUT}.o" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${COMPILER}" "${OUTPUT}.o" "${ARCHIVE}" -pthread -o "${OUTPUT}" RESULT_VARIABLE status ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "undefined reference to [^\n]*flowgraph::[a-z0-9_]*_without_exceptions::")
  message(FATAL_ERROR "expected the linker to say that the archive was not built without exceptions, found:\n${text}")
endif()
