"""Records further calls of ops that the other files of cases run only a few times: the older names of linear algebra, maps of sparse
tensors, and single ops of texts, boxes and samples.

    scarce_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. TensorFlow builds nodes of the older names only in graphs of an early version, so their graphs are
written node by node. tests/conformance/data/scarce.tar.xz holds the file. Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import record_file
from recorded_calls import Calls

SHAPES = ((1, 1), (2, 2), (3, 3), (2, 3, 3), (2, 1, 4, 4), (7, 7), (0, 0), (2, 0, 0), (0, 3, 3))
NOT_SQUARE = ((2, 3), (3,), ())


def drawn(np, shape, dtype, seed):
    random = np.random.RandomState(seed)
    value = random.uniform(-1, 1, shape)
    return (value + 1j * random.uniform(-1, 1, shape) if dtype.startswith("complex") else value).astype(dtype)


def regular(np, shape, dtype, seed):
    return drawn(np, shape, dtype, seed) + (4 * np.eye(shape[-1])).astype(dtype)


def positive(np, shape, dtype, seed):
    x = drawn(np, shape, dtype, seed)
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])).astype(dtype)


def size_of(shape):
    return "x".join(map(str, shape)) or "scalar"


def record_solvers(c):
    np = c.np

    def case(op, label, a, b, **attributes):
        c.old(f"{op}.{label}".replace("True", "true").replace("False", "false"), op, 12, {"a": a, "b": b}, **attributes)

    def least_squares(label, a, b, l2, fast):
        c.old(f"BatchMatrixSolveLs.{label}.{str(fast).lower()}", "BatchMatrixSolveLs", 12, {"a": a, "b": b, "l2": np.float64(l2)}, fast=fast)

    for dtype in ("float32", "float64"):
        for i, shape in enumerate(SHAPES):
            a, b = regular(np, shape, dtype, i), drawn(np, shape[:-1] + (2,), dtype, 20 + i)
            for flag in (False, True):
                label = f"{dtype}.{size_of(shape)}.{flag}"
                case("BatchMatrixSolve", label, a, b, adjoint=flag)
                case("BatchMatrixTriangularSolve", label, a, b, lower=not flag, adjoint=flag)
                least_squares(f"{dtype}.{size_of(shape)}", a, b, 0, flag)
            case("BatchCholeskyGrad", f"{dtype}.{size_of(shape)}", np.tril(a), drawn(np, shape, dtype, 9))
    for label, a, b in (("rows", (2, 2), (3, 1)), ("batches", (2, 2, 2), (3, 2, 1)), ("vectors", (2,), (2,)), ("wide", (2, 3), (2, 1))):
        a, b = np.ones(a) + (np.eye(a[-1]) if label in ("rows", "batches") else 0), np.ones(b)
        for op in ("BatchMatrixSolve", "BatchMatrixTriangularSolve", "BatchCholeskyGrad"):
            case(op, label, a, b)
        least_squares(label, a, b, 0, True)
    singular, ones = np.array([[1.0, 2], [2, 4]]), np.ones((2, 1))
    case("BatchMatrixSolve", "singular", singular, ones)
    case("BatchMatrixTriangularSolve", "zero", np.zeros((2, 2)), ones)
    least_squares("regular", singular, ones, 0.5, True)


def record_decompositions(c):
    np = c.np

    def of_squares(op, make, version=12):
        for dtype in ("float32", "float64"):
            for i, shape in enumerate(SHAPES):
                c.old(f"{op}.{dtype}.{size_of(shape)}", op, version, {"x": make(np, shape, dtype, i)})
        for shape in NOT_SQUARE:
            c.old(f"{op}.sides.{size_of(shape)}", op, version, {"x": np.ones(shape)})
        c.old(f"{op}.missing", op, version, {"x": np.array([[1, 2], [2, np.nan]])})

    of_squares("BatchCholesky", positive)
    of_squares("BatchMatrixInverse", regular)
    c.old("BatchMatrixInverse.singular", "BatchMatrixInverse", 12, {"x": np.array([[1.0, 2], [2, 4]])})
    c.old("BatchMatrixInverse.adjoint", "BatchMatrixInverse", 12, {"x": regular(np, (3, 3), "float64", 5)}, adjoint=True)
    of_squares("BatchMatrixDeterminant", drawn)
    of_squares("BatchSelfAdjointEigV2", positive)
    of_squares("SelfAdjointEig", positive, 10)
    of_squares("BatchSelfAdjointEig", positive, 10)
    for dtype in ("float32", "float64", "complex64", "complex128"):
        for i, shape in enumerate(((2, 2), (3, 2), (2, 3), (2, 4, 3), (0, 3), (3, 0), (5, 5), (3,))):
            for full in (False, True):
                c.old(f"BatchSvd.{dtype}.{size_of(shape)}.{str(full).lower()}", "BatchSvd", 12, {"x": drawn(np, shape, dtype, i)},
                      full_matrices=full)


def record_diagonals(c):
    np = c.np
    for dtype in ("float32", "int32", "int64", "uint8", "complex64"):
        ramp = lambda shape: np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        for low, high in ((0, 0), (-1, 0), (0, -1), (1, 2), (5, 0), (9, 9)):
            c.old(f"BatchMatrixBandPart.{dtype}.{low}.{high}", "BatchMatrixBandPart", 12,
                  {"x": ramp((2, 3, 4)), "low": np.int64(low), "high": np.int64(high)})
        for shape in ((3,), (2, 3), (2, 0), (0, 3), ()):
            c.old(f"BatchMatrixDiag.{dtype}.{size_of(shape)}", "BatchMatrixDiag", 12, {"x": ramp(shape)})
        for shape in ((3, 3), (2, 3), (3, 2), (2, 2, 3), (0, 3), (3,)):
            c.old(f"BatchMatrixDiagPart.{dtype}.{size_of(shape)}", "BatchMatrixDiagPart", 12, {"x": ramp(shape)})
            diagonal = np.full(shape[:-2] + (min(shape[-2:]),), 7, dtype)
            c.old(f"BatchMatrixSetDiag.{dtype}.{size_of(shape)}", "BatchMatrixSetDiag", 12, {"x": ramp(shape), "diagonal": diagonal})


def record_texts(c):
    np, raw = c.np, c.raw
    change = lambda op, encoding: lambda x: getattr(raw, op)(input=x, encoding=encoding)
    texts = ("", "abc", "ABC xyz", "Ärger ÖL", "straße", "ǅ Ǆ ǆ", "İstanbul ı", "ΑΣ ὈΔΥΣΣΕΎΣ", "ﬁne ŉ", "日本 ｆｕｌｌ", "👍🏽 ok")
    for op in ("StringLower", "StringUpper"):
        for encoding in ("", "utf-8"):
            for i, text in enumerate(texts):
                c.case(f"{op}.{encoding or 'bytes'}.{i}", change(op, encoding), np.array([text.encode()], object))
            for i, text in enumerate((b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"Q\x00Z")):
                c.case(f"{op}.{encoding or 'bytes'}.broken.{i}", change(op, encoding), np.array([[text]], object))
        c.case(f"{op}.latin", change(op, "latin-1"), np.array([b"a"], object))


def record_samples(c):
    np, raw = c.np, c.raw
    for i, (count, columns, seed, seed2) in enumerate(((1, 1, 0, 0), (5, 1, 1, 2), (7, 2, 3, 0), (100, 3, 0, 9))):
        for unique in (False, True):
            for rows in (1, 4):
                true = np.random.RandomState(i).randint(0, count, (rows, columns))
                c.case(f"AllCandidateSampler.{i}.{rows}.{int(unique)}", lambda t: list(raw.AllCandidateSampler(
                    true_classes=t, num_true=columns, num_sampled=count, unique=unique, seed=seed, seed2=seed2)), true)
    for label, true in (("columns", np.zeros((2, 2), np.int64)), ("vector", np.zeros(2, np.int64)), ("negative", np.int64([[-1]])),
                        ("large", np.int64([[9]])), ("none", np.zeros((0, 1), np.int64))):
        c.case(f"AllCandidateSampler.{label}", lambda t: list(raw.AllCandidateSampler(
            true_classes=t, num_true=1, num_sampled=3, unique=True)), true)


def record_boxes(c):
    np, raw = c.np, c.raw
    random = np.random.RandomState(5)
    boxes = np.sort(random.uniform(0, 1, (8, 2, 2)), axis=1).reshape(8, 4).astype(np.float32)
    scores = random.uniform(0, 1, 8).astype(np.float32)
    overlaps = random.uniform(0, 1, (8, 8)).astype(np.float32)
    for iou in (0.0, 0.3, 0.5, 1.0, -0.5, 1.5):
        for most in (0, 1, 8):
            c.case(f"NonMaxSuppression.{iou}.{most}", lambda b, s, n: raw.NonMaxSuppression(
                boxes=b, scores=s, max_output_size=n, iou_threshold=iou), boxes, scores, np.int32(most))
            c.case(f"NonMaxSuppressionWithOverlaps.{iou}.{most}", lambda o, s, n, i, l: raw.NonMaxSuppressionWithOverlaps(
                overlaps=o, scores=s, max_output_size=n, overlap_threshold=i, score_threshold=l),
                overlaps, scores, np.int32(most), np.float32(iou), np.float32(0.25))


def record_distances(c):
    np, raw = c.np, c.raw
    def sparse_texts(rows, width, seed):
        random = np.random.RandomState(seed)
        indices = np.int64([[r, c] for r in range(rows) for c in range(random.randint(0, width + 1))]).reshape(-1, 2)
        return indices, random.randint(0, 3, len(indices)), np.int64([rows, width])

    for dtype in ("int32", "int64", "float32", "uint8", "bool"):
        for i, (rows, width) in enumerate(((1, 3), (3, 4), (2, 0), (5, 6))):
            ours, theirs = sparse_texts(rows, width, i), sparse_texts(rows, width, 40 + i)
            for normal in (False, True):
                c.case(f"EditDistance.{dtype}.{i}.{int(normal)}", lambda hi, hv, hs, ti, tv, ts: raw.EditDistance(
                    hypothesis_indices=hi, hypothesis_values=hv, hypothesis_shape=hs, truth_indices=ti, truth_values=tv, truth_shape=ts,
                    normalize=normal), ours[0], ours[1].astype(dtype), ours[2], theirs[0], theirs[1].astype(dtype), theirs[2])


def record_maps(c):
    """Sparse tensors put into a map and taken out by another node of the same step."""
    tf, np, raw, case = c.tf, c.np, c.raw, c.case

    def sparse(dtype, rank, seed):
        indices = np.argwhere(np.random.RandomState(seed).uniform(0, 1, (3,) * rank) < 0.4).astype(np.int64)
        values = np.arange(1, len(indices) + 1)
        return indices, (values.astype(str) if dtype == "string" else values.astype(dtype)), np.int64((3,) * rank)

    def taken(handles, dtype, name):
        return list(raw.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=dtype, shared_name=name))

    for dtype in ("float32", "float64", "int32", "int64", "uint8", "string", "bool", "complex64"):
        for rank in (1, 2, 3):
            i, v, s = sparse(dtype, rank, rank)
            name = f"{dtype}.{rank}"

            def one_by_one():
                handles = [raw.AddSparseToTensorsMap(sparse_indices=i, sparse_values=v, sparse_shape=s, shared_name=name) for _ in range(2)]
                return taken(tf.stack(handles), tf.as_dtype(dtype), name)

            def together():
                handles = raw.AddManySparseToTensorsMap(sparse_indices=i, sparse_values=v, sparse_shape=s, shared_name=name)
                return taken(handles, tf.as_dtype(dtype), name)

            case(f"AddSparseToTensorsMap.{name}", one_by_one)
            case(f"AddManySparseToTensorsMap.{name}", together)
    good = sparse("float32", 2, 1)
    for label, (i, v, s) in (("indices", (good[0][:, 0], good[1], good[2])), ("values", (good[0], good[1][1:], good[2])),
                             ("shape", (good[0], good[1], good[2][:1])), ("scalar", (good[0], good[1], np.int64(3))),
                             ("matrix", (good[0], good[1][:, None], good[2])), ("outside", (good[0] + 7, good[1], good[2]))):
        for op in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
            case(f"{op}.{label}", lambda: [getattr(raw, op)(sparse_indices=tf.compat.v1.placeholder_with_default(i, None),
                                                            sparse_values=tf.compat.v1.placeholder_with_default(v, None),
                                                            sparse_shape=tf.compat.v1.placeholder_with_default(s, None), shared_name=label)])
    case("TakeManySparseFromTensorsMap.unknown", lambda: taken(tf.constant([5], tf.int64), tf.float32, "unknown"))
    case("TakeManySparseFromTensorsMap.none", lambda: taken(tf.zeros([0], tf.int64), tf.float32, "none"))
    case("TakeManySparseFromTensorsMap.scalar", lambda: taken(tf.compat.v1.placeholder_with_default(np.int64(0), None), tf.float32, "scalar"))


def record_all(tf, np, rec):
    c = Calls(tf, np, rec, "scarce.")
    for record in (record_solvers, record_decompositions, record_diagonals, record_texts, record_samples, record_boxes, record_distances,
                   record_maps):
        record(c)


if __name__ == "__main__":
    sys.exit(record_file(record_all))
