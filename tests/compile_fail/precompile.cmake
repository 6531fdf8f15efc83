# Compiles the umbrella into the folder PRECOMPILED, for check.cmake. Variables: COMPILER, INCLUDE, PRECOMPILED.

file(WRITE "${PRECOMPILED}/umbrella.hpp" "#include <flowgraph/flowgraph.hpp>\n")
execute_process(
  COMMAND "${COMPILER}" -std=c++20 "-I${INCLUDE}" -DFLOWGRAPH_COMPILED -x c++-header "${PRECOMPILED}/umbrella.hpp"
    -o "${PRECOMPILED}/umbrella.hpp.gch"
  COMMAND_ERROR_IS_FATAL ANY)
