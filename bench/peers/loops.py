"""What the loops of bench/loops.cpp and bench/recurrent.cpp compute, in TensorFlow's graphs: in its while_loop, and written out."""
import os

import numpy as np

from measuring import bits, command_line, fill, measure

args = command_line().parse_args()

import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.disable_control_flow_v2()
STEPS, SEQUENCES, SYMBOLS, EMBEDDED, UNITS, PRODUCTS = 32, 32, 96, 64, 256, 1000


def products(is_loop):
    """a = a W + B, so many times; the mean magnitude of the result is the check."""
    x, w, b = v1.placeholder(tf.float32, (64, 64)), tf.constant(fill(1, (64, 64), 0.125)), tf.constant(fill(2, (64, 64)))
    if is_loop:
        y = tf.while_loop(lambda i, a: i < PRODUCTS, lambda i, a: (i + 1, tf.matmul(a, w) + b), (0, x))[1]
    else:
        y = x
        for _ in range(PRODUCTS):
            y = tf.matmul(y, w) + b
    return [x], [np.zeros((64, 64), np.float32)], y, None, "ns/iteration", PRODUCTS


def lstm(is_loop):
    """The loss of step 20 is the check."""
    ids = (bits(702, (STEPS + 1) * SEQUENCES) % np.uint32(SYMBOLS)).astype(np.int64).reshape(STEPS + 1, SEQUENCES)
    x, following = v1.placeholder(tf.int64, (STEPS, SEQUENCES)), v1.placeholder(tf.int64, (STEPS, SEQUENCES))
    scale = UNITS**-0.5
    table, kernel, bias, w, b = (v1.Variable(v, use_resource=True) for v in (
        fill(1, (SYMBOLS, EMBEDDED), 0.1), fill(2, (EMBEDDED + UNITS, 4 * UNITS), scale), np.zeros(4 * UNITS, np.float32),
        fill(3, (UNITS, SYMBOLS), scale), np.zeros(SYMBOLS, np.float32)))
    rows = tf.nn.embedding_lookup(table, x)

    def step(row, h, c):
        i, f, g, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([row, h], 1), kernel), bias), 4, 1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    h = c = tf.zeros((SEQUENCES, UNITS))
    if is_loop:
        inputs, outputs = tf.TensorArray(tf.float32, STEPS).unstack(rows), tf.TensorArray(tf.float32, STEPS)

        def body(t, h, c, outputs):
            h, c = step(inputs.read(t), h, c)
            return t + 1, h, c, outputs.write(t, h)
        made = tf.while_loop(lambda t, *_: t < STEPS, body, (0, h, c, outputs))[3].stack()
    else:
        outputs = []
        for row in tf.unstack(rows, STEPS):
            h, c = step(row, h, c)
            outputs.append(h)
        made = tf.stack(outputs)
    logits = tf.nn.bias_add(tf.matmul(tf.reshape(made, (STEPS * SEQUENCES, UNITS)), w), b)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(following, [-1]), logits=logits))
    update = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    return [x, following], [ids[:-1], ids[1:]], loss, update, "ms/step", 1


WORKS = {"while_loop": lambda: products(True), "while_written_out": lambda: products(False),
         "lstm_train": lambda: lstm(True), "lstm_written_out": lambda: lstm(False)}
UNIT = {"ns/iteration": 1e9, "ms/step": 1e3}

for work in args.work.split(","):
    with tf.Graph().as_default():
        feeds, values, fetch, update, unit, per = WORKS[work]()
        config = v1.ConfigProto(intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=1)
        with v1.Session(config=config) as session:
            session.run(v1.global_variables_initializer())
            call = session.make_callable([fetch] + ([update] if update is not None else []), feeds)
            made = [call(*values)[0] for _ in range(20 if update is not None else 2)][-1]
            onednn = "+onednn" if os.environ.get("TF_ENABLE_ONEDNN_OPTS") == "1" else ""
            measure(args, f"tensorflow{onednn}/graph", work, lambda: call(*values), np.mean(np.abs(made)), unit, UNIT[unit] / per)
