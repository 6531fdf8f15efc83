# No warning in a user's source comes from our headers. Header-only, with each of compile_fail_compilers, which compile_fail finds;
# with clang++ by --all alone, since the configuration header_only compiles the umbrella with the same warnings.

set(strict_compilers ${compile_fail_compilers})
if(NOT FLOWGRAPH_TEST_THOROUGH)
  list(FILTER strict_compilers EXCLUDE REGEX "clang")
endif()
foreach(compiler IN LISTS strict_compilers)
  cmake_path(GET compiler FILENAME compiler_name)
  flowgraph_add_test(headers/strict/${compiler_name} LABELS headers PROPERTIES COST 50
    COMMAND "${compiler}" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow ${flowgraph_strict_warnings} -Werror
      "-I${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests/headers/strict.cpp")
endforeach()

# Nor where the compiler looks through what it has inlined.
flowgraph_add_test(headers/strict/optimized LABELS headers PROPERTIES COST 60
  COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -O2 -fno-exceptions -fno-rtti -c -Wall -Wextra -Wconversion -Wshadow ${flowgraph_strict_warnings} -Werror
    "-I${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests/headers/optimized.cpp" -o "${CMAKE_CURRENT_BINARY_DIR}/headers_optimized.o")
