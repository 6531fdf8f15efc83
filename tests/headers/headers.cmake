# Each public header compiles alone, and twice; forward declarations agree with definitions in both orders. Built, never run.

file(GLOB_RECURSE public_headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/include/flowgraph/*.hpp")
list(FILTER public_headers EXCLUDE REGEX "/impl/|/detail/|/kernel/lanes_|/implementation.hpp$")
set(all_public_headers ${public_headers})
if(NOT has_archives OR NOT FLOWGRAPH_CEREAL_DIRECTORY MATCHES "^/usr/(local/)?include$")
  list(REMOVE_ITEM public_headers flowgraph/io/graph_archive.hpp)
endif()
set(foreign_public_headers ${public_headers})
set(first_and_last fwd_first fwd_last)
if(NOT FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  # A family of ops brings its kernels, and a tool that looks into runs the whole engine: one file has all of them, instead of a file for
  # each.
  list(FILTER public_headers EXCLUDE REGEX "flowgraph/(ops/[a-z_]+|observe)/")
  # A header without bodies of its own is the same text as in the compiled form, where it is looked at.
  set(without_bodies "")
  foreach(header IN LISTS public_headers)
    file(STRINGS "${PROJECT_SOURCE_DIR}/include/${header}" conditions REGEX "^#(if|elif).*FLOWGRAPH_")
    if(NOT conditions AND NOT header STREQUAL "flowgraph/flowgraph.hpp")
      list(APPEND without_bodies "${header}")
    endif()
  endforeach()
  list(REMOVE_ITEM public_headers ${without_bodies})
  set(first_and_last "")
endif()

# What stands in front of a header, precompiled: one that it includes anyway and that compiles alone itself, so that nothing which the
# header lacks is hidden. Reading the headers of the standard library is most of the work otherwise. Header-only, bodies are most of
# it, and what they include counts too: what a declaration lacks shows in the compiled form.
set(header_bases runtime/session graph/apply graph/graph core/tensor none)
set(bodies "/(impl|detail)/")
if(NOT FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  list(INSERT header_bases 1 runtime/queue/executor)
  set(bodies "/detail/")
endif()

# includers_<header>: what includes it.
file(GLOB_RECURSE all_headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/flowgraph/*.hpp")
set(foreign_all_headers ${all_headers})
list(FILTER all_headers EXCLUDE REGEX "${bodies}")
foreach(header IN LISTS all_headers)
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/${header}" lines REGEX "^#include <flowgraph/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include <([^>]*)>.*" "\\1" included "${line}")
    list(APPEND "includers_${included}" "${header}")
  endforeach()
endforeach()

# above_<base>: what includes it, directly and through other headers.
foreach(base IN LISTS header_bases)
  set("above_${base}" "")
  set(waiting "flowgraph/${base}.hpp")
  while(waiting)
    list(POP_FRONT waiting header)
    set(further ${includers_${header}})
    list(REMOVE_ITEM further ${above_${base}})
    list(APPEND waiting ${further})
    list(APPEND "above_${base}" ${further})
  endwhile()
  list(REMOVE_ITEM "above_${base}" "flowgraph/${base}.hpp")
endforeach()

function(flowgraph_add_header_source base name)
  set(text "")
  foreach(header IN LISTS ARGN)
    string(APPEND text "#include <${header}>\n")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${text}" @ONLY)
  set("sources_${base}" ${sources_${base}} "${source}" PARENT_SCOPE)
endfunction()

foreach(header IN LISTS public_headers)
  set(base none)
  foreach(candidate IN LISTS header_bases)
    if(header IN_LIST above_${candidate})
      set(base "${candidate}")
      break()
    endif()
  endforeach()
  # Behind these a header-only source compiles for half a minute: one that brings the whole engine is looked at by --all, and compiled by
  # the tests that begin with it.
  if(base MATCHES "^runtime/" AND NOT FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled" AND NOT FLOWGRAPH_TEST_THOROUGH)
    continue()
  endif()
  string(REGEX REPLACE "\\.hpp$" "" name "${header}")
  flowgraph_add_header_source("${base}" "${name}" "${header}" "${header}")
endforeach()
if(first_and_last)
  flowgraph_add_header_source(none fwd_first flowgraph/fwd.hpp flowgraph/flowgraph.hpp)
  flowgraph_add_header_source(none fwd_last flowgraph/flowgraph.hpp flowgraph/fwd.hpp)
endif()
list(APPEND sources_none "${CMAKE_CURRENT_LIST_DIR}/version.cpp" "${CMAKE_CURRENT_LIST_DIR}/old_names.cpp")

add_custom_target(test_headers)
foreach(base IN LISTS header_bases)
  if(NOT sources_${base})
    continue()
  endif()
  string(REPLACE "/" "_" name "test_headers_${base}")
  add_library(${name} OBJECT ${sources_${base}})
  flowgraph_develop_strictly(${name})
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE flowgraph_test_library)
  if(NOT base STREQUAL "none")
    target_precompile_headers(${name} PRIVATE "<flowgraph/${base}.hpp>")
    # `#pragma once` knows a header again by its time, which is another one when a compiler cache brings what was precompiled elsewhere.
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  endif()
  add_dependencies(test_headers ${name})
endforeach()

flowgraph_add_test(headers/implementation LABELS tree
  COMMAND "${CMAKE_COMMAND}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include" -P "${CMAKE_CURRENT_LIST_DIR}/implementation.cmake")

# A program of its own: in the others, some other source brings what this one must find in the library.
if(NOT FLOWGRAPH_INFERENCE)
  add_executable(test_control_flow_gradients "${CMAKE_CURRENT_LIST_DIR}/control_flow_gradients.cpp")
  flowgraph_develop(test_control_flow_gradients)
  target_link_libraries(test_control_flow_gradients PRIVATE
    $<IF:$<STREQUAL:${FLOWGRAPH_TEST_LIBRARY},compiled>,flowgraph::compiled,flowgraph_test_library>)
  flowgraph_add_test(headers/control_flow_gradients LABELS headers COMMAND test_control_flow_gradients)
endif()
