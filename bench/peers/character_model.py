"""The model of examples/character_model.cpp with TensorFlow: the same initial values, batches and steps, and a line a loss as there.

    character_model.py [--program PROGRAM] [--data examples/data] [--epochs N]

With a program, it is run on as many epochs, and its mean losses may be 1 % above TensorFlow's at most. Ends in 77 without TensorFlow."""
import argparse
import os
import re
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--program")
parser.add_argument("--data", default="examples/data")
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
from measuring import fill  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

BATCH, STEPS, UNITS, WIDTH, RATE = 16, 48, 128, 32, 5e-3


with open(os.path.join(args.data, "alice.txt"), "rb") as file:
    text = file.read()
alphabet = list(dict.fromkeys(text))
number_of = {letter: i for i, letter in enumerate(alphabet)}
letters = np.array([number_of[letter] for letter in text], np.int32)
part = (len(letters) - 1) // BATCH // STEPS * STEPS
known = len(alphabet)

table = tf.Variable(fill(1, (known, WIDTH), 0.5))
w = tf.Variable(fill(2, (UNITS, known), 0.15))
b = tf.Variable(tf.zeros(known))
kernel = tf.Variable(fill(3, (WIDTH + UNITS, 4 * UNITS), 0.13))
bias = tf.Variable(tf.zeros(4 * UNITS))
variables = [table, w, b, kernel, bias]
slots = [(tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for v in variables]
powers = [tf.Variable(0.9), tf.Variable(0.999)]


@tf.function(jit_compile=False)
def train(read, wanted, c, h):
    with tf.GradientTape() as tape:
        inputs = tf.transpose(tf.gather(table, read), (1, 0, 2))
        outputs = tf.TensorArray(tf.float32, STEPS, element_shape=(BATCH, UNITS))
        for t in tf.range(STEPS):
            i, j, f, o = tf.split(tf.concat((inputs[t], h), 1) @ kernel + bias, 4, 1)
            c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            h = tf.tanh(c) * tf.sigmoid(o)
            outputs = outputs.write(t, h)
        logits = tf.reshape(tf.transpose(outputs.stack(), (1, 0, 2)), (-1, UNITS)) @ w + b
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(wanted, (-1,)), logits))
    gradients = [tf.convert_to_tensor(d) for d in tape.gradient(loss, variables)]
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    for v, (m, s), d in zip(variables, slots, gradients):
        tf.raw_ops.ResourceApplyAdam(var=v.handle, m=m.handle, v=s.handle, beta1_power=powers[0], beta2_power=powers[1], lr=RATE,
                                     beta1=0.9, beta2=0.999, epsilon=1e-8, grad=d)
    powers[0].assign(powers[0] * 0.9)
    powers[1].assign(powers[1] * 0.999)
    return loss, c, h


def tensorflow_losses():
    means, began = [], time.perf_counter()
    rows = np.arange(BATCH)[:, None] * part + np.arange(STEPS)
    for epoch in range(1, args.epochs + 1):
        c = h = tf.zeros((BATCH, UNITS))
        losses = []
        for at in range(0, part, STEPS):
            loss, c, h = train(tf.constant(letters[rows + at]), tf.constant(letters[rows + at + 1]), c, h)
            losses.append(float(loss))
            if at % (50 * STEPS) == 0:
                print(f"epoch {epoch}   step {at // STEPS + 1:3d}   loss {losses[-1]:.5f}", flush=True)
        means.append(float(np.mean(losses)))
        print(f"epoch {epoch}   mean loss {means[-1]:.5f}   {epoch * part * BATCH / (time.perf_counter() - began):.0f} letters/s",
              flush=True)
    return means


ours = []
if args.program:
    ran = subprocess.run([args.program, args.data, str(args.epochs)], capture_output=True, text=True)
    print(f"{args.program}:\n{ran.stdout}", flush=True)
    if ran.returncode != 0:
        sys.exit(f"{args.program} ended in {ran.returncode}")
    ours = [float(m) for m in re.findall(r"mean loss ([0-9.]+)", ran.stdout)]
print("TensorFlow:", flush=True)
theirs = tensorflow_losses()
if args.program:
    assert len(ours) == len(theirs) == args.epochs
    for epoch, (a, t) in enumerate(zip(ours, theirs), 1):
        print(f"epoch {epoch}   ours / TensorFlow's mean loss: {a / t:.5f}")
    sys.exit(0 if all(a <= t * 1.01 for a, t in zip(ours, theirs)) else "the loss is more than 1 % above TensorFlow's")
