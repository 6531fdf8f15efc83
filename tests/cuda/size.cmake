# The archive of flowgraph::cuda has at most 60 MB. Variables: ARCHIVE.

file(SIZE "${ARCHIVE}" bytes)
if(bytes GREATER 60000000)
  message(FATAL_ERROR "${ARCHIVE} has ${bytes} bytes, more than 60 MB")
endif()
message("${bytes} bytes")
