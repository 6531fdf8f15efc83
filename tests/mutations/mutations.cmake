# Calls of every op changed at random, with the library made for few element types: small enough to be built under sanitizers in every
# test run. By hand, as many as wanted:
#
#   FLOWGRAPH_MUTATIONS=1000000 FLOWGRAPH_MUTATION_SEED=7 tests/test_mutations -tc="calls changed*"

flowgraph_make_compiled(flowgraph_few_types flowgraph)
target_compile_definitions(flowgraph_few_types PUBLIC FLOWGRAPH_FEW_TYPES)
flowgraph_develop(flowgraph_few_types)

file(GLOB mutation_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/../harness/*.cpp")
add_executable(test_mutations "${CMAKE_CURRENT_LIST_DIR}/../main.cpp" "${CMAKE_CURRENT_LIST_DIR}/../ops/harness.cpp" ${mutation_sources})
flowgraph_develop(test_mutations)
target_link_libraries(test_mutations PRIVATE flowgraph_few_types doctest::doctest)
target_include_directories(test_mutations SYSTEM PRIVATE "$<TARGET_PROPERTY:doctest::doctest,INTERFACE_INCLUDE_DIRECTORIES>")
flowgraph_add_test(mutations LABELS ops
  COMMAND "${CMAKE_COMMAND}" -E env FLOWGRAPH_MUTATIONS=50000 $<TARGET_FILE:test_mutations> "-tc=calls changed*")
