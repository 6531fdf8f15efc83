#!/bin/sh
# run.sh LAUNCHER PROGRAM: four tasks of the program, by openmpi, mpich or by hand; by slurm, whose daemons are started for it; or by two_hosts,
# each a network namespace with an address of its own. 77: the launcher is not installed, or namespaces may not be made.
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
  two_hosts)
    unshare --net --mount true 2>/dev/null && command -v ip >/dev/null || {
      echo "skipped: no right to make network namespaces, or no ip"
      exit 77
    }
    # The second host is the namespace of a process that sleeps until all is done.
    exec unshare --net --mount --fork --kill-child sh -ec '
      unshare --net sleep 100 & there=$!
      trap "kill $there" EXIT
      while [ "$(readlink /proc/$there/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
      ip link set lo up
      ip link add here type veth peer name there
      ip link set there netns $there
      ip address add 10.77.0.1/24 dev here && ip link set here up
      nsenter --net=/proc/$there/ns/net sh -ec "ip link set lo up; ip address add 10.77.0.2/24 dev there; ip link set there up"
      export FLOWGRAPH_MEETING=10.77.0.1:4321 FLOWGRAPH_JOB_ID=two FLOWGRAPH_LAUNCHER=mpich PMI_SIZE=4
      PMI_RANK=1 "$0" --allow-other-hosts &
      for rank in 2 3; do PMI_RANK=$rank nsenter --net=/proc/$there/ns/net "$0" --allow-other-hosts & done
      PMI_RANK=0 "$0" --allow-other-hosts' "$program"
    ;;
  slurm)
    PATH=$PATH:/usr/sbin
    for command in srun slurmctld slurmd; do
      command -v $command > /dev/null || {
        echo "skipped: $command is not installed"
        exit 77
      }
    done
    folder=$(mktemp -d) host=$(hostname -s) user=$(id -un) port=$((20000 + $$ % 10000 * 2))
    mkdir "$folder/state" "$folder/spool"
    export SLURM_CONF="$folder/slurm.conf"
    cat > "$SLURM_CONF" <<-end
	ClusterName=flowgraph
	SlurmctldHost=$host(127.0.0.1)
	SlurmUser=$user
	SlurmdUser=$user
	AuthType=auth/none
	CredType=cred/none
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SelectType=select/linear
	MpiDefault=none
	ReturnToService=2
	StateSaveLocation=$folder/state
	SlurmdSpoolDir=$folder/spool
	SlurmctldPidFile=$folder/slurmctld.pid
	SlurmdPidFile=$folder/slurmd.pid
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
	PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
	end
    slurmctld -D > "$folder/slurmctld.log" 2>&1 & controls=$!
    slurmd -D > "$folder/slurmd.log" 2>&1 & serves=$!
    trap 'kill $serves $controls; wait; rm -rf "$folder"' EXIT
    tries=0
    until sinfo --noheader --format %T 2> /dev/null | grep -q idle; do
      tries=$((tries + 1))
      [ $tries -lt 100 ] || {
        tail -n 20 "$folder/slurmctld.log" "$folder/slurmd.log"
        exit 1
      }
      sleep 0.2
    done
    srun --ntasks 4 --overcommit "$program"
    ;;
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
