# What the library's own tests, examples and benchmarks are built with. Nothing here reaches a user.

# The warnings that our sources are kept free of; the presets make errors of them (CMAKE_COMPILE_WARNING_AS_ERROR).
function(flowgraph_develop target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wall;-Wextra;-Wconversion;-Wshadow;-ffp-contract=off>")
endfunction()

# Users turn on more for their own sources, and what they instantiate is compiled in the library as well.
set(flowgraph_strict_warnings -Wpedantic -Wsign-conversion -Wold-style-cast -Wundef)
function(flowgraph_develop_strictly target)
  flowgraph_develop(${target})
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:${flowgraph_strict_warnings}>")
endfunction()

# An object library `target` whose precompiled header, <flowgraph/flowgraph.hpp> against `libraries`, others use by REUSE_FROM.
function(flowgraph_add_umbrella target)
  file(CONFIGURE OUTPUT umbrella.cpp CONTENT "#include <flowgraph/flowgraph.hpp>\n" @ONLY)
  add_library(${target} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/umbrella.cpp")
  flowgraph_develop_strictly(${target})
  target_link_libraries(${target} PUBLIC ${ARGN})
  target_precompile_headers(${target} PRIVATE <flowgraph/flowgraph.hpp>)
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  flowgraph_develop_strictly(flowgraph_compiled)
  flowgraph_develop_strictly(flowgraph_by_name)
  if(TARGET flowgraph_images)
    flowgraph_develop_strictly(flowgraph_images)
  endif()
  if(TARGET flowgraph_cuda)
    flowgraph_develop_strictly(flowgraph_cuda)
  endif()
  if(TARGET flowgraph_interop)
    flowgraph_develop_strictly(flowgraph_interop)
  endif()
  if(TARGET flowgraph_tcp)
    flowgraph_develop_strictly(flowgraph_tcp)
  endif()
  if(TARGET flowgraph_tls)
    flowgraph_develop_strictly(flowgraph_tls)
  endif()
endif()
