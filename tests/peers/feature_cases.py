"""Records what TensorFlow does with selected ragged rows, counts, crosses of features, transformed images and code points, as sessions
to be replayed.

    feature_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all if no name is given

The format is that of list_cases.py. tests/conformance/data/features.tar.xz holds the file. Ends in 77, and reports the reason, if this
Python has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import Recorder, SKIPPED
from ragged_cases import Cases
from sparse_cases import ALL

COUNTED = ("int32", "int64")
SUMMED = ("int32", "int64", "float32", "float64")


class Features(Cases):
    def integers(self, *values, dtype="int64"):
        return self.np.array(values, dtype)


class Apart(Recorder):
    """Builds and records each case in a process of its own: some end TensorFlow's process, and others start its threads."""

    def case(self, name, build, tags=()):
        name = name.replace("ragged.", "features.", 1)
        if self.wanted and not name.startswith(tuple(self.wanted)):
            return
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                super().case(name, build, tags)
            except (ValueError, TypeError) as refused:
                print(f"{name}: refused when it is built: {str(refused)[:80]}", flush=True)
                os._exit(0)
            with os.fdopen(writing, "wb") as out:
                out.write(b"".join(self.cases[-1:]))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as made:
            data = made.read()
        if os.waitpid(child, 0)[1]:
            print(f"{name}: TensorFlow ended", flush=True)
        elif data:
            self.cases.append(data)


def record_gathers(c):
    tf, np = c.tf, c.np

    def add(name, splits, values, indices, rank, index="int64", split="int64"):
        def build(values, indices, *splits):
            return tf.raw_ops.RaggedGather(params_nested_splits=list(splits), params_dense_values=values, indices=indices,
                                           OUTPUT_RAGGED_RANK=rank)

        c.case("RaggedGather/" + name, build, values, np.array(indices, index), *(np.array(s, split) for s in splits))

    one, deep = [[0, 2, 2, 7]], [[0, 1, 3], [0, 2, 2, 7]]
    for dtype in ALL:
        add(dtype, one, c.values(7, dtype), [2, 0, 0], 1)
    for index in COUNTED:
        for split in COUNTED:
            add(f"{index}/{split}", deep, c.values((7, 2), "float32"), [1, 0, 1], 2, index, split)
            add(f"matrix/{index}/{split}", one, c.values(7, "float32"), [[2, 0], [0, 1]], 2, index, split)
    values = c.values(7, "float32")
    add("cube", one, values, [[[2, 0], [0, 1]]], 3)
    add("deep_matrix", deep, values, [[1], [0], [1]], 3)
    add("scalar", one, values, 2, 0)
    add("deep_scalar", deep, values, 1, 1)
    for label, shape in (("none", (0,)), ("rows", (2, 0)), ("columns", (0, 2)), ("middle", (3, 0, 2))):
        add("empty/" + label, one, values, np.zeros(shape), len(shape))
    add("empty/values", [[0, 0, 0]], values[:0], [1, 0], 1)
    add("empty/no_rows", [[0]], values[:0], [], 1)
    add("later", [[1, 2, 3]], values, [0, 1], 1)
    add("fewer", [[0, 2, 2]], values, [0, 1], 1)
    for label, splits, indices, rank in (
            ("negative", one, [-1], 1), ("above", one, [3], 1), ("no_splits", [[]], [], 1), ("fall", [[0, 2, 1, 7]], [0], 1),
            ("splits_above", [[0, 2, 2, 9]], [0], 1), ("splits_negative", [[-1, 2, 7]], [0], 1), ("matrix_splits", [[one[0]]], [0], 1)):
        add("bad/" + label, splits, values, indices, rank)
    add("bad/scalar_values", one, np.float32(1), [0], 1)

    def slopes():
        values = tf.constant(c.values((7, 2), "float32"))
        y = tf.raw_ops.RaggedGather(params_nested_splits=[tf.constant(np.array(s, np.int64)) for s in deep], params_dense_values=values,
                                    indices=tf.constant([1, 0, 1]), OUTPUT_RAGGED_RANK=2)[1]
        return [tf.convert_to_tensor(g) for g in tf.gradients(tf.reduce_sum(y * y), [values])], {}

    c.rec.case("features.RaggedGather/gradient", slopes)


def record_counts(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops
    five, none = c.integers(3, 1, 3, 0, 1), []

    def weighted(name, function, inputs, weights, index="int64", dtype="float32"):
        inputs = [np.array(v, index) if k == "values" else np.array(v, "int64") for k, v in inputs]
        c.case(name, function, *inputs, np.array(weights, tf.as_dtype(dtype).as_numpy_dtype))

    def bins(op, keys, size, binary=False, index="int64"):
        def build(*inputs):
            named = dict(zip(keys, inputs[:-1]))
            return getattr(raw, op)(size=np.array(size, index), weights=inputs[-1], binary_output=binary, **named)

        return build

    def counts(op, keys, binary=False, low=-1, high=-1):
        def build(*inputs):
            return getattr(raw, op)(weights=inputs[-1], binary_output=binary, minlength=low, maxlength=high, **dict(zip(keys, inputs[:-1])))

        return build

    places = [[0, 0], [0, 1], [2, 0], [2, 1], [1, 0]]
    ragged, sparse, dense = ("splits", "values"), ("indices", "values", "dense_shape"), ("values",)
    forms = {"Ragged": (ragged, ([0, 2, 2, 5], five)), "Sparse": (sparse, (places, five, [4, 2])), "Dense": (dense, (five,))}
    for form, (keys, inputs) in forms.items():
        given = list(zip(keys, inputs))
        for index in COUNTED:
            for dtype in SUMMED:
                for weights in (none, [1, 2, 3, 4, 5]):
                    for binary in (False, True):
                        label = f"/{index}/{dtype}/{len(weights)}/{binary}"
                        weighted(f"{form}CountSparseOutput{label}", counts(form + "CountSparseOutput", keys, binary), given, weights, index, dtype)
                        if form != "Dense":
                            weighted(f"{form}Bincount{label}", bins(form + "Bincount", keys, 3, binary, index), given, weights, index, dtype)
        for low, high in ((-1, 2), (-1, 0), (6, -1), (2, -1), (3, 2), (3, 9), (-1, 3)):
            weighted(f"{form}CountSparseOutput/{low}/{high}", counts(form + "CountSparseOutput", keys, False, low, high), given, none)
        negative = [(k, [3, -1, 3, 0, 1] if k == "values" else v) for k, v in given]
        weighted(f"{form}CountSparseOutput/bad/negative", counts(form + "CountSparseOutput", keys), negative, none)
        for label, weights in (("fewer", [1, 2, 3]), ("matrix", [[1, 2, 3, 4, 5]]), ("scalar", 1.0)):
            weighted(f"{form}CountSparseOutput/bad/weights_{label}", counts(form + "CountSparseOutput", keys), given, weights)
        weighted(f"{form}CountSparseOutput/no_weights", counts(form + "CountSparseOutput", keys), given, np.zeros((0, 3)))
    for label, values in (("matrix", [[3, 1], [3, 0], [3, 3]]), ("none", []), ("no_columns", np.zeros((2, 0))), ("bad/no_rows", np.zeros((0, 2))),
                          ("bad/scalar", 3), ("bad/cube", [[[3]]])):
        weighted("DenseCountSparseOutput/" + label, counts("DenseCountSparseOutput", dense), [("values", values)], none)
    for label, splits, values in (("fall", [0, 2, 1, 5], five), ("above", [0, 9, 1, 5], five), ("negative", [0, -3, 1, 5], five),
                                  ("bad/end", [0, 2, 6], five), ("bad/fewer", [0, 2, 4], five), ("bad/begin", [1, 5], five), ("no_values", [0, 0], none),
                                  ("one_split", [0], none), ("bad/one_split", [0], [1]), ("bad/none", none, none), ("matrix", [[0, 2, 5]], five)):
        given = [("splits", splits), ("values", values)]
        weighted("RaggedCountSparseOutput/" + label, counts("RaggedCountSparseOutput", ragged), given, none)
        weighted("RaggedBincount/" + label, bins("RaggedBincount", ragged, 4), given, none)
    for label, indices, values, shape in (
            ("unordered", [[2, 0], [0, 1], [2, 1], [0, 0]], five[:4], [4, 2]), ("vector", [[0], [1], [5]], five[:3], [7]),
            ("cube", [[0, 0, 0], [0, 1, 0], [2, 0, 1]], five[:3], [4, 2, 2]), ("bad/above", [[0, 0], [4, 0]], five[:2], [4, 2]),
            ("bad/column", [[0, 0], [0, 2]], five[:2], [4, 2]), ("bad/negative", [[0, 0], [-1, 0]], five[:2], [4, 2]),
            ("bad/vector", [[0], [9]], five[:2], [4]), ("bad/shape", [[0, 0]], five[:1], [4]), ("bad/extent", [[0, 0]], five[:1], [-4, 2]),
            ("bad/values", [[0, 0], [0, 1]], five[:1], [4, 2]), ("no_elements", np.zeros((0, 2)), none, [3, 0])):
        given = [("indices", indices), ("values", values), ("dense_shape", shape)]
        weighted("SparseCountSparseOutput/" + label, counts("SparseCountSparseOutput", sparse), given, none)
        weighted("SparseBincount/" + label, bins("SparseBincount", sparse, 4), given, none)
    weighted("SparseCountSparseOutput/bad/no_rows", counts("SparseCountSparseOutput", sparse),
             [("indices", np.zeros((0, 2))), ("values", none), ("dense_shape", [0, 0])], none)
    given = [("splits", [0, 2, 5]), ("values", five)]
    weighted("RaggedBincount/no_bins", bins("RaggedBincount", ragged, 0), given, none)
    weighted("RaggedBincount/bad/bins", bins("RaggedBincount", ragged, -1), given, none)
    weighted("RaggedBincount/bad/negative", bins("RaggedBincount", ragged, 4), [("splits", [0, 2]), ("values", [1, -1])], none)
    weighted("RaggedBincount/bad/vector", bins("RaggedBincount", ragged, [4]), given, none)


def record_transforms(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops
    modes, kinds = ("CONSTANT", "REFLECT", "WRAP", "NEAREST"), ("NEAREST", "BILINEAR")
    picture = c.values((2, 4, 5, 2), "float32", 3, 0, 200)
    turned = [[1.3, 0.2, -2.25, 0.1, 0.8, 1.5, 0, 0]]

    def add(name, images, transforms, shape, kind="BILINEAR", mode="CONSTANT", fill=0.0, version=3):
        def build(x, t, s, f):
            if version == 2:
                return raw.ImageProjectiveTransformV2(images=x, transforms=t, output_shape=s, interpolation=kind, fill_mode=mode)
            return raw.ImageProjectiveTransformV3(images=x, transforms=t, output_shape=s, fill_value=f, interpolation=kind, fill_mode=mode)

        c.case(f"ImageProjectiveTransformV{version}/{name}", build, np.asarray(images), np.array(transforms, "float32"), np.array(shape, "int32"),
               np.array(fill, "float32"))

    for dtype in ("uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
        for kind in kinds:
            images = picture.astype(tf.as_dtype(dtype).as_numpy_dtype)
            add(f"{dtype}/{kind}", images, turned, (6, 7), kind, "REFLECT")
            add(f"{dtype}/{kind}", images, turned, (6, 7), kind, "WRAP", version=2)
            add(f"{dtype}/{kind}/constant", images, turned, (6, 7), kind, fill=7.0)
    for mode in modes:
        for kind in kinds:
            add(f"modes/{mode}/{kind}", picture, turned * 2, (9, 9), kind, mode, 7.0)
            add(f"modes/{mode}/{kind}", picture, turned * 2, (9, 9), kind, mode, version=2)
            for shift in (-13, -4.5, -0.25, 6.5, 17):
                add(f"shift/{mode}/{kind}/{shift}", picture[:1], [[1, 0, shift, 0, 1, shift / 2, 0, 0]], (5, 9), kind, mode, 9.0)
            add(f"pixel/{mode}/{kind}", picture[:1, :1, :1], turned, (3, 3), kind, mode, 7.0)
            add(f"perspective/{mode}/{kind}", picture, [[1, 0, 0, 0, 1, 0, -0.1, 0.05], [1, 0.5, 0, 0, 1, 0, 0.25, -0.2]], (5, 6), kind, mode, 9.0)
            add(f"large/{mode}/{kind}", picture[:1], [[1e4, 0, 1, 0, -1e4, 0, 0, 0]], (4, 4), kind, mode, 9.0)
            add(f"nan/{mode}/{kind}", picture[:1], [[np.nan, 0, 0, 0, 1, 0, 0, 0]], (2, 2), kind, mode, 9.0)
        add(f"no_rows/{mode}", picture[:1, :0], turned, (2, 3), "NEAREST", mode)
    add("horizon", picture, [[1, 0, 0, 0, 1, 0, -1, 0]], (3, 4), fill=9.0)
    add("no_images", picture[:0], turned, (2, 3))
    add("no_channels", picture[..., :0], turned, (2, 3))
    add("unknown_kind", picture, turned, (2, 3), "CUBIC")
    for fill in (300.0, -1.7, 2.5):
        add(f"fill/{fill}", picture.astype("uint8"), turned, (6, 7), fill=fill)
    for label, images, transforms, shape in (("rows", picture, turned * 3, (2, 3)), ("seven", picture, [[1] * 7], (2, 3)), ("vector", picture, [1] * 8, (2, 3)),
                                             ("none", picture, np.zeros((0, 8)), (2, 3)), ("cube", picture[0], turned, (2, 3)),
                                             ("extents", picture, turned, (2, 3, 1)), ("zero", picture, turned, (0, 3)),
                                             ("negative", picture, turned, (-1, 3)), ("matrix", picture, turned, ((2, 3),))):
        add("bad/" + label, images, transforms, shape)
    add("bad/fill", picture, turned, (2, 3), fill=[1.0])
    for kind in kinds:
        def slopes(kind=kind):
            x = tf.constant(picture)
            y = raw.ImageProjectiveTransformV3(images=x, transforms=np.array(turned, "float32"), output_shape=[6, 7], fill_value=1.0,
                                               interpolation=kind, fill_mode="REFLECT")
            return tf.gradients(tf.reduce_sum(y * y), [x]), {}

        c.rec.case("features.ImageProjectiveTransformV3/gradient/" + kind, slopes)


BROKEN = [b"\xff", b"a\xe2\x82", b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xf0\x9f\x98", b"\x80\x80",
          b"\xf8\x88\x80\x80\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xc3", b"\xc3\xc3", b"a\xe2\x82a", b"\xf0\x9f\x98a", b"\xf0\x9fa",
          b"\xf4\x8f\xbfz", b"\xed\xbf\xbfz", b"\xe1\x80\xe1z", b"\xef\xbb\xbfa", b"\xf1\x80\x80\xc3\xa9", b"\xef\xbf\xbd"]
BROKEN_PAIRS = [b"\xd8\x00\x00a", b"\xdc\x00\x00a", b"\x00a\xd8\x00", b"\x00aX", b"X", b"\xd8\x00\xd8\x00\xdc\x00", b"\xd8\x00X", b"\xfe\xff\x00a",
                b"\x00a\xd8\x00X", b"\xdc\x00\xdc\x00"]
BROKEN_FOURS = [b"\0\0\xd8\0\0\0\0a", b"\0\x11\0\0\0\0\0a", b"\0\0\0", b"\0\0\0a\0\0", b"\xff\xff\xff\xff\0\0\0a", b"\0\0\xfe\xff\0\0\0a"]


def record_code_points(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops
    errors, results = ("strict", "replace", "ignore"), ("UTF-8", "UTF-16-BE", "UTF-32-BE")
    words = ["a", "aé😀", "", "grün", "\x01x\t", "日本語", "\U0010ffff", "\x7f\x80\x9f"]

    def texts(values):
        return np.array(values + [b""], object)[:-1]

    def decode(name, values, encoding="UTF-8", errors="replace", replacement=65533, controls=False, splits="int64"):
        options = dict(input_encoding=encoding, errors=errors, replacement_char=replacement, replace_control_characters=controls)
        for op in ("UnicodeDecode", "UnicodeDecodeWithOffsets"):
            c.case(f"{op}/{name}", lambda x, op=op: getattr(raw, op)(input=x, Tsplits=tf.as_dtype(splits), **options), values)
        for result in results:
            c.case(f"UnicodeTranscode/{name}/{result}", lambda x, r=result: raw.UnicodeTranscode(input=x, output_encoding=r, **options), values)

    encodings = {"UTF-8": ("utf-8", BROKEN), "UTF-16-BE": ("utf-16-be", BROKEN_PAIRS), "UTF-32-BE": ("utf-32-be", BROKEN_FOURS),
                 "UTF-16-LE": ("utf-16-le", [p[1::-1] + p[2:] for p in BROKEN_PAIRS]), "utf8": ("utf-8", BROKEN[:2])}
    for encoding, (python, broken) in encodings.items():
        written = texts([w.encode(python) for w in words])
        for kind in errors:
            decode(f"words/{encoding}/{kind}", written, encoding, kind)
            decode(f"broken/{encoding}/{kind}", texts(broken), encoding, kind)
        decode(f"controls/{encoding}", written, encoding, controls=True, splits="int32")
    for encoding in ("US-ASCII", "ISO-8859-1", "latin1"):
        decode("bytes/" + encoding, texts([b"a\xe9\x00b\x80", b"\xff"]), encoding)
    every = texts([bytes(range(33)) + b"\x7f\xc2\x80\xc2\x9f\xc2\xa0\xff"])
    for kind in errors:
        decode("all_controls/" + kind, every[:1] if kind != "strict" else texts([bytes(range(33))]), errors=kind, controls=True, replacement=63)
    for replacement in (0, 63, 0xd800, 0x10ffff, 0x110000, -1):
        decode(f"replacement/{replacement}", texts([b"a\xffb"]), replacement=replacement)
    decode("scalar", np.array(b"ab", object))
    decode("matrix", np.array([[b"ab", b"c"], [b"", b"d"]], object))
    decode("none", np.zeros((0,), object))
    for encoding in ("nonsense", ""):
        decode("bad/encoding_" + encoding, texts([b"a"]), encoding)

    def encode(name, values, splits, encoding="UTF-8", errors="replace", replacement=65533, index="int64"):
        c.case("UnicodeEncode/" + name, lambda v, s: raw.UnicodeEncode(
            input_values=v, input_splits=s, output_encoding=encoding, errors=errors, replacement_char=replacement),
            np.array(values, "int32"), np.array(splits, index))

    points = [97, 233, 128512, 98, 0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff, 0xfffe, 0xfdd0]
    for encoding in results:
        for index in COUNTED:
            encode(f"points/{encoding}/{index}", points, [0, 3, 3, 4, len(points)], encoding, index=index)
        for kind in errors:
            for point in (-1, 0xd800, 0xdfff, 0x110000, 2**31 - 1):
                encode(f"broken/{encoding}/{kind}/{point}", [97, point, 98], [0, 3], encoding, kind)
    for replacement in (0, 63, 0xd800, 0x10ffff, 0x110000, -1):
        encode(f"replacement/{replacement}", [97, -1], [0, 2], replacement=replacement)
    encode("none", [], [0])
    encode("empty", [], [0, 0, 0])
    for label, values, splits in (("no_splits", [97], []), ("nothing", [], []), ("one", [97], [0]), ("fewer", [97, 98], [0, 1]), ("begin", [97, 98], [1, 2]),
                                  ("above", [97, 98], [0, 3]), ("fall", [97, 98], [0, 2, 1, 2]), ("negative", [97, 98], [0, -1, 2]),
                                  ("matrix", [97, 98], [[0, 2]]), ("matrix_points", [[97, 98]], [0, 2])):
        encode("bad/" + label, values, splits)


def record_crosses(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops
    a, b = ([[0, 0], [0, 1], [2, 0]], [3, 2]), ([[0, 0], [1, 0], [2, 0], [2, 1]], [3, 2])
    words, more, numbers = ["a", "grün", ""], ["x", "y", "z", "w"], [1, -2, 2**62]

    def add(name, op, columns, dense=(), **options):
        flat = []
        for (indices, shape), values in columns:
            kind = object if values and isinstance(values[0], str) else "int64"
            flat += [np.array(indices, "int64"), np.array([v.encode() if kind is object else v for v in values], kind), np.array(shape, "int64")]
        flat += [np.asarray(d) for d in dense]
        count = len(columns)

        def build(*inputs):
            sparse, rest = inputs[:3 * count], inputs[3 * count:]
            return getattr(raw, op)(indices=list(sparse[0::3]), values=list(sparse[1::3]), shapes=list(sparse[2::3]), dense_inputs=list(rest), **options)

        c.case(f"{op}/{name}", build, *flat)

    column = np.array([[1], [2], [-3]], "int64")
    letters = np.array([[b"p", b"q"], [b"r", b"s"], [b"t", b""]], object)
    forms = {"two": ([(a, words), (b, more)], ()), "numbers": ([(a, numbers), (b, more)], ()), "one": ([(a, words)], ()), "one_number": ([(a, numbers)], ()),
             "three": ([(a, words), (b, more)], [letters]), "dense": ([], [column, letters]), "mixed": ([(a, numbers)], [column]), "twice": ([(a, numbers)] * 2, ()),
             "no_columns": ([(a, words)], [np.zeros((3, 0), "int64")]), "nothing": ([], ()), "unordered": ([(([[2, 0], [0, 0]], [3, 2]), words[:2])], ()),
             "split": ([(([[0, 0], [2, 0], [0, 1]], [3, 2]), words)], ()), "above": ([(([[3, 0]], [3, 2]), words[:1])], ()),
             "negative": ([(([[-1, 0]], [3, 2]), words[:1])], ()), "bad/batch": ([(a, words), ((b[0], [4, 2]), more)], ()),
             "bad/dense_batch": ([(a, words)], [np.zeros((4, 1), "int64")]), "bad/cube": ([(([[0, 0, 0]], [3, 2, 2]), words[:1])], ()),
             "bad/vector": ([(([0], [3]), words[:1])], ()), "bad/values": ([(([[0, 0]], [3, 2]), words[:2])], ()),
             "bad/dense_vector": ([], [np.array([1, 2])]), "bad/shape": ([(([[0, 0]], [3]), words[:1])], ())}
    for label, (columns, dense) in forms.items():
        add(label, "SparseCrossV2", columns, dense, sep="_")
        for buckets in (0, 100):
            for strong in (False, True):
                add(f"{label}/{buckets}/{strong}", "SparseCrossHashed", columns, dense, num_buckets=buckets, strong_hash=strong, salt=[5, 7])
        if not label.startswith("bad"):
            add(f"{label}/strings", "SparseCross", columns, dense, hashed_output=False, num_buckets=0, hash_key=7, out_type=tf.string,
                internal_type=tf.string)
            for internal in (tf.string, tf.int64):
                for buckets in (0, 1000):
                    add(f"{label}/{internal.name}/{buckets}", "SparseCross", columns, dense, hashed_output=True, num_buckets=buckets,
                        hash_key=0xDECAFCAFFE, out_type=tf.int64, internal_type=internal)
    for separator in ("", "-", "_X_", b"\x00"):
        add(f"separator/{separator!r}", "SparseCrossV2", *forms["three"], sep=separator)
    add("negative_buckets", "SparseCrossHashed", *forms["one"], num_buckets=-5, strong_hash=False, salt=[5, 7])
    add("bad/salt", "SparseCrossHashed", *forms["one"], num_buckets=5, strong_hash=True, salt=[5])


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = Apart(tf, np, sys.argv[2:])
    cases = Features(tf, np, recorder)
    for record in (record_gathers, record_counts, record_transforms, record_code_points, record_crosses):
        record(cases)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
