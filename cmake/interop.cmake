# The target flowgraph::interop, from every source in backends/interop: graphs in other people's files. There is one where protozero
# is found, or may be fetched (FLOWGRAPH_INTEROP); it is built only where it is linked or installed.

file(GLOB interop_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/interop/*.cpp")

# Debian's package of protozero is headers alone.
find_path(FLOWGRAPH_PROTOZERO_DIRECTORY protozero/pbf_reader.hpp)
mark_as_advanced(FLOWGRAPH_PROTOZERO_DIRECTORY)
set(protozero_directory "${FLOWGRAPH_PROTOZERO_DIRECTORY}")
if(NOT protozero_directory AND FLOWGRAPH_INTEROP)
  include(FetchContent)
  FetchContent_Declare(protozero
    GIT_REPOSITORY https://github.com/mapbox/protozero.git
    GIT_TAG v1.7.1
    SOURCE_SUBDIR include)  # which has no CMakeLists.txt: nothing of it is built
  FetchContent_MakeAvailable(protozero)
  set(protozero_directory "${protozero_SOURCE_DIR}/include")
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

if(protozero_directory AND NOT CMAKE_CXX_FLAGS MATCHES "-fno-exceptions")  # protozero throws
  flowgraph_make_interop(flowgraph_interop flowgraph_by_name)
  add_library(flowgraph::interop ALIAS flowgraph_interop)
  set_target_properties(flowgraph_interop PROPERTIES EXPORT_NAME interop)
  if(FLOWGRAPH_INSTALL)
    set_target_properties(flowgraph_interop PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()
