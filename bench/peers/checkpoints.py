"""The work `checkpoint_unsynced` of bench/checkpoints.cpp by TensorFlow's Saver, which does not wait for the disk.

    checkpoints.py --threads 1 [--megabytes 64] [--files FOLDER]
"""
import json
import statistics
import tempfile
import time

import numpy as np

from measuring import command_line

PARTS = 16

parser = command_line()
parser.set_defaults(work="checkpoint_unsynced")
for action in parser._actions:
    action.required = False
parser.add_argument("--megabytes", type=int, default=64, help="of all variables")
parser.add_argument("--files", default=".", help="folder to write to")
args = parser.parse_args()

import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
with tf.Graph().as_default(), tempfile.TemporaryDirectory(dir=args.files or ".") as folder:
    value = np.random.default_rng(1).random(args.megabytes * 1000000 // PARTS // 4, np.float32)
    given = v1.placeholder(tf.float32, value.shape)
    variables = [v1.get_variable(f"v{i}", value.shape, use_resource=True) for i in range(PARTS)]
    assigned = [v.assign(given) for v in variables]
    saver = v1.train.Saver(variables, max_to_keep=1)
    config = v1.ConfigProto(intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=args.threads)
    samples, used = [], []
    with v1.Session(config=config) as session:
        for a in assigned:
            session.run(a, {given: value})
        for k in range(args.samples + 1):
            began, processor = time.perf_counter(), time.process_time()
            saver.save(session, folder + "/model", write_meta_graph=False)
            samples.append((time.perf_counter() - began) * 1e3)
            used.append((time.process_time() - processor) * 1e3)
    samples = samples[1:]  # the first adds nodes
    print(json.dumps(dict(peer="tensorflow/saver", work="checkpoint_unsynced", threads=args.threads, unit="ms/save",
                          median=statistics.median(samples), min=min(samples), max=max(samples), samples=len(samples), check=1,
                          processor=min(used[1:]))), flush=True)
