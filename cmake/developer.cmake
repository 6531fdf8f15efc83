# What the library's own tests, examples and benchmarks are built with. Nothing here reaches a user.

# Warnings are errors, for the library's sources too.
function(flowgraph_develop target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Wall;-Wextra;-Wconversion;-Wshadow;-Werror;-ffp-contract=off>")
endfunction()

if(PROJECT_IS_TOP_LEVEL)
  flowgraph_develop(flowgraph_compiled)
  flowgraph_develop(flowgraph_by_name)
  if(TARGET flowgraph_interop)
    flowgraph_develop(flowgraph_interop)
  endif()
endif()
