"""Records what TensorFlow answers for simulated quantization, as sessions to be replayed.

    quantize_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/quantize.tar.xz holds the file. Ends in 77, and says so, where this Python
has no TensorFlow.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import SKIPPED, Recorder
from recorded_calls import Calls

SHAPES = ((), (7,), (0,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 2, 2, 3))
RANGES = ((-6, 6), (0, 6), (-1.5, 3.25), (-10, -2), (2, 10), (0.1, 25), (-1, 0.001), (-3e-5, 2e-5))
# QuantizeAndDequantizeV2 and V4 of TensorFlow 2.21 refuse every range that is given for an axis. Two cases show it; others have errors
# that would be errors without it.
REFUSED = ("three", "scalar_range", "matrix_range", "axis_high", "axis_low")
# Ranges that end the process in the kernel of QuantizeAndDequantizeV3.
CRASHES = ("two", "no_range", "three", "scalar_range", "matrix_range")
BITS = ((8, False), (8, True), (2, False), (2, True), (4, True), (16, False), (16, True))


def spelled(op, *parts):
    return ".".join([op] + [str(p).lower() for p in parts])


def record_fixed_ranges(c):
    np, raw = c.np, c.raw
    special = np.float32([np.nan, np.inf, -np.inf, 0, -0.0, 1e30, -1e30, 0.5, 2.5])
    for bits, narrow in BITS:
        for i, (low, high) in enumerate(RANGES):
            form = dict(min=low, max=high, num_bits=bits, narrow_range=narrow)
            quantize = lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x, **form)
            back = lambda d, x: raw.FakeQuantWithMinMaxArgsGradient(gradients=d, inputs=x, **form)
            x = c.drawn((5, 6), seed=i, low=low - 1, high=high + 1)
            c.case(spelled("FakeQuantWithMinMaxArgs", bits, narrow, i), quantize, x)
            c.case(spelled("FakeQuantWithMinMaxArgsGradient", bits, narrow, i), back, c.drawn((5, 6), seed=9, low=-2, high=2), x)
    args = lambda x, **form: raw.FakeQuantWithMinMaxArgs(inputs=x, **form)
    back = lambda d, x, **form: raw.FakeQuantWithMinMaxArgsGradient(gradients=d, inputs=x, **form)
    c.case("FakeQuantWithMinMaxArgs.special", args, special)
    c.case("FakeQuantWithMinMaxArgsGradient.special", back, special, special[::-1])
    for shape in SHAPES:
        x = c.drawn(shape, low=-7, high=7)
        c.case(spelled("FakeQuantWithMinMaxArgs", "shape", len(shape), x.size), args, x)
        c.case(spelled("FakeQuantWithMinMaxArgsGradient", "shape", len(shape), x.size), back, x, x)
    c.case("FakeQuantWithMinMaxArgsGradient.other_shape", back, np.ones((2, 3), np.float32), np.ones((3, 2), np.float32))
    c.case("FakeQuantWithMinMaxArgsGradient.other_count", back, np.ones((2, 3), np.float32), np.ones(2, np.float32))
    x = np.float32([1, 2])
    for label, form in (("one_bit", dict(num_bits=1)), ("many_bits", dict(num_bits=17)), ("equal", dict(min=1.0, max=1.0)),
                        ("reversed", dict(min=2.0, max=1.0)), ("missing", dict(min=float("nan")))):
        c.case("FakeQuantWithMinMaxArgs." + label, lambda x: args(x, **form), x)
        c.case("FakeQuantWithMinMaxArgsGradient." + label, lambda d, x: back(d, x, **form), x, x)


def record_ranges(c):
    np, raw = c.np, c.raw
    values = lambda x, l, h, **form: raw.FakeQuantWithMinMaxVars(inputs=x, min=l, max=h, **form)
    back = lambda d, x, l, h, **form: list(raw.FakeQuantWithMinMaxVarsGradient(gradients=d, inputs=x, min=l, max=h, **form))
    for bits, narrow in BITS:
        form = dict(num_bits=bits, narrow_range=narrow)
        for i, (low, high) in enumerate(RANGES + ((0, 0), (3, 3), (5, -5))):
            x, ends = c.drawn((5, 6), seed=i, low=min(low, high) - 1, high=max(low, high) + 1), (np.float32(low), np.float32(high))
            c.case(spelled("FakeQuantWithMinMaxVars", bits, narrow, i), lambda x, l, h: values(x, l, h, **form), x, *ends)
            c.case(spelled("FakeQuantWithMinMaxVarsGradient", bits, narrow, i), lambda d, x, l, h: back(d, x, l, h, **form),
                   c.drawn((5, 6), seed=9, low=-2, high=2), x, *ends)
    low, high = np.float32(-2), np.float32(3)
    for shape in SHAPES:
        x = c.drawn(shape, low=-4, high=4)
        c.case(spelled("FakeQuantWithMinMaxVars", "shape", len(shape), x.size), values, x, low, high)
        c.case(spelled("FakeQuantWithMinMaxVarsGradient", "shape", len(shape), x.size), back, x, x, low, high)
    x = c.drawn((3, 4), low=-4, high=4)
    special = np.float32([np.nan, np.inf, -np.inf, 0, -0.0, 1e30, -1e30, 0.5])
    for label, given in (("special", (special, low, high)), ("infinite_range", (x, low, np.float32(np.inf))),
                         ("missing_range", (x, np.float32(np.nan), high)), ("vectors", (x, low[None], high[None])),
                         ("two", (x, np.float32([1, 2]), np.float32([2, 3]))), ("no_range", (x, low[None][:0], high[None][:0])),
                         ("max_vector", (x, low, high[None]))):
        c.case("FakeQuantWithMinMaxVars." + label, values, *given)
        c.case("FakeQuantWithMinMaxVarsGradient." + label, back, given[0], *given)
    c.case("FakeQuantWithMinMaxVarsGradient.other_shape", back, x.reshape(4, 3), x, low, high)
    for bits in (1, 17):
        c.case(f"FakeQuantWithMinMaxVars.{bits}_bits", lambda x, l, h: values(x, l, h, num_bits=bits), x, low, high)
        c.case(f"FakeQuantWithMinMaxVarsGradient.{bits}_bits", lambda d, x, l, h: back(d, x, l, h, num_bits=bits), x, x, low, high)


def record_channels(c):
    np, raw = c.np, c.raw
    values = lambda x, l, h, **form: raw.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=l, max=h, **form)
    back = lambda d, x, l, h, **form: list(raw.FakeQuantWithMinMaxVarsPerChannelGradient(gradients=d, inputs=x, min=l, max=h, **form))
    lows, highs = (np.float32(ends) for ends in zip(*(RANGES + ((0, 0), (3, 3)))))
    for bits, narrow in BITS:
        form = dict(num_bits=bits, narrow_range=narrow)
        for i, rows in enumerate(((), (4,), (2, 3), (2, 1, 2), (2, 2, 1, 2))):
            x, d = (c.drawn(rows + (10,), seed=seed, low=-12, high=12) for seed in (i, 7))
            c.case(spelled("FakeQuantWithMinMaxVarsPerChannel", bits, narrow, i), lambda x, l, h: values(x, l, h, **form), x, lows, highs)
            c.case(spelled("FakeQuantWithMinMaxVarsPerChannelGradient", bits, narrow, i), lambda d, x, l, h: back(d, x, l, h, **form),
                   d, x, lows, highs)
    x, low, high = c.drawn((3, 2), low=-4, high=4), np.float32([-2, -1]), np.float32([1, 2])
    for label, given in (("scalar_range", (x, low[0], high[0])), ("one_min", (x, low[:1], high)),
                         ("one_max", (x, low, high[:1])), ("matrix_range", (x, low[None], high[None])), ("no_rows", (x[:0], low, high)),
                         ("no_channels", (x[:, :0], low[:0], high[:0])), ("missing", (x * np.float32(np.nan), low, high))):
        c.case("FakeQuantWithMinMaxVarsPerChannel." + label, values, *given)
        c.case("FakeQuantWithMinMaxVarsPerChannelGradient." + label, back, given[0], *given)
    c.case("FakeQuantWithMinMaxVarsPerChannelGradient.other_shape", back, x.reshape(2, 3), x, low, high)
    for bits in (1, 17):
        c.case(f"FakeQuantWithMinMaxVarsPerChannel.{bits}_bits", lambda x, l, h: values(x, l, h, num_bits=bits), x, low, high)


class Quantizer:
    """One of the four forms of QuantizeAndDequantize."""

    def __init__(self, c, version):
        self.c, self.version = c, version

    def call(self, label, x, low, high, bits=8, axis=-1, **form):
        c, raw, np = self.c, self.c.raw, self.c.np
        name = spelled("QuantizeAndDequantize" + self.version, label)
        if self.version == "":
            if axis == -1 and not form.pop("narrow_range", False) and "round_mode" not in form and np.size(low) == 1:
                c.old(name, "QuantizeAndDequantize", 21, dict(input=x), num_bits=bits, input_min=float(np.ravel(low)[0]),
                      input_max=float(np.ravel(high)[0]), **form)
            return
        op = getattr(raw, "QuantizeAndDequantize" + self.version)
        if self.version == "V3":
            if form.pop("round_mode", None) is None:
                c.case(name, lambda x, l, h, n: op(input=x, input_min=l, input_max=h, num_bits=n, axis=axis, **form), x, low, high, np.int32(bits))
        else:
            c.case(name, lambda x, l, h: op(input=x, input_min=l, input_max=h, num_bits=bits, axis=axis, **form), x, low, high)


def record_round_trips(c, version):
    np, q = c.np, Quantizer(c, version)
    for dtype in ("float32", "float64"):
        number = c.tf.as_dtype(dtype).as_numpy_dtype
        x = c.drawn((4, 5), dtype, low=-3, high=3)
        for i, (low, high) in enumerate(((-2, 2), (-3, 1), (0, 2), (-2, 0), (1, 2), (-2, -1), (0, 0))):
            for signed in (True, False):
                for given in (True, False):
                    for narrow in (False, True) if given else (False,):
                        q.call(spelled(dtype, i, signed, given, narrow), x if given else np.clip(x, low, high), number(low), number(high),
                               signed_input=signed, range_given=given, narrow_range=narrow)
        for bits in (1, 2, 3, 7, 16, 31, 61, 62, 63, 0, -1):
            for signed in (True, False):
                for given in (True, False):
                    q.call(spelled(dtype, "bits", bits, signed, given), x, number(-2), number(1), bits, signed_input=signed, range_given=given,
                           narrow_range=False)
        halves = (np.arange(-20, 21) / 4).astype(number)
        for mode in ("HALF_UP", "HALF_TO_EVEN"):
            for bits in (3, 4):
                q.call(spelled(dtype, mode, bits), halves, number(-4), number(3), bits, range_given=True, round_mode=mode)
        for axis in (0, 1, 2):
            x = c.drawn((3, 2, 4), dtype, seed=axis, low=-3, high=3)
            depth = x.shape[axis]
            low, high = (c.drawn((depth,), dtype, seed=s, low=1, high=2) for s in (4, 5))
            for given in (True, False) if version == "V3" or (dtype, axis) == ("float32", 0) else (False,):
                for mode in ({},) if given and version != "V3" else ({}, dict(round_mode="HALF_UP"), dict(narrow_range=True), dict(signed_input=False)):
                    q.call(spelled(dtype, "axis", axis, given, *(f"{k}_{v}" for k, v in mode.items())), x, -low, high, axis=axis,
                           range_given=given, **mode)
    x, one = c.drawn((3, 2), low=-3, high=3), np.float32(1)
    for given in (True, False):
        for label, x_, low, high, axis in (("scalar", x[0, 0], -one, one, -1), ("empty", x[:0], -one, one, -1), ("reversed", x, one, -one, -1),
                                           ("vectors", x, -one[None], one[None], -1), ("two", x, np.float32([-1, -2]), np.float32([1, 2]), -1),
                                           ("three", x, np.float32([-1, -2, -3]), np.float32([1, 2, 3]), 1),
                                           ("scalar_range", x, -one, one, 1), ("matrix_range", x, -np.ones((2, 1), np.float32), np.ones((2, 1), np.float32), 1),
                                           ("no_range", x, -one[None][:0], one[None][:0], -1), ("axis_high", x, np.float32([-1, -2]), np.float32([1, 2]), 2),
                                           ("axis_low", x, -one, one, -2), ("reversed_channel", x, np.float32([-1, 2]), np.float32([1, -2]), 1),
                                           ("no_rows", x[:0], np.float32([-1, -2]), np.float32([1, 2]), 1),
                                           ("no_channels", x[:, :0], -one[None][:0], one[None][:0], 1), ("zeros", x * 0, -one, one, -1),
                                           ("missing", np.float32([1, np.nan, -2]), -one, one, -1),
                                           ("infinite", np.float32([np.inf, 1, -np.inf]), -one, one, -1),
                                           ("missing_range", x, np.float32(np.nan), one, -1)):
            if version == "V3" and label in CRASHES or version != "V3" and given and axis == 1 and label not in REFUSED:
                continue
            q.call(spelled(label, given), x_, low, high, axis=axis, range_given=given)
    if version == "V3":
        op = lambda x, l, h, n: c.raw.QuantizeAndDequantizeV3(input=x, input_min=l, input_max=h, num_bits=n)
        c.case("QuantizeAndDequantizeV3.vector_of_bits", op, x, -one, one, np.int32([8]))
        c.case("QuantizeAndDequantizeV3.two_bits", op, x, -one, one, np.int32([8, 4]))


def record_gradients(c):
    np, raw = c.np, c.raw
    back = lambda d, x, l, h, axis=-1: list(raw.QuantizeAndDequantizeV4Grad(gradients=d, input=x, input_min=l, input_max=h, axis=axis))
    for dtype in ("float32", "float64"):
        number = c.tf.as_dtype(dtype).as_numpy_dtype
        for i, shape in enumerate(SHAPES):
            d, x = c.drawn(shape, dtype, seed=1, low=-1, high=1), c.drawn(shape, dtype, seed=2, low=-3, high=3)
            c.case(spelled("QuantizeAndDequantizeV4Grad", dtype, i), back, d, x, number(-1.5), number(2))
            for axis in range(len(shape)):
                low, high = (c.drawn((shape[axis],), dtype, seed=s, low=1, high=2) for s in (4, 5))
                c.case(spelled("QuantizeAndDequantizeV4Grad", dtype, i, "axis", axis), lambda d, x, l, h: back(d, x, l, h, axis), d, x, -low, high)
    x, one = c.drawn((3, 2), low=-3, high=3), np.float32(1)
    for label, given, axis in (("other_shape", (x.reshape(2, 3), x, -one, one), -1), ("vectors", (x, x, -one[None], one[None]), -1),
                               ("two", (x, x, np.float32([-1, -2]), np.float32([1, 2])), -1), ("matrices", (x, x, -one[None, None], one[None, None]), -1),
                               ("max_vector", (x, x, -one, one[None]), -1), ("scalar_range", (x, x, -one, one), 1),
                               ("three", (x, x, np.float32([-1, -2, -3]), np.float32([1, 2, 3])), 1), ("axis_high", (x, x, -one[None], one[None]), 2),
                               ("axis_low", (x, x, -one, one), -2), ("no_range", (x, x, -one[None][:0], one[None][:0]), -1),
                               ("missing", (x, x * np.float32(np.nan), -one, one), -1), ("reversed", (x, x, one, -one), -1),
                               ("one_max", (x, x, np.float32([-1, -2]), np.float32([1])), 1)):
        c.case("QuantizeAndDequantizeV4Grad." + label, lambda d, x, l, h: back(d, x, l, h, axis), *given)


def record_differentiation(c):
    tf, np, raw = c.tf, c.np, c.raw
    x, low, high = c.drawn((3, 4), low=-3, high=3), np.float32(-1.5), np.float32(2)
    lows, highs = np.float32([-1, -2, 0, -1]), np.float32([1, 0.5, 2, 1])
    slopes = lambda op, *inputs: list(tf.gradients(op * op, list(inputs)))
    c.case("gradient.FakeQuantWithMinMaxArgs", lambda x: slopes(raw.FakeQuantWithMinMaxArgs(inputs=x, min=-1.0, max=2.0), x), x)
    c.case("gradient.FakeQuantWithMinMaxVars", lambda x, l, h: slopes(raw.FakeQuantWithMinMaxVars(inputs=x, min=l, max=h), x, l, h), x, low, high)
    c.case("gradient.FakeQuantWithMinMaxVarsPerChannel",
           lambda x, l, h: slopes(raw.FakeQuantWithMinMaxVarsPerChannel(inputs=x, min=l, max=h), x, l, h), x, lows, highs)
    given = dict(range_given=True)
    c.case("gradient.QuantizeAndDequantizeV2",
           lambda x, l, h: slopes(raw.QuantizeAndDequantizeV2(input=x, input_min=l, input_max=h, **given), x), x, low, high)
    c.case("gradient.QuantizeAndDequantizeV3",
           lambda x, l, h, n: slopes(raw.QuantizeAndDequantizeV3(input=x, input_min=l, input_max=h, num_bits=n, **given), x), x, low, high,
           np.int32(8))
    c.case("gradient.QuantizeAndDequantizeV4",
           lambda x, l, h: slopes(raw.QuantizeAndDequantizeV4(input=x, input_min=l, input_max=h, **given), x, l, h), x, low, high)
    c.case("gradient.QuantizeAndDequantizeV4.axis",
           lambda x, l, h: slopes(raw.QuantizeAndDequantizeV4(input=x, input_min=l, input_max=h, axis=1), x, l, h), x, lows, highs)


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = Recorder(tf, np, sys.argv[2:])
    calls = Calls(tf, np, recorder, "quantize.")
    for record in (record_fixed_ranges, record_ranges, record_channels, record_gradients, record_differentiation):
        record(calls)
    for version in ("", "V2", "V3", "V4"):
        record_round_trips(calls, version)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
