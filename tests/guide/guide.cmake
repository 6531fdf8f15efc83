# The guide is plain English: no page has a phrase that was weeded out, and no link is dead. The test finds
# the planted ones in fixture/.

find_program(FLOWGRAPH_TEST_AWK NAMES awk gawk mawk REQUIRED)
set(guide_command "${CMAKE_COMMAND}" "-DAWK=${FLOWGRAPH_TEST_AWK}" "-DSOURCE=${PROJECT_SOURCE_DIR}")
flowgraph_add_test(guide LABELS tree COMMAND ${guide_command} -P "${CMAKE_CURRENT_LIST_DIR}/check.cmake")
flowgraph_add_test(guide/comments LABELS tree COMMAND ${guide_command} -P "${CMAKE_CURRENT_LIST_DIR}/comments.cmake")
