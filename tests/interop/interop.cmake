# What test_interop links: flowgraph::interop, or its sources against the form of the library that this build tests.

if(FLOWGRAPH_TEST_LIBRARY STREQUAL "compiled")
  set(interop_test_library flowgraph::interop)
else()
  set(interop_test_library flowgraph_test_interop)
  flowgraph_make_interop(flowgraph_test_interop flowgraph_test_library)
  flowgraph_develop(flowgraph_test_interop)
endif()
target_link_libraries(test_interop PRIVATE ${interop_test_library})

# Models that Keras wrote, which are kept in an archive.
set(keras_models "${CMAKE_CURRENT_BINARY_DIR}/keras_models")
file(ARCHIVE_EXTRACT INPUT "${CMAKE_CURRENT_LIST_DIR}/data/keras_models.tar.xz" DESTINATION "${keras_models}" TOUCH)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/data/keras_models.tar.xz")
target_compile_definitions(test_interop PRIVATE "FLOWGRAPH_KERAS_MODELS=\"${keras_models}\"")

# Models with features, texts and pictures that TensorFlow wrote, and its answers.
set(feature_models "${CMAKE_CURRENT_BINARY_DIR}/feature_models")
file(ARCHIVE_EXTRACT INPUT "${CMAKE_CURRENT_LIST_DIR}/data/feature_models.tar.xz" DESTINATION "${feature_models}" TOUCH)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/data/feature_models.tar.xz")
target_compile_definitions(test_interop PRIVATE "FLOWGRAPH_FEATURE_MODELS=\"${feature_models}\"")
