# A user's source has no warning that comes from our headers, header-only, with every compiler at hand. Needs the list of compilers that
# compile_fail makes.

set(strict_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wold-style-cast -Wshadow -Wundef -Werror)
foreach(compiler IN LISTS compile_fail_compilers)
  cmake_path(GET compiler FILENAME compiler_name)
  flowgraph_add_test(headers/strict/${compiler_name} LABELS headers
    COMMAND "${compiler}" -std=c++20 -fsyntax-only ${strict_warnings} "-I${PROJECT_SOURCE_DIR}/include"
      "${PROJECT_SOURCE_DIR}/tests/headers/strict.cpp")
endforeach()
