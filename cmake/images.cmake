# The target flowgraph::images, from every source in backends/images: JPEG and GIF files, by libjpeg and giflib. It is a library of its own,
# so that a program that does not link it has neither of them and is no larger. FLOWGRAPH_IMAGES says whether there is one:
#   AUTO  where libjpeg and giflib are found; elsewhere one line says why there is none
#   ON    an error where it cannot be had
#   OFF   never

file(GLOB images_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/images/*.cpp")

# CMake's own modules would leave their cache entries to a parent project.
find_path(FLOWGRAPH_JPEG_DIRECTORY jpeglib.h)
find_library(FLOWGRAPH_JPEG_LIBRARY NAMES jpeg)
find_path(FLOWGRAPH_GIF_DIRECTORY gif_lib.h)
find_library(FLOWGRAPH_GIF_LIBRARY NAMES gif)
mark_as_advanced(FLOWGRAPH_JPEG_DIRECTORY FLOWGRAPH_JPEG_LIBRARY FLOWGRAPH_GIF_DIRECTORY FLOWGRAPH_GIF_LIBRARY)

set(no_images "")
if(NOT FLOWGRAPH_IMAGES)
  set(no_images "FLOWGRAPH_IMAGES is ${FLOWGRAPH_IMAGES}")
elseif(NOT FLOWGRAPH_JPEG_DIRECTORY OR NOT FLOWGRAPH_JPEG_LIBRARY)
  set(no_images "libjpeg is not installed")
elseif(NOT FLOWGRAPH_GIF_DIRECTORY OR NOT FLOWGRAPH_GIF_LIBRARY)
  set(no_images "giflib is not installed")
else()
  # Windows of images: libjpeg-turbo has the function, other libraries of that name do not.
  file(STRINGS "${FLOWGRAPH_JPEG_DIRECTORY}/jpeglib.h" has_windows REGEX "jpeg_crop_scanline")
  if(NOT has_windows)
    set(no_images "${FLOWGRAPH_JPEG_DIRECTORY}/jpeglib.h is not of libjpeg-turbo 1.5 or newer")
  endif()
endif()

# The linker must take the file that gives the ops their functions, although no other file refers to it.
set(flowgraph_images_link "-Wl,-u,flowgraph_images_1_library")
if(APPLE)
  set(flowgraph_images_link "-Wl,-u,_flowgraph_images_1_library")
endif()

# It fits to every form of flowgraph. An installed package names the libraries alone: who links it needs neither their headers nor modules
# that find them.
function(flowgraph_make_images target library)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${images_sources})
  target_link_libraries(${target} PUBLIC ${library})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/backends")  # <images/...>
  foreach(kind JPEG GIF)
    string(TOLOWER ${kind} name)
    target_include_directories(${target} SYSTEM PRIVATE "${FLOWGRAPH_${kind}_DIRECTORY}")
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${FLOWGRAPH_${kind}_LIBRARY}>$<INSTALL_INTERFACE:${name}>")
  endforeach()
  target_link_options(${target} INTERFACE "${flowgraph_images_link}")
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-ffunction-sections;-fdata-sections>")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
endfunction()

if(no_images AND FLOWGRAPH_IMAGES AND NOT FLOWGRAPH_IMAGES STREQUAL "AUTO")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_IMAGES is ${FLOWGRAPH_IMAGES}, but ${no_images}")
elseif(no_images)
  message(STATUS "flowgraph: without flowgraph::images, because ${no_images}")
else()
  flowgraph_make_images(flowgraph_images flowgraph)
  add_library(flowgraph::images ALIAS flowgraph_images)
  set_target_properties(flowgraph_images PROPERTIES EXPORT_NAME images)
  if(FLOWGRAPH_INSTALL)
    set_target_properties(flowgraph_images PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()
