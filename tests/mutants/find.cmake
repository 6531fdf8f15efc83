# cmake -DPROGRAM=... -DFAULT=... -DLAST=... -P find.cmake: the tests must fail with the fault, and pass if no fault is named. A run that
# does not end has found the fault. Tests of milliseconds find most faults, so they run first. The tests that take long follow in groups:
# LAST contains a pattern for each group, with commas between the patterns.

set(ENV{FLOWGRAPH_TEST_FAULT} "${FAULT}")
set(ENV{FLOWGRAPH_TEST_PROGRAMS} 40)
set(ENV{FLOWGRAPH_TEST_FAULTS} 100)
if(NOT EXISTS "${PROGRAM}")
  message(FATAL_ERROR "There is no ${PROGRAM}")
endif()
set(groups "--test-case-exclude=${LAST}")
string(REPLACE "," ";" last "${LAST}")
foreach(pattern IN LISTS last)
  list(APPEND groups "--test-case=${pattern}")
endforeach()
set(seconds 25)  # the first tests need a second or two
if(FAULT STREQUAL "")
  set(seconds 300)
endif()
foreach(group IN LISTS groups)
  execute_process(COMMAND "${PROGRAM}" --no-breaks --abort-after=1 "${group}" TIMEOUT ${seconds}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    break()
  endif()
  set(seconds 300)  # with a shorter limit, tests on a busy machine would seem to find a fault
endforeach()
if(FAULT STREQUAL "" AND NOT result EQUAL 0)
  message(FATAL_ERROR "Without a fault the tests fail: ${result}\n${output}")
elseif(NOT FAULT STREQUAL "" AND result EQUAL 0)
  message(FATAL_ERROR "The tests do not find the fault '${FAULT}'")
endif()
message(STATUS "${result}")
