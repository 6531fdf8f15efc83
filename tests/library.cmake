# flowgraph_test_library: the library in the form that this build tests.

add_library(flowgraph_test_library INTERFACE)

if(FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  target_link_libraries(flowgraph_test_library INTERFACE flowgraph::by_name)
elseif(FLOWGRAPH_TEST_LIBRARY STREQUAL "header_only")
  target_link_libraries(flowgraph_test_library INTERFACE flowgraph::flowgraph)
elseif(FLOWGRAPH_TEST_LIBRARY STREQUAL "split")
  # Ordinary functions are compiled once, by the one file that includes <flowgraph/implementation.hpp>.
  set(split_source "${CMAKE_CURRENT_BINARY_DIR}/implementation.cpp")
  file(CONFIGURE OUTPUT "${split_source}" CONTENT "#include <flowgraph/implementation.hpp>\n" @ONLY)
  add_library(flowgraph_test_implementation STATIC "${split_source}")
  flowgraph_develop(flowgraph_test_implementation)
  target_link_libraries(flowgraph_test_implementation PUBLIC flowgraph::flowgraph)
  target_compile_definitions(flowgraph_test_implementation PUBLIC FLOWGRAPH_SPLIT)
  target_link_libraries(flowgraph_test_library INTERFACE flowgraph_test_implementation)
elseif(FLOWGRAPH_TEST_LIBRARY STREQUAL "single_include")
  # Each header that the single one contains is stood in for by one that includes it.
  set(single_include "${PROJECT_SOURCE_DIR}/single_include/flowgraph/flowgraph.hpp")
  file(STRINGS "${single_include}" contained REGEX "^// ---- flowgraph/.*\\.hpp$")
  foreach(line IN LISTS contained)
    string(REPLACE "// ---- " "" header "${line}")
    file(CONFIGURE OUTPUT "stand_in/${header}" CONTENT "#pragma once\n#include \"${single_include}\"\n" @ONLY)
  endforeach()
  target_include_directories(flowgraph_test_library INTERFACE
    "${CMAKE_CURRENT_BINARY_DIR}/stand_in" "${PROJECT_SOURCE_DIR}/include")
  target_compile_features(flowgraph_test_library INTERFACE cxx_std_20)
  target_link_libraries(flowgraph_test_library INTERFACE Threads::Threads)
else()
  message(FATAL_ERROR "FLOWGRAPH_TEST_LIBRARY is '${FLOWGRAPH_TEST_LIBRARY}', not compiled, header_only, split or single_include")
endif()
