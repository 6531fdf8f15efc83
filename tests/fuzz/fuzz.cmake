# Fuzzers of what reads other people's files; clang alone has libFuzzer. Built on demand:
#
#   ninja fuzz && tests/fuzz_graph_def -max_total_time=600

add_custom_target(fuzz)
set(fuzz_options -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g1 -O1)
flowgraph_make_interop(flowgraph_fuzz_interop flowgraph)
target_compile_options(flowgraph_fuzz_interop PRIVATE ${fuzz_options})
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
foreach(source IN LISTS fuzz_sources)
  cmake_path(GET source STEM name)
  add_executable(fuzz_${name} EXCLUDE_FROM_ALL "${source}")
  flowgraph_develop(fuzz_${name})
  target_compile_options(fuzz_${name} PRIVATE ${fuzz_options})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(fuzz_${name} PRIVATE flowgraph_fuzz_interop $<TARGET_NAME_IF_EXISTS:flowgraph::images>)
  add_dependencies(fuzz fuzz_${name})
endforeach()
