# Recorded cases whose nodes are spread over several devices: they have the answers of one.

set(scattered_known --known "${CMAKE_CURRENT_LIST_DIR}/scattered_differences.txt")
flowgraph_add_test(conformance/scattered LABELS conformance
  COMMAND replay --scatter 3 --seed 7 --failed ${scattered_known} ${case_files})
flowgraph_add_test(conformance/scattered_prepared LABELS conformance
  COMMAND replay --scatter 3 --seed 7 --prepared --failed ${scattered_known} ${case_files})
# Ways that stand beside others take every fourth case, or all of them where the whole suite is asked for.
set(sampled --every 4)
if(FLOWGRAPH_TEST_THOROUGH)
  set(sampled "")
endif()
# Passes that go by cost change no answer either: all is computed again, put on the host or held back that may be.
flowgraph_add_test(conformance/passes_by_cost LABELS conformance
  COMMAND replay --scatter 3 --seed 7 --prepared --further delay_transfers,save_memory --failed ${sampled}
    ${scattered_known} ${case_files})
flowgraph_add_test(conformance/passes_by_cost_cut LABELS conformance
  COMMAND replay --cut --scatter 3 --seed 7 --threads 4 --further delay_transfers,save_memory --failed ${sampled}
    ${scattered_known} ${case_files})
# Cut between them too, every CPU with an executor of its own.
flowgraph_add_test(conformance/cut LABELS conformance
  COMMAND replay --cut --scatter 3 --seed 7 --failed ${scattered_known} ${case_files})
flowgraph_add_test(conformance/cut_with_threads LABELS conformance
  COMMAND replay --cut --scatter 4 --seed 7 --threads 4 --prepared --failed ${sampled} ${scattered_known} ${case_files})

# A CPU and two emulated accelerators, whose memory the host must not touch.
flowgraph_add_test(conformance/accelerated LABELS conformance
  COMMAND replay --accelerated --scatter 3 --seed 7 --failed --known "${CMAKE_CURRENT_LIST_DIR}/accelerated_differences.txt" ${case_files})
flowgraph_add_test(conformance/accelerated_steps LABELS conformance
  COMMAND replay --accelerated --scatter 3 --seed 7 --threads 4 --prepared --failed ${sampled} --known "${CMAKE_CURRENT_LIST_DIR}/accelerated_differences.txt" ${case_files})
flowgraph_add_test(conformance/accelerated_cut LABELS conformance
  COMMAND replay --accelerated --cut --scatter 3 --seed 7 --threads 4 --prepared --failed ${sampled} --known "${CMAKE_CURRENT_LIST_DIR}/accelerated_differences.txt" ${case_files})
# No node asks for a device, and the accelerator runs all that it can.
flowgraph_add_test(conformance/preferred LABELS conformance
  COMMAND replay --preferred --accelerated --scatter 2 --seed 7 --failed ${sampled} --known "${CMAKE_CURRENT_LIST_DIR}/known_differences.txt" ${case_files})

# A device whose kernels are not those of the CPU.
flowgraph_add_test(conformance/own_kernels LABELS conformance
  COMMAND replay --plain --scatter 2 --failed --known "${CMAKE_CURRENT_LIST_DIR}/known_differences.txt" ${case_files})

# Where the whole suite is asked for, every spread of the groups that are about state and control flow, and for all others combinations
# in which every pair of settings stands. Other seeds part other nodes, so what a later step adds joins other groups that are placed apart.
if(FLOWGRAPH_TEST_THOROUGH)
  set(scattered_known ${scattered_known} --excepted "earlier runs have placed")
  set(intricate_files ${case_files})
  list(FILTER intricate_files INCLUDE REGEX "/(control_flow|tensor_array_rnn|state|queue|later)\\.cases$")
  set(other_files ${case_files})
  list(REMOVE_ITEM other_files ${intricate_files})
  function(flowgraph_add_spread label devices seed threads)
    string(REPLACE ";--" "_" way "${ARGN}")
    string(REPLACE "--" "_" way "${way}")
    flowgraph_add_test("conformance/${label}/over_${devices}_seed_${seed}_threads_${threads}${way}" LABELS conformance
      COMMAND replay --scatter ${devices} --seed ${seed} --threads ${threads} ${ARGN} --failed ${scattered_known} ${${label}_files})
  endfunction()
  foreach(devices 2 3 4)
    foreach(seed 1 7 23)
      foreach(threads 1 4)
        flowgraph_add_spread(intricate ${devices} ${seed} ${threads})
        flowgraph_add_spread(intricate ${devices} ${seed} ${threads} --prepared)
        flowgraph_add_spread(intricate ${devices} ${seed} ${threads} --cut)
        flowgraph_add_spread(intricate ${devices} ${seed} ${threads} --cut --prepared)
      endforeach()
    endforeach()
  endforeach()
  flowgraph_add_spread(other 2 1 1)
  flowgraph_add_spread(other 2 7 4 --cut --prepared)
  flowgraph_add_spread(other 2 23 1 --cut)
  flowgraph_add_spread(other 3 1 4 --prepared)
  flowgraph_add_spread(other 3 7 1 --cut)
  flowgraph_add_spread(other 3 23 4 --cut --prepared)
  flowgraph_add_spread(other 4 1 4 --cut)
  flowgraph_add_spread(other 4 7 1 --prepared)
  flowgraph_add_spread(other 4 23 4)
endif()
