# The target flowgraph::interop, from every source in backends/interop: graphs in other people's files. It is built only where it is
# linked or installed. FLOWGRAPH_INTEROP says whether there is one:
#   AUTO  where protozero is found, and where it can be fetched for the tests; elsewhere one line says why there is none
#   ON    protozero is fetched where it is not found; an error where that fails
#   OFF   never

file(GLOB interop_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/interop/*.cpp")

# Debian's package of protozero is headers alone.
find_path(FLOWGRAPH_PROTOZERO_DIRECTORY protozero/pbf_reader.hpp)
mark_as_advanced(FLOWGRAPH_PROTOZERO_DIRECTORY)
set(protozero_directory "${FLOWGRAPH_PROTOZERO_DIRECTORY}")
if(protozero_directory AND NOT EXISTS "${protozero_directory}/protozero/pbf_reader.hpp")
  message(FATAL_ERROR
    "flowgraph: FLOWGRAPH_PROTOZERO_DIRECTORY is '${protozero_directory}', where there is no protozero/pbf_reader.hpp")
endif()
set(protozero_repository https://github.com/mapbox/protozero.git)
set(protozero_tag v1.7.1)

set(fetch_protozero "${FLOWGRAPH_INTEROP}")
if(FLOWGRAPH_INTEROP STREQUAL "AUTO")
  set(fetch_protozero "${FLOWGRAPH_BUILD_TESTS}")
endif()
set(no_interop "")
if(NOT FLOWGRAPH_INTEROP)
  set(no_interop "FLOWGRAPH_INTEROP is ${FLOWGRAPH_INTEROP}")
elseif(CMAKE_CXX_FLAGS MATCHES "-fno-exceptions")
  set(no_interop "protozero needs exceptions")
elseif(NOT protozero_directory AND NOT fetch_protozero)
  set(no_interop "protozero is not installed; FLOWGRAPH_INTEROP=ON fetches it")
elseif(NOT protozero_directory)
  flowgraph_can_fetch(can_fetch protozero include/protozero/pbf_reader.hpp ${protozero_repository} ${protozero_tag})
  if(can_fetch)
    include(FetchContent)
    FetchContent_Declare(protozero
      GIT_REPOSITORY ${protozero_repository}
      GIT_TAG ${protozero_tag}
      SOURCE_SUBDIR include)  # which has no CMakeLists.txt: nothing of it is built
    FetchContent_MakeAvailable(protozero)
    set(protozero_directory "${protozero_SOURCE_DIR}/include")
    if(NOT EXISTS "${protozero_directory}/protozero/pbf_reader.hpp")
      set(no_interop "${protozero_SOURCE_DIR} is not protozero")
    endif()
  else()
    set(no_interop "protozero is neither installed nor at ${protozero_repository}")
  endif()
endif()

# The library against the form of flowgraph that `library` is.
function(flowgraph_make_interop target library)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${interop_sources})
  target_link_libraries(${target} PUBLIC ${library})
  target_include_directories(${target} SYSTEM PRIVATE "${protozero_directory}")
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off;-ffunction-sections;-fdata-sections>")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
endfunction()

if(no_interop AND FLOWGRAPH_INTEROP AND NOT FLOWGRAPH_INTEROP STREQUAL "AUTO")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_INTEROP is ${FLOWGRAPH_INTEROP}, but ${no_interop}")
elseif(no_interop)
  message(STATUS "flowgraph: without flowgraph::interop, because ${no_interop}")
else()
  flowgraph_make_interop(flowgraph_interop flowgraph_by_name)
  add_library(flowgraph::interop ALIAS flowgraph_interop)
  set_target_properties(flowgraph_interop PROPERTIES EXPORT_NAME interop)
  if(FLOWGRAPH_INSTALL)
    set_target_properties(flowgraph_interop PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()
