# cmake -DPROGRAM=... -DFAULT=... -P find.cmake: the tests must fail with the fault, and pass when none is named. A run that does
# not end has found it.

set(ENV{FLOWGRAPH_TEST_FAULT} "${FAULT}")
set(ENV{FLOWGRAPH_TEST_PROGRAMS} 40)
if(FAULT STREQUAL "")
  set(seconds 120)
else()
  set(seconds 60)
endif()
if(NOT EXISTS "${PROGRAM}")
  message(FATAL_ERROR "There is no ${PROGRAM}")
endif()
# The random programs take longest, and come last.
foreach(tests "--test-case-exclude=*random programs*" "--test-case=*random programs*")
  execute_process(COMMAND "${PROGRAM}" --no-breaks --abort-after=1 "${tests}" TIMEOUT ${seconds}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    break()
  endif()
endforeach()
if(FAULT STREQUAL "" AND NOT result EQUAL 0)
  message(FATAL_ERROR "Without a fault the tests fail: ${result}\n${output}")
elseif(NOT FAULT STREQUAL "" AND result EQUAL 0)
  message(FATAL_ERROR "The tests do not find the fault '${FAULT}'")
endif()
message(STATUS "${result}")
