# Headers of other people define macros that have common names: <windows.h> min, max, far, near, small and interface, Qt slots, Apple's SDK
# check and verify. Behind such macros all public headers compile, with their bodies and without a warning, and the macros are there
# afterwards.

set(foreign_names far near small slots check verify interface)
set(foreign_calls min max)  # macros that look like functions

# What our headers include of others stands in front: it is not theirs to bear such macros.
set(text "")
set(others "")
foreach(header IN LISTS foreign_all_headers)
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/${header}" lines REGEX "^#include <[a-z_0-9/.]+>")
  list(APPEND others ${lines})
endforeach()
list(FILTER others EXCLUDE REGEX "<(flowgraph|protozero)/")
list(REMOVE_DUPLICATES others)
foreach(line IN LISTS others)
  string(REGEX REPLACE "^#include (<[^>]*>).*" "\\1" other "${line}")
  string(APPEND text "#if __has_include(${other})\n#include ${other}\n#endif\n")
endforeach()
set(kept "")
foreach(name IN LISTS foreign_names)
  string(APPEND text "#define ${name} this macro is not ours !\n")
  string(APPEND kept "#ifndef ${name}\n#error \"${name} is gone\"\n#endif\n")
endforeach()
foreach(name IN LISTS foreign_calls)
  string(APPEND text "#define ${name}(a, b) this macro is not ours !\n")
  string(APPEND kept "#ifndef ${name}\n#error \"${name} is gone\"\n#endif\n")
endforeach()
set(foreign_source "${CMAKE_CURRENT_BINARY_DIR}/headers/foreign_macros.cpp")
set(used_source "${CMAKE_CURRENT_BINARY_DIR}/headers/foreign_macro_used.cpp")
file(CONFIGURE OUTPUT "${used_source}" CONTENT "${text}inline int largest(int slots) { return std::max(slots, 2); }\n" @ONLY)
list(SORT foreign_public_headers)
foreach(header IN LISTS foreign_public_headers)
  string(APPEND text "#include <${header}>\n")
endforeach()
file(CONFIGURE OUTPUT "${foreign_source}" CONTENT "${text}${kept}" @ONLY)

flowgraph_add_test(headers/foreign_macros LABELS headers PROPERTIES COST 50
  COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow ${flowgraph_strict_warnings} -Werror
    "-I${PROJECT_SOURCE_DIR}/include" "${foreign_source}")
flowgraph_add_test(headers/foreign_macro_used LABELS headers PROPERTIES WILL_FAIL ON
  COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only "${used_source}")
