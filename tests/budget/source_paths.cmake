# Fails where an archive contains the path of one of its sources: an error would show a folder of the machine that built the library.
# A compiler cache may have made the paths relative to the build folder.

foreach(archive IN LISTS ARCHIVES)
  file(STRINGS "${archive}" found REGEX "(${SOURCE}|\\.\\.)/backends/")
  if(found)
    list(JOIN found "\n  " found)
    message(FATAL_ERROR "${archive} contains paths of this machine; give such nodes no location:\n  ${found}")
  endif()
endforeach()
