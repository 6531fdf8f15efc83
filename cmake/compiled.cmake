# The targets flowgraph::compiled, from the sources in backends/host and those that host_sources.cmake writes, and flowgraph::by_name:
# the tables of all standard ops, for programs that look ops up by name.

include("${CMAKE_CURRENT_LIST_DIR}/host_sources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/zlib.cmake")

set(compiled_directory "${CMAKE_CURRENT_SOURCE_DIR}/backends/host")
file(GLOB compiled_sources CONFIGURE_DEPENDS "${compiled_directory}/*.cpp" "${compiled_directory}/tracing/*.cpp")
list(REMOVE_ITEM compiled_sources "${compiled_directory}/by_name.cpp")
set(compiled_kernels "${compiled_directory}/ops_accumulate.cpp")
flowgraph_write_kernel_sources(compiled_kernels)
list(APPEND compiled_sources ${compiled_kernels})
list(REMOVE_DUPLICATES compiled_sources)
set(by_name_sources "${compiled_directory}/by_name.cpp")
flowgraph_write_table_sources(by_name_sources)
set(gnu_like "$<CXX_COMPILER_ID:GNU,Clang,AppleClang>")
set(for_size "$<${gnu_like}:$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-Os>>")

# What makes kernels faster of all that g++'s -O2 and -O3 add to -O1; the rest is a third of the time to compile them.
set(kernel_flags -O1 -fexpensive-optimizations -finline-functions -finline-small-functions -fstrict-aliasing -ftree-vectorize
  -fvect-cost-model=dynamic)

# Kernels for one instruction-set level are built with its flags; their names carry the level, and the program picks one when it runs.
set(level_flags -O2 -fno-math-errno)
set(level_flags_avx2 -mavx2 -mfma -mf16c)
set(level_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)

# What both archives are built with.
function(flowgraph_set_compiled_properties target)
  # Results do not depend on whether a compiler likes to contract a*b+c; where a fused step is wanted the code says fma. Programs that
  # are linked with --gc-sections take no more than they use.
  target_compile_options(${target} PRIVATE "$<${gnu_like}:-ffp-contract=off;-ffunction-sections;-fdata-sections>")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
endfunction()

# A static library of the engine and the kernels, on top of the header-only target `library`.
function(flowgraph_make_compiled target library)
  set(sources ${compiled_sources})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|x86|i[3-6]86)$")
    set(levels baseline avx2 avx512)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(levels neon)
  else()
    set(levels baseline)
  endif()
  foreach(level baseline avx2 avx512 neon)
    set(source "${compiled_directory}/level_${level}.cpp")
    if(level IN_LIST levels)
      set_source_files_properties("${source}" PROPERTIES
        COMPILE_OPTIONS "$<${gnu_like}:${level_flags};${level_flags_${level}}>")
    else()
      list(REMOVE_ITEM sources "${source}")
    endif()
  endforeach()

  # The kernels, and runtime.cpp, are where a run spends its time.
  set_source_files_properties("${compiled_directory}/runtime.cpp" PROPERTIES
    COMPILE_OPTIONS "$<${gnu_like}:$<$<CONFIG:Release,RelWithDebInfo>:-O2>>")
  set_source_files_properties(${compiled_kernels} PROPERTIES
    COMPILE_OPTIONS "$<${gnu_like}:$<$<CONFIG:Release,RelWithDebInfo>:-O2>>;$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:${kernel_flags}>")

  # Their functors all run at the processor's level, or they do not compile.
  set_source_files_properties(${compiled_kernels} PROPERTIES COMPILE_DEFINITIONS FLOWGRAPH_STANDARD_KERNELS)

  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PUBLIC ${library})
  target_compile_definitions(${target} PUBLIC FLOWGRAPH_COMPILED)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${host_generated}/include>")
  # What runs once per graph, per plan or per run is built for size; and several sources at a time, since all read the same headers.
  target_compile_options(${target} PRIVATE ${for_size})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  flowgraph_set_compiled_properties(${target})
  flowgraph_use_zlib(${target})
endfunction()

# A static library of the tables of all ops, on top of `compiled`. Tables and the bodies of gradients are made for size. Programs that
# link it take the tables of standard ops from here.
function(flowgraph_make_by_name target compiled)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${by_name_sources})
  target_link_libraries(${target} PUBLIC ${compiled})
  target_compile_definitions(${target} PUBLIC FLOWGRAPH_BY_NAME)
  target_compile_options(${target} PRIVATE ${for_size})
  flowgraph_set_compiled_properties(${target})
  # Each call in a gradient's body names its place in the source; a section for each of these places would be a tenth of the archive.
  target_compile_options(${target} PRIVATE "$<${gnu_like}:-fno-data-sections>")
endfunction()

flowgraph_make_compiled(flowgraph_compiled flowgraph)
add_library(flowgraph::compiled ALIAS flowgraph_compiled)
set_target_properties(flowgraph_compiled PROPERTIES EXPORT_NAME compiled OUTPUT_NAME flowgraph)
flowgraph_make_by_name(flowgraph_by_name flowgraph_compiled)
add_library(flowgraph::by_name ALIAS flowgraph_by_name)
set_target_properties(flowgraph_by_name PROPERTIES EXPORT_NAME by_name)
if(FLOWGRAPH_INSTALL)
  set_target_properties(flowgraph_compiled flowgraph_by_name PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
