# What test_distributed links: flowgraph::tcp, or its sources against the form of the library that this build tests.

if(FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  set(tcp_test_library flowgraph::tcp)
else()
  set(tcp_test_library flowgraph_test_tcp)
  flowgraph_make_tcp(flowgraph_test_tcp flowgraph_test_library)
  flowgraph_develop(flowgraph_test_tcp)
endif()
if(TARGET flowgraph::tls AND FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  set(tcp_test_library flowgraph::tls)
  target_compile_definitions(test_distributed PRIVATE FLOWGRAPH_TEST_TLS)
  if(TARGET flowgraph_worker)
    add_dependencies(test_distributed flowgraph_worker)
    target_compile_definitions(test_distributed PRIVATE "FLOWGRAPH_TEST_WORKER=\"$<TARGET_FILE:flowgraph_worker>\"")
  endif()
endif()
target_link_libraries(test_distributed PRIVATE ${tcp_test_library})
target_include_directories(test_distributed PRIVATE "${PROJECT_SOURCE_DIR}/backends")  # <distributed/...>
target_include_directories(test_distributed PRIVATE "${PROJECT_SOURCE_DIR}/examples")  # <shared/digits.hpp>
target_compile_definitions(test_distributed PRIVATE "FLOWGRAPH_TEST_DIGITS=\"${PROJECT_SOURCE_DIR}/examples/data/digits.csv\"")
