# Fails where code behind the draft reads a node of the graph: a draft node, a record of a plan and a call site contain all that a run needs,
# and a reader of the graph's node would miss what a pass has changed. Fails too where nodes that no program wrote have a second owner, or
# are recognized by their name.
#
# Usage: cmake -DSOURCE=<source tree> -P graph_nodes.cmake

file(GLOB_RECURSE behind RELATIVE "${SOURCE}" "${SOURCE}/include/flowgraph/runtime/*.hpp" "${SOURCE}/include/flowgraph/ops/*.hpp"
  "${SOURCE}/include/flowgraph/io/*.hpp" "${SOURCE}/include/flowgraph/observe/*.hpp" "${SOURCE}/include/flowgraph/placement/*.hpp"
  "${SOURCE}/include/flowgraph/distributed/*.hpp" "${SOURCE}/backends/*.hpp" "${SOURCE}/backends/*.cpp")
foreach(file IN LISTS behind)
  file(STRINGS "${SOURCE}/${file}" found REGEX "(->|[.])origin([^a-z_]|$)|nodes\\[[^]]*([.]|->)id\\]")
  if(found)
    list(JOIN found "\n  " found)
    message(SEND_ERROR "${file} reads the graph's node behind the draft; read the draft node, the record or its call site:\n  ${found}")
  endif()
endforeach()

foreach(file op/kernel.hpp op/kernel_trace.hpp runtime/call_steps.hpp runtime/planning/plan.hpp runtime/queue/call.hpp
    runtime/queue/executor.hpp runtime/schedule/schedule.hpp)
  if(EXISTS "${SOURCE}/include/flowgraph/${file}")
    file(STRINGS "${SOURCE}/include/flowgraph/${file}" found REGEX "(^|[^a-z_])node ?[*&]")
    if(found)
      list(JOIN found "\n  " found)
      message(SEND_ERROR "${file} names a node of the graph, where a call site is meant:\n  ${found}")
    endif()
  endif()
endforeach()

# draft::make() and draft::repeat() make the nodes that no program wrote, and the draft owns them.
file(GLOB_RECURSE passes RELATIVE "${SOURCE}" "${SOURCE}/include/flowgraph/passes/*.hpp")
set(owners)
foreach(file IN LISTS behind passes)
  file(STRINGS "${SOURCE}/${file}" found REGEX "make_shared<made_node_list>|<(made|transfer|exchange|group)_node> ")
  if(found)
    list(APPEND owners "${file}")
  endif()
  file(STRINGS "${SOURCE}/${file}" found REGEX "is_transfer[(]")
  if(found)
    list(JOIN found "\n  " found)
    message(SEND_ERROR "${file} recognizes made nodes by their op, where a fact of the table is meant:\n  ${found}")
  endif()
endforeach()
list(LENGTH owners count)
if(NOT count EQUAL 1)
  list(JOIN owners "\n  " owners)
  message(SEND_ERROR "made nodes have ${count} owners instead of 1:\n  ${owners}")
endif()
