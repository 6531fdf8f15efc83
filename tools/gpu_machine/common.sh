# Functions of all scripts. If `emulated` is empty, the programs use the real GPU.

cd "$(dirname "$0")"
emulated=
[ "${1-}" != --emulated ] || emulated=yes
if [ -z "$emulated" ]; then
  export FLOWGRAPH_TEST_GPU=1
  bin/gpu_rates --check
  state=$?
  if [ $state -eq 3 ]; then exit 3; fi
  if [ $state -ne 0 ]; then
    echo "the programs do not start here. They need glibc $(cat needs_glibc) or newer; this machine has $(getconf GNU_LIBC_VERSION)."
    exit 3
  fi
fi
seconds_before=$(date +%s)

# Prints a row of the table: the name $1, the state of the last program $2, and a text $3.
row() {
  if [ "$2" -eq 0 ]; then state=right; elif [ "$2" -eq 124 ]; then state='out of time'; else state=WRONG; fi
  printf '%-28s %-12s %s\n' "$1" "$state" "$3"
  [ "$2" -eq 0 ] || failed=1
}
failed=0
