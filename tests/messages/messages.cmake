# What users read is plain English: no message has a pattern that was weeded out, and the test that says so finds those planted in
# fixture/.

find_program(FLOWGRAPH_TEST_AWK NAMES awk gawk mawk REQUIRED)
set(messages_command "${CMAKE_COMMAND}" "-DAWK=${FLOWGRAPH_TEST_AWK}" "-DSOURCE=${PROJECT_SOURCE_DIR}")
flowgraph_add_test(messages LABELS tree COMMAND ${messages_command} -P "${CMAKE_CURRENT_LIST_DIR}/check.cmake")
