# Faults planted in the engine, and the tests of passes and devices, or those of random programs, must find each of them. One executable
# holds them all: copies of a few headers stand before the library's own for the sources that are built from them.

include("${CMAKE_CURRENT_LIST_DIR}/program.cmake")

flowgraph_plant_faults(test_mutants TESTS mutants FAULTS "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  FROM "${PROJECT_SOURCE_DIR}/include/flowgraph" BELOW flowgraph
  LAST "group_elementwise: r*" "loop_products: *" "large_blocks: threads *" "gradients of random programs*"
    "save memory: branches and loops of random*" "save memory: training*" "cut: a run that waits * ends at its deadline*" "random programs*")
# All of the host backend but its kernels: the archive has many sources in one object.
file(GLOB mutant_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/host/*.cpp" "${PROJECT_SOURCE_DIR}/backends/host/tracing/*.cpp")
list(FILTER mutant_sources EXCLUDE REGEX "/(by_name|level_[a-z0-9]+|ops_accumulate)\\.cpp$")
file(GLOB mutant_kernels "${host_generated}/*_control_flow*.cpp" "${host_generated}/kernels_data_flow*.cpp" "${host_generated}/functions.cpp")
list(APPEND mutant_sources ${mutant_kernels})
file(GLOB mutant_tests CONFIGURE_DEPENDS passes/*.cpp core/large_blocks.cpp runtime/schedule/arena_schedule.cpp runtime/schedule/body_layout.cpp
  runtime/schedule/scalar_loop.cpp runtime/schedule/scalars_in_arena.cpp runtime/cut.cpp runtime/parts/*.cpp runtime/tracing/*.cpp runtime/runs/waiting.cpp runtime/runs/device_memory.cpp
  runtime/device_services.cpp runtime/placement.cpp runtime/planning/transfers.cpp placement/save_memory.cpp placement/delay_transfers.cpp train/loop_products.cpp
  ops/shared/element_program.cpp)
add_executable(test_mutants "${planted}" ${mutant_sources} ops/control_flow/random_programs.cpp ${mutant_tests} main.cpp)
flowgraph_use_faults(test_mutants -O0)
target_include_directories(test_mutants BEFORE PRIVATE "${planted_overlay}")
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
include("${CMAKE_CURRENT_LIST_DIR}/cuda/cuda.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/linear_algebra/linear_algebra.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/lookup/lookup.cmake")
if(TARGET flowgraph::tcp)
  include("${CMAKE_CURRENT_LIST_DIR}/protocol/protocol.cmake")
endif()
