"""PNG files of every kind, whole and damaged, as TensorFlow reads them, and images as it writes them: equal to the bit.

    png_files.py PROGRAM      runs PROGRAM --images FROM TO: tests/conformance/exchanged_files.cpp

Ends in 77, and says so, where this Python has no TensorFlow.
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

SKIPPED = 77
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
GRAY, COLOURS, PALETTE, GRAY_OPACITY, COLOURS_OPACITY = 0, 2, 3, 4, 6
SAMPLES = {GRAY: 1, COLOURS: 3, PALETTE: 1, GRAY_OPACITY: 2, COLOURS_OPACITY: 4}
DEPTHS = {GRAY: (1, 2, 4, 8, 16), COLOURS: (8, 16), PALETTE: (1, 2, 4, 8), GRAY_OPACITY: (8, 16), COLOURS_OPACITY: (8, 16)}
PARTS = (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def rows_of(rng, width, height, bits):
    """Filtered rows of random bytes: any are pixels."""
    size = (width * bits + 7) // 8
    return b"".join(bytes([rng.integers(0, 5)]) + rng.bytes(size) for _ in range(height)) if width else b""


def png(rng, colour, depth, width, height, interlaced=False, transparent=False, more=b"", colours=0):
    bits = SAMPLES[colour] * depth
    parts = PARTS if interlaced else ((0, 0, 1, 1),)
    rows = b"".join(rows_of(rng, -(-(width - x) // by_x) if width > x else 0, -(-(height - y) // by_y) if height > y else 0, bits)
                    for x, y, by_x, by_y in parts)
    packed = zlib.compress(rows)
    cut = len(packed) // 2
    made = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)) + more
    colours = colours or 2**depth
    if colour == PALETTE:
        made += chunk(b"PLTE", rng.bytes(3 * colours))
    if transparent:
        key = [rng.integers(0, 2**min(depth, 3)) for _ in range(SAMPLES[colour])]
        made += chunk(b"tRNS", rng.bytes(max(1, colours // 2)) if colour == PALETTE else struct.pack(f">{len(key)}H", *key))
    return made + chunk(b"IDAT", packed[:cut]) + chunk(b"IDAT", packed[cut:]) + chunk(b"IEND", b"")


def files(rng):
    made = {}
    for colour, depths in DEPTHS.items():
        for depth in depths:
            for interlaced in (False, True):
                for transparent in (False, True) if colour in (GRAY, COLOURS, PALETTE) else (False,):
                    for width, height in (1, 1), (7, 5), (3, 17), (33, 9):
                        name = f"{colour}_{depth}_{interlaced:d}{transparent:d}_{width}x{height}"
                        made[name] = png(rng, colour, depth, width, height, interlaced, transparent)
    made["short_palette"] = png(rng, PALETTE, 4, 9, 9, colours=5)
    made["long_palette"] = png(rng, PALETTE, 2, 9, 9, colours=5)
    made["text"] = png(rng, COLOURS, 8, 4, 4, more=chunk(b"tEXt", b"a\0b"))
    made["wrong_text"] = png(rng, COLOURS, 8, 4, 4, more=chunk(b"tEXt", b"a\0b")[:-1] + b"!")
    made["unknown"] = png(rng, COLOURS, 8, 4, 4, more=chunk(b"ABCD", b""))
    whole = png(rng, COLOURS, 8, 6, 6)
    for size in (0, 5, 8, 20, 33, 40, len(whole) - 20, len(whole) - 12, len(whole) - 1):
        made[f"cut_{size}"] = whole[:size]
    for at in (1, 12, 17, 25, 26, 29, 45, len(whole) // 2, len(whole) - 3):
        made[f"changed_{at}"] = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
    made["more"] = whole + b"more"
    return made


def main(program):
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as why:
        print("skipped:", why)
        return SKIPPED
    rng = np.random.default_rng(1)
    encoded = files(rng)
    images = {f"{bits}_{channels}_{height}x{width}": rng.integers(0, 2**bits, (height, width, channels)).astype(f"uint{bits}")
              for bits in (8, 16) for channels in (1, 2, 3, 4) for height, width in ((1, 1), (1, 9), (9, 1), (30, 40))}
    with tempfile.TemporaryDirectory() as folder:
        there, back = folder + "/from", folder + "/to"
        os.mkdir(there)
        os.mkdir(back)
        for name, file in encoded.items():
            with open(f"{there}/{name}.png", "wb") as to:
                to.write(file)
        for name, image in images.items():
            np.save(f"{there}/{name}.npy", image)
        subprocess.run([program, "--images", there, back], check=True)
        wrong, refused = [], 0
        for name, file in encoded.items():
            for bits in 8, 16:
                for channels in 0, 1, 3, 4:
                    path = f"{back}/{name}.{channels}.{bits}.npy"
                    found = np.load(path) if os.path.exists(path) else None
                    try:
                        expected = tf.raw_ops.DecodePng(contents=file, channels=channels, dtype=f"uint{bits}").numpy()
                    except tf.errors.InvalidArgumentError:
                        expected = None
                    refused += expected is None
                    equal = found is None if expected is None else (
                        found is not None and found.shape == expected.shape and found.tolist() == expected.tolist())
                    if not equal:
                        wrong.append(f"{name}, {channels} channels, {bits} bits: {found if found is None else found.ravel()[:12]},"
                                     f" expected {expected if expected is None else expected.ravel()[:12]}")
        for name, image in images.items():
            for level in -1, 0, 1, 9:
                with open(f"{back}/{name}.{level}.png", "rb") as file:
                    found = file.read()
                expected = tf.raw_ops.EncodePng(image=tf.constant(image), compression=level).numpy()
                if found != expected:
                    same = np.array_equal(tf.io.decode_png(found, dtype=image.dtype), image)
                    wrong.append(f"{name} at level {level}: other bytes, {'the same' if same else 'other'} pixels")
    print(*wrong[:40], sep="\n")
    print(f"{8 * len(encoded)} readings, of which {refused} are refused, {4 * len(images)} files: {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
