#!/bin/sh
# Runs a script of this folder with $FLOWGRAPH_PEERS_PYTHON, or else with python3; ends in 77 where there is none of them.
python=${FLOWGRAPH_PEERS_PYTHON:-python3}
command -v "$python" > /dev/null || { echo "skipped: there is no $python; FLOWGRAPH_PEERS_PYTHON may name a Python with TensorFlow"; exit 77; }
script=$1
shift
exec "$python" "$(dirname "$0")/$script" "$@"
