# mirror.cmake finds each kind of fault that is planted in fixture/, and lets through what is exempt.

file(WRITE "${WORK}/exemptions.txt" "# A comment.\ncore/tensor.hpp: has a test\ngone.hpp: is no header\nmisc/: a folder\nops/kernel/: a folder\n")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${CMAKE_CURRENT_LIST_DIR}/fixture" "-DEXEMPTIONS=${WORK}/exemptions.txt"
  -P "${CMAKE_CURRENT_LIST_DIR}/mirror.cmake" ERROR_VARIABLE found RESULT_VARIABLE status)
if(status EQUAL 0)
  message(FATAL_ERROR "headers without tests are let through")
endif()
foreach(fault "core/tensor.hpp has a test, and stands among" "gone.hpp is exempt, and there is no such header" "graph/graph.hpp has no test"
    "ops/array/slice.hpp has no test")
  string(FIND "${found}" "${fault}" at)
  if(at LESS 0)
    message(FATAL_ERROR "'${fault}' is not said:\n${found}")
  endif()
endforeach()
foreach(fine "misc/thing.hpp" "ops/kernel/add.hpp" "detail/")
  string(FIND "${found}" "${fine}" at)
  if(NOT at LESS 0)
    message(FATAL_ERROR "'${fine}' is exempt, and named:\n${found}")
  endif()
endforeach()
