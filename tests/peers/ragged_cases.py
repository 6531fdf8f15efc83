"""Records what TensorFlow does with ragged tensors, n-grams, letters, sets, serialized sparse tensors and products that skip zeros, as
sessions to be replayed.

    ragged_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all if no name is given

The format is that of list_cases.py. tests/conformance/data/ragged.tar.xz holds the file. Ends in 77, and reports the reason, if this
Python has no TensorFlow.
"""
import os
import pickle
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import SKIPPED
from sparse_cases import ALL, BAD, GOOD, IsolatedRecorder, MATRIX, SHUFFLED, VOLUME

SET_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "str")


def in_child(function):
    """The result of a function that starts TensorFlow's threads: a process with such threads must not fork."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writing, "wb") as out:
            pickle.dump(function(), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as made:
        return pickle.load(made)


class Cases:
    def __init__(self, tf, np, rec):
        self.tf, self.np, self.rec = tf, np, rec

    def values(self, shape, dtype, seed=0, low=-4, high=4):
        random = self.np.random.RandomState(seed + 1)
        if dtype == "str":
            return self.np.array([f"w{k}" for k in random.randint(0, 9, shape).ravel()], object).reshape(shape)
        if dtype == "bool":
            return random.randint(0, 2, shape).astype(bool)
        value = random.uniform(low, high, shape)
        if dtype.startswith("complex"):
            return (value + 1j * random.uniform(low, high, shape)).astype(dtype)
        return (self.np.abs(value) if dtype.startswith("uint") else value).astype(self.tf.as_dtype(dtype).as_numpy_dtype)

    def case(self, name, build, *given):
        def nodes():
            feeds = {}
            for v in map(self.np.asarray, given):
                kind = self.tf.string if v.dtype == object else self.tf.as_dtype(v.dtype)
                feeds[self.tf.compat.v1.placeholder(kind, None)] = v
            flat = []

            def add(made):
                for m in made if isinstance(made, (tuple, list)) else [made]:
                    add(m) if isinstance(m, (tuple, list)) else flat.append(m)

            add(build(*feeds))
            return flat, feeds

        try:
            self.rec.case("ragged." + name, nodes)
        except (ValueError, TypeError) as refused:
            print(f"{name}: refused when it is built: {str(refused)[:80]}")

    def parts(self, sparse, dtype, seed=0):
        indices, extents = sparse
        np = self.np
        return (np.array(indices, np.int64).reshape(len(indices), len(extents) if not indices else len(indices[0])),
                self.values(len(indices), dtype, seed), np.array(extents, np.int64))


def record_dense(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops

    def dense(types):
        return lambda shape, values, default, *parts: raw.RaggedTensorToTensor(
            shape=shape, values=values, default_value=default, row_partition_tensors=list(parts), row_partition_types=types)

    def add(name, types, parts, shape=(-1, -1), values=None, default=None, index="int64", extents="int64"):
        values = c.values(7, "float32") if values is None else values
        default = np.zeros((), values.dtype) if default is None else default
        c.case("RaggedTensorToTensor/" + name, dense(types), np.array(shape, extents), values, default, *(np.array(p, index) for p in parts))

    one, two, ids = ["ROW_SPLITS"], ["ROW_SPLITS"] * 2, ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
    splits, nested = [0, 2, 2, 7], [[0, 2, 3], [0, 2, 2, 7]]
    rows = [4, [0, 0, 2, 2, 2, 3, 3]]
    for dtype in ALL:
        default = np.array("none", object) if dtype == "str" else c.values((), dtype, 5)
        add(dtype, one, [splits], values=c.values(7, dtype), default=default)
    for index in ("int32", "int64"):
        for extents in ("int32", "int64"):
            add(f"{index}/{extents}/splits", two, nested, (-1, 1, 3), index=index, extents=extents)
            add(f"{index}/{extents}/rows", ids, rows, (3, -1), index=index, extents=extents)
    for shape in ((-1, -1), (2, 3), (5, 6), (0, 2), (2, 0), (3, -1), (-1, 1)):
        add("cut/splits/" + "x".join(map(str, shape)), one, [splits], shape)
        add("cut/rows/" + "x".join(map(str, shape)), ids, rows, shape)
        add("cut/nested/" + "x".join(map(str, shape)), two, nested, (*shape, 2))
    add("unknown", one, [splits], -1)
    add("fewer_rows", ids, [4, [0, 0, 2, 2]])
    add("nested_rows", ["FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"], [2, [0, 0, 1], [0, 0, 2, 2, 2, 2, 2]], (-1, -1, -1))
    add("mixed", ["FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"], [2, [0, 0, 1], splits], (-1, -1, -1))
    add("mixed_splits", ["ROW_SPLITS", "VALUE_ROWIDS"], [[0, 2, 3], [0, 0, 1, 1, 1, 2, 2]], (-1, -1, -1))
    add("parents_left", two, [[0, 2, 4], splits], (-1, -1, -1))
    add("fewer", one, [[0, 2, 2, 5]])
    for n in (0, 4, 7):
        add(f"size/{n}", ["FIRST_DIM_SIZE"], [n], (-1,))
    add("size/cut", ["FIRST_DIM_SIZE"], [7], (3,))
    add("empty", one, [[0, 0, 0]], values=c.values(0, "float32"))
    add("nothing", one, [[0]], values=c.values(0, "float32"))
    add("nothing_filled", one, [[0]], (2, 2), values=c.values(0, "float32"))
    wide = c.values((4, 2, 3), "float32")
    for label, default in (("scalar", c.values((), "float32", 5)), ("row", c.values(3, "float32", 5)), ("one", c.values(1, "float32", 5)),
                           ("matrix", c.values((2, 3), "float32", 5)), ("column", c.values((2, 1), "float32", 5))):
        add("inner/" + label, one, [[0, 1, 1, 4]], (-1, 2, -1, -1), values=wide, default=default)
    for label, default in (("four", c.values(4, "float32")), ("cube", c.values((4, 2, 3), "float32"))):
        add("inner/bad/" + label, one, [[0, 1, 1, 4]], (-1, 2, -1, -1), values=wide, default=default)
    add("inner/bad/shape", one, [[0, 1, 1, 4]], (-1, 2, 2, 4), values=wide)
    for label, s in (("more", [0, 2, 2, 9]), ("begin", [1, 2, 2, 7]), ("fall", [0, 3, 2, 7]), ("negative", [-1, 2, 2, 7]), ("none", [])):
        add("bad/splits_" + label, one, [s])
    for label, r in (("above", [0, 0, 2, 2, 2, 3, 4]), ("negative", [-1, 0, 2, 2, 2, 3, 3]), ("fall", [0, 0, 2, 1, 2, 3, 3]), ("more", [0] * 9)):
        add("bad/rows_" + label, ids, [4, r])
    add("bad/size_none", ids, [[], rows[1]])
    add("bad/size_negative", ["FIRST_DIM_SIZE"], [-2], (-1,))
    add("bad/size_more", ["FIRST_DIM_SIZE"], [9], (-1,))
    add("bad/lengths", ["ROW_LENGTHS"], [[2, 0, 5]])
    add("bad/lengths_second", ["FIRST_DIM_SIZE", "ROW_LENGTHS"], [3, [2, 0, 5]])
    add("bad/first_rows", ["VALUE_ROWIDS"], [rows[1]])
    add("bad/unknown_type", ["ROWS"], [splits])
    add("bad/more_types", two, [splits])
    for shape in ((-1,), (-1, -1, -1), 3, ((-1, -1),), (-2, -1), (2**40, 2**40)):
        add("bad/shape_" + str(shape).replace(" ", ""), one, [splits], shape)
    add("bad/scalar_values", one, [splits], values=np.float32(3))
    # Gradients of the values and of the default value.
    for label, types, parts, values, default, shape in (
            ("splits", one, [splits], c.values(7, "float32"), np.float32(2), (3, 3)), ("rows", ids, rows, c.values(7, "float64"), np.float64(2), (-1, -1)),
            ("inner", one, [[0, 1, 1, 4]], wide, c.values((2, 3), "float32", 5), (-1, 2, -1, -1))):
        def slopes(values, default, *parts, types=types, shape=shape):
            y = raw.RaggedTensorToTensor(shape=np.array(shape, np.int64), values=values, default_value=default,
                                         row_partition_tensors=list(parts), row_partition_types=types)
            # The rank must be known for TensorFlow's gradient.
            return tf.gradients(tf.reduce_sum(y * y), [values, default])

        c.rec.case("ragged.RaggedTensorToTensor/gradient/" + label, lambda v=values, d=default, p=parts, f=slopes: (
            f(tf.constant(v), tf.constant(d), *(tf.constant(np.array(q, np.int64)) for q in p)), {}))


def record_ragged(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops

    def to_sparse(values, *splits):
        return raw.RaggedTensorToSparse(rt_nested_splits=list(splits), rt_dense_values=values)

    def add(name, values, *splits, index="int64"):
        c.case("RaggedTensorToSparse/" + name, to_sparse, values, *(np.array(s, index) for s in splits))

    for dtype in ALL:
        add(dtype, c.values(7, dtype), [0, 2, 2, 7])
        add(dtype + "/nested", c.values((7, 2), dtype), [0, 2, 3], [0, 2, 2, 7], index="int32")
    add("empty", c.values(0, "float32"), [0])
    add("no_values", c.values(0, "float32"), [0, 0, 0])
    add("no_columns", c.values((2, 0), "float32"), [0, 1, 2])
    for label, values, splits in (("none", 0, [[]]), ("begin", 7, [[1, 7]]), ("fall", 7, [[0, 5, 3, 7]]), ("more", 7, [[0, 9]]), ("fewer", 7, [[0, 5]]),
                                  ("next_more", 7, [[0, 2, 4], [0, 2, 2, 7]]), ("next_fewer", 7, [[0, 2], [0, 2, 2, 7]]), ("negative", 7, [[0, -1, 7]]),
                                  ("scalar", (), [[0, 1]])):
        add("bad/" + label, c.values(values, "float32"), *splits)

    def slopes():
        values = tf.constant(c.values((7, 2), "float32"))
        elements = to_sparse(values, tf.constant(np.array([0, 2, 2, 7], np.int64)))[1]
        return tf.gradients(tf.reduce_sum(elements * elements), [values]), {}

    c.rec.case("ragged.RaggedTensorToSparse/gradient", slopes)

    def ranges(splits):
        return lambda a, b, d: raw.RaggedRange(starts=a, limits=b, deltas=d, Tsplits=splits)

    def count(name, dtype, a, b, d, splits=None):
        for s in [splits] if splits else (tf.int32, tf.int64):
            c.case(f"RaggedRange/{name}/{dtype}/{s.name}", ranges(s), *(np.array(x, tf.as_dtype(dtype).as_numpy_dtype) for x in (a, b, d)))

    for dtype in ("float32", "float64", "int32", "int64"):
        count("rows", dtype, [0, 2, 5, 1], [3, 2, 1, -9], [1, 1, -2, -3])
        count("wrong_way", dtype, [5, 1], [1, 5], [1, -1])
        count("scalar_start", dtype, 0, [3, 2, 1], 1)
        count("scalars", dtype, 0, 3, 1)
        count("none", dtype, [], [], 1)
        count("none_of_scalars", dtype, [], 3, 1)
        count("zero", dtype, [1, 2], [3, 4], [1, 0])
        count("lengths", dtype, [1, 2, 3], [3, 4], 1)
        count("one_and_two", dtype, [1], [3, 4], 1)
        count("matrix", dtype, [[1]], [3], 1)
    for dtype in ("float32", "float64"):
        count("fractions", dtype, [0, 1, 0.1], [1, 0, 3.7], [0.25, -0.3, 0.7])
        count("nan", dtype, [np.nan], [5], 1)
        count("infinite", dtype, [0], [np.inf], 1)
        count("nan_delta", dtype, [0], [5], np.nan)
    count("small_delta", "float32", [1e8], [1e8 + 64], 1)
    count("huge", "int64", 0, 2**62, 1, tf.int32)
    count("widest", "int64", -2**63, 2**63 - 1, 1, tf.int64)
    count("total", "int64", [0, 0], [2**31 - 1, 5], 1, tf.int32)
    count("last_overflows", "int64", [2**63 - 2], [2**63 - 1], 5)
    count("largest_step", "int64", [2**63 - 1], [-2**63], -2**63)
    count("largest_step", "int32", [2**31 - 1], [-2**31], -2**31)


def record_strings(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops
    letters = np.array(list("abcdef"), object)

    def grams(name, widths, splits=(0, 4, 6), data=letters, index="int64", separator=" ", left="<", right=">", pads=0, keep=False):
        c.case("StringNGrams/" + name, lambda d, s: raw.StringNGrams(
            data=d, data_splits=s, separator=separator, ngram_widths=widths, left_pad=left, right_pad=right, pad_width=pads,
            preserve_short_sequences=keep), data, np.array(splits, index))

    for index in ("int32", "int64"):
        for pads in (-2, -1, 0, 1, 2, 5):
            for keep in (False, True):
                for widths in ([1], [2], [3, 1], [5, 7], [2, 5]):
                    grams(f"{index}/{pads}/{keep}/{'_'.join(map(str, widths))}", widths, (0, 0, 4, 6), index=index, pads=pads, keep=keep)
    grams("none", [])
    grams("twice", [2, 2])
    grams("no_strings", [2], (0, 0), letters[:0], pads=-1)
    grams("one_split", [2], (0,), letters[:0])
    grams("no_splits", [2], (), letters[:0])
    grams("no_splits_of_strings", [2], ())
    grams("matrix", [2], (0, 6), letters.reshape(2, 3))
    grams("empty_separator", [2], separator="", left="", right="", pads=1)
    for label, splits in (("begin", (1, 6)), ("end", (0, 5)), ("above", (0, 7)), ("fall", (0, 4, 3, 6)), ("negative", (0, -1, 6))):
        grams("bad/" + label, [2], splits)
    for width in (0, -1):
        grams(f"bad/width{width}", [width])

    def both(name, texts):
        texts = np.array([t if isinstance(t, bytes) else t.encode() for t in texts], object)
        for op, function in (("StringLower", raw.StringLower), ("StringUpper", raw.StringUpper)):
            c.case(f"{op}/{name}", lambda x, f=function: f(input=x, encoding="utf-8"), texts)
            if name == "words":
                c.case(f"{op}/ascii", lambda x, f=function: f(input=x, encoding=""), texts)

    both("words", ["Straße", "ΟΔΟΣ", "ΑΣ Σ", "Σ", "ΑΣ.Α", "ΑΣ.", "ΑΣ'Α", "ŉ", "İstanbul", "ﬁn", "ǅ", "Å\u0308Σ\u0301", "ΣΑΣ", "1Σ", "Α1Σ", "ß", "ΐ", "և", "", "a b"])
    both("broken", [b"A\xff\xfeB", b"\xe2\x82", b"A\xe2\x82B", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xf0\x9f\x98", b"\x80", b"\xe2\x28\xa1",
                    b"\xf8\x88\x80\x80\x80", b"A\x00B", b"\xf0\x80\x80\x80", b"\xe0\x80\x80", b"\xc3", b"\xef\xbb\xbfA", b"\xf0\x9f\x98\x80Z"])
    # All code points that have another case in Python, and some beside them, 50 in a text.
    points = [k for k in range(1, 0x110000) if not 0xd800 <= k < 0xe000 and (chr(k).lower() != chr(k) or chr(k).upper() != chr(k) or k % 997 == 0)]
    both("points", ["".join(map(chr, points[i:i + 50])) for i in range(0, len(points), 50)])
    both("after_sigma", ["aΣ" + chr(k) for k in range(1, 0x3000) if not 0xd800 <= k < 0xe000 and k % 7 == 0])
    both("between", ["aΣ" + chr(k) + "a" for k in range(1, 0x3000) if k % 11 == 0])
    for encoding in ("latin1", "UTF-8"):
        c.case("StringLower/bad/" + encoding, lambda x, e=encoding: raw.StringLower(input=x, encoding=e), letters)


def record_sets(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops
    operations = ("union", "intersection", "a-b", "b-a")

    def dense(operation, validate=True):
        return lambda a, b: raw.DenseToDenseSetOperation(set1=a, set2=b, set_operation=operation, validate_indices=validate)

    def mixed(operation, validate=True):
        return lambda a, i, v, s: raw.DenseToSparseSetOperation(
            set1=a, set2_indices=i, set2_values=v, set2_shape=s, set_operation=operation, validate_indices=validate)

    def sparse(operation, validate=True):
        return lambda i, v, s, j, w, t: raw.SparseToSparseSetOperation(
            set1_indices=i, set1_values=v, set1_shape=s, set2_indices=j, set2_values=w, set2_shape=t, set_operation=operation, validate_indices=validate)

    def size(validate=True):
        return lambda i, v, s: raw.SetSize(set_indices=i, set_values=v, set_shape=s, validate_indices=validate)

    other = [[0, 0], [0, 1], [0, 3], [1, 1], [2, 2], [3, 3]], [4, 6]
    for operation in operations:
        for dtype in SET_TYPES:
            a, b = c.values((4, 5), dtype, 1), c.values((4, 3), dtype, 2)
            c.case(f"DenseToDenseSetOperation/{operation}/{dtype}", dense(operation), a, b)
            c.case(f"DenseToSparseSetOperation/{operation}/{dtype}", mixed(operation), a, *c.parts(MATRIX, dtype, 3))
            c.case(f"SparseToSparseSetOperation/{operation}/{dtype}", sparse(operation), *c.parts(MATRIX, dtype, 4), *c.parts(other, dtype, 5))
        c.case(f"DenseToDenseSetOperation/{operation}/cube", dense(operation), c.values((2, 2, 3), "int32"), c.values((2, 2, 4), "int32", 9))
        c.case(f"DenseToSparseSetOperation/{operation}/cube", mixed(operation), c.values((2, 2, 2), "int32"), *c.parts(VOLUME, "int32", 9))
        c.case(f"SparseToSparseSetOperation/{operation}/cube", sparse(operation), *c.parts(VOLUME, "int32"), *c.parts(VOLUME, "int32", 9))
        for label, sets in GOOD.items():
            if label in ("vector", "volume"):
                continue
            rows = (int(sets[1][0]), 3)
            c.case(f"DenseToSparseSetOperation/{operation}/{label}", mixed(operation), c.values(rows, "int32"), *c.parts(sets, "int32"))
            c.case(f"SparseToSparseSetOperation/{operation}/{label}", sparse(operation), *c.parts(sets, "int32"), *c.parts(([], sets[1]), "int32"))
        for a, b in (((2, 0), (2, 0)), ((2, 0), (2, 3)), ((0, 2), (0, 3)), ((2, 3), (2, 0))):
            c.case(f"DenseToDenseSetOperation/{operation}/empty/{a}{b}".replace(" ", ""), dense(operation), c.values(a, "int32"), c.values(b, "int32"))
    for operation in ("UNION", "A-b", "xor", ""):
        c.case("DenseToDenseSetOperation/name/" + (operation or "none"), dense(operation), c.values((2, 2), "int32"), c.values((2, 2), "int32", 2))
    for label, a, b in (("vector", (2,), (2,)), ("scalar", (), ()), ("ranks", (2, 2), (2,)), ("rows", (2, 2), (1, 2)), ("cube", (2, 2, 2), (2, 2))):
        c.case("DenseToDenseSetOperation/bad/" + label, dense("union"), c.values(a, "int32"), c.values(b, "int32"))
    c.case("DenseToSparseSetOperation/bad/rows", mixed("union"), c.values((3, 2), "int32"), *c.parts(MATRIX, "int32"))
    c.case("DenseToSparseSetOperation/bad/axes", mixed("union"), c.values((2, 2), "int32"), *c.parts(VOLUME, "int32"))
    c.case("SparseToSparseSetOperation/bad/rows", sparse("union"), *c.parts(MATRIX, "int32"), *c.parts(([[0, 0]], [5, 4]), "int32"))
    for label, sets in BAD.items():
        rows = abs(int(sets[1][0])) if sets[1][0] < 100 else 4
        for validate in (True, False):
            c.case(f"DenseToSparseSetOperation/bad/{label}/{validate}", mixed("union", validate), c.values((rows, 2), "int32"), *c.parts(sets, "int32"))
            c.case(f"SparseToSparseSetOperation/left/bad/{label}/{validate}", sparse("union", validate), *c.parts(sets, "int32"), *c.parts(([], sets[1]), "int32"))
            c.case(f"SparseToSparseSetOperation/right/bad/{label}/{validate}", sparse("union", validate), *c.parts(([], sets[1]), "int32"), *c.parts(sets, "int32"))
            c.case(f"SetSize/bad/{label}/{validate}", size(validate), *c.parts(sets, "int32"))
    for dtype in SET_TYPES:
        c.case("SetSize/" + dtype, size(), *c.parts(MATRIX, dtype))
        c.case("SetSize/cube/" + dtype, size(), *c.parts(VOLUME, dtype))
    for label, sets in GOOD.items():
        c.case("SetSize/good/" + label, size(), *c.parts(sets, "int64"))
    c.case("SetSize/unordered", size(False), *c.parts(SHUFFLED, "int32"))
    i, v, s = c.parts(MATRIX, "int32")
    c.case("SetSize/bad/fewer", size(), i, v[:3], s)


def record_serialized(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops

    def serialize(function, form):
        return lambda i, v, s: function(sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=form)

    def again(function, form, dtype):
        kind = tf.string if dtype == "str" else tf.as_dtype(dtype)
        return lambda i, v, s: raw.DeserializeSparse(serialized_sparse=serialize(function, form)(i, v, s), dtype=kind)

    for dtype in ALL:
        for name, function in (("SerializeSparse", raw.SerializeSparse), ("SerializeManySparse", raw.SerializeManySparse)):
            c.case(f"{name}/{dtype}", serialize(function, tf.string), *c.parts(MATRIX, dtype))
            c.case(f"{name}/{dtype}/again", again(function, tf.string, dtype), *c.parts(MATRIX, dtype))
            c.case(f"{name}/{dtype}/variant", again(function, tf.variant, dtype), *c.parts(MATRIX, dtype))
    for name, function in (("SerializeSparse", raw.SerializeSparse), ("SerializeManySparse", raw.SerializeManySparse)):
        for label, sparse in list(GOOD.items()) + [("bad/" + k, v) for k, v in BAD.items()]:
            c.case(f"{name}/form/{label}", serialize(function, tf.string), *c.parts(sparse, "float32"))
        i, v, s = c.parts(MATRIX, "float32")
        for label, given in (("fewer", (i, v[:3], s)), ("matrix_values", (i, v[:, None], s)), ("flat", (i.ravel(), v, s)), ("matrix_extents", (i, v, s[None]))):
            c.case(f"{name}/bad/{label}", serialize(function, tf.string), *given)

    def all_texts():
        made = {}
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            for label, sparse, dtype in (("a", ([[0, 1], [2, 0]], [3, 2]), "float32"), ("b", ([[1, 1]], [2, 5]), "float32"),
                                         ("c", ([[1]], [2]), "float32"), ("e", ([], [3, 2]), "float32"), ("d", ([[0, 1]], [2, 5]), "int32")):
                made[label] = session.run(serialize(raw.SerializeSparse, tf.string)(*c.parts(sparse, dtype)))
        return made

    texts = in_child(all_texts)
    a, b, rank, empty, integer = (texts[k] for k in "abced")
    given = {"one": a, "two": [a, b], "list_of_one": [a], "matrix": [[a, b], [b, a]], "empty": empty, "empty_first": [empty, a], "integers": integer,
             "bad/ranks": [a, rank], "bad/types": [a, integer], "bad/two_parts": a[:2], "bad/junk": [b"x", b"y", b"z"], "bad/scalar": a[0],
             "bad/swapped": a[::-1], "bad/mixed": [a[0], b[1], a[2]], "bad/mixed_ranks": [[a[0], a[1], rank[2]]], "bad/no_text": [b"", b"", b""],
             "bad/cut": [a[0][:-3], a[1], a[2]], "bad/none": np.zeros((0, 3), object)}
    for label, value in given.items():
        for name, function in (("DeserializeSparse", raw.DeserializeSparse), ("DeserializeManySparse", raw.DeserializeManySparse)):
            for kind in (tf.float32, tf.int32):
                c.case(f"{name}/{label}/{kind.name}", lambda x, f=function, k=kind: f(serialized_sparse=x, dtype=k), np.array(value, object))


def record_products(c):
    tf, np = c.tf, c.np
    raw = tf.raw_ops

    def product(options):
        return lambda a, b: raw.SparseMatMul(a=a, b=b, **options)

    for form in range(16):
        options = {name: bool(form >> k & 1) for k, name in enumerate(("transpose_a", "transpose_b", "a_is_sparse", "b_is_sparse"))}
        for left in ("float32", "bfloat16"):
            for right in ("float32", "bfloat16"):
                for m, k, n in ((3, 4, 5), (1, 7, 1), (20, 33, 18), (0, 3, 2), (3, 0, 2)):
                    a, b = c.values((k, m) if options["transpose_a"] else (m, k), left, 1), c.values((n, k) if options["transpose_b"] else (k, n), right, 2)
                    a[np.abs(a.astype(np.float32)) > 2] = 0
                    b[np.abs(b.astype(np.float32)) < 1] = 0
                    if (m, k, n) == (20, 33, 18) and (form % 4 or left != right):
                        continue
                    c.case(f"SparseMatMul/{form}/{left}/{right}/{m}x{k}x{n}", product(options), a, b)
        infinite = np.array([[0, 2], [0, 0]], np.float32), np.array([[np.inf, 0], [3, np.nan]], np.float32)
        c.case(f"SparseMatMul/{form}/infinite", product(options), *infinite)
        c.case(f"SparseMatMul/{form}/infinite_left", product(options), *infinite[::-1])

        def slopes(a, b, options=options):
            y = product(options)(a, b)
            return tf.gradients(tf.reduce_sum(y * y), [a, b])

        for kind in ("float32", "bfloat16"):
            c.case(f"SparseMatMul/{form}/gradient/{kind}", slopes, c.values((3, 3), kind), c.values((3, 3), kind, 4))
    for a, b in (((2, 3), (2, 3)), ((2,), (2, 3)), ((2, 3), (3,)), ((2, 3, 1), (1, 2))):
        c.case(f"SparseMatMul/bad/{a}{b}".replace(" ", ""), product({}), c.values(a, "float32"), c.values(b, "float32"))


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = IsolatedRecorder(tf, np, sys.argv[2:])
    cases = Cases(tf, np, recorder)
    for record in (record_dense, record_ragged, record_strings, record_sets, record_serialized, record_products):
        record(cases)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
