# The target flowgraph::tls: encrypted connections for flowgraph::tcp, by OpenSSL. It is a library of its own, so that a program that does not
# link it has no OpenSSL and is no larger. FLOWGRAPH_TLS says whether there is one:
#   AUTO  where OpenSSL is found, and there is a flowgraph::tcp; elsewhere one line says why there is none
#   ON    an error where it cannot be had
#   OFF   never

find_path(FLOWGRAPH_OPENSSL_DIRECTORY openssl/ssl.h)
find_library(FLOWGRAPH_SSL_LIBRARY NAMES ssl)
find_library(FLOWGRAPH_CRYPTO_LIBRARY NAMES crypto)
mark_as_advanced(FLOWGRAPH_OPENSSL_DIRECTORY FLOWGRAPH_SSL_LIBRARY FLOWGRAPH_CRYPTO_LIBRARY)

set(no_tls "")
if(NOT FLOWGRAPH_TLS)
  set(no_tls "FLOWGRAPH_TLS is ${FLOWGRAPH_TLS}")
elseif(NOT TARGET flowgraph_tcp)
  set(no_tls "there is no flowgraph::tcp")
elseif(NOT FLOWGRAPH_OPENSSL_DIRECTORY OR NOT FLOWGRAPH_SSL_LIBRARY OR NOT FLOWGRAPH_CRYPTO_LIBRARY)
  set(no_tls "OpenSSL is not installed")
elseif(NOT EXISTS "${asio_directory}/asio/ssl/stream.hpp")
  set(no_tls "${asio_directory} has no asio/ssl/stream.hpp")
endif()

# An installed package names the libraries alone: who links it needs neither OpenSSL's headers nor a module that finds it.
function(flowgraph_make_tls target tcp)
  flowgraph_make_of_asio(${target} ${tcp} "${PROJECT_SOURCE_DIR}/backends/tcp/tls.cpp")
  target_include_directories(${target} SYSTEM PRIVATE "${FLOWGRAPH_OPENSSL_DIRECTORY}")
  foreach(kind SSL CRYPTO)
    string(TOLOWER ${kind} name)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${FLOWGRAPH_${kind}_LIBRARY}>$<INSTALL_INTERFACE:${name}>")
  endforeach()
endfunction()

if(no_tls AND FLOWGRAPH_TLS AND NOT FLOWGRAPH_TLS STREQUAL "AUTO")
  message(FATAL_ERROR "flowgraph: FLOWGRAPH_TLS is ${FLOWGRAPH_TLS}, but ${no_tls}")
elseif(no_tls)
  message(STATUS "flowgraph: without flowgraph::tls, because ${no_tls}")
else()
  flowgraph_make_tls(flowgraph_tls flowgraph_tcp)
  add_library(flowgraph::tls ALIAS flowgraph_tls)
  set_target_properties(flowgraph_tls PROPERTIES EXPORT_NAME tls)
  if(FLOWGRAPH_INSTALL)
    set_target_properties(flowgraph_tls PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endif()
