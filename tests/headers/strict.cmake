# No warning in a user's source comes from our headers. The source strict.cpp is compiled behind all headers by together.cmake; and alone,
# with each of compile_fail_compilers, which compile_fail finds, by --all: it compiles the bodies of the whole engine.

if(FLOWGRAPH_TEST_THOROUGH)
  foreach(compiler IN LISTS compile_fail_compilers)
    cmake_path(GET compiler FILENAME compiler_name)
    flowgraph_add_test(headers/strict/${compiler_name} LABELS headers PROPERTIES COST 50
      COMMAND "${compiler}" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow ${flowgraph_strict_warnings} -Werror
        "-I${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests/headers/strict.cpp")
  endforeach()
endif()

# Nor where the compiler looks through what it has inlined.
flowgraph_add_test(headers/strict/optimized LABELS headers PROPERTIES COST 60
  COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -O2 -fno-exceptions -fno-rtti -c -Wall -Wextra -Wconversion -Wshadow ${flowgraph_strict_warnings} -Werror
    "-I${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests/headers/optimized.cpp" -o "${CMAKE_CURRENT_BINARY_DIR}/headers_optimized.o")
