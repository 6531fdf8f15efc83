# Recorded sessions of TensorFlow, replayed.

include("${CMAKE_CURRENT_LIST_DIR}/replay.cmake")

# The same cases on an emulated GPU, which runs all nodes for which it has a kernel.
flowgraph_add_test(conformance/device LABELS conformance PROPERTIES COST 120
  COMMAND replay --device --every 4 --failed --known "${CMAKE_CURRENT_LIST_DIR}/known_differences.txt"
    --known "${CMAKE_CURRENT_LIST_DIR}/device_differences.txt" ${case_files})

# Graphs of our own, written as such sessions.
add_executable(own_graphs "${CMAKE_CURRENT_LIST_DIR}/own_graphs.cpp" "${CMAKE_CURRENT_LIST_DIR}/own_loops.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/cases.cpp")
flowgraph_develop(own_graphs)
target_link_libraries(own_graphs PRIVATE flowgraph::interop)
target_include_directories(own_graphs SYSTEM PRIVATE "${protozero_directory}")

# Recorded files beside the cases, kept in an archive.
function(flowgraph_unpack files archive)
  list(TRANSFORM files PREPEND "${CMAKE_CURRENT_BINARY_DIR}/cases/")
  add_custom_command(OUTPUT ${files}
    COMMAND "${CMAKE_COMMAND}" -E tar xf "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/data/${archive}" --touch
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/cases"
    DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/data/${archive}"
    COMMENT "Unpacking ${archive}"
    VERBATIM)
  string(REGEX REPLACE "\\..*" "" name "${archive}")
  add_custom_target("${name}_file" ALL DEPENDS ${files})
endfunction()

flowgraph_add_test(conformance LABELS conformance
  COMMAND replay --known "${CMAKE_CURRENT_LIST_DIR}/known_differences.txt" --scope "${CMAKE_CURRENT_LIST_DIR}/data" ${case_files})

# A case that ends its process is named, and those after it run.
flowgraph_add_test(conformance/aborted LABELS conformance
  PROPERTIES PASS_REGULAR_EXPRESSION "testCase/1: ended by signal 6.*total: 69 cases, 68 equal, 1 differ"
  COMMAND replay --failed --abort control_flow.control_flow_ops_py.ControlFlowTest.testCase/1 "${CMAKE_CURRENT_BINARY_DIR}/cases/control_flow.cases")

flowgraph_add_test(conformance/prepared LABELS conformance
  COMMAND replay --prepared --known "${CMAKE_CURRENT_LIST_DIR}/known_differences.txt" ${case_files})

# Passes change no bit of any answer, and every step can be explained.
flowgraph_add_test(conformance/passes LABELS conformance COMMAND replay --compare-passes --failed ${case_files})
flowgraph_add_test(conformance/further_passes LABELS conformance
  COMMAND replay --compare-passes --further all --failed ${case_files})
if(FLOWGRAPH_TEST_THOROUGH)
  foreach(pass fold_constants prune_identities merge_common known_shapes dead_switches arithmetic dependencies)
    flowgraph_add_test("conformance/${pass}_alone" LABELS conformance
      COMMAND replay --compare-passes --only ${pass} --failed ${case_files})
  endforeach()
endif()

# How many nodes they leave, against TensorFlow's.
add_executable(passes "${CMAKE_CURRENT_LIST_DIR}/passes.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/scope.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(passes)
target_link_libraries(passes PRIVATE flowgraph::interop)
target_include_directories(passes SYSTEM PRIVATE "${protozero_directory}")
target_include_directories(passes PRIVATE "${PROJECT_SOURCE_DIR}/bench")
flowgraph_unpack("passes.json;big.cases" passes.tar.xz)
flowgraph_add_test(conformance/nodes_after_passes LABELS conformance
  COMMAND passes "${CMAKE_CURRENT_BINARY_DIR}/cases/passes.json" "${CMAKE_CURRENT_LIST_DIR}/passes_differences.txt"
          "${CMAKE_CURRENT_BINARY_DIR}/cases/models.cases" "${CMAKE_CURRENT_BINARY_DIR}/cases/big.cases")

include("${CMAKE_CURRENT_LIST_DIR}/scattered.cmake")

# Over the tasks of a cluster.
if(TARGET flowgraph::tcp)
  target_link_libraries(replay PRIVATE flowgraph::tcp)
  target_compile_definitions(replay PRIVATE FLOWGRAPH_REPLAY_CLUSTERED)
  flowgraph_add_test(conformance/clustered LABELS conformance
    COMMAND replay --clustered --scatter 3 --seed 1 --prepared --failed --known "${CMAKE_CURRENT_LIST_DIR}/clustered_differences.txt" ${case_files})
  # Each task groups the element-wise nodes of its parts.
  flowgraph_add_test(conformance/clustered_groups LABELS conformance
    COMMAND replay --clustered --scatter 3 --seed 1 --further group_elementwise --failed ${sampled}
      --known "${CMAKE_CURRENT_LIST_DIR}/clustered_differences.txt" ${case_files})
  # Each task a process of its own: some cases, or all of them over two and three where the whole suite is asked for.
  set(some_processes --every 40)
  if(FLOWGRAPH_TEST_THOROUGH)
    set(some_processes "")
    flowgraph_add_test(conformance/two_processes LABELS conformance
      COMMAND replay --processes --scatter 2 --seed 1 --failed --known "${CMAKE_CURRENT_LIST_DIR}/clustered_differences_two.txt" ${case_files})
  endif()
  flowgraph_add_test(conformance/processes LABELS conformance
    COMMAND replay --processes --scatter 3 --seed 1 --prepared --failed ${some_processes}
      --known "${CMAKE_CURRENT_LIST_DIR}/clustered_differences.txt" ${case_files})
endif()


# Where TensorFlow's placer put the nodes of generated graphs.
add_executable(placer "${CMAKE_CURRENT_LIST_DIR}/placer.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(placer)
target_link_libraries(placer PRIVATE flowgraph::interop)
target_include_directories(placer SYSTEM PRIVATE "${protozero_directory}")
flowgraph_unpack(placer.jsonl placer.tar.xz)
flowgraph_add_test(conformance/placer LABELS conformance COMMAND placer "${CMAKE_CURRENT_BINARY_DIR}/cases/placer.jsonl")

# What TensorFlow ran on each device and sent between them.
add_executable(partitions "${CMAKE_CURRENT_LIST_DIR}/partitions.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/compare.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp" "${CMAKE_CURRENT_LIST_DIR}/replay.cpp" "${CMAKE_CURRENT_LIST_DIR}/clustered.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/emulated.cpp" "${CMAKE_CURRENT_LIST_DIR}/scope.cpp")
flowgraph_develop(partitions)
target_link_libraries(partitions PRIVATE flowgraph::interop flowgraph_emulated_gpu $<TARGET_NAME_IF_EXISTS:flowgraph::images>)
target_include_directories(partitions SYSTEM PRIVATE "${protozero_directory}")
flowgraph_unpack(partitions.jsonl partitions.tar.xz)
flowgraph_add_test(conformance/partitions LABELS conformance
  COMMAND partitions "${CMAKE_CURRENT_BINARY_DIR}/cases/partitions.jsonl" ${case_files})

# The graphs that TensorFlow's partitioner made, run together.
add_executable(joint_runs "${CMAKE_CURRENT_LIST_DIR}/joint_runs.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/compare.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp" "${CMAKE_CURRENT_LIST_DIR}/scope.cpp")
flowgraph_develop(joint_runs)
target_link_libraries(joint_runs PRIVATE flowgraph::interop)
target_include_directories(joint_runs SYSTEM PRIVATE "${protozero_directory}")
flowgraph_unpack(graphs.cases graphs.tar.xz)
flowgraph_add_test(conformance/joint_runs LABELS conformance COMMAND joint_runs "${CMAKE_CURRENT_LIST_DIR}/joint_differences.txt" "${CMAKE_CURRENT_BINARY_DIR}/cases/graphs.cases")

# Made plain values and graphs again, they answer the same.
add_executable(recorded_graphs "${CMAKE_CURRENT_LIST_DIR}/recorded_graphs.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/compare.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(recorded_graphs)
target_link_libraries(recorded_graphs PRIVATE flowgraph::interop $<TARGET_NAME_IF_EXISTS:flowgraph::images>)
target_include_directories(recorded_graphs SYSTEM PRIVATE "${protozero_directory}")
flowgraph_add_test(conformance/recorded_graphs LABELS conformance COMMAND recorded_graphs ${case_files})

# How long steps take on Grappler's virtual cluster.
add_executable(simulated "${CMAKE_CURRENT_LIST_DIR}/simulated.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(simulated)
target_link_libraries(simulated PRIVATE flowgraph::interop)
target_include_directories(simulated SYSTEM PRIVATE "${protozero_directory}")
flowgraph_unpack(costs.json costs.tar.xz)
flowgraph_add_test(conformance/simulated LABELS conformance
  COMMAND simulated "${CMAKE_CURRENT_BINARY_DIR}/cases/costs.json" "${CMAKE_CURRENT_BINARY_DIR}/cases/models.cases")

# What we export, TensorFlow loads and computes the same.
flowgraph_add_test(interop/tensorflow LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/interop/exported_graphs.py" "$<TARGET_FILE:replay>" "$<TARGET_FILE:own_graphs>" ${case_files})

# The standard ops against TensorFlow's registry.
add_executable(coverage "${CMAKE_CURRENT_LIST_DIR}/coverage.cpp" "${CMAKE_CURRENT_LIST_DIR}/scope.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(coverage)
target_link_libraries(coverage PRIVATE flowgraph::by_name)
flowgraph_add_test(coverage LABELS conformance
  COMMAND coverage --known "${CMAKE_CURRENT_LIST_DIR}/known_gaps.txt" "${CMAKE_CURRENT_LIST_DIR}/data/registry.json"
          "${CMAKE_CURRENT_LIST_DIR}/data/scope.txt")

# The arguments that stay in host memory likewise.
add_executable(host_arguments "${CMAKE_CURRENT_LIST_DIR}/host_arguments.cpp" "${CMAKE_CURRENT_LIST_DIR}/scope.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(host_arguments)
target_link_libraries(host_arguments PRIVATE flowgraph::by_name)
flowgraph_add_test(conformance/host_arguments LABELS conformance
  COMMAND host_arguments "${CMAKE_CURRENT_LIST_DIR}/host_differences.txt" "${CMAKE_CURRENT_LIST_DIR}/data/registry.json"
          "${CMAKE_CURRENT_LIST_DIR}/data/scope.txt")

# Gradients that we add to recorded models against those recorded.
add_executable(model_gradients "${CMAKE_CURRENT_LIST_DIR}/model_gradients.cpp" "${CMAKE_CURRENT_LIST_DIR}/cases.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/compare.cpp" "${CMAKE_CURRENT_LIST_DIR}/scope.cpp" "${CMAKE_CURRENT_LIST_DIR}/json.cpp")
flowgraph_develop(model_gradients)
target_link_libraries(model_gradients PRIVATE flowgraph::interop)
target_include_directories(model_gradients SYSTEM PRIVATE "${protozero_directory}")
flowgraph_add_test(conformance/gradients LABELS conformance
  COMMAND model_gradients "${CMAKE_CURRENT_BINARY_DIR}/cases/models.cases")

# Models of today's Keras: every tensor in them against TensorFlow's.
add_executable(imported_models "${CMAKE_CURRENT_LIST_DIR}/imported_models.cpp")
flowgraph_develop(imported_models)
target_link_libraries(imported_models PRIVATE flowgraph::interop)
flowgraph_add_test(interop/keras LABELS conformance PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3600
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/keras_models.py" compare
          "$<TARGET_FILE:imported_models>")

# Recurrent models of today's Keras, larger than those that are recorded in data/lists.tar.xz.
flowgraph_add_test(interop/recurrent LABELS conformance PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3600
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/list_cases.py" compare "$<TARGET_FILE:replay>")
if(TARGET flowgraph_command)
  flowgraph_add_test(interop/recurrent_saved LABELS conformance PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3600
    COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/list_cases.py" serve "$<TARGET_FILE:flowgraph_command>")
endif()

# Files that TensorFlow, NumPy and safetensors write and read.
add_executable(exchanged_files "${CMAKE_CURRENT_LIST_DIR}/exchanged_files.cpp")
flowgraph_develop(exchanged_files)
target_link_libraries(exchanged_files PRIVATE flowgraph::compiled)
flowgraph_add_test(formats/peers LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/exchanged_files.py"
          "$<TARGET_FILE:exchanged_files>")

# The scripts of all characters.
flowgraph_add_test(ops/unicode_scripts LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/unicode_scripts.py" compare
          "${PROJECT_SOURCE_DIR}/include/flowgraph/ops/strings/impl/unicode_scripts.hpp")

# PNG files of every kind.
flowgraph_add_test(formats/png_peers LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/png_files.py" "$<TARGET_FILE:exchanged_files>")

# Models that are written here, TensorFlow serves.
add_executable(written_models "${CMAKE_CURRENT_LIST_DIR}/written_models.cpp")
flowgraph_develop(written_models)
target_link_libraries(written_models PRIVATE flowgraph::interop)
flowgraph_add_test(interop/served_by_tensorflow LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/served_models.py"
          "$<TARGET_FILE:written_models>")

# Files that TensorBoard shows, by what it answers, and where all is asked for by its pages in a browser; and summaries that TensorFlow
# makes too.
add_executable(written_events "${CMAKE_CURRENT_LIST_DIR}/written_events.cpp")
flowgraph_develop(written_events)
target_link_libraries(written_events PRIVATE flowgraph::compiled)
flowgraph_add_test(observe/tensorboard LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/tensorboard.py" "$<TARGET_FILE:written_events>")
if(FLOWGRAPH_TEST_THOROUGH)
  flowgraph_add_test(observe/tensorboard_pages LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
    COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/tensorboard.py" --rendered
            "$<TARGET_FILE:written_events>")
endif()
flowgraph_add_test(observe/tensorflow LABELS conformance PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${PROJECT_SOURCE_DIR}/tests/peers/summaries.py" "$<TARGET_FILE:written_events>")
