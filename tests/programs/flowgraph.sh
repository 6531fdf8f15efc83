#!/bin/sh
# flowgraph.sh PROGRAM DATA WORK: runs PROGRAM on the files of DATA, and writes to the folder WORK, which is emptied first.
set -u
program=$1 data=$2 work=$3
rm -rf "$work" && mkdir -p "$work" && cd "$data" || exit 2
failed=0 runs=0

# expect CODE PATTERN ARGUMENTS...: the program returns CODE and prints a line that matches PATTERN.
expect() {
  code=$1 pattern=$2
  shift 2
  runs=$((runs + 1))
  "$program" "$@" > "$work/printed" 2>&1
  found=$?
  if [ "$found" != "$code" ]; then
    echo "flowgraph $*: returned $found, expected $code"
  elif [ -n "$pattern" ] && ! grep -Eq -- "$pattern" "$work/printed"; then
    echo "flowgraph $*: printed no line that matches '$pattern'"
  else
    return 0
  fi
  sed 's/^/  | /' "$work/printed"
  failed=$((failed + 1))
}

# ---- help, and wrong command lines
expect 0 '^  inspect ' --help
expect 2 '^  inspect '
expect 0 '^flowgraph [0-9]+\.[0-9]+' --version
for verb in inspect run convert draw diff profile; do
  expect 0 '^Options:' $verb --help
  expect 2 'too few arguments' $verb
  expect 2 'there is no option --frobnicate' $verb graph.pb --frobnicate
  case $verb in
    convert) expect 3 'No such file' convert "$work/none.pb" "$work/new.pb" ;;
    diff) expect 3 'No such file' diff "$work/none.pb" graph.pb ;;
    *) expect 3 'No such file' $verb "$work/none.pb" ;;
  esac
done
expect 2 "there is no verb 'frobnicate'" frobnicate
expect 2 'needs a value: --tensor NAME' inspect graph.pb --tensor
expect 2 'takes no value' inspect graph.pb --nodes=3
expect 2 'one argument too many' run graph.pb graph.pb
expect 2 'expected NAME=VALUE' run graph.pb --feed x
expect 2 "--threads: '0' is not a whole number of at least 1" run graph.pb --threads 0
expect 2 'there is no option --fed; did you mean --feed' run graph.pb --fed x=x.npy
expect 2 'given twice' run graph.pb --threads 1 --threads 2

# ---- inspect
expect 0 '^  1  MatMul' inspect graph.pb graph.pbtxt
expect 0 '^  product = MatMul\(x, w\)' inspect graph.pbtxt --nodes
expect 0 '^  x  float\[\?,2\]' inspect graph.pb
expect 0 '\(all\).* 9 .*36' inspect graph.pb --summary
expect 0 '^  w  float\[2,3\]  6' inspect model.ckpt
expect 0 'min -0.5 max 0.75 mean 0.125' inspect model.ckpt.index --statistics
expect 0 '0.125: -0.5 -0.25 0 0.25 0.5 0.75' inspect first.ckpt --tensor w
expect 0 'first.ckpt: checkpoint, version 1' inspect first.ckpt
expect 0 '^  w  float\[2,3\]  6' inspect sharded.ckpt-00000-of-00001
expect 0 '^0 of 2 tensors differ' diff sharded.ckpt-00000-of-00001 weights.npz
expect 0 '^2 tensors, 9 elements, 36 bytes' inspect weights.safetensors weights.npz
expect 0 '^  x  float\[2,2\]' inspect x.npy
expect 3 "has no tensor 'q'" inspect weights.npz --tensor q
expect 0 '^  label    int64        3              1' inspect samples.tfrecord
expect 0 '^3 records, 24 bytes' inspect packed.tfrecord --compression gzip
expect 0 '^3 records, 24 bytes' inspect packed.tfrecord
expect 3 'wrong checksum of its length' inspect packed.tfrecord --compression none
expect 2 'expected gzip, zlib or none' inspect packed.tfrecord --compression zip
expect 0 '^  loss +scalar +3 +0 +2 +0.333333' inspect events.out.tfevents.1
expect 0 '^  weights +histogram +1 +2 +2' inspect events.out.tfevents.1
expect 0 '^events of TensorBoard, brain.Event:2$' inspect events.out.tfevents.1
expect 0 '^  in   x       serving_default_x:0' inspect saved
expect 0 '^  w/.ATTRIBUTES/VARIABLE_VALUE  float\[2,3\]  6' inspect saved/saved_model.pb
# The ops of the model itself: without those that save, with those of functions.
expect 0 '^  1  StringUpper' inspect words
expect 0 '^ops, with those of 2 functions' inspect words
expect 0 '^  1  MatMul' inspect saved
expect 0 '^    StringUpper = StringUpper\(words\)|^  StringUpper = StringUpper' inspect words --nodes
"$program" inspect words > "$work/printed" && grep -Eq '^  +[0-9]+  (SaveV2|RestoreV2|MergeV2Checkpoints|StatefulPartitionedCall)' "$work/printed" && { echo "inspect counts ops that save"; failed=$((failed + 1)); }
sed 's/StringUpper/StringUqqer/g' words/saved_model.pb > "$work/saved_model.pb"
expect 0 '^  1  StringUqqer +unknown to flowgraph' inspect "$work/saved_model.pb"
rm "$work/saved_model.pb"

# ---- run
expect 0 '^  y:0  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run graph.pb --feed x=x.npy
expect 0 '^  y  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run graph.pbtxt --feed x:0=x.npy --fetch y --threads 2 --output "$work/answers"
expect 0 '^  y  float\[2,3\]' inspect "$work/answers/y.npy"
expect 0 '^  product  float\[2,3\]  0 \.\.\.$' run graph.pb --feed x=x.npy --fetch product --show 1
expect 0 '^  scores  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run saved --feed x=x.npy
expect 0 '^  scores  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run saved --feed serving_default_x=x.npy --fetch scores
expect 0 '^  y  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run variables.pb --feed x=x.npy --fetch y --checkpoint model.ckpt
expect 0 '^  y  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run variables.pb --feed x=x.npy --fetch y --checkpoint weights.npz
expect 0 '^  y  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run variables.pb --feed x=x.npy --fetch y --before init
expect 4 "uninitialized value 'w'" run variables.pb --feed x=x.npy --fetch y
expect 4 "you must feed a value for placeholder 'x'" run graph.pb
expect 4 '' run graph.pb --feed x=weights.npz:w
expect 3 "has no array 'q'" run graph.pb --feed x=weights.npz:q
expect 3 "has no tensor 'w'" run variables.pb --feed x=x.npy --fetch y --checkpoint x.npy
expect 2 "no node named 'q'" run graph.pb --feed x=x.npy --fetch q
expect 3 "has no signature 'q'" run saved --signature q
expect 2 'has no signatures' run graph.pb --signature q
expect 3 "no graph has the tags .* one has 'serve'" run saved --tag train
expect 2 'two fetches would be written as y.npy' run graph.pb --feed x=x.npy --fetch y --fetch y:0 --output "$work/twice"
expect 3 'cannot be made' run graph.pb --feed x=x.npy --output "$data/x.npy/below"

# Only the variables that the fetches need.
expect 0 '^  y  float\[2,3\]  0.5 0.5 2.5 3 2.5 4$' run more_variables.pb --feed x=x.npy --fetch y --checkpoint weights.npz
expect 3 "has no tensor 'momentum'" run more_variables.pb --fetch twice --checkpoint weights.npz
expect 3 "has no tensor 'momentum'" run more_variables.pb --feed x=x.npy --checkpoint weights.npz
expect 3 "tensor 'w' is float\[2,2\]; the variable is float\[2,3\]" run more_variables.pb --feed x=x.npy --fetch y --checkpoint square.npz
expect 0 '^10 runs' profile more_variables.pb --shape x=4,2 --fetch y --checkpoint weights.npz --runs 10

# Texts, and the names of the signature.
expect 0 '^  upper +string\[2,1\] +"AB" "C=D"$' run words --text words=ab --text words=c=d --feed by=two.npy
expect 0 '^  length +float\[2,1\] +8 12$' run words --text words=ab --text words=abc --feed by=two.npy
expect 2 'takes no 2 texts' run words --text by=1 --text by=2 --text words=ab
expect 4 "^signature 'serving_default': inputs by, words; outputs length, upper" run words --text words=ab
expect 2 "^signature 'serving_default': inputs by, words; outputs length, upper" run words --text word=ab --feed by=two.npy
expect 2 "^signature 'serving_default': inputs x; outputs scores" run saved --feed x=x.npy --fetch score
expect 3 "has no signature 'q'; the file has .*serving_default" run saved --signature q
expect 0 'MatMul' run saved --feed x=x.npy --fetch StatefulPartitionedCall/StatefulPartitionedCall/MatMul
expect 4 'must be float|expected float|float' run saved --feed x=label.npy
grep -Eq '/(backends|include|home|work|src)/' "$work/printed" && { echo "an error shows the path of a source"; cat "$work/printed"; failed=$((failed + 1)); }

# ---- convert, diff: all ways round
expect 0 '^2 tensors' convert model.ckpt "$work/w.safetensors"
expect 0 '^2 tensors' convert "$work/w.safetensors" "$work/w.npz"
expect 0 '^2 tensors' convert "$work/w.npz" "$work/w.ckpt"
expect 0 '^2 tensors' convert "$work/w.ckpt" "$work/v1" --to checkpoint-v1
expect 0 '^0 of 2 tensors differ' diff "$work/v1" model.ckpt
expect 0 '^0 of 2 tensors differ' diff weights.npz weights.safetensors
expect 0 '^0 of 2 tensors differ' diff first.ckpt model.ckpt.index
expect 0 '^2 tensors' convert model.ckpt "$work/named.npz" --rename w=layer/w
expect 1 '^  w +only in model.ckpt' diff model.ckpt "$work/named.npz"
expect 1 '^  layer/w +only in .*named.npz' diff model.ckpt "$work/named.npz"
expect 1 'float\[2,2\] and float\[2,3\]' diff x.npy "$work/answers/y.npy"

# A format that cannot hold a tensor gets the others.
expect 0 '^  _CHECKPOINTABLE_OBJECT_GRAPH +string\[\] +the objects of TensorFlow 2' convert saved/variables/variables "$work/saved.safetensors"
expect 0 '^  w/.ATTRIBUTES/VARIABLE_VALUE +float\[2,3\]' inspect "$work/saved.safetensors"
expect 0 '^3 tensors' convert objects "$work/objects.npz"
expect 0 '^  model/half/.* +bfloat16\[3\] +the format has no elements of type bfloat16' convert objects "$work/objects.npz"
expect 1 '^3 of 6 tensors differ' diff objects "$work/objects.npz"
expect 0 '^2 tensors' convert saver "$work/saver.npz"
expect 0 '^  _flowgraph_state +string\[\] +the state of a session' convert saver "$work/saver.npz"
expect 0 '^0 of 2 tensors differ' diff "$work/saver.npz" weights.npz
expect 0 '^6 tensors' convert objects "$work/objects.ckpt"
expect 0 'bfloat16\[3\] +the format has no elements' convert objects "$work/objects.v1" --to checkpoint-v1
expect 0 '^1 tensors' convert objects "$work/one.npz" --only '*/b/*'
expect 0 '^2 tensors' convert objects "$work/two.npz" --only 'model/*' --without '*half*' --without '*words*'
expect 2 "'objects' has no tensor 'q\*'" convert objects "$work/no.npz" --only 'q*'
expect 3 'no tensor is left to write' convert objects "$work/no.npz" --only '*words*'
expect 3 'no tensor is left to write' convert model.ckpt "$work/no.npz" --without '*'

# An array that cannot be read leaves the others of its archive.
expect 0 '^  w +float\[2,3\] +6 +min -0.5' inspect mixed.npz --statistics
expect 0 "^  words +\? +cannot be read: .*elements of type '<U4' are not read" inspect mixed.npz
expect 3 "elements of type '\|O' are not read" inspect mixed.npz --tensor things
expect 0 '^  y  float\[2,3\]' run variables.pb --feed w:0=mixed.npz:w --feed b:0=weights.npz:b --feed x=x.npy --fetch y
expect 0 "^  things +\? .*'\|O' are not read" convert mixed.npz "$work/mixed.ckpt"
expect 1 '^  words +cannot be compared: ' diff mixed.npz mixed.npz
expect 0 '^6 nodes' convert graph.pb "$work/new.pbtxt"
expect 0 '^6 nodes' convert "$work/new.pbtxt" "$work/new.pb"
expect 0 '^0 of 6 nodes differ' diff graph.pb "$work/new.pb"
expect 0 '^11 nodes' convert saved "$work/saved.pb"
expect 0 '^0 of 11 nodes differ' diff saved "$work/saved.pb"
sed 's/"AddV2"/"Sub"/' graph.pbtxt > "$work/changed.pbtxt"
expect 1 '^  add +op AddV2 and Sub' diff graph.pb "$work/changed.pbtxt"
sed 's/\\200>/\\100>/' graph.pbtxt > "$work/values.pbtxt"
expect 1 'attributes \(.*value.*\)' diff graph.pb "$work/values.pbtxt"
expect 3 'compared are tensors with tensors' diff graph.pb model.ckpt
expect 3 'holds no tensors' convert graph.pb "$work/no.npz"
expect 3 'holds no graph' convert model.ckpt "$work/no.pb"
expect 2 'does not tell its format' convert model.ckpt "$work/no"
expect 3 'Not a directory|cannot be' convert model.ckpt "$data/x.npy/no.npz"

# Functions are their nodes, whatever TensorFlow named them.
grep -aq '__inference___call___[0-9]*' words/saved_model.pb && ! cmp -s words/saved_model.pb words_again/saved_model.pb || { echo "the two models have the same names of functions"; failed=$((failed + 1)); }
expect 0 '^0 of 4 functions differ' diff words words_again
sed 's/StringUpper/StringLower/g' words/saved_model.pb > "$work/saved_model.pb"
expect 1 '^  function __inference___call___[0-9]+ and .* +3 nodes differ: StringUpper: ' diff words_again "$work"
expect 1 '^1 of 4 functions differ' diff words "$work/saved_model.pb"
expect 1 'only in words$' diff saved words

# ---- diff by elements
"$program" run graph.pb --feed x=x.npy --fetch product --output "$work/one" > "$work/printed" &&
  "$program" run graph.pb --feed x=x.npy --fetch add --output "$work/two" > "$work/printed" || failed=$((failed + 1))
expect 1 '6 of 6 elements differ, the most by 1, at element 2' diff "$work/one/product.npy" "$work/two/add.npy"
expect 1 '2 of 6 elements differ' diff "$work/one/product.npy" "$work/two/add.npy" --tolerance 0.5
expect 0 '0 of 1' diff "$work/one/product.npy" "$work/two/add.npy" --tolerance 1
expect 2 'not a number of at least 0' diff x.npy x.npy --tolerance -1

# ---- draw
expect 0 '"product" -> "add" \[label="float\[\?,3\]"\]' draw graph.pb
expect 0 '"w" -> "product";' draw graph.pb --plain
expect 0 '^digraph' draw graph.pb --fetch w
expect 2 "no node named 'q'" draw graph.pb --fetch q
expect 0 'StatefulPartitionedCall/MatMul' draw saved --fetch scores
expect 0 'StatefulPartitionedCall/MatMul' draw saved --signature serving_default
expect 0 'StringUpper' draw words --fetch upper
expect 2 "^signature 'serving_default': inputs x; outputs scores" draw saved --fetch score
expect 3 "has no signature 'q'" draw saved --signature q
"$program" draw saved > "$work/printed" && grep -q SaveV2 "$work/printed" && { echo "draw of a SavedModel draws the nodes that save"; failed=$((failed + 1)); }
expect 0 '' draw graph.pb --output "$work/graph.dot"
grep -q '"product"' "$work/graph.dot" || { echo "draw --output wrote no drawing"; failed=$((failed + 1)); }
echo mine > "$work/graph.svg.dot"
if command -v dot > "$work/printed"; then
  expect 0 '' draw graph.pb --output "$work/graph.svg"
  grep -q '<svg' "$work/graph.svg" || { echo "draw --output wrote no SVG"; failed=$((failed + 1)); }
else
  expect 3 "needs Graphviz's program" draw graph.pb --output "$work/graph.svg"
fi
grep -q mine "$work/graph.svg.dot" || { echo "draw --output of an SVG replaced a file beside it"; failed=$((failed + 1)); }
[ "$(ls "$work" | grep -c '^graph.svg.*dot$')" = 1 ] || { echo "draw --output left a file"; failed=$((failed + 1)); }

# ---- profile
expect 0 '^10 runs, .* runs/s' profile graph.pb --shape x=4,2 --runs 10
expect 0 '^  MatMul +1 ' profile graph.pb --feed x=x.npy --runs 3 --prepared --threads 2
expect 0 '^3 runs' profile saved --shape x=4,2 --runs 3
expect 0 "trace.json: the events of a run, for https://ui.perfetto.dev" profile graph.pb --shape x=4,2 --runs 3 --trace "$work/trace.json"
holds_calls() { grep -q MatMul "$1" || { echo "$1 tells of no MatMul"; failed=$((failed + 1)); }; }
holds_calls "$work/trace.json"
expect 0 '' profile saved --shape x=4,2 --runs 3 --prepared --threads 2 --trace "$work/prepared.json"
holds_calls "$work/prepared.json"
expect 3 "none/trace.json" profile graph.pb --shape x=4,2 --runs 3 --trace "$work/none/trace.json"
expect 2 'expected extents as in 2,3' profile graph.pb --shape x=4,a
expect 4 "placeholder 'x'" profile graph.pb

# ---- damaged files: an error that names the file, at every place of the cut, and of the byte that is changed
for file in graph.pb model.ckpt.index first.ckpt weights.npz weights.safetensors x.npy samples.tfrecord saved/saved_model.pb; do
  name=$(basename "$file")
  size=$(wc -c < "$file")
  for part in 0 1 2 3 4 5 6 7; do
    head -c $((size * part / 8)) "$file" > "$work/$name"
    cp model.ckpt.data-00000-of-00001 "$work/" 
    "$program" inspect "$work/$name" --statistics > "$work/printed" 2>&1
    found=$?
    runs=$((runs + 1))
    # A graph cut between two nodes, and records cut between two records, are whole files.
    case $found in
      0 | 3) ;;
      *) echo "inspect of $name, cut after $((size * part / 8)) bytes: returned $found"; failed=$((failed + 1)) ;;
    esac
    [ $found = 0 ] || grep -q "$work" "$work/printed" || { echo "inspect of $name, cut: the error does not name it"; cat "$work/printed"; failed=$((failed + 1)); }
  done
done
printf 'no graph at all' > "$work/text.pb"
expect 3 'text.pb' run "$work/text.pb"
: > "$work/empty.pb"
expect 3 'the file is empty' inspect "$work/empty.pb"
# What is not known is called unknown, and what users often have gets advice.
printf 'no graph at all' > "$work/text.txt"
for verb in inspect run draw profile; do expect 3 'text.txt.: unknown: neither a graph' $verb "$work/text.txt"; done
expect 3 'text.txt.: unknown: neither' convert "$work/text.txt" "$work/no.npz"
expect 3 'text.txt.: unknown: neither' diff "$work/text.txt" x.npy
expect 3 'unknown: neither' inspect make.py
cp graph.pb "$work/graph.frozen"
expect 0 'graph.frozen: graph \(GraphDef\)' inspect "$work/graph.frozen"
printf '\211HDF\r\n\032\n' > "$work/model.h5"
expect 3 'an HDF5 file, as Keras writes; in Python save the model by model.export' inspect "$work/model.h5"
expect 3 'the data of a checkpoint; name the checkpoint' inspect model.ckpt.data-00000-of-00001
mkdir "$work/training"
printf 'model_checkpoint_path: "model.ckpt"\n' > "$work/training/checkpoint"
expect 3 'the list of checkpoints in its folder' inspect "$work/training/checkpoint"
cp model.ckpt.index "$work/training"
expect 3 "a folder without saved_model.pb; it has the checkpoint '.*training/model.ckpt'" inspect "$work/training"
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$work/a.zip"
expect 3 'unknown: a ZIP archive without arrays of NumPy' inspect "$work/a.zip"
mkdir "$work/folder"
expect 3 'a folder without saved_model.pb' inspect "$work/folder"

echo "$runs runs of the program, $failed faults"
[ $failed = 0 ]
