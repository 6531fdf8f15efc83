# docs/ops.md and docs/reference say what the registry and the headers say, and every public function and type has its entry.
add_executable(catalogue "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
flowgraph_develop(catalogue)
target_link_libraries(catalogue PRIVATE flowgraph::by_name)
flowgraph_add_test(catalogue LABELS documentation WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  COMMAND tools/reference --check "$<TARGET_FILE:catalogue>")
