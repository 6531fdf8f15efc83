# Faults planted in the protocol of tasks; the tests of tasks on the simulated network must find each of them.

set(protocol_overlay "${CMAKE_CURRENT_BINARY_DIR}/protocol_overlay")
set(protocol_folder "${PROJECT_SOURCE_DIR}/backends/distributed")
set(planted_names)
function(fault name source)
  list(APPEND planted_names "${source}")
  set(planted_names ${planted_names} PARENT_SCOPE)
  flowgraph_add_test(mutants/protocol/${name} LABELS mutants
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:test_protocol_mutants>" "-DFAULT=${name}"
      -P "${PROJECT_SOURCE_DIR}/tests/mutants/find.cmake")
endfunction()
include("${CMAKE_CURRENT_LIST_DIR}/faults.cmake")
flowgraph_add_test(mutants/protocol/none LABELS mutants
  COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:test_protocol_mutants>" -DFAULT=
    -P "${PROJECT_SOURCE_DIR}/tests/mutants/find.cmake")

list(REMOVE_DUPLICATES planted_names)
file(GLOB_RECURSE protocol_sources CONFIGURE_DEPENDS "${protocol_folder}/*.cpp")
set(planted_sources ${planted_names})
list(TRANSFORM planted_sources PREPEND "${protocol_folder}/")
list(REMOVE_ITEM protocol_sources ${planted_sources})
list(FILTER protocol_sources EXCLUDE REGEX "/launching/")
set(planted_copies ${planted_names})
list(TRANSFORM planted_copies PREPEND "${protocol_overlay}/")
add_custom_command(OUTPUT ${planted_copies}
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${protocol_folder}" "-DOVERLAY=${protocol_overlay}" "-DINTO=${protocol_overlay}"
    "-DFAULTS=${CMAKE_CURRENT_LIST_DIR}/faults.cmake" -P "${PROJECT_SOURCE_DIR}/tests/mutants/plant.cmake"
  DEPENDS ${planted_sources} "${PROJECT_SOURCE_DIR}/tests/mutants/plant.cmake" "${CMAKE_CURRENT_LIST_DIR}/faults.cmake"
  COMMENT "Planting faults in the protocol" VERBATIM)
set(protocol_tests task worker kept_values master state/lost_state cluster_ops guarded_transport proving/relayed_handshake)
list(TRANSFORM protocol_tests PREPEND "${PROJECT_SOURCE_DIR}/tests/distributed/")
list(TRANSFORM protocol_tests APPEND .cpp)
add_library(planted_protocol OBJECT ${planted_copies} ${protocol_sources})
add_executable(test_protocol_mutants ${protocol_tests} main.cpp)
# Sources compiled one behind the other see names of each other.
foreach(target planted_protocol test_protocol_mutants)
  flowgraph_develop(${target})
  target_include_directories(${target} PRIVATE "${protocol_folder}" "${protocol_folder}/proving" "${PROJECT_SOURCE_DIR}/backends")
  target_compile_options(${target} PRIVATE -O0 -Wno-shadow "SHELL:-include \"${PROJECT_SOURCE_DIR}/tests/mutants/planted.hpp\"")
  target_link_libraries(${target} PRIVATE flowgraph::by_name)
  if(FLOWGRAPH_TEST_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endforeach()
target_link_libraries(test_protocol_mutants PRIVATE planted_protocol doctest::doctest)

# Where nobody notices a relay it still cannot speak: the tags of frames are enough.
flowgraph_add_test(mutants/protocol/tags_alone LABELS mutants
  COMMAND "${CMAKE_COMMAND}" -E env FLOWGRAPH_TEST_FAULT=nobody_checks_who_is_there
    "$<TARGET_FILE:test_protocol_mutants>" "--test-case=relayed frames: * unnoticed *")
