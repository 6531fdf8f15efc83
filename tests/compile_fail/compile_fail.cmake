# Each source here is a mistake that must not compile: with every compiler at hand, in few words, and naming what its
# `// expect: text` lines say. With CONTROL defined the same file must compile, so that it fails for the right reason.

set(compile_fail_compilers "${CMAKE_CXX_COMPILER}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(FLOWGRAPH_TEST_OTHER_COMPILER NAMES clang++-16 clang++)
else()
  find_program(FLOWGRAPH_TEST_OTHER_COMPILER NAMES g++)
endif()
if(FLOWGRAPH_TEST_OTHER_COMPILER)
  list(APPEND compile_fail_compilers "${FLOWGRAPH_TEST_OTHER_COMPILER}")
endif()

# They read the same headers a hundred times: those are compiled once per compiler.
foreach(compiler IN LISTS compile_fail_compilers)
  cmake_path(GET compiler FILENAME compiler_name)
  flowgraph_add_test(compile_fail/precompiled/${compiler_name} LABELS compile_fail
    COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${compiler}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include"
      "-DPRECOMPILED=${CMAKE_CURRENT_BINARY_DIR}/compile_fail/${compiler_name}" -P "${CMAKE_CURRENT_LIST_DIR}/precompile.cmake"
    PROPERTIES FIXTURES_SETUP ${FLOWGRAPH_TEST_PREFIX}compile_fail_${compiler_name})
endforeach()

file(GLOB compile_fail_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
foreach(source IN LISTS compile_fail_sources)
  cmake_path(GET source STEM name)
  foreach(compiler IN LISTS compile_fail_compilers)
    cmake_path(GET compiler FILENAME compiler_name)
    flowgraph_add_test(compile_fail/${name}/${compiler_name} LABELS compile_fail
      COMMAND "${CMAKE_COMMAND}" "-DCOMPILER=${compiler}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include" "-DSOURCE=${source}"
        "-DPRECOMPILED=${CMAKE_CURRENT_BINARY_DIR}/compile_fail/${compiler_name}" -P "${CMAKE_CURRENT_LIST_DIR}/check.cmake"
      PROPERTIES FIXTURES_REQUIRED ${FLOWGRAPH_TEST_PREFIX}compile_fail_${compiler_name})
  endforeach()
endforeach()
