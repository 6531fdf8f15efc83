"""Records what TensorFlow does with Fourier transforms and ops for sound, as sessions to be replayed.

    signal_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/signal.tar.xz holds the file. Ends in 77, and says so, where this Python has
no TensorFlow.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import record_file

REALS = {"float32": "complex64", "float64": "complex128"}
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 30, 31, 49, 64, 97)


def wav(samples, channels=1, rate=8000, **fields):
    """A WAV file; fields replace parts of its header."""
    data = struct.pack(f"<{len(samples)}h", *samples)
    f = dict(riff=b"RIFF", wave=b"WAVE", before=b"", fmt=b"fmt ", size=16, encoding=1, channels=channels, rate=rate,
             per_second=rate * 2 * channels % 2**32, per_sample=2 * channels % 2**16, bits=16, more=b"", data=b"data", bytes=len(data), behind=b"")
    f.update(fields)
    body = f["wave"] + f["before"] + f["fmt"] + struct.pack("<IHHIIHH", f["size"], f["encoding"], f["channels"], f["rate"],
                                                            f["per_second"], f["per_sample"], f["bits"])
    body += f["more"] + f["data"] + struct.pack("<I", f["bytes"]) + data + f["behind"]
    return f["riff"] + struct.pack("<I", len(body)) + body


def record_all(tf, np, rec):
    raw = tf.raw_ops

    def drawn(shape, dtype, seed):
        # Elements of spectra are about 1: the comparison allows each element the same absolute difference. Multiples of 1 / 256 make the
        # file small.
        random = np.random.RandomState(seed)
        value = random.uniform(-1, 1, shape)
        if dtype.startswith("complex"):
            value = value + 1j * random.uniform(-1, 1, shape)
        return (np.round(np.asarray(value) * 256 / np.sqrt(max(1, np.size(value)))) / 256).astype(dtype)

    def case(name, build, *values):
        def nodes():
            feeds = {tf.compat.v1.placeholder(tf.as_dtype(v.dtype), None): v for v in map(np.asarray, values)}
            made = build(*feeds)
            return list(made) if isinstance(made, (tuple, list)) else [made], feeds

        rec.case("signal." + name, nodes)

    def label(shape):
        return "x".join(map(str, shape)) or "scalar"

    def slope(build, x, *more):
        """The gradient of a function of all results."""
        y = build(x, *more)
        return tf.gradients(tf.reduce_sum(tf.square(tf.abs(y)) + tf.math.real(y)), x)[0]

    shapes = {1: [(n,) for n in LENGTHS] + [(3, 6), (2, 1, 5), (0,), (2, 0), (0, 3), ()],
              2: [(1, 1), (2, 3), (4, 6), (7, 11), (2, 5, 8), (2, 1, 3, 4), (0, 2), (2, 0), (0, 3, 4), (3,)],
              3: [(1, 1, 1), (2, 3, 4), (3, 5, 7), (11, 1, 2), (4, 2, 1), (2, 2, 3, 4), (0, 2, 2), (2, 2, 0), (2, 3)]}
    for axes, suffix in ((1, ""), (2, "2D"), (3, "3D")):
        for kind in ("FFT", "IFFT"):
            op = lambda x, f=getattr(raw, kind + suffix): f(input=x)
            for dtype in ("complex64", "complex128"):
                for i, shape in enumerate(shapes[axes]):
                    case(f"{kind}{suffix}/{dtype}/{label(shape)}", op, drawn(shape, dtype, i))
                for shape in ((3, 2, 4), (2, 3, 5, 2)):
                    case(f"{kind}{suffix}/{dtype}/{label(shape)}/gradient", lambda x: slope(op, x), drawn(shape, dtype, 9))
        for real, complex_one in REALS.items():
            forward = lambda x, n, f=getattr(raw, "RFFT" + suffix): f(input=x, fft_length=n, Tcomplex=tf.as_dtype(complex_one))
            inverse = lambda x, n, f=getattr(raw, "IRFFT" + suffix): f(input=x, fft_length=n, Treal=tf.as_dtype(real))
            for i, shape in enumerate(shapes[axes]):
                last = shape[-axes:] if len(shape) >= axes else (1,) * axes
                for by in (0, 1):
                    n = np.array([max(0, e - by) for e in last], np.int32)
                    half = np.array([*n[:-1], max(0, 2 * (last[-1] - 1) + 1 - by)], np.int32)
                    for kind, op, dtype, lengths in (("RFFT", forward, real, n), ("IRFFT", inverse, complex_one, half)):
                        if all(lengths) or 0 in shape:  # TensorFlow ends the process where a length is 0
                            case(f"{kind}{suffix}/{real}/{label(shape)}/{by}", op, drawn(shape, dtype, i), lengths)
            if axes < 3:
                # All elements are used: TensorFlow's gradients fail for others.
                for shape in ((3, 4), (2, 5, 7)):
                    n = np.array(shape[-axes:], np.int32)
                    half = (*shape[:-1], shape[-1] // 2 + 1)
                    case(f"RFFT{suffix}/{real}/{label(shape)}/gradient", lambda x, n: slope(forward, x, n), drawn(shape, real, 9), n)
                    case(f"IRFFT{suffix}/{real}/{label(half)}/gradient", lambda x, n: slope(inverse, x, n), drawn(half, complex_one, 9), n)
            x = {1: (5,), 2: (5, 5), 3: (5, 5, 5)}[axes]
            for name, n in (("long", (6,) * axes), ("negative", (-1,) * axes), ("more", (2,) * (axes + 1)), ("half", (10,) * axes)):
                case(f"RFFT{suffix}/{real}/{name}", forward, drawn(x, real, 1), np.array(n, np.int32))
                case(f"IRFFT{suffix}/{real}/{name}", inverse, drawn(x, complex_one, 1), np.array(n, np.int32))
            case(f"RFFT{suffix}/{real}/scalar_length", forward, drawn(x, real, 1), np.int32(3))

    for size, stride, shape in ((16, 8, (64, 1)), (16, 8, (64, 2)), (10, 3, (50, 1)), (10, 20, (50, 2)), (2, 1, (5, 1)), (16, 8, (15, 1)),
                                (16, 8, (16, 1)), (16, 8, (0, 1)), (16, 8, (20, 0)), (100, 50, (400, 3)), (16, 8, (64,)), (16, 8, (2, 20, 1))):
        for squared in (False, True):
            case(f"AudioSpectrogram/{label(shape)}/{size}/{stride}/{'squared' if squared else 'sizes'}",
                 lambda x: raw.AudioSpectrogram(input=x, window_size=size, stride=stride, magnitude_squared=squared), drawn(shape, "float32", size))

    def spectrum(*shape):
        return np.abs(drawn(shape, "float32", len(shape))) + np.float32(0.1)

    mfcc = lambda **attrs: lambda x, rate: raw.Mfcc(spectrogram=x, sample_rate=rate, **attrs)
    for shape in ((1, 3, 65), (2, 2, 129), (1, 1, 2), (0, 3, 65), (1, 0, 65), (1, 2, 1), (1, 2, 0), (2, 65), (65,)):
        for rate in (4000, 8000, 16000, 44100) if shape in ((1, 3, 65), (2, 2, 129), (1, 1, 2)) else (8000,):
            case(f"Mfcc/{label(shape)}/{rate}", mfcc(), spectrum(*shape), np.int32(rate))
    for i, attrs in enumerate((dict(filterbank_channel_count=20), dict(dct_coefficient_count=40), dict(lower_frequency_limit=300.0),
                               dict(upper_frequency_limit=7000.0), dict(lower_frequency_limit=0.0), dict(dct_coefficient_count=41),
                               dict(filterbank_channel_count=0), dict(dct_coefficient_count=0), dict(lower_frequency_limit=-1.0),
                               dict(upper_frequency_limit=10.0), dict(filterbank_channel_count=1, dct_coefficient_count=1))):
        case(f"Mfcc/attributes/{i}", mfcc(**attrs), spectrum(1, 2, 257), np.int32(16000))
    for i, rate in enumerate((0, -1, [8000])):
        case(f"Mfcc/rate/{i}", mfcc(), spectrum(1, 2, 65), np.array(rate, np.int32))
    case("Mfcc/zero", mfcc(), np.zeros((1, 2, 65), np.float32), np.int32(8000))

    stereo = [0, 1000, -1000, 32767, -32768, 5]
    decode = lambda **attrs: lambda x: list(raw.DecodeWav(contents=x, **attrs))
    files = dict(mono=wav([1, -2, 300]), stereo=wav(stereo, 2, 44100), none=wav([]), junk=wav(stereo, 2, before=b"JUNK\3\0\0\0abc"),
                 bext=wav([1], before=b"bext\0\0\0\0"), unknown=wav([1], before=b"what\0\0\0\0"), long_format=wav([7], size=18, more=b"\0\0"),
                 other_size=wav([7], size=20), float_samples=wav([7], encoding=3), silent=wav([1], channels=0, per_second=0, per_sample=0),
                 bits=wav([1], bits=8), per_second=wav([1], per_second=3), per_sample=wav([1], per_sample=4), short=wav([1], bytes=20),
                 large=wav([1], bytes=2**32 - 1), rest=wav([1, 2, 3], 2), behind=wav([1, 2], behind=b"LIST\2\0\0\0ab"),
                 behind_short=wav([1, 2], behind=b"LIST\x20\0\0\0ab"), behind_cut=wav([1, 2], behind=b"LI"), twice=wav([1], behind=b"data\0\0\0\0"),
                 no_data=wav([1], data=b"atad"), riff=wav([1], riff=b"RIFX"), wave=wav([1], wave=b"AVI "), empty=b"", fast=wav([1], rate=2**31),
                 large_junk=wav([1], before=b"JUNK\xff\xff\xff\xff"), junk_behind_end=wav([1], before=b"JUNK\0\1\0\0"), odd=wav([1, 2], bytes=3),
                 odd_at_end=wav([1, 2], behind=b"\0", bytes=5), one_byte=wav([1], bytes=1), large_behind=wav([1], behind=b"LIST\xff\xff\xff\xff"),
                 most_channels=wav([1, 2], 65535), slow=wav([1], rate=0), empty_format=wav([1], size=0), two_formats=wav([1], more=wav([])[12:36]))
    for name, contents in files.items():
        case(f"DecodeWav/{name}", decode(), np.array(contents, object))
    for channels in (-1, 0, 1, 3):
        for samples in (-1, 0, 2, 5):
            case(f"DecodeWav/desired/{channels}/{samples}", decode(desired_channels=channels, desired_samples=samples),
                 np.array(files["stereo"], object))
    case("DecodeWav/two", decode(), np.array([files["mono"]] * 2, object))
    for n in (3, 10, 21, 40, 44):
        case(f"DecodeWav/cut/{n}", decode(), np.array(files["mono"][:n], object))

    encode = lambda x, rate: raw.EncodeWav(audio=x, sample_rate=rate)
    edges = [0, 1, -1, 0.5, 2, -2, 1e-5, 1.5 / 32768, -1.5 / 32768, 0.5 / 32768, np.inf, -np.inf]
    for name, x, rate in (("mono", np.reshape(edges, (-1, 1)), 8000), ("stereo", np.reshape(edges, (-1, 2)), 44100),
                          ("none", np.zeros((0, 1)), 8000), ("no_channels", np.zeros((3, 0)), 8000), ("vector", edges, 8000),
                          ("deep", np.zeros((1, 2, 2)), 8000), ("rate_0", np.zeros((1, 1)), 0), ("rate_below_0", np.zeros((1, 1)), -1),
                          ("rates", np.zeros((1, 1)), [8000]), ("one", [[0.25]], 1),
                          ("fast", [[0.25]], 2**31 - 1), ("fast_stereo", [[0.25, 0.5]], 2**31 - 1), ("twos", [[1, -1]] * 3, 96000),
                          ("small", np.linspace(-1e-4, 1e-4, 24).reshape(8, 3), 22050), ("waves", np.sin(np.arange(40)).reshape(5, 8), 48000),
                          ("halves", (np.arange(-9, 9) / 65536).reshape(-1, 1), 8000), ("edges", [[-1.00001], [0.99997], [0.99999], [1.00001]], 8000),
                          ("none_of_three", np.zeros((0, 3)), 8000), ("nothing", np.zeros((0, 0)), 8000), ("large", [[3e38], [-3e38]], 8000),
                          ("channels", np.zeros((1, 65535)), 1), ("many_channels", np.zeros((1, 65536)), 1)):
        case(f"EncodeWav/{name}", encode, np.asarray(x, np.float32), np.array(rate, np.int32))


if __name__ == "__main__":
    sys.exit(record_file(record_all))
