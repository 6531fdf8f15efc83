"""Records the candidates that TensorFlow samples for losses of many classes, and RefSelect, as sessions to be replayed.

    sampler_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py; the cases of RefSelect are steps of one session. tests/conformance/data/samplers.tar.xz holds the
file. Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import SKIPPED, Recorder
from recorded_calls import Calls

SEEDS = ((1, 0), (0, 7), (3, 5), (123456789012, -4))


def record_samplers(c):
    np, raw = c.np, c.raw
    for op, most in (("UniformCandidateSampler", 1 << 40), ("LogUniformCandidateSampler", 1 << 40), ("LearnedUnigramCandidateSampler", 5000)):
        make = getattr(raw, op)
        for i, (seed, seed2) in enumerate(SEEDS):
            for unique in (False, True):
                for k, (count, size, columns) in enumerate(((5, 10, 1), (10, 10, 2), (1, 1, 1), (64, 100, 3), (20, most, 1), (16, 4096, 1))):
                    true = np.random.RandomState(k).randint(0, min(size, 1000), (3, columns)).astype(np.int64)
                    c.case(f"{op}.{i}.{k}.{unique}".lower().replace(op.lower(), op), lambda t: list(make(
                        true_classes=t, num_true=columns, num_sampled=count, unique=unique, range_max=size, seed=seed, seed2=seed2)), true)
        sample = lambda t, **more: list(make(**{**dict(true_classes=t, num_true=2, num_sampled=4, unique=True, range_max=8, seed=1, seed2=2),
                                                **more}))
        true = np.int64([[1, 2], [3, 4]])
        for label, given, more in (("no_rows", true[:0], {}), ("columns", true[:, :1], {}), ("vector", true[0], {}), ("negative", -true, {}),
                                   ("too_large", true + 6, {}), ("small_range", true, dict(num_sampled=9)),
                                   ("repeated", true, dict(num_sampled=9, unique=False)), ("cube", true[None], {})):
            c.case(f"{op}.{label}", lambda t: sample(t, **more), given)


def record_fixed(c):
    np, raw = c.np, c.raw
    weights = [0.5, 3.0, 1.0, 0.25, 7.0, 1.0, 2.0]
    true = np.int64([[0, 6], [3, 4]])
    sample = lambda t, **more: list(raw.FixedUnigramCandidateSampler(**{**dict(
        true_classes=t, num_true=2, num_sampled=5, unique=False, range_max=7, unigrams=weights, seed=1, seed2=2), **more}))
    forms = (("plain", {}), ("unique", dict(unique=True)), ("all", dict(unique=True, num_sampled=7)), ("distortion", dict(distortion=0.75)),
             ("flat", dict(distortion=0.0)), ("reserved", dict(num_reserved_ids=2, range_max=9)),
             ("reserved_unique", dict(num_reserved_ids=3, range_max=10, unique=True)), ("first_shard", dict(num_shards=2, shard=0, range_max=4)),
             ("second_shard", dict(num_shards=2, shard=1, range_max=3)), ("many", dict(num_sampled=100)),
             ("other_shards", dict(num_shards=3, shard=1, range_max=4, num_reserved_ids=2)))
    for label, more in forms:
        for seed, seed2 in SEEDS:
            given = np.minimum(true, more.get("range_max", 7) - 1)
            c.case(f"FixedUnigramCandidateSampler.{label}.{seed}.{seed2}", lambda t: sample(t, seed=seed, seed2=seed2, **more), given)
    for label, given, more in (("range", true, dict(range_max=8)), ("range_small", true, dict(range_max=6)), ("none", true, dict(unigrams=[])),
                               ("both", true, dict(vocab_file="/missing")), ("no_file", true, dict(unigrams=[], vocab_file="/missing")),
                               ("shard_high", true, dict(num_shards=2, shard=2)), ("large_class", true + 1, {}), ("negative", -true, {}),
                               ("no_rows", true[:0], {}), ("columns", true[:, :1], {}), ("one", true * 0, dict(unigrams=[2.0], range_max=1)),
                               ("small_range", true, dict(unique=True, num_sampled=8))):
        c.case(f"FixedUnigramCandidateSampler.{label}", lambda t: sample(t, **more), given)


def record_all(c):
    np, raw = c.np, c.raw
    sample = lambda t, **more: list(raw.AllCandidateSampler(**{**dict(true_classes=t, num_true=2, num_sampled=6, unique=True, seed=1, seed2=2),
                                                               **more}))
    true = np.int64([[1, 2], [3, 4]])
    for label, given, more in (("plain", true, {}), ("repeated", true, dict(unique=False)), ("one", true * 0, dict(num_sampled=1)),
                               ("many", true, dict(num_sampled=300)), ("no_rows", true[:0], {}), ("columns", true[:, :1], {}),
                               ("vector", true[0], {}), ("too_large", true + 2, {}), ("negative", -true, {})):
        for seeds in ((1, 2), (0, 0)) if label in ("plain", "repeated") else ((1, 2),):
            c.case(f"AllCandidateSampler.{label}.{seeds[0]}", lambda t: sample(t, seed=seeds[0], seed2=seeds[1], **more), given)


def record_hits(c):
    np, raw = c.np, c.raw
    hits = lambda t, s, n=2, **more: list(raw.ComputeAccidentalHits(true_classes=t, sampled_candidates=s, num_true=n, **more))
    for i in range(10):
        draw = np.random.RandomState(i)
        rows, columns, count, classes = draw.randint(1, 6), draw.randint(1, 4), draw.randint(1, 12), draw.randint(2, 12)
        c.case(f"ComputeAccidentalHits.{i}", lambda t, s: hits(t, s, columns), draw.randint(0, classes, (rows, columns)).astype(np.int64),
               draw.randint(0, classes, count).astype(np.int64))
    true, candidates = np.int64([[1, 2], [3, 4]]), np.int64([4, 1, 9, 1])
    for label, given in (("twice", (true, candidates)), ("none", (true, candidates + 10)), ("no_rows", (true[:0], candidates)),
                         ("no_candidates", (true, candidates[:0])), ("negative", (-true, -candidates)), ("columns", (true[:, :1], candidates)),
                         ("vector", (true[0], candidates)), ("matrix", (true, candidates[None])), ("scalar", (true, candidates[0])),
                         ("large", (true + (1 << 40), candidates + (1 << 40)))):
        c.case(f"ComputeAccidentalHits.{label}", lambda t, s: hits(t, s), *given)
    c.case("ComputeAccidentalHits.seeds", lambda t, s: hits(t, s, seed=3, seed2=4), true, candidates)


def record_runs(c):
    np, raw = c.np, c.raw
    true = [np.random.RandomState(i).randint(0, 1 + 3 * i, (4, 2)).astype(np.int64) for i in range(9)]
    for op, more in (("UniformCandidateSampler", {}), ("LogUniformCandidateSampler", {}), ("LearnedUnigramCandidateSampler", {}),
                     ("FixedUnigramCandidateSampler", dict(unigrams=[float(1 + i % 7) for i in range(30)]))):
        for unique in (False, True):
            for seed, seed2 in SEEDS[1:3]:
                c.runs(f"{op}.runs.{seed}.{unique}".replace("True", "true").replace("False", "false"), lambda t: list(getattr(raw, op)(
                    true_classes=t, num_true=2, num_sampled=12, unique=unique, range_max=30, seed=seed, seed2=seed2, **more)), true)


def record_losses(c):
    tf, np = c.tf, c.np
    weights, biases, inputs = c.drawn((9, 4), seed=1, low=-1, high=1), c.drawn((9,), seed=2, low=-1, high=1), c.drawn((3, 4), seed=3, low=-1, high=1)
    labels = np.int64([[2, 3], [0, 8], [5, 5]])
    counts = np.float32([0.4, 0.2, 0.3, 0.1])
    sampled = (np.int64([5, 1, 8, 1]), np.float32([[0.3, 0.2], [0.1, 0.4], [0.2, 0.2]]), counts)
    for name, loss in (("sampled_softmax_loss", tf.compat.v1.nn.sampled_softmax_loss), ("nce_loss", tf.compat.v1.nn.nce_loss)):
        for hits in (False, True):
            def slopes(w, b, x, t, s, p, q):
                y = loss(w, b, t, x, num_sampled=4, num_classes=9, num_true=2, sampled_values=(s, p, q), remove_accidental_hits=hits)
                return [y] + [tf.convert_to_tensor(g) for g in tf.gradients(y, [w, b, x])]
            c.case(f"{name}.{hits}".lower(), slopes, weights, biases, inputs, labels, *sampled)


def record_selection(c):
    tf, np, raw = c.tf, c.np, c.raw
    v1 = tf.compat.v1

    def chosen(kinds, read, given=(1, 2, 3), extent=(2,)):
        made = [v1.Variable(np.full(extent, g, kinds), name=f"v{i}", use_resource=False) for i, g in enumerate(given)]
        index = v1.placeholder(tf.int32, ())
        with tf.control_dependencies([v.initializer for v in made]):
            at = tf.identity(index)
        return index, read(raw.RefSelect(index=at, inputs=[v._ref() for v in made]))

    for kind in ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "int16", "uint16", "bool", "complex64"):
        for i in (0, 2):
            def build():
                index, y = chosen(kind, tf.identity)
                return [y], {index: np.int32(i)}
            c.rec.case(f"samplers.RefSelect.{kind}.{i}", build)
    for label, i in (("negative", -1), ("too_large", 3)):
        def build():
            index, y = chosen("float32", tf.identity)
            return [y], {index: np.int32(i)}
        c.rec.case(f"samplers.RefSelect.{label}", build)

    def assigned():
        index, y = chosen("float32", lambda r: raw.Assign(ref=r, value=tf.constant([7.0, 8.0])))
        return [tf.identity(y)], {index: np.int32(1)}
    c.rec.case("samplers.RefSelect.assign", assigned)

    def added():
        index, y = chosen("float32", lambda r: raw.AssignAdd(ref=r, value=tf.constant([7.0, 8.0])), (1, 2))
        return [tf.identity(y)], {index: np.int32(0)}
    c.rec.case("samplers.RefSelect.add", added)

    def alone():
        index, y = chosen("float32", tf.identity, (4,), (2, 0, 3))
        return [y], {index: np.int32(0)}
    c.rec.case("samplers.RefSelect.alone", alone)

    def empty():
        made = [v1.Variable(np.float32(1), name=f"v{i}", use_resource=False) for i in range(2)]
        index = v1.placeholder(tf.int32, ())
        with tf.control_dependencies([made[0].initializer]):
            at = tf.identity(index)
        return [tf.identity(raw.RefSelect(index=at, inputs=[v._ref() for v in made]))], {index: np.int32(0)}
    c.rec.case("samplers.RefSelect.uninitialized", empty)


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = Recorder(tf, np, sys.argv[2:])
    calls = Calls(tf, np, recorder, "samplers.")
    for record in (record_samplers, record_fixed, record_all, record_hits, record_runs, record_losses, record_selection):
        record(calls)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
