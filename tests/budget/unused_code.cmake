# A header-only program that uses nothing of the library has nothing of it. What it would have comes along with every file of every
# header-only program; most often a virtual function that a class declares without `inline` and that its header defines: a compiler then
# takes the file for the home of the class. Declare it FLOWGRAPH_INLINE. Variables: COMPILER, INCLUDE, NM, WORK.

cmake_minimum_required(VERSION 3.24)
include("${CMAKE_CURRENT_LIST_DIR}/refuse_symbols.cmake")

file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/unused.cpp" "#include <flowgraph/flowgraph.hpp>\nint main() {}\n")
execute_process(COMMAND "${COMPILER}" -std=c++20 -O0 "-I${INCLUDE}" -c "${WORK}/unused.cpp" -o "${WORK}/unused.o" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NM}" --defined-only -C "${WORK}/unused.o" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
refuse_symbols("${symbols}" "" "none of them used")
