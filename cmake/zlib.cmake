# Compressed files by zlib, in flowgraph::compiled. FLOWGRAPH_ZLIB says whether:
#   AUTO  where zlib is found; elsewhere one line says that compressed input is refused
#   ON    an error where it is not found
#   OFF   never

set(with_zlib OFF)
if(FLOWGRAPH_ZLIB)
  find_package(ZLIB QUIET)
  set(with_zlib "${ZLIB_FOUND}")
endif()
if(FLOWGRAPH_ZLIB AND NOT FLOWGRAPH_ZLIB STREQUAL "AUTO" AND NOT with_zlib)
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_ZLIB is ${FLOWGRAPH_ZLIB}, but zlib is not installed")
elseif(FLOWGRAPH_ZLIB AND NOT with_zlib)
  message(STATUS "flowgraph: without compressed files, because zlib is not installed")
endif()
set(zlib_library "")  # for pkg-config
if(with_zlib)
  set(zlib_library " -lz")
endif()

# An installed package names the library alone: who links it needs neither zlib's headers nor CMake's module.
function(flowgraph_use_zlib target)
  if(with_zlib)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:ZLIB::ZLIB>" "$<INSTALL_INTERFACE:z>")
    target_compile_definitions(${target} PRIVATE FLOWGRAPH_ZLIB)
  endif()
endfunction()
