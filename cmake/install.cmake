# A relocatable package: find_package(flowgraph CONFIG), and pkg-config files flowgraph, flowgraph-compiled and flowgraph-by-name.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/flowgraph")
install(DIRECTORY include/flowgraph DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(FILES "${host_generated}/include/flowgraph/table_sources.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/flowgraph")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/flowgraph")
set(installed_targets flowgraph flowgraph_compiled flowgraph_by_name)
if(TARGET flowgraph_interop)
  list(APPEND installed_targets flowgraph_interop)
endif()
if(TARGET flowgraph_tcp)
  list(APPEND installed_targets flowgraph_tcp)
endif()
if(TARGET flowgraph_tls)
  list(APPEND installed_targets flowgraph_tls)
endif()
if(TARGET flowgraph_images)
  list(APPEND installed_targets flowgraph_images)
endif()
set(package_components "")
foreach(target IN LISTS installed_targets)
  get_target_property(name ${target} EXPORT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  list(APPEND package_components ${name})
endforeach()
install(TARGETS ${installed_targets} EXPORT flowgraph
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT flowgraph NAMESPACE flowgraph:: FILE flowgraphTargets.cmake DESTINATION "${package_directory}")

# The source of a program that needs all ops: who wants it builds it (docs/packaging.md), with what it prints headers for.
if(TARGET flowgraph_interop)
  install(FILES cmake/registry_header/CMakeLists.txt tools/registry_header.cpp tools/op_headers.awk
    DESTINATION "${CMAKE_INSTALL_DATADIR}/flowgraph/registry_header")
endif()

# Before 1.0 a minor version may break.
write_basic_package_version_file(flowgraphConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/flowgraphConfig.cmake.in flowgraphConfig.cmake @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/flowgraphConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/flowgraphConfigVersion.cmake"
  cmake/flowgraph_embed.cmake
  DESTINATION "${package_directory}")

# The files find their prefix from where they stand.
set(pkgconfig_directory "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${pkgconfig_directory}"
  OUTPUT_VARIABLE prefix_from_pkgconfig)
cmake_path(SET prefix_from_pkgconfig NORMALIZE "${prefix_from_pkgconfig}")
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
set(inference_flag "")
if(FLOWGRAPH_INFERENCE)
  set(inference_flag " -DFLOWGRAPH_INFERENCE")
endif()
set(pkgconfig_names flowgraph flowgraph-compiled flowgraph-by-name)
if(TARGET flowgraph_interop)
  list(APPEND pkgconfig_names flowgraph-interop)
endif()
if(TARGET flowgraph_tcp)
  list(APPEND pkgconfig_names flowgraph-tcp)
endif()
if(TARGET flowgraph_tls)
  list(APPEND pkgconfig_names flowgraph-tls)
endif()
if(TARGET flowgraph_images)
  list(APPEND pkgconfig_names flowgraph-images)
endif()
foreach(name IN LISTS pkgconfig_names)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${pkgconfig_directory}")
endforeach()
