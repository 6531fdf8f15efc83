# What a user's translation unit pays, and that nothing of anybody else's comes along.

set(budget_command "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include")

function(flowgraph_add_line_budget name limit header)
  flowgraph_add_test(budget/lines/${name} LABELS budget
    COMMAND ${budget_command} "-DHEADER=${header}" "-DLIMIT=${limit}" "-DDEFINITIONS=${ARGN}"
      -P "${PROJECT_SOURCE_DIR}/tests/budget/preprocessed_lines.cmake")
endfunction()

flowgraph_add_line_budget(fwd 3000 flowgraph/fwd.hpp)
flowgraph_add_line_budget(tensor 55000 flowgraph/core/tensor.hpp)
flowgraph_add_line_budget(compiled 95000 flowgraph/flowgraph.hpp -DFLOWGRAPH_COMPILED)
flowgraph_add_line_budget(header_only 130000 flowgraph/flowgraph.hpp)

flowgraph_add_test(budget/no_foreign_header LABELS budget
  COMMAND ${budget_command} -P "${PROJECT_SOURCE_DIR}/tests/budget/foreign_headers.cmake")

flowgraph_add_test(budget/unused_code LABELS budget
  COMMAND ${budget_command} "-DNM=${CMAKE_NM}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/unused_code"
    -P "${PROJECT_SOURCE_DIR}/tests/budget/unused_code.cmake")

flowgraph_add_test(budget/level_symbols LABELS budget
  COMMAND "${CMAKE_COMMAND}" "-DARCHIVE=$<TARGET_FILE:flowgraph_compiled>" "-DNM=${CMAKE_NM}"
    -P "${PROJECT_SOURCE_DIR}/tests/budget/level_symbols.cmake")

set(archives)
foreach(archive IN ITEMS flowgraph_compiled flowgraph_by_name flowgraph_interop flowgraph_tcp flowgraph_tls flowgraph_images)
  if(TARGET ${archive})
    list(APPEND archives "$<TARGET_FILE:${archive}>")
  endif()
endforeach()
flowgraph_add_test(budget/source_paths LABELS budget
  COMMAND "${CMAKE_COMMAND}" "-DARCHIVES=${archives}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
    -P "${PROJECT_SOURCE_DIR}/tests/budget/source_paths.cmake")

# As users build: no sections that nobody calls.
function(flowgraph_add_linked_program name source)
  add_executable(${name} "${source}")
  flowgraph_develop(${name})
  target_link_libraries(${name} PRIVATE ${ARGN})
  target_compile_options(${name} PRIVATE -O1)
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
endfunction()

# Devices, kernels that answer later and nodes that wait are in programs that have some; the ready queue in those that run by it.
set(not_carried "device_name_reader|detail::grouping::|device_crossings|own_async_calls|waiting_identities|make_waiting_constant")
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  foreach(name single_run prepared_step)
    flowgraph_add_linked_program(${name} budget/${name}.cpp flowgraph::compiled)
    if(name STREQUAL "prepared_step")
      string(APPEND not_carried "|executor::pump|ready_queue")
    endif()
    flowgraph_add_test(budget/${name} LABELS budget
      COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${name}>" "-DNM=${CMAKE_NM}" "-DABSENT=${not_carried}"
        -P "${PROJECT_SOURCE_DIR}/tests/budget/not_carried.cmake")
  endforeach()
endif()

# Prepared steps with loops and arrays of tensors, once warm: no allocation, lock or system call. The counters replace functions of glibc.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|-fno-exceptions")
  flowgraph_add_linked_program(quiet_steps "${PROJECT_SOURCE_DIR}/bench/gates/recurrent.cpp" flowgraph::compiled)
  foreach(what blocks=100000 sizes=50000 training=10000 straight=100000 named=100000)
    string(REPLACE "=" ";" what ${what})
    list(GET what 0 name)
    list(GET what 1 runs)
    flowgraph_add_test(budget/quiet_${name} LABELS budget COMMAND quiet_steps ${name} ${runs}
      PROPERTIES PASS_REGULAR_EXPRESSION "^allocations 0\nreleases 0\nlocks 0\nsystem_calls 0\nlast ")
  endforeach()
endif()

# A client has neither master nor worker: 400 KB. A task has both: 640 KB. The handshake for one peer, tags of frames, few strangers, and
# reports of lost state took 92 KB of it.
if(TARGET flowgraph::tcp AND CMAKE_READELF AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  foreach(name local client task)
    flowgraph_add_linked_program(program_size_${name} budget/tcp_size.cpp flowgraph::by_name)
    if(NOT name STREQUAL "local")
      target_link_libraries(program_size_${name} PRIVATE flowgraph::tcp)
      target_compile_definitions(program_size_${name} PRIVATE AS_CLIENT)
    endif()
  endforeach()
  target_compile_definitions(program_size_task PRIVATE AS_TASK)
  foreach(limit client=409600 task=663552)
    string(REPLACE "=" ";" limit ${limit})
    list(GET limit 0 name)
    list(GET limit 1 bytes)
    flowgraph_add_test(budget/tcp_size_${name} LABELS budget
      COMMAND "${CMAKE_COMMAND}" "-DLOCAL=$<TARGET_FILE:program_size_local>" "-DTCP=$<TARGET_FILE:program_size_${name}>"
        "-DREADELF=${CMAKE_READELF}" -DLIMIT=${bytes} -P "${PROJECT_SOURCE_DIR}/tests/budget/tcp_size.cmake")
  endforeach()
endif()
