# Each public header compiles alone, and twice; forward declarations agree with definitions in both orders. Built, never run.

file(GLOB_RECURSE public_headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/include/flowgraph/*.hpp")
list(FILTER public_headers EXCLUDE REGEX "/impl/|/detail/|/kernel/lanes_|/implementation.hpp$")
# Header-only, a family of ops brings its kernels: one file has all of them, instead of a file for each.
if(NOT FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  list(FILTER public_headers EXCLUDE REGEX "flowgraph/ops/[a-z_]+/")
endif()

set(header_sources "")
function(flowgraph_add_header_source name)
  set(text "")
  foreach(header IN LISTS ARGN)
    string(APPEND text "#include <${header}>\n")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${text}" @ONLY)
  set(header_sources ${header_sources} "${source}" PARENT_SCOPE)
endfunction()

foreach(header IN LISTS public_headers)
  string(REGEX REPLACE "\\.hpp$" "" name "${header}")
  flowgraph_add_header_source("${name}" "${header}" "${header}")
endforeach()
flowgraph_add_header_source(fwd_first flowgraph/fwd.hpp flowgraph/flowgraph.hpp)
flowgraph_add_header_source(fwd_last flowgraph/flowgraph.hpp flowgraph/fwd.hpp)

add_library(test_headers OBJECT ${header_sources} "${CMAKE_CURRENT_LIST_DIR}/version.cpp")
flowgraph_develop_strictly(test_headers)
target_compile_options(test_headers PRIVATE -O0)
target_link_libraries(test_headers PRIVATE flowgraph_test_library)

flowgraph_add_test(headers/implementation LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include" -P "${CMAKE_CURRENT_LIST_DIR}/implementation.cmake")

# A program of its own: in the others, some other source brings what this one must find in the library.
if(NOT FLOWGRAPH_INFERENCE)
  add_executable(test_control_flow_gradients "${CMAKE_CURRENT_LIST_DIR}/control_flow_gradients.cpp")
  flowgraph_develop(test_control_flow_gradients)
  target_link_libraries(test_control_flow_gradients PRIVATE
    $<IF:$<STREQUAL:${FLOWGRAPH_TEST_LIBRARY},compiled>,flowgraph::compiled,flowgraph_test_library>)
  flowgraph_add_test(headers/control_flow_gradients LABELS headers COMMAND test_control_flow_gradients)
endif()
