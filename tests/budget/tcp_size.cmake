# What flowgraph::tcp adds to a program, stripped, is at most LIMIT bytes, and no library of OpenSSL is among those that it needs. Both programs
# run. Variables: LOCAL and TCP, the programs; STRIP, READELF; WORK, a folder.

file(MAKE_DIRECTORY "${WORK}")
foreach(name LOCAL TCP)
  execute_process(COMMAND "${${name}}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${STRIP}" -o "${WORK}/${name}" "${${name}}" COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE "${WORK}/${name}" ${name}_bytes)
endforeach()
math(EXPR added "${TCP_bytes} - ${LOCAL_bytes}")
message(STATUS "${LOCAL_bytes} bytes with three devices, ${TCP_bytes} with flowgraph::tcp too: ${added} more, ${LIMIT} allowed")
if(added GREATER LIMIT)
  message(FATAL_ERROR "flowgraph::tcp adds ${added} bytes to a program, ${LIMIT} are allowed")
endif()
execute_process(COMMAND "${READELF}" -d "${TCP}" OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
if(needed MATCHES "lib(ssl|crypto)")
  message(FATAL_ERROR "a program that links flowgraph::tcp alone needs OpenSSL:\n${needed}")
endif()
