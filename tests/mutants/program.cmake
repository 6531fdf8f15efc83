# Programs with planted faults: in copies of some of the library's files each fault waits until FLOWGRAPH_TEST_FAULT names it.

# flowgraph_plant_faults(<program> TESTS <prefix> FAULTS <file> FROM <folder> [BELOW <name>] [LAST <pattern>...])
#
# Registers the test <prefix>/<name> for each fault of FAULTS, and <prefix>/none; each runs the tests of the program, those that LAST names
# last. The files with faults are copied from the folder FROM to the folder BELOW of an overlay.
# Sets planted_overlay, the overlay; planted_files, the names of the files with faults; and planted, which depends on all copies.
function(flowgraph_plant_faults program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TESTS;FAULTS;FROM;BELOW" "LAST")
  set(folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(overlay "${CMAKE_CURRENT_BINARY_DIR}/${program}_overlay")
  set(into "${overlay}")
  if(arg_BELOW)
    string(APPEND into "/${arg_BELOW}")
  endif()
  list(JOIN arg_LAST "," last)

  set(files)
  function(fault name file)
    list(APPEND files "${file}")
    set(files ${files} PARENT_SCOPE)
    flowgraph_add_test(${arg_TESTS}/${name} LABELS mutants
      COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${program}>" "-DFAULT=${name}" "-DLAST=${last}" -P "${folder}/find.cmake")
  endfunction()
  include("${arg_FAULTS}")
  flowgraph_add_test(${arg_TESTS}/none LABELS mutants
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${program}>" -DFAULT= "-DLAST=${last}" -P "${folder}/find.cmake")

  list(REMOVE_DUPLICATES files)
  set(originals ${files})
  set(copies ${files})
  list(TRANSFORM originals PREPEND "${arg_FROM}/")
  list(TRANSFORM copies PREPEND "${into}/")
  add_custom_command(OUTPUT "${overlay}/planted" ${copies}
    COMMAND "${CMAKE_COMMAND}" "-DFROM=${arg_FROM}" "-DOVERLAY=${overlay}" "-DINTO=${into}" "-DFAULTS=${arg_FAULTS}"
      -P "${folder}/plant.cmake"
    DEPENDS ${originals} "${folder}/plant.cmake" "${arg_FAULTS}"
    COMMENT "Planting faults for ${program}" VERBATIM)
  set(planted_overlay "${overlay}" PARENT_SCOPE)
  set(planted_files ${files} PARENT_SCOPE)
  set(planted "${overlay}/planted" PARENT_SCOPE)
endfunction()

# flowgraph_use_faults(<target> <options>...): compiles the target with planted faults, and with these options.
function(flowgraph_use_faults target)
  flowgraph_develop(${target})
  target_compile_options(${target} PRIVATE ${ARGN} "SHELL:-include \"${CMAKE_CURRENT_FUNCTION_LIST_DIR}/planted.hpp\"")
endfunction()
