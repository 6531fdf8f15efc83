"""Records what TensorFlow does with sparse tensors, as sessions to be replayed.

    sparse_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/sparse_ops.tar.xz holds the file. Ends in 77, and says so, where this Python
has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import SKIPPED, Recorder

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REAL = ("float16", "bfloat16", "float32", "float64") + INTEGERS
NUMBERS = REAL + ("complex64", "complex128")
ALL = NUMBERS + ("bool", "str")
ADDED = ("int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128")

# Sparse tensors: indices and extents.
MATRIX = [[0, 1], [0, 3], [2, 0], [2, 2], [3, 3]], [4, 4]
SHUFFLED = [[2, 2], [0, 3], [3, 3], [0, 1], [2, 0]], [4, 4]
REPEATED = [[0, 1], [0, 1], [2, 0], [2, 0], [2, 0]], [4, 4]
VECTOR = [[1], [2], [5]], [6]
VOLUME = [[0, 0, 1], [0, 1, 0], [0, 1, 2], [1, 0, 0], [1, 1, 1], [1, 1, 2]], [2, 2, 3]
NOTHING = [], [3, 4]
EMPTY = [], [0, 4]
NO_COLUMNS = [], [3, 0]
GOOD = {"matrix": MATRIX, "shuffled": SHUFFLED, "repeated": REPEATED, "vector": VECTOR, "volume": VOLUME, "nothing": NOTHING,
        "empty": EMPTY, "no_columns": NO_COLUMNS}
# What no program should give.
BAD = {"above": ([[0, 1], [4, 0]], [4, 4]), "beyond": ([[0, 1], [1, 4]], [4, 4]), "far": ([[0, 1], [2**40, 2**50]], [4, 4]),
       "negative": ([[-1, 0], [1, 1]], [4, 4]), "negative_last": ([[0, 0], [1, -1]], [4, 4]),
       "lowest": ([[-2**63, 0], [1, 1]], [4, 4]), "negative_extent": ([[0, 0], [1, 1]], [-4, 4]),
       "overflow": ([[0, 0], [1, 1]], [2**40, 2**40]), "no_extent": ([[0, 0], [1, 1]], [0, 4]),
       "ranks": ([[0, 0], [1, 1]], [4, 4, 4]), "short_rank": ([[0, 0], [1, 1]], [4])}


# These ops do not look at all indices, so that indices outside of the shape are no error.
CARELESS = ("SparseReorder", "SparseFillEmptyRows")


class IsolatedRecorder(Recorder):
    """Records each case in a process of its own, because some of these inputs end TensorFlow's process. Such cases are left out. The same
    holds for indices outside of the shape for which TensorFlow returns numbers without a meaning: flowgraph refuses them."""

    def record(self, name, *rest):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            super().record(name, *rest)
            with os.fdopen(writing, "wb") as out:
                out.write(self.cases[-1])
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as made:
            data = made.read()
        if os.waitpid(child, 0)[1] or not data:
            print(f"{name}: TensorFlow ended", flush=True)
        elif b"OOM when allocating" in data:
            print(f"{name}: more than the memory", flush=True)  # sanitizers end programs that request so much
        elif "/bad/" in name and b"error" not in data[-5:] and name.split(".")[1].split("/")[0] not in CARELESS:
            print(f"{name}: accepted", flush=True)
        else:
            self.cases.append(data)


def record_all(tf, np, rec):
    raw = tf.raw_ops

    def values(n, dtype, seed=0):
        random = np.random.RandomState(seed + n)
        if dtype == "str":
            return np.array([f"w{k}" for k in random.randint(0, 99, n)], object)
        if dtype == "bool":
            return random.randint(0, 2, n).astype(bool)
        value = random.uniform(-4, 4, n)
        if dtype.startswith("complex"):
            return (value + 1j * random.uniform(-4, 4, n)).astype(dtype)
        return (np.abs(value) if dtype.startswith("uint") else value).astype(tf.as_dtype(dtype).as_numpy_dtype)

    def dense(shape, dtype, seed=7):
        return values(int(np.prod(shape)), dtype, seed).reshape(shape)

    def parts(sparse, dtype, seed=0):
        indices, extents = sparse
        return (np.array(indices, np.int64).reshape(len(indices), len(extents) if not indices else len(indices[0])),
                values(len(indices), dtype, seed), np.array(extents, np.int64))

    def case(name, build, *given):
        def nodes():
            feeds = {}
            for v in map(np.asarray, given):
                kind = tf.string if v.dtype == object else tf.as_dtype(v.dtype)
                feeds[tf.compat.v1.placeholder(kind, None)] = v
            made = build(*feeds)
            made = [m for m in made] if isinstance(made, (tuple, list)) else [made]
            flat = []
            for m in made:
                flat += m if isinstance(m, list) else [m]
            return flat, feeds

        rec.case("sparse_ops." + name, nodes)

    def wrong_parts(name, build, dtype="float32", more=()):
        """The ways in which the three parts can fail to be a sparse tensor."""
        for label, sparse in BAD.items():
            case(f"{name}/bad/{label}", build, *parts(sparse, dtype), *more)
        indices, given, extents = parts(MATRIX, dtype)
        case(f"{name}/bad/flat_indices", build, indices.ravel(), given, extents, *more)
        case(f"{name}/bad/fewer_values", build, indices, given[:3], extents, *more)
        case(f"{name}/bad/matrix_of_values", build, indices, given[:, None], extents, *more)
        case(f"{name}/bad/matrix_of_extents", build, indices, given, extents[None], *more)
        case(f"{name}/bad/scalar_extent", build, indices, given, extents[0], *more)

    # ---- SparseToDense
    def to_dense(i, s, v, d, validate=True):
        return raw.SparseToDense(sparse_indices=i, output_shape=s, sparse_values=v, default_value=d, validate_indices=validate)

    for dtype in ALL:
        i, v, s = parts(MATRIX, dtype)
        case("SparseToDense/" + dtype, to_dense, i, s, v, values(1, dtype, 3)[0] if dtype != "str" else np.array("none", object))
    for label, sparse in list(GOOD.items()) + list(BAD.items()):
        for validate in (True, False):
            i, v, s = parts(sparse, "float32")
            case(f"SparseToDense/{label}/{validate}", lambda i, s, v, d: to_dense(i, s, v, d, validate), i, s, v, np.float32(0.5))
    f = np.float32
    for label, i, s, v, d in (("scalar", 2, [5], f(3), f(1)), ("scalar_shape", 2, 5, f(3), f(1)), ("flat", [1, 3], [5], f([3, 4]), f(1)),
                              ("one_value", [1, 3], [5], f(3), f(1)), ("one_value_of_pairs", [[1, 1], [3, 0]], [5, 2], f(3), f(1)),
                              ("vector_default", [1, 3], [5], f(3), f([1])), ("cube", [[[1]]], [5], f(3), f(1)),
                              ("fewer", [1, 3], [5], f([3]), f(1)), ("more_extents", [1, 3], [5, 5], f(3), f(1)),
                              ("extents_of_cube", [[1, 1]], [[5, 5]], f(3), f(1)), ("falling", [3, 1], [5], f([1, 2]), f(0)),
                              ("no_extents", np.zeros((1, 0)), np.zeros(0), f([1]), f(0)), ("no_elements", np.zeros((0, 0)), np.zeros(0), f([]), f(2))):
        for dtype in (np.int32, np.int64):
            case(f"SparseToDense/form/{label}/{np.dtype(dtype)}", to_dense, np.array(i, dtype), np.array(s, dtype), v, d)

    # ---- SparseTensorDenseMatMul
    def product(a, b, of_a, of_b):
        return lambda i, v, s, x: raw.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=s, b=x, adjoint_a=of_a, adjoint_b=of_b)

    for dtype in ("bfloat16", "float16", "float32", "float64", "int32", "complex64", "complex128"):
        for of_a in (False, True):
            for of_b in (False, True):
                i, v, s = parts(([[0, 1], [0, 2], [2, 0], [3, 2]], [4, 3]), dtype)
                inner = 4 if of_a else 3
                for columns in (1, 5, 40):
                    b = dense((columns, inner) if of_b else (inner, columns), dtype)
                    case(f"SparseTensorDenseMatMul/{dtype}/{of_a}/{of_b}/{columns}", product(i, b, of_a, of_b), i, v, s, b)
    for label in ("shuffled", "repeated", "nothing", "empty", "no_columns", "vector", "volume"):
        i, v, s = parts(GOOD[label], "float32")
        inner = int(s[1]) if len(s) > 1 else 6
        case("SparseTensorDenseMatMul/" + label, product(0, 0, False, False), i, v, s, dense((inner, 3), "float32"))
        case("SparseTensorDenseMatMul/adjoint/" + label, product(0, 0, True, False), i, v, s, dense((int(s[0]), 3), "float32"))
        case("SparseTensorDenseMatMul/narrow/" + label, product(0, 0, False, False), i, v, s, dense((inner, 0), "float32"))
        case("SparseTensorDenseMatMul/int32/" + label, product(0, 0, False, False), i.astype(np.int32), v, s, dense((inner, 2), "float32"))
    for of_a in (False, True):
        wrong_parts(f"SparseTensorDenseMatMul/{of_a}", product(0, 0, of_a, False), more=(dense((4, 3), "float32"),))
        wrong_parts(f"SparseTensorDenseMatMul/wide/{of_a}", product(0, 0, of_a, False), more=(dense((4, 33), "float32"),))
    for b in ((3, 3), (4,), (2, 4, 3), ()):
        case("SparseTensorDenseMatMul/bad/b" + "x".join(map(str, b)), product(0, 0, False, False), *parts(MATRIX, "float32"), dense(b, "float32"))

    # ---- SparseReorder, SparseReshape
    def reorder(i, v, s):
        return raw.SparseReorder(input_indices=i, input_values=v, input_shape=s)

    for dtype in ALL:
        case("SparseReorder/" + dtype, reorder, *parts(SHUFFLED, dtype))
    for label, sparse in GOOD.items():
        case("SparseReorder/" + label, reorder, *parts(sparse, "float64"))
    wrong_parts("SparseReorder", reorder)
    case("SparseReorder/huge", reorder, *parts(([[2, 2], [1, 1]], [2**33, 5]), "float32"))
    case("SparseReorder/scalar", reorder, np.zeros((1, 0), np.int64), f([1]), np.zeros(0, np.int64))

    def reshaped(i, s, to):
        return raw.SparseReshape(input_indices=i, input_shape=s, new_shape=to)

    for label, sparse, to in (("flat", MATRIX, [16]), ("inferred", MATRIX, [-1]), ("half", MATRIX, [2, -1]), ("cube", MATRIX, [2, 2, 2, 2]),
                              ("same", MATRIX, [4, 4]), ("from_volume", VOLUME, [3, -1]), ("shuffled", SHUFFLED, [8, 2]), ("nothing", NOTHING, [2, 6]),
                              ("empty", EMPTY, [4, 0]), ("empty_inferred", EMPTY, [-1, 4]), ("ones", MATRIX, [1, 16, 1]), ("wrong", MATRIX, [3, 5]),
                              ("not_multiple", MATRIX, [3, -1]), ("two_inferred", MATRIX, [-1, -1]), ("negative", MATRIX, [-2, 8]),
                              ("inferred_of_none", EMPTY, [0, -1]), ("matrix", MATRIX, [[4, 4]]), ("to_overflow", MATRIX, [2**32, 2**32]),
                              ("to_wrapped", MATRIX, [2**33, 2**31 + 0]), ("scalar", VECTOR, 6), ("filled_empty", ([[0, 0]], [0, 4]), [4, 0]),
                              ("large", ([[3, 5], [2**30, 1]], [2**31, 2**20]), [2**20, -1])):
        i, _, s = parts(sparse, "float32")
        case("SparseReshape/" + label, reshaped, i, s, np.array(to, np.int64))
    for label, sparse in BAD.items():
        i, _, s = parts(sparse, "float32")
        case("SparseReshape/bad/" + label, reshaped, i, s, np.array([2, -1], np.int64))

    # ---- SparseFillEmptyRows
    def fill_rows(i, v, s, d):
        return raw.SparseFillEmptyRows(indices=i, values=v, dense_shape=s, default_value=d)

    for dtype in ALL:
        case("SparseFillEmptyRows/" + dtype, fill_rows, *parts(MATRIX, dtype), values(1, dtype, 5)[0] if dtype != "str" else np.array("none", object))
    for label, sparse in list(GOOD.items()) + [("full", ([[0, 2], [1, 0], [2, 1]], [3, 4])), ("full_shuffled", ([[2, 2], [1, 0], [0, 1]], [3, 4]))]:
        case("SparseFillEmptyRows/" + label, fill_rows, *parts(sparse, "float32"), f(9))
    wrong_parts("SparseFillEmptyRows", fill_rows, more=(f(9),))
    case("SparseFillEmptyRows/bad/vector_default", fill_rows, *parts(MATRIX, "float32"), f([9]))
    case("SparseFillEmptyRows/bad/scalar", fill_rows, np.zeros((1, 0), np.int64), f([1]), np.zeros(0, np.int64), f(9))
    case("SparseFillEmptyRows/bad/nothing", fill_rows, np.zeros((0, 0), np.int64), f([]), np.zeros(0, np.int64), f(9))

    def filled_slopes(r, g):
        return raw.SparseFillEmptyRowsGrad(reverse_index_map=r, grad_values=g)

    for dtype in NUMBERS:
        case("SparseFillEmptyRowsGrad/" + dtype, filled_slopes, np.array([0, 2, 3], np.int64), values(6, dtype))
    for label, r, n in (("empty", [], 3), ("nothing", [], 0), ("all", [2, 0, 1], 3), ("repeated", [1, 1], 3), ("above", [0, 3], 3), ("negative", [-1], 3),
                        ("matrix", [[0]], 3)):
        case("SparseFillEmptyRowsGrad/" + label, filled_slopes, np.array(r, np.int64), values(n, "float32"))

    # ---- reductions
    ops = {"SparseReduceSum": (raw.SparseReduceSum, NUMBERS), "SparseReduceMax": (raw.SparseReduceMax, REAL),
           "SparseReduceSumSparse": (raw.SparseReduceSumSparse, NUMBERS), "SparseReduceMaxSparse": (raw.SparseReduceMaxSparse, REAL)}
    for op, (function, types) in ops.items():
        def reduce(keep):
            return lambda i, v, s, a: function(input_indices=i, input_values=v, input_shape=s, reduction_axes=a, keep_dims=keep)

        axes = lambda a: np.array(a, np.int32)
        for dtype in types:
            case(f"{op}/{dtype}", reduce(False), *parts(VOLUME, dtype), axes([1]))
        for label, sparse in GOOD.items():
            n = len(sparse[1])
            for a in ([], [0], [-1], list(range(n)), [n - 1, 0]):
                for keep in (False, True):
                    case(f"{op}/{label}/{'_'.join(map(str, a)) or 'none'}/{keep}", reduce(keep), *parts(sparse, "float32"), axes(a))
        case(f"{op}/scalar_axis", reduce(False), *parts(VOLUME, "int32"), axes(1))
        case(f"{op}/repeated_axis", reduce(True), *parts(VOLUME, "int32"), axes([1, 1, -2]))
        case(f"{op}/bad/axis", reduce(False), *parts(VOLUME, "int32"), axes([3]))
        case(f"{op}/bad/negative_axis", reduce(False), *parts(VOLUME, "int32"), axes([-4]))
        case(f"{op}/bad/matrix_of_axes", reduce(False), *parts(VOLUME, "int32"), axes([[1]]))
        case(f"{op}/scalar", reduce(False), np.zeros((1, 0), np.int64), f([1]), np.zeros(0, np.int64), axes([]))
        wrong_parts(op, reduce(False), more=(axes([1]),))
        wrong_parts(op + "/rows", reduce(False), more=(axes([0]),))

    # ---- SparseSoftmax
    def softmax(i, v, s):
        return raw.SparseSoftmax(sp_indices=i, sp_values=v, sp_shape=s)

    for dtype in ("float16", "float32", "float64"):
        for label, sparse in GOOD.items():
            case(f"SparseSoftmax/{dtype}/{label}", softmax, *parts(sparse, dtype))
    wrong_parts("SparseSoftmax", softmax)
    i, v, s = parts(MATRIX, "float32")
    case("SparseSoftmax/infinite", softmax, i, f([np.inf, 1, -np.inf, 2, -np.inf]), s)
    case("SparseSoftmax/missing", softmax, i, f([np.nan, 1, 1, 2, 3]), s)

    record_pairs(tf, np, case, parts, values, dense, wrong_parts)


def record_pairs(tf, np, case, parts, values, dense, wrong_parts):
    """Sparse tensors with a second tensor, or cut into several."""
    raw, f = tf.raw_ops, np.float32
    for op, function in (("Add", raw.SparseDenseCwiseAdd), ("Mul", raw.SparseDenseCwiseMul), ("Div", raw.SparseDenseCwiseDiv)):
        name = "SparseDenseCwise" + op
        run = lambda i, v, s, d: function(sp_indices=i, sp_values=v, sp_shape=s, dense=d)
        for dtype in REAL:
            d = dense((4, 4), dtype)
            d[d == 0] = 1
            case(f"{name}/{dtype}", run, *parts(MATRIX, dtype), d)
        for label, sparse in GOOD.items():
            for shape in (sparse[1], sparse[1][-1:], [1] * len(sparse[1]), []):
                case(f"{name}/{label}/{'x'.join(map(str, shape)) or 'scalar'}", run, *parts(sparse, "float32"), dense(shape, "float32"))
        case(f"{name}/empty/1x4", run, *parts(EMPTY, "float32"), dense((1, 4), "float32"))
        for shape in ((4, 1), (1, 4), (3,), (2, 4, 4), (4, 4, 1), (1, 1, 4)):
            case(f"{name}/to/{'x'.join(map(str, shape))}", run, *parts(MATRIX, "float32"), dense(shape, "float32"))
        case(f"{name}/zero", run, *parts(MATRIX, "int32"), np.zeros((4, 4), np.int32))
        case(f"{name}/zero_float", run, *parts(MATRIX, "float32"), np.zeros((4, 4), f))
        case(f"{name}/zero_elsewhere", run, *parts(MATRIX, "float32"), np.array([[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], f))
        wrong_parts(name, run, more=(dense((4, 4), "float32"),))
        wrong_parts(name + "/row", run, more=(dense((4,), "float32"),))

    def add_dense(i, v, s, b):
        return raw.SparseTensorDenseAdd(a_indices=i, a_values=v, a_shape=s, b=b)

    for dtype in NUMBERS:
        for index in (np.int32, np.int64):
            i, v, s = parts(REPEATED, dtype)
            case(f"SparseTensorDenseAdd/{dtype}/{np.dtype(index)}", add_dense, i.astype(index), v, s.astype(index), dense((4, 4), dtype))
    for label, sparse in GOOD.items():
        case("SparseTensorDenseAdd/" + label, add_dense, *parts(sparse, "float32"), dense(sparse[1], "float32"))
    for shape in ((4,), (4, 3), (1, 4), ()):
        case("SparseTensorDenseAdd/bad/" + ("x".join(map(str, shape)) or "scalar"), add_dense, *parts(MATRIX, "float32"), dense(shape, "float32"))
    wrong_parts("SparseTensorDenseAdd", add_dense, more=(dense((4, 4), "float32"),))

    other = [[0, 0], [0, 3], [1, 1], [2, 2], [3, 3]], [4, 4]
    def add(i, v, s, j, w, t, h):
        return raw.SparseAdd(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=t, thresh=h)

    for dtype in ADDED:
        real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
        for limit in (0, 2):
            case(f"SparseAdd/{dtype}/{limit}", add, *parts(MATRIX, dtype), *parts(other, dtype, 1), np.array(limit, real))
    for label, sparse in GOOD.items():
        case(f"SparseAdd/{label}/self", add, *parts(sparse, "float32"), *parts(sparse, "float32", 1), f(0))
        case(f"SparseAdd/{label}/nothing", add, *parts(sparse, "float32"), *parts(([], sparse[1]), "float32", 1), f(1))
        case(f"SparseAdd/nothing/{label}", add, *parts(([], sparse[1]), "float32"), *parts(sparse, "float32", 1), f(-1))
    case("SparseAdd/cancelled", add, *parts(MATRIX, "float32"), parts(MATRIX, "float32")[0], -parts(MATRIX, "float32")[1], np.array([4, 4]), f(1e-9))
    case("SparseAdd/bad/shapes", add, *parts(MATRIX, "float32"), parts(other, "float32")[0], parts(other, "float32")[1], np.array([4, 5]), f(0))
    case("SparseAdd/bad/ranks", add, *parts(MATRIX, "float32"), *parts(VOLUME, "float32"), f(0))
    case("SparseAdd/bad/threshold", add, *parts(MATRIX, "float32"), *parts(other, "float32"), f([0]))
    wrong_parts("SparseAdd/left", lambda i, v, s, *more: add(i, v, s, *more), more=(*parts(other, "float32"), f(0)))
    wrong_parts("SparseAdd/right", lambda i, v, s, j, w, t, h: add(j, w, t, i, v, s, h), more=(*parts(other, "float32"), f(0)))

    def add_slopes(g, i, j, k):
        return raw.SparseAddGrad(backprop_val_grad=g, a_indices=i, b_indices=j, sum_indices=k)

    a, b = np.array(MATRIX[0]), np.array(other[0])
    union = np.array([[0, 0], [0, 1], [0, 3], [1, 1], [2, 0], [2, 2], [3, 3]])
    for dtype in ADDED:
        case("SparseAddGrad/" + dtype, add_slopes, values(7, dtype), a, b, union)
    none = np.zeros((0, 2), np.int64)
    for label, given in (("part", (values(3, "float32"), a, b, union[2:5])), ("none", (values(0, "float32"), a, b, none)),
                         ("no_left", (values(5, "float32"), none, b, b)), ("no_right", (values(5, "float32"), a, none, a)),
                         ("nothing", (values(0, "float32"), none, none, none)), ("shuffled", (values(7, "float32"), a[::-1].copy(), b, union)),
                         ("fewer", (values(5, "float32"), a, b, union)), ("ranks", (values(7, "float32"), a[:, :1], b, union)),
                         ("flat", (values(7, "float32"), a.ravel(), b, union)), ("matrix", (values(7, "float32")[None], a, b, union))):
        case("SparseAddGrad/" + label, add_slopes, *given)

    for op, function in (("Maximum", raw.SparseSparseMaximum), ("Minimum", raw.SparseSparseMinimum)):
        name = "SparseSparse" + op
        run = lambda i, v, s, j, w, t: function(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=t)
        for dtype in REAL:
            case(f"{name}/{dtype}", run, *parts(MATRIX, dtype), *parts(other, dtype, 1))
        for label, sparse in GOOD.items():
            case(f"{name}/{label}/self", run, *parts(sparse, "float32"), *parts(sparse, "float32", 1))
            case(f"{name}/{label}/nothing", run, *parts(sparse, "float32"), *parts(([], sparse[1]), "float32", 1))
        case(f"{name}/bad/shapes", run, *parts(MATRIX, "float32"), *parts(([[0, 0]], [4, 5]), "float32"))
        case(f"{name}/bad/ranks", run, *parts(MATRIX, "float32"), *parts(VOLUME, "float32"))
        wrong_parts(f"{name}/left", run, more=parts(other, "float32"))
        wrong_parts(f"{name}/right", lambda i, v, s, j, w, t: run(j, w, t, i, v, s), more=parts(other, "float32"))

    def joined(axis):
        return lambda i, v, s, j, w, t: raw.SparseConcat(indices=[i, j], values=[v, w], shapes=[s, t], concat_dim=axis)

    for dtype in ALL:
        case("SparseConcat/" + dtype, joined(1), *parts(MATRIX, dtype), *parts(other, dtype, 1))
    for label, sparse in GOOD.items():
        for axis in (0, -1):
            case(f"SparseConcat/{label}/{axis}", joined(axis), *parts(sparse, "float32"), *parts(sparse, "float32", 1))
    for label, first, second, axis in (("axis", MATRIX, MATRIX, 2), ("negative_axis", MATRIX, MATRIX, -3), ("extents", MATRIX, ([[0, 0]], [4, 5]), 0),
                                       ("ranks", MATRIX, VOLUME, 0), ("wider", MATRIX, ([[0, 4]], [4, 5]), 1), ("large", ([[0, 1]], [2**62, 2]), ([[0, 1]], [2**62, 2]), 0)):
        case("SparseConcat/form/" + label, joined(axis), *parts(first, "float32"), *parts(second, "float32"))
    wrong_parts("SparseConcat/rows", joined(0), more=parts(other, "float32"))
    wrong_parts("SparseConcat/columns", joined(1), more=parts(other, "float32"))

    def split(n):
        return lambda i, v, s, axis: raw.SparseSplit(split_dim=axis, indices=i, values=v, shape=s, num_split=n)

    for dtype in ALL:
        case("SparseSplit/" + dtype, split(2), *parts(MATRIX, dtype), np.int64(1))
    for label, sparse in GOOD.items():
        for axis in (0, len(sparse[1]) - 1):
            for n in (1, 2, 3):
                case(f"SparseSplit/{label}/{axis}/{n}", split(n), *parts(sparse, "float32"), np.int64(axis))
    for label, axis, n in (("negative", -1, 2), ("above", 2, 2), ("more", 0, 5), ("uneven", 1, 3)):
        case("SparseSplit/form/" + label, split(n), *parts(MATRIX, "float32"), np.int64(axis))
    case("SparseSplit/form/vector_axis", split(2), *parts(MATRIX, "float32"), np.array([1]))
    wrong_parts("SparseSplit/rows", split(2), more=(np.int64(0),))
    wrong_parts("SparseSplit/columns", split(2), more=(np.int64(1),))

    def cut(i, v, s, start, size):
        return raw.SparseSlice(indices=i, values=v, shape=s, start=start, size=size)

    for dtype in ALL:
        case("SparseSlice/" + dtype, cut, *parts(MATRIX, dtype), np.array([0, 1]), np.array([3, 2]))
    for label, sparse in GOOD.items():
        n = len(sparse[1])
        for start, size in (([0] * n, [2] * n), ([1] * n, [100] * n), ([0] * n, [0] * n), ([100] * n, [1] * n)):
            case(f"SparseSlice/{label}/{start[0]}/{size[0]}", cut, *parts(sparse, "float32"), np.array(start), np.array(size))
    for label, start, size in (("negative_start", [-1, 0], [2, 2]), ("negative_size", [0, 0], [-1, 2]),
                               ("short_start", [0], [2, 2]), ("short_size", [0, 0], [2]), ("matrix", [[0, 0]], [2, 2]), ("lowest", [-2**63, 0], [4, 4])):
        case("SparseSlice/form/" + label, cut, *parts(MATRIX, "float32"), np.array(start), np.array(size))
    wrong_parts("SparseSlice", cut, more=(np.array([0, 0]), np.array([4, 2])))
    wrong_parts("SparseSlice/inner", cut, more=(np.array([1, 1]), np.array([2, 2])))

    def slice_slopes(g, i, start, o):
        return raw.SparseSliceGrad(backprop_val_grad=g, input_indices=i, input_start=start, output_indices=o)

    inner = np.array([[0, 0], [0, 2]])
    for dtype in NUMBERS:
        case("SparseSliceGrad/" + dtype, slice_slopes, values(2, dtype), a, np.array([0, 1]), inner)
    for label, given in (("none", (values(0, "float32"), a, np.array([0, 1]), none)), ("no_input", (values(0, "float32"), none, np.array([0, 1]), none)),
                         ("fewer", (values(1, "float32"), a, np.array([0, 1]), inner)), ("ranks", (values(2, "float32"), a, np.array([0]), inner)),
                         ("other", (values(2, "float32"), a, np.array([0, 0]), inner)), ("flat", (values(2, "float32"), a.ravel(), np.array([0, 1]), inner)),
                         ("rank_of_output", (values(2, "float32"), a, np.array([0, 1]), inner[:, :1]))):
        case("SparseSliceGrad/" + label, slice_slopes, *given)


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = IsolatedRecorder(tf, np, sys.argv[2:])
    record_all(tf, np, recorder)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
