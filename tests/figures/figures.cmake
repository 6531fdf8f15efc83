# Measured figures of the pages come from docs/figures.txt, which tools/figures writes; the test finds the planted ones in fixture/.

find_program(FLOWGRAPH_TEST_AWK NAMES awk gawk mawk REQUIRED)
flowgraph_add_test(figures LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DAWK=${FLOWGRAPH_TEST_AWK}" "-DSOURCE=${PROJECT_SOURCE_DIR}" -P "${CMAKE_CURRENT_LIST_DIR}/check.cmake")
