# Faults planted in tables of rows by key; their tests must find each of them. The program is header-only, so that it contains the
# planted bodies.

flowgraph_plant_faults(test_lookup_mutants TESTS mutants/lookup FAULTS "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  FROM "${PROJECT_SOURCE_DIR}/include/flowgraph" BELOW flowgraph)
add_executable(test_lookup_mutants "${planted}" ops/lookup/keyed_rows.cpp ops/lookup/keyed_rows_visits.cpp main.cpp)
flowgraph_use_faults(test_lookup_mutants -O0)
target_include_directories(test_lookup_mutants BEFORE PRIVATE "${planted_overlay}")
target_link_libraries(test_lookup_mutants PRIVATE flowgraph::flowgraph doctest::doctest)
