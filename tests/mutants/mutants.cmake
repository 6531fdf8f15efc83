# Faults planted in the engine, and the test of random programs, or those of passes and devices, must find each of them. One executable holds
# them all: copies of a few headers stand before the library's own for the sources that are built from them.

set(overlay "${CMAKE_CURRENT_BINARY_DIR}/overlay")
set(mutant_headers)
function(fault name header)
  list(APPEND mutant_headers "${PROJECT_SOURCE_DIR}/include/flowgraph/${header}")
  set(mutant_headers ${mutant_headers} PARENT_SCOPE)
  flowgraph_add_test(mutants/${name} LABELS mutants
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:test_mutants>" "-DFAULT=${name}" -P "${CMAKE_CURRENT_LIST_DIR}/find.cmake")
endfunction()
include("${CMAKE_CURRENT_LIST_DIR}/faults.cmake")
flowgraph_add_test(mutants/none LABELS mutants
  COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:test_mutants>" -DFAULT= -P "${CMAKE_CURRENT_LIST_DIR}/find.cmake")

list(REMOVE_DUPLICATES mutant_headers)
set(planted_headers)
foreach(header IN LISTS mutant_headers)
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/include" OUTPUT_VARIABLE name)
  list(APPEND planted_headers "${overlay}/${name}")
endforeach()
add_custom_command(OUTPUT "${overlay}/planted" BYPRODUCTS ${planted_headers}
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${PROJECT_SOURCE_DIR}/include/flowgraph" "-DOVERLAY=${overlay}" "-DINTO=${overlay}/flowgraph"
    "-DFAULTS=${CMAKE_CURRENT_LIST_DIR}/faults.cmake" -P "${CMAKE_CURRENT_LIST_DIR}/plant.cmake"
  DEPENDS ${mutant_headers} "${CMAKE_CURRENT_LIST_DIR}/plant.cmake" "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  COMMENT "Planting faults" VERBATIM)
set(mutant_sources)
foreach(source cut devices planning runtime tracing/trace tracing/recording passes pass_memory views)
  list(APPEND mutant_sources "${PROJECT_SOURCE_DIR}/backends/host/${source}.cpp")
endforeach()
file(GLOB mutant_kernels "${host_generated}/*_control_flow*.cpp" "${host_generated}/kernels_data_flow*.cpp"
  "${host_generated}/kernels_linear_algebra*.cpp")
list(APPEND mutant_sources ${mutant_kernels})
file(GLOB mutant_tests CONFIGURE_DEPENDS passes/*.cpp runtime/schedule/body_layout.cpp runtime/cut.cpp runtime/parts/*.cpp runtime/tracing/*.cpp runtime/runs/waiting.cpp
  runtime/runs/device_memory.cpp
  runtime/device_services.cpp runtime/placement.cpp runtime/planning/transfers.cpp placement/save_memory.cpp placement/delay_transfers.cpp
  ops/linear_algebra/solve.cpp ops/linear_algebra/qr.cpp)
add_executable(test_mutants "${overlay}/planted" ${mutant_sources} ops/control_flow/random_programs.cpp ${mutant_tests} main.cpp)
flowgraph_develop(test_mutants)
target_include_directories(test_mutants BEFORE PRIVATE "${overlay}")
target_compile_options(test_mutants PRIVATE -O0 "SHELL:-include \"${CMAKE_CURRENT_LIST_DIR}/planted.hpp\"")
target_link_libraries(test_mutants PRIVATE flowgraph::compiled doctest::doctest)
if(FLOWGRAPH_TEST_BATCHES)
  set_target_properties(test_mutants PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS mutant_sources mutant_tests)
    string(REGEX MATCH "/backends/host/|/tests/(passes|runtime)/" group "${source}")
    string(MAKE_C_IDENTIFIER "${group}" group)
    if(group)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
    endif()
  endforeach()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/convolution/convolution.cmake")
if(TARGET flowgraph::tcp)
  include("${CMAKE_CURRENT_LIST_DIR}/protocol/protocol.cmake")
endif()
