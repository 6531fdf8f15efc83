"""Summaries that flowgraph makes of random arrays, and those that TensorFlow makes: equal to the bit, images and sounds too. TensorFlow reads
the file that they are in.

    summaries.py PROGRAM      runs PROGRAM ARRAYS.npz FOLDER: tests/conformance/written_events.cpp

Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
NUMBERS = "float32 float64 float16 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


def arrays(np):
    rng = np.random.default_rng(3)
    made = {}
    for channels in 1, 3, 4:
        for height, width in (1, 1), (1, 40), (40, 1), (33, 50), (150, 257):
            across = np.add.outer(np.arange(height) * 2, np.arange(width))[..., None] + 31 * np.arange(channels)
            noise = rng.integers(0, 256, (3, height, width, channels))
            for name, image in ("noise", noise), ("slope", np.stack([across, across // 3, across * across]) + noise // 80):
                size = f"{height}x{width}x{channels}"
                made[f"images/{name}/{size}"] = (image % 256).astype(np.uint8)
                for kind in "float32", "float64", "float16":
                    real = (image / 97 - (0 if name == "noise" else 1)).astype(kind)
                    if height > 1 and width > 1:
                        real[0, 0, 1, 0], real[1, 1, 1, channels - 1] = np.nan, np.inf
                    made[f"images/{name}/{size}/{kind}"] = real
    for shape in (2, 1000), (3, 500, 2), (1, 0, 1):
        made[f"sounds/{'x'.join(map(str, shape))}"] = rng.normal(0, 0.6, shape).astype(np.float32)
    for kind in NUMBERS:
        for shape in (), (0,), (1000,), (20, 30):
            x = rng.normal(0, 1, shape) * 10.0 ** rng.integers(-3, 2, shape) if kind.startswith("float") else rng.integers(0, 100, shape)
            made[f"values/{kind}/{'x'.join(map(str, shape))}"] = np.asarray(x).astype(kind)
            made[f"tensor/{kind}/{'x'.join(map(str, shape))}"] = np.asarray(x).astype(kind)
    return made


def expected(tf, name, x, metadata):
    raw = tf.raw_ops
    kind = name.split("/")[0]
    if kind == "images":
        return raw.ImageSummary(tag=name, tensor=x, max_images=2)
    if kind == "sounds":
        return raw.AudioSummaryV2(tag=name, tensor=x, sample_rate=44100.7, max_outputs=2)
    if kind == "values":
        return raw.HistogramSummary(tag=name, values=x)
    return raw.TensorSummaryV2(tag=name, tensor=x, serialized_summary_metadata=metadata)


def main(program):
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as why:
        print("skipped:", why)
        return SKIPPED
    given = arrays(np)
    metadata = tf.compat.v1.SummaryMetadata(summary_description="words", plugin_data={"plugin_name": "mine"}).SerializeToString()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        wanted = session.run({name: expected(tf, name, x, metadata) for name, x in given.items()})
    with tempfile.TemporaryDirectory() as folder:
        np.savez(folder + "/arrays.npz", **given)
        subprocess.run([program, folder + "/arrays.npz", folder + "/events"], check=True)
        file, = os.listdir(folder + "/events")
        found = {}
        for event in tf.compat.v1.train.summary_iterator(f"{folder}/events/{file}"):
            if event.HasField("summary"):
                tag = event.summary.value[0].tag
                for end in "/image/0", "/audio/0":
                    tag = tag.removesuffix(end)
                found[tag] = event.summary.SerializeToString()
    assert found.keys() == wanted.keys(), found.keys() ^ wanted.keys()
    different = [name for name in wanted if found[name] != wanted[name]]
    assert not different, f"{len(different)} of {len(wanted)} differ: {different[:20]}"
    print(f"{len(wanted)} summaries: equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
