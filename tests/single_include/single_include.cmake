# The single header is fresh, and a program of two translation units that both include it links and runs.

flowgraph_add_test(single_include/fresh LABELS tree COMMAND "${PROJECT_SOURCE_DIR}/tools/amalgamate" --check)

add_executable(test_single_include "${CMAKE_CURRENT_LIST_DIR}/first.cpp" "${CMAKE_CURRENT_LIST_DIR}/second.cpp")
flowgraph_develop(test_single_include)
target_compile_features(test_single_include PRIVATE cxx_std_20)
target_compile_options(test_single_include PRIVATE -O0)
target_include_directories(test_single_include PRIVATE "${PROJECT_SOURCE_DIR}/single_include")
target_link_libraries(test_single_include PRIVATE Threads::Threads)
flowgraph_add_test(single_include/two_units LABELS tree COMMAND test_single_include)

# Made with further headers it has what they have, and refuses what is no header.
flowgraph_add_test(single_include/further LABELS tree PROPERTIES COST 40
  COMMAND "${CMAKE_COMMAND}" "-DAMALGAMATE=${PROJECT_SOURCE_DIR}/tools/amalgamate" "-DCOMPILER=${CMAKE_CXX_COMPILER}"
    "-DSOURCE=${CMAKE_CURRENT_LIST_DIR}/further.cpp" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/single_include_further"
    -P "${CMAKE_CURRENT_LIST_DIR}/further.cmake")
