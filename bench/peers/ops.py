"""The works of bench/ops.cpp with TensorFlow (a tf.function) or PyTorch (eager): one line of JSON a work, as flowgraph prints them."""
import os
import sys

import numpy as np

import tensorflow_ops
from measuring import command_line, fill, measure

parser = command_line()
parser.add_argument("peer", choices=("tensorflow", "torch"))
args = parser.parse_args()


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
            "rfft": tf.signal.rfft, "rfft2d": tf.signal.rfft2d,
            "random_normal": lambda: raw.RandomStandardNormal(shape=(1000000,), dtype=tf.float32, seed=1, seed2=2)}

    def inputs_of(self, op):
        """The inputs of the works that only TensorFlow is compared with."""
        found = None if op in self.ops else tensorflow_ops.find(self.tf, op)
        if found:
            self.ops[op] = found[0]
        return found and found[1]

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
            "rfft": torch.fft.rfft, "rfft2d": torch.fft.rfft2,
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
            "rfft": lambda: (fill(700, (64, 1024)),),
            "rfft2d": lambda: (fill(700, (256, 256)),),
            "random_normal": lambda: ()}.get(op, lambda: (fill(700, SQUARE),))()


def measure_op(peer, work):
    op, _, size = work.removeprefix("op_").rpartition("_")
    if size not in SIZES:
        op, size = work.removeprefix("op_"), "1e6"
    inputs = peer.inputs_of(op) if hasattr(peer, "inputs_of") else None
    step = peer.step(op, [peer.tensor(v) for v in inputs or inputs_of(op, SIZES[size])])
    made = step()
    magnitudes = np.abs(np.asarray(made[0] if isinstance(made, (tuple, list)) else made)).astype(np.float64)
    step()
    # Random numbers differ from peer to peer: of them the rounded mean magnitude.
    check = float(magnitudes.mean())
    check = round(check, 2) if op == "random_normal" else check
    measure(args, peer.name, work, step, check, "us/run", 1e6)


os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
measured = TensorFlow() if args.peer == "tensorflow" else Torch()
for one in args.work.split(","):
    try:
        measure_op(measured, one)
    except Exception as error:  # a work that a peer lacks must not stop the others
        print(f"{args.peer} {one}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr, flush=True)
