#!/bin/sh
# Runs exported_graphs.py beside it with $FLOWGRAPH_PEERS_PYTHON, or else with python3; ends in 77 where there is none of them.
python=${FLOWGRAPH_PEERS_PYTHON:-python3}
command -v "$python" > /dev/null || { echo "skipped: there is no $python; FLOWGRAPH_PEERS_PYTHON may name a Python with TensorFlow"; exit 77; }
exec "$python" "$(dirname "$0")/exported_graphs.py" "$@"
