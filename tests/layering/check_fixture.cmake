# The report on fixture/ is expected.txt, to the letter. Variables: PROGRAM.

execute_process(COMMAND "${PROGRAM}" "${CMAKE_CURRENT_LIST_DIR}/fixture" 0 2 OUTPUT_VARIABLE found RESULT_VARIABLE status)
file(READ "${CMAKE_CURRENT_LIST_DIR}/expected.txt" expected)
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}\nbut found\n${found}")
endif()
if(NOT status EQUAL 1)
  message(FATAL_ERROR "a tree with violations must fail with 1, not ${status}")
endif()
