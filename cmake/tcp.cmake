# The target flowgraph::tcp, from every source in backends/tcp and backends/distributed: tasks on many machines. It is built only where it
# is linked or installed. FLOWGRAPH_TCP says whether there is one:
#   AUTO  where Asio is found, and where it can be fetched for the tests; elsewhere one line says why there is none
#   ON    Asio is fetched where it is not found; an error where that fails
#   OFF   never

file(GLOB_RECURSE tcp_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/distributed/*.cpp"
  "${PROJECT_SOURCE_DIR}/backends/tcp/*.cpp")
list(FILTER tcp_sources EXCLUDE REGEX "/tls\\.cpp$")  # tls.cmake

# The standalone one: headers alone.
find_path(FLOWGRAPH_ASIO_DIRECTORY asio.hpp)
mark_as_advanced(FLOWGRAPH_ASIO_DIRECTORY)
set(asio_directory "${FLOWGRAPH_ASIO_DIRECTORY}")
if(asio_directory AND NOT EXISTS "${asio_directory}/asio.hpp")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_ASIO_DIRECTORY is '${asio_directory}', where there is no asio.hpp")
endif()
set(asio_repository https://github.com/chriskohlhoff/asio.git)
set(asio_tag asio-1-28-0)

set(fetch_asio "${FLOWGRAPH_TCP}")
if(FLOWGRAPH_TCP STREQUAL "AUTO")
  set(fetch_asio "${FLOWGRAPH_BUILD_TESTS}")
endif()
set(no_tcp "")
if(NOT FLOWGRAPH_TCP)
  set(no_tcp "FLOWGRAPH_TCP is ${FLOWGRAPH_TCP}")
elseif(CMAKE_CXX_FLAGS MATCHES "-fno-exceptions")
  set(no_tcp "Asio needs exceptions")
elseif(NOT asio_directory AND NOT fetch_asio)
  set(no_tcp "Asio is not installed; FLOWGRAPH_TCP=ON fetches it")
elseif(NOT asio_directory)
  flowgraph_can_fetch(can_fetch asio asio/include/asio.hpp ${asio_repository} ${asio_tag})
  if(can_fetch)
    include(FetchContent)
    FetchContent_Declare(asio
      GIT_REPOSITORY ${asio_repository}
      GIT_TAG ${asio_tag}
      SOURCE_SUBDIR asio/include)  # which has no CMakeLists.txt: nothing of it is built
    FetchContent_MakeAvailable(asio)
    set(asio_directory "${asio_SOURCE_DIR}/asio/include")
    if(NOT EXISTS "${asio_directory}/asio.hpp")
      set(no_tcp "${asio_SOURCE_DIR} is not Asio")
    endif()
  else()
    set(no_tcp "Asio is neither installed nor at ${asio_repository}")
  endif()
endif()

# A library of the sources after `library`, against the form of flowgraph that that is.
function(flowgraph_make_of_asio target library)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${target} PUBLIC ${library})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/backends")  # <distributed/...>
  target_include_directories(${target} SYSTEM PRIVATE "${asio_directory}")
  target_compile_definitions(${target} PRIVATE ASIO_STANDALONE ASIO_NO_DEPRECATED)
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off;-ffunction-sections;-fdata-sections>"
    # It waits for the network; what it computes is in the library beneath.
    "$<$<AND:$<CXX_COMPILER_ID:GNU,Clang,AppleClang>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-Os>")
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON  # one after the other they read the same headers twenty times
    UNITY_BUILD_BATCH_SIZE 12
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
endfunction()
# But for the bytes of every frame, and its tag: for speed, 64 small frames in flight take a fifth less.
set_source_files_properties("${PROJECT_SOURCE_DIR}/backends/distributed/frame_bytes.cpp"
  "${PROJECT_SOURCE_DIR}/backends/distributed/proving/frame_tags.cpp"
  "${PROJECT_SOURCE_DIR}/backends/distributed/guarded_transport.cpp"
  "${PROJECT_SOURCE_DIR}/backends/tcp/tcp_link.cpp"
  PROPERTIES COMPILE_OPTIONS
    "$<$<AND:$<CXX_COMPILER_ID:GNU,Clang,AppleClang>,$<CONFIG:Release,RelWithDebInfo>>:-O2>")
function(flowgraph_make_tcp target library)
  flowgraph_make_of_asio(${target} ${library} ${tcp_sources})
endfunction()

if(no_tcp AND FLOWGRAPH_TCP AND NOT FLOWGRAPH_TCP STREQUAL "AUTO")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_TCP is ${FLOWGRAPH_TCP}, but ${no_tcp}")
elseif(no_tcp)
  message(STATUS "flowgraph: without flowgraph::tcp, because ${no_tcp}")
else()
  flowgraph_make_tcp(flowgraph_tcp flowgraph_by_name)
  add_library(flowgraph::tcp ALIAS flowgraph_tcp)
  set_target_properties(flowgraph_tcp PROPERTIES EXPORT_NAME tcp)
  if(FLOWGRAPH_INSTALL)
    set_target_properties(flowgraph_tcp PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()
