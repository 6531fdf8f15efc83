# The umbrella header, header-only, brings in the standard library and the C library, and neither <iostream> nor anybody else's header.
# Variables: COMPILER, INCLUDE.

execute_process(COMMAND "${COMPILER}" -std=c++20 -M "-I${INCLUDE}" -include flowgraph/flowgraph.hpp -x c++ /dev/null
  OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n\\]+" files "${files}")
list(FILTER files INCLUDE REGEX "^/")
list(LENGTH files count)
set(foreign ${files})
list(FILTER foreign EXCLUDE REGEX "^${INCLUDE}/flowgraph/")
list(FILTER foreign INCLUDE REGEX "/(iostream|eigen3?|Eigen|asio|boost|cereal|protozero|doctest|google|absl)(/|\\.h|$)|^/usr/local/include/|^/opt/")
if(count LESS 10 OR foreign)
  list(JOIN foreign "\n  " foreign)
  message(FATAL_ERROR "of ${count} files these have no place below the umbrella:\n  ${foreign}")
endif()
message("${count} files, all of them ours, the compiler's or the C library's")
