# Graphs that are good ones changed by seed, imported and run. The same seeds in each run of the tests, without sanitizers but with
# each tensor between pages that nobody may touch; docs/decisions/changed_graphs.md says what a campaign with sanitizers is.

add_executable(run_mutations "${CMAKE_CURRENT_LIST_DIR}/main.cpp" "${CMAKE_CURRENT_LIST_DIR}/seeds.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/../../conformance/cases.cpp")
flowgraph_develop(run_mutations)
target_link_libraries(run_mutations PRIVATE flowgraph::interop $<TARGET_NAME_IF_EXISTS:flowgraph::images>)
target_include_directories(run_mutations SYSTEM PRIVATE "${protozero_directory}")

flowgraph_add_test(changed_graphs LABELS conformance PROPERTIES COST 50
  COMMAND run_mutations --guarded --seed 1 --count 20000 ${case_files})
