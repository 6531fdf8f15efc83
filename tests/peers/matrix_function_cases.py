"""Records what TensorFlow does with general eigenvalues, functions of matrices, and tridiagonal and banded systems, as sessions to
be replayed.

    matrix_function_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/matrix_functions.tar.xz holds the file. Ends in 77, and says so, where this
Python has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import record_file

TYPES = ("float32", "float64", "complex64", "complex128")
SQUARES = ((1, 1), (2, 2), (3, 3), (2, 3, 3), (2, 1, 4, 4), (9, 9))
EMPTY = ((0, 0), (2, 0, 0), (0, 3, 3))
REFUSED = ((2, 3), (3,), ())


def record_all(tf, np, rec):
    raw = tf.raw_ops
    wide = {"float32": tf.complex64, "float64": tf.complex128, "complex64": tf.complex64, "complex128": tf.complex128}

    def drawn(shape, dtype, seed):
        random = np.random.RandomState(seed)
        value = random.uniform(-1, 1, shape)
        if dtype.startswith("complex"):
            value = value + 1j * random.uniform(-1, 1, shape)
        return value.astype(dtype)

    def positive(shape, dtype, seed):
        x = drawn(shape, dtype, seed)
        return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])).astype(dtype)

    def turning(shape, dtype, seed):
        return (drawn(shape, dtype, seed) + 2 * np.eye(shape[-1])).astype(dtype)

    def case(name, build, *values):
        def nodes():
            feeds = {tf.compat.v1.placeholder(tf.as_dtype(v.dtype), None): v for v in map(np.asarray, values)}
            made = build(*feeds)
            return list(made) if isinstance(made, (tuple, list)) else [made], feeds

        rec.case("matrix_functions." + name, nodes)

    def label(op, dtype, shape, *more):
        return "/".join([op, dtype, "x".join(map(str, shape)) or "scalar"] + [str(m).lower() for m in more])

    def ordered(x):
        return tf.sort(tf.math.real(x)), tf.sort(tf.math.imag(x))

    def eigen(x):
        """What is determined: the values without their order, and the product of the parts."""
        e, v = raw.Eig(input=x, Tout=wide[x.dtype.name])
        return ordered(e) + (tf.matmul(v * e[..., None, :], raw.MatrixInverse(input=v)),)

    def values(x):
        return ordered(raw.Eig(input=x, Tout=wide[x.dtype.name], compute_v=False)[0])

    def exponential(x):
        """The op that newer graphs must not have."""
        graph_def = tf.compat.v1.GraphDef()
        graph_def.versions.producer = 26
        node = graph_def.node.add(op="Placeholder", name="x")
        node.attr["dtype"].type = tf.as_dtype(x.dtype).as_datatype_enum
        node = graph_def.node.add(op="MatrixExponential", name="y", input=["x"])
        node.attr["T"].type = tf.as_dtype(x.dtype).as_datatype_enum
        return graph_def

    def exponential_case(name, x):
        name = "matrix_functions.MatrixExponential/" + name
        if not rec.wanted or name.startswith(tuple(rec.wanted)):
            x = np.asarray(x)
            rec.record(name, exponential(x), ["y:0"], {"x:0": x})

    nan, inf = np.nan, np.inf
    hostile = {"missing": [[1, nan], [0, 2]], "first_missing": [[nan, 0], [0, 1]], "infinite": [[1, inf], [0, 2]],
               "jordan": [[2, 1], [0, 2]], "rotation": [[0, 1], [-1, 0]], "negative": [[-1, 0], [0, -4]], "zero": [[0, 0], [0, 0]],
               "mixed": [[1, 2], [3, 4]]}
    ops = {"Eig": (eigen, TYPES, drawn), "Eig/values": (values, TYPES, drawn),
           "MatrixLogarithm": (lambda x: raw.MatrixLogarithm(input=x), TYPES[2:], positive),
           "MatrixLogarithm/turning": (lambda x: raw.MatrixLogarithm(input=x), TYPES[2:], turning),
           "MatrixSquareRoot": (lambda x: raw.MatrixSquareRoot(input=x), TYPES, positive),
           "MatrixSquareRoot/turning": (lambda x: raw.MatrixSquareRoot(input=x), TYPES, turning)}
    for op, (build, types, make) in ops.items():
        for dtype in types:
            for i, shape in enumerate(SQUARES):
                case(label(op, dtype, shape), build, make(shape, dtype, i))
        for shape in EMPTY:
            plain = (lambda x: raw.Eig(input=x, Tout=tf.complex128)) if op == "Eig" else build
            case(label(op, types[-1], shape), plain, np.zeros(shape, types[-1]))
        for shape in REFUSED:
            case(label(op, types[-1], shape), build, np.ones(shape, types[-1]))
        for name, x in hostile.items():
            for dtype in types[1::2]:
                if op == "Eig" and name in ("missing", "infinite", "jordan") or "turning" in op:
                    continue  # the product of the parts is not determined
                case(label(op, dtype, (2, 2), name), build, np.asarray(x, dtype))
    for dtype in TYPES[1::2]:
        for number in (0, -2, nan):
            case(label("MatrixSquareRoot", dtype, (1, 1), number), lambda x: raw.MatrixSquareRoot(input=x), np.full((1, 1), number, dtype))
    for dtype in TYPES:
        for i, shape in enumerate(SQUARES):
            for factor in (0.01, 0.7, 4):
                exponential_case(label("", dtype, shape, factor)[1:], (factor * drawn(shape, dtype, i)).astype(dtype))
    for shape in EMPTY:
        exponential_case(label("", "float64", shape)[1:], np.zeros(shape))
    for shape in REFUSED:
        exponential_case(label("", "float64", shape)[1:], np.ones(shape))
    for name, x in hostile.items():
        exponential_case(name, np.asarray(x, np.float64))
    exponential_case("large", np.array([[1000.0, 0], [0, 1]]))

    def multiply(a, m, b, x):
        return raw.TridiagonalMatMul(superdiag=a, maindiag=m, subdiag=b, rhs=x)

    for dtype in TYPES:
        for i, shape in enumerate(((1,), (2,), (3,), (9,), (2, 4), (2, 1, 5))):
            d = [drawn(shape[:-1] + (1, shape[-1]), dtype, 10 * i + k) for k in range(3)]
            case(label("TridiagonalMatMul", dtype, shape), multiply, *d, drawn(shape + (3,), dtype, 5 + i))
    for diagonals, rhs in (((1, 0), (0, 2)), ((1, 3), (3, 0)), ((0, 1, 3), (0, 3, 2)), ((2, 3), (3, 2)), ((1, 3), (4, 2)), ((3,), (3, 2)),
                           ((2, 1, 3), (3, 2)), ((2, 1, 3), (1, 3, 2))):
        d = np.ones(diagonals)
        case(label("TridiagonalMatMul", "float64", diagonals, "x".join(map(str, rhs))), multiply, d, d, d, np.ones(rhs))
    case("TridiagonalMatMul/missing", multiply, [[1.0, 2, nan]], [[1.0, 1, 1]], [[nan, 3, 4]], np.ones((3, 2)))

    for pivots, perturb in ((True, False), (False, False), (True, True), (False, True)):
        def solve(d, b):
            return raw.TridiagonalSolve(diagonals=d, rhs=b, partial_pivoting=pivots, perturb_singular=perturb)

        for dtype in TYPES:
            for i, shape in enumerate(((1,), (2,), (3,), (9,), (2, 4), (2, 1, 5))):
                d = drawn(shape[:-1] + (3, shape[-1]), dtype, i)
                d[..., 1, :] += 2
                case(label("TridiagonalSolve", dtype, shape, pivots, perturb), solve, d, drawn(shape + (2,), dtype, 5 + i))
        for name, d in (("singular", [[1, 0], [1, 1], [0, 1]]), ("zeros", np.zeros((3, 3))), ("zero", [[1], [0], [1]]),
                        ("third", [[1, 1, 0], [1, 2, 1], [0, 1, 1]]), ("missing", [[1, 1, 0], [1, nan, 1], [0, 1, 1]]),
                        ("infinite", [[1, 1, 0], [1, inf, 1], [0, 1, 1]]), ("beside", [[1, 2, nan], [4, 5, 6], [nan, 3, 4]]),
                        ("first", [[1, 2, 0], [0, 5, 6], [0, 3, 4]]), ("last", [[1, 1, 0], [1, 1, 1], [0, 0, 0]]),
                        ("negative", [[1, 1, 0], [-1, -2, -1], [0, 1, 0]]), ("decoupled", [[1, 0, 0], [2, 0, 3], [0, 0, 0]])):
            d = np.asarray(d)
            for dtype in TYPES[1::2]:
                b = (np.arange(2 * d.shape[1]).reshape(d.shape[1], 2) + 1).astype(dtype)
                case(label("TridiagonalSolve", dtype, d.shape, name, pivots, perturb), solve, d.astype(dtype), b)
        for d, b in (((3, 0), (0, 2)), ((3, 3), (3, 0)), ((0, 3, 3), (0, 3, 2)), ((2, 3), (3, 2)), ((4, 3), (3, 2)), ((3, 3), (4, 2)),
                     ((3,), (3, 2)), ((3, 3), (3,)), ((2, 3, 3), (3, 2)), ((2, 3, 3), (1, 3, 2))):
            case(label("TridiagonalSolve", "float64", d, "x".join(map(str, b)), pivots, perturb), solve, np.ones(d), np.ones(b))

    for lower in (True, False):
        for adjoint in (False, True):
            def solve(a, b):
                return raw.BandedTriangularSolve(matrix=a, rhs=b, lower=lower, adjoint=adjoint)

            for dtype in TYPES:
                for i, (a, b) in enumerate((((1, 1), (1, 2)), ((1, 3), (3, 2)), ((2, 3), (3, 2)), ((3, 9), (9, 2)), ((5, 3), (3, 1)),
                                            ((2, 2, 4), (2, 4, 1)), ((4, 1, 2, 3), (2, 3, 1)))):
                    value = drawn(a, dtype, i)
                    value[..., 0, :] += 2
                    value[..., -1, :] += 2
                    case(label("BandedTriangularSolve", dtype, a, lower, adjoint, i), solve, value, drawn(b, dtype, 20 + i))
            for name, a in (("zero", [[2, 0, 4]]), ("beside", [[2, 3, 4], [nan, 1, nan]]), ("missing", [[2, nan, 4], [1, 1, 1]])):
                case(f"BandedTriangularSolve/{name}/{lower}/{adjoint}".lower(), solve, np.asarray(a, np.float64), np.ones((3, 2)))
            for a, b in (((0, 3), (3, 2)), ((2, 0), (0, 2)), ((2, 3), (3, 0)), ((0, 2, 3), (0, 3, 2)), ((2, 3), (4, 2)), ((3,), (3, 2)),
                         ((2, 3), (3,)), ((4, 2, 3), (2, 3, 1))):
                case(label("BandedTriangularSolve", "float64", a, "x".join(map(str, b)), lower, adjoint), solve, np.ones(a), np.ones(b))


if __name__ == "__main__":
    sys.exit(record_file(record_all))
