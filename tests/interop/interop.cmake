# What test_interop links: flowgraph::interop, or its sources against the form of the library that this build tests.

if(FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  set(interop_test_library flowgraph::interop)
else()
  set(interop_test_library flowgraph_test_interop)
  flowgraph_make_interop(flowgraph_test_interop flowgraph_test_library)
  flowgraph_develop(flowgraph_test_interop)
endif()
target_link_libraries(test_interop PRIVATE ${interop_test_library})
