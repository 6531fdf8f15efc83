"""The works of bench/kernels.cpp and bench/blocks.cpp with TensorFlow (a tf.function), PyTorch (eager) or JAX (jit)."""
import os
import re
import sys

import numpy as np

from measuring import command_line, fill, measure

parser = command_line()
parser.add_argument("peer", choices=("tensorflow", "torch", "jax"))
args = parser.parse_args()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
WORDS, WIDTH, HEADS, INNER = 128, 256, 8, 1024


def weights(*shapes):
    return [fill(t, s, (3.0 / s[0]) ** 0.5) for t, s in enumerate(shapes, 1)]


class TensorFlow:
    def __init__(self):
        import tensorflow as tf
        tf.config.threading.set_intra_op_parallelism_threads(args.threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        onednn = os.environ.get("TF_ENABLE_ONEDNN_OPTS") == "1"
        self.tf, self.name = tf, "tensorflow+onednn/function" if onednn else "tensorflow/function"
        self.product = tf.matmul
        self.depthwise = lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")

    def step(self, function, inputs):
        inputs = [self.tf.constant(v) for v in inputs]
        f = self.tf.function(function, autograph=False).get_concrete_function(*inputs)
        return lambda: f(*inputs), np.asarray

    def convolution(self, what, x, w, stride, border):
        terms = dict(strides=[1, stride, stride, 1], padding="EXPLICIT" if border else "VALID",
                     explicit_paddings=[0, 0, border, border, border, border, 0, 0] if border else [])
        raw = self.tf.raw_ops
        return {"": lambda x, w: raw.Conv2D(input=x, filter=w, **terms),
                "input": lambda w, dy: raw.Conv2DBackpropInput(input_sizes=x, filter=w, out_backprop=dy, **terms),
                "filter": lambda x, dy: raw.Conv2DBackpropFilter(input=x, filter_sizes=w, out_backprop=dy, **terms)}[what]

    def layer_norm(self, x, scale, offset):
        mean, variance = self.tf.nn.moments(x, 1, keepdims=True)
        return self.tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5)

    def gelu(self, x, v, w):
        return self.tf.nn.gelu(x @ v) @ w

    def attention(self, x, q, k, v, o):
        tf = self.tf
        q, k, v = (tf.transpose(tf.reshape(x @ w, (WORDS, HEADS, -1)), (1, 0, 2)) for w in (q, k, v))
        seen = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (WIDTH // HEADS) ** -0.5) @ v
        return tf.reshape(tf.transpose(seen, (1, 0, 2)), (WORDS, WIDTH)) @ o


class Torch:
    name = "torch/eager"

    def __init__(self):
        import torch
        torch.set_num_threads(args.threads)
        torch.set_grad_enabled(False)
        self.torch, self.f = torch, torch.nn.functional
        self.product = torch.matmul
        self.layer_norm = lambda x, scale, offset: self.f.layer_norm(x, scale.shape, scale, offset, 1e-5)
        self.gelu = lambda x, v, w: self.f.gelu(x @ v) @ w

    def step(self, function, inputs):
        """Images and filters as they come to PyTorch: channels first, but laid out with the channels last."""
        inputs = [self.torch.from_numpy(v) for v in inputs]
        if all(v.dim() == 4 for v in inputs):
            inputs = [self.channels_first(v) for v in inputs]
        return lambda: function(*inputs), lambda made: made.numpy()

    def channels_first(self, v):
        is_filter = v.shape[0] == v.shape[1] < 8
        return v.permute(3, 2, 0, 1).contiguous(memory_format=self.torch.channels_last) if is_filter else v.permute(0, 3, 1, 2)

    def depthwise(self, x, w):
        return self.f.conv2d(x, w.transpose(0, 1), None, 1, 1, 1, x.shape[1])

    def convolution(self, what, x, w, stride, border):
        t = self.torch
        empty = lambda n, h, w_, c: t.empty(n, c, h, w_).contiguous(memory_format=t.channels_last)
        filters, images = t.empty(w[3], w[2], w[0], w[1]).contiguous(memory_format=t.channels_last), empty(*x)
        backward = lambda dy, x, w, mask: t.ops.aten.convolution_backward(
            dy, x, w, None, [stride] * 2, [border] * 2, [1, 1], False, [0, 0], 1, mask)
        return {"": lambda x, w: self.f.conv2d(x, w, None, stride, border),
                "input": lambda w, dy: backward(dy, images, w, [True, False, False])[0],
                "filter": lambda x, dy: backward(dy, x, filters, [False, True, False])[1]}[what]

    def attention(self, x, q, k, v, o):
        q, k, v = ((x @ w).view(1, WORDS, HEADS, -1).transpose(1, 2) for w in (q, k, v))
        return self.f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(WORDS, WIDTH) @ o


class Jax:
    name = "jax/jit"

    def __init__(self):
        os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if args.threads > 1 else 'false'}"
        import jax
        self.jax, self.np = jax, jax.numpy
        self.product = jax.numpy.matmul
        self.gelu = lambda x, v, w: jax.nn.gelu(x @ v, approximate=False) @ w

    def step(self, function, inputs):
        inputs = [self.np.asarray(v) for v in inputs]
        f = self.jax.jit(function)
        return lambda: f(*inputs).block_until_ready(), np.asarray

    def convolution(self, what, x, w, stride, border):
        lax = self.jax.lax
        forward = lambda x, w: lax.conv_general_dilated(x, w, (stride, stride), ((border, border),) * 2,
                                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))
        zeros = self.np.zeros
        return {"": forward, "input": lambda w, dy: self.jax.vjp(lambda v: forward(v, w), zeros(x))[1](dy)[0],
                "filter": lambda x, dy: self.jax.vjp(lambda v: forward(x, v), zeros(w))[1](dy)[0]}[what]

    def depthwise(self, x, w):
        return self.jax.lax.conv_general_dilated(x, w.reshape(3, 3, 1, -1), (1, 1), "SAME", feature_group_count=x.shape[3],
                                                 dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def layer_norm(self, x, scale, offset):
        mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
        return (x - mean) * self.jax.lax.rsqrt(variance + 1e-5) * scale + offset

    def attention(self, x, q, k, v, o):
        q, k, v = ((x @ w).reshape(WORDS, HEADS, -1).transpose(1, 0, 2) for w in (q, k, v))
        seen = self.jax.nn.softmax(q @ k.transpose(0, 2, 1) * (WIDTH // HEADS) ** -0.5) @ v
        return seen.transpose(1, 0, 2).reshape(WORDS, WIDTH) @ o


def work_of(peer, work):
    """The function of a work, and its inputs."""
    blocks = {"layer_norm": lambda: (peer.layer_norm, [fill(700, (1024, 768)), fill(701, (768,)), fill(702, (768,))]),
              "gelu_block": lambda: (peer.gelu, [fill(700, (WORDS, WIDTH)), *weights((WIDTH, INNER), (INNER, WIDTH))]),
              "attention_block": lambda: (peer.attention, [fill(700, (WORDS, WIDTH)), *weights(*[(WIDTH, WIDTH)] * 4)])}
    if work in blocks:
        return blocks[work]()
    if work.startswith("product_"):
        sizes = [int(n) for n in work.removeprefix("product_").split("x")]
        rows, inner, columns = sizes if len(sizes) == 3 else sizes * 3
        return peer.product, [fill(700, (rows, inner)), fill(701, (inner, columns))]
    if work.startswith("depthwise_"):
        side, channels = (int(n) for n in work.split("_")[1:])
        return peer.depthwise, [fill(700, (1, side, side, channels)), fill(701, (3, 3, channels, 1))]
    found = re.fullmatch(r"conv_(\d+)x(\d+)_(\d+)_(\d+)_(\d+)x\d+_(\d+)_?(\w*)", work)
    images, side, channels, filters, window, stride = (int(n) for n in found.groups()[:6])
    outputs, what = (side + stride - 1) // stride, found.group(7)
    x, w, y = (images, side, side, channels), (window, window, channels, filters), (images, outputs, outputs, filters)
    inputs = {"": ((700, x), (701, w)), "input": ((701, w), (702, y)), "filter": ((700, x), (702, y))}[what]
    return peer.convolution(what, x, w, stride, window // 2), [fill(*i) for i in inputs]


measured = {"tensorflow": TensorFlow, "torch": Torch, "jax": Jax}[args.peer]()
for one in args.work.split(","):
    try:
        step, array = measured.step(*work_of(measured, one))
        check = float(np.abs(array(step()).astype(np.float64)).mean())
        step()
        measure(args, measured.name, one, step, check, "us/run", 1e6)
    except Exception as error:  # a work that a peer lacks must not stop the others
        print(f"{args.peer} {one}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr, flush=True)
