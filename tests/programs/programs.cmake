# The program `flowgraph`, run as users do: on files that TensorFlow, NumPy and safetensors wrote (data/make.py), and on damaged ones.

flowgraph_add_test(programs/flowgraph LABELS programs
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/flowgraph.sh" "$<TARGET_FILE:flowgraph_command>" "${CMAKE_CURRENT_LIST_DIR}/data"
    "${CMAKE_CURRENT_BINARY_DIR}/programs")

# Its models of clicks: training, evaluation, predictions, errors, and a training that is killed.
flowgraph_add_test(programs/clicks LABELS programs
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/clicks.sh" "$<TARGET_FILE:flowgraph_command>" "${CMAKE_CURRENT_BINARY_DIR}/click_programs")

# The program `flowgraph-worker`: its options, its errors, and the table of them in the guide.
if(TARGET flowgraph_worker)
  flowgraph_add_test(programs/worker LABELS programs
    COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/worker.sh" "$<TARGET_FILE:flowgraph_worker>" "${PROJECT_SOURCE_DIR}/docs"
      "${CMAKE_CURRENT_BINARY_DIR}/worker_program")
endif()
