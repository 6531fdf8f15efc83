# Whether the dependency `name` is here already, with its header, or can be fetched: FetchContent ends the configuration where it cannot, so
# the repository is asked first.
function(flowgraph_can_fetch answer name header repository tag)
  include(FetchContent)
  FetchContent_GetProperties(${name})
  string(TOUPPER "${name}" upper)
  if(${name}_POPULATED OR FETCHCONTENT_SOURCE_DIR_${upper} OR EXISTS "${FETCHCONTENT_BASE_DIR}/${name}-src/${header}")
    set(${answer} ON PARENT_SCOPE)
    return()
  endif()
  set(${answer} OFF PARENT_SCOPE)
  find_program(FLOWGRAPH_GIT git)
  mark_as_advanced(FLOWGRAPH_GIT)
  if(FLOWGRAPH_GIT AND NOT FETCHCONTENT_FULLY_DISCONNECTED)
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env GIT_TERMINAL_PROMPT=0
        "${FLOWGRAPH_GIT}" ls-remote --exit-code "${repository}" "refs/tags/${tag}"
      TIMEOUT 20 RESULT_VARIABLE failure OUTPUT_QUIET ERROR_QUIET)
    if(failure EQUAL 0)
      set(${answer} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()
