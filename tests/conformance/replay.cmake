# The program that replays recorded sessions, and the sessions. tools/replay runs it over any files.

include("${CMAKE_CURRENT_LIST_DIR}/../cuda/emulation.cmake")
add_executable(replay "${CMAKE_CURRENT_LIST_DIR}/main.cpp" "${CMAKE_CURRENT_LIST_DIR}/workers.cpp" "${CMAKE_CURRENT_LIST_DIR}/replay.cpp" "${CMAKE_CURRENT_LIST_DIR}/clustered.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/emulated.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/compare.cpp" "${CMAKE_CURRENT_LIST_DIR}/scope.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(replay)
target_link_libraries(replay PRIVATE flowgraph::interop flowgraph_emulated_gpu $<TARGET_NAME_IF_EXISTS:flowgraph::images>)
target_include_directories(replay SYSTEM PRIVATE "${protozero_directory}")

# A group is kept as one compressed archive.
file(GLOB archives CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/data/*.tar.xz")
list(FILTER archives EXCLUDE REGEX "/(costs|graphs|partitions|passes|placer)\\.tar\\.xz$")
if(NOT TARGET flowgraph::images)
  list(FILTER archives EXCLUDE REGEX "/codecs\\.tar\\.xz$")
  message(STATUS "No recorded cases of JPEG and GIF files: they need flowgraph::images")
endif()
set(case_files "")
foreach(archive IN LISTS archives)
  cmake_path(GET archive FILENAME group)
  string(REPLACE ".tar.xz" "" group "${group}")
  set(file "${CMAKE_CURRENT_BINARY_DIR}/cases/${group}.cases")
  add_custom_command(OUTPUT "${file}"
    COMMAND "${CMAKE_COMMAND}" -E tar xf "${archive}" --touch
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/cases"
    DEPENDS "${archive}"
    COMMENT "Unpacking ${group}.cases"
    VERBATIM)
  list(APPEND case_files "${file}")
endforeach()
file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/cases")
add_custom_target(case_files ALL DEPENDS ${case_files})
