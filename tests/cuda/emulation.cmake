# flowgraph_emulated_gpu: the C++ compiler compiles the sources of backends/cuda except the CUDA runtime, and the bodies of the kernels.

include_guard(GLOBAL)
file(GLOB emulation_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/emulation/*.cpp"
  "${PROJECT_SOURCE_DIR}/backends/cuda/calls/*.cpp" "${PROJECT_SOURCE_DIR}/backends/cuda/device/*.cpp")
add_library(flowgraph_emulated_gpu OBJECT ${emulation_sources})
flowgraph_develop(flowgraph_emulated_gpu)
target_link_libraries(flowgraph_emulated_gpu PUBLIC flowgraph::compiled ${CMAKE_DL_LIBS})
target_include_directories(flowgraph_emulated_gpu PUBLIC "${PROJECT_SOURCE_DIR}/backends")  # <cuda/...>
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(flowgraph_emulated_gpu PRIVATE "$<$<CONFIG:Release>:-O1>")
endif()

# If flowgraph::cuda exists, the same programs can use a real GPU: tools/gpu.
if(TARGET flowgraph::cuda)
  target_sources(flowgraph_emulated_gpu PRIVATE "${CMAKE_CURRENT_LIST_DIR}/gpu/real_driver.cpp")
  target_link_libraries(flowgraph_emulated_gpu PUBLIC flowgraph::cuda)
endif()
