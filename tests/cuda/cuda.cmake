# The emulated GPU (emulation.cmake), tested.

include("${CMAKE_CURRENT_LIST_DIR}/emulation.cmake")
file(GLOB sources CONFIGURE_DEPENDS cuda/*.cpp)
list(FILTER sources EXCLUDE REGEX "/tests/cuda/cuda\\.cpp$")
add_executable(test_cuda ${sources})
flowgraph_develop(test_cuda)
target_link_libraries(test_cuda PRIVATE flowgraph_emulated_gpu flowgraph_test_main)
set_source_files_properties(cuda/kernels.cpp PROPERTIES COMPILE_DEFINITIONS "FLOWGRAPH_CUDA_PAGE=\"${PROJECT_SOURCE_DIR}/docs/cuda.md\"")
set_source_files_properties(cuda/custom_ops.cpp PROPERTIES
  COMPILE_DEFINITIONS "FLOWGRAPH_CUDA_EMULATION=\"${CMAKE_CURRENT_LIST_DIR}/emulation/custom.hpp\"")
flowgraph_add_test(cuda LABELS cuda COMMAND test_cuda)

# Against the CUDA runtime: on a machine without a GPU, opening one ends in an error that says so.
if(TARGET flowgraph::cuda)
  add_executable(test_cuda_runtime cuda/cuda.cpp)
  flowgraph_develop(test_cuda_runtime)
  target_link_libraries(test_cuda_runtime PRIVATE flowgraph::cuda flowgraph_test_main)
  flowgraph_add_test(cuda/runtime LABELS cuda COMMAND test_cuda_runtime)
endif()
