"""Computes with NumPy what tests/train/lazy_adam.cpp expects of fg::lazy_adam and fg::lazy_adamw, and compares it with what is recorded.

    lazy_adam.py [--record]

Ends in 77 where there is no NumPy. --record writes lazy_adam_numbers.hpp anew.
"""

import pathlib
import re
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(77)

RECORDED = pathlib.Path(__file__).with_name("lazy_adam_numbers.hpp")
ROWS, COLUMNS, STEPS, NAMED = 7, 5, 6, 4
RATE, BETA1, BETA2, EPSILON, DECAY = (float(np.float32(x)) for x in (0.01, 0.9, 0.999, 1e-8, 0.1))


def train(weight_decay):
    """Rows that a step does not name, and their moments, stay; those named twice get the sum of their gradients."""
    w = (np.arange(ROWS * COLUMNS, dtype=np.float64).reshape(ROWS, COLUMNS) - 17) / 16
    m, v = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, STEPS + 1):
        rows = np.array([(step * 2 + 3 * i * i) % ROWS for i in range(NAMED)])
        values = np.array([[((step + 5 * i + 3 * k) % 11 - 5) / 8 for k in range(COLUMNS)] for i in range(NAMED)])
        gradient = np.zeros_like(w)
        np.add.at(gradient, rows, values)
        named = np.unique(rows)
        g = gradient[named]
        w[named] *= 1 - RATE * weight_decay
        m[named] = BETA1 * m[named] + (1 - BETA1) * g
        v[named] = BETA2 * v[named] + (1 - BETA2) * g * g
        rate = RATE * np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
        w[named] -= rate * m[named] / (np.sqrt(v[named]) + EPSILON)
    return w, m, v


def text():
    lines = ["#pragma once", "// Made by lazy_adam.py --record: a variable and its moments after the last step.", ""]
    for method, decay in (("lazy_adam", 0.0), ("lazy_adamw", DECAY)):
        for name, values in zip(("w", "m", "v"), train(decay)):
            lines.append(f"inline constexpr double {method}_{name}[] = {{")
            numbers = [f"{x:.17g}" for x in values.ravel()]
            lines += ["    " + ", ".join(numbers[i : i + COLUMNS]) + "," for i in range(0, len(numbers), COLUMNS)]
            lines.append("};")
    return "\n".join(lines) + "\n"


def numbers_of(source):
    return np.array([float(x) for body in re.findall(r"\{(.*?)\}", source, re.S) for x in body.split(",") if x.strip()])


if sys.argv[1:] == ["--record"]:
    RECORDED.write_text(text())
else:
    found, expected = numbers_of(RECORDED.read_text()), numbers_of(text())
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-12, atol=0):
        sys.exit(f"{RECORDED} differs from what NumPy computes")
    print(f"{expected.size} numbers are as NumPy {np.__version__} computes them")
