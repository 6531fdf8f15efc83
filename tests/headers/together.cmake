# No two headers of ours conflict: one file has all of them, header-only, where every body comes along. In both orders, so that none lives
# off what another one includes, and no name of ours becomes another one beside a header of the standard library. The order from the first
# to the last is that of foreign_macros.cmake, which has such macros in front. A user's source, strict.cpp, stands behind them.

set(together_headers ${all_public_headers})
list(SORT together_headers)
if(NOT has_archives OR NOT FLOWGRAPH_CEREAL_DIRECTORY MATCHES "^/usr/(local/)?include$")
  list(REMOVE_ITEM together_headers flowgraph/io/graph_archive.hpp)
endif()
list(REVERSE together_headers)
set(text "")
foreach(header IN LISTS together_headers)
  string(APPEND text "#include <${header}>\n")
endforeach()
string(APPEND text "#include \"${PROJECT_SOURCE_DIR}/tests/headers/strict.cpp\"\n")
set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/together.cpp")
file(CONFIGURE OUTPUT "${source}" CONTENT "${text}" @ONLY)
flowgraph_add_test(headers/together LABELS headers PROPERTIES COST 60
  COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow ${flowgraph_strict_warnings} -Werror
    "-I${PROJECT_SOURCE_DIR}/include" "${source}")
