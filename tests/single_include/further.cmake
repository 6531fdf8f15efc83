# A single header made with further headers is all that a program needs. Variables: AMALGAMATE, COMPILER, SOURCE, WORK.

cmake_minimum_required(VERSION 3.24)

set(made "${WORK}/flowgraph/flowgraph.hpp")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/flowgraph")
execute_process(
  COMMAND "${AMALGAMATE}" flowgraph/ops/math/trigonometry.hpp flowgraph/ops/rnn/lstm_cell.hpp flowgraph/formats/safetensors.hpp
  OUTPUT_FILE "${made}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${WORK}" "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)

# The plain one is the beginning of it, and has none of the three.
execute_process(COMMAND "${AMALGAMATE}" flowgraph/flowgraph.hpp OUTPUT_FILE "${made}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${WORK}" "${SOURCE}" RESULT_VARIABLE status ERROR_VARIABLE text)
if(status EQUAL 0 OR NOT text MATCHES "flowgraph/ops/math/trigonometry.hpp")
  message(FATAL_ERROR "expected the compiler to name the header that has sin, found:\n${text}")
endif()

foreach(wrong flowgraph/ops/sine.hpp trigonometry.hpp --further)
  execute_process(COMMAND "${AMALGAMATE}" "${wrong}" RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE why)
  string(FIND "${why}" "${wrong}" at)
  if(status EQUAL 0 OR text OR at EQUAL -1)
    message(FATAL_ERROR "tools/amalgamate ${wrong}: expected an error that names it, found '${why}'")
  endif()
endforeach()
