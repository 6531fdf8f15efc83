# Fails where code behind the draft reads a node of the graph. A draft node, a record of a plan and a call site hold all that a run needs; a
# reader of the graph's node would miss what a pass has changed. ALLOWED lists the readers that are left: a file and its number of lines.
#
# Usage: cmake -DSOURCE=<source tree> -DALLOWED=<file> -P graph_nodes.cmake

set(allowed_lines 0)
file(STRINGS "${ALLOWED}" lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([a-z0-9_/.]+) ([0-9]+): [^ ]")
    message(SEND_ERROR "'${line}' is not 'file count: reason'")
    continue()
  endif()
  set("allowed_${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
  list(APPEND listed "${CMAKE_MATCH_1}")
endforeach()

# `draft_node::origin` is the only way from a draft to the graph; a call of a kernel and a record of a plan must not name the type.
file(GLOB_RECURSE behind RELATIVE "${SOURCE}" "${SOURCE}/include/flowgraph/runtime/*.hpp" "${SOURCE}/include/flowgraph/ops/*.hpp"
  "${SOURCE}/include/flowgraph/io/*.hpp" "${SOURCE}/include/flowgraph/observe/*.hpp" "${SOURCE}/include/flowgraph/placement/*.hpp"
  "${SOURCE}/include/flowgraph/distributed/*.hpp" "${SOURCE}/backends/*.hpp" "${SOURCE}/backends/*.cpp")
foreach(file IN LISTS behind)
  file(STRINGS "${SOURCE}/${file}" found REGEX "(->|[.])origin([^a-z_]|$)")
  list(LENGTH found count)
  set(most 0)
  if(DEFINED "allowed_${file}")
    set(most "${allowed_${file}}")
    list(REMOVE_ITEM listed "${file}")
  endif()
  if(count GREATER most)
    list(JOIN found "\n  " found)
    message(SEND_ERROR "${file}: ${count} lines read the graph's node behind the draft, allowed ${most}; read the draft node, the record or its "
      "call site:\n  ${found}")
  elseif(count LESS most)
    message(SEND_ERROR "${file}: ${count} lines read the graph's node, and ${most} are allowed: lower the number")
  endif()
endforeach()
foreach(file IN LISTS listed)
  message(SEND_ERROR "${file} is allowed to read the graph's node, and there is no such file")
endforeach()

foreach(file op/kernel.hpp op/kernel_trace.hpp runtime/plan.hpp runtime/call.hpp runtime/call_steps.hpp runtime/schedule.hpp runtime/executor.hpp)
  if(EXISTS "${SOURCE}/include/flowgraph/${file}")
    file(STRINGS "${SOURCE}/include/flowgraph/${file}" found REGEX "(^|[^a-z_])node ?[*&]")
    if(found)
      list(JOIN found "\n  " found)
      message(SEND_ERROR "${file} names a node of the graph, where a call site is meant:\n  ${found}")
    endif()
  endif()
endforeach()
