# The losses that tools/platforms expects everywhere are those of this compiler without further flags; and the page says what the list of
# platforms says.

add_executable(platforms_training "${CMAKE_CURRENT_LIST_DIR}/training.cpp")
flowgraph_develop(platforms_training)
target_link_libraries(platforms_training PRIVATE flowgraph::flowgraph)
flowgraph_add_test(platforms/training LABELS platforms
  COMMAND sh -c "'$<TARGET_FILE:platforms_training>' | diff '${CMAKE_CURRENT_LIST_DIR}/losses.txt' -")
flowgraph_add_test(platforms/page LABELS tree COMMAND "${PROJECT_SOURCE_DIR}/tools/platforms" --check)
flowgraph_add_test(platforms/judged LABELS tree COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/run_tests_checked.sh")
