# Variables: AWK, SOURCE (the source tree).

cmake_minimum_required(VERSION 3.24)

set(here "${CMAKE_CURRENT_LIST_DIR}")

function(expect what found)
  file(READ "${here}/fixture/${what}" expected)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${what}: expected\n${expected}\nfound\n${found}")
  endif()
endfunction()

# The list of ops is generated.
file(GLOB pages RELATIVE "${SOURCE}" "${SOURCE}/README.md" "${SOURCE}/docs/*.md")
list(REMOVE_ITEM pages docs/ops.md)
list(LENGTH pages count)
if(count LESS 40)
  message(FATAL_ERROR "only ${count} pages to check were found below ${SOURCE}")
endif()
execute_process(COMMAND "${AWK}" -f "${here}/figures.awk" docs/figures.txt "${here}/limits.txt" ${pages}
  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(found)
  message(FATAL_ERROR "a page and docs/figures.txt differ; measure, run tools/figures, and edit the page, or add a limit with its "
    "reason to tests/figures/limits.txt:\n${found}")
endif()

execute_process(COMMAND "${AWK}" -f "${here}/figures.awk" figures.txt limits.txt planted.md
  WORKING_DIRECTORY "${here}/fixture" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
expect(found.txt "${found}")

# Rows of tools/gates and of tools/bench replace the figures of the names that the file has.
execute_process(COMMAND "${AWK}" -v "date=1 Dec 2026" -v "machine=a machine" -v "command=tools/gates" -f "${SOURCE}/tools/figures.awk"
  rows.txt figures.txt WORKING_DIRECTORY "${here}/fixture" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
expect(written.txt "${found}")
message("${count} pages, the planted figures found")
