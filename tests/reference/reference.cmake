# The lines of use that docs/reference shows compile. That the pages are what the headers say, tests/catalogue looks at.

flowgraph_add_test(reference/uses LABELS documentation
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/uses.sh" "${PROJECT_SOURCE_DIR}"
    "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -Wno-psabi -DFLOWGRAPH_COMPILED "-I${PROJECT_SOURCE_DIR}/include")

# The reference has what its sources say, and says what they lack: small headers, and pages that are written by hand.
flowgraph_add_test(reference/declarations LABELS documentation
  COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/check.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_LIST_DIR}/fixture")
