# Each source is as .clang-format has it. Skipped where there is no clang-format 16: other versions lay out differently.

find_program(FLOWGRAPH_TEST_CLANG_FORMAT NAMES clang-format-16)
flowgraph_add_test(format LABELS tree PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/format.sh" "${FLOWGRAPH_TEST_CLANG_FORMAT}" "${PROJECT_SOURCE_DIR}")
