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

# A plug-in, made as docs/plugins.md says, goes with dlclose.
add_library(test_abi_plugin MODULE "${CMAKE_CURRENT_LIST_DIR}/plugin.cpp")
flowgraph_develop(test_abi_plugin)
target_link_libraries(test_abi_plugin PRIVATE flowgraph::compiled)
set_target_properties(test_abi_plugin PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_options(test_abi_plugin PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL)
add_executable(test_abi_plugin_host "${CMAKE_CURRENT_LIST_DIR}/plugin_host.cpp")
flowgraph_develop(test_abi_plugin_host)
target_link_libraries(test_abi_plugin_host PRIVATE ${CMAKE_DL_LIBS})
flowgraph_add_test(abi/plugin LABELS abi COMMAND test_abi_plugin_host $<TARGET_FILE:test_abi_plugin>)

flowgraph_add_test(abi/without_exceptions LABELS abi
  COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include"
    "-DGENERATED=${host_generated}/include" "-DARCHIVE=$<TARGET_FILE:flowgraph_compiled>"
    "-DSOURCE=${CMAKE_CURRENT_LIST_DIR}/without_exceptions.cpp" "-DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/without_exceptions"
    -P "${CMAKE_CURRENT_LIST_DIR}/mixed.cmake")
