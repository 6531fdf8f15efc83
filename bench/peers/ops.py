"""The works of bench/ops.cpp with TensorFlow (a tf.function) or PyTorch (eager): one line of JSON a work, as flowgraph prints them."""
import argparse
import json
import os
import statistics
import sys
import time

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("peer", choices=("tensorflow", "torch"))
parser.add_argument("--work", required=True, help="names with commas between")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--samples", type=int, default=5)
parser.add_argument("--seconds", type=float, default=0.1)
args = parser.parse_args()


def fill(t, shape, scale=1.0):
    """Floats in [-scale, scale): a hash of tensor and element."""
    u = np.arange(int(np.prod(shape)), dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(t * 0x85EBCA77 & 0xFFFFFFFF)
    u ^= u >> np.uint32(16)
    u *= np.uint32(0x85EBCA6B)
    u ^= u >> np.uint32(13)
    u *= np.uint32(0xC2B2AE35)
    u ^= u >> np.uint32(16)
    v = (u >> np.uint32(8)).astype(np.float64) * 2.0**-23 - 1.0
    return (v * scale).astype(np.float32).reshape(shape)


def indices(count, bound):
    return (np.abs(fill(702, (count,))) * bound).astype(np.int64) % bound


SIZES = {"1e3": 1000, "1e6": 1000000, "1e7": 10000000}
SQUARE, IMAGE, TABLE = (1000, 1000), (32, 28, 28, 64), (100000, 64)


class TensorFlow:
    name = "tensorflow/function"

    def __init__(self):
        import tensorflow as tf
        tf.config.threading.set_intra_op_parallelism_threads(args.threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        self.tf, self.tensor = tf, tf.constant
        m, nn, raw = tf.math, tf.nn, tf.raw_ops
        self.ops = {
            "add": m.add, "mul": m.multiply, "exp": m.exp, "tanh": m.tanh, "erf": m.erf, "sum": tf.reduce_sum,
            "sum_rows": lambda x: tf.reduce_sum(x, 1), "sum_columns": lambda x: tf.reduce_sum(x, 0),
            "max_rows": lambda x: tf.reduce_max(x, 1), "mean": tf.reduce_mean, "transpose": tf.transpose,
            "transpose_image": lambda x: tf.transpose(x, (0, 3, 1, 2)), "gather": tf.gather,
            "concat": lambda x, y: tf.concat((x, y), 1), "add_row": m.add, "add_column": m.add, "softmax": nn.softmax,
            "batch_norm": lambda x, s, o: raw.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[], variance=[], epsilon=1e-3)[0],
            "random_normal": lambda: raw.RandomStandardNormal(shape=(1000000,), dtype=tf.float32, seed=1, seed2=2)}

    def step(self, op, inputs):
        f = self.tf.function(self.ops[op], autograph=False, jit_compile=False).get_concrete_function(*inputs)
        return lambda: f(*inputs)


class Torch:
    name = "torch/eager"

    def __init__(self):
        import torch
        torch.set_num_threads(args.threads)
        torch.set_grad_enabled(False)
        self.torch, self.tensor = torch, torch.from_numpy
        channels_first = lambda x: x.permute(0, 3, 1, 2)  # a view: the values stay where they are
        self.ops = {
            "add": torch.add, "mul": torch.mul, "exp": torch.exp, "tanh": torch.tanh, "erf": torch.erf, "sum": torch.sum,
            "sum_rows": lambda x: x.sum(1), "sum_columns": lambda x: x.sum(0), "max_rows": lambda x: x.amax(1), "mean": torch.mean,
            "transpose": lambda x: x.T.contiguous(), "transpose_image": lambda x: channels_first(x).contiguous(),
            "gather": lambda x, i: torch.index_select(x, 0, i), "concat": lambda x, y: torch.cat((x, y), 1), "add_row": torch.add,
            "add_column": torch.add, "softmax": lambda x: torch.softmax(x, 1),
            "batch_norm": lambda x, s, o: torch.batch_norm(channels_first(x), s, o, None, None, True, 0.0, 1e-3, False),
            "random_normal": lambda: torch.randn(1000000)}

    def step(self, op, inputs):
        return lambda: self.ops[op](*inputs)


def inputs_of(op, size):
    if op in ("add", "mul"):
        return fill(700, (size,)), fill(701, (size,))
    if op in ("exp", "tanh", "erf"):
        return (fill(700, (size,), 3.0),)
    return {"gather": lambda: (fill(700, TABLE), indices(100000, TABLE[0])),
            "concat": lambda: (fill(700, SQUARE), fill(701, SQUARE)),
            "add_row": lambda: (fill(700, SQUARE), fill(701, (1000,))),
            "add_column": lambda: (fill(700, SQUARE), fill(701, (1000, 1))),
            "transpose_image": lambda: (fill(700, IMAGE),),
            "batch_norm": lambda: (fill(700, IMAGE), fill(701, (64,)), fill(702, (64,))),
            "random_normal": lambda: ()}.get(op, lambda: (fill(700, SQUARE),))()


def measure(peer, work):
    op, _, size = work.removeprefix("op_").rpartition("_")
    if size not in SIZES:
        op, size = work.removeprefix("op_"), "1e6"
    step = peer.step(op, [peer.tensor(v) for v in inputs_of(op, SIZES[size])])
    made = np.asarray(step(), dtype=np.float64)
    step()
    t0 = time.perf_counter()
    step()
    inner = max(1, int(args.seconds / max(time.perf_counter() - t0, 1e-9)))
    samples = []
    for _ in range(args.samples):
        t0 = time.perf_counter()
        for _ in range(inner):
            step()
        samples.append((time.perf_counter() - t0) / inner * 1e6)
    # Random numbers differ from peer to peer: of them the rounded mean magnitude.
    check = float(np.abs(made).mean())
    check = round(check, 2) if op == "random_normal" else check
    print(json.dumps(dict(peer=peer.name, work=work, threads=args.threads, unit="us/run", median=statistics.median(samples),
                          min=min(samples), max=max(samples), samples=len(samples), check=float("%.7g" % check))), flush=True)


os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
measured = TensorFlow() if args.peer == "tensorflow" else Torch()
for one in args.work.split(","):
    try:
        measure(measured, one)
    except Exception as error:  # a work that a peer lacks must not stop the others
        print(f"{args.peer} {one}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr, flush=True)
