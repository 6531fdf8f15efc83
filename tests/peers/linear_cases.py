"""Records what TensorFlow does with solvers and decompositions of matrices, as sessions to be replayed.

    linear_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/linear.tar.xz holds the file. Ends in 77, and says so, where this Python has
no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import record_file

TYPES = ("float32", "float64", "complex64", "complex128")
SQUARES = ((1, 1), (2, 2), (3, 3), (2, 3, 3), (2, 1, 4, 4), (17, 17), (33, 33))
EMPTY = ((0, 0), (2, 0, 0), (0, 3, 3))
SIDES = ((1, 1), (3, 3), (5, 2), (2, 5), (2, 3, 4), (2, 4, 3), (18, 17), (33, 40))


def record_all(tf, np, rec):
    raw = tf.raw_ops

    def drawn(shape, dtype, seed):
        random = np.random.RandomState(seed)
        value = random.uniform(-1, 1, shape)
        if dtype.startswith("complex"):
            value = value + 1j * random.uniform(-1, 1, shape)
        return value.astype(dtype)

    def far_from_singular(shape, dtype, seed):
        return drawn(shape, dtype, seed) + (2 + shape[-1] ** 0.5 * np.eye(shape[-2], shape[-1])).astype(dtype) * 2

    def positive(shape, dtype, seed):
        x = drawn(shape, dtype, seed)
        return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])).astype(dtype)

    def case(name, build, *values):
        def nodes():
            feeds = {tf.compat.v1.placeholder(tf.as_dtype(v.dtype), None): v for v in map(np.asarray, values)}
            made = build(*feeds)
            return list(made) if isinstance(made, (tuple, list)) else [made], feeds

        rec.case("linear." + name, nodes)

    def name_of(op, dtype, shape, *more):
        return "/".join([op, dtype, "x".join(map(str, shape)) or "scalar"] + [str(m).lower() for m in more])

    bad = np.array([[1, 2], [2, 4]])
    missing = np.array([[1, 2], [2, np.nan]])

    def of_squares(op, build, make, singular=True):
        for dtype in TYPES:
            for i, shape in enumerate(SQUARES):
                case(name_of(op, dtype, shape), build, make(shape, dtype, i))
        for shape in EMPTY:
            case(name_of(op, "float32", shape), build, np.zeros(shape, np.float32))
        for shape in ((2, 3), (3,), ()):
            case(name_of(op, "float64", shape), build, np.ones(shape))
        if singular:
            case(op + "/singular", build, bad.astype(np.float64))
            case(op + "/missing", build, missing)

    # The rest of the result is memory that TensorFlow leaves as it was.
    lower = lambda x: raw.MatrixBandPart(input=x, num_lower=tf.constant(-1, tf.int64), num_upper=tf.constant(0, tf.int64))
    of_squares("Cholesky", lambda x: raw.Cholesky(input=x), positive, False)
    for number, x in enumerate(([[1, 2], [2, 1]], bad, [[0, 0], [0, 0]], missing, [[4, 9], [2, 3]])):
        case(f"Cholesky/not_positive/{number}", lambda x: lower(raw.Cholesky(input=x)), np.array(x, np.float64))
    of_squares("MatrixInverse", lambda x: raw.MatrixInverse(input=x), far_from_singular)
    of_squares("MatrixInverse/adjoint", lambda x: raw.MatrixInverse(input=x, adjoint=True), far_from_singular)
    of_squares("MatrixDeterminant", lambda x: raw.MatrixDeterminant(input=x), drawn)
    of_squares("LogMatrixDeterminant", lambda x: raw.LogMatrixDeterminant(input=x), far_from_singular)
    of_squares("Lu", lambda x: raw.Lu(input=x), far_from_singular)
    of_squares("Lu/int64", lambda x: raw.Lu(input=x, output_idx_type=tf.int64), far_from_singular)

    for dtype in TYPES[:2]:
        for i, shape in enumerate(SQUARES + EMPTY):
            l = np.tril(far_from_singular(shape, dtype, i))
            case(name_of("CholeskyGrad", dtype, shape), lambda l, d: raw.CholeskyGrad(l=l, grad=d), l, drawn(shape, dtype, 9))
    case("CholeskyGrad/wide", lambda l, d: raw.CholeskyGrad(l=l, grad=d), np.ones((2, 3)), np.ones((2, 3)))

    for dtype in TYPES:
        for i, shape in enumerate(SQUARES):
            a = far_from_singular(shape, dtype, i)
            for adjoint in (False, True):
                b = drawn(shape[:-1] + (3,), dtype, 20 + i)
                case(name_of("MatrixSolve", dtype, shape, adjoint),
                     lambda a, b: raw.MatrixSolve(matrix=a, rhs=b, adjoint=adjoint), a, b)
                for lower_one in (False, True):
                    case(name_of("MatrixTriangularSolve", dtype, shape, lower_one, adjoint),
                         lambda a, b: raw.MatrixTriangularSolve(matrix=a, rhs=b, lower=lower_one, adjoint=adjoint), a, b)
    for a, b in (((0, 0), (0, 2)), ((2, 2), (2, 0)), ((0, 3, 3), (0, 3, 2)), ((3, 3), (2, 1)), ((2, 3), (2, 1)), ((2, 2, 2), (2, 1)),
                 ((3, 2, 2), (2, 2, 1)), ((1, 2, 2), (3, 2, 1)), ((2,), (2,))):
        values = np.zeros(a) + (np.eye(a[-1]) if a[-1] == a[-2:][0] and len(a) > 1 else 1), drawn(b, "float64", 1)
        label = "x".join(map(str, a)) + "_" + "x".join(map(str, b))
        case("MatrixSolve/sizes/" + label, lambda a, b: raw.MatrixSolve(matrix=a, rhs=b), *values)
        case("MatrixTriangularSolve/sizes/" + label, lambda a, b: raw.MatrixTriangularSolve(matrix=a, rhs=b), *values)
    for label, x in (("singular", bad), ("missing", missing), ("zero", np.zeros((2, 2)))):
        x = x.astype(np.float64)
        case("MatrixSolve/" + label, lambda a, b: raw.MatrixSolve(matrix=a, rhs=b), x, np.ones((2, 1)))
        case("MatrixTriangularSolve/" + label, lambda a, b: raw.MatrixTriangularSolve(matrix=a, rhs=b), x, np.ones((2, 1)))

    for full in (False, True):
        for dtype in TYPES:
            for i, shape in enumerate(SIDES):
                case(name_of("Qr", dtype, shape, full), lambda x: raw.Qr(input=x, full_matrices=full), drawn(shape, dtype, i))
        for shape in EMPTY + ((0, 3), (3, 0), (2, 0, 3), (3,)):
            case(name_of("Qr", "float64", shape, full), lambda x: raw.Qr(input=x, full_matrices=full), np.zeros(shape))
            case(name_of("Svd", "float64", shape, full), lambda x: raw.Svd(input=x, full_matrices=full), np.zeros(shape))

    def composed(x, full):
        """What is determined of a decomposition: the values, and the product of its parts."""
        s, u, v = raw.Svd(input=x, full_matrices=full)
        k = tf.shape(s)[-1]
        if x.dtype in (tf.float32, tf.complex64):
            return s  # small elements of the product share the rounding of large ones
        return s, tf.matmul(u[..., :k] * tf.cast(s, u.dtype)[..., None, :], v[..., :k], adjoint_b=True)

    for dtype in TYPES:
        for i, shape in enumerate(SIDES):
            x = drawn(shape, dtype, i)
            for full in (False, True):
                case(name_of("Svd", dtype, shape, full), lambda x: composed(x, full), x)
            case(name_of("Svd", dtype, shape, "values"), lambda x: raw.Svd(input=x, compute_uv=False)[0], x)
    for label, x in (("singular", bad), ("missing", missing), ("zero", np.zeros((3, 2)))):
        case("Svd/" + label, lambda x: raw.Svd(input=x, compute_uv=False)[0], x.astype(np.float64))

    def eigen(x):
        e, v = raw.SelfAdjointEigV2(input=x)
        if x.dtype in (tf.float32, tf.complex64):
            return e
        return e, tf.matmul(v * e[..., None, :], v, adjoint_b=True)

    for dtype in TYPES:
        for i, shape in enumerate(SQUARES):
            x = positive(shape, dtype, i)
            case(name_of("SelfAdjointEigV2", dtype, shape), eigen, x)
            case(name_of("SelfAdjointEigV2", dtype, shape, "values"), lambda x: raw.SelfAdjointEigV2(input=x, compute_v=False)[0], x)
    for shape in EMPTY + ((2, 3), (3,)):
        case(name_of("SelfAdjointEigV2", "float64", shape), lambda x: raw.SelfAdjointEigV2(input=x), np.zeros(shape))
    for label, x in (("singular", bad), ("missing", missing), ("zero", np.zeros((3, 3))), ("lower", np.array([[1, 9], [2, 4]]))):
        case("SelfAdjointEigV2/" + label, eigen, x.astype(np.float64))

    for fast in (True, False):
        def solve(a, b, l2):
            return raw.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=l2, fast=fast)

        for dtype in TYPES:
            for i, shape in enumerate(SIDES):
                for l2 in (0.0, 0.5) if fast else (0.0,):
                    case(name_of("MatrixSolveLs", dtype, shape, fast, l2), solve, far_from_singular(shape, dtype, i),
                         drawn(shape[:-1] + (2,), dtype, 30 + i), np.float64(l2))
        for label, a, b, l2 in (("singular", bad, np.ones((2, 1)), 0), ("regular", bad, np.ones((2, 1)), 0.5),
                                ("negative", bad, np.ones((2, 1)), -1), ("vector", bad, np.ones((2, 1)), [0.0]),
                                ("rows", bad, np.ones((3, 1)), 0), ("none", np.ones((0, 2, 2)), np.ones((0, 2, 1)), 0)):
            case(f"MatrixSolveLs/{label}/{fast}".lower(), solve, np.asarray(a, np.float64), b, np.asarray(l2, np.float64))

    for dtype in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        for shape in ((3,), (2, 3), (0, 3)):
            a, b = ((np.arange(np.prod(shape)) * k % 7).reshape(shape).astype(dtype) for k in (3, 5))
            case(name_of("Cross", dtype, shape), lambda a, b: raw.Cross(a=a, b=b), a, b)
    for a, b in (((2,), (2,)), ((), ()), ((3,), (2, 3)), ((2, 4), (2, 4))):
        case("Cross/sizes/" + "x".join(map(str, a)) + "_" + "x".join(map(str, b)), lambda a, b: raw.Cross(a=a, b=b), np.ones(a), np.ones(b))


if __name__ == "__main__":
    sys.exit(record_file(record_all))
