#!/bin/sh
# The two programs say the same, and the second is less than half as large. A file that cannot be read is an error of the tool.
set -eu
"$2" > all.txt
"$3" > model.txt
cmp all.txt model.txt
all=$(wc -c < "$2")
model=$(wc -c < "$3")
echo "all ops: $all bytes; those of the files: $model bytes"
[ "$model" -lt $((all / 2)) ]
grep -q 'conv2d_op, float' model_ops.hpp
if grep -q 'backprop' model_ops.hpp; then exit 1; fi
if "$1" nobody.pb 2> refused.txt; then exit 1; fi
grep -q nobody.pb refused.txt
"$1" --gradients --name with_gradients network.pb | grep -q 'table_of<flowgraph::conv2d_op, float>'
