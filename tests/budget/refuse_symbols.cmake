# refuse_symbols(SYMBOLS PATTERN REASON): fails where demangled names of the library match, with how many there are and the first 20.

function(refuse_symbols symbols pattern reason)
  string(REGEX MATCHALL "[^\n]*flowgraph::${pattern}[^\n]*" found "${symbols}")
  list(LENGTH found count)
  if(count GREATER 0)
    list(SUBLIST found 0 20 first)
    list(JOIN first "\n  " first)
    message(FATAL_ERROR "${count} symbols of the library, ${reason}:\n  ${first}")
  endif()
endfunction()
