# The target flowgraph::compiled, from every source in backends/host.

file(GLOB compiled_sources CONFIGURE_DEPENDS backends/host/*.cpp)

# Kernels for one instruction-set level are built with its flags; their names carry the level, and the program picks one when it runs.
set(level_flags -O2 -fno-math-errno)
set(level_flags_avx2 -mavx2 -mfma -mf16c)
set(level_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
set(gnu_like "$<CXX_COMPILER_ID:GNU,Clang,AppleClang>")

foreach(level baseline avx2 avx512)
  set(level_source "${CMAKE_CURRENT_SOURCE_DIR}/backends/host/level_${level}.cpp")
  if(level STREQUAL "baseline" OR CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set_source_files_properties("${level_source}" PROPERTIES
      COMPILE_OPTIONS "$<${gnu_like}:${level_flags};${level_flags_${level}}>")
  else()
    list(REMOVE_ITEM compiled_sources "${level_source}")
  endif()
endforeach()

# What happens once a graph, once a plan or once a run, and the tables of all ops, are built for size; runtime.cpp and the kernels are what a run spends its time in.
file(GLOB table_sources CONFIGURE_DEPENDS backends/host/tables_*.cpp)
set(small_sources core graph planning train train_moving_average)
list(TRANSFORM small_sources REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/backends/host/\\1.cpp")
foreach(source IN LISTS small_sources table_sources)
  set_source_files_properties("${source}" PROPERTIES
    COMPILE_OPTIONS "$<${gnu_like}:$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-Os>>")
endforeach()
set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/backends/host/runtime.cpp" PROPERTIES
  COMPILE_OPTIONS "$<${gnu_like}:$<$<CONFIG:Release,RelWithDebInfo>:-O2>>")

if(FLOWGRAPH_INSTALL)
  add_library(flowgraph_compiled STATIC ${compiled_sources})
else()
  add_library(flowgraph_compiled STATIC EXCLUDE_FROM_ALL ${compiled_sources})
endif()
add_library(flowgraph::compiled ALIAS flowgraph_compiled)
target_link_libraries(flowgraph_compiled PUBLIC flowgraph)
target_compile_definitions(flowgraph_compiled PUBLIC FLOWGRAPH_COMPILED)
# Results do not depend on whether a compiler likes to contract a*b+c; where a fused step is wanted the code says fma.
target_compile_options(flowgraph_compiled PRIVATE "$<${gnu_like}:-ffp-contract=off;-ffunction-sections;-fdata-sections>")
set_target_properties(flowgraph_compiled PROPERTIES
  EXPORT_NAME compiled
  OUTPUT_NAME flowgraph
  CXX_EXTENSIONS OFF
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  POSITION_INDEPENDENT_CODE ON)
