# Two versions of the library live in one process: every symbol of one that others can see carries its tag. A shared library that uses
# the library shows none of its symbols, if it hides its own.

add_library(test_abi_v9_9 SHARED "${CMAKE_CURRENT_LIST_DIR}/one_version.cpp")
flowgraph_develop(test_abi_v9_9)
target_link_libraries(test_abi_v9_9 PRIVATE flowgraph::flowgraph)
target_compile_definitions(test_abi_v9_9 PRIVATE FLOWGRAPH_ABI_VERSION=v9_9 LOSS_AFTER=loss_after_v9_9 VERSION_TAG=version_tag_v9_9)

add_library(test_abi_hidden SHARED "${CMAKE_CURRENT_LIST_DIR}/one_version.cpp")
flowgraph_develop(test_abi_hidden)
target_link_libraries(test_abi_hidden PRIVATE flowgraph::compiled)
target_compile_definitions(test_abi_hidden PRIVATE LOSS_AFTER=loss_after_hidden VERSION_TAG=version_tag_hidden)
set_target_properties(test_abi_hidden PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

add_executable(test_abi "${CMAKE_CURRENT_LIST_DIR}/two_versions.cpp")
flowgraph_develop(test_abi)
target_compile_features(test_abi PRIVATE cxx_std_20)
target_link_libraries(test_abi PRIVATE test_abi_hidden test_abi_v9_9)
flowgraph_add_test(abi/two_versions LABELS abi COMMAND test_abi)

foreach(library hidden v9_9)
  flowgraph_add_test(abi/symbols_${library} LABELS abi
    COMMAND "${CMAKE_COMMAND}" "-DLIBRARY=$<TARGET_FILE:test_abi_${library}>" "-DNAME=${library}" "-DNM=${CMAKE_NM}"
      -P "${CMAKE_CURRENT_LIST_DIR}/symbols.cmake")
endforeach()
