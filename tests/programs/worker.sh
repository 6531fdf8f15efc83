#!/bin/sh
# worker.sh PROGRAM DOCS WORK: runs the program flowgraph-worker with right and wrong options, and compares its help with the table of
# docs/launch.md. It writes to the folder WORK, which is emptied first.
set -u
program=$1 docs=$2 work=$3
rm -rf "$work" && mkdir -p "$work" || exit 2
failed=0 runs=0

fault() {
  echo "$1"
  sed 's/^/  | /' "$work/printed"
  failed=$((failed + 1))
}

# expect CODE PATTERN ARGUMENTS...: the program returns CODE and prints a line that matches PATTERN; an error is one line.
expect() {
  code=$1 pattern=$2
  shift 2
  runs=$((runs + 1))
  timeout 30 "$program" "$@" > "$work/printed" 2>&1
  found=$?
  lines=$(wc -l < "$work/printed")
  if [ "$found" != "$code" ]; then
    fault "flowgraph-worker $*: returned $found, expected $code"
  elif ! grep -Eq -- "$pattern" "$work/printed"; then
    fault "flowgraph-worker $*: printed no line that matches '$pattern'"
  elif [ "$code" != 0 ] && [ "$lines" != 1 ]; then
    fault "flowgraph-worker $*: its error has $lines lines"
  fi
}

# serves ARGUMENTS...: the program listens, and ends by SIGTERM with 0.
serves() {
  runs=$((runs + 1))
  : > "$work/printed"  # the command empties it too, but late where the machine is busy: the lines of the run before may be read
  "$program" --cluster worker=127.0.0.1:0 "$@" > "$work/printed" 2>&1 &
  id=$!
  tries=0
  until grep -q '^/job:worker/task:0 listens at 127.0.0.1:[1-9]' "$work/printed"; do
    tries=$((tries + 1))
    kill -0 $id 2> "$work/ignored" || break
    [ $tries -lt 200 ] || break
    sleep 0.1
  done
  kill -TERM $id 2> "$work/ignored"
  wait $id
  found=$?
  [ $found = 0 ] || fault "flowgraph-worker $*: returned $found after SIGTERM"
  grep -q '^/job:worker/task:0 ends$' "$work/printed" || fault "flowgraph-worker $*: did not serve"
}

here=worker=127.0.0.1:0

# ---- help, version, unknown options
expect 0 '^  --cluster TEXT ' --help
expect 0 '^  --cluster TEXT ' --cluster $here --help
expect 0 '^flowgraph-worker [0-9]+\.[0-9]+\.[0-9]+$' --version
expect 2 '^flowgraph-worker: either --cluster or --from-environment is expected; see --help$'
expect 2 '^flowgraph-worker: there is no option --taks; did you mean --task\?; see --help$' --cluster $here --taks 0
expect 2 'there is no option --token; did you mean --token-file\?' --token x
expect 2 'there is no option --frobnicate; see --help' --frobnicate
expect 2 "'0' is one argument too many" --cluster $here 0
expect 2 'the option --job needs a value: --job NAME' --cluster $here --job
expect 2 'the option --job needs a value: --job NAME' --cluster $here --job --task 0
expect 2 'the option --task is given twice' --cluster $here --task 0 --task=0
expect 2 'the option --checksums takes no value' --cluster $here --checksums=yes
expect 2 '--job: the value is empty' --cluster $here --job ''

# ---- numbers
for value in x '' 0x1 1x ' 1' 1.0 1e1 -1 +1 4294967296 4294967297 99999999999999999999; do
  expect 2 "^flowgraph-worker: --task: '.*' is not a whole number from 0 to 4294967295; see --help\$" --cluster $here --task "$value"
done
for option in --io-threads --compute-threads --most-links --most-text --most-tensors --most-tensor-bytes; do
  for value in 0 1x '' 9999999999; do
    expect 2 "^flowgraph-worker: $option: '$value' is not a whole number from 1 to [0-9]+; see --help\$" --cluster $here $option "$value"
  done
done
for value in 0 1.9 x 2.5s nan inf -1 1e9 ''; do
  expect 2 "^flowgraph-worker: --silence: '$value' is not a number from 2 to 86400; see --help\$" --cluster $here --silence "$value"
done

# ---- the place in the cluster
expect 2 "'nonsense' is not of the form job=address,address" --cluster nonsense
expect 2 "the address of /job:worker/task:1 in the cluster; .*'nonsense' is not an address: expected host:port" --cluster $here,nonsense
expect 2 "'127.0.0.1:65536' is not an address" --cluster worker=127.0.0.1:65536
expect 2 'the cluster has no /job:worker/task:1; it has /job:worker with 1 task' --cluster $here --task 1
expect 2 'the cluster has no /job:ps/task:0' --cluster $here --job ps
expect 2 'beyond this machine' --cluster worker=0.0.0.0:0
expect 2 '--task is for --cluster' --from-environment --task 0
expect 2 '--roles is for --from-environment' --cluster $here --roles ps=1
expect 2 'either --cluster or --from-environment' --cluster $here --from-environment
expect 1 'no host is named .nowhere.invalid' --cluster worker=nowhere.invalid:0

# ---- files
token() { printf "$1" > "$work/token"; }
for first in '' '\n' '\nsecret\n' ' \t \nsecret\n' '\r\nsecret\n'; do
  token "$first"
  expect 2 "^flowgraph-worker: invalid argument: '$work/token': the first line is blank, expected a token there\$" --cluster $here --token-file "$work/token"
done
expect 2 "none': cannot be read: No such file" --cluster $here --token-file "$work/none"
expect 2 "$work" --cluster $here --token-file "$work"
expect 2 'TLS needs --certificate, --key and --authority; --key is missing|was built without TLS' --cluster $here --certificate "$work/none"
expect 2 'none|was built without TLS' --cluster $here --certificate "$work/none" --key "$work/none" --authority "$work/none"
expect 2 'none' --cluster $here --traces "$work/none"

# ---- all that is right
serves
token 'secret \r\n'
serves --job worker --task 0 --token-file "$work/token" --listen 127.0.0.1:0 --traces "$work"
serves --silence 3.5 --checksums --most-links 10 --most-text 4095 --most-tensors 100 --most-tensor-bytes 1048576
serves --io-threads 2 --compute-threads=3 --allow-other-hosts

# ---- the table of the guide has the options of --help, with the same words
"$program" --help | sed -n 's/^  \(--[a-z-]*\( [A-Z][A-Z]*\)\{0,1\}\)  *\([^ ].*\)$/| `\1` | \3 |/p' > "$work/help"
sed -n 's/^\(| `--.*\)$/\1/p' "$docs/launch.md" > "$work/table"
runs=$((runs + 1))
[ "$(wc -l < "$work/help")" -gt 20 ] || { echo "--help lists too few options"; failed=$((failed + 1)); }
diff "$work/help" "$work/table" > "$work/printed" || fault "--help (left) and the table of docs/launch.md (right) differ"

echo "$runs runs of the program, $failed faults"
[ $failed = 0 ]
