# The numbers that test_train compares with are those that NumPy computes; skipped where there is none.
flowgraph_add_test(train/lazy_adam_numbers LABELS train PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${CMAKE_CURRENT_LIST_DIR}/lazy_adam.py")

# The models of clicks train as the same models in TensorFlow.
flowgraph_add_test(train/click_model_numbers LABELS train PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${PROJECT_SOURCE_DIR}/tools/with_python" "${CMAKE_CURRENT_LIST_DIR}/click_models.py")
