# No include goes in a wrong direction, every public header has a test of its name, and no run reads the graph behind its plan; and the tests
# that say so find the violations planted
# in fixture/ or written by them.

add_executable(layering "${CMAKE_CURRENT_LIST_DIR}/layering.cpp")
flowgraph_develop(layering)
target_compile_features(layering PRIVATE cxx_std_20)

flowgraph_add_test(layering LABELS tree COMMAND layering "${PROJECT_SOURCE_DIR}")
flowgraph_add_test(layering_finds_planted_violations LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:layering>" -P "${CMAKE_CURRENT_LIST_DIR}/check_fixture.cmake")

flowgraph_add_test(mirror LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DEXEMPTIONS=${CMAKE_CURRENT_LIST_DIR}/untested.txt"
    -P "${CMAKE_CURRENT_LIST_DIR}/mirror.cmake")
flowgraph_add_test(mirror_finds_planted_violations LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}" -P "${CMAKE_CURRENT_LIST_DIR}/check_mirror.cmake")

flowgraph_add_test(graph_nodes LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" -P "${CMAKE_CURRENT_LIST_DIR}/graph_nodes.cmake")
flowgraph_add_test(graph_nodes_finds_planted_readers LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}" -P "${CMAKE_CURRENT_LIST_DIR}/check_graph_nodes.cmake")
