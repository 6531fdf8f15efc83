"""Writes the models that tests/interop/trained_models.cpp trains, and what TensorFlow and Keras compute with them.

    keras_models.py FOLDER

For each model: FOLDER/<model>/export and FOLDER/<model>/saved, which are SavedModels by model.export and by tf.saved_model.save, and
FOLDER/<model>/recorded.safetensors with inputs, labels, answers, the gradients of the first step, the losses of five steps of SGD and of
Adam, and the weights after them. Needs TensorFlow 2 with Keras 3; tests need neither.
"""
import os
import shutil
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0", KERAS_BACKEND="tensorflow")
import json
import struct

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
CLASSES, ROWS, STEPS = 3, 6, 5


def convolution():
    x = L.Input((6, 5, 2), name="picture")
    h = L.Conv2D(4, 3, padding="same", name="conv")(x)
    h = L.BatchNormalization(name="norm")(h)
    h = L.MaxPooling2D(2)(L.ReLU()(h))
    return keras.Model(x, L.Dense(CLASSES, name="scores")(L.Flatten()(h)))


def lstm():
    x = L.Input((7, 3), name="series")
    h = L.Bidirectional(L.LSTM(4, return_sequences=True), name="both")(x)
    return keras.Model(x, L.Dense(CLASSES, name="scores")(L.LSTM(3, name="last")(h)))


def gru():
    x = L.Input((7, 3), name="series")
    h = L.GRU(4, go_backwards=True, name="backwards")(x)
    return keras.Model(x, L.Dense(CLASSES, name="scores")(h))


def attention():
    x = L.Input((5, 6), name="series")
    a = L.MultiHeadAttention(2, 3, name="heads")(x, x)
    h = L.LayerNormalization(name="norm")(L.Add()([x, a]))
    return keras.Model(x, L.Dense(CLASSES, name="scores")(L.GlobalAveragePooling1D()(h)))


def embedding():
    x = L.Input((6,), dtype="int32", name="words")
    h = L.Embedding(11, 4, mask_zero=True, name="table")(x)
    return keras.Model(x, L.Dense(CLASSES, name="scores")(L.LSTM(4, name="reader")(h)))


def all_of_them():
    x = L.Input((6,), dtype="int32", name="words")
    h = L.Embedding(11, 6, mask_zero=True, name="table")(x)
    h = L.Bidirectional(L.LSTM(3, return_sequences=True), name="both")(h)
    a = L.MultiHeadAttention(2, 3, name="heads")(h, h)
    h = L.LayerNormalization(name="layer_norm")(L.Add()([h, a]))
    h = L.Conv1D(4, 3, padding="same", name="conv")(h)
    h = L.BatchNormalization(name="norm")(h)
    h = L.GRU(4, go_backwards=True, name="backwards")(L.Activation("tanh")(h))
    return keras.Model(x, L.Dense(CLASSES, name="scores")(h))


MODELS = (convolution, lstm, gru, attention, embedding, all_of_them)


def save_arrays(path, arrays):
    """Writes float32 and int32 arrays as safetensors."""
    header, data, at = {}, b"", 0
    for name, a in arrays.items():
        a = np.ascontiguousarray(a)
        kind = {"float32": "F32", "int32": "I32"}[str(a.dtype)]
        header[name] = {"dtype": kind, "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]}
        data, at = data + a.tobytes(), at + a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def clean(folder):
    """Leaves what loaders read."""
    for name in ("fingerprint.pb", "keras_metadata.pb"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    if os.path.isdir(os.path.join(folder, "assets")) and not os.listdir(os.path.join(folder, "assets")):
        os.rmdir(os.path.join(folder, "assets"))


def record(folder, make):
    keras.utils.set_random_seed(5)
    model = make()
    random = np.random.default_rng(1)
    shape = (ROWS,) + tuple(model.inputs[0].shape[1:])
    if model.inputs[0].dtype == "int32":
        x = random.integers(0, 11, shape).astype("int32")
        x[:, 0] = np.maximum(x[:, 0], 1)
        x[:2, 4:] = 0
    else:
        x = random.standard_normal(shape).astype("float32")
    labels = random.integers(0, CLASSES, ROWS).astype("int32")
    model(x, training=True)  # moving values of their own
    model.export(os.path.join(folder, "export"), verbose=False)
    tf.saved_model.save(model, os.path.join(folder, "saved"))
    for one in ("export", "saved"):
        clean(os.path.join(folder, one))
    weights = model.trainable_variables
    start = [v.numpy() for v in weights]
    made = {"x": x, "labels": labels, "answers": model(x, training=False).numpy()}

    def loss_of():
        logits = model(x, training=False)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))

    for name, optimizer in (("sgd", keras.optimizers.SGD(0.2)), ("adam", keras.optimizers.Adam(0.01))):
        for v, first in zip(weights, start):
            v.assign(first)
        losses = []
        for step in range(STEPS):
            with tf.GradientTape() as tape:
                loss = loss_of()
            # Keras's Adam squares the rows of a table's gradient before it sums those of one word: dense ones have no such rows.
            gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, weights)]
            if name == "sgd" and step == 0:
                for v, g in zip(weights, gradients):
                    made["gradient/" + v.path] = g.numpy()
            optimizer.apply_gradients(zip(gradients, weights))
            losses.append(float(loss))
        losses.append(float(loss_of()))
        made["losses/" + name] = np.array(losses, "float32")
        for v in weights:
            made[name + "/" + v.path] = v.numpy()
    save_arrays(os.path.join(folder, "recorded.safetensors"), made)


def main(folder):
    for make in MODELS:
        one = os.path.join(folder, make.__name__)
        shutil.rmtree(one, ignore_errors=True)
        os.makedirs(one)
        record(one, make)
        print(one)


main(*sys.argv[1:])
