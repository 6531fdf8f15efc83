# Faults planted in the kernels of GPUs, in the code that calls them and in the memory of a GPU; the tests on the emulated GPU must find each
# of them.

flowgraph_plant_faults(test_cuda_mutants TESTS mutants/cuda FAULTS "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  FROM "${PROJECT_SOURCE_DIR}/backends/cuda" BELOW cuda
  LAST "kernels of a GPU compute*" "random programs*")
file(GLOB cuda_mutant_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/backends/cuda"
  "${PROJECT_SOURCE_DIR}/backends/cuda/calls/*.cpp" "${PROJECT_SOURCE_DIR}/backends/cuda/device/*.cpp")
set(cuda_mutants)
foreach(source IN LISTS cuda_mutant_sources)
  if(source IN_LIST planted_files)
    list(APPEND cuda_mutants "${planted_overlay}/cuda/${source}")
  else()
    list(APPEND cuda_mutants "${PROJECT_SOURCE_DIR}/backends/cuda/${source}")
  endif()
endforeach()
add_executable(test_cuda_mutants "${planted}" ${cuda_mutants} cuda/emulation/cublaslt.cpp
  cuda/emulation/kernels.cpp cuda/emulation/network.cpp cuda/emulation/rows.cpp cuda/emulation/special.cpp cuda/device.cpp cuda/device_tensor.cpp
  cuda/dlpack.cpp cuda/failures.cpp cuda/kernels.cpp cuda/large_forms.cpp cuda/memory.cpp cuda/memory_functions.cpp cuda/networks.cpp cuda/product_library.cpp
  cuda/programs.cpp cuda/stopping.cpp cuda/updates.cpp)
set_source_files_properties(cuda/kernels.cpp PROPERTIES COMPILE_DEFINITIONS "FLOWGRAPH_CUDA_PAGE=\"${PROJECT_SOURCE_DIR}/docs/cuda.md\"")
flowgraph_use_faults(test_cuda_mutants -O1)
target_include_directories(test_cuda_mutants BEFORE PRIVATE "${planted_overlay}" "${PROJECT_SOURCE_DIR}/backends")
target_link_libraries(test_cuda_mutants PRIVATE flowgraph_test_main ${CMAKE_DL_LIBS})
if(FLOWGRAPH_TEST_BATCHES)
  set_target_properties(test_cuda_mutants PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(batched ${cuda_mutants})
  list(FILTER batched INCLUDE REGEX "/calls/")
  set_source_files_properties(${batched} PROPERTIES UNITY_GROUP calls)
  set_source_files_properties(cuda/device.cpp cuda/device_tensor.cpp cuda/dlpack.cpp cuda/failures.cpp cuda/large_forms.cpp cuda/memory.cpp cuda/memory_functions.cpp
    cuda/networks.cpp cuda/product_library.cpp cuda/stopping.cpp cuda/updates.cpp PROPERTIES UNITY_GROUP tests)
endif()
