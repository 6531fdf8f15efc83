# docs/ops.md and docs/reference say what the registry and the headers say, every public function and type has its entry, and the full
# entries print what they say. Skipped where the packages are missing that read the headers: tools/common.sh installs them.
add_executable(catalogue "${CMAKE_CURRENT_LIST_DIR}/main.cpp")
flowgraph_develop(catalogue)
target_link_libraries(catalogue PRIVATE flowgraph::by_name)

# The full entries use all libraries. A configuration that lacks one of them leaves this check to the others.
if(TARGET flowgraph::interop AND TARGET flowgraph::tcp AND TARGET flowgraph::tls AND TARGET flowgraph::images)
  file(GLOB shown CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/reference/shown*.cpp")
  add_executable(reference_shown ${shown})
  flowgraph_develop(reference_shown)
  target_link_libraries(reference_shown PRIVATE flowgraph::interop flowgraph::tcp flowgraph::tls flowgraph::images)
  flowgraph_add_test(catalogue LABELS documentation WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTIES SKIP_RETURN_CODE 77
    COMMAND tools/reference --check "$<TARGET_FILE:catalogue>" "$<TARGET_FILE:reference_shown>")
endif()
