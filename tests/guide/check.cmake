# Variables: AWK, SOURCE (the source tree).

cmake_minimum_required(VERSION 3.24)

set(script "${CMAKE_CURRENT_LIST_DIR}/guide.awk")

# Generated pages are checked by the comments of the headers that they are made of.
file(GLOB pages RELATIVE "${SOURCE}" "${SOURCE}/README.md" "${SOURCE}/CONTRIBUTING.md" "${SOURCE}/SECURITY.md"
  "${SOURCE}/docs/*.md" "${SOURCE}/docs/decisions/*.md")
list(REMOVE_ITEM pages docs/ops.md)

list(LENGTH pages count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} pages to check were found below ${SOURCE}")
endif()
execute_process(COMMAND "${AWK}" -f "${script}" ${pages} WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(found)
  message(FATAL_ERROR "sentences that readers do not understand at the first reading:\n${found}")
endif()

# The two planted sentences are found, the one over two lines and the one in a table, and nothing else.
execute_process(COMMAND "${AWK}" -f "${script}" fixture/planted.md WORKING_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}"
  OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "planted.md:[0-9]+: [^:]*" found "${found}")
set(expected
  "planted.md:7: a clause with 'what' as its subject" "planted.md:13: 'Of' begins the sentence")
if(NOT "${found}" STREQUAL "${expected}")
  message(FATAL_ERROR "expected: ${expected}\nfound: ${found}")
endif()

# Links between pages, those of generated pages and decisions too.
set(links "${CMAKE_CURRENT_LIST_DIR}/links.awk")
file(GLOB_RECURSE linked RELATIVE "${SOURCE}" "${SOURCE}/docs/*.md")
execute_process(COMMAND "${AWK}" -f "${links}" README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md examples/README.md ${linked}
  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(found)
  message(FATAL_ERROR "dead links:\n${found}")
endif()
execute_process(COMMAND "${AWK}" -f "${links}" fixture/links.md fixture/planted.md WORKING_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}"
  OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
set(expected "fixture/links.md:5: no file absent.md\nfixture/links.md:6: no heading planted.md#absent\nfixture/links.md:6: no heading #nowhere\n")
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "expected: ${expected}\nfound: ${found}")
endif()
message("${count} pages, the planted sentences and dead links found")
