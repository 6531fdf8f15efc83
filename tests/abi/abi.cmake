# Two versions of the library live in one process, and a shared library that uses it shows none of its symbols.

foreach(version v0_1 v9_9)
  add_library(test_abi_${version} SHARED "${CMAKE_CURRENT_LIST_DIR}/one_version.cpp")
  flowgraph_develop(test_abi_${version})
  target_link_libraries(test_abi_${version} PRIVATE flowgraph::flowgraph)
  target_compile_options(test_abi_${version} PRIVATE -O0)
  target_compile_definitions(test_abi_${version} PRIVATE
    FLOWGRAPH_ABI_VERSION=${version} "LOSS_AFTER=loss_after_${version}" "VERSION_TAG=version_tag_${version}")
endforeach()

add_executable(test_abi "${CMAKE_CURRENT_LIST_DIR}/two_versions.cpp")
flowgraph_develop(test_abi)
target_compile_features(test_abi PRIVATE cxx_std_20)
target_link_libraries(test_abi PRIVATE test_abi_v0_1 test_abi_v9_9)
flowgraph_add_test(abi/two_versions LABELS abi COMMAND test_abi)

add_library(test_abi_hidden SHARED "${CMAKE_CURRENT_LIST_DIR}/one_version.cpp")
flowgraph_develop(test_abi_hidden)
target_link_libraries(test_abi_hidden PRIVATE flowgraph::compiled)
target_compile_definitions(test_abi_hidden PRIVATE LOSS_AFTER=loss_after_hidden VERSION_TAG=version_tag_hidden)
set_target_properties(test_abi_hidden PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
flowgraph_add_test(abi/hidden_symbols LABELS abi
  COMMAND "${CMAKE_COMMAND}" "-DLIBRARY=$<TARGET_FILE:test_abi_hidden>" "-DNM=${CMAKE_NM}"
    -P "${CMAKE_CURRENT_LIST_DIR}/hidden_symbols.cmake")
