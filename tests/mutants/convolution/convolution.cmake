# Faults planted in the kernels of convolutions and products; their tests must find each of them. The program is header-only, so that
# the kernels of its level are planted too.

flowgraph_plant_faults(test_convolution_mutants TESTS mutants/convolution FAULTS "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  FROM "${PROJECT_SOURCE_DIR}/include/flowgraph" BELOW flowgraph)
add_executable(test_convolution_mutants "${planted}" ops/kernel/finish.cpp ops/kernel/gather.cpp ops/kernel/product.cpp
  ops/nn/convolution.cpp ops/nn/depthwise.cpp passes/finish_results.cpp main.cpp)
flowgraph_use_faults(test_convolution_mutants -O1)
target_include_directories(test_convolution_mutants BEFORE PRIVATE "${planted_overlay}")
target_link_libraries(test_convolution_mutants PRIVATE flowgraph::flowgraph doctest::doctest)
if(FLOWGRAPH_TEST_BATCHES)
  set_target_properties(test_convolution_mutants PROPERTIES UNITY_BUILD ON)
endif()
