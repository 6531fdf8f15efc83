"""The work `input` of bench/input.cpp by tf.data: records written by TensorFlow's own writer are read, shuffled, batched and parsed.

    input.py --write FOLDER [--megabytes 100]     writes the files, unless they are there
    input.py --files FOLDER --threads 2           measures one pass over them
"""
import glob
import json
import os
import resource
import statistics
import time

import numpy as np

from measuring import command_line, fill

FILES, COLUMNS, BATCH, MIXED = 8, 784, 128, 1024

parser = command_line()
parser.set_defaults(work="input")
for action in parser._actions:
    action.required = False
parser.add_argument("--write", default="", help="folder to write the files to")
parser.add_argument("--megabytes", type=int, default=100, help="of all files")
parser.add_argument("--files", default="", help="folder to read them from")
args = parser.parse_args()

import tensorflow as tf  # noqa: E402


def write(folder, megabytes):
    """Examples of 784 floats and a label, as many as make so many megabytes."""
    done = os.path.join(folder, "megabytes")
    if os.path.exists(done) and open(done).read() == str(megabytes):
        return
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.tfrecord")):
        os.remove(old)
    rows = fill(1, (1024, COLUMNS))
    count = megabytes * 1000000 // (4 * COLUMNS + 50) // FILES
    for k in range(FILES):
        with tf.io.TFRecordWriter(os.path.join(folder, f"{k}.tfrecord")) as to:
            for i in range(count):
                to.write(tf.train.Example(features=tf.train.Features(feature={
                    "image": tf.train.Feature(float_list=tf.train.FloatList(value=rows[i % 1024])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[(i * FILES + k) % 10]))})).SerializeToString())
    with open(done, "w") as f:
        f.write(str(megabytes))


def batches(files, shuffled_when_parsed):
    """One epoch. Which of the two ways is faster depends on the machine."""
    features = {"image": tf.io.FixedLenFeature([COLUMNS], tf.float32), "label": tf.io.FixedLenFeature([], tf.int64)}
    options = tf.data.Options()
    options.threading.private_threadpool_size = args.threads
    options.deterministic = False
    data = tf.data.Dataset.from_tensor_slices(files).interleave(
        tf.data.TFRecordDataset, cycle_length=args.threads, num_parallel_calls=args.threads)
    parse = lambda x: tf.io.parse_example(x, features)  # noqa: E731
    if shuffled_when_parsed:
        data = data.batch(64).map(parse, num_parallel_calls=args.threads).unbatch().shuffle(MIXED).batch(BATCH, drop_remainder=True)
    else:
        data = data.shuffle(MIXED).batch(BATCH, drop_remainder=True).map(parse, num_parallel_calls=args.threads)
    return data.prefetch(2).with_options(options)


def measure():
    files = sorted(glob.glob(os.path.join(args.files, "*.tfrecord")))
    for variant, parsed in (("data", False), ("data, parsed first", True)):
        samples, examples, labels, first = [], 0, 0, None
        for _ in range(args.samples):
            began = time.perf_counter()
            examples = labels = 0
            for batch in batches(files, parsed):
                examples += BATCH
                labels += int(batch["label"][0])
                first = batch["image"]
            samples.append((time.perf_counter() - began) / examples * 1e6)
            if parsed:
                break  # once tells that it is not the faster one
        assert 0 < float(np.abs(first.numpy()).mean()) < 1 and labels > 0
        print(json.dumps(dict(peer=f"tensorflow/{variant}", work="input", threads=args.threads, unit="us/example",
                              median=statistics.median(samples), min=min(samples), max=max(samples), samples=len(samples),
                              check=examples, peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)), flush=True)


if args.write:
    write(args.write, args.megabytes)
if args.files:
    measure()
