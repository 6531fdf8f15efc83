# Faults planted in the protocol of tasks; the tests of tasks on the simulated network must find each of them.

set(protocol_folder "${PROJECT_SOURCE_DIR}/backends/distributed")
flowgraph_plant_faults(test_protocol_mutants TESTS mutants/protocol FAULTS "${CMAKE_CURRENT_LIST_DIR}/faults.cmake" FROM "${protocol_folder}"
  LAST "task: whatever breaks*")
file(GLOB_RECURSE protocol_sources CONFIGURE_DEPENDS "${protocol_folder}/*.cpp")
set(planted_originals ${planted_files})
list(TRANSFORM planted_originals PREPEND "${protocol_folder}/")
list(REMOVE_ITEM protocol_sources ${planted_originals})
list(FILTER protocol_sources EXCLUDE REGEX "/launching/")
list(TRANSFORM planted_files PREPEND "${planted_overlay}/")
set(protocol_tests task worker kept_values master state/lost_state cluster_ops guarded_transport proving/relayed_handshake)
list(TRANSFORM protocol_tests PREPEND "${PROJECT_SOURCE_DIR}/tests/distributed/")
list(TRANSFORM protocol_tests APPEND .cpp)
add_library(planted_protocol OBJECT ${planted_files} ${protocol_sources})
add_executable(test_protocol_mutants ${protocol_tests} main.cpp)
# Sources compiled one behind the other see names of each other.
foreach(target planted_protocol test_protocol_mutants)
  flowgraph_use_faults(${target} -O0 -Wno-shadow)
  target_include_directories(${target} PRIVATE "${protocol_folder}" "${protocol_folder}/proving" "${PROJECT_SOURCE_DIR}/backends")
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
