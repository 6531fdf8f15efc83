# The target flowgraph::cuda: GPUs by CUDA. nvcc compiles backends/cuda/kernels, the C++ compiler the other sources. The CUDA runtime is linked
# statically and opens the driver when a program opens a GPU, so that programs run on machines without one. FLOWGRAPH_CUDA determines
# whether there is such a target:
#   OFF   never; this is the default, because nvcc takes most of a minute per architecture
#   AUTO  if nvcc and the static runtime are found; otherwise one line names the missing part
#   ON    an error if they are not found
# FLOWGRAPH_CUDA_ARCHITECTURES lists the architectures that get code of their own. The last one also gets PTX, for later GPUs.

set(FLOWGRAPH_CUDA_ARCHITECTURES "80;90" CACHE STRING "The architectures of GPUs for flowgraph::cuda, in ascending order")
include("${CMAKE_CURRENT_LIST_DIR}/flowgraph_cuda_kernels.cmake")

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/cuda/*.cpp")

set(no_cuda "")
if(NOT FLOWGRAPH_CUDA)
  set(no_cuda "FLOWGRAPH_CUDA is ${FLOWGRAPH_CUDA}")
elseif(CMAKE_CXX_FLAGS MATCHES "-fno-exceptions|FLOWGRAPH_NO_THREADS")
  set(no_cuda "nvcc compiles the kernels with exceptions and threads")
else()
  flowgraph_find_cuda(no_cuda)
endif()

if(no_cuda AND FLOWGRAPH_CUDA AND NOT FLOWGRAPH_CUDA STREQUAL "AUTO")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_CUDA is ${FLOWGRAPH_CUDA}, but ${no_cuda}")
elseif(no_cuda AND FLOWGRAPH_CUDA)
  message(STATUS "flowgraph: without flowgraph::cuda, because ${no_cuda}")
elseif(NOT no_cuda)
  set(definitions FLOWGRAPH_COMPILED)
  if(FLOWGRAPH_INFERENCE)
    list(APPEND definitions FLOWGRAPH_INFERENCE)
  endif()
  # nvcc compiles kernels/kernels.cu once for each part of the lists of kernels. kernels/parts.cpp joins the parts.
  set(cuda_objects "")
  file(STRINGS "${PROJECT_SOURCE_DIR}/backends/cuda/kernels/table.hpp" parts REGEX "int part_count = [0-9]+")
  string(REGEX REPLACE ".*part_count = ([0-9]+).*" "\\1" parts "${parts}")
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    flowgraph_compile_kernels(cuda_objects "${PROJECT_SOURCE_DIR}/backends/cuda/kernels/kernels.cu" NAME kernels_${part}
      DEFINITIONS ${definitions} FLOWGRAPH_CUDA_PART=${part}
      DIRECTORIES "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/backends")
  endforeach()
  add_library(flowgraph_cuda STATIC EXCLUDE_FROM_ALL ${cuda_sources} ${cuda_objects})
  add_library(flowgraph::cuda ALIAS flowgraph_cuda)
  # Kernels are functions of flowgraph::compiled's ABI: there is no header-only form.
  target_link_libraries(flowgraph_cuda PUBLIC flowgraph_compiled PRIVATE
    "$<BUILD_INTERFACE:${FLOWGRAPH_CUDART_LIBRARY}>$<INSTALL_INTERFACE:cudart_static>" ${CMAKE_DL_LIBS} rt)
  target_include_directories(flowgraph_cuda PRIVATE "${PROJECT_SOURCE_DIR}/backends")  # <cuda/...>
  target_include_directories(flowgraph_cuda SYSTEM PRIVATE "${FLOWGRAPH_CUDA_DIRECTORY}")
  target_compile_options(flowgraph_cuda PRIVATE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off;-ffunction-sections;-fdata-sections>")
  set_target_properties(flowgraph_cuda PROPERTIES
    EXPORT_NAME cuda
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  if(FLOWGRAPH_INSTALL)
    set_target_properties(flowgraph_cuda PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()
