# tools/registry_header: a program built with the header that it prints imports and runs the files, gives what a program with all ops
# gives, and is less than half as large.

add_executable(registry_header "${PROJECT_SOURCE_DIR}/tools/registry_header.cpp")
flowgraph_develop(registry_header)
target_link_libraries(registry_header PRIVATE flowgraph::interop)

set(registry_header_directory "${CMAKE_CURRENT_BINARY_DIR}/registry_header_files")
file(MAKE_DIRECTORY "${registry_header_directory}")
add_executable(registry_header_write "${CMAKE_CURRENT_LIST_DIR}/write.cpp")
flowgraph_develop(registry_header_write)
target_link_libraries(registry_header_write PRIVATE flowgraph::interop)

file(GLOB op_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/flowgraph/ops/*/*.hpp")
add_custom_command(OUTPUT "${registry_header_directory}/model_ops.hpp"
  COMMAND registry_header_write
  COMMAND awk -f "${PROJECT_SOURCE_DIR}/tools/op_headers.awk" ${op_headers} > op_headers.txt
  COMMAND registry_header --headers op_headers.txt network.pb loop.pbtxt > model_ops.hpp
  WORKING_DIRECTORY "${registry_header_directory}"
  DEPENDS registry_header registry_header_write "${PROJECT_SOURCE_DIR}/tools/op_headers.awk"
  VERBATIM)

foreach(form all model)
  set(program registry_header_${form})
  add_executable(${program} "${CMAKE_CURRENT_LIST_DIR}/run.cpp")
  flowgraph_develop(${program})
  target_link_libraries(${program} PRIVATE flowgraph::interop)
  target_link_options(${program} PRIVATE -Wl,--gc-sections -s)
endforeach()
target_sources(registry_header_model PRIVATE "${registry_header_directory}/model_ops.hpp")
target_include_directories(registry_header_model PRIVATE "${registry_header_directory}")
target_compile_definitions(registry_header_model PRIVATE MODEL_OPS)

flowgraph_add_test(registry_header LABELS tree WORKING_DIRECTORY "${registry_header_directory}"
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/compare.sh" "$<TARGET_FILE:registry_header>" "$<TARGET_FILE:registry_header_all>"
          "$<TARGET_FILE:registry_header_model>")
