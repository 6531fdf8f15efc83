# Tests on the emulated GPU (emulation.cmake).

include("${CMAKE_CURRENT_LIST_DIR}/emulation.cmake")
file(GLOB sources CONFIGURE_DEPENDS cuda/*.cpp)
list(FILTER sources EXCLUDE REGEX "/tests/cuda/cuda\\.cpp$")
add_executable(test_cuda ${sources})
flowgraph_develop(test_cuda)
target_link_libraries(test_cuda PRIVATE flowgraph_emulated_gpu flowgraph_test_main)
set_source_files_properties(cuda/programs.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # it uses the whole namespace programs
if(FLOWGRAPH_TEST_BATCHES)
  set_target_properties(test_cuda PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endif()
set_source_files_properties(cuda/kernels.cpp PROPERTIES COMPILE_DEFINITIONS "FLOWGRAPH_CUDA_PAGE=\"${PROJECT_SOURCE_DIR}/docs/cuda.md\"")
set_source_files_properties(cuda/kernel.cpp PROPERTIES COMPILE_DEFINITIONS
  "FLOWGRAPH_CUDA_EMULATION=\"${CMAKE_CURRENT_LIST_DIR}/emulation/custom.hpp\";FLOWGRAPH_EXAMPLE_OF_KERNELS=\"${PROJECT_SOURCE_DIR}/examples/devices/gpu_op.cu\"")
flowgraph_add_test(cuda LABELS cuda COMMAND test_cuda)

# Measures rates of kernels and of a copy on a real GPU (tools/gpu). This test only shows, on the emulated GPU, that the program runs.
add_executable(gpu_rates cuda/gpu/rates.cpp)
flowgraph_develop(gpu_rates)
target_link_libraries(gpu_rates PRIVATE flowgraph_emulated_gpu flowgraph::by_name)
flowgraph_add_test(cuda/rates LABELS cuda COMMAND gpu_rates --elements 10000 --samples 1)

# Checks the PTX of hot kernels. If nvcc is missing, a line reports it.
flowgraph_find_cuda(no_cuda)
if(no_cuda)
  message(STATUS "No test of the machine code for GPUs, because ${no_cuda}")
else()
  flowgraph_add_test(cuda/hot_kernels LABELS cuda
    COMMAND "${CMAKE_COMMAND}" "-DNVCC=${FLOWGRAPH_NVCC}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
      "-DWORK=${CMAKE_CURRENT_BINARY_DIR}" -DARCHITECTURE=90 -P "${CMAKE_CURRENT_LIST_DIR}/hot_kernels.cmake")

  # The driver of a real GPU, with stand-ins for the functions of the CUDA runtime.
  add_executable(test_cuda_driver cuda/runtime/driver.cpp "${PROJECT_SOURCE_DIR}/backends/cuda/runtime/driver.cpp"
    "${PROJECT_SOURCE_DIR}/backends/cuda/device/cublaslt.cpp")
  flowgraph_develop(test_cuda_driver)
  target_include_directories(test_cuda_driver PRIVATE "${PROJECT_SOURCE_DIR}/backends")
  target_include_directories(test_cuda_driver SYSTEM PRIVATE "${FLOWGRAPH_CUDA_DIRECTORY}")
  target_link_libraries(test_cuda_driver PRIVATE flowgraph::compiled flowgraph_test_main ${CMAKE_DL_LIBS})
  flowgraph_add_test(cuda/driver LABELS cuda COMMAND test_cuda_driver)
endif()

# Against the CUDA runtime: on a machine without a GPU, opening one ends in an error that says so.
if(TARGET flowgraph::cuda)
  add_executable(test_cuda_runtime cuda/cuda.cpp)
  flowgraph_develop(test_cuda_runtime)
  target_link_libraries(test_cuda_runtime PRIVATE flowgraph::cuda flowgraph_test_main)
  flowgraph_add_test(cuda/size LABELS cuda
    COMMAND "${CMAKE_COMMAND}" "-DARCHIVE=$<TARGET_FILE:flowgraph_cuda>" -P "${CMAKE_CURRENT_LIST_DIR}/size.cmake")
  flowgraph_add_test(cuda/runtime LABELS cuda COMMAND test_cuda_runtime)
endif()
