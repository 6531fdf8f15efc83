# clang-tidy over all headers, by the few sources here that include them: .clang-tidy has the checks, and each find is an error. It takes
# minutes, so it is a part of `tools/test --all` alone. Skipped where there is no clang-tidy 16: other versions find other things.

find_program(FLOWGRAPH_TEST_CLANG_TIDY NAMES clang-tidy-16)
file(GLOB tidy_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
foreach(source IN LISTS tidy_sources)
  cmake_path(GET source STEM name)
  flowgraph_add_test(tidy/${name} LABELS tidy PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800
    COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/tidy.sh" "${FLOWGRAPH_TEST_CLANG_TIDY}" "${PROJECT_SOURCE_DIR}" "${source}")
endforeach()
# The checks find what is planted: a moved-from value that is read, and a name that is not in lower case.
flowgraph_add_test(tidy/finds_planted_faults LABELS tidy PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/check.sh" "${FLOWGRAPH_TEST_CLANG_TIDY}" "${PROJECT_SOURCE_DIR}")
