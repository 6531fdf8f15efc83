# flowgraph_embed(<target> FILE <file> NAME <name>)
#
# The bytes of a file, weights most often, become a constant of the program, which then needs no file system:
#
#     flowgraph_embed(plugin FILE weights.safetensors NAME plugin_weights)
#
#     #include "plugin_weights.hpp"
#     auto from = fg::safetensors::over(plugin_weights()).value();      // reads nothing, copies nothing
#
# The header is written in the target's build folder whenever the file changes. It holds numbers of 64 bits, which a compiler reads in about a
# second for each MB of the file.

# Run as a script, it writes the header.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${FILE}" digits HEX)
  string(LENGTH "${digits}" length)
  math(EXPR size "${length} / 2")
  math(EXPR rest "${length} % 16")
  if(rest GREATER 0 OR length EQUAL 0)
    math(EXPR missing "16 - ${rest}")
    string(REPEAT "0" ${missing} zeros)
    string(APPEND digits "${zeros}")
  endif()
  string(REGEX REPLACE "(..)(..)(..)(..)(..)(..)(..)(..)" "0x\\8\\7\\6\\5\\4\\3\\2\\1,\n" words "${digits}")
  file(WRITE "${HEADER}" "// Written by flowgraph_embed: the bytes of ${ORIGIN}.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

alignas(64) inline constexpr std::uint64_t ${NAME}_words[] = {
${words}};
static_assert(std::endian::native == std::endian::little);

inline std::span<const std::byte> ${NAME}() noexcept { return std::as_bytes(std::span(${NAME}_words)).first(${size}); }
")
  return()
endif()

function(flowgraph_embed target)
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;NAME" "")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILE OR NOT arg_NAME)
    message(FATAL_ERROR "flowgraph_embed(<target> FILE <file> NAME <name>): found '${ARGN}'")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "flowgraph_embed: there is no target '${target}'")
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "flowgraph_embed: NAME must be a name of C++, found '${arg_NAME}'")
  endif()
  cmake_path(ABSOLUTE_PATH arg_FILE BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE file)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "flowgraph_embed: there is no file '${file}'")
  endif()
  cmake_path(GET file FILENAME origin)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded")
  set(header "${folder}/${arg_NAME}.hpp")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DFILE=${file}" "-DHEADER=${header}" "-DNAME=${arg_NAME}" "-DORIGIN=${origin}" -P "${script}"
    DEPENDS "${file}" "${script}"
    COMMENT "Embedding ${origin}" VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
