# Faults planted in the kernels of convolutions; the tests of convolutions must find each of them. The program is header-only, so that
# the kernels of its level are planted too.

set(convolution_overlay "${CMAKE_CURRENT_BINARY_DIR}/convolution_overlay")
set(planted_names)
function(fault name header)
  list(APPEND planted_names "${header}")
  set(planted_names ${planted_names} PARENT_SCOPE)
  flowgraph_add_test(mutants/convolution/${name} LABELS mutants
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:test_convolution_mutants>" "-DFAULT=${name}"
      -P "${PROJECT_SOURCE_DIR}/tests/mutants/find.cmake")
endfunction()
include("${CMAKE_CURRENT_LIST_DIR}/faults.cmake")
flowgraph_add_test(mutants/convolution/none LABELS mutants
  COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:test_convolution_mutants>" -DFAULT=
    -P "${PROJECT_SOURCE_DIR}/tests/mutants/find.cmake")

list(REMOVE_DUPLICATES planted_names)
set(planted_originals ${planted_names})
list(TRANSFORM planted_originals PREPEND "${PROJECT_SOURCE_DIR}/include/flowgraph/")
add_custom_command(OUTPUT "${convolution_overlay}/planted"
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${PROJECT_SOURCE_DIR}/include/flowgraph" "-DOVERLAY=${convolution_overlay}"
    "-DINTO=${convolution_overlay}/flowgraph" "-DFAULTS=${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
    -P "${PROJECT_SOURCE_DIR}/tests/mutants/plant.cmake"
  DEPENDS ${planted_originals} "${PROJECT_SOURCE_DIR}/tests/mutants/plant.cmake" "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  COMMENT "Planting faults in convolutions" VERBATIM)
add_executable(test_convolution_mutants "${convolution_overlay}/planted" ops/kernel/gather.cpp ops/nn/convolution.cpp
  ops/nn/depthwise.cpp main.cpp)
flowgraph_develop(test_convolution_mutants)
target_include_directories(test_convolution_mutants BEFORE PRIVATE "${convolution_overlay}")
target_compile_options(test_convolution_mutants PRIVATE -O1 "SHELL:-include \"${PROJECT_SOURCE_DIR}/tests/mutants/planted.hpp\"")
target_link_libraries(test_convolution_mutants PRIVATE flowgraph::flowgraph doctest::doctest)
