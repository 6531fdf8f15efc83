# The losses that tools/platforms expects everywhere are those of this compiler without further flags; and the page says what the list of
# platforms says.

add_executable(platforms_training "${CMAKE_CURRENT_LIST_DIR}/training.cpp")
flowgraph_develop(platforms_training)
target_link_libraries(platforms_training PRIVATE flowgraph::flowgraph)
flowgraph_add_test(platforms/training LABELS platforms
  COMMAND sh -c "'$<TARGET_FILE:platforms_training>' | diff '${CMAKE_CURRENT_LIST_DIR}/losses.txt' -")

# A level whose multiply-add is rounded once: AVX2 here, and NEON by tools/platforms.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  add_executable(platforms_element_bits "${CMAKE_CURRENT_LIST_DIR}/element_bits.cpp")
  flowgraph_develop(platforms_element_bits)
  target_link_libraries(platforms_element_bits PRIVATE flowgraph::flowgraph)
  target_compile_options(platforms_element_bits PRIVATE -mavx2 -mfma -ffp-contract=off)
  flowgraph_add_test(platforms/element_bits LABELS platforms PROPERTIES SKIP_RETURN_CODE 77
    COMMAND sh -c "grep -qw avx2 /proc/cpuinfo || { echo 'this processor has no AVX2'; exit 77; }
      '$<TARGET_FILE:platforms_element_bits>' | diff '${CMAKE_CURRENT_LIST_DIR}/element_bits.txt' -")
endif()
flowgraph_add_test(platforms/page LABELS tree COMMAND "${PROJECT_SOURCE_DIR}/tools/platforms" --check)
flowgraph_add_test(platforms/judged LABELS tree COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/run_tests_checked.sh")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_executable(platforms_matched_memory "${CMAKE_CURRENT_LIST_DIR}/matched_memory.cpp")
  flowgraph_develop(platforms_matched_memory)
  target_link_libraries(platforms_matched_memory PRIVATE flowgraph::flowgraph)
  target_compile_options(platforms_matched_memory PRIVATE -fno-exceptions -fno-rtti)
  flowgraph_add_test(platforms/matched_memory LABELS platforms COMMAND platforms_matched_memory)
endif()
