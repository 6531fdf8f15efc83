"""Writes digits_model, which examples/files/keras_training.cpp trains: python3 digits_model.py

A signature that answers is made with training=False. To train elsewhere a model needs one that is made with training=True and returns the
loss: with it, batch norm uses the batch and moves its averages, and dropout drops.
"""
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
pixels = keras.Input((64,), name="pixels")
hidden = keras.layers.Dense(24, name="hidden")(pixels)
hidden = keras.layers.ReLU()(keras.layers.BatchNormalization(name="norm")(hidden))
model = keras.Model(pixels, keras.layers.Dense(10, name="scores")(hidden))

IMAGES = tf.TensorSpec([None, 64], tf.float32, name="pixels")
LABELS = tf.TensorSpec([None], tf.int32, name="labels")


@tf.function(input_signature=[IMAGES, LABELS])
def train(pixels, labels):
    scores = model(pixels, training=True)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    return {"loss": tf.reduce_mean(losses)}


@tf.function(input_signature=[IMAGES])
def answer(pixels):
    return {"scores": model(pixels, training=False)}


tf.saved_model.save(model, "digits_model", signatures={"train": train, "serving_default": answer})
