#!/bin/sh
# clicks.sh PROGRAM WORK: trains models of clicks with PROGRAM, evaluates them and predicts, in the folder WORK, which is emptied first.
set -u
program=$1 work=$2
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 2
failed=0 runs=0

# expect CODE PATTERN ARGUMENTS...: the program returns CODE and prints a line that matches PATTERN.
expect() {
  code=$1 pattern=$2
  shift 2
  runs=$((runs + 1))
  "$program" "$@" > printed 2>&1
  found=$?
  if [ "$found" != "$code" ]; then
    echo "flowgraph $*: returned $found, expected $code"
  elif [ -n "$pattern" ] && ! grep -Eq -- "$pattern" printed; then
    echo "flowgraph $*: printed no line that matches '$pattern'"
  else
    return 0
  fi
  sed 's/^/  | /' printed
  failed=$((failed + 1))
}
fault() {
  echo "$1"
  failed=$((failed + 1))
}
# refuse CODE PATTERN ARGUMENTS...: as expect, and no epoch was trained before.
refuse() {
  expect "$@"
  shift 2
  grep -q '^epoch' printed && fault "flowgraph $*: trained before it reported the error"
}
# number AFTER FILE: the last number that follows a word in a file.
number() { sed -n "s/.*$1 \([-0-9.e]*\).*/\1/p" "$2" | tail -1; }
holds() { awk "BEGIN { exit !($1) }" || fault "does not hold: $1 ($2)"; }

# Clicks on pairs: a line is clicked if the first two of four features have the same parity, but one line of ten at random.
awk 'BEGIN {
  state = 7
  for (line = 1; line <= 3000; ++line) {
    text = field_text = hash_text = ""
    for (f = 0; f < 4; ++f) {
      state = (state * 16807) % 2147483647
      v[f] = int(state / 1000) % 20
      text = text " " (f * 100 + v[f]) ":1"
      field_text = field_text " " f ":" (f * 100 + v[f]) ":1"
      hash_text = hash_text " key" f "_" v[f] ":1"
    }
    state = (state * 16807) % 2147483647
    label = (v[0] % 2 == v[1] % 2) != (int(state / 1000) % 10 == 0)
    name = line <= 2400 ? "train" : "test"
    print label text > (name ".libsvm")
    print label field_text > (name ".libffm")
    print label hash_text > (name ".hashed")
    print (v[0] + v[1]) / 10 text > (name ".numbers")
  }
}'

# ---- each model learns, and predictions are those of the evaluation
common="--rate 0.5 --epochs 8 --initial-scale 0.3 --l2 0"
for kind in fm nfm; do
  expect 0 '^saved ' $kind train train.libsvm --model $kind --valid test.libsvm $common
  expect 0 '^600 samples  loss .*  AUC 0\.[89]' $kind evaluate test.libsvm --model $kind
done
expect 0 '^saved ' ffm train train.libffm --model ffm --valid test.libffm $common
expect 0 '^600 samples  loss .*  AUC 0\.[89]' ffm evaluate test.libffm --model ffm
expect 0 '^saved ' widedeep train train.libffm --model widedeep --lines libffm --valid test.libffm $common
expect 0 '^600 samples  loss .*  AUC 0\.[89]' widedeep evaluate test.libffm --model widedeep
expect 0 '^saved ' widedeep train train.libsvm --model widedeep_of_sums $common --hidden 16
expect 0 '^saved ' fm train train.hashed --model hashed --hash-keys --buckets 100000 --hash-seed 3 $common
expect 0 'AUC 0\.[89]' fm evaluate test.hashed --model hashed
expect 0 '^saved ' fm train train.numbers --model numbers --regression $common
expect 0 'RMSE 0\.[0-4]' fm evaluate test.numbers --model numbers

expect 0 'epoch 8 ' fm train train.libsvm --model again $common
first=$(sed -n 's/^epoch 1 .*AUC \([0-9.]*\).*/\1/p' printed) last=$(sed -n 's/^epoch 8 .*AUC \([0-9.]*\).*/\1/p' printed)
holds "$last > $first + 0.05" "the AUC rises from $first to $last"
cmp -s fm/rows.safetensors again/rows.safetensors || fault "the same options and seed give another table"
for threads in 2 3; do
  expect 0 '^saved ' fm train train.libsvm --model threads --threads $threads $common
  cmp -s fm/rows.safetensors threads/rows.safetensors || fault "$threads threads give another table"
done
expect 0 '^saved ' fm train train.libsvm --model locks --threads 3 --without-locks $common
expect 0 'AUC 0\.[89]' fm evaluate test.libsvm --model locks

expect 0 '' fm predict test.libsvm --model fm --output predictions
[ "$(wc -l < predictions)" -eq 600 ] || fault "there are $(wc -l < predictions) predictions"
"$program" fm predict test.libsvm --model fm --threads 2 | cmp -s - predictions || fault "predictions on standard output differ"
expect 0 '' fm evaluate test.libsvm --model fm
paste -d ' ' predictions test.libsvm | awk '{ total -= log($2 > 0 ? $1 : 1 - $1) } END { printf "mean %.5f\n", total / NR }' > mean
holds "$(number mean mean) - $(number loss printed) < 0.00002 && $(number mean mean) - $(number loss printed) > -0.00002" "predictions have the loss of evaluate"

# ---- each optimizer, and the cache of a text
for optimizer in ftrl adam sgd momentum rmsprop adadelta; do
  expect 0 '^saved ' fm train train.libsvm --model optimizer --optimizer $optimizer --epochs 1
done
expect 0 '^saved ' fm train train.libsvm --model screened --screen 0.5 $common
expect 0 'AUC 0\.[89]' fm evaluate test.libsvm --model screened
[ -s train.libsvm.clicks ] || fault "there is no cache"
expect 0 '^epoch 1 ' fm train train.libsvm.clicks --model from_cache --epochs 1
expect 0 '^epoch 1 ' fm train train.libsvm --model named_cache --epochs 1 --cache other.clicks
[ -s other.clicks ] || fault "the cache does not have the name of --cache"
cp train.libsvm uncached && expect 0 '^epoch 1 ' fm train uncached --model no_cache --epochs 1 --no-cache
[ ! -e uncached.clicks ] || fault "--no-cache wrote a cache"

# ---- early stopping
expect 0 '^stops early: 2 epochs without a smaller loss' fm train train.libsvm --model early --valid test.libsvm --patience 2 --epochs 200 --rate 1 --l2 0
best=$(sed -n 's/.*validation: loss \([0-9.]*\).*/\1/p' printed | sort -n | head -1)
expect 0 "^600 samples  loss $best " fm evaluate test.libsvm --model early
expect 2 'patience needs --valid' fm train train.libsvm --model early --patience 2

# ---- a model that is trained further
expect 2 'given twice' fm train train.libsvm --model further --start fm $common --epochs=1
cp -r fm begun
expect 0 '^epoch 1 .*AUC 0\.[89]' fm train train.libsvm --model further --start begun --epochs 1 --initial-scale 0.3
expect 3 'contains another model: use the options' fm train train.libsvm --model further --start begun --factors 3 --initial-scale 0.3
expect 3 'none_to_start' fm train train.libsvm --model further --start none_to_start

# ---- malformed lines, missing files, wrong options
cp train.libsvm malformed && sed -i '17s/:1/:x/' malformed
expect 3 'malformed.*17' fm train malformed --model none
expect 3 'malformed.*17' fm train malformed --model none --no-cache
expect 3 'malformed.*17' fm train malformed --model none --no-cache --threads 2 --batch 4
expect 0 '^1 malformed lines were skipped' fm train malformed --model skipped --skip-malformed --epochs 1
expect 3 'malformed.*17' fm evaluate malformed --model fm
expect 0 '^2399 samples' fm evaluate malformed --model fm --skip-malformed
grep -q '^1 malformed lines were skipped' printed || fault "evaluate does not count malformed lines"
expect 3 'missing' fm train missing --model none
expect 3 'missing' fm evaluate test.libsvm --model missing
expect 3 'missing' fm train train.libsvm --model none --valid missing
: > empty
expect 3 'contains no samples' fm train empty --model none
[ ! -e none ] || fault "a failed training wrote a model"
expect 3 '^Options for other lines: --hash-keys' fm train train.hashed --model none --lines libffm
expect 3 '^Options for other lines: --lines libffm --hash-keys' fm train train.libffm --model none
expect 2 'too few arguments' fm train
expect 0 '^  --hash-keys ' help fm
expect 2 "there is no verb 'fn'" help fn
expect 2 "'learn': expected train, predict or evaluate" fm learn train.libsvm
expect 2 'the option --model FOLDER is missing' fm train train.libsvm
expect 2 'the option --model FOLDER is missing' fm evaluate train.libsvm
expect 2 "is a model of fm, not of nfm" nfm evaluate test.libsvm --model fm
expect 2 'expected libsvm or libffm' fm train train.libsvm --model none --lines csv
expect 2 'expected sizes as in 64,32' nfm train train.libsvm --model none --hidden 64,x
expect 2 'expected adagrad, ftrl' fm train train.libsvm --model none --optimizer best
expect 2 "not a whole number of at least 1" fm train train.libsvm --model none --epochs 0
expect 3 'has no fields' ffm train train.libsvm --model none --lines libsvm
expect 3 "'train.libffm': .* has the field 3, expected 0 to 2" ffm train train.libffm --model none --fields 3
expect 2 'factors.*whole number from 1 to 1048575' fm train train.libsvm --model none --factors 1048576
expect 3 'factors must be 1 to 262143 for 4 fields, found 300000' ffm train train.libffm --model none --factors 300000
expect 4 'memory_limit' fm train train.libsvm --model none --memory-limit 1 --expected-rows 100000000
expect 4 'the loss is not finite' fm train train.numbers --model none --regression --optimizer sgd --rate 1e30

# ---- files that are not those of the program are neither removed nor replaced
cp train.libsvm text && cp train.libsvm taken.old && cp train.libsvm taken_too.new
mkdir mine && echo notes > mine/notes.txt && cp fm/model.safetensors mine
refuse 3 "'text' exists and is not a model of clicks: expected a folder, found a file" fm train train.libsvm --model text
refuse 3 "'taken.old' exists and is not a model of clicks" fm train train.libsvm --model taken
refuse 3 "'taken_too.new' exists and is not a model of clicks" fm train train.libsvm --model taken_too
refuse 3 "'mine' exists and is not a model of clicks: .* found 'notes.txt'" fm train train.libsvm --model mine/
refuse 3 "'text' exists and is not a cache of clicks" fm train train.libsvm --model none --cache text
for file in text taken.old taken_too.new; do cmp -s train.libsvm $file || fault "the file $file was replaced"; done
[ -s mine/notes.txt ] || fault "a folder with other contents was replaced"
mkdir -p steps/2023 && echo mine > steps/2023/photo && cp -r fm steps/2024 && mkdir steps/2025 && cp -r fm steps/2025/model
expect 0 '^saved ' fm train train.libsvm --model checked --epochs 1 --batch 100 --checkpoint steps --checkpoint-steps 5
for file in 2023/photo 2024/rows.safetensors 2025/model/rows.safetensors 20/model/rows.safetensors; do
  [ -s steps/$file ] || fault "a checkpoint has removed $file"
done
[ "$(ls steps | wc -l)" -eq 5 ] || fault "there are other checkpoints than the last: $(ls steps)"
refuse 3 "'text' is not a folder, so it cannot contain checkpoints" fm train train.libsvm --model none --checkpoint text

# ---- the folder of a model
for name in slash/ new/deep/model; do
  for time in 1 2; do expect 0 '^saved ' fm train train.libsvm --model $name --epochs 1; done
  expect 0 '^600 samples' fm evaluate test.libsvm --model $name
  [ "$(ls $name | wc -l)" -eq 2 ] || fault "the folder $name contains $(ls $name)"
done
for name in . .. ./ /; do refuse 2 "'$name' cannot be the folder of a model; expected a name" fm train train.libsvm --model $name; done
refuse 3 'the folder cannot be written' fm train train.libsvm --model train.libsvm/model
refuse 2 'checkpoint out/state is in the folder of --model' fm train train.libsvm --model out/ --checkpoint out/state
refuse 2 'cache ./out/cache is in the folder of --model' fm train train.libsvm --model out --cache ./out/cache

# ---- mistakes in a validation file are found before the first epoch, and errors about samples name their file
sed 's/ 3:/ 7:/' test.libffm > more_fields
refuse 3 "'malformed': line 17" fm train train.libsvm --model none --valid malformed --checkpoint begun_steps --checkpoint-steps 1
[ ! -e begun_steps ] || fault "a training began before it reported a malformed line of its validation file"
refuse 3 "'empty' contains no samples" fm train train.libsvm --model none --valid empty
refuse 3 "'train.libsvm.clicks' has no fields; the model needs a cache" ffm train train.libffm --model none --valid train.libsvm.clicks
refuse 3 "'more_fields': a feature has the field 7, expected 0 to 3" ffm train train.libffm --model none --fields 4 --valid more_fields
for kind in ffm widedeep; do
  expect 0 '^saved ' $kind train train.libffm --model wider --lines libffm --epochs 1 --valid more_fields
  expect 0 '^600 samples' $kind evaluate more_fields --model wider
  expect 3 "'more_fields': .* has the field 7, expected 0 to 3" $kind evaluate more_fields --model $kind
  expect 3 "'more_fields': .* has the field 7, expected 0 to 3" $kind predict more_fields --model $kind
done
refuse 3 "'empty' contains no samples" ffm train empty --model none
refuse 3 "'empty' contains no samples" ffm train empty --model none --no-cache
expect 3 "'empty' contains no samples" fm evaluate empty --model fm
expect 0 '' fm predict empty --model fm

# ---- a loss that is not finite
printf '1 1:1e30 2:1e30\n0 3:1\n' > huge
for how in '' --regression; do
  expect 0 '^saved ' fm train train.libsvm --model raw --epochs 1 --no-normalize $how
  expect 4 "'huge': the loss is not finite" fm evaluate huge --model raw
  expect 4 "'huge': the loss is not finite; try a smaller --rate" fm train train.libsvm --model none --no-normalize $how --valid huge --patience 1
done

# ---- options without an effect
for option in '--lines libffm' --hash-keys '--hash-seed 3' '--buckets 5' --skip-malformed '--cache other' --no-cache; do
  refuse 2 "${option%% *} has no effect on a cache: 'train.libsvm.clicks' is a cache" fm train train.libsvm.clicks --model none $option
done
expect 2 '--buckets has no effect on a cache' fm evaluate train.libsvm.clicks --model fm --buckets 5
expect 2 '--hash-keys has no effect on a cache' fm predict train.libsvm.clicks --model fm --hash-keys
expect 2 '--rate has no effect in predict' fm predict test.libsvm --model fm --rate 1
expect 2 '--valid has no effect in evaluate' fm evaluate test.libsvm --model fm --valid test.libsvm
expect 2 '--output has no effect in evaluate' fm evaluate test.libsvm --model fm --output none
expect 2 '--output has no effect in train' fm train train.libsvm --model none --output none
expect 0 '^600 samples' fm evaluate test.libsvm --model fm --lines libsvm --hash-seed 0 --buckets 0 --skip-malformed --threads 2 --quiet
# The lines of the model are those of the text from which the cache was made.
expect 0 '^saved ' widedeep train train.libffm.clicks --model of_cache --epochs 1
expect 0 '^600 samples' widedeep evaluate test.libffm --model of_cache

# ---- reports
expect 0 '^1 malformed lines were skipped' fm train malformed --model skipped --skip-malformed --epochs 2 --no-cache
[ "$(grep -c 'were skipped' printed)" -eq 1 ] || fault "malformed lines are reported $(grep -c 'were skipped' printed) times"
expect 0 "^1 malformed lines of 'malformed' were skipped" fm train train.libsvm --model skipped --skip-malformed --epochs 1 --valid malformed
expect 0 '^  --buckets .*without --hash-keys, a key of N or more is malformed' help fm
expect 0 '^  --screen .*times the size of a batch' help fm
expect 0 '^predict and evaluate use --model' help fm

# ---- a checkpoint continues only in its samples, also at the end of an epoch
place="--model place --epochs 1 --batch 4 --checkpoint at --checkpoint-steps 600"
expect 0 '^saved ' fm train train.libsvm $place
refuse 3 "'at/600' is a checkpoint of a training with a cache of [0-9]+ bytes, found a text of [0-9]+ bytes" fm train train.libsvm $place --no-cache
refuse 3 "with a cache of [0-9]+ bytes, found a cache of [0-9]+ bytes" fm train test.libsvm $place
expect 0 '^epoch 1  ended at the checkpoint$' fm train train.libsvm $place
grep -q nan printed && fault "a training that continues at the end of an epoch prints nan"
expect 0 '^epoch 1  ended at the checkpoint  validation: loss 0' fm train train.libsvm $place --valid test.libsvm

# ---- a training that is killed continues with the bits of one that is not
expect 2 'given twice' fm train train.libsvm --model killed --epochs 4 --epochs=4
for screen in 0 0.3; do
  whole="--epochs 4 --batch 4 --seed 5 --screen $screen"
  expect 0 '^saved ' fm train train.libsvm --model undisturbed_$screen $whole
  for steps in 20 150; do
    rm -rf state killed
    [ $steps = 20 ] && threads=1 || threads=2
    saves="--checkpoint state --checkpoint-steps $steps --threads $threads"
    "$program" fm train train.libsvm --model killed $whole $saves > printed 2>&1 &
    process=$!
    tries=0
    while [ ! -e state/latest ] && [ $tries -lt 2000 ]; do sleep 0.02; tries=$((tries + 1)); done
    kill -9 $process 2> printed
    wait $process 2> printed
    expect 0 '^continues in epoch ' fm train train.libsvm --model killed $whole $saves
    for file in rows model; do
      cmp -s undisturbed_$screen/$file.safetensors killed/$file.safetensors ||
        fault "the training with --screen $screen that was killed, with checkpoints after $steps steps on $threads threads, has other $file"
    done
  done
done
cmp -s undisturbed_0/rows.safetensors undisturbed_0.3/rows.safetensors && fault "--screen changes nothing"
expect 3 '[1-9] unused tensors' fm train train.libsvm --model killed --epochs 4 --batch 4 --seed 5 --checkpoint state
expect 3 'contains another model: use the options' fm train train.libsvm --model killed $whole --factors 3 --checkpoint state

# ---- memory: a text of ten times the limit of the table trains, and the program uses at most 64 MB beside the table
if [ -r /proc/self/status ]; then
  awk 'BEGIN {
    for (line = 0; line < 8000; ++line) {
      text = line % 2
      for (f = 0; f < 39; ++f) {
        state = (state * 16807 + 12345) % 2147483647
        text = text " " (f * 1000 + int(state / 1000) % 1000) ":1"
      }
      print text
    }
  }' > part
  limit=8
  : > large.libsvm
  while [ "$(wc -c < large.libsvm)" -lt $((limit * 10485760)) ]; do cat part >> large.libsvm; done
  runs=$((runs + 1))
  "$program" fm train large.libsvm --model large --memory-limit $limit --epochs 1 > printed 2>&1 &
  process=$! peak=0
  while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/$process/status 2> /dev/null) && [ -n "$now" ]; do
    peak=$now
    sleep 0.02
  done
  wait $process || fault "the program does not train a text of ten times the limit: $(cat printed)"
  holds "$peak > 0 && $peak <= ($limit + 64) * 1024" "the peak of memory in kB, with a limit of $limit MB for the table"
  rm -f large.libsvm large.libsvm.clicks part
fi

echo "$runs runs of the program, $failed faults"
[ $failed = 0 ]
