"""Models of today's Keras, frozen, with what TensorFlow computes in them: what flowgraph imports and has to agree with.

    keras_models.py write FOLDER [--model NAME,NAME] [--without-tensors]
    keras_models.py compare PROGRAM [FOLDER]      writes model after model, to a temporary folder where none is named, and runs
                                                  PROGRAM FOLDER MODEL for each

For each model FOLDER gets

    MODEL.pb        the frozen graph: the placeholder is `x`, the output `y`
    MODEL.input     the input, a TensorProto
    MODEL.tensors   every floating point tensor that an op of the graph computes from this input, the output last: a line
                    "NAME BYTES", then a TensorProto of so many bytes

Weights are random, with a fixed seed. Batch normalization has statistics for which the activations of the deepest layer are as
large as those of the first. TensorFlow computes in one thread, without oneDNN and without its graph optimizers, which would
compute other tensors. Ends in 77, and says so, where this Python has no TensorFlow.
"""
import argparse
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
IMAGE = (1, 224, 224, 3)
MODELS = ("mobilenetv2", "mobilenetv3large", "resnet50", "efficientnetb0", "transformer")
WORDS, SYMBOLS, WIDTH, HEADS, LAYERS = 128, 8000, 256, 8, 4

os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")


def transformer(keras):
    """An encoder of four layers over 128 words, with a class for each text."""
    layers = keras.layers
    words = keras.Input((WORDS,), dtype="int32")
    place = layers.Embedding(WORDS, WIDTH)(keras.ops.arange(WORDS))
    x = layers.Embedding(SYMBOLS, WIDTH)(words) + place
    for _ in range(LAYERS):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(x, x))
        y = layers.Dense(4 * WIDTH, activation="gelu")(x)
        x = layers.LayerNormalization()(x + layers.Dense(WIDTH)(y))
    return keras.Model(words, layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling1D()(x)))


def build(keras, np, name):
    """The model and its input."""
    keras.utils.set_random_seed(1)
    random = np.random.default_rng(2)
    if name == "transformer":
        model, x = transformer(keras), random.integers(0, SYMBOLS, (1, WORDS), np.int32)
        vary(np, model, random)
    else:
        made = {"mobilenetv2": keras.applications.MobileNetV2, "mobilenetv3large": keras.applications.MobileNetV3Large,
                "resnet50": keras.applications.ResNet50, "efficientnetb0": keras.applications.EfficientNetB0}[name]
        model = made(weights=None, classifier_activation=None)
        # Only mobilenetv2 and resnet50 expect pixels that are scaled already.
        pixels = random.uniform(0, 255, (3,) + IMAGE[1:]).astype(np.float32)
        if name in ("mobilenetv2", "resnet50"):
            pixels = pixels / np.float32(127.5) - np.float32(1)
        vary(np, model, random)
        settle(keras, np, model, random, pixels[1:])
        # Logits of about one, for a softmax that is not all in one class.
        classifier = [layer for layer in model.layers if hasattr(layer, "kernel")][-1]
        classifier.kernel.assign(classifier.kernel / np.std(model(pixels[1:], training=False)))
        model, x = keras.Model(model.input, keras.layers.Softmax()(model.output)), pixels[:1]
    return model, x


def vary(np, model, random):
    """Changes biases, offsets and scales, which are zeros and ones when made."""
    for weight in model.weights:
        if weight.path.endswith(("bias", "beta")):
            weight.assign(random.uniform(0, 0.2, weight.shape))
        elif weight.path.endswith("gamma"):
            weight.assign(random.uniform(0.9, 1.1, weight.shape))


def settle(keras, np, model, random, pixels):
    """Gives each batch normalization statistics for which its activations are about one, from the first layer to the last.

    All channels of a layer get about the same, however they differ. Scaled one by one they would enlarge a difference with every
    layer, and what two programs round differently would be seen tens of layers later: TensorFlow's own results would then be up
    to 4e-5 of the largest element from exact ones.
    """
    def settled(layer, call):
        def first(x, **options):
            size = float(np.mean(np.square(x)))
            layer.moving_mean.assign(size**0.5 * random.uniform(-0.1, 0.1, layer.moving_mean.shape))
            layer.moving_variance.assign(size * random.uniform(0.5, 1.5, layer.moving_mean.shape))
            return call(x, **options)
        return first

    normalizations = [layer for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)]
    calls = [layer.call for layer in normalizations]
    for layer, call in zip(normalizations, calls):
        layer.call = settled(layer, call)
    model(pixels, training=False)
    for layer, call in zip(normalizations, calls):
        layer.call = call


def freeze(tf, model, x):
    """A graph of constants; its output is named y."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
    function = tf.function(lambda x: tf.identity(model(x, training=False), name="y"), autograph=False)
    concrete = function.get_concrete_function(tf.TensorSpec(x.shape, x.dtype, name="x"))
    graph = convert_variables_to_constants_v2(concrete).graph.as_graph_def()
    assert not graph.library.function and {"x", "y"} <= {node.name for node in graph.node}
    return graph


def record(tf, np, path, graph_def, x):
    """Writes MODEL.tensors; returns a few words about it."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        tensors = [t for op in graph.get_operations() if op.type not in ("Const", "Placeholder") for t in op.outputs
                   if t.dtype.is_floating]
        tensors.sort(key=lambda t: t.name == "y:0")  # keeps the order of the others
        config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
        with v1.Session(graph=graph, config=config) as session:
            values = session.run(tensors, {"x:0": x})
    with open(path, "wb") as file:
        for tensor, value in zip(tensors, values):
            assert np.all(np.isfinite(value)), tensor.name
            proto = tf.make_tensor_proto(value).SerializeToString()
            file.write(f"{tensor.name} {len(proto)}\n".encode() + proto)
    shown = np.asarray(values[-1], np.float64).ravel()
    return f"{len(tensors)} tensors, the output from {shown.min():.4g} to {shown.max():.4g}"


def write(folder, names, with_tensors):
    try:
        import tensorflow as tf
        import keras
    except ImportError:
        print(f"skipped: {sys.executable} has no TensorFlow and Keras; FLOWGRAPH_PEERS_PYTHON may name a Python that has")
        return SKIPPED
    import numpy as np
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    os.makedirs(folder, exist_ok=True)
    for name in names:
        keras.backend.clear_session()
        model, x = build(keras, np, name)
        graph = freeze(tf, model, x)
        base = os.path.join(folder, name)
        with open(base + ".pb", "wb") as file:
            file.write(graph.SerializeToString())
        with open(base + ".input", "wb") as file:
            file.write(tf.make_tensor_proto(x).SerializeToString())
        told = record(tf, np, base + ".tensors", graph, x) if with_tensors else "written"
        print(f"{name}: {len(graph.node)} nodes, {told}", flush=True)
    return 0


def compare(program, folder):
    """Model after model, since the tensors of all take a gigabyte."""
    wrong = 0
    for name in MODELS:
        status = subprocess.run([sys.executable, __file__, "write", folder, "--model", name], check=False).returncode
        if status:
            return status
        wrong += subprocess.run([program, folder, name], check=False).returncode != 0
        os.remove(os.path.join(folder, name + ".tensors"))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("folder")
    writing.add_argument("--model", default=",".join(MODELS))
    writing.add_argument("--without-tensors", action="store_true")
    comparing = commands.add_parser("compare")
    comparing.add_argument("program")
    comparing.add_argument("folder", nargs="?")
    args = parser.parse_args()
    if args.command == "write":
        return write(args.folder, args.model.split(","), not args.without_tensors)
    if args.folder:
        return compare(args.program, args.folder)
    with tempfile.TemporaryDirectory() as folder:
        return compare(args.program, folder)


if __name__ == "__main__":
    sys.exit(main())
