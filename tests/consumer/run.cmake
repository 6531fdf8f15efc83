# One step of a consumer test. Variables: STEP, WAY, WORK, FLOWGRAPH_SOURCE, FLOWGRAPH_BUILD, COMPILER, LAUNCHER, GENERATOR, FLAGS; for
# pkg_config also OTHER_COMPILER.

set(prefix "${WORK}/moved")
set(build "${WORK}/${WAY}")
set(configure_limit 5000000)  # microseconds

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The fastest of up to three fresh configurations counts: the machine may have been busy with something else.
function(configure)
  set(settings "")
  if(WAY STREQUAL "add_subdirectory")
    set(settings -DCMAKE_CXX_STANDARD=23 -DBUILD_SHARED_LIBS=ON)  # a parent's own
  endif()
  set(best -1)
  foreach(attempt RANGE 1 3)
    file(REMOVE_RECURSE "${build}")
    string(TIMESTAMP started "%s%f")
    run("${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${build}" "-DWAY=${WAY}"
      "-DFLOWGRAPH_SOURCE=${FLOWGRAPH_SOURCE}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
      "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" ${settings})
    string(TIMESTAMP ended "%s%f")
    math(EXPR spent "${ended} - ${started}")
    if(best LESS 0 OR spent LESS best)
      set(best ${spent})
    endif()
    if(best LESS configure_limit)
      break()
    endif()
  endforeach()
  math(EXPR milliseconds "${best} / 1000")
  message("configured in ${milliseconds} ms")
  if(best GREATER configure_limit)
    message(FATAL_ERROR "configuring takes longer than ${configure_limit} us")
  endif()
endfunction()

# The program builds by `compiler` with what pkg-config says about `package`, and runs.
function(build_with_pkg_config package compiler)
  find_program(PKG_CONFIG pkg-config REQUIRED)
  file(GLOB_RECURSE found "${prefix}/*/${package}.pc")
  cmake_path(GET found PARENT_PATH directory)
  set(ENV{PKG_CONFIG_PATH} "${directory}")
  foreach(kind cflags libs)
    execute_process(COMMAND "${PKG_CONFIG}" --${kind} ${package} OUTPUT_VARIABLE ${kind} COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(${kind} UNIX_COMMAND "${${kind}}")
  endforeach()
  separate_arguments(flags UNIX_COMMAND "${FLAGS}")
  set(program "${WORK}/program_${package}")
  # As one file: header-only, each compiles the whole engine.
  run(${LAUNCHER} "${compiler}" -std=c++20 ${flags} ${cflags} -include "${CMAKE_CURRENT_LIST_DIR}/custom_op.cpp"
    -c "${CMAKE_CURRENT_LIST_DIR}/program.cpp" -o "${program}.o")
  run("${compiler}" ${flags} "${program}.o" -o "${program}" -Wl,--gc-sections ${libs})
  run("${program}")
endfunction()

# Configures the library by itself, as docs/packaging.md says, and with the arguments given. `output` has what it printed, `commands`
# what would be compiled. Building it takes too long for a test.
function(configure_by_recipe)
  file(READ "${FLOWGRAPH_SOURCE}/docs/packaging.md" page)
  if(NOT page MATCHES "`cmake -B build([^&`]*) && cmake --build build && cmake --install build --prefix <where>`")
    message(FATAL_ERROR "docs/packaging.md has no recipe for installing")
  endif()
  separate_arguments(arguments UNIX_COMMAND "${CMAKE_MATCH_1}")
  foreach(name CMAKE_BUILD_TYPE CXXFLAGS)
    unset(ENV{${name}})
  endforeach()
  set(build "${WORK}/${STEP}")
  file(REMOVE_RECURSE "${build}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${FLOWGRAPH_SOURCE}" -B "${build}" ${arguments} -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN}
    COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(READ "${build}/compile_commands.json" commands)
  set(output "${output}" PARENT_SCOPE)
  set(commands "${commands}" PARENT_SCOPE)
endfunction()

# An optimized build of the library's own sources and of its programs, and no warning ends it.
function(check_recipe)
  configure_by_recipe()
  string(REGEX MATCHALL "\"file\": \"[^\"]*\"" sources "${commands}")
  set(foreign ${sources})
  list(FILTER foreign EXCLUDE REGEX "/(backends/(host|interop|distributed|tcp)(/[a-z]+)?|flowgraph_host)/[a-z0-9_]+\\.cpp\"$")
  list(FILTER foreign EXCLUDE REGEX "/programs/worker/main\\.cpp\"$")
  list(FILTER foreign EXCLUDE REGEX "/flowgraph_(tcp|tls)\\.dir/Unity/[a-z0-9_]+\\.cxx\"$")
  list(FILTER foreign EXCLUDE REGEX "/programs/CMakeFiles/flowgraph_command\\.dir/Unity/[a-z0-9_]+\\.cxx\"$")
  string(REGEX MATCHALL "\"command\": [^\n]*" calls "${commands}")
  set(optimized ${calls})
  list(FILTER optimized INCLUDE REGEX " -O3 ")
  list(LENGTH calls call_count)
  list(LENGTH optimized optimized_count)
  if(call_count LESS 50 OR NOT call_count EQUAL optimized_count)
    message(FATAL_ERROR "${optimized_count} of ${call_count} sources are optimized")
  endif()
  if(foreign)
    message(FATAL_ERROR "who installs the library would build '${foreign}'")
  endif()
  if(commands MATCHES "-Werror")
    message(FATAL_ERROR "a warning would end the build of who installs the library")
  endif()
  message("${call_count} sources, all of them optimized, and the library's or its programs'")
endfunction()

# Neither installed nor in reach: the library is configured without interop, and one line says so.
function(check_without_protozero)
  set(ENV{GIT_ALLOW_PROTOCOL} none)
  configure_by_recipe(-DFLOWGRAPH_PROTOZERO_DIRECTORY=OFF -DFLOWGRAPH_BUILD_TESTS=ON -DFLOWGRAPH_TEST_SUITE=engine)
  string(REGEX MATCHALL "[^\n]*(interop|Warning|fatal)[^\n]*" lines "${output}")
  list(FILTER lines EXCLUDE REGEX "^'")  # the command
  list(LENGTH lines count)
  if(NOT count EQUAL 1 OR NOT lines MATCHES "without flowgraph::interop, because protozero is neither installed nor at https://")
    message(FATAL_ERROR "instead of one line that says why:\n${output}")
  endif()
  if(commands MATCHES "/backends/interop/")
    message(FATAL_ERROR "flowgraph::interop would be built without protozero")
  endif()
  message("${lines}")
endfunction()

# Configuring with these arguments fails, with one error that has `expected` in it.
function(check_refused expected directory)
  set(build "${WORK}/${STEP}")
  file(REMOVE_RECURSE "${build}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${directory}" -B "${build}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" ${ARGN}
    COMMAND_ECHO STDOUT RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX MATCHALL "CMake Error" errors "${output}")
  list(LENGTH errors count)
  string(REGEX REPLACE "[ \n]+" " " text "${output}")
  string(FIND "${text}" "${expected}" at)
  if(failed EQUAL 0 OR NOT count EQUAL 1 OR at LESS 0)
    message(FATAL_ERROR "expected one error with '${expected}', found ${count} errors:\n${output}")
  endif()
  message("refused: ${expected}")
endfunction()

# Asked for and not to be had: an error says why.
function(check_refused_interop)
  set(ENV{GIT_ALLOW_PROTOCOL} none)
  check_refused("FLOWGRAPH_INTEROP is ON, but protozero is neither installed nor at https://" "${FLOWGRAPH_SOURCE}"
    -DFLOWGRAPH_INTEROP=ON -DFLOWGRAPH_PROTOZERO_DIRECTORY=OFF)
  check_refused("FLOWGRAPH_INTEROP is ON, but protozero needs exceptions" "${FLOWGRAPH_SOURCE}"
    -DFLOWGRAPH_INTEROP=ON -DCMAKE_CXX_FLAGS=-fno-exceptions)
  check_refused("FLOWGRAPH_PROTOZERO_DIRECTORY is '${WORK}', where there is no protozero/pbf_reader.hpp" "${FLOWGRAPH_SOURCE}"
    "-DFLOWGRAPH_PROTOZERO_DIRECTORY=${WORK}")
endfunction()

# Components are checked by name.
function(check_components)
  set(settings "-DWAY=find_package" "-DCMAKE_PREFIX_PATH=${prefix}")
  file(GLOB tcp "${prefix}/lib*/libflowgraph_tcp.a" "${prefix}/lib/*/libflowgraph_tcp.a")
  set(components "flowgraph, compiled, by_name, interop")
  if(tcp)
    string(APPEND components ", tcp")
  endif()
  file(GLOB tls "${prefix}/lib*/libflowgraph_tls.a" "${prefix}/lib/*/libflowgraph_tls.a")
  if(tls)
    string(APPEND components ", tls")
  endif()
  check_refused("has the components ${components}, but not: cuda, tpu" "${CMAKE_CURRENT_LIST_DIR}"
    ${settings} "-DCOMPONENTS=compiled,cuda,tpu")
  run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/${STEP}_found" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" ${settings} "-DCOMPONENTS=flowgraph,interop,OPTIONAL_COMPONENTS,cuda")
endfunction()

# The program registry_header as docs/packaging.md has an installed package's user build it.
function(build_registry_header)
  set(build "${WORK}/${STEP}")
  file(REMOVE_RECURSE "${build}")
  run("${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${prefix}/share/flowgraph/registry_header" -B "${build}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
    "-DCMAKE_CXX_FLAGS=${FLAGS}")
  run("${CMAKE_COMMAND}" --build "${build}")
  file(WRITE "${build}/model.pbtxt" "node { name: \"c\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    "node { name: \"t\" op: \"Tanh\" input: \"c\" attr { key: \"T\" value { type: DT_FLOAT } } }\n")
  execute_process(COMMAND "${build}/registry_header" "${build}/model.pbtxt" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT printed MATCHES "#include <flowgraph/ops/nn/activation.hpp>" OR NOT printed MATCHES "tanh_op, float>" OR printed MATCHES "ops/all.hpp")
    message(FATAL_ERROR "registry_header printed:\n${printed}")
  endif()
endfunction()

if(STEP STREQUAL "install")
  file(REMOVE_RECURSE "${WORK}/installed" "${prefix}")
  run("${CMAKE_COMMAND}" --install "${FLOWGRAPH_BUILD}" --prefix "${WORK}/installed")
  file(RENAME "${WORK}/installed" "${prefix}")
elseif(STEP STREQUAL "configure")
  configure()
elseif(STEP STREQUAL "build_and_run" AND WAY STREQUAL "add_subdirectory")
  # FetchContent adds the folder in the same way: one of the two builds the header-only program, the other the library.
  run("${CMAKE_COMMAND}" --build "${build}" --target program_flowgraph)
  run("${build}/program_flowgraph")
elseif(STEP STREQUAL "build_and_run" AND WAY STREQUAL "fetch_content")
  run("${CMAKE_COMMAND}" --build "${build}" --target program_compiled)
  run("${build}/program_compiled")
elseif(STEP STREQUAL "build_and_run")
  run("${CMAKE_COMMAND}" --build "${build}")
  run("${build}/program_flowgraph")
  run("${build}/program_compiled")
  if(EXISTS "${build}/program_tcp")
    run("${build}/program_tcp")
  endif()
elseif(STEP STREQUAL "recipe")
  check_recipe()
elseif(STEP STREQUAL "without_protozero")
  check_without_protozero()
elseif(STEP STREQUAL "refused_interop")
  check_refused_interop()
elseif(STEP STREQUAL "components")
  check_components()
elseif(STEP STREQUAL "registry_header")
  build_registry_header()
elseif(STEP STREQUAL "pkg_config")
  build_with_pkg_config(flowgraph "${OTHER_COMPILER}")
  build_with_pkg_config(flowgraph-compiled "${COMPILER}")
else()
  message(FATAL_ERROR "no step '${STEP}'")
endif()
