# The lines of use that docs/reference shows compile. That the pages are what the headers say, tests/catalogue looks at. Both are skipped
# where the packages are missing that read the headers.

flowgraph_add_test(reference/uses LABELS documentation PROPERTIES SKIP_RETURN_CODE 77
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/uses.sh" "${PROJECT_SOURCE_DIR}"
    "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -Wno-psabi -DFLOWGRAPH_COMPILED "-I${PROJECT_SOURCE_DIR}/include")

# The reference has what its sources say, and its check names what they lack, error texts that nothing provokes and stale results: a small
# header, full entries and pages with planted faults.
find_program(FLOWGRAPH_REFERENCE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(FLOWGRAPH_REFERENCE_PYTHON)
  flowgraph_add_test(reference/declarations LABELS documentation PROPERTIES SKIP_RETURN_CODE 77
    COMMAND "${FLOWGRAPH_REFERENCE_PYTHON}" -B "${CMAKE_CURRENT_LIST_DIR}/check.py" "${PROJECT_SOURCE_DIR}")
endif()
