# The consumer project in this folder gets the library each way that users get it, builds programs with it, header-only and compiled, and
# runs them.

set(consumer_command "${CMAKE_COMMAND}"
  "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer" "-DFLOWGRAPH_SOURCE=${PROJECT_SOURCE_DIR}" "-DFLOWGRAPH_BUILD=${PROJECT_BINARY_DIR}"
  "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" "-DGENERATOR=${CMAKE_GENERATOR}"
  "-DFLAGS=-O0" "-DTHOROUGH=${FLOWGRAPH_TEST_THOROUGH}")

function(flowgraph_add_consumer_test name step)
  flowgraph_add_test(consumer/${name} LABELS consumer
    COMMAND ${consumer_command} -DSTEP=${step} ${ARGN} -P "${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake")
endfunction()

function(flowgraph_set_consumer_test name)
  set_tests_properties("${FLOWGRAPH_TEST_PREFIX}consumer/${name}" PROPERTIES ${ARGN})
endfunction()

flowgraph_add_consumer_test(install install)
flowgraph_set_consumer_test(install COST 300 FIXTURES_SETUP "${FLOWGRAPH_TEST_PREFIX}installed")

# Who makes a package configures plainly.
flowgraph_add_consumer_test(recipe recipe)
flowgraph_add_consumer_test(without_protozero without_protozero)
flowgraph_add_consumer_test(refused_interop refused_interop)

foreach(way fetch_content add_subdirectory find_package)
  # Who fetches the library or adds it compiles it by the other compiler, which no preset does with its kernels.
  set(compiler "")
  if(NOT way STREQUAL "find_package" AND FLOWGRAPH_TEST_OTHER_COMPILER)
    set(compiler "-DCOMPILER=${FLOWGRAPH_TEST_OTHER_COMPILER}")
  endif()
  flowgraph_add_consumer_test(${way}/configure configure -DWAY=${way} ${compiler})
  flowgraph_set_consumer_test(${way}/configure COST 300 FIXTURES_SETUP "${FLOWGRAPH_TEST_PREFIX}configured_${way}")
  flowgraph_add_consumer_test(${way} build_and_run -DWAY=${way})
  # By --all the library is built there from its sources.
  flowgraph_set_consumer_test(${way} TIMEOUT 1800 COST 200 FIXTURES_REQUIRED "${FLOWGRAPH_TEST_PREFIX}configured_${way}")
endforeach()
flowgraph_set_consumer_test(find_package/configure FIXTURES_REQUIRED "${FLOWGRAPH_TEST_PREFIX}installed")

# A package's headers are for any compiler, its archives for that which made them.
flowgraph_add_consumer_test(pkg_config pkg_config
  "-DOTHER_COMPILER=$<IF:$<BOOL:${FLOWGRAPH_TEST_OTHER_COMPILER}>,${FLOWGRAPH_TEST_OTHER_COMPILER},${CMAKE_CXX_COMPILER}>")
flowgraph_set_consumer_test(pkg_config COST 100 FIXTURES_REQUIRED "${FLOWGRAPH_TEST_PREFIX}installed")

if(TARGET flowgraph::interop)
  foreach(name components registry_header)
    flowgraph_add_consumer_test(${name} ${name})
    flowgraph_set_consumer_test(${name} FIXTURES_REQUIRED "${FLOWGRAPH_TEST_PREFIX}installed")
  endforeach()
endif()

# A program that adds kernels for GPUs, with an installed package and with FetchContent. If nvcc is missing, a line reports it.
if(NOT FLOWGRAPH_INFERENCE)
  flowgraph_find_cuda(no_cuda)
  if(no_cuda)
    message(STATUS "No test of a consumer's kernels for GPUs, because ${no_cuda}")
  else()
    flowgraph_add_consumer_test(cuda_fetch_content cuda -DWAY=fetch_content)
    flowgraph_set_consumer_test(cuda_fetch_content COST 200 TIMEOUT 1800)
    if(TARGET flowgraph::cuda)
      flowgraph_add_consumer_test(cuda_find_package cuda -DWAY=find_package)
      flowgraph_set_consumer_test(cuda_find_package COST 60 FIXTURES_REQUIRED "${FLOWGRAPH_TEST_PREFIX}installed")
    endif()
  endif()
endif()
