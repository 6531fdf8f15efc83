# Compressed files by zlib, in flowgraph::compiled. FLOWGRAPH_ZLIB says whether:
#   AUTO  where zlib is found; elsewhere one line says that compressed input is refused
#   ON    an error where it is not found
#   OFF   never

# CMake's own module would leave its cache entries to a parent project.
find_path(FLOWGRAPH_ZLIB_DIRECTORY zlib.h)
find_library(FLOWGRAPH_ZLIB_LIBRARY NAMES z zlib)
mark_as_advanced(FLOWGRAPH_ZLIB_DIRECTORY FLOWGRAPH_ZLIB_LIBRARY)
set(flowgraph_with_zlib OFF)
if(FLOWGRAPH_ZLIB AND FLOWGRAPH_ZLIB_DIRECTORY AND FLOWGRAPH_ZLIB_LIBRARY)
  set(flowgraph_with_zlib ON)
elseif(FLOWGRAPH_ZLIB STREQUAL "AUTO")
  message(STATUS "flowgraph: without compressed files, because zlib is not installed")
elseif(FLOWGRAPH_ZLIB)
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_ZLIB is ${FLOWGRAPH_ZLIB}, but zlib is not installed")
endif()
set(flowgraph_zlib_flag "")  # for pkg-config
if(flowgraph_with_zlib)
  set(flowgraph_zlib_flag " -lz")
endif()

# An installed package names the library alone: who links it needs neither zlib's headers nor a module that finds it.
function(flowgraph_use_zlib target)
  if(flowgraph_with_zlib)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${FLOWGRAPH_ZLIB_LIBRARY}>$<INSTALL_INTERFACE:z>")
    target_include_directories(${target} SYSTEM PRIVATE "${FLOWGRAPH_ZLIB_DIRECTORY}")
    target_compile_definitions(${target} PRIVATE FLOWGRAPH_ZLIB)
  endif()
endfunction()
