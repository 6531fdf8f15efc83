"""Records what TensorFlow does with image files, as sessions to be replayed.

    codec_cases.py OUT.cases [NAME...]   the cases whose names begin with one of the names; all where none is given

The format is that of list_cases.py. tests/conformance/data/codecs.tar.xz holds the file. Ends in 77, and says so, where this Python has
no TensorFlow.
"""
import base64
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from list_cases import SKIPPED, Recorder

# Colors for print, which TensorFlow does not write: with Adobe's marker (CMYK and YCCK), and without it.
PRINTED = {
    "cmyk": (
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAIBgYHBgUIBwcHCQkICgwUDQwLCwwZEhMPFB0aHx4dGhwcICQuJyAiLCMcHCg3KSwwMTQ0NB8nOT04MjwuMzQy"
    "/8AAFAgABwAJBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFB"
    "BhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqS"
    "k5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwCv4C0Zf3XA"
    "7Vt+AtGX91wO1dFaTR+FvB2o60xiD2tuWi8xSytKfljUhecFyo7deo61o+ONVXw54GXTbcgX2s7rZOPuwgDzW5Ug8EJjIP7zI+7XrX9jL6Cof+F7eDv+"
    "gZrf/fiH/wCO14r/AMJF4u/6GrW//BjL/wDFV5T/AGMvoK//2Q=="),
    "ycck": (
    "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwAIBgYHBgUIBwcHCQkICgwUDQwLCwwZEhMPFB0aHx4dGhwcICQuJyAiLCMcHCg3KSwwMTQ0NB8nOT04MjwuMzQy"
    "/9sAQwEJCQkMCwwYDQ0YMiEcITIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy/8AAFAgABwAJBAEiAAIRAQMR"
    "AQQiAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEV"
    "UtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqy"
    "s7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/EAB8BAAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKC//EALURAAIB"
    "AgQEAwQHBQQEAAECdwABAgMRBAUhMQYSQVEHYXETIjKBCBRCkaGxwQkjM1LwFWJy0QoWJDThJfEXGBkaJicoKSo1Njc4OTpDREVGR0hJSlNUVVZXWFla"
    "Y2RlZmdoaWpzdHV2d3h5eoKDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uLj5OXm5+jp6vLz9PX29/j5"
    "+v/aAA4EAQACEQMRBAAAPwDM8b6s0szJk8nn6VU/4V9rH/PbTP8Avp//AIiiivRymp9XwvtIpNyk07pPZRt+bPG4lzPEYGVNUXve/wArGj441VfDngZd"
    "NtyBfazutk4+7CAPNblSDwQmMg/vMj7teU/2MvoKKK//2Q=="),
    "unmarked": (
    "/9j/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAAUCAAHAAkEQxEATREA"
    "WREASxEA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0Kx"
    "wRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ip"
    "qrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oADgRDAE0AWQBLAAA/AK/gLRl/dcDtW34C0Zf3XA7V0VpNH4W8"
    "HajrTGIPa25aLzFLK0p+WNSF5wXKjt16jrWj441VfDngZdNtyBfazutk4+7CAPNblSDwQmMg/vMj7tetf2MvoKh/4Xt4O/6Bmt/9+If/AI7Xiv8AwkXi"
    "7/oatb/8GMv/AMVXlP8AYy+gr//Z")}


def gif(width, height, frames, colors=4, version=b"GIF89a", table=True):
    """frames: left, top, width, height, indices below 4, transparent index or None, interlaced, a table of its own."""
    colored = bytes(i * 61 % 256 for i in range(3 * colors))
    file = version + struct.pack("<HHBBB", width, height, 0xf1 if table else 0x71, 0, 0) + (colored if table else b"")
    for left, top, w, h, indices, transparent, interlaced, own in frames:
        if transparent is not None:
            file += bytes([0x21, 0xf9, 4, 1, 0, 0, transparent, 0])
        file += b"," + struct.pack("<HHHHB", left, top, w, h, (0x40 if interlaced else 0) | (0x81 if own else 0))
        file += (colored[::-1] if own else b"") + b"\2"
        bits = []
        for i, index in enumerate(indices):
            for code in ([4] if i % 2 == 0 else []) + [index]:
                bits += [code >> k & 1 for k in range(3)]
        bits += [1, 0, 1]
        codes = bytes(sum(b << k for k, b in enumerate(bits[i:i + 8])) for i in range(0, len(bits), 8))
        for i in range(0, len(codes), 255):
            file += bytes([len(codes[i:i + 255])]) + codes[i:i + 255]
        file += b"\0"
    return file + b";"


def bmp(width, height, bits, begin=54, pixels=None):
    row = (width * bits + 31) // 32 * 4
    body = bytes(i * 37 % 256 for i in range(max(0, row * abs(height)))) if pixels is None else pixels
    head = b"BM" + struct.pack("<IHHi", 54 + len(body), 0, 0, begin)
    return head + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(body), 0, 0, 0, 0) + body


class Files:
    """Calls of ops on small files: name, op, attributes, inputs."""

    def __init__(self, tf, np):
        self.tf, self.np, self.calls = tf, np, []
        drawn = np.random.RandomState(5).randint(0, 256, (17, 13, 3))
        soft = np.add.outer(np.arange(17) * 6, np.arange(13) * 5)[..., None] + np.array([0, 60, 30])
        self.images = {"drawn": drawn.astype("uint8"), "soft": soft.astype("uint8")}
        self.jpegs = {name: base64.b64decode("".join(text)) for name, text in PRINTED.items()}
        soft = self.images["soft"]
        for name, image, options in (("soft", soft, {}), ("drawn", self.images["drawn"], dict(quality=60)), ("gray", soft[:, :, :1], {}),
                                     ("full", soft, dict(chroma_downsampling=False)), ("progressive", soft, dict(progressive=True)),
                                     ("coarse", self.images["drawn"], dict(quality=1))):
            self.jpegs[name] = tf.io.encode_jpeg(image, **options).numpy()

    def add(self, name, op, attributes, *inputs):
        self.calls.append((f"codecs.{op}.{name}", op, attributes, inputs))


def decode_jpegs(f):
    for name, file in f.jpegs.items():
        for channels in (0, 1, 3, 4):
            f.add(f"{name}.channels_{channels}", "DecodeJpeg", dict(channels=channels), file)
        for ratio in (2, 4, 8):
            f.add(f"{name}.ratio_{ratio}", "DecodeJpeg", dict(ratio=ratio), file)
        for method in ("INTEGER_FAST", "INTEGER_ACCURATE"):
            f.add(f"{name}.{method}", "DecodeJpeg", dict(dct_method=method), file)
        f.add(f"{name}.plain", "DecodeJpeg", dict(fancy_upscaling=False), file)
        f.add(f"{name}.plain.ratio_2", "DecodeJpeg", dict(fancy_upscaling=False, ratio=2), file)
        f.add(f"{name}", "ExtractJpegShape", {}, file)
        f.add(f"{name}.as_int64", "ExtractJpegShape", dict(output_type="int64"), file)
    for name in ("soft", "progressive"):
        file = f.jpegs[name]
        for size in (0, 2, 3, 20, 150, 330, 700, len(file) - 120, len(file) - 60, len(file) - 20, len(file) - 3, len(file) - 2, len(file) - 1):
            cut = file[:size]
            f.add(f"{name}.cut_{size}", "DecodeJpeg", {}, cut)
            if size > 600 or size == 0:  # TensorFlow does not return if the end is in the header
                f.add(f"{name}.cut_{size}.recovered", "DecodeJpeg", dict(try_recover_truncated=True), cut)
            f.add(f"{name}.cut_{size}.accepted", "DecodeJpeg", dict(acceptable_fraction=0.3), cut)
            f.add(f"{name}.cut_{size}", "ExtractJpegShape", {}, cut)
        for at in range(2, len(file), 41):
            f.add(f"{name}.changed_{at}", "DecodeJpeg", {}, file[:at] + bytes([file[at] ^ 0x55]) + file[at + 1:])
    for ratio in (0, 3, 16, -1):
        f.add(f"ratio_{ratio}", "DecodeJpeg", dict(ratio=ratio), f.jpegs["gray"])
    for channels in (2, 5, -1):
        f.add(f"channels_{channels}", "DecodeJpeg", dict(channels=channels), f.jpegs["gray"])
    f.add("method", "DecodeJpeg", dict(dct_method="FLOAT"), f.jpegs["gray"])


def crop_jpegs(f):
    np = f.np
    for name in ("soft", "gray", "full", "progressive", "cmyk"):
        height, width = (7, 9) if name == "cmyk" else (17, 13)
        for window in ((0, 0, height, width), (3, 4, 2, 5), (height - 1, width - 1, 1, 1), (1, 0, 4, 9), (2, 5, 5, 3)):
            for options in ({}, dict(fancy_upscaling=False), dict(channels=1), dict(dct_method="INTEGER_ACCURATE")):
                label = "_".join(map(str, window)) + "".join(f".{k}" for k in options)
                f.add(f"{name}.{label}", "DecodeAndCropJpeg", options, f.jpegs[name], np.int32(window))
        f.add(f"{name}.ratio_2", "DecodeAndCropJpeg", dict(ratio=2), f.jpegs[name], np.int32((1, 2, 3, 2)))
    for window in ((0, 0, 0, 3), (0, 0, 3, 0), (-1, 0, 3, 3), (0, -1, 3, 3), (0, 0, 18, 3), (0, 12, 3, 2), (0, 0, 3), (0, 0, 3, 3, 3)):
        f.add("wrong." + "_".join(map(str, window)), "DecodeAndCropJpeg", {}, f.jpegs["soft"], np.int32(window))
    f.add("cut", "DecodeAndCropJpeg", {}, f.jpegs["soft"][:-60], np.int32((0, 0, 17, 13)))
    f.add("cut_below", "DecodeAndCropJpeg", {}, f.jpegs["drawn"][:-20], np.int32((0, 0, 4, 4)))


def encode_jpegs(f):
    np, soft, drawn = f.np, f.images["soft"], f.images["drawn"]
    images = {"soft": soft, "drawn": drawn, "gray": soft[:, :, :1], "one": soft[:1, :1]}
    options = [dict(quality=q) for q in (0, 1, 50, 75, 100)]
    options += [dict(progressive=True), dict(optimize_size=True), dict(chroma_downsampling=False), dict(density_unit="cm", x_density=7),
                dict(y_density=70000, x_density=-3), dict(xmp_metadata="a note"), dict(progressive=True, optimize_size=True, quality=30), {}]
    for name, image in images.items():
        for chosen in options:
            f.add(f"{name}." + "_".join(f"{k}_{v}" for k, v in chosen.items()), "EncodeJpeg", chosen, image)
        for q in (0, 33, 95, 100, 101, -1):
            f.add(f"{name}.{q}", "EncodeJpegVariableQuality", {}, image, np.int32(q))
    f.add("gray.grayscale", "EncodeJpeg", dict(format="grayscale"), images["gray"])
    f.add("soft.rgb", "EncodeJpeg", dict(format="rgb"), soft)
    f.add("soft.grayscale", "EncodeJpeg", dict(format="grayscale"), soft)
    f.add("gray.rgb", "EncodeJpeg", dict(format="rgb"), images["gray"])
    for q in (-1, 101):
        f.add(f"quality_{q}", "EncodeJpeg", dict(quality=q), soft)
    for shape in ((0, 3, 3), (3, 0, 1), (3, 3, 2), (3, 3, 4), (3, 3), (1, 2, 2, 3)):
        label = "_".join(map(str, shape))
        f.add(f"shape_{label}", "EncodeJpeg", {}, np.zeros(shape, "uint8"))
        f.add(f"shape_{label}", "EncodeJpegVariableQuality", {}, np.zeros(shape, "uint8"), np.int32(50))
    f.add("qualities", "EncodeJpegVariableQuality", {}, soft, np.int32((50,)))
    f.add("long_note", "EncodeJpeg", dict(xmp_metadata="a" * 65505), images["one"])


def gifs(f):
    steps = lambda n: [i * 7 % 4 for i in range(n)]
    files = {
        "one": gif(3, 2, [(0, 0, 3, 2, steps(6), None, False, False)]),
        "old": gif(3, 2, [(0, 0, 3, 2, steps(6), None, False, False)], version=b"GIF87a"),
        "two": gif(3, 2, [(0, 0, 3, 2, steps(6), None, False, False), (0, 0, 3, 2, steps(6)[::-1], None, False, True)]),
        "part": gif(5, 5, [(0, 0, 4, 4, steps(16), None, False, False), (1, 2, 2, 2, steps(4), None, False, False)]),
        "first_part": gif(5, 5, [(1, 1, 2, 2, steps(4), None, False, False), (0, 0, 4, 3, steps(12), None, False, False)]),
        "outside": gif(5, 5, [(3, 3, 4, 4, steps(16), None, False, False), (9, 9, 2, 2, steps(4), None, False, False)]),
        "transparent": gif(3, 2, [(0, 0, 3, 2, steps(6), 1, False, False), (0, 0, 3, 2, steps(6)[::-1], 2, False, False)]),
        "interlaced": gif(3, 19, [(0, 0, 3, 19, steps(57), None, True, False)]),
        "own_table": gif(3, 2, [(0, 0, 3, 2, steps(6), None, False, True)], table=False),
        "no_table": gif(3, 2, [(0, 0, 3, 2, steps(6), None, False, False)], table=False),
        "no_frame": gif(3, 2, []),
        "no_pixels": gif(3, 2, [(0, 0, 0, 2, [], None, False, False)]),
        "few_indices": gif(3, 2, [(0, 0, 3, 2, steps(4), None, False, False)]),
        "many_indices": gif(3, 2, [(0, 0, 3, 2, steps(9), None, False, False)]),
    }
    for name, file in files.items():
        f.add(name, "DecodeGif", {}, file)
        f.add(name, "DecodePng", {}, file)
        for options in (dict(expand_animations=False), dict(dtype="uint16"), dict(dtype="float32"), dict(channels=3), dict(channels=4)):
            label = "_".join(f"{k}_{v}" for k, v in options.items())
            f.add(f"{name}.{label}", "DecodeImage", options, file)
    for size in list(range(4, len(files["two"]), 3)):
        f.add(f"cut_{size}", "DecodeGif", {}, files["two"][:size])


def bmps(f):
    files = {f"{bits}_{w}_{h}": bmp(w, h, bits) for bits in (8, 24, 32) for w, h in ((3, 2), (5, -3), (4, 1))}
    for name, file in files.items():
        for channels in (0, 1, 3, 4):
            f.add(f"{name}.channels_{channels}", "DecodeBmp", dict(channels=channels), file)
        if "-" not in name:  # with other types TensorFlow takes a negative amount of memory
            for dtype in ("uint16", "float32"):
                f.add(f"{name}.{dtype}", "DecodeImage", dict(dtype=dtype), file)
        f.add(name, "DecodeImage", {}, file)
    good = files["24_3_2"]
    for size in (2, 31, 32, 53, 54, len(good) - 1):
        f.add(f"cut_{size}", "DecodeBmp", {}, good[:size])
    wrong = {"bits_16": bmp(3, 2, 16), "bits_1": bmp(3, 2, 1), "bits_0": bmp(3, 2, 0, pixels=b""), "no_columns": bmp(0, 2, 24), "columns": bmp(-3, 2, 24, pixels=b"1234"),
             "no_rows": bmp(3, 0, 24), "begin": bmp(3, 2, 24, begin=-1), "far": bmp(3, 2, 24, begin=70), "early": bmp(3, 2, 24, begin=20),
             "large": bmp(1 << 20, 1 << 20, 24, pixels=b"")}
    for name, file in wrong.items():
        f.add(f"wrong.{name}", "DecodeBmp", {}, file)


def other_formats(f):
    tf, soft = f.tf, f.images["soft"]
    wide = soft.astype("uint16") * 251
    files = {"jpeg": f.jpegs["soft"], "gray_jpeg": f.jpegs["gray"], "png": tf.io.encode_png(soft).numpy(),
             "opaque_png": tf.io.encode_png(f.np.concatenate([soft, soft[:, :, :1]], 2)).numpy(), "wide_png": tf.io.encode_png(wide).numpy(),
             "gray_png": tf.io.encode_png(soft[:, :, :1]).numpy(), "gif": gif(2, 2, [(0, 0, 2, 2, [0, 1, 2, 3], None, False, False)]),
             "bmp": bmp(3, 2, 24), "none": b"", "short": b"\xff\xd8\xff", "letters": b"letters of no image", "begin_of_png": b"\x89PNG\r\n\x1a\n"}
    for name, file in files.items():
        for channels in (0, 1, 3, 4):
            for op in ("DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeImage"):
                f.add(f"of_{name}.channels_{channels}", op, dict(channels=channels), file)
        for dtype in ("uint16", "float32"):
            f.add(f"of_{name}.{dtype}", "DecodeImage", dict(dtype=dtype), file)
        f.add(f"of_{name}.uint16", "DecodePng", dict(dtype="uint16"), file)
        f.add(f"of_{name}.one_frame", "DecodeImage", dict(expand_animations=False), file)
        f.add(f"of_{name}", "DecodeGif", {}, file)
        f.add(f"of_{name}", "ExtractJpegShape", {}, file)
        f.add(f"of_{name}", "DecodeAndCropJpeg", {}, file, f.np.int32((0, 0, 1, 1)))
    f.add("two_files", "DecodeImage", {}, [files["jpeg"], files["png"]])


def all_calls(tf, np):
    files = Files(tf, np)
    for make in (decode_jpegs, crop_jpegs, encode_jpegs, gifs, bmps, other_formats):
        make(files)
    return files.calls


def record(tf, np, recorder, name, op, attributes, inputs):
    def nodes():
        feeds = {}
        for value in inputs:
            is_text = isinstance(value, (bytes, list))
            value = np.array(value, dtype=object) if is_text else np.asarray(value)
            feeds[tf.compat.v1.placeholder(tf.string if is_text else value.dtype, None)] = value
        takes = {"DecodeAndCropJpeg": ("contents", "crop_window"), "EncodeJpeg": ("image",), "EncodeJpegVariableQuality": ("images", "quality")}
        return [getattr(tf.raw_ops, op)(**dict(zip(takes.get(op, ("contents",)), feeds)), **attributes)], feeds

    try:
        recorder.case(name, nodes)
    except ValueError as refused:  # TensorFlow does not make the node
        print(f"{name}: {refused}")


def main():
    try:
        import numpy as np
        import tensorflow as tf
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    recorder = Recorder(tf, np, sys.argv[2:])
    for call in all_calls(tf, np):
        record(tf, np, recorder, *call)
    recorder.write(sys.argv[1])
    print(len(recorder.cases), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
