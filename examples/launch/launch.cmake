# The launched example: alone, as a launcher of one task would start it, by the launchers that are installed, and on two hosts.

set_tests_properties(${FLOWGRAPH_TEST_PREFIX}example/launched_training PROPERTIES
  ENVIRONMENT "PMI_RANK=0;PMI_SIZE=1;MPI_LOCALNRANKS=1;FLOWGRAPH_LAUNCHER=mpich")

set(launchers openmpi mpich by_hand two_hosts)
if(FLOWGRAPH_TEST_THOROUGH)
  list(APPEND launchers slurm)  # starts two daemons
endif()
foreach(launcher ${launchers})
  add_test(NAME ${FLOWGRAPH_TEST_PREFIX}example/launch_${launcher}
    COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/run.sh" ${launcher} $<TARGET_FILE:example_launched_training>)
  set_tests_properties(${FLOWGRAPH_TEST_PREFIX}example/launch_${launcher} PROPERTIES
    LABELS "example;distributed" SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
