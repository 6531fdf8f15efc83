"""The works of bench/matrices.cpp and bench/images.cpp, and those of bench/ops.cpp that only TensorFlow is compared with: for each
name a function and its inputs, as NumPy arrays. bench/peers/ops.py runs them."""
import re

import numpy as np

from measuring import bits, fill

BATCH, SIDE, SMALLER, LARGER = 8, 224, 96, 448


def ints(t, count, bound):
    return (bits(t, count) % np.uint32(bound)).astype(np.int64)


def matrices(shape, dtype, weighted):
    """Noise with a weight on one of the diagonals."""
    n = shape[-1]
    weight = {"none": 0, "main": 2 * np.eye(n), "other": np.eye(n)[::-1]}[weighted]
    return fill(700, shape, 1 / np.sqrt(float(n))).astype(dtype) + np.asarray(weight, dtype)


def on_matrices(tf, name):
    """Of "solve_column_32x64_double": the function, and the inputs."""
    found = re.fullmatch(r"(\w+?)_(32x64|\d+)(_double)?", name)
    if not found:
        return None
    op, size, wide = found.groups()
    shape, dtype = (32, 64, 64) if size == "32x64" else (int(size),) * 2, np.float64 if wide else np.float32
    raw, la = tf.raw_ops, tf.linalg
    of_matrix = {"lu": ("other", lambda x: tuple(raw.Lu(input=x))), "inverse": ("other", la.inv), "determinant": ("other", la.det),
                 "cholesky": ("main", la.cholesky), "qr": ("none", lambda x: tuple(la.qr(x))[::-1]), "svd": ("none", la.svd),
                 "eigh": ("none", la.eigh)}
    of_equations = {"solve": ("other", la.solve), "solve_column": ("other", la.solve),
                    "triangular_solve": ("main", la.triangular_solve)}
    if op in of_matrix:
        weighted, function = of_matrix[op]
        return function, (matrices(shape, dtype, weighted),)
    if op in of_equations:
        weighted, function = of_equations[op]
        right = shape[:-1] + (1,) if op == "solve_column" else shape
        return function, (matrices(shape, dtype, weighted), fill(701, right).astype(dtype))
    return None


def photograph(tf):
    rows, columns = 1080, 1920
    row, column, color = np.ogrid[:rows, :columns, :3]
    slope = (row * (color + 1) + column * 2) // 8 + 64 * color
    pixels = slope % 240 + ints(703, rows * columns * 3, 16).reshape(rows, columns, 3)
    return tf.io.encode_jpeg(pixels.astype(np.uint8)).numpy()


def on_images(tf, name):
    raw = tf.raw_ops
    if name == "decode_jpeg":
        return lambda x: raw.DecodeJpeg(contents=x), (photograph(tf),)
    images = fill(700, (BATCH, SIDE, SIDE, 3), 0.5) + np.float32(0.5)
    if name == "adjust_hue":
        return lambda x: raw.AdjustHue(images=x, delta=0.1), (images,)
    if name == "adjust_saturation":
        return lambda x: raw.AdjustSaturation(images=x, scale=1.5), (images,)
    op, _, way = name.rpartition("_")
    side = SMALLER if way == "smaller" else LARGER
    size = (side, side)
    resize = {"resize_bilinear": lambda x: raw.ResizeBilinear(images=x, size=size, half_pixel_centers=True),
              "resize_bicubic": lambda x: raw.ResizeBicubic(images=x, size=size, half_pixel_centers=True),
              "resize_area": lambda x: raw.ResizeArea(images=x, size=size),
              "resize_nearest": lambda x: raw.ResizeNearestNeighbor(images=x, size=size, half_pixel_centers=True)}.get(op)
    return resize and (resize, (images,))


def on_complex_numbers(tf, name):
    shape = {"fft": (64, 1024), "fft2d": (256, 256)}.get(name)
    return shape and (getattr(tf.signal, name), ((fill(700, shape) + 1j * fill(701, shape)).astype(np.complex64),))


def sparse_product(tf, name):
    if name != "sparse_matmul":
        return None
    rows, columns, each, width = 100000, 10000, 10, 64
    i = np.arange(rows * each)
    places = np.stack((i // each, i % each * (columns // each) + ints(703, rows * each, columns // each)), 1)

    def product(indices, values, b):
        return tf.raw_ops.SparseTensorDenseMatMul(a_indices=indices, a_values=values, a_shape=np.int64((rows, columns)), b=b)
    return product, (places, fill(700, (rows * each,)), fill(701, (columns, width)))


def find(tf, name):
    """The function and the inputs of a work, or None."""
    for family in (on_complex_numbers, sparse_product, on_images, on_matrices):
        found = family(tf, name)
        if found:
            return found
    return None
