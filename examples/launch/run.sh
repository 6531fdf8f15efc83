#!/bin/sh
# run.sh LAUNCHER PROGRAM: four tasks of the program, by openmpi, mpich or by hand. 77: the launcher is not installed.
launcher=$1 program=$2

case $launcher in
  openmpi | mpich)
    mpirun=$(command -v "mpirun.$launcher") || {
      echo "skipped: mpirun.$launcher is not installed"
      exit 77
    }
    ;;
esac

case $launcher in
  openmpi) OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec "$mpirun" --oversubscribe -n 4 "$program" ;;
  mpich) exec "$mpirun" -n 4 "$program" ;;
  by_hand)
    # The tasks of a run share its number, and meet at a port of it.
    export FLOWGRAPH_JOB_ID="hand-$$" FLOWGRAPH_LAUNCHER=mpich PMI_SIZE=4 MPI_LOCALNRANKS=4
    for rank in 1 2 3; do PMI_RANK=$rank "$program" & done
    PMI_RANK=0 "$program"
    status=$?
    wait
    exit $status
    ;;
esac
