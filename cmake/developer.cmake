# What the library's own tests, examples and benchmarks are built with. Nothing here reaches a user.

# The warnings that our sources are kept free of; the presets make errors of them (CMAKE_COMPILE_WARNING_AS_ERROR).
function(flowgraph_develop target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wall;-Wextra;-Wconversion;-Wshadow;-ffp-contract=off>")
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  flowgraph_develop(flowgraph_compiled)
  if(TARGET flowgraph_interop)
    flowgraph_develop(flowgraph_interop)
  endif()
endif()
