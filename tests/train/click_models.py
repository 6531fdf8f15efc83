"""Trains the models NFM and Wide & Deep of tests/train/click_models.cpp in TensorFlow, and compares the losses and predictions with
what is recorded.

    click_models.py [--record]

Ends in 77 if there is no TensorFlow. --record writes click_model_numbers.hpp anew.
"""

import os
import pathlib
import re
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
try:
    import numpy as np
    import tensorflow as tf
except ImportError:
    print("skipped: there is no TensorFlow")
    sys.exit(77)

RECORDED = pathlib.Path(__file__).with_name("click_model_numbers.hpp")
STEPS, SAMPLES, FIELDS, FACTORS, HIDDEN = 20, 16, 3, 4, (6, 5)
SEED, SCALE = 3, 0.25
MASK = (1 << 64) - 1


def mixed(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def initial(key, column):
    of_key = mixed(mixed((key + 0x9E3779B97F4A7C15) & MASK) ^ mixed(SEED))
    random = mixed((of_key + column * 0x9E3779B97F4A7C15) & MASK)
    return ((random >> 40) - (1 << 23)) * SCALE / (1 << 23)


def key(step, sample, field):
    return (step * 5 + sample * 3 + field * field * 7) % 20 + field * 100


def batch(step):
    cells = [(s, f) for s in range(SAMPLES) for f in range(FIELDS)]
    keys = np.array([key(step, s, f) for s, f in cells]).reshape(SAMPLES, FIELDS)
    values = np.array([0.5 + ((step + s + f) % 4) / 4 for s, f in cells], np.float32).reshape(SAMPLES, FIELDS)
    labels = np.array([(step + s * s) % 3 == 0 for s in range(SAMPLES)], np.float32)
    return keys, values, labels


def weights(shape, number):
    count = int(np.prod(shape))
    return (((np.arange(count) * 7 + number * 3) % 11 - 5) / 16).astype(np.float32).reshape(shape)


def train(kind):
    table = tf.Variable([[initial(k, c) for c in range(1 + FACTORS)] for k in range(FIELDS * 100)], dtype=tf.float32)
    bias = tf.Variable(0.0)
    inputs, layers = FACTORS * (FIELDS if kind == "wide_deep" else 1), []
    for number, size in enumerate(HIDDEN + (1,)):
        layers.append(tf.Variable(weights((inputs, size), number)))
        if size > 1:
            layers.append(tf.Variable(tf.fill([size], 0.25)))
        inputs = size

    def logits(keys, values):
        x = tf.gather(table, keys) * values[:, :, None]
        v = x[:, :, 1:]
        if kind == "nfm":
            h = (tf.square(tf.reduce_sum(v, 1)) - tf.reduce_sum(tf.square(v), 1)) / 2
        else:
            h = tf.reshape(v, [SAMPLES, FIELDS * FACTORS])
        for i in range(0, len(layers) - 1, 2):
            h = tf.nn.relu(h @ layers[i] + layers[i + 1])
        return bias + tf.reduce_sum(x[:, :, 0], 1) + tf.reshape(h @ layers[-1], [-1])

    method = tf.compat.v1.train.AdagradOptimizer(0.1, initial_accumulator_value=0.1)
    losses = []
    for step in range(STEPS):
        keys, values, labels = batch(step)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits(keys, values)))
        parameters = [table, bias] + layers
        method.apply_gradients(zip(tape.gradient(loss, parameters), parameters))
        losses.append(float(loss))
    keys, values, _ = batch(STEPS)
    return losses, tf.sigmoid(logits(keys, values)).numpy().tolist()


def text():
    lines = ["#pragma once", "// Made by click_models.py --record: the losses of 20 steps of Adagrad in TensorFlow " + tf.__version__,
             "// and the predictions for the next batch.", ""]
    for kind in ("nfm", "wide_deep"):
        for name, numbers in zip(("losses", "predictions"), train(kind)):
            lines.append(f"inline constexpr double {kind}_{name}[] = {{")
            numbers = [f"{x:.9g}" for x in numbers]
            lines += ["    " + ", ".join(numbers[i : i + 8]) + "," for i in range(0, len(numbers), 8)]
            lines.append("};")
    return "\n".join(lines) + "\n"


def numbers_of(source):
    return np.array([float(x) for body in re.findall(r"\{(.*?)\}", source, re.S) for x in body.split(",") if x.strip()])


if sys.argv[1:] == ["--record"]:
    RECORDED.write_text(text())
else:
    found, expected = numbers_of(RECORDED.read_text()), numbers_of(text())
    if found.shape != expected.shape or np.abs(found - expected).max() > 1e-5:
        sys.exit("click_model_numbers.hpp differs from TensorFlow: run click_models.py --record")
    print(len(found), "numbers agree")
