# Where threads are watched: sessions about control flow, state and queues, spread over three CPUs that share four threads.

set(watched_files ${case_files})
list(FILTER watched_files INCLUDE REGEX "/(control_flow|state|queue)\\.cases$")
foreach(way "" --prepared --cut "--cut;--prepared")
  string(REPLACE ";--" "_" name "${way}")
  string(REPLACE "--" "_" name "${name}")
  flowgraph_add_test("conformance/watched${name}" LABELS conformance PROPERTIES TIMEOUT 3600
    COMMAND replay --scatter 3 --seed 7 --threads 4 ${way} --failed --excepted "earlier runs have placed"
      --known "${CMAKE_CURRENT_LIST_DIR}/scattered_differences.txt" ${watched_files})
endforeach()
