# Compiles kernels of GPUs with nvcc, for flowgraph::cuda and for the ops of programs:
#
#   flowgraph_add_cuda_kernels(program kernels.cu)   adds the kernels of kernels.cu, and flowgraph::cuda, to the target `program`
#
# FLOWGRAPH_CUDA_ARCHITECTURES lists the architectures. The last one also gets PTX, for later GPUs.

# Finds nvcc and the static CUDA runtime that is installed with nvcc. Sets `missing` to a text that names the missing part, or to
# an empty text.
function(flowgraph_find_cuda missing)
  set(text "")
  find_program(FLOWGRAPH_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda/bin DOC "nvcc of CUDA 12.2 or newer")
  mark_as_advanced(FLOWGRAPH_NVCC)
  if(NOT FLOWGRAPH_NVCC)
    set(text "nvcc is not found")
  else()
    cmake_path(GET FLOWGRAPH_NVCC PARENT_PATH root)
    cmake_path(GET root PARENT_PATH root)
    find_path(FLOWGRAPH_CUDA_DIRECTORY cuda_runtime_api.h HINTS "${root}/include" "${root}/targets/x86_64-linux/include")
    find_library(FLOWGRAPH_CUDART_LIBRARY libcudart_static.a HINTS "${root}/lib64" "${root}/lib")
    mark_as_advanced(FLOWGRAPH_CUDA_DIRECTORY FLOWGRAPH_CUDART_LIBRARY)
    if(NOT FLOWGRAPH_CUDA_DIRECTORY)
      set(text "there is no cuda_runtime_api.h beside ${FLOWGRAPH_NVCC}")
    elseif(NOT FLOWGRAPH_CUDART_LIBRARY)
      set(text "there is no libcudart_static.a beside ${FLOWGRAPH_NVCC}")
    endif()
  endif()
  set(${missing} "${text}" PARENT_SCOPE)
endfunction()

# Compiles a file of kernels, and appends its object to the list `list_of_objects`.
function(flowgraph_compile_kernels list_of_objects source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME" "DEFINITIONS;DIRECTORIES")
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/flowgraph_cuda_kernels")
  set(object "${directory}/${arg_NAME}.o")
  set(code "")
  foreach(architecture IN LISTS FLOWGRAPH_CUDA_ARCHITECTURES)
    list(APPEND code -gencode "arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  list(GET FLOWGRAPH_CUDA_ARCHITECTURES -1 last)
  list(APPEND code -gencode "arch=compute_${last},code=compute_${last}")
  # The sources call fma explicitly. nvcc must round all other products and sums separately, as the CPU does. The warnings 186 and 554
  # are about templates that are correct for some types only.
  add_custom_command(OUTPUT "${object}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${directory}"
    COMMAND "${FLOWGRAPH_NVCC}" -std=c++20 -O3 -ccbin "${CMAKE_CXX_COMPILER}" ${code} --expt-relaxed-constexpr --fmad=false
      --diag-suppress=186,554
      -Xcompiler -fPIC,-Wall,-Wno-parentheses,-fvisibility=hidden "-D$<JOIN:${arg_DEFINITIONS},;-D>" "-I$<JOIN:${arg_DIRECTORIES},;-I>"
      -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
    DEPENDS "${source}" DEPFILE "${object}.d" VERBATIM COMMAND_EXPAND_LISTS COMMENT "Compiling ${arg_NAME} by nvcc")
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  list(APPEND ${list_of_objects} "${object}")
  set(${list_of_objects} "${${list_of_objects}}" PARENT_SCOPE)
endfunction()

# Compiles files of kernels, and adds their objects to a target.
function(flowgraph_add_cuda_kernels target)
  if(NOT TARGET flowgraph::cuda)
    message(FATAL_ERROR "flowgraph: the kernels of ${target} need flowgraph::cuda, which there is not: FLOWGRAPH_CUDA is '${FLOWGRAPH_CUDA}'")
  endif()
  target_link_libraries(${target} PRIVATE flowgraph::cuda)
  set(objects "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source STEM name)
    flowgraph_compile_kernels(objects "${source}" NAME ${target}_${name}
      DEFINITIONS "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>" DIRECTORIES "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  endforeach()
  target_sources(${target} PRIVATE ${objects})
endfunction()
