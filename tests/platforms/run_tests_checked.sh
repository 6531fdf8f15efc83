#!/bin/sh
# Tests run_tests: a crash whose status is 0 is a failure, and so is a crash after the last test.
set -eu
judge=$(dirname "$0")/run_tests
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passes() { "$judge" "$log" sh -c "$1" > /dev/null 2>&1; }
passes 'echo "[doctest] Status: SUCCESS!"'
! passes 'echo "wine: Unhandled page fault"; exit 0' || { echo "a crash that ends with 0 passes" >&2; exit 1; }
! passes 'echo "[doctest] Status: SUCCESS!"; exit 3' || { echo "a crash after the tests passes" >&2; exit 1; }
! passes 'echo "[doctest] Status: FAILURE!"; exit 1' || { echo "a failure passes" >&2; exit 1; }
