# The target flowgraph::cuda: GPUs by CUDA. nvcc compiles backends/cuda/kernels, the C++ compiler the other sources. The CUDA runtime is linked
# statically and opens the driver when a program opens a GPU, so that programs run on machines without one. FLOWGRAPH_CUDA determines
# whether there is such a target:
#   OFF   never; this is the default, because nvcc takes most of a minute per architecture
#   AUTO  if nvcc and the static runtime are found; otherwise one line names the missing part
#   ON    an error if they are not found
# FLOWGRAPH_CUDA_ARCHITECTURES lists the architectures that get code of their own. The last one also gets PTX, for later GPUs.

set(FLOWGRAPH_CUDA_ARCHITECTURES "80;90" CACHE STRING "The architectures of GPUs for flowgraph::cuda, in ascending order")

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/cuda/*.cpp")
file(GLOB cuda_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/cuda/kernels/*.cu")

set(no_cuda "")
if(NOT FLOWGRAPH_CUDA)
  set(no_cuda "FLOWGRAPH_CUDA is ${FLOWGRAPH_CUDA}")
else()
  find_program(FLOWGRAPH_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda/bin DOC "nvcc of CUDA 12.2 or newer")
  mark_as_advanced(FLOWGRAPH_NVCC)
  if(NOT FLOWGRAPH_NVCC)
    set(no_cuda "nvcc is not found")
  else()
    cmake_path(GET FLOWGRAPH_NVCC PARENT_PATH cuda_root)
    cmake_path(GET cuda_root PARENT_PATH cuda_root)
    find_path(FLOWGRAPH_CUDA_DIRECTORY cuda_runtime_api.h HINTS "${cuda_root}/include" "${cuda_root}/targets/x86_64-linux/include")
    find_library(FLOWGRAPH_CUDART_LIBRARY libcudart_static.a HINTS "${cuda_root}/lib64" "${cuda_root}/lib")
    mark_as_advanced(FLOWGRAPH_CUDA_DIRECTORY FLOWGRAPH_CUDART_LIBRARY)
    if(NOT FLOWGRAPH_CUDA_DIRECTORY)
      set(no_cuda "there is no cuda_runtime_api.h beside ${FLOWGRAPH_NVCC}")
    elseif(NOT FLOWGRAPH_CUDART_LIBRARY)
      set(no_cuda "there is no libcudart_static.a beside ${FLOWGRAPH_NVCC}")
    endif()
  endif()
endif()

# Compiles a file of kernels, and appends its object to the list `objects`.
function(flowgraph_compile_kernels source objects)
  cmake_path(GET source STEM name)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/flowgraph_cuda_kernels/${name}.o")
  set(code "")
  foreach(architecture IN LISTS FLOWGRAPH_CUDA_ARCHITECTURES)
    list(APPEND code -gencode "arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  list(GET FLOWGRAPH_CUDA_ARCHITECTURES -1 last)
  list(APPEND code -gencode "arch=compute_${last},code=compute_${last}")
  set(definitions -DFLOWGRAPH_COMPILED)
  if(FLOWGRAPH_INFERENCE)
    list(APPEND definitions -DFLOWGRAPH_INFERENCE)
  endif()
  # fma is explicit in the sources: other products and sums are rounded one by one, as on the CPU.
  add_custom_command(OUTPUT "${object}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/flowgraph_cuda_kernels"
    COMMAND "${FLOWGRAPH_NVCC}" -std=c++20 -O3 -ccbin "${CMAKE_CXX_COMPILER}" ${code} --expt-relaxed-constexpr --fmad=false
      -Xcompiler -fPIC,-Wall,-fvisibility=hidden ${definitions} "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/backends"
      -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
    DEPENDS "${source}" DEPFILE "${object}.d" VERBATIM COMMENT "Compiling the kernels of ${name}.cu by nvcc")
  list(APPEND ${objects} "${object}")
  set(${objects} "${${objects}}" PARENT_SCOPE)
endfunction()

if(no_cuda AND FLOWGRAPH_CUDA AND NOT FLOWGRAPH_CUDA STREQUAL "AUTO")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_CUDA is ${FLOWGRAPH_CUDA}, but ${no_cuda}")
elseif(no_cuda AND FLOWGRAPH_CUDA)
  message(STATUS "flowgraph: without flowgraph::cuda, because ${no_cuda}")
elseif(NOT no_cuda)
  set(cuda_objects "")
  foreach(source IN LISTS cuda_kernels)
    flowgraph_compile_kernels("${source}" cuda_objects)
  endforeach()
  set_source_files_properties(${cuda_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
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
