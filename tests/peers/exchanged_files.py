"""Files that TensorFlow, NumPy and safetensors write, flowgraph reads and writes again, and they read: equal to the bit.

    exchanged_files.py PROGRAM      runs PROGRAM FROM TO: tests/conformance/exchanged_files.cpp

Checkpoints of both versions and of objects, with tensors of all types, strings, and tensors in parts; archives of arrays of both byte orders;
safetensors where that package is installed. Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
NUMBERS = "float32 float64 float16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split()
SHAPES = (), (0,), (5,), (2, 3), (300, 200)


def values(np):
    rng = np.random.default_rng(1)
    made = {}
    for kind in NUMBERS:
        for shape in SHAPES:
            x = rng.integers(0, 2, shape) if kind == "bool" else rng.integers(0, 100, shape)
            made[f"{kind}/{len(shape)}/{'x'.join(map(str, shape))}"] = np.asarray(x).astype(kind)
    return made


def run(tf, feeds):
    """Runs what feeds(graph) makes in a session."""
    with tf.Graph().as_default():
        wanted = feeds()
        with tf.compat.v1.Session() as session:
            return session.run(wanted)


def same(np, name, a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == object or b.dtype == object:
        equal = a.tolist() == b.tolist()
    else:
        equal = a.dtype.newbyteorder("=") == b.dtype.newbyteorder("=") and a.shape == b.shape and a.tolist() == b.tolist()
        equal = equal and a.astype(a.dtype.newbyteorder("=")).tobytes() == b.astype(b.dtype.newbyteorder("=")).tobytes()
    assert equal, f"{name} differs: {a.dtype}{a.shape}, {b.dtype}{b.shape}"


def objects(tf):
    """A checkpoint of objects, of a model and its optimizer: its prefix's writer, and the values by path and name."""
    model = tf.Module()
    model.layers = [tf.Module(), tf.Module()]
    for i, layer in enumerate(model.layers):
        layer.kernel = tf.Variable(tf.reshape(tf.range(6.0 * (i + 1)), [-1, 3]), name=f"dense_{i}/kernel")
        layer.bias = tf.Variable([1.5, -2.0, i], name=f"dense_{i}/bias")
    step = tf.Variable(7, dtype=tf.int64, name="step")
    saved = tf.train.Checkpoint(model=model, step=step)
    expected = {"step|step": step}
    for i, layer in enumerate(model.layers):
        for name in ("kernel", "bias"):
            expected[f"model/layers/{i}/{name}|dense_{i}/{name}"] = getattr(layer, name)
    return saved, {name: value.numpy() for name, value in expected.items()}


def main(program):
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as why:
        print("skipped:", why)
        return SKIPPED
    try:
        from safetensors import numpy as safetensors
    except ImportError:
        safetensors = None
        print("without safetensors, which is not installed")
    plain = values(np)
    bundled = dict(plain, text=np.array([b"", b"abc", b"x" * 300], dtype=object),
                   brain=np.arange(6).astype(tf.bfloat16.as_numpy_dtype))
    old = {n: v for n, v in plain.items() if n.split("/")[0] not in ("uint32", "uint64", "float16")}
    arrays = dict(plain, big=np.arange(5).astype(">f4"), columns=np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))
    rows = np.arange(1000, dtype=np.float32).reshape(100, 10)
    parts = ["100 10 0,30:-", "100 10 30,40:-", "100 10 70,30:-"]
    pieces = [rows[:30], rows[30:70], rows[70:]]
    with tempfile.TemporaryDirectory() as folder:
        there, back = folder + "/from", folder + "/to"
        os.mkdir(there)
        os.mkdir(back)
        run(tf, lambda: tf.raw_ops.SaveV2(
            prefix=there + "/bundle", tensor_names=[*bundled, "rows", "rows", "rows"],
            shape_and_slices=[""] * len(bundled) + parts, tensors=[*map(tf.constant, bundled.values()), *pieces]))
        run(tf, lambda: tf.raw_ops.SaveSlices(
            filename=there + "/slices", tensor_names=[*old, "rows", "rows", "rows"],
            shapes_and_slices=[""] * len(old) + parts, data=[*map(tf.constant, old.values()), *pieces]))
        saved, expected_objects = objects(tf)
        saved.write(there + "/objects")
        np.savez(there + "/arrays.npz", **{n.replace("/", "_"): v for n, v in arrays.items()})
        complex_too = {n: v for n, v in plain.items() if not n.startswith("complex")}
        if safetensors:
            safetensors.save_file(complex_too, there + "/tensors.safetensors", metadata={"by": "test"})
        subprocess.run([program, there, back], check=True)

        read = tf.train.load_checkpoint(back + "/bundle")
        for name, value in dict(bundled, rows=rows).items():
            same(np, name, read.get_tensor(name), value)
        part, = run(tf, lambda: [tf.raw_ops.RestoreSlice(
            file_pattern=back + "/slices", tensor_name="rows", shape_and_slice="100 10 20,30:5,2", dt=tf.float32)])
        same(np, "part", part, rows[20:50, 5:7])
        restored = run(tf, lambda: [tf.raw_ops.Restore(
            file_pattern=back + "/slices", tensor_name=n, dt=v.dtype) for n, v in old.items()])
        for (name, value), found in zip(old.items(), restored):
            same(np, name, found, value)
        with np.load(back + "/arrays.npz") as read:
            for name, value in arrays.items():
                same(np, name, read[name.replace("/", "_")], value)
        with np.load(back + "/objects.npz") as read:
            for name, value in expected_objects.items():
                same(np, name, read[name], value)
        if safetensors:
            read = safetensors.load_file(back + "/tensors.safetensors")
            for name, value in complex_too.items():
                same(np, name, read[name], value)
    print(f"{len(bundled) + 1} + {len(old) + 1} tensors of checkpoints, {len(arrays)} arrays, {len(expected_objects)} values of objects,"
          f" {len(complex_too) if safetensors else 0} safetensors: equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
