# The emulated GPU: the sources of backends/cuda but for the CUDA runtime, and the bodies of the kernels, compiled by the C++ compiler.

file(GLOB_RECURSE sources CONFIGURE_DEPENDS cuda/*.cpp
  "${PROJECT_SOURCE_DIR}/backends/cuda/calls/*.cpp" "${PROJECT_SOURCE_DIR}/backends/cuda/device/*.cpp")
list(FILTER sources EXCLUDE REGEX "/tests/cuda/cuda\\.cpp$")
add_executable(test_cuda ${sources})
flowgraph_develop(test_cuda)
target_link_libraries(test_cuda PRIVATE flowgraph_test_main)
target_include_directories(test_cuda PRIVATE "${PROJECT_SOURCE_DIR}/backends")  # <cuda/...>
set_source_files_properties(cuda/kernels.cpp PROPERTIES COMPILE_DEFINITIONS "FLOWGRAPH_CUDA_PAGE=\"${PROJECT_SOURCE_DIR}/docs/cuda.md\"")
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set_source_files_properties(cuda/emulation/kernels.cpp cuda/emulation/network.cpp cuda/emulation/rows.cpp PROPERTIES COMPILE_OPTIONS -O1)
endif()
flowgraph_add_test(cuda LABELS cuda COMMAND test_cuda)

# Against the CUDA runtime: on a machine without a GPU, opening one ends in an error that says so.
if(TARGET flowgraph::cuda)
  add_executable(test_cuda_runtime cuda/cuda.cpp)
  flowgraph_develop(test_cuda_runtime)
  target_link_libraries(test_cuda_runtime PRIVATE flowgraph::cuda flowgraph_test_main)
  flowgraph_add_test(cuda/runtime LABELS cuda COMMAND test_cuda_runtime)
endif()
