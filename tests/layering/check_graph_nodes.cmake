# graph_nodes.cmake finds each kind of reader that is planted, and lets through what is allowed.

set(tree "${WORK}/graph_nodes")
file(REMOVE_RECURSE "${tree}")
file(WRITE "${tree}/include/flowgraph/runtime/impl/call.hpp" "call.list_sizes = r.origin->list_sizes;\n")
file(WRITE "${tree}/include/flowgraph/io/saved.hpp" "auto name = n->origin->name;\nauto id = n->origin->id;\n")
file(WRITE "${tree}/include/flowgraph/observe/seen.hpp" "show(*n.origin);\n")
file(WRITE "${tree}/include/flowgraph/op/kernel.hpp" "struct kernel_call {\n  const node* at = nullptr;\n};\n")
file(WRITE "${tree}/include/flowgraph/placement/fine.hpp" "place_of(*n.origin);\nn.original = 1; from.origins.size();\n")
file(WRITE "${tree}/backends/distributed/part.cpp" "made.push_back(n.origin);\n")
file(WRITE "${tree}/allowed.txt" "# A comment.\ninclude/flowgraph/placement/fine.hpp 1: asks by node\n"
  "include/flowgraph/observe/seen.hpp 2: has two\ninclude/flowgraph/io/saved.hpp 1: has one\ninclude/flowgraph/gone.hpp 1: is no file\n")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${tree}" "-DALLOWED=${tree}/allowed.txt" -P "${CMAKE_CURRENT_LIST_DIR}/graph_nodes.cmake"
  ERROR_VARIABLE found RESULT_VARIABLE status)
if(status EQUAL 0)
  message(FATAL_ERROR "readers of the graph's node are let through")
endif()
string(REGEX REPLACE "[ \n]+" " " found "${found}")
foreach(fault "runtime/impl/call.hpp: 1 lines read the graph's node behind the draft, allowed 0" "io/saved.hpp: 2 lines read" "allowed 1;"
    "seen.hpp: 1 lines read the graph's node, and 2 are allowed" "gone.hpp is allowed to read" "op/kernel.hpp names a node of the graph"
    "distributed/part.cpp: 1 lines read")
  string(FIND "${found}" "${fault}" at)
  if(at LESS 0)
    message(FATAL_ERROR "'${fault}' is not said:\n${found}")
  endif()
endforeach()
string(FIND "${found}" "fine.hpp" at)
if(NOT at LESS 0)
  message(FATAL_ERROR "what is allowed is named:\n${found}")
endif()
