# Faults planted in the decompositions of matrices; their tests must find each of them. The kernels are optimized: they compute for
# seconds without.

flowgraph_plant_faults(test_linear_algebra_mutants TESTS mutants/linear_algebra FAULTS "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  FROM "${PROJECT_SOURCE_DIR}/include/flowgraph" BELOW flowgraph)
file(GLOB linear_algebra_kernels "${host_generated}/kernels_linear_algebra*.cpp")
add_executable(test_linear_algebra_mutants "${planted}" ${linear_algebra_kernels} ops/linear_algebra/solve.cpp
  ops/linear_algebra/qr.cpp main.cpp)
flowgraph_use_faults(test_linear_algebra_mutants -O1)
target_include_directories(test_linear_algebra_mutants BEFORE PRIVATE "${planted_overlay}")
target_link_libraries(test_linear_algebra_mutants PRIVATE flowgraph::compiled doctest::doctest)
